package cli

import (
	"context"
	"time"

	"pressroom/internal/cli/catalogue"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/lexicon/lexiconapi"
	"pressroom/internal/desk/lexicon/lexiconweb"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
)

// lexiconDeskSettings say how the lexicon counts.
type lexiconDeskSettings struct {
	LexiconTimeZone string     `name:"lexicon-time-zone" hidden:"" default:"UTC" help:"The time zone in which the day of limits, quizzes and trends ends, such as Asia/Tokyo."`
	LexiconFree     tierLimits `name:"lexicon-free" hidden:"" default:"translations=10,characters=50,history=false,submissions=0,quiz-questions=10" sep:"none" help:"What the free tier allows: translations a day, characters of one, whether they are kept, proposals in 24 hours, quiz questions a day (0 is as many as one likes)."`
	LexiconPremium  tierLimits `name:"lexicon-premium" hidden:"" default:"translations=100,characters=100,history=true,submissions=10,quiz-questions=0" sep:"none" help:"What the premium tier allows."`
}

// lexiconZone returns where the lexicon's day ends.
func (s *lexiconDeskSettings) lexiconZone() (*time.Location, error) {
	zone, err := time.LoadLocation(s.LexiconTimeZone)
	if err != nil {
		return nil, errs.Wrap(err, errs.Usage, "--lexicon-time-zone: there is no time zone %q", s.LexiconTimeZone)
	}
	return zone, nil
}

func (s *lexiconDeskSettings) tiers() map[string]lexicon.Limits {
	return map[string]lexicon.Limits{
		lexicon.Free:    lexicon.Limits(s.LexiconFree),
		lexicon.Premium: lexicon.Limits(s.LexiconPremium),
	}
}

// mountLexicon builds the lexicon with its pages, its JSON and its jobs, and lets
// it explain its terms in the texts of all desks. Its users are the newsroom's
// accounts, by their ids.
func mountLexicon(ctx context.Context, w *wiring) error {
	provider, err := w.model(ctx)
	if err != nil {
		return err
	}
	o := &lexicon.Options{Schema: w.schema(lexicon.Schema), Log: w.log, Tiers: w.set.tiers(), Track: w.store.track()}
	if o.Zone, err = w.set.lexiconZone(); err != nil {
		return err
	}
	if o.CursorKey, err = w.secret("lexicon"); err != nil {
		return err
	}
	desk, err := lexicon.New(w.tables, provider, o)
	if err != nil {
		return err
	}
	w.finding.add(catalogue.Lexicon(desk, w.set.LexiconTable))
	if err := lexiconweb.Register(w.pages, desk, w.auth); err != nil {
		return err
	}
	lexiconapi.Register(w.api, desk)
	w.ops.watch("lexicon", lexiconSource(desk), nil)
	w.auth.OnDelete(desk.DeleteAccount)
	w.background("lexicon counts", desk.KeepCounts)
	return w.ops.scheduler.Add(lexiconJobs(desk)...)
}

// validateBatch is how many proposals one run of the job judges.
const validateBatch = 50

// lexiconJobs are the desk's jobs: one process at a time does each.
func lexiconJobs(desk *lexicon.Desk) []ops.Job {
	return []ops.Job{
		{
			Name: "lexicon-validate", Doc: "Has the language model judge proposed terms; without one, moderators get them unjudged.",
			Every: 20 * time.Second,
			Run: func(ctx context.Context, p *ops.Progress) error {
				report, err := desk.Validate(ctx, validateBatch)
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
				days, err := desk.RunTrends(ctx)
				p.Add(days)
				p.Count("days", days)
				return err
			},
		},
	}
}
