// What pages gain from JavaScript. Nothing here is needed to use them.
(() => {
  "use strict";

  // A theme shows at once; the same form saves it in the background.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const button = event.submitter;
    if (!form.matches("[data-theme-form]") || !button) return;
    event.preventDefault();
    const root = document.documentElement;
    if (button.value === "auto") root.removeAttribute("data-theme");
    else root.dataset.theme = button.value;
    for (const other of form.querySelectorAll("button")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
    const body = new URLSearchParams({ theme: button.value });
    fetch(form.action, { method: "POST", body, headers: { "X-Requested-With": "fetch" } });
  });

  // A term explains itself on the first tap and leads to its entry on the second.
  const shut = (except) => {
    for (const term of document.querySelectorAll(".term.open")) {
      if (term !== except) term.classList.remove("open");
    }
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".term > a");
    const term = link && link.parentElement;
    shut(term);
    if (!term || matchMedia("(hover: hover)").matches || event.detail === 0) return;
    if (!term.classList.contains("open")) {
      event.preventDefault();
      term.classList.add("open");
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    shut();
    for (const term of document.querySelectorAll(".term:hover, .term:focus-within")) {
      term.classList.add("shut");
      const again = () => term.classList.remove("shut");
      term.addEventListener("mouseleave", again, { once: true });
      term.addEventListener("focusout", again, { once: true });
    }
  });
  // A gloss that would leave the page on the right opens to the left.
  const place = (event) => {
    const term = event.target.closest && event.target.closest(".term");
    if (!term) return;
    const gloss = term.querySelector(".gloss");
    gloss.classList.remove("flip");
    gloss.classList.toggle("flip", gloss.getBoundingClientRect().right > document.documentElement.clientWidth - 8);
  };
  document.addEventListener("mouseover", place);
  document.addEventListener("focusin", place);

  // What cannot be undone is asked about once more.
  document.addEventListener("submit", (event) => {
    const question = event.submitter && event.submitter.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  });
})();
