// Lets this browser be told of stories.
(() => {
  "use strict";

  const form = document.querySelector("form[data-push]");
  if (!form) return;
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const status = document.querySelector("#push-status");
    try {
      if (await Notification.requestPermission() !== "granted") throw new Error(form.dataset.denied);
      await navigator.serviceWorker.register("/service-worker.js");
      const worker = await navigator.serviceWorker.ready;
      const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: form.dataset.push });
      form.elements.subscription.value = JSON.stringify(subscription);
      form.submit();
    } catch (error) {
      status.textContent = error instanceof DOMException ? form.dataset.failed : error.message;
    }
  });
})();
