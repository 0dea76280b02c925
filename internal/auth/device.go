package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/errs"
)

// A browser in which someone has signed in with a password is a known device of
// that account. It keeps a cookie of its own, also after signing out, and its
// attempts are counted by themselves: whoever guesses elsewhere does not spend
// them. The cookie opens nothing. A new password, signing out everywhere and
// disabling the account make strangers of all its devices.
const (
	deviceCookie = "pressroom-device-"
	deviceLife   = 365 * 24 * time.Hour
)

// keyFor makes a key for one purpose of a secret that serves several.
func keyFor(secret []byte, purpose string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(purpose))
	return h.Sum(nil)
}

func (a *Auth) deviceMAC(parts ...string) string {
	h := hmac.New(sha256.New, a.deviceKey)
	h.Write([]byte(strings.Join(parts, "\n")))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// deviceCookieOf is the cookie's name: people who share a browser have one each,
// and it does not tell who they are.
func (a *Auth) deviceCookieOf(name string) string {
	return deviceCookie + a.deviceMAC("name", name)[:16]
}

// remember makes the browser a known device of the account.
func (a *Auth) remember(w http.ResponseWriter, r *http.Request, item *accountItem) {
	expires := strconv.FormatInt(a.o.Now().Add(deviceLife).Unix(), 36)
	id := rand.Text()
	mac := a.deviceMAC("device", item.UserID, expires, id, item.SessionsFrom)
	a.setCookie(w, r, a.deviceCookieOf(item.Name), strings.Join([]string{item.UserID, expires, id, mac}, "."), deviceLife)
}

// deviceTarget is what attempts of a known device of the account count against;
// "" if the request comes from none. Forged, stale and other accounts' cookies
// are worth nothing.
func (a *Auth) deviceTarget(ctx context.Context, r *http.Request, name string) (string, error) {
	cookie, err := r.Cookie(a.cookieName(r, a.deviceCookieOf(name)))
	if err != nil {
		return "", nil //nolint:nilerr // the only error is that there is none
	}
	parts := strings.Split(cookie.Value, ".")
	if len(parts) != 4 || len(parts[0]) != idLen {
		return "", nil
	}
	user, expires, id := parts[0], parts[1], parts[2]
	if end, err := strconv.ParseInt(expires, 36, 64); err != nil || end <= a.o.Now().Unix() {
		return "", nil
	}
	item, err := a.item(ctx, user)
	if errors.Is(err, errs.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	mac := a.deviceMAC("device", user, expires, id, item.SessionsFrom)
	if item.Name != name || !hmac.Equal([]byte(parts[3]), []byte(mac)) {
		return "", nil
	}
	return "device:" + id, nil
}
