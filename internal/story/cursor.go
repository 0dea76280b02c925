package story

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/model"
)

// cursor is how far somebody is in the log. The relay's is the end of the log. One
// process at a time has a cursor. Each that takes it counts the fence up, and every
// move of the cursor is on the condition that the fence is still the same: a process
// that lost the lease and does not know it yet can no longer do anything.
type cursor struct {
	Name     string `dynamodbav:"name"`
	Sequence int64  `dynamodbav:"sequence"`
	Fence    int64  `dynamodbav:"fence"`
	Owner    string `dynamodbav:"owner"`
	Until    string `dynamodbav:"until"`
	Places   places `dynamodbav:"places"` // in streams of tables; of the one who adopts alone
}

// relayName is whose cursor the end of the log is.
const relayName = "relay"

var leased = model.Lease{Owner: "owner", Until: "until"}

func (c *cursor) key() model.Values { return model.Values{"name": c.Name} }

// held is the condition that the cursor is still the caller's.
func (c *cursor) held() expression.ConditionBuilder {
	return expression.Name("fence").Equal(expression.Value(c.Fence))
}

// advance is the update that moves the cursor, and unmoved its condition.
func (c *cursor) advance(to int64) expression.UpdateBuilder {
	return expression.Set(expression.Name("sequence"), expression.Value(to))
}

func (c *cursor) unmoved() expression.ConditionBuilder {
	return c.held().And(expression.Name("sequence").Equal(expression.Value(c.Sequence)))
}

// hold does the work as the one process that has the cursor, or answers ErrHeld. The
// work's context ends when the cursor is lost; the answer is then model.ErrLost.
func (s *Stories) hold(ctx context.Context, name string, work func(context.Context, *cursor) error) error {
	now := s.o.Now()
	take := leased.Take(s.o.Owner, now.Add(s.o.Lease)).Add(expression.Name("fence"), expression.Value(1)).
		Set(expression.Name("sequence"), expression.IfNotExists(expression.Name("sequence"), expression.Value(0)))
	c, err := s.cursors.Upsert(ctx, model.Values{"name": name}, take, leased.Free(now))
	if errors.Is(err, model.ErrCondition) {
		return fmt.Errorf("take cursor %s: %w", name, ErrHeld)
	}
	if err != nil {
		return err
	}
	h := model.Holding{For: s.o.Lease, Left: s.o.Lease - s.o.Now().Sub(now), Extend: func(ctx context.Context) error {
		_, err := s.cursors.Update(ctx, c.key(), leased.Extend(s.o.Now().Add(s.o.Lease)), c.held())
		return err
	}}
	fence := Fence{Count: c.Fence, Piece: s.cursors.CheckPiece(c.key(), c.held()).Means(model.ErrLost)}
	err = model.Hold(context.WithValue(ctx, fenceKey{}, fence), h, func(ctx context.Context) error { return work(ctx, &c) })
	// Others need not wait. If it cannot be said, they wait for the lease to run out.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.Lease)
	defer cancel()
	_, ended := s.cursors.Update(ending, c.key(), leased.End(expression.UpdateBuilder{}), c.held())
	if errors.Is(ended, model.ErrCondition) {
		ended = nil
	}
	return errors.Join(err, ended)
}

// Fence is what a consumer has by which it writes nothing that another process should.
type Fence struct {
	// Count is one more each time that a process takes the cursor: if it is that of the
	// last time and one, nobody had it in between.
	Count int64
	// Piece lets a transaction fail with [model.ErrLost] if the cursor is no longer held.
	model.Piece
}

type fenceKey struct{}

// FenceOf returns the fence of the consumer that is called with the context; ok is false
// for anybody else.
func FenceOf(ctx context.Context) (f Fence, ok bool) {
	f, ok = ctx.Value(fenceKey{}).(Fence)
	return f, ok
}

// run holds a cursor and takes one turn after the other, until ctx ends, which is no
// error. While another process has the cursor, it waits.
func (s *Stories) run(ctx context.Context, name string, turn func(context.Context, *cursor) error) error {
	for {
		err := s.hold(ctx, name, func(ctx context.Context, c *cursor) error {
			for {
				if err := turn(ctx, c); err != nil {
					return err
				}
				if err := model.Sleep(ctx, s.o.Poll); err != nil {
					return err
				}
			}
		})
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(err, ErrHeld) && !errors.Is(err, model.ErrLost) {
			return err
		}
		if err := model.Sleep(ctx, s.o.Poll); err != nil {
			return nil
		}
	}
}
