package api

import (
	"context"
	"errors"
	"strconv"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

// User is an account as operators see it.
type User struct {
	ID       string    `json:"id"`
	Name     string    `json:"name" doc:"what its owner signs in with"`
	Email    string    `json:"email,omitempty"`
	Role     auth.Role `json:"role" enum:"reader,author,moderator,operator"`
	Disabled bool      `json:"disabled" doc:"it is locked out"`
	Local    bool      `json:"local" doc:"it has a password here"`
	Created  time.Time `json:"created_at"`
	SignedIn time.Time `json:"signed_in_at,omitzero" doc:"the last time"`
}

// Tag changes with all that is shown.
func (u *User) Tag() string {
	return digest(u.ID, u.Name, u.Email, u.Role.String(), strconv.FormatBool(u.Disabled), strconv.FormatBool(u.Local), u.SignedIn.String())[:22]
}

// UserInput is what an account is made of.
type UserInput struct {
	Name     string    `json:"name" min:"1" max:"64" example:"ann"`
	Email    string    `json:"email,omitempty" max:"254"`
	Password string    `json:"password,omitempty" max:"1024" doc:"without one, the account signs in through a provider alone"`
	Role     auth.Role `json:"role" enum:"reader,author,moderator,operator"`
}

// UserChange is what an operator can change.
type UserChange struct {
	Role     *auth.Role `json:"role,omitempty" enum:"reader,author,moderator,operator"`
	Disabled *bool      `json:"disabled,omitempty"`
}

func userOf(a auth.Account) User {
	return User{ID: a.ID, Name: a.Name, Email: a.Email, Role: a.Role, Disabled: a.Disabled, Local: a.Local, Created: a.Created, SignedIn: a.SignedIn}
}

func (s accountService) users(ctx context.Context, in *struct{ Page }) (*List[User], error) {
	page, err := s.auth.Accounts(ctx, auth.List{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return ListOf(page.Items, page.Next, userOf), nil
}

func (s accountService) user(ctx context.Context, in *byID) (*User, error) {
	account, err := s.auth.Account(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	user := userOf(*account)
	return &user, nil
}

func (s accountService) createUser(ctx context.Context, in *struct{ Body UserInput }) (*Created[User], error) {
	account, err := s.auth.Add(ctx, auth.NewAccount{Name: in.Body.Name, Email: in.Body.Email, Password: in.Body.Password, Role: in.Body.Role})
	if err != nil {
		return nil, err
	}
	return &Created[User]{Location: "/users/" + account.ID, Body: userOf(*account)}, nil
}

type editUser struct {
	byID
	Edit
	Body UserChange
}

func (s accountService) editUser(ctx context.Context, in *editUser) (*User, error) {
	user, err := s.user(ctx, &in.byID)
	if err != nil {
		return nil, err
	}
	if err := in.Match(user.Tag()); err != nil {
		return nil, err
	}
	if role := in.Body.Role; role != nil && *role != user.Role {
		if err := s.auth.SetRole(ctx, in.ID, *role); err != nil {
			return nil, err
		}
	}
	if disabled := in.Body.Disabled; disabled != nil && *disabled != user.Disabled {
		if err := s.auth.SetDisabled(ctx, in.ID, *disabled); err != nil {
			return nil, err
		}
	}
	return s.user(ctx, &in.byID)
}

type deleteUser struct {
	byID
	Edit
}

func (s accountService) deleteUser(ctx context.Context, in *deleteUser) (*None, error) {
	user, err := s.user(ctx, &in.byID)
	switch {
	case errors.Is(err, errs.NotFound): // Delete takes away what an interrupted one has left
	case err != nil:
		return nil, err
	default:
		if err := in.Match(user.Tag()); err != nil {
			return nil, err
		}
	}
	return &None{}, s.auth.Delete(ctx, in.ID)
}
