package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// setupLife is how long a set-up link can be used.
const setupLife = 24 * time.Hour

// SetupToken returns a new token for the link that makes the first operator. If
// there is an operator who can sign in, none is needed. Every process may print
// a link of its own; all work, until one was used.
func (a *Auth) SetupToken(ctx context.Context) (token string, needed bool, err error) {
	n, err := a.operators(ctx)
	if err != nil || n > 0 || !a.Passwords() {
		return "", false, err
	}
	token = newSecret()
	end := a.o.Now().Add(setupLife)
	err = a.setups.Put(ctx, &setupItem{Hash: hashOf(token), ExpiresAt: model.FormatTime(end), TTL: end.Unix()})
	return token, true, storeError("make a set-up link", err)
}

// CheckSetup reports whether Setup would take the token: nil, or NotFound.
func (a *Auth) CheckSetup(ctx context.Context, token string) error {
	if len(token) != secretLen {
		return fmt.Errorf("set up: %w", errs.NotFound)
	}
	item, err := a.setups.Get(ctx, model.Values{"token_hash": hashOf(token)})
	if err != nil {
		return storeError("set up", err)
	}
	n, err := a.operators(ctx)
	if err != nil {
		return err
	}
	if n > 0 || item.ExpiresAt <= a.now() {
		return fmt.Errorf("set up: %w", errs.NotFound)
	}
	return nil
}

// Setup makes the first operator, whatever role n has. The token must be one of
// SetupToken's; it works once. A wrong token is NotFound, as is any when there is
// an operator.
func (a *Auth) Setup(ctx context.Context, token string, n NewAccount) (*Account, error) {
	if err := a.CheckSetup(ctx, token); err != nil {
		return nil, err
	}
	n.Role = Operator
	if n.Password == "" {
		return nil, errs.Validation(errs.Field{Name: "password", Message: "is missing"})
	}
	item, err := a.prepare(ctx, n)
	if err != nil {
		return nil, err
	}
	used := a.setups.DeletePiece(model.Values{"token_hash": hashOf(token)}, expression.AttributeExists(expression.Name("expires_at")))
	account, err := a.add(ctx, item, expression.Name("operators").Equal(expression.Value(0)), used)
	if errors.Is(err, errs.Conflict) {
		return nil, fmt.Errorf("set up: %w", errs.NotFound)
	}
	return account, err
}
