package lexicon

import (
	"context"
	"errors"
	"net/mail"
	"slices"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Profile is who a user is at this desk. Signing in is not the desk's business;
// the id comes from whoever does that.
type Profile struct {
	UserID    string `dynamodbav:"user_id" json:"user_id"`
	Email     string `dynamodbav:"email" json:"email"`
	Tier      string `dynamodbav:"tier" json:"tier"`
	Status    string `dynamodbav:"status" json:"status"`
	CreatedAt Stamp  `dynamodbav:"created_at" json:"created_at"`
	UpdatedAt Stamp  `dynamodbav:"updated_at" json:"updated_at"`
	Version   int    `dynamodbav:"version" json:"version"`
}

// The tiers and the states of a user.
const (
	Free      = "free"
	Premium   = "premium"
	Guest     = "guest" // of those without an account, who have no profile
	Active    = "active"
	Suspended = "suspended"
	Cancelled = "cancelled" // the account is being deleted
)

// Limits are what a tier allows.
type Limits struct {
	Translations  int  // a day
	Characters    int  // of one translation
	History       bool // translations are kept
	Submissions   int  // in 24 hours; 0 for none at all
	QuizQuestions int  // a day; 0 for as many as one likes, and for guests none
}

// DefaultTiers are the limits that hold if nobody says otherwise.
func DefaultTiers() map[string]Limits {
	return map[string]Limits{
		Guest:   {Translations: 5, Characters: 50, QuizQuestions: 10},
		Free:    {Translations: 10, Characters: 50, QuizQuestions: 10},
		Premium: {Translations: 100, Characters: 100, History: true, Submissions: 10},
	}
}

// Limits returns what a tier allows.
func (d *Desk) Limits(tier string) Limits { return d.o.Tiers[tier] }

// UserRow is what UsersTierIndex has of a user.
type UserRow struct {
	UserID    string `dynamodbav:"user_id" json:"user_id"`
	Tier      string `dynamodbav:"tier" json:"tier"`
	UpdatedAt Stamp  `dynamodbav:"updated_at" json:"updated_at"`
}

func checkUserID(id string) error {
	if _, problem := cleanText(id, idMax); id == "" || len(id) > idMax || problem != "" || isGuest(id) {
		return invalid("user_id", "must be 1 to %d bytes of text", idMax)
	}
	return nil
}

// checkEmail lets an account without an address pass.
func checkEmail(email string) error {
	if email == "" {
		return nil
	}
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email || len(email) > 1280 {
		return invalid("email", "must be an address")
	}
	return nil
}

// EnsureUser returns the profile of a user, and makes one on the free tier at the
// first time. The address may be empty.
func (d *Desk) EnsureUser(ctx context.Context, userID, email string) (Profile, error) {
	if err := checkUserID(userID); err != nil {
		return Profile{}, err
	}
	if err := checkEmail(email); err != nil {
		return Profile{}, err
	}
	now := d.now()
	p := Profile{UserID: userID, Email: email, Tier: Free, Status: Active, CreatedAt: now, UpdatedAt: now}
	err := d.profiles.Create(ctx, &p)
	if errors.Is(err, model.ErrExists) {
		return d.User(ctx, userID)
	}
	return p, failure(err)
}

// User returns a user's profile, or NotFound.
func (d *Desk) User(ctx context.Context, userID string) (Profile, error) {
	if userID == "" || len(userID) > idMax {
		return Profile{}, errs.NotFound
	}
	if isGuest(userID) {
		return guestProfile(userID), nil
	}
	p, err := d.profiles.Get(ctx, model.Values{"user_id": userID})
	return p, failure(err)
}

// active returns the profile of a user who may do things, and an error for
// everyone else, also if nobody can say.
func (d *Desk) active(ctx context.Context, userID string) (Profile, error) {
	p, err := d.User(ctx, userID)
	switch {
	case errors.Is(err, errs.NotFound):
		return p, errs.Wrap(err, errs.Forbidden, "You have no profile at the lexicon yet. Sign in again.")
	case err != nil:
		return p, err
	case p.Status != Active:
		return p, errs.New(errs.Forbidden, "Your account is %s.", p.Status)
	}
	return p, nil
}

// SetTier puts a user on a tier, as an operator or a payment does.
func (d *Desk) SetTier(ctx context.Context, userID, tier string) (Profile, error) {
	if !slices.Contains(tiers, tier) {
		return Profile{}, invalid("tier", "must be free or premium")
	}
	return d.changeUser(ctx, userID, func(p *Profile) { p.Tier = tier })
}

// SetStatus suspends a user, or lets one be active again.
func (d *Desk) SetStatus(ctx context.Context, userID, status string) (Profile, error) {
	if status != Active && status != Suspended {
		return Profile{}, invalid("status", "must be active or suspended")
	}
	return d.changeUser(ctx, userID, func(p *Profile) { p.Status = status })
}

// SetEmail changes a user's address.
func (d *Desk) SetEmail(ctx context.Context, userID, email string) (Profile, error) {
	if err := checkEmail(email); err != nil {
		return Profile{}, err
	}
	return d.changeUser(ctx, userID, func(p *Profile) { p.Email = email })
}

func (d *Desk) changeUser(ctx context.Context, userID string, change func(*Profile)) (Profile, error) {
	if userID == "" || len(userID) > idMax {
		return Profile{}, errs.NotFound
	}
	p, err := d.profiles.Modify(ctx, model.Values{"user_id": userID}, func(p *Profile) error {
		if p.Status == Cancelled {
			return errs.New(errs.Conflict, "The account is being deleted.")
		}
		change(p)
		p.UpdatedAt = d.now()
		return nil
	})
	return p, failure(err)
}

// UsersByTier lists the users of a tier, the last changed first.
func (d *Desk) UsersByTier(ctx context.Context, tier string, p PageOptions) (Page[UserRow], error) {
	if !slices.Contains(tiers, tier) {
		return Page[UserRow]{}, invalid("tier", "must be free or premium")
	}
	return list(ctx, d.views.byTier, model.Values{"tier": tier}, p, model.Window{})
}

// TierReport counts the users of every tier.
func (d *Desk) TierReport(ctx context.Context) (map[string]int, error) {
	report := map[string]int{}
	for _, tier := range tiers {
		report[tier] = 0
		for _, err := range d.views.byTier.All(ctx, model.Values{"tier": tier}, model.Window{}) {
			if err != nil {
				return nil, failure(err)
			}
			report[tier]++
		}
	}
	return report, nil
}
