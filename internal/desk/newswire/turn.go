package newswire

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/model"
)

// hostTurn is whose turn it is to ask a host.
type hostTurn struct {
	Host       string `dynamodbav:"host"`
	LeaseOwner string `dynamodbav:"leaseOwner"`
	LeaseUntil string `dynamodbav:"leaseUntil"`
	LastAt     string `dynamodbav:"lastAt"` // when the last answer had come
	NextAt     string `dynamodbav:"nextAt"` // not before, because the host says so
	TTL        int64  `dynamodbav:"ttl"`
}

// turns hands out turns to ask hosts: one request at a time, and the next one an
// interval after the last answer. Counting from the answer, and not from when
// the request was meant to leave, the host itself never sees two requests closer
// than the interval. The item in the table makes it hold across processes, as far
// as their clocks agree.
type turns struct {
	desk  *Desk
	mu    sync.Mutex
	local map[string]chan struct{} // one at a time of this process asks the table
	pause map[string]time.Time     // what hosts without an interval asked for
}

func newTurns(d *Desk) *turns {
	return &turns{desk: d, local: map[string]chan struct{}{}, pause: map[string]time.Time{}}
}

// turn is the right to ask a host once.
type turn struct {
	turns *turns
	host  string
	held  bool // in the table and in this process
}

// errLater is a host that asks to come back after a longer time.
type errLater struct {
	host  string
	until time.Time
}

func (e *errLater) Error() string {
	return fmt.Sprintf("%s asks to come back at %s", e.host, stamp(e.until))
}

// turnLease is how long a turn lasts if whoever has it dies. It is short, so that
// the others do not wait long for the dead, and is renewed during a request. What
// is left of it three quarters of the time is longer than the interval: even if the
// answer came just before the death, the next request keeps its distance.
func turnLease(interval time.Duration) time.Duration {
	return interval + interval/2 + time.Second
}

// hostLease is a lease that also waits for the time at which the host wants to be
// asked again.
var hostLease = model.Lease{Owner: leased.Owner, Until: leased.Until, After: []string{"nextAt"}}

// hold does the asking while the turn lasts, however long the host takes.
func (g *turn) hold(ctx context.Context, interval time.Duration, ask func(context.Context) error) error {
	if !g.held {
		return ask(ctx)
	}
	d, lease := g.turns.desk, turnLease(interval)
	return model.Hold(ctx, model.Holding{For: lease, Extend: func(ctx context.Context) error {
		_, err := d.hosts.Update(ctx, model.Values{"host": g.host}, leased.Extend(d.now().Add(lease)), leased.Mine(d.owner))
		if err != nil && ctx.Err() == nil {
			d.opt.Log.Warn("newswire: a turn was not made longer", "host", g.host, "error", err)
		}
		return err
	}}, ask)
}

// take waits for a turn. Without an interval there is nothing to wait for,
// unless the host asked for a pause.
func (t *turns) take(ctx context.Context, host string, interval time.Duration) (*turn, error) {
	got := &turn{turns: t, host: host}
	if interval <= 0 {
		return got, t.waitPause(ctx, host)
	}
	if err := t.lock(ctx, host); err != nil {
		return nil, err
	}
	for {
		wait, err := t.try(ctx, host, interval)
		if err == nil && wait == 0 {
			got.held = true
			return got, nil
		}
		if err == nil && wait > t.desk.opt.MaxWait {
			err = &errLater{host, t.desk.now().Add(wait)}
		}
		if err == nil {
			err = sleep(ctx, wait)
		}
		if err != nil {
			t.unlock(host)
			return nil, err
		}
	}
}

func (t *turns) waitPause(ctx context.Context, host string) error {
	t.mu.Lock()
	until := t.pause[host]
	t.mu.Unlock()
	wait := until.Sub(t.desk.now())
	switch {
	case wait <= 0:
		return nil
	case wait > t.desk.opt.MaxWait:
		return &errLater{host, until}
	}
	return sleep(ctx, wait)
}

// lock makes the goroutines of this process stand in line.
func (t *turns) lock(ctx context.Context, host string) error {
	t.mu.Lock()
	line, ok := t.local[host]
	if !ok {
		line = make(chan struct{}, 1)
		t.local[host] = line
	}
	t.mu.Unlock()
	select {
	case line <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turns) unlock(host string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	<-t.local[host]
}

// try takes the turn if it is free, or says how long to wait before trying again.
func (t *turns) try(ctx context.Context, host string, interval time.Duration) (time.Duration, error) {
	d := t.desk
	now := d.now()
	key := model.Values{"host": host}
	update := hostLease.Take(d.owner, now.Add(turnLease(interval))).Set(expression.Name("ttl"), expression.Value(now.Add(24*time.Hour).Unix()))
	rested := model.Passed("lastAt", now.Add(-interval))
	_, err := d.hosts.Upsert(ctx, key, update, hostLease.Free(now), rested)
	if err == nil {
		return 0, nil
	}
	if !errors.Is(err, model.ErrCondition) {
		return 0, told(err, "take turn at %s", host)
	}
	h, err := d.hosts.Get(ctx, key)
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return 0, told(err, "take turn at %s", host)
	}
	return h.wait(now, interval), nil
}

// wait is how long it takes until the turn may be free. Who holds it may give it
// back at any time, so that is looked at often.
func (h *hostTurn) wait(now time.Time, interval time.Duration) time.Duration {
	wait := time.Millisecond
	if next := timeOf(h.NextAt); next.After(now) {
		wait = max(wait, next.Sub(now))
	}
	if next := timeOf(h.LastAt).Add(interval); next.After(now) {
		wait = max(wait, next.Sub(now))
	}
	if until := timeOf(h.LeaseUntil); until.After(now) {
		wait = max(wait, min(until.Sub(now), max(interval/4, 2*time.Millisecond), 250*time.Millisecond))
	}
	return wait
}

// done gives the turn back after the answer; later is how long the host asked to
// be left alone.
func (g *turn) done(later time.Duration) {
	t := g.turns
	d := t.desk
	end := d.now()
	if !g.held {
		if later > 0 {
			t.mu.Lock()
			t.pause[g.host] = end.Add(later)
			t.mu.Unlock()
		}
		return
	}
	defer t.unlock(g.host)
	// The work may have been cancelled; the turn is given back all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.ctx), 10*time.Second)
	defer cancel()
	// Stored times are cut to milliseconds: round up, or the next would be early.
	last := stamp(end.Add(time.Millisecond - time.Nanosecond))
	update := leased.End(expression.Set(expression.Name("lastAt"), expression.Value(last)))
	if later > 0 {
		update = update.Set(expression.Name("nextAt"), expression.Value(stamp(end.Add(later))))
	}
	_, err := d.hosts.Update(ctx, model.Values{"host": g.host}, update, leased.Mine(d.owner))
	if err != nil && !errors.Is(err, model.ErrCondition) && !errors.Is(err, model.ErrNotFound) {
		d.opt.Log.Warn("newswire: a turn was not given back; it ends by itself", "host", g.host, "error", err)
	}
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
