// The keys of the review desk. Forms and links do the work; a key presses them.
"use strict";
(() => {
  const form = document.querySelector("form[data-review]");
  const help = document.getElementById("review-help");
  const toggle = document.querySelector("[data-review-help]");
  const showHelp = () => {
    help.hidden = !help.hidden;
    toggle.setAttribute("aria-expanded", String(!help.hidden));
  };
  if (toggle && help) {
    toggle.hidden = false;
    toggle.addEventListener("click", showHelp);
  }
  const rows = form ? [...form.querySelectorAll("[data-review-row]")] : [];
  const link = (row) => row.querySelector("a");
  const at = () => rows.findIndex((row) => row.contains(document.activeElement));
  const move = (step) => {
    const next = Math.min(rows.length - 1, Math.max(0, at() + step));
    if (rows[next]) link(rows[next]).focus();
  };
  const press = (verb) => {
    const button = form.querySelector(`button[value="${verb}"]`);
    if (button) button.click();
    return Boolean(button);
  };
  const go = (path) => { if (path) location.assign(path); };
  const needsReason = () => {
    const reason = document.getElementById("reason");
    if (reason.value.trim() !== "") return false;
    reason.focus();
    return true;
  };
  let pending = ""; // what a reason is typed for
  // Enter in the reason never presses the form's first button, which approves.
  document.addEventListener("keypress", (e) => { if (e.key === "Enter" && e.target.id === "reason") e.preventDefault(); });
  document.addEventListener("keydown", (e) => {
    const typing = e.target.matches("textarea, input:not([type=checkbox])");
    if (typing) {
      if (e.key === "Escape") e.target.blur();
      if (!form) return;
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); press("edit"); }
      else if (e.key === "Enter" && e.target.id === "reason") { e.preventDefault(); if (pending) press(pending); }
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "?" && toggle) { showHelp(); return; }
    if (!form) return;
    const list = form.dataset.review === "list";
    let used = true;
    switch (e.key) {
      case "j": list ? move(1) : go(form.dataset.next); break;
      case "k": list ? move(-1) : go(form.dataset.previous); break;
      case "x": { const row = rows[at()]; if (row) row.querySelector("input").click(); break; }
      case "a": press("approve"); break;
      case "s": press("edit"); break;
      case "e": { const text = form.querySelector("textarea"); if (text) text.focus(); else used = false; break; }
      case "r": pending = "back"; if (!needsReason()) press("back"); break;
      case "w": pending = "withdraw"; if (!needsReason()) press("withdraw"); break;
      case "t": press("take") || press("release"); break;
      default: used = false;
    }
    if (used) e.preventDefault();
  });
})();
