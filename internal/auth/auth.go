// Package auth knows who comes: accounts with roles, passwords, sessions, tokens
// for programs, and sign-in through an OpenID Connect provider.
//
// It promises that no secret is stored as it is (passwords as argon2id, all
// others as SHA-256 of 256 random bits); that a role, a password or a disabled
// account takes effect with the next request; that guessing slows down, for an
// account and for an address, over all processes, and that the owner's known
// devices do not pay for it; that there is always an operator once there was one; and that whoever cannot be checked, because the store does not
// answer, is not let in.
//
// Start with schema.go for what is kept, role.go and account.go for the nouns,
// then signin.go, attempts.go, device.go and session.go for what happens to a
// browser, link.go for accounts that people make and keep by letters, token.go for
// programs and oidc.go for providers. What a request is allowed is asked by the package front.
package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Auth keeps accounts and lets them in. It may be used from many goroutines, and
// many processes may share one table.
type Auth struct {
	o      Options
	db     model.DB
	ids    *model.IDs
	hasher *hasher
	oidc   *provider // nil if there is none

	deviceKey []byte // signs the cookies of known devices
	linkKey   []byte // makes the secrets of links in letters

	accounts   *model.Repo[accountItem]
	logins     *model.Repo[loginItem]
	identities *model.Repo[identityItem]
	addresses  *model.Repo[addressItem]
	links      *model.Repo[linkItem]
	passkeys   *model.Repo[passkeyItem]
	ceremonies *model.Repo[ceremonyItem]
	sessions   *model.Repo[sessionItem]
	tokens     *model.Repo[tokenItem]
	attempts   *model.Repo[attemptsItem]
	roster     *model.Repo[rosterItem]
	setups     *model.Repo[setupItem]
	flows      *model.Repo[flowItem]

	leaving  []func(ctx context.Context, id string) error  // see OnDelete
	before   []func(ctx context.Context, a *Account) error // see BeforeDelete
	approved []func(ctx context.Context, a *Account) error // see OnApprove
}

// Options adjust an Auth; the zero value, and nil, are usable.
type Options struct {
	// Table is the name of the table; "UsersTable" if empty.
	Table string
	// Desks are those that the scope of a token can name; any if nil.
	Desks []string
	// Secret makes the cursors of lists and the cookies of known devices: at least
	// 16 bytes, the same in all processes. Without it, both are good in this
	// process alone.
	Secret []byte
	// Password is the cost of a password's hash; DefaultPassword if zero. Those
	// stored with another cost are hashed anew when their owner signs in.
	Password PasswordCost
	// Hashing is how many passwords are hashed at a time; half of the processors,
	// at least one, if zero.
	Hashing int
	// SessionIdle ends a session that was not used so long; 14 days if zero.
	SessionIdle time.Duration
	// SessionMax ends a session however much it is used; 90 days if zero.
	SessionMax time.Duration
	// SessionRotate is how old a session's cookie gets before it is replaced; 12
	// hours if zero.
	SessionRotate time.Duration
	// Secure marks every cookie for TLS alone, also those of requests that do
	// not show how they came.
	Secure bool
	// OIDC is the provider to sign in through; none if nil.
	OIDC *OIDC
	// Log gets what nobody is told: failed sign-ins, rotated sessions. Nothing is
	// logged if nil.
	Log *slog.Logger
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// List says which page of a list is wanted.
type List struct {
	Limit  int    // the items of a page, at most 100; 20 if zero
	Cursor string // where it begins; "" is the beginning
}

// Page is a part of a list.
type Page[T any] struct {
	Items []T
	Next  string // the cursor of the next page; "" if nothing follows
}

const (
	defaultLimit = 20
	maxLimit     = 100
)

// New returns the accounts that are kept in db, where the table must be. It
// does not touch the store.
func New(db model.DB, o *Options) (*Auth, error) {
	a := &Auth{db: db}
	if o != nil {
		a.o = *o
	}
	a.o.fill()
	a.ids = &model.IDs{Now: a.o.Now}
	if err := a.o.Password.check(); err != nil {
		return nil, err
	}
	a.hasher = newHasher(a.o.Password, a.o.Hashing)
	a.deviceKey, a.linkKey = keyFor(a.o.Secret, "device"), keyFor(a.o.Secret, "link")
	if a.o.OIDC != nil {
		var err error
		if a.oidc, err = newProvider(*a.o.OIDC); err != nil {
			return nil, err
		}
	}
	return a, a.open()
}

func (o *Options) fill() {
	orDefault(&o.Table, users.Name)
	orDefault(&o.Password, DefaultPassword)
	orDefault(&o.SessionIdle, 14*24*time.Hour)
	orDefault(&o.SessionMax, 90*24*time.Hour)
	orDefault(&o.SessionRotate, 12*time.Hour)
	if o.Secret == nil {
		o.Secret = make([]byte, 32)
		_, _ = rand.Read(o.Secret) // never fails, see crypto/rand
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

func orDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// open makes the repositories.
func (a *Auth) open() error {
	table := users
	table.Name = a.o.Table
	o := &model.Options{CursorKey: a.o.Secret}
	return errors.Join(
		repo(&a.accounts, a.db, &table, "Account", o),
		repo(&a.logins, a.db, &table, "Login", o),
		repo(&a.identities, a.db, &table, "Identity", o),
		repo(&a.addresses, a.db, &table, "Address", o),
		repo(&a.links, a.db, &table, "Link", o),
		repo(&a.passkeys, a.db, &table, "Passkey", o),
		repo(&a.ceremonies, a.db, &table, "Ceremony", o),
		repo(&a.sessions, a.db, &table, "Session", o),
		repo(&a.tokens, a.db, &table, "Token", o),
		repo(&a.attempts, a.db, &table, "Attempts", o),
		repo(&a.roster, a.db, &table, "Roster", o),
		repo(&a.setups, a.db, &table, "Setup", o),
		repo(&a.flows, a.db, &table, "Flow", o),
	)
}

func repo[T any](into **model.Repo[T], db model.DB, t *model.Table, entity string, o *model.Options) (err error) {
	*into, err = model.NewRepo[T](db, t, entity, o)
	return err
}

// now is the time as it is stored.
func (a *Auth) now() string { return model.FormatTime(a.o.Now()) }

// storeError gives an error of the store its kind. What has none means that
// the store does not answer, and then nobody is let in.
func storeError(op string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, model.ErrNotFound):
		return fmt.Errorf("%s: %w", op, errors.Join(errs.NotFound, err))
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", op, err)
	}
	return fmt.Errorf("%s: %w", op, errors.Join(errs.Unavailable, err))
}

// page reads one page of a pattern and turns its items into what others see.
func page[I, T any](ctx context.Context, r *model.Repo[I], pattern string, args model.Values, l List, show func(*I) (T, bool, error)) (Page[T], error) {
	limit := l.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if limit < 1 || limit > maxLimit {
		return Page[T]{}, errs.Validation(errs.Field{Name: "limit", Message: "must be between 1 and 100"})
	}
	found, err := r.Page(ctx, pattern, args, model.PageOptions{Limit: limit, Cursor: l.Cursor})
	if err != nil {
		if errors.Is(err, model.ErrCursor) {
			e := errs.Wrap(err, errs.Malformed, "This place in the list does not exist. Begin at the first page.")
			e.Fields = []errs.Field{{Name: "cursor", Message: "is not of this list"}}
			return Page[T]{}, e
		}
		return Page[T]{}, storeError("list", err)
	}
	list := Page[T]{Next: found.Next}
	for i := range found.Items {
		item, shown, err := show(&found.Items[i])
		if err != nil {
			return Page[T]{}, err
		}
		if shown {
			list.Items = append(list.Items, item)
		}
	}
	return list, nil
}
