package cli

import (
	"context"
	"net/url"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/cli/catalogue"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/minutesapi"
	"pressroom/internal/desk/minutes/minutesweb"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/outbound"
)

// recordSettings say where the minutes come from and how they are cut.
type recordSettings struct {
	MinutesURL   string        `name:"minutes-url" default:"https://kokkai.ndl.go.jp" hidden:"" placeholder:"URL" help:"Where the minutes API is."`
	MinutesPause time.Duration `name:"minutes-pause" default:"3s" hidden:"" placeholder:"TIME" help:"The pause between calls of the minutes API."`
	PromptTokens int           `name:"prompt-tokens" default:"24000" hidden:"" placeholder:"N" help:"The most tokens of a prompt; longer meetings are cut into chunks."`
}

// pause is the pause in the desk's terms, where 0 is the default.
func (s recordSettings) pause() time.Duration {
	if s.MinutesPause <= 0 {
		return -1
	}
	return s.MinutesPause
}

// client reaches the minutes API, and nothing inside the own network unless the
// operator put the API there.
func (s recordSettings) client() (*outbound.Client, error) {
	u, err := url.Parse(s.MinutesURL)
	if err != nil || u.Host == "" {
		return nil, errs.New(errs.Usage, "--minutes-url: %q is no address such as https://kokkai.ndl.go.jp", s.MinutesURL)
	}
	return outbound.New(&outbound.Options{Timeout: 2 * time.Minute, HeaderTimeout: time.Minute, MaxBody: 64 << 20, Allow: []string{u.Host}})
}

// minutesJobSettings say what the server itself does for the desk.
type minutesJobSettings struct {
	MinutesCollect   string `name:"minutes-collect" hidden:"" default:"30 4 * * *" placeholder:"CRON" help:"When the server collects new minutes, in Japan's time: minute, hour, day of month, month, day of week; off for only when an operator asks."`
	MinutesConsumers int    `name:"minutes-consumers" hidden:"" default:"2" placeholder:"N" help:"How many meetings the server summarises at once; 0 leaves that to \"pressroom work\"."`
}

// mountMinutes builds the minutes desk with its pages, its JSON and its jobs.
func mountMinutes(ctx context.Context, w *wiring) error {
	provider, err := w.model(ctx)
	if err != nil {
		return err
	}
	client, err := w.set.client()
	if err != nil {
		return err
	}
	key, err := w.secret("minutes")
	if err != nil {
		return err
	}
	desk, err := minutes.New(w.tables, w.objects, provider, &minutes.Options{
		Schema: w.schema(minutes.Schema), CursorKey: key, Log: w.log, HTTP: client.HTTP(),
		SourceURL: w.set.MinutesURL, Pause: w.set.pause(), PromptTokens: w.set.PromptTokens,
	})
	if err != nil {
		return err
	}
	w.finding.add(catalogue.Minutes(desk, w.set.ArticleTable))
	record := w.onRecord("minutes task ")
	if err := minutesweb.Register(w.pages, desk, &minutesweb.Options{Record: record}); err != nil {
		return err
	}
	minutesapi.Register(w.api, desk, record)
	w.ops.watch("minutes", minutesSource(desk), map[string]func(context.Context) (int, error){"minutes tasks": requeueMinutes(desk)})
	if w.demo {
		return nil // the demo has an outside world and consumers of its own
	}
	return w.ops.scheduler.Add(w.set.minutesJobs(desk)...)
}

// onRecord returns what puts an operator's action on the trail before it is done.
func (w *wiring) onRecord(subject string) func(ctx context.Context, what, id, why string) error {
	return func(ctx context.Context, what, id, why string) error {
		who := "unknown"
		if account := auth.From(ctx); account != nil {
			who = account.Name
		}
		return w.ops.scheduler.Record(ctx, ops.Action{Who: who, What: what, Subject: subject + id, Why: why})
	}
}

// minutesJobs are the desk's jobs.
func (s minutesJobSettings) minutesJobs(desk *minutes.Desk) []ops.Job {
	jobs := []ops.Job{{
		Name: "minutes-collect", Doc: "Reads the minutes that appeared lately and makes tasks of them.",
		Cron: s.MinutesCollect, Zone: "Asia/Tokyo",
		Run: func(ctx context.Context, p *ops.Progress) error { return collectJob(ctx, desk, p) },
	}}
	if s.MinutesCollect == "off" {
		jobs[0].Cron, jobs[0].Zone = "", ""
	}
	if s.MinutesConsumers > 0 {
		jobs = append(jobs, ops.Job{
			Name: "minutes-consume", Doc: "Has the language model summarise the meetings that wait, and publishes what stands up to the record.",
			Every: time.Minute,
			Run: func(ctx context.Context, p *ops.Progress) error {
				return consumeJob(ctx, desk, s.MinutesConsumers, p)
			},
		})
	}
	return jobs
}

func collectJob(ctx context.Context, desk *minutes.Desk, p *ops.Progress) error {
	var last minutes.CollectReport
	step := func(r minutes.CollectReport) {
		p.Add(r.Meetings - last.Meetings)
		p.Count("new", r.New-last.New)
		p.Count("changed", r.Changed-last.Changed)
		p.Count("unusable", r.Unusable-last.Unusable)
		last = r
	}
	r, err := desk.CollectDaily(ctx, step)
	step(r)
	p.Note("%s to %s: %d meetings, %d new, %d changed, %d unusable", r.From, r.Until, r.Meetings, r.New, r.Changed, r.Unusable)
	return err
}

func consumeJob(ctx context.Context, desk *minutes.Desk, consumers int, p *ops.Progress) error {
	r, err := desk.Work(ctx, minutes.WorkOptions{Once: true, Consumers: consumers, Progress: func(e minutes.Event) {
		p.Add(1)
		p.Count(string(e.Outcome), 1)
	}})
	if r.Adopted > 0 {
		p.Count("adopted", r.Adopted)
	}
	return err
}
