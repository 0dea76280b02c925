package lexicon

import (
	"context"
	"errors"

	"pressroom/internal/errs"
)

// Member returns the profile of an account that is signed in: it is made at the
// first time, and takes over an address that changed. What is no address, which
// other parts of the newsroom may accept, is left out.
func (d *Desk) Member(ctx context.Context, userID, email string) (Profile, error) {
	if checkEmail(email) != nil {
		email = ""
	}
	p, err := d.User(ctx, userID)
	switch {
	case errors.Is(err, errs.NotFound):
		return d.EnsureUser(ctx, userID, email)
	case err != nil || email == "" || p.Email == email || p.Status == Cancelled:
		return p, err
	}
	return d.SetEmail(ctx, userID, email)
}
