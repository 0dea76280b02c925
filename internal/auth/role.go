package auth

import (
	"fmt"
	"slices"
)

// Role is what an account may do. Roles are ordered: each may do what those below
// it may.
type Role int

// The roles, the least first.
const (
	// Everyone is whoever has not signed in; no account has it.
	Everyone Role = iota
	Reader
	Author
	Moderator
	Operator
)

var roleNames = [...]string{Everyone: "everyone", Reader: "reader", Author: "author", Moderator: "moderator", Operator: "operator"}

// Roles returns the roles that an account can have, the least first.
func Roles() []Role { return []Role{Reader, Author, Moderator, Operator} }

// String returns the role's name, the one that ParseRole takes.
func (r Role) String() string {
	if r < Everyone || int(r) >= len(roleNames) {
		return fmt.Sprintf("role(%d)", int(r))
	}
	return roleNames[r]
}

// Allows reports whether the role is at least the one that something asks for.
// What is no role allows nothing and is allowed nothing.
func (r Role) Allows(least Role) bool {
	return r >= least && least >= Everyone && r <= Operator
}

// ParseRole reads a role's name.
func ParseRole(name string) (Role, error) {
	if i := slices.Index(roleNames[:], name); i >= 0 {
		return Role(i), nil
	}
	return Everyone, fmt.Errorf("%q is not reader, author, moderator or operator", name)
}

// MarshalText writes the role's name.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the name of a role that an account can have.
func (r *Role) UnmarshalText(text []byte) error {
	role, err := ParseRole(string(text))
	if err == nil && role == Everyone {
		err = fmt.Errorf("%q is not reader, author, moderator or operator", text)
	}
	if err != nil {
		return err
	}
	*r = role
	return nil
}
