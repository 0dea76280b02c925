package deliver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"pressroom/model"
)

// failedQueue is where deliveries are that were given up.
const failedQueue = "failed"

// send sends one delivery and writes down what came of it. It reports whether it moved
// the delivery on, and returns the refusal if the other side could not be reached. An
// error is one of the store.
func (l *Ledger) send(ctx context.Context, d *Delivery, before *Refusal) (bool, *Refusal, error) {
	if before != nil && d.State == Waiting { // it would wait for an answer like the one before
		l.later(d, before.Reason, max(before.After, time.Minute))
		return l.marked(ctx, d)
	}
	if err := l.limits.wait(ctx, d); err != nil {
		return false, nil, nil // the turn is over
	}
	if d.State == Sending {
		d.Doubtful++
	}
	d.State = Sending
	d.Attempts++
	if ok, _, err := l.marked(ctx, d); !ok {
		return false, nil, err
	}
	// From here on the delivery is composed of what is true now: whoever corrects the
	// story hereafter finds it marked.
	err := l.hand(ctx, d)
	if ctx.Err() != nil && err != nil {
		return false, nil, nil // nobody knows the end; the next one to come says so
	}
	answer := l.ended(ctx, d, err)
	ok, _, err := l.kept(ctx, d)
	return ok, answer, err
}

// hand composes the message and gives it to the channel.
func (l *Ledger) hand(ctx context.Context, d *Delivery) error {
	channel, ok := l.o.Channels[d.kind()]
	if !ok {
		return &Refusal{Reason: "no channel is called " + d.Channel, Final: true}
	}
	m, err := l.o.Compose(ctx, d)
	if err != nil {
		return err
	}
	m.ID = d.ID()
	if s, err := l.suppressed.Get(ctx, model.Values{"channel": d.kind(), "target": target(d.kind(), m.To)}); err == nil {
		// A process may have died before it told.
		return cmp.Or(l.endedAt(ctx, d), error(&Unwanted{"the address is suppressed: " + s.Reason}))
	} else if !errors.Is(err, model.ErrNotFound) {
		return err
	}
	timeout := channel.Timeout
	if timeout <= 0 {
		timeout = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err = channel.Send(ctx, m)
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	switch {
	case refusal.Dead:
		return cmp.Or(l.Suppress(ctx, d.kind(), m.To, refusal.Reason), l.endedAt(ctx, d), err)
	case refusal.Strike:
		return cmp.Or(l.Strike(ctx, d.kind(), m.To, refusal.Reason), err)
	}
	return err
}

// endedAt tells that the address of a delivery has ended.
func (l *Ledger) endedAt(ctx context.Context, d *Delivery) error {
	if l.o.Ended == nil {
		return nil
	}
	return l.o.Ended(ctx, d)
}

// ended turns the answer into what the delivery then is. It returns a refusal if others
// to the same recipient should wait as well.
func (l *Ledger) ended(ctx context.Context, d *Delivery, err error) *Refusal {
	var unwanted *Unwanted
	refusal := &Refusal{}
	switch {
	case err == nil:
		d.State, d.Queue, d.Due, d.Reason, d.SentAt = Sent, "", "", "", l.now()
		return nil
	case errors.As(err, &unwanted):
		d.State, d.Queue, d.Due, d.Reason = Dropped, "", "", short(unwanted.Reason)
		return nil
	case !errors.As(err, &refusal):
		refusal = &Refusal{Reason: err.Error()}
	}
	l.o.Log.LogAttrs(ctx, levelOf(refusal), "a delivery was refused", attrs(d, refusal)...)
	if refusal.Final || refusal.Dead || d.Attempts >= l.o.Tries {
		l.giveUp(d, refusal.Reason)
		return nil
	}
	l.later(d, refusal.Reason, max(backoff(d.Attempts), min(refusal.After, longest)))
	return refusal
}

// giveUp ends a delivery that cannot be sent.
func (l *Ledger) giveUp(d *Delivery, reason string) {
	d.State, d.Queue, d.Due, d.Reason = Failed, failedQueue, l.now(), short(reason)
}

// later lets a delivery wait.
func (l *Ledger) later(d *Delivery, reason string, wait time.Duration) {
	d.State, d.Queue, d.Due, d.Reason = Waiting, d.Part, model.FormatTime(l.o.Now().Add(wait)), short(reason)
}

const longest = 6 * time.Hour

// backoff is how long to wait after so many attempts: from a minute up, twice as long
// each time, and never as long as others that failed at the same moment.
func backoff(attempts int) time.Duration {
	wait := min(time.Minute<<min(attempts-1, 20), longest)
	return wait/2 + rand.N(wait/2+1)
}

// marked writes the delivery over the version that was read. It reports false if
// another process has moved it on since.
func (l *Ledger) marked(ctx context.Context, d *Delivery) (bool, *Refusal, error) {
	err := l.deliveries.Put(ctx, d)
	if errors.Is(err, model.ErrStale) {
		return false, nil, nil
	}
	return err == nil, nil, err
}

// kept writes the end of a send down. If the store does not take it, a message that was
// sent would be sent again, so it is tried for a while.
func (l *Ledger) kept(ctx context.Context, d *Delivery) (ok bool, _ *Refusal, err error) {
	for try := range 6 {
		if ok, _, err = l.marked(context.WithoutCancel(ctx), d); err == nil {
			return ok, nil, nil
		}
		if model.Sleep(ctx, 50*time.Millisecond<<try) != nil {
			break
		}
	}
	return false, nil, fmt.Errorf("keep the end of delivery %s: %w", d.ID(), err)
}

// short keeps a reason to one line that fits.
func short(reason string) string {
	return cut(strings.Join(strings.Fields(reason), " "), reasonMax)
}

// cut keeps a text to so many bytes.
func cut(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "") }

// target is an address as it is compared.
func target(channel, to string) string {
	if at := strings.LastIndexByte(to, '@'); at >= 0 && !strings.Contains(channel, "hook") {
		return strings.ToLower(to)
	}
	return to
}
