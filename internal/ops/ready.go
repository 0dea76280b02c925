package ops

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/model"
)

// Readiness is one thing without which requests should go elsewhere. Run is
// called whenever somebody asks, and answers from its last result while that is
// fresh: whoever asks often causes no work.
type Readiness struct {
	Name string
	Run  func(context.Context) error
}

// freshness is how long a result counts.
const freshness = 3 * time.Second

// NewReadiness returns a check that is carried out at most every three seconds.
func NewReadiness(name string, now func() time.Time, run func(context.Context) error) Readiness {
	if now == nil {
		now = time.Now
	}
	var mu sync.Mutex
	var at time.Time
	var last error
	return Readiness{Name: name, Run: func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if !at.IsZero() && now().Sub(at) < freshness {
			return last
		}
		last = guarded(func() error { return run(ctx) })
		// That the caller went away says nothing of the store.
		if ctx.Err() == nil {
			at = now()
		}
		return last
	}}
}

// LeasesReady checks that tables can be written and that a conditional write is
// refused when its condition does not hold: leases, quotas and claims stand on
// both. It takes a lease of its own, under this process's name, that no job has.
func (s *Scheduler) LeasesReady() Readiness {
	return NewReadiness("leases", s.o.Now, func(ctx context.Context) error {
		name := "ready " + s.o.Owner
		if len(name) > nameMax {
			name = name[len(name)-nameMax:]
		}
		key := model.Values{"job": name}
		until := model.FormatTime(s.o.Now())
		set := expression.Set(expression.Name("until"), expression.Value(until)).
			Set(expression.Name("owner"), expression.Value(s.o.Owner)).
			Set(expression.Name("paused"), expression.Value(true)).Set(expression.Name("failures"), expression.Value(0))
		if _, err := s.state.Upsert(ctx, key, set); err != nil {
			return fmt.Errorf("write to the tables: %w", err)
		}
		_, err := s.state.Update(ctx, key, set, expression.Name("until").NotEqual(expression.Value(until)))
		if errors.Is(err, model.ErrCondition) {
			return s.state.Delete(ctx, key)
		}
		if err == nil {
			return errors.New("a write was done whose condition did not hold")
		}
		return fmt.Errorf("conditional write: %w", err)
	})
}

// ObjectsReady checks that the buckets are there.
func ObjectsReady(client *s3.Client, now func() time.Time, buckets ...string) Readiness {
	return NewReadiness("buckets", now, func(ctx context.Context) error {
		for _, b := range buckets {
			if _, err := client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b}); err != nil {
				return fmt.Errorf("bucket %s: %w", b, err)
			}
		}
		return nil
	})
}

// DiskReady checks that there is room to write: at least so many bytes beyond
// what the stores keep free.
func DiskReady(store Objects, least int64, now func() time.Time) Readiness {
	return NewReadiness("disk", now, func(context.Context) error {
		if free, known := store.Free(); known && free < least {
			return fmt.Errorf("%d bytes are free on the disk, fewer than %d", max(free, 0), least)
		}
		return nil
	})
}
