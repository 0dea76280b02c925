// Videos play on the page once the reader asks for it; until then their hosts hear
// of nobody, and without this script the link leads to them.
(() => {
  "use strict";
  document.addEventListener("click", (event) => {
    const link = event.target.closest("figure.video[data-embed] > a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const figure = link.parentElement;
    const source = figure.dataset.embed;
    if (!source.startsWith("https://")) return;
    event.preventDefault();
    const frame = document.createElement("iframe");
    frame.src = source;
    frame.title = link.textContent.trim();
    frame.allow = "fullscreen; picture-in-picture";
    frame.referrerPolicy = "strict-origin-when-cross-origin";
    link.replaceWith(frame);
    frame.focus();
  });
})();
