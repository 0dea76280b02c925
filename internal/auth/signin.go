package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"pressroom/internal/errs"
)

// Credentials are what someone signs in with.
type Credentials struct {
	Name     string
	Password string
	Addr     netip.Addr // where the request comes from; PeerOf's if zero
}

// SignIn checks name and password and begins a session in the answer's cookie; a
// session that the request came with ends. What is wrong is Unauthenticated and
// does not say what; too many tries are RateLimited; a store that does not answer
// is Unavailable.
func (a *Auth) SignIn(w http.ResponseWriter, r *http.Request, c Credentials) (*Account, error) {
	ctx := r.Context()
	name, err := normalName(c.Name)
	if err != nil {
		name = c.Name // counted, and unknown
	}
	if !c.Addr.IsValid() {
		c.Addr = PeerOf(r).Addr
	}
	byAddress, byName := addressTarget(c.Addr), nameTarget(name)
	if err := a.charge(ctx, byAddress, freePerAddress); err != nil {
		return nil, err
	}
	if err := a.charge(ctx, byName, freePerName); err != nil {
		return nil, err
	}
	item, rehashed, err := a.verify(ctx, name, c.Password)
	if err != nil {
		if errors.Is(err, errs.Unauthenticated) {
			a.o.Log.InfoContext(ctx, "sign-in failed", "name", name, "addr", c.Addr)
		}
		return nil, err
	}
	account, err := a.begin(w, r, &item, rehashed)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(a.forgive(ctx, byName), a.refund(ctx, byAddress)); err != nil {
		a.o.Log.WarnContext(ctx, "sign-in stays counted as a failure", "error", err)
	}
	return account, nil
}

// verify finds the account that name and password are of. It takes as long for a
// name that nobody has. rehashed is the password under the present cost, if the
// stored hash has another.
func (a *Auth) verify(ctx context.Context, name, password string) (item accountItem, rehashed string, err error) {
	item, err = a.named(ctx, name)
	if err != nil && !errors.Is(err, errs.NotFound) {
		return item, "", err
	}
	stored := item.Password
	if stored == "" {
		stored = a.hasher.decoy
	}
	plain, normalErr := normalPassword(password)
	ok, stale, err := a.hasher.matches(ctx, stored, plain)
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
