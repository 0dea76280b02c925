package auth

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// How guessing slows down. Each further failure doubles the wait, for the name,
// for the address and for a known device alike.
var (
	perName    = limit{free: 5, first: time.Second, longest: 15 * time.Minute, says: tooManySignIns}
	perAddress = limit{free: 30, first: time.Second, longest: 15 * time.Minute, says: tooManySignIns} // an address may be that of a whole office
	perDevice  = limit{free: 5, first: time.Second, longest: 15 * time.Minute, says: tooManySignIns}

	// Letters are counted whether or not they were wanted: by where they go to, so
	// that nobody is flooded, and by who asks for them.
	lettersTo   = limit{free: 3, first: 10 * time.Minute, longest: 6 * time.Hour, says: tooManyLetters}
	lettersFrom = limit{free: 20, first: time.Minute, longest: time.Hour, says: tooManyLetters}
	// Names that are taken are counted, so that nobody lists who has an account.
	namesFrom = limit{free: 20, first: time.Minute, longest: time.Hour, says: tooManyLetters}
)

const (
	forgetAfter = 24 * time.Hour
	chargeTries = 5

	tooManySignIns = "Too many failed sign-ins. Wait a little and try again."
	tooManyLetters = "Too many requests. Wait a little and try again."
)

// limit is how many attempts are free, how long the first one after them keeps the
// next away, and how long any does at most.
type limit struct {
	free           int
	first, longest time.Duration
	says           string
}

// nameTarget is what failures with a name count against, whether or not there is
// an account of that name. A hash has one length whatever was typed.
func nameTarget(name string) string { return "name:" + hashOf(name) }

// addressTarget is what failures from an address count against. Whoever has one
// IPv6 address has its /64.
func addressTarget(addr netip.Addr) string {
	return "addr:" + network(addr)
}

func network(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.String()
}

// charge is one failure that was counted in advance.
type charge struct {
	target string
	until  string // the wait that came with it; "" if there was none
}

// charge counts a failure before the password is looked at, so that a crowd of
// guesses at once is counted one by one; refund takes it back. Who must wait is
// RateLimited. Whoever cannot be counted is not let in.
func (a *Auth) charge(ctx context.Context, target string, l limit) (charge, error) {
	for range chargeTries {
		item, err := a.attempts.Get(ctx, model.Values{"target": target})
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return charge{}, storeError("count attempts", err)
		}
		now := a.o.Now()
		if item.BlockedUntil > model.FormatTime(now) {
			until, err := model.ParseTime(item.BlockedUntil)
			if err != nil {
				return charge{}, storeError("count attempts", err)
			}
			return charge{}, l.tooMany(until.Sub(now))
		}
		if item.LastAt < model.FormatTime(now.Add(-forgetAfter)) {
			item.Failures = 0
		}
		item.Target, item.LastAt, item.TTL = target, model.FormatTime(now), now.Add(forgetAfter).Unix()
		item.Failures++
		item.BlockedUntil = ""
		if item.Failures > l.free {
			item.BlockedUntil = model.FormatTime(now.Add(l.wait(item.Failures - l.free)))
		}
		err = a.attempts.Put(ctx, &item)
		if err == nil {
			return charge{target, item.BlockedUntil}, nil
		}
		if !errors.Is(err, model.ErrStale) && !errors.Is(err, model.ErrExists) {
			return charge{}, storeError("count attempts", err)
		}
	}
	return charge{}, l.tooMany(time.Second) // others are trying the same at this moment
}

// wait is how long the n-th attempt too many keeps the next one away.
func (l limit) wait(n int) time.Duration {
	if n > 20 {
		return l.longest
	}
	return min(l.first<<(n-1), l.longest)
}

func (l limit) tooMany(after time.Duration) error {
	e := errs.RateLimit(max(after, time.Second))
	e.Message = l.says
	return e
}

// forgive forgets all failures of the target.
func (a *Auth) forgive(ctx context.Context, target string) error {
	return storeError("forget attempts", a.attempts.Delete(ctx, model.Values{"target": target}))
}

// refund takes back what a success was charged with, and leaves the failures of
// others: a guesser must not get rid of them by signing in to an account of his
// own, nor be given new tries whenever the owner signs in.
func (a *Auth) refund(ctx context.Context, paid []charge) error {
	var failed error
	for _, c := range paid {
		_, err := a.attempts.Modify(ctx, model.Values{"target": c.target}, func(i *attemptsItem) error {
			i.Failures = max(0, i.Failures-1)
			if i.BlockedUntil == c.until {
				i.BlockedUntil = ""
			}
			return nil
		})
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			failed = errors.Join(failed, storeError("forget attempts", err))
		}
	}
	return failed
}
