// Package auth knows who comes: accounts with roles, passwords, sessions, tokens
// for programs, and sign-in through an OpenID Connect provider.
//
// It promises that no secret is stored as it is (passwords as argon2id, all
// others as SHA-256 of 256 random bits); that a role, a password or a disabled
// account takes effect with the next request; that guessing slows down, for an
// account and for an address, over all processes; that there is always an operator once
// there was one; and that whoever cannot be checked, because the store does not
// answer, is not let in.
//
// Start with schema.go for what is kept, role.go and account.go for the nouns,
// then signin.go and session.go for what happens to a browser, token.go for
// programs and oidc.go for providers. What a request is allowed is asked by the
// package front.
package auth

import (
	"log/slog"
	"time"
)

// Auth keeps accounts and lets them in. It may be used from many goroutines, and
// many processes may share one table.
type Auth struct {
	o Options //nolint:unused // set by New
}

// Options adjust an Auth; the zero value, and nil, are usable.
type Options struct {
	// Table is the name of the table; "UsersTable" if empty.
	Table string
	// CursorKey makes the cursors of lists: at least 16 bytes, the same in all
	// processes. Without it, cursors are good in this process alone.
	CursorKey []byte
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
