// Package lexicondesk declares the lexicon as a desk of the newsroom: its settings,
// pages, JSON, jobs, queues, documents and commands, put together.
//
// Start with [Desk]; command.go has the commands.
package lexicondesk

import (
	"context"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/desk"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/lexicon/lexiconapi"
	"pressroom/internal/desk/lexicon/lexiconweb"
	"pressroom/internal/ops"
	"pressroom/internal/review"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// Desk is the lexicon. Its users are the newsroom's accounts, by their ids.
var Desk = desk.Desk{
	Schema:   lexicon.Schema,
	Models:   true,
	Settings: func() any { return new(Settings) },
	Open:     open,
	Commands: commands,
}

// Settings say how the lexicon counts.
type Settings struct {
	LexiconTimeZone string     `name:"lexicon-time-zone" hidden:"" default:"UTC" help:"The time zone in which the day of limits, quizzes and trends ends, such as Asia/Tokyo."`
	LexiconFree     tierLimits `name:"lexicon-free" hidden:"" default:"translations=10,characters=50,history=false,submissions=0,quiz-questions=10" sep:"none" help:"What the free tier allows: translations a day, characters of one, whether they are kept, proposals in 24 hours, quiz questions a day (0 is as many as one likes)."`
	LexiconGuest    tierLimits `name:"lexicon-guest" hidden:"" default:"translations=5,characters=50,quiz-questions=10" sep:"none" help:"What may be tried without an account, for each network address: translations a day, characters of one, quiz questions a day. What is not named, or 0, needs an account."`
	LexiconGuestLLM int        `name:"lexicon-guest-model" hidden:"" default:"0" help:"How many translations a day the language model makes for all who have no account, together. The lexicon's own words serve the others, and cost nothing."`
	LexiconPremium  tierLimits `name:"lexicon-premium" hidden:"" default:"translations=100,characters=100,history=true,submissions=10,quiz-questions=0" sep:"none" help:"What the premium tier allows."`
}

// open builds the lexicon, which explains its terms in the texts of all desks.
func open(ctx context.Context, room *desk.Room) (*desk.Parts, error) {
	d, err := build(ctx, room)
	if err != nil {
		return nil, err
	}
	return &desk.Parts{
		Pages: func(site *web.Site, _ *search.Service) error { return lexiconweb.Register(site, d, room.Accounts) },
		JSON:  func(a *api.API) { lexiconapi.Register(a, d) },
		Shelf: d.Shelf(), Traces: d.Traces(),
		Review:     []review.Queue{proposed(d)},
		Jobs:       jobs(d),
		Watch:      submissions(d),
		Check:      d.Check,
		Background: d.KeepCounts,
		Forget:     d.DeleteAccount,
		Kept:       func(ctx context.Context, account string) (any, error) { return d.Kept(ctx, account) },
	}, nil
}

func build(ctx context.Context, room *desk.Room) (*lexicon.Desk, error) {
	set := room.Settings.(*Settings)
	provider, err := room.Provider(ctx)
	if err != nil {
		return nil, err
	}
	zone, err := desk.Zone("--lexicon-time-zone", set.LexiconTimeZone)
	if err != nil {
		return nil, err
	}
	return lexicon.New(room.Tables, provider, &lexicon.Options{
		Schema: room.Schema, Stories: room.Stories, Log: room.Log, Track: room.Track, Zone: zone, CursorKey: room.Key,
		Tiers: map[string]lexicon.Limits{
			lexicon.Guest: lexicon.Limits(set.LexiconGuest), lexicon.Free: lexicon.Limits(set.LexiconFree), lexicon.Premium: lexicon.Limits(set.LexiconPremium),
		},
		GuestModel: set.LexiconGuestLLM,
	})
}

// validateBatch is how many proposals one run of the job judges.
const validateBatch = 50

// jobs are the desk's jobs: one process at a time does each.
func jobs(d *lexicon.Desk) []ops.Job {
	return []ops.Job{
		{
			Name: "lexicon-validate", Doc: "Has the language model judge proposed terms; without one, moderators get them unjudged.",
			Every: 20 * time.Second,
			Run: func(ctx context.Context, p *ops.Progress) error {
				report, err := d.Validate(ctx, validateBatch)
				p.Add(report.Judged)
				p.Count("judged", report.Judged)
				p.Count("delayed", report.Delayed)
				return err
			},
		},
		{
			Name: "lexicon-trends", Doc: "Brings the searches, translations and votes of days that are over into the trends.",
			Every: 15 * time.Minute,
			Run: func(ctx context.Context, p *ops.Progress) error {
				days, err := d.RunTrends(ctx)
				p.Add(days)
				p.Count("days", days)
				return err
			},
		},
	}
}

// submissions tells of those that wait for the validator and for moderators.
func submissions(d *lexicon.Desk) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		var r ops.Readings
		for _, list := range []struct {
			name, status string
			patience     time.Duration
		}{{"lexicon validation", lexicon.Pending, time.Hour}, {"lexicon moderation", lexicon.Validated, 72 * time.Hour}} {
			page, err := d.Submissions(ctx, list.status, lexicon.PageOptions{Limit: desk.LookedAt})
			if err != nil {
				return r, err
			}
			q := ops.Queue{Name: list.name, Most: desk.LookedAt, Patience: list.patience, Path: "/lexicon/moderation", Items: map[string]int{"waiting": len(page.Items)}}
			if len(page.Items) > 0 {
				q.Oldest = desk.Time(string(page.Items[0].CreatedAt))
			}
			r.Queues = append(r.Queues, q)
		}
		return r, nil
	})
}
