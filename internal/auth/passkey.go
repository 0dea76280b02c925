package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Passkey is a key in somebody's device or password manager with which they sign in
// (WebAuthn). The device asks who they are, so that it is worth a password.
type Passkey struct {
	ID      string
	Label   string
	Created time.Time
	Used    time.Time // zero if never
}

const (
	ceremonyCookie = "pressroom-passkey"
	ceremonyLife   = 5 * time.Minute
	maxPasskeys    = 20
)

// holder is an account as the library sees it. The handle that a device keeps is the
// account's id, which tells nothing.
type holder struct {
	item accountItem
	keys []webauthn.Credential
}

func (h *holder) WebAuthnID() []byte                         { return []byte(h.item.UserID) }
func (h *holder) WebAuthnName() string                       { return h.item.Name }
func (h *holder) WebAuthnDisplayName() string                { return h.item.Name }
func (h *holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// party is the site that keys are for. Browsers give keys to names, not to numbers.
func party(origin string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(origin)
	if err != nil || u.Hostname() == "" {
		return nil, errs.New(errs.Conflict, "Passkeys need a site with a name.")
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return nil, errs.New(errs.Conflict, "Passkeys need a site with a name.")
	}
	return webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: "Pressroom", RPOrigins: []string{u.Scheme + "://" + u.Host}, AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired},
	})
}

// holder returns the account with its keys.
func (a *Auth) holder(ctx context.Context, id string) (*holder, error) {
	item, err := a.item(ctx, id)
	if err != nil {
		return nil, err
	}
	h := &holder{item: item}
	for k, err := range a.passkeys.All(ctx, "PasskeysOfAccount", model.Values{"user_id": id}) {
		if err != nil {
			return nil, storeError("get passkeys", err)
		}
		var c webauthn.Credential
		if err := json.Unmarshal(k.Data, &c); err != nil {
			return nil, fmt.Errorf("passkey %s: %w", k.Hash, err)
		}
		h.keys = append(h.keys, c)
	}
	return h, nil
}

// ceremony keeps what was asked of a browser until it answers.
func (a *Auth) ceremony(w http.ResponseWriter, r *http.Request, s *webauthn.SessionData) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	secret, end := newSecret(), a.o.Now().Add(ceremonyLife)
	err = a.ceremonies.Create(r.Context(), &ceremonyItem{Hash: hashOf(secret), Data: data, ExpiresAt: model.FormatTime(end), TTL: end.Unix()})
	if err == nil {
		a.setCookie(w, r, ceremonyCookie, secret, ceremonyLife)
	}
	return storeError("begin with a passkey", err)
}

// answered returns what was asked of the browser, once.
func (a *Auth) answered(w http.ResponseWriter, r *http.Request) (s webauthn.SessionData, err error) {
	over := errs.New(errs.Unauthenticated, "This took too long, or was not begun here. Begin again.")
	c, err := r.Cookie(a.cookieName(r, ceremonyCookie))
	if err != nil || len(c.Value) != secretLen {
		return s, over
	}
	a.takeCookie(w, r, ceremonyCookie)
	key := model.Values{"state_hash": hashOf(c.Value)}
	item, err := a.ceremonies.Get(r.Context(), key)
	if errors.Is(err, model.ErrNotFound) || err == nil && item.ExpiresAt <= a.now() {
		return s, over
	}
	if err != nil {
		return s, storeError("finish with a passkey", err)
	}
	err = model.Transact(r.Context(), a.db, a.ceremonies.DeletePiece(key, expression.AttributeExists(expression.Name("expires_at"))))
	if errors.Is(err, model.ErrCondition) {
		return s, over // another used it
	}
	if err != nil {
		return s, storeError("finish with a passkey", err)
	}
	return s, json.Unmarshal(item.Data, &s)
}

// StartPasskey returns what a browser must be asked, as JSON, to make a key for an
// account on the site of the origin.
func (a *Auth) StartPasskey(w http.ResponseWriter, r *http.Request, origin, id string) (any, error) {
	site, err := party(origin)
	if err != nil {
		return nil, err
	}
	h, err := a.holder(r.Context(), id)
	if err != nil {
		return nil, err
	}
	if len(h.keys) >= maxPasskeys {
		return nil, errs.New(errs.Conflict, "You have %d passkeys, which is the most there can be.", maxPasskeys)
	}
	var known []protocol.CredentialDescriptor
	for i := range h.keys {
		known = append(known, h.keys[i].Descriptor())
	}
	ask, session, err := site.BeginRegistration(h, webauthn.WithExclusions(known))
	if err != nil {
		return nil, err
	}
	return ask, a.ceremony(w, r, session)
}

// FinishPasskey keeps the key that a browser made. What it sent is checked; what does
// not fit is Invalid.
func (a *Auth) FinishPasskey(w http.ResponseWriter, r *http.Request, origin, id, label string, answer []byte) error {
	site, err := party(origin)
	if err != nil {
		return err
	}
	session, err := a.answered(w, r)
	if err != nil {
		return err
	}
	h, err := a.holder(r.Context(), id)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	var key *webauthn.Credential
	if err == nil {
		key, err = site.CreateCredential(h, session, parsed)
	}
	if err != nil {
		return errs.Wrap(err, errs.Invalid, "This passkey cannot be used here.")
	}
	data, err := json.Marshal(key)
	if err != nil {
		return err
	}
	if runes := []rune(label); len(runes) > maxName {
		label = string(runes[:maxName])
	}
	err = a.passkeys.Create(r.Context(), &passkeyItem{UserID: id, Hash: hashOf(string(key.ID)), Label: label, Data: data, CreatedAt: a.now()})
	if errors.Is(err, model.ErrExists) {
		return errs.Wrap(err, errs.Duplicate, "This passkey is known already.")
	}
	return storeError("keep a passkey", err)
}

// StartPasskeySignIn returns what a browser must be asked, as JSON, to sign somebody in.
// It is the same for everybody.
func (a *Auth) StartPasskeySignIn(w http.ResponseWriter, r *http.Request, origin string) (any, error) {
	site, err := party(origin)
	if err != nil {
		return nil, err
	}
	ask, session, err := site.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, err
	}
	return ask, a.ceremony(w, r, session)
}

// FinishPasskeySignIn begins a session for the account whose key answered. What is wrong
// is Unauthenticated, and does not say what.
func (a *Auth) FinishPasskeySignIn(w http.ResponseWriter, r *http.Request, origin string, answer []byte) (*Account, error) {
	wrong := errs.New(errs.Unauthenticated, "This passkey is not known here.")
	site, err := party(origin)
	if err != nil {
		return nil, err
	}
	session, err := a.answered(w, r)
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, errs.Wrap(err, errs.Unauthenticated, "%s", wrong.Message)
	}
	var failed error
	who, key, err := site.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		h, err := a.holder(r.Context(), string(handle))
		if err != nil && !errors.Is(err, errs.NotFound) {
			failed = err // the store does not answer
		}
		return h, err
	}, session, parsed)
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, errs.Wrap(err, errs.Unauthenticated, "%s", wrong.Message)
	}
	h := who.(*holder)
	if h.item.Disabled || key.Authenticator.CloneWarning {
		a.o.Log.WarnContext(r.Context(), "a passkey was refused", "account", h.item.UserID, "copied", key.Authenticator.CloneWarning)
		return nil, wrong
	}
	data, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	_, err = a.passkeys.Update(r.Context(), model.Values{"user_id": h.item.UserID, "credential": hashOf(string(key.ID))},
		expression.Set(expression.Name("data"), expression.Value(data)).Set(expression.Name("used_at"), expression.Value(a.now())))
	if err != nil { // it may have been removed a moment ago
		return nil, storeError("sign in", err)
	}
	return a.begin(w, r, &h.item, "")
}

// Passkeys lists the account's passkeys, in no order.
func (a *Auth) Passkeys(ctx context.Context, id string, l List) (Page[Passkey], error) {
	return page(ctx, a.passkeys, "PasskeysOfAccount", model.Values{"user_id": id}, l, func(k *passkeyItem) (Passkey, bool, error) {
		p := Passkey{ID: k.Hash, Label: k.Label}
		var err1, err2 error
		p.Created, err1 = model.ParseTime(k.CreatedAt)
		p.Used, err2 = timeOrZero(k.UsedAt)
		return p, true, errors.Join(err1, err2)
	})
}

// RemovePasskey removes a passkey. That there is none is no error.
func (a *Auth) RemovePasskey(ctx context.Context, id, passkey string) error {
	if id == "" || passkey == "" {
		return fmt.Errorf("remove a passkey: %w", errs.NotFound)
	}
	return storeError("remove a passkey", a.passkeys.Delete(ctx, model.Values{"user_id": id, "credential": passkey}))
}

func (a *Auth) dropPasskeys(ctx context.Context, id string) error {
	for k, err := range a.passkeys.All(ctx, "PasskeysOfAccount", model.Values{"user_id": id}) {
		if err == nil {
			err = a.RemovePasskey(ctx, id, k.Hash)
		}
		if err != nil {
			return storeError("remove passkeys", err)
		}
	}
	return nil
}
