package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"pressroom/internal/errs"
	"pressroom/model"
)

// OIDC is an OpenID Connect provider to sign in through.
type OIDC struct {
	Issuer       string // its address: "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc"
	ClientID     string
	ClientSecret string   // may be empty for a public client
	RedirectURL  string   // where it sends browsers back to: our own FinishOIDC
	Scopes       []string // besides "openid"; "profile" and "email" if nil

	// RolesClaim is the claim with the groups that make roles; "cognito:groups"
	// if empty.
	RolesClaim string
	// Roles gives the role of a group; a group called as a role is that role if
	// nil. Of several groups the highest counts.
	Roles map[string]Role
	// Default is the role of those in none of the groups; Reader if zero.
	Default Role

	// Only keeps everybody from signing in here: there are no passwords, and the first
	// operator comes from the provider too.
	Only bool

	// Client fetches the provider's documents; one with a timeout if nil.
	Client *http.Client
}

const (
	flowCookie   = "pressroom-flow"
	flowLife     = 10 * time.Minute
	oidcTimeout  = 10 * time.Second
	maxReturnTo  = 1024
	renameTries  = 20
	cognitoClaim = "cognito:groups"
)

// provider is an OIDC whose documents are read when they are first needed, so
// that a provider which is down does not keep the newsroom from starting.
type provider struct {
	OIDC
	mu       sync.Mutex
	known    *oidc.Provider
	verifier *oidc.IDTokenVerifier
}

func newProvider(o OIDC) (*provider, error) {
	for what, address := range map[string]string{"issuer": o.Issuer, "redirect": o.RedirectURL} {
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, errs.New(errs.Usage, "the OIDC %s %q is no http or https address", what, address)
		}
	}
	if o.ClientID == "" {
		return nil, errs.New(errs.Usage, "the OIDC provider needs a client id")
	}
	for group, role := range o.Roles {
		if role == Everyone || !Operator.Allows(role) {
			return nil, errs.New(errs.Usage, "the OIDC group %q has no role", group)
		}
	}
	orDefault(&o.RolesClaim, cognitoClaim)
	orDefault(&o.Default, Reader)
	if o.Scopes == nil {
		o.Scopes = []string{"profile", "email"}
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: oidcTimeout}
	}
	return &provider{OIDC: o}, nil
}

// discover reads the provider's documents, once they can be read.
func (p *provider) discover(ctx context.Context) (*oauth2.Config, *oidc.IDTokenVerifier, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		// The provider keeps the context for its keys, beyond this request.
		known, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.Client), p.Issuer)
		if err != nil {
			return nil, nil, errs.Wrap(err, errs.Unavailable, "The sign-in provider does not answer. Try again shortly.")
		}
		p.known, p.verifier = known, known.Verifier(&oidc.Config{ClientID: p.ClientID})
	}
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret, RedirectURL: p.RedirectURL,
		Endpoint: p.known.Endpoint(), Scopes: append([]string{oidc.ScopeOpenID}, p.Scopes...),
	}, p.verifier, nil
}

// HasOIDC reports whether there is a provider to sign in through.
func (a *Auth) HasOIDC() bool { return a.oidc != nil }

// derive makes the flow's secrets from the one that the browser keeps, so that
// none of them is stored here.
func derive(browser, what string) string {
	m := hmac.New(sha256.New, []byte(browser))
	m.Write([]byte(what))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// StartOIDC returns where to send a browser to sign in at the provider; returnTo
// is a path of ours to come back to, "/" if it is none. Without a provider it is
// NotFound.
func (a *Auth) StartOIDC(w http.ResponseWriter, r *http.Request, returnTo string) (redirect string, err error) {
	if a.oidc == nil {
		return "", fmt.Errorf("sign in through a provider: %w", errs.NotFound)
	}
	config, _, err := a.oidc.discover(r.Context())
	if err != nil {
		return "", err
	}
	browser, state, end := newSecret(), newSecret(), a.o.Now().Add(flowLife)
	flow := &flowItem{Hash: hashOf(state), Browser: hashOf(browser), ReturnTo: LocalPath(returnTo), ExpiresAt: model.FormatTime(end), TTL: end.Unix() + 1}
	if err := a.flows.Create(r.Context(), flow); err != nil {
		return "", storeError("sign in through a provider", err)
	}
	a.setCookie(w, r, flowCookie, browser, flowLife)
	return config.AuthCodeURL(state, oidc.Nonce(derive(browser, "nonce")), oauth2.S256ChallengeOption(derive(browser, "verifier"))), nil
}

// LocalPath returns the text if it is a path of ours, with its query, and "/"
// otherwise: a link to sign in must not lead elsewhere afterwards.
func LocalPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxReturnTo || u.Scheme != "" || u.Host != "" || u.User != nil ||
		!strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\r\n\t") {
		return "/"
	}
	return text
}

// FinishOIDC takes the provider's answer from the request and begins a session.
// The account's role is the one that the provider's groups give; an account is
// made for whoever comes for the first time. An answer that was not asked for by
// this browser, or was used already, is Unauthenticated.
func (a *Auth) FinishOIDC(w http.ResponseWriter, r *http.Request) (account *Account, returnTo string, err error) {
	if a.oidc == nil {
		return nil, "", fmt.Errorf("sign in through a provider: %w", errs.NotFound)
	}
	browser, flow, err := a.takeFlow(r)
	if err != nil {
		return nil, "", err
	}
	a.takeCookie(w, r, flowCookie)
	who, err := a.exchange(r, browser)
	if err != nil {
		return nil, "", err
	}
	item, err := a.known(r.Context(), who)
	if err != nil {
		return nil, "", err
	}
	if item.Disabled {
		return nil, "", errs.New(errs.Unauthenticated, "This account is disabled.")
	}
	account, err = a.begin(w, r, &item, "")
	return account, LocalPath(flow.ReturnTo), err
}

// takeFlow finds the sign-in that the answer belongs to and ends it, so that an
// answer counts once.
func (a *Auth) takeFlow(r *http.Request) (browser string, flow flowItem, err error) {
	refuse := errs.New(errs.Unauthenticated, "This sign-in was not begun here, or took too long. Begin again.")
	state := r.URL.Query().Get("state")
	cookie, err := r.Cookie(a.cookieName(r, flowCookie))
	if err != nil || len(state) != secretLen || len(cookie.Value) != secretLen {
		return "", flow, refuse
	}
	key := model.Values{"state_hash": hashOf(state)}
	flow, err = a.flows.Get(r.Context(), key)
	if errors.Is(err, model.ErrNotFound) {
		return "", flow, refuse
	}
	if err != nil {
		return "", flow, storeError("sign in through a provider", err)
	}
	mine := subtle.ConstantTimeCompare([]byte(flow.Browser), []byte(hashOf(cookie.Value))) == 1
	if !mine || flow.ExpiresAt <= a.now() {
		return "", flow, refuse
	}
	err = a.flows.Delete(r.Context(), key, expression.AttributeExists(expression.Name("expires_at")))
	if errors.Is(err, model.ErrCondition) {
		return "", flow, refuse
	}
	return cookie.Value, flow, storeError("sign in through a provider", err)
}

// stranger is whom the provider says that it is.
type stranger struct {
	issuer, subject, email string
	names                  []string // what to call the account, the best first
	role                   Role
}

// exchange turns the answer's code into who it is.
func (a *Auth) exchange(r *http.Request, browser string) (*stranger, error) {
	query := r.URL.Query()
	refuse := func(err error) (*stranger, error) {
		return nil, errs.Wrap(err, errs.Unauthenticated, "The sign-in provider did not let you in.")
	}
	if problem := query.Get("error"); problem != "" {
		return refuse(fmt.Errorf("the provider says %q", problem))
	}
	config, verifier, err := a.oidc.discover(r.Context())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(r.Context(), a.oidc.Client), oidcTimeout)
	defer cancel()
	tokens, err := config.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(derive(browser, "verifier")))
	if err != nil {
		return refuse(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	id, err := verifier.Verify(ctx, raw)
	if err != nil {
		return refuse(err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(derive(browser, "nonce"))) != 1 {
		return refuse(errors.New("the answer is not to this question"))
	}
	var claims map[string]any
	if err := id.Claims(&claims); err != nil {
		return refuse(err)
	}
	return a.oidc.stranger(id, claims), nil
}
