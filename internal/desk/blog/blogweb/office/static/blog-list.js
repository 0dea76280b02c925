// Lists of posts: one box ticks all others.
(() => {
  "use strict";
  const all = document.querySelector("[data-all]");
  if (!all) return;
  all.hidden = false;
  const boxes = [...document.querySelectorAll('input[type="checkbox"][name="id"]')];
  all.addEventListener("change", () => boxes.forEach((box) => { box.checked = all.checked; }));
  document.addEventListener("change", () => {
    const ticked = boxes.filter((box) => box.checked).length;
    all.checked = ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
  });
})();
