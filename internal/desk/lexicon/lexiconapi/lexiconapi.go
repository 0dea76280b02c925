// Package lexiconapi is the lexicon's JSON: terms and trends for everyone, who may
// also try quizzes and translations; proposals, statistics and histories for readers,
// decisions for moderators, tiers for operators, all under /api/v1/lexicon.
//
// It promises that nobody sees another's quizzes, translations or rejected
// proposals, and that what a caller does is done as the caller's own user, who is
// made at the first time. Start with [Register].
package lexiconapi

import (
	"context"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/front"
)

// service is the desk behind the operations.
type service struct{ desk *lexicon.Desk }

// Register puts the lexicon's operations on the API.
func Register(a *api.API, desk *lexicon.Desk) {
	s := &service{desk}
	s.terms(a)
	s.submissions(a)
	s.moderation(a)
	s.quizzes(a)
	s.translations(a)
	s.users(a)
}

// member returns the desk's user of whoever asks.
func (s *service) member(ctx context.Context) (lexicon.Profile, error) {
	account := auth.From(ctx)
	if account == nil {
		return lexicon.Profile{}, errs.Unauthenticated
	}
	return s.desk.Member(ctx, account.ID, account.Email)
}

// asMember does something as the desk's user of whoever asks.
func asMember[T any](ctx context.Context, s *service, do func(userID string) (T, error)) (*T, error) {
	p, err := s.member(ctx)
	if err != nil {
		return nil, err
	}
	out, err := do(p.UserID)
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// asPlayer does something as the desk's user of whoever asks, or as a guest.
func asPlayer[T any](ctx context.Context, s *service, do func(userID string) (T, error)) (*T, error) {
	if auth.From(ctx) != nil {
		return asMember(ctx, s, do)
	}
	out, err := do(s.desk.Guest(front.ClientAddr(ctx)))
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// trying bounds what one address tries, whatever comes of it; the day's limits are the
// desk's.
var trying = front.Rate{PerSecond: 1, Burst: 60}

// actor is whoever decides, by the account's id.
func actor(ctx context.Context) (string, error) {
	account := auth.From(ctx)
	if account == nil {
		return "", errs.Unauthenticated
	}
	return account.ID, nil
}

func page(p api.Page) lexicon.PageOptions {
	return lexicon.PageOptions{Limit: p.Limit, Cursor: p.Cursor}
}

func list[T any](p lexicon.Page[T], err error) (*api.List[T], error) {
	if err != nil {
		return nil, err
	}
	return api.ListOf(p.Items, p.Next, func(v T) T { return v }), nil
}

type byID struct {
	ID string `path:"id" min:"1" max:"128"`
}

type bySlug struct {
	Slug string `path:"slug" min:"1" max:"400" doc:"the term's name in addresses"`
}
