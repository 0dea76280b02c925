// Package letterapi is newsletters in JSON, for the programs of editors: under
// /api/v1/newsletters drafts are listed, written, previewed and scheduled.
//
// It promises that what has been sent is not changed any more, and that nobody sees a draft
// who may not write one. Start with [Register].
package letterapi

import (
	"context"
	"errors"
	"strconv"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/errs"
	"pressroom/internal/follow"
)

// Options are what the operations stand on; all are needed but Now.
type Options struct {
	Follows *follow.Follows
	// Sample is a newsletter before it goes.
	Sample func(ctx context.Context, l *follow.Letter, to, language string) (*deliver.Message, error)
	// Zone is the paper's, for times that name none.
	Zone func() *time.Location
	Now  func() time.Time // default time.Now
}

type service struct{ Options }

// Register puts newsletters on the API.
func Register(a *api.API, o Options) {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &service{o}
	conflict := []errs.Kind{errs.Conflict}
	const at = "/newsletters"
	api.Get(a, at, auth.Moderator, api.Op{ID: "listNewsletters", Summary: "Newsletters in a state, the last first"}, s.list)
	api.Post(a, at, auth.Moderator, api.Op{ID: "draftNewsletter", Summary: "Begin a newsletter"}, s.draft)
	api.Get(a, at+"/{id}", auth.Moderator, api.Op{ID: "getNewsletter", Summary: "A newsletter"}, s.get)
	api.Put(a, at+"/{id}", auth.Moderator, api.Op{
		ID: "changeNewsletter", Summary: "Change a newsletter that has not been sent", Fails: conflict,
		Doc: "One that was scheduled becomes a draft again.",
	}, s.change)
	api.Delete(a, at+"/{id}", auth.Moderator, api.Op{ID: "deleteNewsletter", Summary: "Delete a newsletter that has not been sent", Fails: conflict}, s.remove)
	api.Get(a, at+"/{id}/preview", auth.Moderator, api.Op{
		ID: "previewNewsletter", Summary: "A newsletter as its readers would get it now", Fails: conflict, Doc: "Without a story that is visible there is nothing to see.",
	}, s.preview)
	api.Post(a, at+"/{id}/schedule", auth.Moderator, api.Op{ID: "scheduleNewsletter", Summary: "Let a newsletter go at a time", Fails: conflict}, s.schedule)
}

// Letter is a newsletter as editors see it.
type Letter struct {
	ID      string `json:"id"`
	State   string `json:"state" enum:"draft,scheduled,mailing,sent"`
	At      string `json:"at" format:"date-time" doc:"when it was changed, is due, or was sent"`
	By      string `json:"by" doc:"who changed it last"`
	Version int    `json:"version"`
	Content
}

// Tag is the version, for If-Match.
func (l *Letter) Tag() string { return strconv.Itoa(l.Version) }

// Content is what an editor writes of a newsletter.
type Content struct {
	Title   string    `json:"title" min:"1" max:"200"`
	Intro   string    `json:"intro,omitempty" max:"5000" doc:"plain text; an empty line begins a paragraph"`
	Stories []string  `json:"stories,omitempty" max:"50" doc:"as desk/id, in their order"`
	Segment []Subject `json:"segment,omitempty" max:"20" doc:"only those who follow one of them too; everybody who wants newsletters if it is not there"`
}

// Subject is something that readers follow.
type Subject struct {
	Kind string `json:"kind" min:"1" max:"16"`
	Name string `json:"name" min:"1" max:"400"`
}

func letterOf(l follow.Letter) Letter {
	out := Letter{ID: l.ID, State: string(l.State), At: l.At, By: l.By, Version: l.Version, Content: Content{Title: l.Title, Intro: l.Intro, Stories: l.Stories}}
	for _, s := range l.Segment {
		out.Segment = append(out.Segment, Subject(s))
	}
	return out
}

// write puts what an editor wrote into a newsletter.
func (c *Content) write(ctx context.Context, l *follow.Letter) {
	l.Title, l.Intro, l.Stories, l.Segment, l.By = c.Title, c.Intro, c.Stories, nil, auth.NameOf(ctx)
	for _, s := range c.Segment {
		l.Segment = append(l.Segment, follow.Subject(s))
	}
}

func answer(l follow.Letter, err error) (*Letter, error) {
	if err != nil {
		return nil, err
	}
	out := letterOf(l)
	return &out, nil
}

type listInput struct {
	State string `query:"state" enum:"draft,scheduled,mailing,sent" default:"draft"`
	Limit int    `query:"limit" min:"1" max:"1000" default:"100"`
}

func (s *service) list(ctx context.Context, in *listInput) (*api.List[Letter], error) {
	all, err := s.Follows.Letters(ctx, follow.LetterState(in.State), in.Limit)
	if err != nil {
		return nil, err
	}
	return api.ListOf(all, "", letterOf), nil
}

func (s *service) draft(ctx context.Context, in *struct{ Body Content }) (*api.Created[Letter], error) {
	var l follow.Letter
	in.Body.write(ctx, &l)
	l, err := s.Follows.NewLetter(ctx, l)
	if err != nil {
		return nil, err
	}
	return &api.Created[Letter]{Location: "/newsletters/" + l.ID, Body: letterOf(l)}, nil
}

type byID struct {
	ID string `path:"id" min:"1" max:"128"`
}

func (s *service) get(ctx context.Context, in *byID) (*Letter, error) {
	return answer(s.Follows.Letter(ctx, in.ID))
}

func (s *service) change(ctx context.Context, in *struct {
	api.Edit
	byID
	Body Content
}) (*Letter, error) {
	return answer(s.Follows.ChangeLetter(ctx, in.ID, func(l *follow.Letter) error {
		if err := in.Match(strconv.Itoa(l.Version)); err != nil {
			return err
		}
		in.Body.write(ctx, l)
		return nil
	}))
}

func (s *service) remove(ctx context.Context, in *byID) (*api.None, error) {
	return &api.None{}, s.Follows.DeleteLetter(ctx, in.ID)
}

// Preview is a newsletter before it goes.
type Preview struct {
	Subject    string `json:"subject"`
	Text       string `json:"text"`
	HTML       string `json:"html"`
	Recipients int    `json:"recipients" doc:"who would get it now"`
}

func (s *service) preview(ctx context.Context, in *struct {
	byID
	Language string `query:"language" enum:"en,ja" default:"en"`
}) (*Preview, error) {
	l, err := s.Follows.Letter(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	m, err := s.Sample(ctx, &l, "", in.Language)
	var unwanted *deliver.Unwanted
	if errors.As(err, &unwanted) {
		return nil, errs.New(errs.Conflict, "None of its stories is visible. Add one first.")
	}
	if err != nil {
		return nil, err
	}
	to, err := s.Follows.Recipients(ctx, &l)
	if err != nil {
		return nil, err
	}
	return &Preview{Subject: m.Subject, Text: m.Text, HTML: m.HTML, Recipients: len(to)}, nil
}

// ScheduleInput says when a newsletter goes.
type ScheduleInput struct {
	At string `json:"at,omitempty" max:"40" doc:"2026-11-16T07:00:00+09:00, or 2026-11-16T07:00 by the paper's clock; at once if it is not there" example:"2026-11-16T07:00"`
}

func (s *service) schedule(ctx context.Context, in *struct {
	byID
	Body ScheduleInput
}) (*Letter, error) {
	at, err := follow.ParseTime(in.Body.At, s.Zone(), s.Now())
	if err != nil {
		return nil, err
	}
	return answer(s.Follows.Schedule(ctx, in.ID, auth.NameOf(ctx), at))
}
