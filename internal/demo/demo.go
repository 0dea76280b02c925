// Package demo is the newsroom that "pressroom demo" shows: content of all four
// desks, of our own writing, about people and places that do not exist, and the
// small world outside that it comes from.
//
// It promises that loading goes through what the desks do for everyone (meetings
// are collected, cut, asked about and held against the record; sites are crawled;
// posts are saved and published; terms are proposed, voted for and judged), that
// loading again changes nothing, that nothing leaves this machine, and that only
// what a demo made is ever removed. What the newsroom says that it made, it made: records,
// pages, posts and proposals are written for the demo, and everything made of
// them comes from the desks with the built-in provider.
//
// The content is in files below content/, to be read and edited by people:
// Markdown with a few fields in front, and JSON. Its dates count back from the
// day on which the directory was made.
//
// Start with [Demo.Load] for what is loaded in which order; mark.go is what a
// demo remembers of its directory, outside.go the servers that desks ask, and
// each desk has a file of its own.
package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/outbound"
	"pressroom/internal/story"
	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/model"
)

// Stage is the newsroom that a demo is shown in: stores that have the schemas of
// all desks, and its accounts.
type Stage struct {
	Tables  model.DB
	Objects *s3.Client
	Auth    *auth.Auth
	Stories *story.Stories
	// Schema gives a desk's schema the names that are configured; nil keeps the
	// desks' own.
	Schema func(model.Schema) *model.Schema
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Log hears how far the loading is; nil means slog.Default.
	Log *slog.Logger
	// Keep puts the calls of a language model on record; nobody does if it is nil.
	Keep func(llm.Provider) llm.Provider
}

// kept is the model with its record.
func (s *Stage) kept(p llm.Provider) llm.Provider {
	if s.Keep == nil {
		return p
	}
	return s.Keep(p)
}

// Demo loads the content and keeps it moving. Its desks are its own, on the
// newsroom's stores, as another process's would be. Close it before the stores.
type Demo struct {
	stage   Stage
	mark    *Mark
	outside *Outside

	minutes  *minutes.Desk
	newswire *newswire.Desk
	blog     *blog.Desk
	turn     int // the site that is crawled next
}

// New returns a demo on a stage. The mark and the world outside belong to the
// caller.
func New(stage Stage, mark *Mark, outside *Outside) (*Demo, error) {
	d := &Demo{stage: stage, mark: mark, outside: outside}
	if d.stage.Now == nil {
		d.stage.Now = time.Now
	}
	if d.stage.Log == nil {
		d.stage.Log = slog.Default()
	}
	if d.stage.Schema == nil {
		d.stage.Schema = func(s model.Schema) *model.Schema { return &s }
	}
	if err := d.open(); err != nil {
		return nil, fmt.Errorf("open the demo's desks: %w", err)
	}
	return d, nil
}

// promptTokens lets one long debate be cut into chunks, and nothing else.
const promptTokens = 6500

func (d *Demo) open() error {
	s := d.stage
	var failed [3]error
	d.minutes, failed[0] = d.minutesBy(builtin.New())
	d.newswire, failed[1] = d.newswireAt(s.Now)
	d.blog, failed[2] = blog.New(s.Tables, s.Objects, &blog.Options{Schema: s.Schema(blog.Schema), Stories: s.Stories, Now: s.Now, Log: s.Log})
	return errors.Join(failed[:]...)
}

// newswireAt is the newswire as it is at some time.
func (d *Demo) newswireAt(now func() time.Time) (*newswire.Desk, error) {
	s := d.stage
	wire := s.Schema(newswire.Schema)
	return newswire.New(s.Tables, s.Objects, &newswire.Options{
		Table: wire.Tables[0].Name, Bucket: wire.Buckets[0].Name, Contact: "mailto:desk@pressroom.example",
		Outbound: &outbound.Options{Allow: d.outside.Hosts(), Timeout: 10 * time.Second}, Model: s.kept(builtin.New()), Stories: s.Stories, Now: now, Log: s.Log,
		MaxWait: 5 * time.Second,
	})
}

// minutesBy is the minutes desk with a model.
func (d *Demo) minutesBy(p llm.Provider) (*minutes.Desk, error) {
	s := d.stage
	return minutes.New(s.Tables, s.Objects, s.kept(p), &minutes.Options{
		Schema: s.Schema(minutes.Schema), Stories: s.Stories, Now: ticking(s.Now), Log: s.Log, HTTP: d.outside.client(), SourceURL: d.outside.URL(library), Pause: -1,
		PromptTokens: promptTokens, Lookback: 60, WindowDays: 61,
	})
}

// lexiconAt is the lexicon as it was at some time: terms are proposed, searched
// for and translated over days.
func (d *Demo) lexiconAt(now func() time.Time) (*lexicon.Desk, error) {
	return lexicon.New(d.stage.Tables, d.stage.kept(builtin.New()), &lexicon.Options{Schema: d.stage.Schema(lexicon.Schema), Stories: d.stage.Stories, Now: now, Log: d.stage.Log})
}

// Close ends what the demo's desks have under way.
func (d *Demo) Close() { d.newswire.Close() }

// step is a part of the content.
type step struct {
	name string
	load func(context.Context) error
}

// Load brings in what is not there yet, what readers see first of all. A step that
// was cut off is taken up again the next time; one that is done is left alone,
// whatever became of its content since.
func (d *Demo) Load(ctx context.Context) error {
	steps := []step{
		{"assemblies", d.loadAssemblies},
		{"meetings", d.loadMeetings},
		{"sites", d.loadSites},
		{"accounts", d.loadAccounts},
		{"terms", d.loadTerms},
		{"posts", d.loadPosts},
		{"proposals", d.loadProposals},
		{"items of another program", d.loadForeign},
	}
	for i, s := range steps {
		if d.mark.Done(s.name) {
			continue
		}
		start := time.Now()
		if err := s.load(ctx); err != nil {
			return fmt.Errorf("load the demo's %s: %w", s.name, err)
		}
		if err := d.mark.Finish(s.name); err != nil {
			return err
		}
		d.stage.Log.Info("demo content loaded", "part", s.name, "step", fmt.Sprintf("%d of %d", i+1, len(steps)),
			"took", time.Since(start).Round(time.Millisecond))
	}
	return d.moveSites(ctx)
}

// ago is a moment some days and hours before the directory was made.
func (d *Demo) ago(days, hours int) time.Time { return d.mark.ago(days, hours) }
