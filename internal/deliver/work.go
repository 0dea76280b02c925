package deliver

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"pressroom/model"
)

// Run sends what is due, until ctx ends, which is no error. It ends with the first
// error of the store, and may be called again. As many processes as wanted may run it.
func (l *Ledger) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	for part := range parts {
		running.Go(func() {
			if err := l.runPart(ctx, strconv.Itoa(part)); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (l *Ledger) runPart(ctx context.Context, part string) error {
	for looks := 0; ctx.Err() == nil; looks++ {
		_, err := l.turn(ctx, part, looks%lookFar == 0)
		if err != nil && ctx.Err() == nil && !errors.Is(err, model.ErrLost) {
			return err
		}
		// After a turn others come first, so that work is spread.
		if model.Sleep(ctx, l.o.Poll/2+rand.N(l.o.Poll+1)) != nil {
			break
		}
	}
	return nil
}

// Drain sends what is due now, and returns when nothing is left that this process could
// do. It is for commands and tests.
func (l *Ledger) Drain(ctx context.Context) error {
	for part := range parts {
		for more := true; more; {
			var err error
			if more, err = l.turn(ctx, strconv.Itoa(part), true); err != nil {
				return err
			}
		}
	}
	return nil
}

// turn works on a part, if it has work and nobody else is at it. It reports whether it
// did something.
func (l *Ledger) turn(ctx context.Context, part string, far bool) (bool, error) {
	if work, err := l.hasWork(ctx, part, far); !work {
		return false, err
	}
	did := false
	_, err := l.hold(ctx, part, func(ctx context.Context) error {
		for began := time.Now(); time.Since(began) < l.o.Turn; {
			page, err := l.page(ctx, part, far)
			if err != nil || len(page) == 0 {
				return err
			}
			n, err := l.sendAll(ctx, page)
			did = did || n > 0
			if err != nil || n == 0 {
				return err
			}
		}
		return nil
	})
	return did, err
}

const (
	// horizon is how far ahead anything may be due. What is due later was written by a
	// process whose clock was wrong, and is due at once.
	horizon = 9 * 24 * time.Hour
	// lookFar is how many looks for work come before one beyond the horizon.
	lookFar = 1000
)

// windows are where due deliveries lie in a queue.
func (l *Ledger) windows(far bool) []model.Window {
	now := l.o.Now()
	all := []model.Window{{To: model.FormatTime(now)}}
	if far {
		all = append(all, model.Window{From: model.FormatTime(now.Add(horizon))})
	}
	return all
}

// hasWork reports whether something is due in a part.
func (l *Ledger) hasWork(ctx context.Context, part string, far bool) (bool, error) {
	for _, w := range l.windows(far) {
		for _, err := range l.waits.All(ctx, model.Values{"queue": part}, w) {
			return err == nil, err
		}
	}
	return false, nil
}

// page returns deliveries that are due, the longest due first.
func (l *Ledger) page(ctx context.Context, part string, far bool) ([]Delivery, error) {
	var page []Delivery
	for _, w := range l.windows(far) {
		for d, err := range l.due.All(ctx, model.Values{"queue": part}, w) {
			if err != nil {
				return nil, err
			}
			if page = append(page, d); len(page) == perPage {
				return page, nil
			}
		}
	}
	return page, nil
}

// sendAll sends the deliveries of a page and waits for all of them: whatever is marked
// as being sent when the next page is read was left so by a process that died. Those to
// one recipient by one channel go one after the other; when one finds nobody there, the
// rest wait with it. It returns how many it moved on.
func (l *Ledger) sendAll(ctx context.Context, page []Delivery) (int, error) {
	ways := map[string][]*Delivery{}
	for i := range page {
		way := page[i].Channel + " " + page[i].Recipient
		ways[way] = append(ways[way], &page[i])
	}
	var mu sync.Mutex
	var running sync.WaitGroup
	moved, failed := 0, error(nil)
	for _, all := range ways {
		l.sends <- struct{}{}
		running.Go(func() {
			defer func() { <-l.sends }()
			var trouble *Refusal
			for _, d := range all {
				ok, answer, err := l.send(ctx, d, trouble)
				if answer != nil {
					trouble = answer
				}
				mu.Lock()
				if ok {
					moved++
				}
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	running.Wait()
	if ctx.Err() != nil { // what came of it is not worth telling
		return moved, ctx.Err()
	}
	return moved, failed
}

// limits keeps what is sent by a channel below its bound: each part may send its share,
// and one process at a time has a part.
type limits struct{ by map[string][]*rate.Limiter }

func newLimits(channels map[string]Channel) *limits {
	l := &limits{map[string][]*rate.Limiter{}}
	for name, c := range channels {
		if c.PerSecond <= 0 {
			continue
		}
		for range parts {
			l.by[name] = append(l.by[name], rate.NewLimiter(rate.Limit(c.PerSecond/parts), max(1, int(c.PerSecond/parts))))
		}
	}
	return l
}

func (l *limits) wait(ctx context.Context, d *Delivery) error {
	all := l.by[d.kind()]
	if all == nil {
		return nil
	}
	part, err := strconv.Atoi(d.Part)
	if err != nil {
		return err
	}
	return all[part].Wait(ctx)
}
