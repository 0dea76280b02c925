package lexicon

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/netip"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// A guest is somebody who tries quizzes and translations without an account. Guests
// have the limits of the tier Guest, counted by day and network, and no statistics and
// no history; what is counted goes after two days.
const (
	guestPrefix = "guest:"
	allGuests   = guestPrefix + "all"
	guestKept   = 48 * time.Hour
)

// Guest returns the user that a caller without an account is today. It does not tell
// the address, nor which users of other days were the same caller.
func (d *Desk) Guest(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	network := addr.String()
	if p, err := addr.Prefix(64); err == nil && addr.Is6() { // whoever has one address has its /64
		network = p.String()
	}
	h := hmac.New(sha256.New, d.o.CursorKey)
	h.Write([]byte("guest " + d.day(d.o.Now()) + " " + network))
	return guestPrefix + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}

func isGuest(userID string) bool { return strings.HasPrefix(userID, guestPrefix) }

func guestProfile(userID string) Profile {
	return Profile{UserID: userID, Tier: Guest, Status: Active}
}

// quizOwner is whom a quiz is stored under. A guest's is found by its id alone, which
// nobody guesses: a phone may change its network between two questions.
func quizOwner(userID, id string) string {
	if isGuest(userID) {
		return guestPrefix + id
	}
	return userID
}

// needAccount is what guests are told where there is nothing for them.
func needAccount() error { return errs.New(errs.Unauthenticated, "Sign in to go on.") }

// countGuestQuiz counts all questions of a guest's quiz before it is stored, so that nobody
// fills the table with quizzes that are never played.
func (d *Desk) countGuestQuiz(ctx context.Context, userID string, questions int) error {
	now := d.o.Now()
	count := expression.Name("quiz_count")
	_, err := d.quizDays.Upsert(ctx, model.Values{"user_id": userID, "day": d.day(now)},
		expression.Add(count, expression.Value(questions)).Set(expression.Name("ttl"), expression.Value(now.Add(guestKept).Unix())),
		count.AttributeNotExists().Or(count.LessThanEqual(expression.Value(d.o.Tiers[Guest].QuizQuestions-questions))))
	if errors.Is(err, model.ErrCondition) {
		return d.spentToday("These are all quiz questions of today without an account.")
	}
	return failure(err)
}

// guestModel reports whether the language model translates for a guest, and counts
// that it does. Beyond what all guests together have of a day, the lexicon translates alone.
func (d *Desk) guestModel(ctx context.Context) (bool, error) {
	all := guestProfile(allGuests)
	_, err := d.charge(ctx, &all, d.o.GuestModel)
	if errors.Is(err, errs.RateLimited) {
		return false, nil
	}
	return err == nil, err
}

// spentToday is RateLimited until the day ends.
func (d *Desk) spentToday(message string) error {
	now := d.o.Now()
	e := errs.RateLimit(d.midnight(now).Sub(now).Truncate(time.Second) + time.Second)
	e.Message = message
	return e
}
