package auth

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// PasswordCost is what argon2id takes to hash a password.
type PasswordCost struct {
	Memory  uint32 // KiB
	Time    uint32
	Threads uint8
}

// OIDC is an OpenID Connect provider.
type OIDC struct {
	Issuer, ClientID, ClientSecret, RedirectURL string
}

// Credentials are what someone signs in with.
type Credentials struct {
	Name, Password string
	Addr           netip.Addr // where the request comes from
}

// Session is one browser in which an account is signed in.
type Session struct {
	ID      string
	Created time.Time
	Used    time.Time
	Expires time.Time
	Agent   string // the browser, as it called itself
	Addr    string // where it signed in from
	Current bool   // it is the one that the request came with
}

// Scope is what a token is good for: "read", "write", "admin", or one of the
// first two for one desk ("blog:write").
type Scope string

// Token is a secret with which a program comes as an account.
type Token struct {
	ID      string
	Name    string
	Scopes  []Scope
	Created time.Time
	Used    time.Time // zero if never; to the minute
	Expires time.Time // zero if never
}

// NewToken is what a token is made of.
type NewToken struct {
	Name    string
	Scopes  []Scope
	Expires time.Time
}

// New returns the accounts that are kept in db.
func New(db model.DB, o *Options) (*Auth, error) { return &Auth{}, nil }

// Can reports whether the account, as it came, may do what the scope names.
func (a *Account) Can(desk string, unsafe bool, least Role) bool { return false }

// Account returns an account, or NotFound.
func (a *Auth) Account(ctx context.Context, id string) (*Account, error) {
	return nil, errs.Unavailable
}

// Named returns the account of that name, or NotFound.
func (a *Auth) Named(ctx context.Context, name string) (*Account, error) {
	return nil, errs.Unavailable
}

// Accounts lists all accounts by name.
func (a *Auth) Accounts(ctx context.Context, l List) (Page[Account], error) {
	return Page[Account]{}, errs.Unavailable
}

// Add makes an account. A name that is taken is Duplicate.
func (a *Auth) Add(ctx context.Context, n NewAccount) (*Account, error) {
	return nil, errs.Unavailable
}

// SetRole changes an account's role; its sessions get new cookies. The last
// operator stays one: Conflict.
func (a *Auth) SetRole(ctx context.Context, id string, role Role) error { return errs.Unavailable }

// SetPassword gives an account a new password and ends all its sessions.
func (a *Auth) SetPassword(ctx context.Context, id, password string) error { return errs.Unavailable }

// ChangePassword is SetPassword for someone who knows the old one.
func (a *Auth) ChangePassword(ctx context.Context, id, old, password string) error {
	return errs.Unavailable
}

// SetDisabled locks an account out, or lets it in again.
func (a *Auth) SetDisabled(ctx context.Context, id string, disabled bool) error {
	return errs.Unavailable
}

// Delete removes an account and all that this package keeps of it.
func (a *Auth) Delete(ctx context.Context, id string) error { return errs.Unavailable }

// SetupToken returns a new token for the set-up link, and false if there is an
// operator already.
func (a *Auth) SetupToken(ctx context.Context) (token string, needed bool, err error) {
	return "", false, errs.Unavailable
}

// Setup makes the first operator; the token must be one of SetupToken's. A wrong
// token is NotFound, as is any when there is an operator.
func (a *Auth) Setup(ctx context.Context, token string, n NewAccount) (*Account, error) {
	return nil, errs.Unavailable
}

// CheckSetup reports whether Setup would take the token: nil, or NotFound.
func (a *Auth) CheckSetup(ctx context.Context, token string) error { return errs.Unavailable }

// SignIn checks name and password and begins a session. What is wrong is
// Unauthenticated, and too many tries are RateLimited.
func (a *Auth) SignIn(w http.ResponseWriter, r *http.Request, c Credentials) (*Account, error) {
	return nil, errs.Unavailable
}

// SignOut ends the request's session.
func (a *Auth) SignOut(w http.ResponseWriter, r *http.Request) error { return errs.Unavailable }

// StartOIDC returns where to send a browser to sign in at the provider; returnTo
// is a path of ours to come back to.
func (a *Auth) StartOIDC(w http.ResponseWriter, r *http.Request, returnTo string) (redirect string, err error) {
	return "", errs.Unavailable
}

// FinishOIDC takes the provider's answer and begins a session.
func (a *Auth) FinishOIDC(w http.ResponseWriter, r *http.Request) (account *Account, returnTo string, err error) {
	return nil, "", errs.Unavailable
}

// HasOIDC reports whether there is a provider to sign in through.
func (a *Auth) HasOIDC() bool { return false }

// Sessions lists the account's sessions.
func (a *Auth) Sessions(ctx context.Context, accountID string, l List) (Page[Session], error) {
	return Page[Session]{}, errs.Unavailable
}

// RevokeSession ends one session of the account.
func (a *Auth) RevokeSession(ctx context.Context, accountID, sessionID string) error {
	return errs.Unavailable
}

// RevokeSessions ends all sessions of the account.
func (a *Auth) RevokeSessions(ctx context.Context, accountID string) error { return errs.Unavailable }

// AddToken makes a token and returns its secret, which cannot be had again.
func (a *Auth) AddToken(ctx context.Context, accountID string, n NewToken) (secret string, token *Token, err error) {
	return "", nil, errs.Unavailable
}

// Tokens lists the account's tokens.
func (a *Auth) Tokens(ctx context.Context, accountID string, l List) (Page[Token], error) {
	return Page[Token]{}, errs.Unavailable
}

// RevokeToken ends a token.
func (a *Auth) RevokeToken(ctx context.Context, accountID, tokenID string) error {
	return errs.Unavailable
}

// Authenticate finds out who comes, by session cookie or bearer token; nil is
// nobody. It may replace the cookie.
func (a *Auth) Authenticate(w http.ResponseWriter, r *http.Request) (*Account, error) {
	return nil, errs.Unavailable
}

// Middleware puts the account of a request into its context.
func (a *Auth) Middleware(next http.Handler) http.Handler { return next }
