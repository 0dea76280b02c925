// Package desk says what a desk of the newsroom is: one declared value, [Desk], made
// of the types of those who use its parts. They never import this package. cli holds
// the one list of desks and hands each part to whom it concerns; nothing else knows
// which desks there are.
//
// It promises that a new desk is a folder here and a line in that list: its tables,
// settings, pages, JSON, jobs, queues, checks, searchable documents, commands and
// roles all follow from its declaration.
//
// Start with [Desk]; [Room] is what a desk is opened with, [Parts] what it brings.
// command.go has the commands that a desk adds to the program.
package desk

import (
	"context"
	"log/slog"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/kept"
	"pressroom/internal/mail"
	"pressroom/internal/ops"
	"pressroom/internal/review"
	"pressroom/internal/rights/erase"
	"pressroom/internal/search"
	"pressroom/internal/story"
	"pressroom/internal/web"
	"pressroom/llm"
	"pressroom/model"
)

// Desk declares a desk. Its name is the schema's: it is in the paths of pages and
// JSON, in scopes of tokens and in budgets.
type Desk struct {
	Schema model.Schema
	// Models says that the desk asks language models, and so has a budget.
	Models bool
	// Outside says that the desk asks other people's sites, in jobs that are
	// [ops.Job.Outside].
	Outside bool
	// Settings returns a pointer to a new struct of the desk's settings, with kong's
	// tags. Nil if it has none.
	Settings func() any
	// Open builds the desk. Nothing runs yet, and nothing is asked of the stores.
	Open func(context.Context, *Room) (*Parts, error)
	// Commands are what the desk adds to the command line.
	Commands []Command
}

// Name returns the desk's name.
func (d *Desk) Name() string { return d.Schema.Name }

// Room is what a desk is opened with.
type Room struct {
	Settings any           // what the declaration's Settings returned, filled in
	Schema   *model.Schema // with the names that are configured
	Tables   model.DB
	Objects  *s3.Client
	Stories  *story.Stories
	Key      []byte          // the desk's own, for cursors and links; nil where there are none to make
	Erased   *erase.Erasures // what must not come back; nil for nothing
	Log      *slog.Logger
	Address  string       // at which readers reach the newsroom, without a path; "" if nobody knows
	Mail     *mail.Server // nil if there is none
	// Model returns the language model that all desks share; nil where none is asked.
	Model func(context.Context) (llm.Provider, error)
	// ReviewUnproved says that a person looks at what a model says and its source does not prove; otherwise that is cut.
	ReviewUnproved bool

	// The rest is there if the desk is to serve people.

	Accounts *auth.Auth
	Presign  *s3.Client // makes addresses that others reach; nil if Objects does
	Track    kept.Track
	Demo     bool // the demo does what the clock asks for
	// Record puts an operator's action on the trail before it is done.
	Record func(ctx context.Context, what, subject, why string) error
}

// Provider returns the language model, nil where none is asked.
func (r *Room) Provider(ctx context.Context) (llm.Provider, error) {
	if r.Model == nil {
		return nil, nil
	}
	return r.Model(ctx)
}

// On returns Record for the things of one kind.
func (r *Room) On(kind string) func(ctx context.Context, what, id, why string) error {
	return func(ctx context.Context, what, id, why string) error { return r.Record(ctx, what, kind+id, why) }
}

// Table returns the configured name of the table that a variable of the documents
// names.
func (r *Room) Table(env string) string {
	for _, t := range r.Schema.Tables {
		if t.Env == env {
			return t.Name
		}
	}
	return ""
}

// Bucket returns the configured name of the bucket that a variable names.
func (r *Room) Bucket(env string) string {
	for _, b := range r.Schema.Buckets {
		if b.Env == env {
			return b.Name
		}
	}
	return ""
}

// Parts are what an open desk brings to the newsroom. What it has not is nil.
type Parts struct {
	// Pages puts the desk's pages on the site; own finds what Shelf has.
	Pages func(site *web.Site, own *search.Service) error
	JSON  func(*api.API)
	// Traces is how the desk forgets a story, a source or a person.
	Traces *erase.Traces
	// Shelf is what the desk publishes: it is listed, found and followed.
	Shelf *story.Shelf
	Jobs  []ops.Job
	// Watch tells the dashboard what waits, what failed and what is running.
	Watch ops.Source
	// Review is what waits for a person, Editor how people change what is published.
	Review []review.Queue
	Editor *review.Editor
	// Requeue puts back what failed, by the queues' names.
	Requeue map[string]func(context.Context) (int, error)
	// Check says where something is wrong with the desk's data, and what.
	Check func(ctx context.Context, report func(where, what string)) error
	// Background runs beside requests and jobs until the context ends, in as many
	// processes as there are.
	Background func(context.Context)
	// Forget removes what the desk keeps of an account.
	Forget func(ctx context.Context, account string) error
	// Kept returns what the desk keeps of an account, to be written as JSON.
	Kept func(ctx context.Context, account string) (any, error)
	// Close ends what the desk has under way. It can still be asked: a check closes
	// a desk before it reads.
	Close func()
}
