package model

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
)

// Lease names the attributes by which one of many processes has an item to itself
// for a while. The holder takes it under Free, works under [Hold] or [Keep], which extend
// it, and ends it in the same write that records the outcome, under Mine. A
// process that dies says nothing: its lease runs out.
type Lease struct {
	Owner string // attribute: who holds the item
	Until string // attribute: when the lease runs out
	// After are attributes with times before which nobody takes the item, such as
	// that of its next attempt.
	After []string
}

// ErrLost ends work whose lease another process has, or may have.
var ErrLost = errors.New("the lease was lost to another process")

// Free is the condition that nobody holds the item and that its time has come.
func (l Lease) Free(now time.Time) expression.ConditionBuilder {
	free := Passed(l.Until, now)
	for _, name := range l.After {
		free = free.And(Passed(name, now))
	}
	return free
}

// Passed is the condition that an attribute has no time, or one that is over.
func Passed(name string, now time.Time) expression.ConditionBuilder {
	at := expression.Name(name)
	return at.AttributeNotExists().Or(at.LessThanEqual(expression.Value(FormatTime(now))))
}

// Mine is the condition that the owner still holds the item.
func (l Lease) Mine(owner string) expression.ConditionBuilder {
	return expression.Name(l.Owner).Equal(expression.Value(owner))
}

// Take is the update that gives the item to an owner.
func (l Lease) Take(owner string, until time.Time) expression.UpdateBuilder {
	return l.Extend(until).Set(expression.Name(l.Owner), expression.Value(owner))
}

// Extend is the update that moves the end of the lease.
func (l Lease) Extend(until time.Time) expression.UpdateBuilder {
	return expression.Set(expression.Name(l.Until), expression.Value(FormatTime(until)))
}

// End adds to an update that nobody holds the item any more.
func (l Lease) End(u expression.UpdateBuilder) expression.UpdateBuilder {
	return u.Remove(expression.Name(l.Owner)).Remove(expression.Name(l.Until))
}

// Holding says how a lease is kept while work goes on.
type Holding struct {
	// For is how long the lease lasts each time, and Left what is left of it at the
	// beginning; 0 means all.
	For, Left time.Duration
	// Extend moves the lease's end to For from now, if it is still the caller's:
	// ErrCondition and ErrNotFound say that it is not. Any other error is one of a
	// store that may answer later.
	Extend func(context.Context) error
}

// Keep extends a lease that the caller has taken, every quarter of its time, until
// stop is called, which waits for the last extension; also after ctx has ended,
// while the work under the lease comes to its own end. held is the context of that
// work. It ends with ErrLost as its cause when the lease is lost, or could not be
// extended before it ran out: the item may be another's then, and the caller must
// not touch it any more.
func Keep(ctx context.Context, h Holding) (held context.Context, stop func()) {
	held, lose := context.WithCancelCause(ctx)
	keeping, end := context.WithCancel(context.WithoutCancel(ctx))
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		h.keep(keeping, lose)
	}()
	return held, func() {
		end()
		<-kept
		lose(nil)
	}
}

// Hold does the work under a lease that the caller has taken, as [Keep] says, and
// returns ErrLost if the lease was lost, whatever the work did.
func Hold(ctx context.Context, h Holding, work func(context.Context) error) error {
	held, stop := Keep(ctx, h)
	err := work(held)
	stop()
	if errors.Is(context.Cause(held), ErrLost) {
		return errors.Join(ErrLost, err)
	}
	return err
}

func (h *Holding) keep(ctx context.Context, lose context.CancelCauseFunc) {
	left := h.Left
	if left == 0 {
		left = h.For
	}
	over := time.AfterFunc(left, func() { lose(ErrLost) })
	defer over.Stop()
	every := h.For / 4
	// Of a lease that was taken a while ago, less is left.
	next := time.NewTimer(min(every, left/2))
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		begin := time.Now()
		call, cancel := context.WithTimeout(ctx, every)
		err := h.Extend(call)
		cancel()
		switch {
		case err == nil:
			over.Reset(h.For - time.Since(begin))
		case errors.Is(err, ErrCondition), errors.Is(err, ErrNotFound):
			lose(ErrLost)
			return
		}
		next.Reset(every)
	}
}
