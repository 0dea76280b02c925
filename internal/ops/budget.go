package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/model"
)

// Budget is an account that money is set aside on, and its limit.
type Budget struct {
	Account string // "day/2026-11-15"
	Limit   Money
	// Expires is when nobody will ask for the account any more.
	Expires time.Time
}

// Exhausted is a reservation that a budget has no room for.
type Exhausted struct {
	Account                  string
	Limit, Committed, Amount Money
}

// Error names the account.
func (e *Exhausted) Error() string {
	return fmt.Sprintf("budget %s: $%.4f of $%.4f are spent or reserved, $%.4f more are asked for",
		e.Account, e.Committed.Dollars(), e.Limit.Dollars(), e.Amount.Dollars())
}

// account is what is stored of a budget. Its limit is the caller's: it may change
// from one start to the next.
type account struct {
	Account   string `dynamodbav:"account"`
	Committed Money  `dynamodbav:"committed"`
	TTL       int64  `dynamodbav:"ttl"`
}

// hold is a reservation that is not settled.
type hold struct {
	ID     string `dynamodbav:"hold"`
	At     string `dynamodbav:"at"`
	Amount Money  `dynamodbav:"amount"`
	TTL    int64  `dynamodbav:"ttl"`
}

// alone lets one caller of this process change accounts at a time: transactions on
// the same account would only get in each other's way.
func (l *Ledger) alone(ctx context.Context) (release func(), err error) {
	select {
	case l.booking <- struct{}{}:
		return func() { <-l.booking }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Reserve sets an amount aside on all budgets, or on none: if one has no room for
// it, the error is an *Exhausted. A reservation that was made under the same id
// counts once. One that is never settled, because its process died, stays counted.
func (l *Ledger) Reserve(ctx context.Context, id string, amount Money, budgets []Budget) error {
	release, err := l.alone(ctx)
	if err != nil {
		return err
	}
	defer release()
	h := hold{ID: id, At: model.FormatTime(l.o.Now()), Amount: amount, TTL: l.latest(budgets)}
	for try := 1; ; try++ {
		pieces := []model.Piece{l.holds.CreatePiece(&h)}
		for _, b := range budgets {
			room := expression.Name("committed").LessThanEqual(expression.Value(b.Limit - amount))
			pieces = append(pieces, l.accounts.UpdatePiece(b.key(), committed(amount), room))
		}
		err := model.Transact(ctx, l.db, pieces...)
		failed := failedPieces(err)
		switch {
		case err == nil || slices.Contains(failed, 0):
			return nil // now, or by a call before
		case try == ledgerTries, failed == nil && !errors.Is(err, model.ErrConflict):
			return fmt.Errorf("reserve: %w", err)
		}
		for _, i := range failed {
			if err := l.makeRoom(ctx, budgets[i-1], amount); err != nil {
				return err
			}
		}
	}
}

// makeRoom opens an account that is not there yet, and answers *Exhausted for one
// that has no room.
func (l *Ledger) makeRoom(ctx context.Context, b Budget, amount Money) error {
	present, err := l.accounts.Get(ctx, b.key())
	if errors.Is(err, model.ErrNotFound) {
		err = l.accounts.Create(ctx, &account{Account: b.Account, TTL: l.latest([]Budget{b})})
		if errors.Is(err, model.ErrExists) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("reserve: %w", err)
	}
	if present.Committed > b.Limit-amount {
		return &Exhausted{Account: b.Account, Limit: b.Limit, Committed: present.Committed, Amount: amount}
	}
	return nil // it was changed in between
}

// Settle replaces what was reserved under the id by what was spent, once.
func (l *Ledger) Settle(ctx context.Context, id string, reserved, spent Money, budgets []Budget) error {
	release, err := l.alone(ctx)
	if err != nil {
		return err
	}
	defer release()
	left := slices.Clone(budgets)
	for try := 1; ; try++ {
		pieces := []model.Piece{l.holds.DeletePiece(model.Values{"hold": id}, expression.AttributeExists(expression.Name("hold")))}
		for _, b := range left {
			pieces = append(pieces, l.accounts.UpdatePiece(b.key(), committed(spent-reserved)))
		}
		err := model.Transact(ctx, l.db, pieces...)
		failed := failedPieces(err)
		switch {
		case err == nil || slices.Contains(failed, 0):
			return nil // now, or before
		case try == ledgerTries, failed == nil && !errors.Is(err, model.ErrConflict):
			return fmt.Errorf("settle: %w", err)
		}
		for _, i := range slices.Backward(failed) {
			left = slices.Delete(left, i-1, i) // it expired: nobody asks for it
		}
	}
}

// Committed returns what is spent or reserved on an account, 0 for one that nobody
// has used.
func (l *Ledger) Committed(ctx context.Context, name string) (Money, error) {
	a, err := l.accounts.Get(ctx, model.Values{"account": name})
	if errors.Is(err, model.ErrNotFound) {
		return 0, nil
	}
	return a.Committed, err
}

func (b Budget) key() model.Values { return model.Values{"account": b.Account} }

func committed(amount Money) expression.UpdateBuilder {
	return expression.Add(expression.Name("committed"), expression.Value(amount))
}

// latest is when none of the budgets is asked for any more.
func (l *Ledger) latest(budgets []Budget) int64 {
	last := l.o.Now().Add(l.o.Keep)
	for _, b := range budgets {
		if b.Expires.After(last) {
			last = b.Expires
		}
	}
	return last.Unix()
}

// failedPieces are the parts of a transaction whose conditions did not hold, in
// their order; nil if it failed for another reason, alone or besides.
func failedPieces(err error) []int {
	var refused *model.TransactionError
	if !errors.As(err, &refused) {
		return nil
	}
	for _, why := range refused.Unwrap() {
		if !errors.Is(why, model.ErrCondition) && !errors.Is(why, model.ErrExists) {
			return nil
		}
	}
	pieces := slices.Clone(refused.Pieces)
	slices.Sort(pieces)
	return pieces
}
