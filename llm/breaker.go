package llm

import (
	"context"
	"sync"
	"time"
)

// Breaker says when a failing provider is left alone. The zero value is the
// defaults.
type Breaker struct {
	// Failures in a row open the circuit; 0 means 5. Counted are Overloaded,
	// Disconnected, Timeout, Malformed and Unauthenticated: what is wrong with the
	// service or the settings, not with one request.
	Failures int
	// Pause is how long the circuit stays open at first; it doubles, up to MaxPause,
	// each time the call that tries it out fails. 0 means 30 s and 10 minutes.
	Pause    time.Duration
	MaxPause time.Duration
}

// Protected returns a provider with a circuit breaker. While the circuit is open,
// calls fail at once with CircuitOpen and the rest of the pause as RetryAfter.
// After the pause one call is let through; it closes the circuit or opens it
// again. A nil now is time.Now.
func Protected(p Provider, b Breaker, now func() time.Time) Provider {
	if b.Failures == 0 {
		b.Failures = 5
	}
	if b.Pause == 0 {
		b.Pause = 30 * time.Second
	}
	if b.MaxPause == 0 {
		b.MaxPause = 10 * time.Minute
	}
	if now == nil {
		now = time.Now
	}
	return &protected{next: p, Breaker: b, now: now}
}

type protected struct {
	next Provider
	Breaker
	now func() time.Time

	mu       sync.Mutex
	failures int           // In a row.
	pause    time.Duration // 0 while the circuit is closed.
	until    time.Time     // The end of the pause.
	probing  bool
	last     error
}

func (p *protected) Info() Info { return p.next.Info() }

func (p *protected) Generate(ctx context.Context, req *Request) (*Response, error) {
	probe, err := p.enter()
	if err != nil {
		return nil, err
	}
	failed, counted := false, false
	defer func() { p.leave(probe, failed, counted, err) }() // Also if the provider panics.
	resp, err := p.next.Generate(ctx, req)
	failed, counted = verdict(err)
	return resp, err
}

// verdict tells whether a call says something about the provider's health, and
// whether that is bad.
func verdict(err error) (failed, counted bool) {
	if err == nil {
		return false, true
	}
	switch KindOf(err) {
	case Overloaded, Disconnected, Timeout, Malformed, Unauthenticated:
		return true, true
	case Refused, Filtered, CutOff, InvalidOutput, TooLong:
		return false, true // It answered.
	}
	return false, false
}

func (p *protected) enter() (probe bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pause == 0 {
		return false, nil
	}
	left := p.until.Sub(p.now())
	if left <= 0 && !p.probing {
		p.probing = true
		return true, nil
	}
	info := p.next.Info()
	return false, &Error{Kind: CircuitOpen, Provider: info.Provider, Model: info.Model, RetryAfter: max(left, time.Second), Message: "left alone after", Err: p.last}
}

func (p *protected) leave(probe, failed, counted bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if probe {
		p.probing = false
	}
	switch {
	case !counted || p.pause > 0 && !probe:
		// A call from before the circuit opened decides nothing.
	case !failed:
		p.failures, p.pause, p.last = 0, 0, nil
	case probe:
		p.open(min(2*p.pause, p.MaxPause), err)
	default:
		if p.failures++; p.failures >= p.Failures {
			p.open(p.Pause, err)
		}
	}
}

func (p *protected) open(pause time.Duration, err error) {
	p.pause, p.until, p.last = pause, p.now().Add(pause), err
}
