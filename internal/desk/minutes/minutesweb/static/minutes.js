// Browsers that do not open a closed text when a link leads into it are helped.
// Nothing here is needed to use the pages.
(() => {
  "use strict";
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    let opened = false;
    for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) {
      if (!d.open) opened = d.open = true;
    }
    if (opened) target.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
})();
