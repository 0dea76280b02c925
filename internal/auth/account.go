package auth

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"golang.org/x/text/secure/precis"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Account is someone who can sign in.
type Account struct {
	ID    string // a ULID
	Name  string // what its owner signs in with; unique
	Email string // "" if unknown; not unique unless it is confirmed
	Role  Role

	Language string // the one its owner reads pages in, such as "ja"; "" if not chosen
	Theme    string // auto, light or dark; "" if not chosen

	Confirmed bool // its owner has shown that the address is theirs
	Waiting   bool // it is disabled until an operator approves it
	Disabled  bool
	Local     bool // it has a password here
	Created   time.Time
	SignedIn  time.Time // the last time; zero if never

	// Via is how the account came, in the context of a request; zero elsewhere.
	Via Via
}

// Via is what a request showed to be let in: a session or a token.
type Via struct {
	Session string  // the session's id; "" if it was a token
	Token   string  // the token's id; "" if it was a session
	Scopes  []Scope // what the token is good for; a session is good for all
}

// NewAccount is what an account is made of.
type NewAccount struct {
	Name     string
	Email    string // may be empty
	Password string // empty for an account that cannot sign in with one
	Role     Role
}

const maxName = 64

// normalName is the one form of a name (RFC 8265): カタカナ in one width, no
// upper case. Two names that look alike up to that are one.
func normalName(name string) (string, error) {
	wrong := func(message string) (string, error) {
		return "", errs.Validation(errs.Field{Name: "name", Message: message})
	}
	if name == "" {
		return wrong("is missing")
	}
	if utf8.RuneCountInString(name) > maxName {
		return wrong(fmt.Sprintf("must have at most %d characters", maxName))
	}
	normal, err := precis.UsernameCaseMapped.String(name)
	if err != nil || !utf8.ValidString(name) {
		return wrong("may have letters, digits and . - _ @, and no spaces")
	}
	return normal, nil
}

func checkEmail(email string) error {
	if email == "" {
		return nil
	}
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email || len(email) > mailMax {
		return errs.Validation(errs.Field{Name: "email", Message: "is no e-mail address"})
	}
	return nil
}

// Account returns an account, or NotFound.
func (a *Auth) Account(ctx context.Context, id string) (*Account, error) {
	item, err := a.item(ctx, id)
	if err != nil {
		return nil, err
	}
	return item.account()
}

func (a *Auth) item(ctx context.Context, id string) (accountItem, error) {
	if id == "" {
		return accountItem{}, fmt.Errorf("get account: %w", errs.NotFound)
	}
	item, err := a.accounts.Get(ctx, model.Values{"user_id": id})
	return item, storeError("get account", err)
}

// Named returns the account of that name, or NotFound.
func (a *Auth) Named(ctx context.Context, name string) (*Account, error) {
	item, err := a.named(ctx, name)
	if err != nil {
		return nil, err
	}
	return item.account()
}

func (a *Auth) named(ctx context.Context, name string) (accountItem, error) {
	normal, err := normalName(name)
	if err != nil {
		return accountItem{}, fmt.Errorf("get account: %w", errors.Join(errs.NotFound, err))
	}
	login, err := a.logins.Get(ctx, model.Values{"name": normal})
	if err != nil {
		return accountItem{}, storeError("get account", err)
	}
	return a.item(ctx, login.UserID)
}

// Accounts lists all accounts by name.
func (a *Auth) Accounts(ctx context.Context, l List) (Page[Account], error) {
	return page(ctx, a.accounts, "AccountsByName", nil, l, func(i *accountItem) (Account, bool, error) {
		shown, err := i.account()
		if err != nil {
			return Account{}, false, err
		}
		return *shown, true, nil
	})
}

// Add makes an account. A name that is taken is Duplicate; what is wrong with
// the rest is Invalid, by field.
func (a *Auth) Add(ctx context.Context, n NewAccount) (*Account, error) {
	item, err := a.prepare(ctx, n)
	if err != nil {
		return nil, err
	}
	return a.add(ctx, item, anyRoster)
}

// anyRoster holds however many operators there are.
var anyRoster = expression.Name("operators").GreaterThanEqual(expression.Value(0))

// prepare checks a new account, all of it at once, and hashes its password.
func (a *Auth) prepare(ctx context.Context, n NewAccount) (*accountItem, error) {
	name, nameErr := normalName(n.Name)
	mailErr := checkEmail(n.Email)
	var roleErr, passwordErr error
	if n.Role == Everyone || !Operator.Allows(n.Role) {
		roleErr = errs.Validation(errs.Field{Name: "role", Message: "must be reader, author, moderator or operator"})
	}
	password := ""
	if n.Password != "" {
		password, passwordErr = checkPassword(n.Password, name)
	}
	var wrong []errs.Field
	for _, err := range []error{nameErr, mailErr, passwordErr, roleErr} {
		if err != nil {
			wrong = append(wrong, errs.Fields(err)...)
		}
	}
	if len(wrong) > 0 {
		return nil, errs.Validation(wrong...)
	}
	item := &accountItem{UserID: a.ids.New(), Name: name, Email: n.Email, Role: n.Role.String(), CreatedAt: a.now()}
	if password != "" {
		var err error
		if item.Password, err = a.hasher.hash(ctx, password); err != nil {
			return nil, err
		}
	}
	return item, nil
}

// add writes an account with its name, its identity and, for an operator, its
// place in the roster, all or nothing. The roster must be as roster says.
func (a *Auth) add(ctx context.Context, item *accountItem, roster expression.ConditionBuilder, more ...model.Piece) (*Account, error) {
	pieces := []model.Piece{
		a.accounts.CreatePiece(item),
		a.logins.CreatePiece(&loginItem{Name: item.Name, UserID: item.UserID}),
	}
	if item.Subject != "" {
		pieces = append(pieces, a.identities.CreatePiece(&identityItem{Issuer: item.Issuer, Subject: item.Subject, UserID: item.UserID}))
	}
	if item.operates() {
		if err := a.ensureRoster(ctx); err != nil {
			return nil, err
		}
		pieces = append(pieces, a.count(1, roster))
	}
	err := model.Transact(ctx, a.db, append(pieces, more...)...)
	switch {
	case errors.Is(err, model.ErrExists):
		return nil, errs.Wrap(err, errs.Duplicate, "An account of this name exists already.")
	case errors.Is(err, model.ErrCondition):
		return nil, fmt.Errorf("add account: %w", errors.Join(errs.Conflict, err))
	case err != nil:
		return nil, storeError("add account", err)
	}
	return item.account()
}

// count adds to the number of operators, if the condition on it holds.
func (a *Auth) count(n int, condition expression.ConditionBuilder) model.Piece {
	return a.roster.UpdatePiece(nil, expression.Add(expression.Name("operators"), expression.Value(n)), condition)
}

// ensureRoster makes the roster if this is the first time that it is needed.
func (a *Auth) ensureRoster(ctx context.Context) error {
	if _, err := a.roster.Get(ctx, nil); err == nil || !errors.Is(err, model.ErrNotFound) {
		return storeError("count operators", err)
	}
	if err := a.roster.Create(ctx, &rosterItem{}); err != nil && !errors.Is(err, model.ErrExists) {
		return storeError("count operators", err)
	}
	return nil
}

// operators returns how many operators can sign in.
func (a *Auth) operators(ctx context.Context) (int, error) {
	r, err := a.roster.Get(ctx, nil)
	if errors.Is(err, model.ErrNotFound) {
		return 0, nil
	}
	return r.Operators, storeError("count operators", err)
}
