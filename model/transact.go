package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
)

// Piece is one part of a transaction, made by a Repo. An error in making it is
// reported by Transact.
type Piece struct {
	item   types.TransactWriteItem
	what   string
	failed error        // what it means if the condition does not hold
	done   func() error // after the transaction
	err    error
	// late makes the item when the transaction begins: its condition is what is there.
	late func(context.Context) (types.TransactWriteItem, error)
}

// Means returns the piece with another error for a condition that does not hold.
func (p Piece) Means(err error) Piece {
	p.failed = err
	return p
}

// PutPiece is Put as part of a transaction.
func (r *Repo[T]) PutPiece(v *T, conditions ...expression.ConditionBuilder) Piece {
	w, err := r.put1(v, conditions)
	return r.putPiece("put", v, w, err)
}

// CreatePiece is Create as part of a transaction.
func (r *Repo[T]) CreatePiece(v *T) Piece {
	w, err := r.create1(v, nil)
	return r.putPiece("create", v, w, err)
}

func (r *core) putPiece(op string, v any, w write, err error) Piece {
	return Piece{
		what: op + " " + r.entity.Name, failed: w.failed, err: err,
		late: func(ctx context.Context) (types.TransactWriteItem, error) { return r.ready(ctx, w) },
		done: func() error { return r.setVersion(v, w.version) },
	}
}

// UpdatePiece is Update as part of a transaction; a missing item is
// ErrCondition there.
func (r *core) UpdatePiece(key Values, update expression.UpdateBuilder, conditions ...expression.ConditionBuilder) Piece {
	c, err := r.update1(key, update, append(slices.Clip(conditions), r.present()))
	return Piece{
		item: types.TransactWriteItem{Update: &types.Update{
			TableName: &r.table.Name, Key: c.key, UpdateExpression: &c.update, ConditionExpression: c.condition,
			ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		}},
		what: "update " + r.entity.Name, failed: ErrCondition, err: err,
	}
}

// DeletePiece is Delete as part of a transaction.
func (r *core) DeletePiece(key Values, conditions ...expression.ConditionBuilder) Piece {
	k, err := r.table.Key(r.entity, key)
	expr, err2 := build(conditions)
	return Piece{
		item: types.TransactWriteItem{Delete: &types.Delete{
			TableName: &r.table.Name, Key: k,
			ConditionExpression: expr.Condition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
		}},
		what: "delete " + r.entity.Name, failed: ErrCondition, err: errors.Join(err, err2),
	}
}

// CheckPiece makes a transaction depend on the item with these key values: it
// must be there, and all conditions must hold.
func (r *core) CheckPiece(key Values, conditions ...expression.ConditionBuilder) Piece {
	k, err := r.table.Key(r.entity, key)
	expr, err2 := build(append(slices.Clip(conditions), r.present()))
	return Piece{
		item: types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: &r.table.Name, Key: k,
			ConditionExpression: expr.Condition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
		}},
		what: "check " + r.entity.Name, failed: ErrCondition, err: errors.Join(err, err2),
	}
}

// TransactionError says which pieces kept a transaction from happening. Is finds
// each of their errors.
type TransactionError struct {
	Pieces []int // by position
	errs   []error
}

func (e *TransactionError) Error() string { return "transaction: " + errors.Join(e.errs...).Error() }

// Unwrap returns the errors of the pieces.
func (e *TransactionError) Unwrap() []error { return e.errs }

// transactTries is how often a transaction that met another is tried again.
const transactTries = 8

// Transact does all pieces or none, at most MaxTransaction of them. What it
// refuses is a *TransactionError; transactions that meet others on the same
// items are tried again, in the end ErrConflict.
func Transact(ctx context.Context, db dynamo.API, pieces ...Piece) error {
	if len(pieces) > MaxTransaction {
		return fmt.Errorf("transaction: %d items, more than %d", len(pieces), MaxTransaction)
	}
	items := make([]types.TransactWriteItem, len(pieces))
	for i, p := range pieces {
		if p.err != nil {
			return fmt.Errorf("transaction: %s: %w", p.what, p.err)
		}
		items[i] = p.item
		if p.late == nil {
			continue
		}
		var err error
		items[i], err = p.late(ctx)
		if errors.Is(err, ErrStale) {
			return &TransactionError{Pieces: []int{i}, errs: []error{fmt.Errorf("%s: %w", p.what, p.failed)}}
		}
		if err != nil {
			return fmt.Errorf("transaction: %s: %w", p.what, err)
		}
	}
	for try := 1; ; try++ {
		_, err := db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
		if err == nil {
			return finish(pieces)
		}
		err = explain(err, pieces)
		if !errors.Is(err, ErrConflict) || try == transactTries {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// alone does a write that is not in a transaction. One that meets a transaction on the
// same item is refused, and tried again like a transaction.
func alone(ctx context.Context, write func() error) error {
	for try := 1; ; try++ {
		err := write()
		var conflict *types.TransactionConflictException
		if !errors.As(err, &conflict) {
			return err
		}
		if try == transactTries {
			return fmt.Errorf("%w: %w", ErrConflict, err)
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

func finish(pieces []Piece) error {
	for _, p := range pieces {
		if p.done == nil {
			continue
		}
		if err := p.done(); err != nil {
			return err
		}
	}
	return nil
}

// explain puts the reasons of a cancelled transaction in terms of its pieces. It
// is a conflict only if nothing else stood in the way.
func explain(err error, pieces []Piece) error {
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return fmt.Errorf("transaction: %w", err)
	}
	e := &TransactionError{}
	conflict := false
	for i, reason := range cancelled.CancellationReasons {
		if i >= len(pieces) {
			break
		}
		switch code := aws.ToString(reason.Code); code {
		case "None", "":
		case "ConditionalCheckFailed":
			e.Pieces = append(e.Pieces, i)
			e.errs = append(e.errs, fmt.Errorf("%s: %w", pieces[i].what, pieces[i].failed))
		case "TransactionConflict":
			conflict = true
		default:
			e.Pieces = append(e.Pieces, i)
			e.errs = append(e.errs, fmt.Errorf("%s: %s: %s", pieces[i].what, code, aws.ToString(reason.Message)))
		}
	}
	switch {
	case len(e.errs) > 0:
		return e
	case conflict:
		return fmt.Errorf("transaction: %w", ErrConflict)
	}
	return fmt.Errorf("transaction: %w", err)
}
