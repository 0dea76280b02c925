package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Scope is what a token is good for: "read", "write", "admin", or one of the
// first two for one desk ("blog:write"). Write includes read, and admin all that
// the account may; operators' routes need admin.
type Scope string

// The scopes that are not for one desk.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
	ScopeAdmin Scope = "admin"
)

// known reports whether the scope is one, of the desks there are; any if nil.
func (s Scope) known(desks []string) bool {
	desk, verb, one := strings.Cut(string(s), ":")
	if !one {
		verb = string(s)
	}
	return (!one || slices.Contains(desks, desk) || desks == nil && desk != "") && (verb == "read" || verb == "write" || verb == "admin" && !one)
}

// covers reports whether the scope is enough for a request of the desk.
func (s Scope) covers(desk string, unsafe bool, least Role) bool {
	if s == ScopeAdmin {
		return true
	}
	if least >= Operator {
		return false
	}
	of, verb, one := strings.Cut(string(s), ":")
	if !one {
		of, verb = desk, string(s)
	}
	return of == desk && (verb == "write" || verb == "read" && !unsafe)
}

// Can reports whether what the account came with is good for a request to a
// desk's route that asks for the role. A session always is. It does not ask
// whether the account has the role.
func (a *Account) Can(desk string, unsafe bool, least Role) bool {
	if a.Via.Token == "" {
		return true
	}
	return slices.ContainsFunc(a.Via.Scopes, func(s Scope) bool { return s.covers(desk, unsafe, least) })
}

// Token is a secret with which a program comes as an account.
type Token struct {
	ID      string
	Name    string // what its owner calls it
	Scopes  []Scope
	Created time.Time
	Used    time.Time // zero if never; to some minutes
	Expires time.Time // zero if never
}

// NewToken is what a token is made of.
type NewToken struct {
	Name    string
	Scopes  []Scope
	Expires time.Time // zero for never
}

// tokenPrefix lets a secret be recognised where it should not be.
const tokenPrefix = "prt_"

const maxScopes = 16

func scopeMessage(desks []string) string {
	text := "is not read, write, admin, or read or write for a desk"
	if len(desks) > 0 {
		text += ", such as " + desks[0] + ":write; the desks are " + strings.Join(desks, ", ")
	}
	return text
}

func (n *NewToken) check(now time.Time, desks []string) error {
	var wrong []errs.Field
	if n.Name == "" || utf8.RuneCountInString(n.Name) > maxName {
		wrong = append(wrong, errs.Field{Name: "name", Message: fmt.Sprintf("must have 1 to %d characters", maxName)})
	}
	if len(n.Scopes) == 0 || len(n.Scopes) > maxScopes {
		wrong = append(wrong, errs.Field{Name: "scopes", Message: fmt.Sprintf("must be 1 to %d", maxScopes)})
	}
	for i, s := range n.Scopes {
		if !s.known(desks) {
			wrong = append(wrong, errs.Field{Name: fmt.Sprintf("scopes[%d]", i), Message: scopeMessage(desks)})
		}
	}
	if !n.Expires.IsZero() && !n.Expires.After(now) {
		wrong = append(wrong, errs.Field{Name: "expires", Message: "must be in the future"})
	}
	if len(wrong) > 0 {
		return errs.Validation(wrong...)
	}
	return nil
}

// AddToken makes a token and returns its secret, which cannot be had again. Who
// came with a token cannot make another: it could be good for more.
func (a *Auth) AddToken(ctx context.Context, accountID string, n NewToken) (secret string, token *Token, err error) {
	if who := From(ctx); who != nil && who.Via.Token != "" {
		return "", nil, errs.New(errs.Forbidden, "A token cannot make tokens. Sign in to make one.")
	}
	now := a.o.Now()
	if err := n.check(now, a.o.Desks); err != nil {
		return "", nil, err
	}
	plain := newSecret()
	item := &tokenItem{UserID: accountID, Hash: hashOf(plain), Label: n.Name, Scopes: n.Scopes, CreatedAt: model.FormatTime(now), ExpiresAt: formatOrEmpty(n.Expires)}
	if !n.Expires.IsZero() {
		item.TTL = n.Expires.Unix() + 1
	}
	if accountID == "" {
		return "", nil, fmt.Errorf("add token: %w", errs.NotFound)
	}
	err = model.Transact(ctx, a.db, a.tokens.CreatePiece(item), a.accounts.CheckPiece(model.Values{"user_id": accountID}))
	if errors.Is(err, model.ErrCondition) {
		return "", nil, fmt.Errorf("add token: %w", errs.NotFound)
	}
	if err != nil {
		return "", nil, storeError("add token", err)
	}
	shown, err := item.token()
	return tokenPrefix + accountID + plain, &shown, err
}

func (i *tokenItem) token() (Token, error) {
	t := Token{ID: i.Hash, Name: i.Label, Scopes: i.Scopes}
	var err1, err2, err3 error
	t.Created, err1 = model.ParseTime(i.CreatedAt)
	t.Used, err2 = timeOrZero(i.UsedAt)
	t.Expires, err3 = timeOrZero(i.ExpiresAt)
	return t, errors.Join(err1, err2, err3)
}

// Tokens lists the account's tokens, in no order; expired ones are left out.
func (a *Auth) Tokens(ctx context.Context, accountID string, l List) (Page[Token], error) {
	item, err := a.item(ctx, accountID)
	if err != nil {
		return Page[Token]{}, err
	}
	now := a.now()
	return page(ctx, a.tokens, "TokensOfAccount", model.Values{"user_id": accountID}, l, func(i *tokenItem) (Token, bool, error) {
		if i.ExpiresAt != "" && i.ExpiresAt <= now || i.CreatedAt < item.TokensFrom {
			return Token{}, false, nil
		}
		t, err := i.token()
		return t, true, err
	})
}

// RevokeToken ends a token. That there is none is no error.
func (a *Auth) RevokeToken(ctx context.Context, accountID, tokenID string) error {
	if accountID == "" || tokenID == "" {
		return fmt.Errorf("end token: %w", errs.NotFound)
	}
	err := a.tokens.Delete(ctx, model.Values{"user_id": accountID, "token_hash": tokenID})
	return storeError("end token", err)
}

// dropTokens ends all tokens of the account.
func (a *Auth) dropTokens(ctx context.Context, accountID string) error {
	for token, err := range a.tokens.All(ctx, "TokensOfAccount", model.Values{"user_id": accountID}) {
		if err != nil {
			return storeError("end tokens", err)
		}
		if err := a.RevokeToken(ctx, accountID, token.Hash); err != nil {
			return err
		}
	}
	return nil
}

// admit returns the account that a token is of. One that opens nothing is
// Unauthenticated.
func (a *Auth) admit(ctx context.Context, text string) (*Account, error) {
	refuse := errs.New(errs.Unauthenticated, "This token is not valid.")
	rest, ok := strings.CutPrefix(text, tokenPrefix)
	id, secret, whole := split(rest)
	if !ok || !whole {
		return nil, refuse
	}
	token, err := a.tokens.Get(ctx, model.Values{"user_id": id, "token_hash": hashOf(secret)})
	if errors.Is(err, model.ErrNotFound) {
		return nil, refuse
	}
	if err != nil {
		return nil, storeError("get token", err)
	}
	item, err := a.item(ctx, id)
	if errors.Is(err, errs.NotFound) {
		return nil, refuse
	}
	if err != nil {
		return nil, err
	}
	now := a.o.Now()
	if item.Disabled || token.CreatedAt < item.TokensFrom || token.ExpiresAt != "" && token.ExpiresAt <= model.FormatTime(now) {
		return nil, refuse
	}
	a.noteUse(ctx, &token, now)
	account, err := item.account()
	if err != nil {
		return nil, err
	}
	account.Via = Via{Token: token.Hash, Scopes: token.Scopes}
	return account, nil
}

// noteUse notes that the token is used, from time to time.
func (a *Auth) noteUse(ctx context.Context, t *tokenItem, now time.Time) {
	if t.UsedAt > model.FormatTime(now.Add(-touchEvery)) {
		return
	}
	key := model.Values{"user_id": t.UserID, "token_hash": t.Hash}
	_, err := a.tokens.Update(ctx, key, expression.Set(expression.Name("used_at"), expression.Value(model.FormatTime(now))))
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		a.o.Log.WarnContext(ctx, "use of a token not noted", "error", err)
	}
}
