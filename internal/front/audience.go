package front

import (
	"context"

	"pressroom/internal/auth"
	"pressroom/internal/rights"
)

// Audience is who a request is answered for, as rights go: authors and the roles
// above work on what is published, and everyone else reads it. A token counts as the
// account that it belongs to.
func Audience(ctx context.Context) rights.Audience {
	if auth.RoleOf(ctx).Allows(auth.Author) {
		return rights.Staff
	}
	return rights.Readers
}
