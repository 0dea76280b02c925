// What quizzes gain from JavaScript: number keys, a clock that runs, and focus that
// follows the questions. Without it, Tab and Enter do.
(() => {
  "use strict";

  // The clock shows how far the server's is; points go by that one alone.
  let timer = 0;
  const run = () => {
    clearInterval(timer);
    const clock = document.querySelector("[data-clock]");
    if (!clock) return;
    const begun = performance.now() - 1000 * Number(clock.dataset.clock);
    const show = () => { clock.value = Math.min(clock.max, (performance.now() - begun) / 1000); };
    show();
    timer = setInterval(show, 250);
  };

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
    const quiz = document.querySelector("#quiz");
    if (!quiz || !/^[1-4]$/.test(event.key)) return;
    const button = quiz.querySelector('[data-key="' + (Number(event.key) - 1) + '"]');
    if (button) {
      event.preventDefault();
      button.click();
    }
  });

  document.addEventListener("htmx:afterSettle", () => {
    if (!document.querySelector("#quiz")) return;
    run();
    const next = document.querySelector("#quiz [data-next], #quiz [data-key]");
    if (next) next.focus();
  });
  run();
})();
