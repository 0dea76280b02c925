// What the browser does when it is told of a story, and when the reader taps on that.
"use strict";

self.addEventListener("push", (event) => {
  const said = event.data ? event.data.json() : {};
  event.waitUntil(self.registration.showNotification(said.title || "Pressroom", {
    body: said.body || "", lang: said.lang || "", tag: said.id, data: { url: said.url || "/" },
  }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const to = new URL(event.notification.data.url, self.location.origin);
  if (to.origin === self.location.origin) event.waitUntil(self.clients.openWindow(to.href));
});
