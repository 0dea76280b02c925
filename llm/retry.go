package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Retry says how often and how patiently failed calls are made again. The zero
// value is the defaults.
type Retry struct {
	// Attempts is how many calls are made at most; 0 means 4, 1 means no retry.
	Attempts int
	// Base is the most to wait before the second attempt; it doubles for each one
	// after, up to Cap. The wait is a random part of it ("full jitter"), so that
	// many callers who failed together do not come back together. 0 means 1 s and
	// 30 s.
	Base time.Duration
	Cap  time.Duration
	// MaxRetryAfter is the longest Retry-After that is waited for; a longer one is
	// left to the caller, with the error. 0 means one minute.
	MaxRetryAfter time.Duration
	// Rand returns a random number in [0,1); nil means math/rand/v2.
	Rand func() float64
}

// Retried returns a provider that makes calls again which failed for a reason that
// may pass (Kind.Retryable). It never comes back before a Retry-After, and it does
// not begin to wait for what the context's deadline would cut short.
func Retried(p Provider, r Retry) Provider {
	if r.Attempts == 0 {
		r.Attempts = 4
	}
	if r.Base == 0 {
		r.Base = time.Second
	}
	if r.Cap == 0 {
		r.Cap = 30 * time.Second
	}
	if r.MaxRetryAfter == 0 {
		r.MaxRetryAfter = time.Minute
	}
	if r.Rand == nil {
		r.Rand = rand.Float64
	}
	return &retried{p, r}
}

type retried struct {
	next Provider
	Retry
}

func (r *retried) Info() Info { return r.next.Info() }

func (r *retried) Generate(ctx context.Context, req *Request) (*Response, error) {
	ctx = withCount(ctx)
	var lost Error // What failed attempts spent.
	for attempt := 1; ; attempt++ {
		resp, err := r.next.Generate(ctx, req)
		if err == nil {
			resp.Usage = resp.Usage.Add(lost.Usage)
			resp.Cost += lost.Cost
			return resp, nil
		}
		delay, again := r.delay(ctx, err, attempt)
		if again {
			again = wait(ctx, delay) == nil
		}
		if !again {
			return nil, addSpent(err, &Response{Usage: lost.Usage, Cost: lost.Cost})
		}
		usage, cost := spent(err)
		lost.Usage, lost.Cost = lost.Usage.Add(usage), lost.Cost+cost
	}
}

// delay returns how long to wait before the next attempt, if there should be one.
func (r *retried) delay(ctx context.Context, err error, attempt int) (time.Duration, bool) {
	var e *Error
	if !errors.As(err, &e) || !e.Kind.Retryable() || attempt >= r.Attempts || ctx.Err() != nil || e.RetryAfter > r.MaxRetryAfter {
		return 0, false
	}
	most := r.Cap
	if shift := attempt - 1; shift < 32 && r.Base<<shift < r.Cap && r.Base<<shift > 0 {
		most = r.Base << shift
	}
	delay := time.Duration(r.Rand() * float64(most))
	if e.RetryAfter > 0 {
		delay = e.RetryAfter + time.Duration(r.Rand()*float64(r.Base))
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < delay {
		return 0, false
	}
	return delay, true
}
