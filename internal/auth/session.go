package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Session is one browser in which an account is signed in.
type Session struct {
	ID      string
	Created time.Time
	Used    time.Time // to some minutes
	Expires time.Time // if it is not used before
	Agent   string    // the browser, as it called itself
	Addr    string    // where it signed in from
	Current bool      // it is the one that the request came with
}

const (
	sessionCookie = "pressroom"
	// touchEvery keeps reads from being writes.
	touchEvery = 5 * time.Minute
	// rotationGrace is how long a replaced cookie still works, for requests that
	// were under way with it.
	rotationGrace = 30 * time.Second
	maxAgent      = 200
)

// cookieName is the cookie's name as the browser has it. Behind TLS the prefix
// keeps other hosts of the domain from setting it.
func (a *Auth) cookieName(r *http.Request, name string) string {
	if a.secure(r) {
		return "__Host-" + name
	}
	return name
}

func (a *Auth) secure(r *http.Request) bool { return a.o.Secure || PeerOf(r).Secure }

// setCookie sends a cookie that scripts and other sites cannot use.
func (a *Auth) setCookie(w http.ResponseWriter, r *http.Request, name, value string, age time.Duration) {
	a.sendCookie(w, r, name, value, int(age.Seconds()))
}

// takeCookie takes a cookie back.
func (a *Auth) takeCookie(w http.ResponseWriter, r *http.Request, name string) {
	a.sendCookie(w, r, name, "", -1)
}

func (a *Auth) sendCookie(w http.ResponseWriter, r *http.Request, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: a.cookieName(r, name), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: a.secure(r), SameSite: http.SameSiteLaxMode,
	})
}

// presented returns the account's id and the secret of the request's session.
func (a *Auth) presented(r *http.Request) (id, secret string, ok bool) {
	c, err := r.Cookie(a.cookieName(r, sessionCookie))
	if err != nil {
		return "", "", false
	}
	return split(c.Value)
}

// begin starts a session of the account, if it still is as it was read, and
// sends its cookie.
func (a *Auth) begin(w http.ResponseWriter, r *http.Request, item *accountItem, rehashed string) (*Account, error) {
	now, secret := a.o.Now(), newSecret()
	s := &sessionItem{UserID: item.UserID, Hash: hashOf(secret), CreatedAt: model.FormatTime(now), RotatedAt: model.FormatTime(now), Agent: agentOf(r)}
	if addr := PeerOf(r).Addr; addr.IsValid() {
		s.Addr = addr.String()
	}
	a.extend(s, now)
	update := expression.Set(expression.Name("signed_in_at"), expression.Value(s.CreatedAt))
	same := []expression.ConditionBuilder{expression.Name("disabled").Equal(expression.Value(false))}
	if item.Password != "" {
		same = append(same, expression.Name("password").Equal(expression.Value(item.Password)))
	}
	if rehashed != "" {
		update = update.Set(expression.Name("password"), expression.Value(rehashed))
	}
	err := model.Transact(r.Context(), a.db,
		a.sessions.CreatePiece(s),
		a.accounts.UpdatePiece(model.Values{"user_id": item.UserID}, update, same...))
	if errors.Is(err, model.ErrCondition) {
		return nil, errs.Wrap(err, errs.Unauthenticated, "The account was changed in the meantime. Sign in again.")
	}
	if err != nil {
		return nil, storeError("sign in", err)
	}
	if err := a.endPresented(r); err != nil {
		a.o.Log.WarnContext(r.Context(), "an old session is left to expire", "error", err)
	}
	a.setCookie(w, r, sessionCookie, s.UserID+secret, a.o.SessionMax)
	item.SignedInAt = s.CreatedAt
	account, err := item.account()
	if err != nil {
		return nil, err
	}
	account.Via = Via{Session: s.Hash}
	return account, nil
}

func agentOf(r *http.Request) string {
	agent := []rune(r.UserAgent())
	return string(agent[:min(len(agent), maxAgent)])
}

// extend sets how long the session lives from now on.
func (a *Auth) extend(s *sessionItem, now time.Time) {
	end := now.Add(a.o.SessionIdle)
	if created, err := model.ParseTime(s.CreatedAt); err == nil && created.Add(a.o.SessionMax).Before(end) {
		end = created.Add(a.o.SessionMax)
	}
	s.UsedAt, s.ExpiresAt, s.TTL = model.FormatTime(now), model.FormatTime(end), end.Unix()+1
}

// endPresented deletes the session that the request came with, if any.
func (a *Auth) endPresented(r *http.Request) error {
	id, secret, ok := a.presented(r)
	if !ok {
		return nil
	}
	err := a.sessions.Delete(r.Context(), model.Values{"user_id": id, "session_hash": hashOf(secret)})
	return storeError("end session", err)
}

// resume returns the account of the request's session, nil if there is none
// that is valid. It gives the session a new cookie when that is due.
func (a *Auth) resume(w http.ResponseWriter, r *http.Request) (*Account, error) {
	id, secret, ok := a.presented(r)
	if !ok {
		return nil, nil
	}
	ctx, now := r.Context(), a.o.Now()
	s, err := a.sessions.Get(ctx, model.Values{"user_id": id, "session_hash": hashOf(secret)})
	if errors.Is(err, model.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, storeError("get session", err)
	}
	item, err := a.item(ctx, id)
	if errors.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if s.ExpiresAt <= model.FormatTime(now) || item.Disabled || s.RotatedAt < item.SessionsFrom {
		return nil, nil
	}
	if a.dueForRotation(&s, &item, now) {
		err = a.rotate(w, r, &s, now)
	} else {
		err = a.touch(ctx, &s, now)
	}
	if err != nil {
		// Whoever comes has been checked; only the upkeep of the session failed,
		// and the next request tries it again.
		a.o.Log.WarnContext(ctx, "session not renewed", "error", err)
	}
	account, err := item.account()
	if err != nil {
		return nil, err
	}
	account.Via = Via{Session: s.Hash}
	return account, nil
}

func (a *Auth) dueForRotation(s *sessionItem, item *accountItem, now time.Time) bool {
	return !s.Replaced && (s.RotatedAt <= model.FormatTime(now.Add(-a.o.SessionRotate)) || s.RotatedAt < item.RoleChangedAt)
}

// rotate gives the session a new secret; the old one works a moment longer. Of
// several requests at once, one rotates.
func (a *Auth) rotate(w http.ResponseWriter, r *http.Request, s *sessionItem, now time.Time) error {
	secret, fresh := newSecret(), *s
	fresh.Hash, fresh.RotatedAt = hashOf(secret), model.FormatTime(now)
	a.extend(&fresh, now)
	end := now.Add(rotationGrace)
	replaced := expression.Set(expression.Name("replaced"), expression.Value(true)).
		Set(expression.Name("expires_at"), expression.Value(model.FormatTime(end))).
		Set(expression.Name("ttl"), expression.Value(end.Unix()+1))
	err := model.Transact(r.Context(), a.db,
		a.sessions.CreatePiece(&fresh),
		a.sessions.UpdatePiece(model.Values{"user_id": s.UserID, "session_hash": s.Hash}, replaced, expression.Name("replaced").Equal(expression.Value(false))))
	if errors.Is(err, model.ErrCondition) || errors.Is(err, model.ErrConflict) {
		return nil // another request was faster
	}
	if err != nil {
		return fmt.Errorf("rotate session: %w", err)
	}
	*s = fresh
	a.setCookie(w, r, sessionCookie, s.UserID+secret, a.o.SessionMax)
	return nil
}

// touch notes that the session is used, from time to time.
func (a *Auth) touch(ctx context.Context, s *sessionItem, now time.Time) error {
	if s.Replaced || s.UsedAt > model.FormatTime(now.Add(-touchEvery)) {
		return nil
	}
	a.extend(s, now)
	used := expression.Set(expression.Name("used_at"), expression.Value(s.UsedAt)).
		Set(expression.Name("expires_at"), expression.Value(s.ExpiresAt)).
		Set(expression.Name("ttl"), expression.Value(s.TTL))
	_, err := a.sessions.Update(ctx, model.Values{"user_id": s.UserID, "session_hash": s.Hash}, used, expression.Name("replaced").Equal(expression.Value(false)))
	if errors.Is(err, model.ErrNotFound) || errors.Is(err, model.ErrCondition) {
		return nil // it was ended or replaced a moment ago
	}
	return err
}

// Sessions lists the account's sessions, in no order. A page may have fewer than
// its limit.
func (a *Auth) Sessions(ctx context.Context, accountID string, l List) (Page[Session], error) {
	item, err := a.item(ctx, accountID)
	if err != nil {
		return Page[Session]{}, err
	}
	now, current := a.now(), ""
	if who := From(ctx); who != nil && who.ID == accountID {
		current = who.Via.Session
	}
	return page(ctx, a.sessions, "SessionsOfAccount", model.Values{"user_id": accountID}, l, func(s *sessionItem) (Session, bool, error) {
		if s.Replaced || s.ExpiresAt <= now || s.RotatedAt < item.SessionsFrom {
			return Session{}, false, nil
		}
		shown := Session{ID: s.Hash, Agent: s.Agent, Addr: s.Addr, Current: s.Hash == current}
		var err1, err2, err3 error
		shown.Created, err1 = model.ParseTime(s.CreatedAt)
		shown.Used, err2 = model.ParseTime(s.UsedAt)
		shown.Expires, err3 = model.ParseTime(s.ExpiresAt)
		return shown, true, errors.Join(err1, err2, err3)
	})
}

// RevokeSession ends one session of the account. That there is none is no
// error.
func (a *Auth) RevokeSession(ctx context.Context, accountID, sessionID string) error {
	if accountID == "" || sessionID == "" {
		return fmt.Errorf("end session: %w", errs.NotFound)
	}
	err := a.sessions.Delete(ctx, model.Values{"user_id": accountID, "session_hash": sessionID})
	return storeError("end session", err)
}

// RevokeSessions ends all sessions of the account at once. Those that begin at
// the same moment may end too.
func (a *Auth) RevokeSessions(ctx context.Context, accountID string) error {
	err := a.change(ctx, accountID, false, func(i *accountItem) error {
		i.SessionsFrom = a.now()
		return nil
	})
	if err != nil {
		return err
	}
	return a.dropSessions(ctx, accountID, "")
}

// RevokeOtherSessions ends all sessions of the account but the one with the id.
func (a *Auth) RevokeOtherSessions(ctx context.Context, accountID, keep string) error {
	return a.dropSessions(ctx, accountID, keep)
}

func (a *Auth) dropSessions(ctx context.Context, accountID, keep string) error {
	for s, err := range a.sessions.All(ctx, "SessionsOfAccount", model.Values{"user_id": accountID}) {
		if err != nil {
			return storeError("end sessions", err)
		}
		if s.Hash == keep {
			continue
		}
		if err := a.RevokeSession(ctx, accountID, s.Hash); err != nil {
			return err
		}
	}
	return nil
}
