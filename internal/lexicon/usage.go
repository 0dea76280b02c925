package lexicon

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Usage is what a user used of the day's translations.
type Usage struct {
	UserID  string `dynamodbav:"user_id" json:"-"`
	Used    int    `dynamodbav:"daily_used" json:"daily_used"`
	ResetAt Stamp  `dynamodbav:"reset_daily_at" json:"reset_daily_at"`
	Tier    string `dynamodbav:"tier" json:"tier"`
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
// RateLimited. It is one conditional write: however many ask at once, the limit
// holds; and without the store's word the answer is no. The stamp is what refund
// takes.
func (d *Desk) charge(ctx context.Context, p *Profile) (Stamp, error) {
	limit := d.o.Tiers[p.Tier].Translations
	key := model.Values{"user_id": p.UserID}
	used, reset := expression.Name("daily_used"), expression.Name("reset_daily_at")
	for try := 1; ; try++ {
		now := d.o.Now()
		midnight := stampOf(d.midnight(now))
		if limit > 0 {
			u, err := d.usages.Upsert(ctx, key, expression.Add(used, expression.Value(1)).Set(expression.Name("tier"), expression.Value(p.Tier)),
				reset.GreaterThan(expression.Value(stampOf(now))), used.LessThan(expression.Value(limit)))
			if err == nil {
				return u.ResetAt, nil
			}
			if !errors.Is(err, model.ErrCondition) && !errors.Is(err, model.ErrNotFound) {
				return "", failure(err)
			}
			// No item, a new day, or the limit.
			u, err = d.usages.Upsert(ctx, key,
				expression.Set(used, expression.Value(1)).Set(reset, expression.Value(midnight)).Set(expression.Name("tier"), expression.Value(p.Tier)),
				reset.AttributeNotExists().Or(reset.LessThanEqual(expression.Value(stampOf(now)))))
			if err == nil {
				return u.ResetAt, nil
			}
			if !errors.Is(err, model.ErrCondition) && !errors.Is(err, model.ErrNotFound) {
				return "", failure(err)
			}
		}
		full, err := d.spent(ctx, p.UserID, limit, now)
		if err != nil {
			return "", err
		}
		if full || try == conflictTries {
			e := errs.RateLimit(midnight.Time().Sub(now).Truncate(time.Second) + time.Second)
			e.Message = "You have used all translations of today."
			return "", e
		}
	}
}

// spent reports whether the day's translations are used up. If not, someone began
// the day between the two writes of charge.
func (d *Desk) spent(ctx context.Context, userID string, limit int, now time.Time) (bool, error) {
	if limit == 0 {
		return true, nil
	}
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
