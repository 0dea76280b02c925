package llm

import (
	"context"
	"sync"
	"time"
)

// Limits bound what one process sends to one provider. Zero means no limit.
// Services count in their own ways; a window that slides over every moment is
// within all of them.
type Limits struct {
	RequestsPerMinute int
	RequestsPerDay    int
	// Tokens are input and output together. A call counts with its CountInput and
	// its bound on output until it is answered, then with what it used.
	TokensPerMinute int
	TokensPerDay    int
	// Concurrent bounds the calls under way at once.
	Concurrent int
	// MaxWait is how long a call may wait for its turn; one that would wait longer
	// fails at once with RateLimited and the wait as RetryAfter. 0 means two minutes.
	MaxWait time.Duration
}

const defaultMaxWait = 2 * time.Minute

// Limited returns a provider that keeps to the limits: calls wait for their turn,
// first come, first served. A call that could never fit fails with TooLong. A nil
// now is time.Now.
func Limited(p Provider, l Limits, now func() time.Time) Provider {
	if now == nil {
		now = time.Now
	}
	if l.MaxWait == 0 {
		l.MaxWait = defaultMaxWait
	}
	out := &limited{next: p, limits: l, now: now}
	if l.RequestsPerMinute > 0 || l.TokensPerMinute > 0 {
		out.windows = append(out.windows, &window{span: time.Minute, requests: l.RequestsPerMinute, tokens: l.TokensPerMinute})
	}
	if l.RequestsPerDay > 0 || l.TokensPerDay > 0 {
		out.windows = append(out.windows, &window{span: 24 * time.Hour, requests: l.RequestsPerDay, tokens: l.TokensPerDay})
	}
	if l.Concurrent > 0 {
		out.seats = make(chan struct{}, l.Concurrent)
	}
	return out
}

type limited struct {
	next   Provider
	limits Limits
	now    func() time.Time
	seats  chan struct{}

	mu      sync.Mutex
	windows []*window
}

func (l *limited) Info() Info { return l.next.Info() }

func (l *limited) Generate(ctx context.Context, req *Request) (*Response, error) {
	info := l.next.Info()
	if err := l.sit(ctx); err != nil {
		return nil, notSent{err}
	}
	defer l.stand()
	if len(l.windows) == 0 {
		return l.next.Generate(ctx, req)
	}
	tokens := 0
	if l.limits.TokensPerMinute > 0 || l.limits.TokensPerDay > 0 {
		tokens = countInput(ctx, info.Model, req) + req.maxOutput()
	}
	at, err := l.turn(ctx, info, tokens)
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, at.Sub(l.now())); err != nil {
		l.correct(at, -1, -tokens)
		return nil, notSent{err}
	}
	resp, err := l.next.Generate(ctx, req)
	switch {
	case err == nil:
		l.correct(at, 0, resp.Usage.Input+resp.Usage.Output-tokens)
	case KindOf(err) == CircuitOpen:
		l.correct(at, -1, -tokens) // It was never sent.
	}
	return resp, err
}

// turn hands out the first time at which the call fits all windows.
func (l *limited) turn(ctx context.Context, info Info, tokens int) (time.Time, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	at := now
	for _, w := range l.windows {
		if w.tokens > 0 && tokens > w.tokens {
			return at, &Error{Kind: TooLong, Provider: info.Provider, Model: info.Model, Message: "the call alone is over the limit of tokens per " + spanName(w.span)}
		}
		w.forget(now)
		if last := w.last(); last.After(at) {
			at = last
		}
	}
	for moved := true; moved; {
		moved = false
		for _, w := range l.windows {
			if t := w.earliest(at, tokens); t.After(at) {
				at, moved = t, true
			}
		}
	}
	delay := at.Sub(now)
	if deadline, ok := ctx.Deadline(); delay > l.limits.MaxWait || ok && at.After(deadline) {
		return at, &Error{Kind: RateLimited, Provider: info.Provider, Model: info.Model, RetryAfter: delay, Message: "our own limit; the next call fits in " + delay.Round(time.Millisecond).String()}
	}
	for _, w := range l.windows {
		w.add(at, tokens)
	}
	return at, nil
}

func (l *limited) correct(at time.Time, requests, tokens int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.windows {
		w.change(at, requests, tokens)
	}
}

func (l *limited) sit(ctx context.Context) error {
	if l.seats == nil {
		return ctx.Err()
	}
	select {
	case l.seats <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *limited) stand() {
	if l.seats != nil {
		<-l.seats
	}
}

func spanName(d time.Duration) string {
	if d == time.Minute {
		return "minute"
	}
	return "day"
}
