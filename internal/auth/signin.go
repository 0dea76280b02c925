package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"pressroom/internal/errs"
)

// Credentials are what someone signs in with.
type Credentials struct {
	Name     string // or the confirmed address
	Password string
	Addr     netip.Addr // where the request comes from; PeerOf's if zero
}

// SignIn checks name and password and begins a session in the answer's cookie; a
// session that the request came with ends. What is wrong is Unauthenticated and
// does not say what; too many tries are RateLimited, with the time to wait; a store
// that does not answer is Unavailable.
func (a *Auth) SignIn(w http.ResponseWriter, r *http.Request, c Credentials) (*Account, error) {
	if !a.Passwords() {
		return nil, errs.New(errs.Unauthenticated, "Sign in with your organisation.")
	}
	ctx := r.Context()
	name, own, err := a.resolve(ctx, c.Name)
	if err != nil {
		return nil, err
	}
	if !c.Addr.IsValid() {
		c.Addr = PeerOf(r).Addr
	}
	paid, known, err := a.pay(r, name, own, c.Addr)
	if err != nil {
		return nil, err
	}
	item, rehashed, err := a.verify(ctx, own, c.Password, known)
	if errors.Is(err, errs.Unauthenticated) {
		a.o.Log.InfoContext(ctx, "sign-in failed", "name", name, "addr", c.Addr)
		return nil, err
	}
	// Either the password is right, or nobody looked at it.
	if err := a.refund(context.WithoutCancel(ctx), paid); err != nil {
		a.o.Log.WarnContext(ctx, "sign-in stays counted as a failure", "error", err)
	}
	if err != nil {
		return nil, err
	}
	account, err := a.begin(w, r, &item, rehashed)
	if err != nil {
		return nil, err
	}
	a.remember(w, r, &item)
	return account, nil
}

// Passwords reports whether people sign in here, and not through a provider alone.
func (a *Auth) Passwords() bool { return a.oidc == nil || !a.oidc.Only }

// resolve returns what was typed in the form in which it is counted, and the name of
// the account that it means: people also sign in with their address. What means no
// account is counted all the same.
func (a *Auth) resolve(ctx context.Context, typed string) (counted, name string, err error) {
	counted, err = normalName(typed)
	if err != nil {
		counted = typed
	}
	if address, err := normalAddress(typed); err == nil {
		counted = address
	}
	_, err = a.named(ctx, counted)
	if !errors.Is(err, errs.NotFound) || !strings.Contains(counted, "@") {
		if errors.Is(err, errs.NotFound) {
			err = nil
		}
		return counted, counted, err
	}
	id, err := a.owner(ctx, counted)
	if err != nil || id == "" {
		return counted, counted, err
	}
	item, err := a.item(ctx, id)
	if err != nil {
		return counted, counted, err
	}
	return counted, item.Name, nil
}

// pay charges an attempt before the password is looked at. A known device of the
// account pays for itself, all others by their address and by the name that they
// try.
func (a *Auth) pay(r *http.Request, name, own string, addr netip.Addr) (paid []charge, known bool, err error) {
	ctx := r.Context()
	device, err := a.deviceTarget(ctx, r, own)
	if err != nil {
		return nil, false, err
	}
	if device != "" {
		c, err := a.charge(ctx, device, perDevice)
		return []charge{c}, true, err
	}
	byAddress, err := a.charge(ctx, addressTarget(addr), perAddress)
	if err != nil {
		return nil, false, err
	}
	byName, err := a.charge(ctx, nameTarget(name), perName)
	return []charge{byAddress, byName}, false, err
}

// verify finds the account that name and password are of. It takes as long for a
// name that nobody has. rehashed is the password under the present cost, if the
// stored hash has another.
func (a *Auth) verify(ctx context.Context, name, password string, known bool) (item accountItem, rehashed string, err error) {
	item, err = a.named(ctx, name)
	if err != nil && !errors.Is(err, errs.NotFound) {
		return item, "", err
	}
	stored := item.Password
	if stored == "" {
		stored = a.hasher.decoy
	}
	plain, normalErr := normalPassword(password)
	ok, stale, err := a.hasher.matches(ctx, stored, plain, known)
	if err != nil {
		return item, "", fmt.Errorf("sign in: %w", err)
	}
	if !ok || normalErr != nil || item.Password == "" || item.Disabled {
		return item, "", errs.New(errs.Unauthenticated, "Name or password is wrong.")
	}
	if stale {
		rehashed, err = a.hasher.hash(ctx, plain)
	}
	return item, rehashed, err
}

// SignOut ends the request's session and takes its cookie back. Whoever has
// none is signed out already.
func (a *Auth) SignOut(w http.ResponseWriter, r *http.Request) error {
	err := a.endPresented(r)
	if err == nil {
		a.takeCookie(w, r, sessionCookie)
	}
	return err
}
