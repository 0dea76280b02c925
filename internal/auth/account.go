package auth

import "time"

// Account is someone who can sign in.
type Account struct {
	ID    string // a ULID
	Name  string // what its owner signs in with; unique
	Email string // "" if unknown; not unique
	Role  Role

	Disabled bool
	Local    bool // it has a password here
	Created  time.Time
	SignedIn time.Time // the last time; zero if never

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
	Password string // empty for an account that signs in through a provider alone
	Role     Role
}
