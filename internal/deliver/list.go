package deliver

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// Suppression is an address that gets nothing any more.
type Suppression struct {
	Channel string `dynamodbav:"channel" json:"channel"`
	Target  string `dynamodbav:"target" json:"target"`
	Reason  string `dynamodbav:"reason" json:"reason"`
	At      string `dynamodbav:"at" json:"at"`
}

// Suppress keeps everything from an address: it does not exist, or its owner complained.
func (l *Ledger) Suppress(ctx context.Context, channel, to, reason string) error {
	return l.suppressed.Put(ctx, &Suppression{Channel: channel, Target: target(channel, to), Reason: short(reason), At: l.now()})
}

// strikes are the days on which an address refused a message for good.
type strikes struct {
	Channel string   `dynamodbav:"channel"`
	Target  string   `dynamodbav:"target"`
	Days    []string `dynamodbav:"days,stringset"`
	TTL     int64    `dynamodbav:"ttl"`
}

// An address that refuses for good on so many days of a month is suppressed. One full
// mailbox, or one day on which a server takes everything for spam, ends nothing.
const (
	mostStrikes = 3
	strikesKept = 30 * 24 * time.Hour
)

// Strike counts a refusal for good that may pass, such as a full mailbox: each day once.
// The third day within thirty suppresses the address. Whoever knows that an address is
// gone, or that its owner complained, calls [Ledger.Suppress] instead.
func (l *Ledger) Strike(ctx context.Context, channel, to, reason string) error {
	now, key := l.o.Now(), model.Values{"channel": channel, "target": target(channel, to)}
	was, err := l.strikes.Upsert(ctx, key, expression.
		Add(expression.Name("days"), expression.Value(&types.AttributeValueMemberSS{Value: []string{now.UTC().Format(time.DateOnly)}})).
		Set(expression.Name("ttl"), expression.Value(now.Add(strikesKept).Unix())))
	if err != nil {
		return err
	}
	recent := slices.DeleteFunc(was.Days, func(day string) bool {
		return day <= now.Add(-strikesKept).UTC().Format(time.DateOnly)
	})
	if len(recent) < mostStrikes {
		return nil
	}
	return l.Suppress(ctx, channel, to, fmt.Sprintf("refused on %d days: %s", len(recent), reason))
}

// Unsuppress lets an address be written to again, and forgets its strikes.
func (l *Ledger) Unsuppress(ctx context.Context, channel, to string) error {
	key := model.Values{"channel": channel, "target": target(channel, to)}
	return errors.Join(l.suppressed.Delete(ctx, key), l.strikes.Delete(ctx, key))
}

// Suppressed returns why an address gets nothing; [errs.NotFound] if it gets letters.
func (l *Ledger) Suppressed(ctx context.Context, channel, to string) (Suppression, error) {
	s, err := l.suppressed.Get(ctx, model.Values{"channel": channel, "target": target(channel, to)})
	if errors.Is(err, model.ErrNotFound) {
		err = fmt.Errorf("suppression of an address: %w", errs.NotFound)
	}
	return s, err
}

// Suppressions yields the addresses of a channel that get nothing, the last first.
func (l *Ledger) Suppressions(ctx context.Context, channel string) iter.Seq2[Suppression, error] {
	return l.suppressed.All(ctx, "Suppressions", model.Values{"channel": channel})
}

// About yields all deliveries of a story, consistently, those to one recipient in the
// order of their revisions.
func (l *Ledger) About(ctx context.Context, ref story.Ref) iter.Seq2[Delivery, error] {
	return func(yield func(Delivery, error) bool) {
		for part := range parts {
			for d, err := range l.about.All(ctx, model.Values{"desk": ref.Desk, "id": ref.ID, "part": strconv.Itoa(part)}, model.Window{}) {
				if !yield(d, err) || err != nil {
					return
				}
			}
		}
	}
}

// Forget puts a sign in the place of a story's title in the ledger. Who was sent what
// stays on record.
func (l *Ledger) Forget(ctx context.Context, ref story.Ref, sign string) error {
	for d, err := range l.About(ctx, ref) {
		if err == nil && d.Title != sign {
			_, err = l.deliveries.Modify(ctx, d.key(), func(d *Delivery) error {
				d.Title = sign
				return nil
			})
		}
		if errors.Is(err, model.ErrNotFound) {
			continue // expired
		}
		if err != nil {
			return fmt.Errorf("forget the title of %s: %w", ref, err)
		}
	}
	return nil
}

// Recent returns what a recipient was sent, the last first, at most so many.
func (l *Ledger) Recent(ctx context.Context, recipient string, most int) ([]Delivery, error) {
	var all []Delivery
	for d, err := range l.deliveries.All(ctx, "To", model.Values{"recipient": recipient}) {
		if err != nil {
			return nil, err
		}
		if all = append(all, d); len(all) >= most {
			break
		}
	}
	return all, nil
}

// GivenUp returns what could not be sent, the last first, at most so many.
func (l *Ledger) GivenUp(ctx context.Context, most int) ([]Delivery, error) {
	var all []Delivery
	for d, err := range l.deliveries.All(ctx, "GivenUp", nil) {
		if err != nil {
			return nil, err
		}
		if all = append(all, d); len(all) >= most {
			break
		}
	}
	return all, nil
}

// Get returns a delivery as it is now, or [model.ErrNotFound]. d says which one.
func (l *Ledger) Get(ctx context.Context, d *Delivery) (Delivery, error) {
	return l.deliveries.Get(ctx, d.key())
}

// Replay lets a delivery that was given up be sent again, at once. One that was not given
// up is an [errs.Conflict].
func (l *Ledger) Replay(ctx context.Context, d *Delivery) error {
	return l.change(ctx, d, func(now *Delivery) error {
		if now.State != Failed {
			return errs.New(errs.Conflict, "Only what was given up can be sent again.")
		}
		now.State, now.Queue, now.Due, now.Attempts = Waiting, now.Part, l.now(), 0
		return nil
	})
}

// ReplayAll replays what was given up, or those of it with the given ids, and returns how
// many.
func (l *Ledger) ReplayAll(ctx context.Context, ids ...string) (int, error) {
	n := 0
	for d, err := range l.deliveries.All(ctx, "GivenUp", nil) {
		if err != nil {
			return n, err
		}
		if len(ids) > 0 && !slices.Contains(ids, d.ID()) {
			continue
		}
		if err := l.Replay(ctx, &d); err != nil && !errors.Is(err, errs.Conflict) {
			return n, err
		}
		n++
	}
	return n, nil
}

// Drop ends a delivery that is not being sent: it waits, was given up, or is to be left
// out of the digest that it was gathered into.
func (l *Ledger) Drop(ctx context.Context, d *Delivery, reason string) error {
	return l.change(ctx, d, func(now *Delivery) error {
		if now.State == Sending || now.State == Sent {
			return errs.New(errs.Conflict, "It has been sent.")
		}
		now.State, now.Queue, now.Due, now.Reason = Dropped, "", "", short(reason)
		return nil
	})
}

func (l *Ledger) change(ctx context.Context, d *Delivery, change func(*Delivery) error) error {
	now, err := l.deliveries.Modify(ctx, d.key(), change)
	if errors.Is(err, model.ErrNotFound) {
		return fmt.Errorf("delivery %s: %w", d.ID(), errs.NotFound)
	}
	if err == nil {
		*d = now
	}
	return err
}

// Backlog counts what waits or was given up, each up to a number, and says since when
// the oldest that waits has been due; zero if there is none.
func (l *Ledger) Backlog(ctx context.Context, most int) (waiting, failed int, oldest time.Time, err error) {
	count := func(queue string, n *int, see func(Delivery) error) error {
		for d, err := range l.due.All(ctx, model.Values{"queue": queue}, model.Window{To: l.now()}) {
			if err != nil {
				return err
			}
			if err := see(d); err != nil {
				return err
			}
			if *n++; *n >= most {
				return nil
			}
		}
		return nil
	}
	for part := range parts {
		if err := count(strconv.Itoa(part), &waiting, func(d Delivery) error {
			due, err := model.ParseTime(d.Due)
			if err == nil && (oldest.IsZero() || due.Before(oldest)) {
				oldest = due
			}
			return err
		}); err != nil {
			return 0, 0, time.Time{}, err
		}
	}
	err = count(failedQueue, &failed, func(Delivery) error { return nil })
	return min(waiting, most), failed, oldest, err
}

func levelOf(r *Refusal) slog.Level {
	if r.Final || r.Dead {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

func attrs(d *Delivery, r *Refusal) []slog.Attr {
	return []slog.Attr{
		slog.String("id", d.ID()), slog.String("story", d.Ref.String()), slog.String("channel", d.Channel),
		slog.Int("attempt", d.Attempts), slog.String("reason", short(r.Reason)),
	}
}
