package api

import (
	"context"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

// accounts registers what belongs to no desk: who one is, one's tokens, and, for
// operators, everyone's accounts.
func (a *API) accounts(accounts *auth.Auth) {
	s := accountService{accounts}
	Get(a, "/me", auth.Reader, Op{ID: "me", Summary: "Who you are", Tags: []string{"account"}}, s.me)

	Get(a, "/tokens", auth.Reader, Op{ID: "listTokens", Summary: "Your tokens", Tags: []string{"account"}}, s.tokens)
	Post(a, "/tokens", auth.Reader, Op{
		ID: "createToken", Summary: "Make a token", Tags: []string{"account"}, Once: true, Fails: []errs.Kind{errs.Forbidden},
		Doc: "The answer holds the secret, which is shown this one time. Tokens are made in a browser that is signed in: a token cannot make others.",
	}, s.createToken)
	Delete(a, "/tokens/{id}", auth.Reader, Op{ID: "revokeToken", Summary: "Revoke a token", Tags: []string{"account"}}, s.revokeToken)

	operators := []string{"users"}
	Get(a, "/users", auth.Operator, Op{ID: "listUsers", Summary: "All accounts, by name", Tags: operators}, s.users)
	Get(a, "/users/{id}", auth.Operator, Op{ID: "getUser", Summary: "An account", Tags: operators}, s.user)
	Post(a, "/users", auth.Operator, Op{ID: "createUser", Summary: "Make an account", Tags: operators, Fails: []errs.Kind{errs.Duplicate}}, s.createUser)
	Patch(a, "/users/{id}", auth.Operator, Op{
		ID: "editUser", Summary: "Change an account's role, or lock it out", Tags: operators, Fails: []errs.Kind{errs.Conflict},
		Doc: "There is always an operator: the last one can be neither demoted nor locked out.",
	}, s.editUser)
	Delete(a, "/users/{id}", auth.Operator, Op{ID: "deleteUser", Summary: "Remove an account", Tags: operators, Fails: []errs.Kind{errs.Conflict}}, s.deleteUser)
}

type accountService struct{ auth *auth.Auth }

// Me is the answer to the question who one is.
type Me struct {
	ID     string       `json:"id"`
	Name   string       `json:"name"`
	Email  string       `json:"email,omitempty"`
	Role   auth.Role    `json:"role" enum:"reader,author,moderator,operator"`
	Via    string       `json:"via" enum:"session,token" doc:"what the request came with"`
	Scopes []auth.Scope `json:"scopes,omitempty" doc:"of the token, if it came with one"`
}

func (accountService) me(ctx context.Context, _ *struct{}) (*Me, error) {
	account, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	me := &Me{ID: account.ID, Name: account.Name, Email: account.Email, Role: account.Role, Via: "session", Scopes: account.Via.Scopes}
	if account.Via.Token != "" {
		me.Via = "token"
	}
	return me, nil
}

// caller returns the account that is signed in. The door lets nobody else reach
// the operations that ask.
func caller(ctx context.Context) (*auth.Account, error) {
	if account := auth.From(ctx); account != nil {
		return account, nil
	}
	return nil, errs.Unauthenticated
}

// Token is a token without its secret.
type Token struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Scopes  []auth.Scope `json:"scopes"`
	Created time.Time    `json:"created_at"`
	Used    time.Time    `json:"used_at,omitzero" doc:"the last time, to the minute"`
	Expires time.Time    `json:"expires_at,omitzero" doc:"never, if it is not there"`
}

// SecretToken is a token that was just made.
type SecretToken struct {
	Token
	Secret string `json:"secret" doc:"what to send as Authorization: Bearer; it cannot be had again"`
}

// TokenInput is what a token is made of.
type TokenInput struct {
	Name    string       `json:"name" min:"1" max:"100" example:"nightly import" doc:"what it is for"`
	Scopes  []auth.Scope `json:"scopes" min:"1" max:"20" example:"[\"blog:write\"]" doc:"read, write, admin, or one desk's: blog:write"`
	Expires time.Time    `json:"expires_at,omitzero" doc:"never, if it is not there"`
}

func tokenOf(t auth.Token) Token {
	return Token{ID: t.ID, Name: t.Name, Scopes: t.Scopes, Created: t.Created, Used: t.Used, Expires: t.Expires}
}

func (s accountService) tokens(ctx context.Context, in *struct{ Page }) (*List[Token], error) {
	account, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	page, err := s.auth.Tokens(ctx, account.ID, auth.List{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return ListOf(page.Items, page.Next, tokenOf), nil
}

func (s accountService) createToken(ctx context.Context, in *struct{ Body TokenInput }) (*Created[SecretToken], error) {
	account, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	secret, token, err := s.auth.AddToken(ctx, account.ID, auth.NewToken{Name: in.Body.Name, Scopes: in.Body.Scopes, Expires: in.Body.Expires})
	if err != nil {
		return nil, err
	}
	return &Created[SecretToken]{Location: "/tokens", Body: SecretToken{tokenOf(*token), secret}}, nil
}

type byID struct {
	ID string `path:"id" min:"1" max:"128"`
}

func (s accountService) revokeToken(ctx context.Context, in *byID) (*None, error) {
	account, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	return &None{}, s.auth.RevokeToken(ctx, account.ID, in.ID)
}
