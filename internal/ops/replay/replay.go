// Package replay remembers for a day what was answered to requests that must be
// done once, in a table that all processes share.
//
// It promises that of any number of requests under one key, at one time or one
// after the other, in one process or many, one is done at a time and one succeeds;
// that an answer survives a restart; and that the claim of a process that died ends
// by itself.
//
// schema.go declares the table; [Store] is all there is besides.
package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Store keeps claims and answers. It may be used from many goroutines.
type Store struct {
	repo *model.Repo[row]
	o    Options
}

// Options adjust a Store; the zero value, and nil, are usable.
type Options struct {
	// Table is the name of the table; "Replays" if empty.
	Table string
	// Keep is how long an answer is repeated; 24 hours if zero.
	Keep time.Duration
	// Lease is how long a claim holds without an answer: longer than any request
	// may take; 2 minutes if zero.
	Lease time.Duration
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// row is the item of one key.
type row struct {
	Name    string `dynamodbav:"name"`
	Print   string `dynamodbav:"print"`
	Owner   string `dynamodbav:"owner"`
	Until   string `dynamodbav:"until"`
	Answer  []byte `dynamodbav:"answer,omitempty"`
	TTL     int64  `dynamodbav:"ttl"`
	Version int    `dynamodbav:"version"`
}

// New returns the answers that are kept in db.
func New(db model.DB, o *Options) (*Store, error) {
	s := &Store{}
	if o != nil {
		s.o = *o
	}
	if s.o.Keep == 0 {
		s.o.Keep = 24 * time.Hour
	}
	if s.o.Lease == 0 {
		s.o.Lease = 2 * time.Minute
	}
	if s.o.Now == nil {
		s.o.Now = time.Now
	}
	t := table
	if s.o.Table != "" {
		t.Name = s.o.Table
	}
	repo, err := model.NewRepo[row](db, &t, "Replay", nil)
	if err != nil {
		return nil, err
	}
	s.repo = repo
	return s, nil
}

// tries is how often Begin looks again when others change what it looked at.
const tries = 5

// Begin claims a key for the owner, who is about to do a request with that print.
// It returns the answer if the request was done, and nil if the owner is to do it.
// A request that is being done is Conflict, with the time after which its claim
// ends; another one under the same key is Invalid.
func (s *Store) Begin(ctx context.Context, key, print, owner string) ([]byte, error) {
	for range tries {
		answer, err := s.begin(ctx, key, print, owner)
		if !errors.Is(err, model.ErrStale) && !errors.Is(err, model.ErrExists) {
			return answer, err
		}
	}
	return nil, conflict(time.Second)
}

func (s *Store) begin(ctx context.Context, key, print, owner string) ([]byte, error) {
	now := s.o.Now()
	claim := row{Name: key, Print: print, Owner: owner, Until: model.FormatTime(now.Add(s.o.Lease)), TTL: now.Add(s.o.Keep).Unix()}
	old, err := s.repo.Get(ctx, model.Values{"name": key})
	switch {
	case errors.Is(err, model.ErrNotFound):
		return nil, s.repo.Put(ctx, &claim)
	case err != nil:
		return nil, fmt.Errorf("look for a kept answer: %w", err)
	}
	claim.Version = old.Version
	if old.TTL <= now.Unix() {
		return nil, s.repo.Put(ctx, &claim) // it is over, and only not removed yet
	}
	if old.Print != print {
		return nil, errs.Validation(errs.Field{Name: "Idempotency-Key", Message: "was used for another request; choose a new one"})
	}
	if old.Answer != nil {
		return old.Answer, nil
	}
	until, err := model.ParseTime(old.Until)
	if err != nil {
		return nil, fmt.Errorf("claim of a kept answer: %w", err)
	}
	if left := until.Sub(now); left > 0 {
		return nil, conflict(left)
	}
	return nil, s.repo.Put(ctx, &claim)
}

func conflict(after time.Duration) error {
	return &errs.Error{Kind: errs.Conflict, Message: "A request with this Idempotency-Key is being done. Wait a little and send it again.", RetryAfter: after}
}

// Finish keeps the answer that the owner gave. If the claim was lost in the
// meantime, whoever has it now keeps it, and the answer is Conflict.
func (s *Store) Finish(ctx context.Context, key, owner string, answer []byte) error {
	_, err := s.repo.Modify(ctx, model.Values{"name": key}, func(r *row) error {
		if r.Owner != owner || r.Answer != nil {
			return fmt.Errorf("the claim was lost: %w", errs.Conflict)
		}
		r.Answer = answer
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	return nil
}

// Abandon gives the owner's claim up, so that the next request under the key is
// done. A claim that the owner does not hold stays.
func (s *Store) Abandon(ctx context.Context, key, owner string) error {
	_, err := s.repo.Modify(ctx, model.Values{"name": key}, func(r *row) error {
		if r.Owner != owner || r.Answer != nil {
			return errNotHeld
		}
		r.TTL = 0 // over at once
		return nil
	})
	if err != nil && !errors.Is(err, errNotHeld) {
		return fmt.Errorf("abandon claim: %w", err)
	}
	return nil
}

var errNotHeld = errors.New("not held")
