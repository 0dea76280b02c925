package lexiconapi

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
)

func (s *service) users(a *api.API) {
	api.Get(a, "/lexicon/users/me", auth.Reader, api.Op{ID: "getLexiconMe", Summary: "Your tier, what is left of today, and your quizzes"}, s.me)
	api.Delete(a, "/lexicon/users/me", auth.Reader, api.Op{
		ID: "deleteLexiconMe", Summary: "Remove all that the lexicon keeps of you",
		Doc: "Profile, limits, quizzes, translations, proposals and votes. Terms that the lexicon took over stay; they do not name you.",
	}, s.deleteMe)
	api.Get(a, "/lexicon/users/me/quiz-days", auth.Reader, api.Op{ID: "listQuizDays", Summary: "Your days with quizzes, the newest first"}, s.quizDays)
	api.Get(a, "/lexicon/users", auth.Operator, api.Op{ID: "listLexiconUsers", Summary: "Users of a tier, the last changed first", Hidden: true}, s.listUsers)
	api.Get(a, "/lexicon/users/{id}", auth.Operator, api.Op{ID: "getLexiconUser", Summary: "A user", Hidden: true}, s.user)
	api.Patch(a, "/lexicon/users/{id}", auth.Operator, api.Op{
		ID: "editLexiconUser", Summary: "Change a user's tier, or suspend a user", Hidden: true,
		Doc: "This is what a payment system calls when a subscription begins or ends.",
	}, s.editUser)
	api.Delete(a, "/lexicon/users/{id}", auth.Operator, api.Op{ID: "deleteLexiconUser", Summary: "Remove all that the lexicon keeps of a user", Hidden: true}, s.deleteUser)
	api.Get(a, "/lexicon/tiers", auth.Operator, api.Op{ID: "listTiers", Summary: "The tiers: what they allow, and how many users they have", Hidden: true}, s.tiers)
}

// Limits are what a tier allows.
type Limits struct {
	Translations  int  `json:"translations" doc:"a day"`
	Characters    int  `json:"characters" doc:"of one translation"`
	History       bool `json:"history" doc:"translations are kept"`
	Submissions   int  `json:"submissions" doc:"in 24 hours; 0 for none at all"`
	QuizQuestions int  `json:"quiz_questions" doc:"a day; 0 for as many as one likes"`
}

// Me is what the lexicon knows of whoever asks.
type Me struct {
	Profile lexicon.Profile   `json:"profile"`
	Usage   lexicon.Usage     `json:"usage"`
	Limits  Limits            `json:"limits"`
	Quizzes lexicon.QuizStats `json:"quizzes"`
}

func (s *service) me(ctx context.Context, _ *struct{}) (*Me, error) {
	p, err := s.member(ctx)
	if err != nil {
		return nil, err
	}
	usage, limits, err := s.desk.Usage(ctx, p.UserID)
	if err != nil {
		return nil, err
	}
	stats, err := s.desk.QuizStats(ctx, p.UserID)
	if err != nil {
		return nil, err
	}
	return &Me{p, usage, Limits(limits), stats}, nil
}

func (s *service) deleteMe(ctx context.Context, _ *struct{}) (*api.None, error) {
	who, err := actor(ctx)
	if err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.DeleteAccount(ctx, who)
}

func (s *service) quizDays(ctx context.Context, in *struct{ api.Page }) (*api.List[lexicon.QuizDay], error) {
	p, err := s.member(ctx)
	if err != nil {
		return nil, err
	}
	return list(s.desk.QuizDays(ctx, p.UserID, page(in.Page)))
}

func (s *service) listUsers(ctx context.Context, in *struct {
	api.Page
	Tier string `query:"tier" enum:"free,premium" default:"free"`
}) (*api.List[lexicon.UserRow], error) {
	return list(s.desk.UsersByTier(ctx, in.Tier, page(in.Page)))
}

// User is a user as operators see one.
type User struct{ lexicon.Profile }

// Tag is the profile's version.
func (u *User) Tag() string { return strconv.Itoa(u.Version) }

func (s *service) user(ctx context.Context, in *byID) (*User, error) {
	p, err := s.desk.User(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &User{p}, nil
}

// UserChange is what operators change.
type UserChange struct {
	Tier   string `json:"tier,omitempty" enum:"free,premium"`
	Status string `json:"status,omitempty" enum:"active,suspended"`
}

type editUser struct {
	api.Edit
	byID
	Body UserChange
}

func (s *service) editUser(ctx context.Context, in *editUser) (*User, error) {
	u, err := s.user(ctx, &in.byID)
	if err != nil {
		return nil, err
	}
	if err := in.Match(u.Tag()); err != nil {
		return nil, err
	}
	if in.Body.Tier != "" && in.Body.Tier != u.Tier {
		if u.Profile, err = s.desk.SetTier(ctx, in.ID, in.Body.Tier); err != nil {
			return nil, err
		}
	}
	if in.Body.Status != "" && in.Body.Status != u.Status {
		if u.Profile, err = s.desk.SetStatus(ctx, in.ID, in.Body.Status); err != nil {
			return nil, err
		}
	}
	return u, nil
}

func (s *service) deleteUser(ctx context.Context, in *byID) (*api.None, error) {
	if _, err := s.desk.User(ctx, in.ID); err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.DeleteAccount(ctx, in.ID)
}

// Tier is a tier with its users counted.
type Tier struct {
	Name   string `json:"tier"`
	Users  int    `json:"users"`
	Limits Limits `json:"limits"`
}

// Tiers are all of them.
type Tiers struct {
	Items []Tier `json:"items"`
}

func (s *service) tiers(ctx context.Context, _ *struct{}) (*Tiers, error) {
	report, err := s.desk.TierReport(ctx)
	if err != nil {
		return nil, err
	}
	out := &Tiers{Items: []Tier{}}
	for _, name := range slices.Sorted(maps.Keys(report)) {
		out.Items = append(out.Items, Tier{name, report[name], Limits(s.desk.Limits(name))})
	}
	return out, nil
}
