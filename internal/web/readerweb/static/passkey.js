// Passkeys: what the browser is asked, and what it answers.
(() => {
  "use strict";

  const form = document.querySelector("form[data-passkey]");
  if (!form) return;
  const status = document.querySelector("#passkey-status");
  const say = (text) => { status.textContent = text; status.parentElement.hidden = false; };
  const keys = window.PublicKeyCredential;
  if (!keys || !keys.parseRequestOptionsFromJSON || !keys.parseCreationOptionsFromJSON) {
    say(form.dataset.unsupported);
    return;
  }

  const post = async (path, body, type) => {
    const response = await fetch(path, { method: "POST", body, headers: { "Content-Type": type, "Accept": "application/json" } });
    if (response.status === 422) throw new Error(form.dataset.wrong);
    if (!response.ok) throw new Error(form.dataset.failed);
    return response.json();
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form));
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      const { publicKey } = await post(form.action + "/start", fields, "application/x-www-form-urlencoded");
      const key = form.dataset.passkey === "make"
        ? await navigator.credentials.create({ publicKey: keys.parseCreationOptionsFromJSON(publicKey) })
        : await navigator.credentials.get({ publicKey: keys.parseRequestOptionsFromJSON(publicKey) });
      fields.delete("old");
      const done = await post(form.action + "?" + fields, JSON.stringify(key), "application/json");
      location.assign(done.to);
    } catch (error) {
      say(error instanceof DOMException ? form.dataset.failed : error.message);
      button.disabled = false;
    }
  });
})();
