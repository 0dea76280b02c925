// Package minutesdesk declares the minutes as a desk of the newsroom: its settings,
// pages, JSON, jobs, queues, documents and commands, put together.
//
// Start with [Desk]; collect.go and work.go are the commands, queue.go tells of tasks.
package minutesdesk

import (
	"context"
	"net/url"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/desk"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/source"
	"pressroom/internal/desk/minutes/minutesapi"
	"pressroom/internal/desk/minutes/minutesweb"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/outbound"
	"pressroom/internal/review"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// Desk is the minutes of parliament.
var Desk = desk.Desk{
	Schema:   minutes.Schema,
	Models:   true,
	Settings: func() any { return new(Settings) },
	Open:     open,
	Commands: []desk.Command{
		{Name: "collect", Help: "Read minutes of parliament and make tasks of them.", Detail: collectHelp, Models: true, Run: func() desk.Runner { return new(collectCmd) }},
		{Name: "work", Help: "Work on tasks: ask the language model, publish articles.", Detail: workHelp, Models: true, Run: func() desk.Runner { return new(workCmd) }},
		assemblyCommand,
		desk.Eval("minutes", "Score the minutes.", evalHelp, "meetings", evaluate),
	},
}

// Settings say where the minutes come from, how they are cut, and what the server
// itself does for the desk.
type Settings struct {
	MinutesURL   string        `name:"minutes-url" default:"https://kokkai.ndl.go.jp" hidden:"" placeholder:"URL" help:"Where the minutes API is."`
	MinutesPause time.Duration `name:"minutes-pause" default:"3s" hidden:"" placeholder:"TIME" help:"The pause between calls of the minutes API."`
	TaskContract string        `name:"task-contract" default:"000" enum:"000,001" hidden:"" placeholder:"000|001" help:"By which document tasks are written: 000 with hashed keys and single_chunk, 001 with the issueID as key and direct. Both are read."`
	AssetURL     string        `name:"minutes-asset-url" hidden:"" placeholder:"URL" help:"The address under which other programs fetch the assets of articles, such as that of the bucket's public domain; by default the newsroom's own, under --public-url."`
	PromptTokens int           `name:"prompt-tokens" default:"24000" hidden:"" placeholder:"N" help:"The most tokens of a prompt; longer meetings are cut into chunks."`

	Assemblies       string `name:"assemblies" hidden:"" type:"path" placeholder:"DIR" help:"A folder with declarations of parliaments and councils beside the Diet, in files that end in .toml; they are collected by their schedules."`
	MinutesCollect   string `name:"minutes-collect" hidden:"" default:"30 4 * * *" placeholder:"CRON" help:"When the server collects new minutes, in Japan's time: minute, hour, day of month, month, day of week; off for only when an operator asks."`
	MinutesConsumers int    `name:"minutes-consumers" hidden:"" default:"2" placeholder:"N" help:"How many meetings the server summarises at once; 0 leaves that to \"pressroom work\"."`
}

// pause is the pause in the desk's terms, where 0 is the default.
func (s *Settings) pause() time.Duration {
	if s.MinutesPause <= 0 {
		return -1
	}
	return s.MinutesPause
}

// client reaches the minutes API, and nothing inside the own network unless the
// operator put the API there.
func (s *Settings) client() (*outbound.Client, error) {
	u, err := url.Parse(s.MinutesURL)
	if err != nil || u.Host == "" {
		return nil, errs.New(errs.Usage, "--minutes-url: %q is no address such as https://kokkai.ndl.go.jp", s.MinutesURL)
	}
	return outbound.New(&outbound.Options{Timeout: 2 * time.Minute, HeaderTimeout: time.Minute, MaxBody: 64 << 20, Allow: []string{u.Host}})
}

// assetBase is where others fetch assets; "" if nobody knows.
func (s *Settings) assetBase(room *desk.Room) (string, error) {
	if s.AssetURL == "" && room.Address == "" {
		return "", nil
	}
	if s.AssetURL == "" {
		return room.Address + minutes.AssetPath, nil
	}
	u, err := url.Parse(s.AssetURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", errs.New(errs.Usage, "--minutes-asset-url: %q is no address such as https://assets.example", s.AssetURL)
	}
	return s.AssetURL, nil
}

// build returns the desk; parallel is how many chunks of a task are asked for at
// once, 0 for the usual number.
func build(ctx context.Context, room *desk.Room, parallel int) (*minutes.Desk, error) {
	set := room.Settings.(*Settings)
	provider, err := room.Provider(ctx)
	if err != nil {
		return nil, err
	}
	client, err := set.client()
	if err != nil {
		return nil, err
	}
	large, err := outbound.New(&outbound.Options{Timeout: 2 * time.Hour, HeaderTimeout: time.Minute, MaxBody: assembly.MaxFile, UserAgent: source.Agent})
	if err != nil {
		return nil, err
	}
	base, err := set.assetBase(room)
	if err != nil {
		return nil, err
	}
	return minutes.New(room.Tables, room.Objects, provider, &minutes.Options{
		Schema: room.Schema, CursorKey: room.Key, Stories: room.Stories, Erased: room.Erased, Log: room.Log, HTTP: client.HTTP(), SourceHTTP: large.HTTP(), Assemblies: set.Assemblies, AssetBase: base, TaskContract: set.TaskContract,
		SourceURL: set.MinutesURL, Pause: set.pause(), PromptTokens: set.PromptTokens, Parallel: parallel, ReviewUnproved: room.ReviewUnproved,
	})
}

// open builds the desk with its pages, its JSON and its jobs.
func open(ctx context.Context, room *desk.Room) (*desk.Parts, error) {
	d, err := build(ctx, room, 0)
	if err != nil {
		return nil, err
	}
	record := room.On("minutes task ")
	parts := &desk.Parts{
		Pages: func(site *web.Site, _ *search.Service) error {
			return minutesweb.Register(site, d, &minutesweb.Options{Record: record})
		},
		JSON:  func(a *api.API) { minutesapi.Register(a, d, record) },
		Shelf: d.Shelf(), Traces: d.Traces(),
		Review:  []review.Queue{held(d)},
		Editor:  editor(d),
		Watch:   tasks(d),
		Requeue: map[string]func(context.Context) (int, error){taskQueue: requeue(d)},
		Check:   d.Check,
	}
	if !room.Demo { // which has an outside world and consumers of its own
		parts.Jobs = room.Settings.(*Settings).jobs(d)
	}
	return parts, nil
}

// jobs are the desk's jobs.
func (s *Settings) jobs(d *minutes.Desk) []ops.Job {
	jobs := []ops.Job{{
		Name: "minutes-collect", Doc: "Reads the minutes that appeared lately and makes tasks of them.",
		Cron: s.MinutesCollect, Zone: "Asia/Tokyo",
		Run: func(ctx context.Context, p *ops.Progress) error { return collectJob(ctx, d, p) },
	}}
	jobs = append(jobs, ops.Job{
		Name: "minutes-addresses", Doc: "Gives articles the address of their assets under the public base, where that has changed.",
		Every: 24 * time.Hour,
		Run: func(ctx context.Context, p *ops.Progress) error {
			n, err := d.Readdress(ctx)
			p.Count("changed", n)
			return err
		},
	})
	jobs = append(jobs, ops.Job{
		Name: "assemblies-collect", Doc: "Reads the records of parliaments and councils beside the Diet whose schedule has come, and makes tasks of them.",
		Every: 15 * time.Minute,
		Run:   func(ctx context.Context, p *ops.Progress) error { return collectAssemblies(ctx, d, p) },
	})
	if s.MinutesCollect == "off" {
		jobs[0].Cron, jobs[0].Zone = "", ""
	}
	if s.MinutesConsumers > 0 {
		jobs = append(jobs, ops.Job{
			Name: "minutes-consume", Doc: "Has the language model summarise the meetings that wait, and publishes what stands up to the record.",
			Every: time.Minute,
			Run: func(ctx context.Context, p *ops.Progress) error {
				return consumeJob(ctx, d, s.MinutesConsumers, p)
			},
		})
	}
	return jobs
}

func collectJob(ctx context.Context, d *minutes.Desk, p *ops.Progress) error {
	var last minutes.CollectReport
	step := func(r minutes.CollectReport) {
		p.Add(r.Meetings - last.Meetings)
		p.Count("new", r.New-last.New)
		p.Count("changed", r.Changed-last.Changed)
		p.Count("unusable", r.Unusable-last.Unusable)
		last = r
	}
	r, err := d.CollectDaily(ctx, step)
	step(r)
	p.Note("%s to %s: %d meetings, %d new, %d changed, %d unusable", r.From, r.Until, r.Meetings, r.New, r.Changed, r.Unusable)
	return err
}

func consumeJob(ctx context.Context, d *minutes.Desk, consumers int, p *ops.Progress) error {
	r, err := d.Work(ctx, minutes.WorkOptions{Once: true, Consumers: consumers, Progress: func(e minutes.Event) {
		p.Add(1)
		p.Count(string(e.Outcome), 1)
	}})
	if r.Adopted > 0 {
		p.Count("adopted", r.Adopted)
	}
	return err
}
