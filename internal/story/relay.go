package story

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/model"
)

// perMove is how many events one transaction moves into the log: two items for each,
// and the relay's cursor.
const perMove = (model.MaxTransaction - 1) / 2

// Relay moves events from the outbox into the log, until ctx ends, which is no error.
// Any number of processes may do so: one has the lease, the others wait. It may be
// called again after an error.
func (s *Stories) Relay(ctx context.Context) error {
	return s.run(ctx, relayName, s.moveAll)
}

// RelayOnce moves what is in the outbox now, and answers [ErrHeld] if another process
// has the lease.
func (s *Stories) RelayOnce(ctx context.Context) error {
	return s.hold(ctx, relayName, s.moveAll)
}

// Waiting returns the stories of which something happened that is not in the log yet,
// as far as the index knows. Whoever reads the log after it has missed nothing.
func (s *Stories) Waiting(ctx context.Context) ([]Ref, error) {
	var refs []Ref
	for m, err := range s.outbox.All(ctx, nil, model.Window{}) {
		if err != nil {
			return nil, err
		}
		refs = append(refs, m.Ref)
	}
	return refs, nil
}

// Lag is how long the oldest event has been waiting for the relay; 0 if none is.
func (s *Stories) Lag(ctx context.Context) (time.Duration, error) {
	_, since, err := s.Backlog(ctx, 1)
	if err != nil || since.IsZero() {
		return 0, err
	}
	return max(0, s.o.Now().Sub(since)), nil
}

// Backlog is how many events wait for the relay, up to most, and since when the oldest
// does; zero if none.
func (s *Stories) Backlog(ctx context.Context, most int) (waiting int, oldest time.Time, err error) {
	for m, err := range s.outbox.All(ctx, nil, model.Window{}) {
		if err != nil {
			return 0, oldest, err
		}
		if waiting == 0 {
			if oldest, err = model.ParseTime(m.Waiting); err != nil {
				return 0, oldest, err
			}
		}
		if waiting++; waiting == most {
			break
		}
	}
	return waiting, oldest, nil
}

func (s *Stories) moveAll(ctx context.Context, c *cursor) error {
	for {
		moved, err := s.move(ctx, c)
		if moved < perMove || err != nil {
			return err
		}
	}
}

// move does one step: events become entries, and the cursor moves on by as many, all
// or nothing.
func (s *Stories) move(ctx context.Context, c *cursor) (moved int, err error) {
	batch, err := s.waiting(ctx)
	if err != nil || len(batch) == 0 {
		return 0, err
	}
	ttl := s.o.Now().Add(Keep).Unix()
	end := c.Sequence + int64(len(batch))
	pieces := []model.Piece{s.cursors.UpdatePiece(c.key(), c.advance(end), c.unmoved()).Means(model.ErrLost)}
	for i, e := range batch {
		entry := Entry{Event: e.Event, Sequence: c.Sequence + int64(i) + 1, TTL: ttl}
		e.Waiting, e.TTL = "", ttl
		pieces = append(pieces, s.entries.CreatePiece(&entry), s.events.PutPiece(&e, expression.Name("waiting").AttributeExists()))
	}
	if err := model.Transact(ctx, s.db, pieces...); err != nil {
		return 0, fmt.Errorf("move %d events into the log after %d: %w", len(batch), c.Sequence, err)
	}
	c.Sequence = end
	return len(batch), nil
}

// mark is an event as the outbox index has it.
type mark struct {
	Ref
	Revision int    `dynamodbav:"revision"`
	Waiting  string `dynamodbav:"waiting"`
}

// waiting returns events for one step. The index says which stories have some. It may
// be behind: it may still have an event that is in the log, or know of one and not yet
// of the one before. So what a story has is read from its own partition.
func (s *Stories) waiting(ctx context.Context) ([]event, error) {
	var batch []event
	taken := map[Ref]bool{}
	for m, err := range s.outbox.All(ctx, nil, model.Window{}) {
		if err != nil {
			return nil, err
		}
		if taken[m.Ref] {
			continue
		}
		events, err := s.waitingOf(ctx, m.Ref, m.Revision+perMove)
		if err != nil {
			return nil, err
		}
		taken[m.Ref] = len(events) > 0
		batch = append(batch, events[:min(len(events), perMove-len(batch))]...)
		if len(batch) == perMove {
			break
		}
	}
	return batch, nil
}

// waitingOf returns the events of a story up to a revision that are not in the log, in
// their order. They are the last of these, because they enter the log in that order.
func (s *Stories) waitingOf(ctx context.Context, ref Ref, to int) ([]event, error) {
	var events []event
	for e, err := range s.story.All(ctx, ref.key(), model.Window{To: strconv.Itoa(to)}) {
		if err != nil {
			return nil, err
		}
		if e.Waiting == "" {
			break
		}
		events = append(events, e)
	}
	slices.Reverse(events)
	return events, nil
}

// End is the sequence of the last event in the log; 0 if there is none.
func (s *Stories) End(ctx context.Context) (int64, error) {
	c, err := s.cursors.Get(ctx, model.Values{"name": relayName})
	if errors.Is(err, model.ErrNotFound) {
		err = nil
	}
	return c.Sequence, err
}
