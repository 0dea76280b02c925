package lexicon

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/model"
)

// Usage is what a user used of the day's translations.
type Usage struct {
	UserID  string `dynamodbav:"user_id" json:"-"`
	Used    int    `dynamodbav:"daily_used" json:"daily_used"`
	ResetAt Stamp  `dynamodbav:"reset_daily_at" json:"reset_daily_at"`
	Tier    string `dynamodbav:"tier" json:"tier"`
	TTL     int64  `dynamodbav:"ttl,omitempty" json:"-"` // of guests
}

// Usage returns what a user used today, and the limits that hold.
func (d *Desk) Usage(ctx context.Context, userID string) (Usage, Limits, error) {
	p, err := d.User(ctx, userID)
	if err != nil {
		return Usage{}, Limits{}, err
	}
	now := d.o.Now()
	u, err := d.usages.Get(ctx, model.Values{"user_id": userID})
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return Usage{}, Limits{}, failure(err)
	}
	if err != nil || u.ResetAt <= stampOf(now) {
		u = Usage{UserID: userID, ResetAt: stampOf(d.midnight(now))}
	}
	u.Tier = p.Tier
	return u, d.o.Tiers[p.Tier], nil
}

// charge counts one translation of the day, before it is made, or answers
// RateLimited beyond the limit. Each try is one conditional write: however many ask at once, the
// limit holds; and without the store's word the answer is no. The stamp is what
// refund takes.
func (d *Desk) charge(ctx context.Context, p *Profile, limit int) (Stamp, error) {
	for try := 1; limit > 0 && try < conflictTries; try++ {
		now := d.o.Now()
		for _, count := range []func(context.Context, *Profile, time.Time, int) (Stamp, error){d.countOn, d.countAnew} {
			reset, err := count(ctx, p, now, limit)
			if err == nil {
				return reset, nil
			}
			if !errors.Is(err, model.ErrCondition) && !errors.Is(err, model.ErrNotFound) {
				return "", failure(err)
			}
		}
		full, err := d.spent(ctx, p.UserID, limit, now)
		if err != nil {
			return "", err
		}
		if full {
			break
		}
	}
	return "", d.spentToday("You have used all translations of today.")
}

// countOn counts one more on a day that has begun.
func (d *Desk) countOn(ctx context.Context, p *Profile, now time.Time, limit int) (Stamp, error) {
	used, reset := expression.Name("daily_used"), expression.Name("reset_daily_at")
	u, err := d.usages.Update(ctx, model.Values{"user_id": p.UserID}, expression.Add(used, expression.Value(1)),
		reset.GreaterThan(expression.Value(stampOf(now))), used.LessThan(expression.Value(limit)))
	return u.ResetAt, err
}

// countAnew counts the first of a day.
func (d *Desk) countAnew(ctx context.Context, p *Profile, now time.Time, _ int) (Stamp, error) {
	reset := expression.Name("reset_daily_at")
	u := Usage{UserID: p.UserID, Used: 1, ResetAt: stampOf(d.midnight(now)), Tier: p.Tier}
	if isGuest(p.UserID) {
		u.TTL = now.Add(guestKept).Unix()
	}
	return u.ResetAt, d.usages.Put(ctx, &u, reset.AttributeNotExists().Or(reset.LessThanEqual(expression.Value(stampOf(now)))))
}

// spent reports whether the day's translations are used up. If not, someone began
// the day between the two writes of charge, or gave one back.
func (d *Desk) spent(ctx context.Context, userID string, limit int, now time.Time) (bool, error) {
	u, err := d.usages.Get(ctx, model.Values{"user_id": userID})
	if errors.Is(err, model.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, failure(err)
	}
	return u.ResetAt > stampOf(now) && u.Used >= limit, nil
}

// refund gives back what charge took, on the same day.
func (d *Desk) refund(ctx context.Context, userID string, charged Stamp) error {
	used, reset := expression.Name("daily_used"), expression.Name("reset_daily_at")
	_, err := d.usages.Update(ctx, model.Values{"user_id": userID}, expression.Add(used, expression.Value(-1)),
		reset.Equal(expression.Value(charged)), used.GreaterThan(expression.Value(0)))
	if errors.Is(err, model.ErrCondition) || errors.Is(err, model.ErrNotFound) {
		return nil // another day has begun
	}
	return failure(err)
}
