package newswire

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/internal/outbound"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/llm"
	"pressroom/model"
)

// Agent is the product token that robots.txt files know the crawler by.
const Agent = "PressroomBot"

// Options adjust a Desk. The zero value, and nil, are usable.
type Options struct {
	// Table and Bucket are the names in the store; default as in Schema.
	Table, Bucket string
	// CursorKey makes the cursors of lists, at least 16 bytes, the same in all
	// processes that serve the same lists; default a random one.
	CursorKey []byte
	// Contact is the address in the User-Agent, by which a site's owner reaches
	// the operator: a URL or a mailto: address. Default none.
	Contact string
	// Outbound are the bounds and exceptions of requests to sites. Redirects
	// and the User-Agent are the desk's own.
	Outbound *outbound.Options
	// Model writes the summaries; nil for none.
	Model llm.Provider
	// ReviewUnproved keeps a summary back for a person if its page does not prove all of it; otherwise the sentences that are not
	// proved are cut. What the page contradicts is never published.
	ReviewUnproved bool
	// Stories is where the desk tells what it publishes; nil for nowhere.
	Stories *story.Stories
	// Erased is what must not come back; nil for nothing.
	Erased *erase.Erasures
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Log is told what an operator should know; default slog.Default.
	Log *slog.Logger

	// Sites is how many sites are crawled at once; default 32.
	Sites int
	// Workers is how many pages of one site are fetched and read at once; default
	// 8. Three times as many more may be on their way into the store. Requests to
	// a host with an interval are one at a time all the same.
	Workers int
	// MaxPages is how many addresses one run queues; default 2,000.
	MaxPages int
	// MaxDepth is how many links away from the site's own page a page is still
	// followed; default 3.
	MaxDepth int
	// MaxRun is how long a run by hand may take; default 30 minutes. A run in a
	// window ends with its window.
	MaxRun time.Duration
	// MaxWait is how long a run waits for a host that asks to come back later;
	// default 2 minutes.
	MaxWait time.Duration
	// Recheck is how long after its publication an article is looked at again
	// in every run that meets it; default 48 hours. Negative means never.
	Recheck time.Duration
	// Lease is how long after its last sign of life a process still has a site;
	// default 1 minute.
	Lease time.Duration
}

// Desk is the newswire. It may be used from many goroutines and processes.
type Desk struct {
	db      model.DB
	objects *s3.Client
	table   string // its name in the store
	bucket  *model.Bucket
	tagging string // of every object in it
	opt     Options
	owner   string // of leases
	ids     *model.IDs
	client  *outbound.Client
	turns   *turns

	sites     *model.Repo[Site]
	signals   *model.Repo[Signals]
	articles  *model.Repo[Article]
	summaries *model.Repo[Summary]
	versions  *model.Repo[Version]
	runs      *model.Repo[CrawlRun]
	retries   *model.Repo[Retry]
	hashes    *model.Repo[hashGuard]
	urls      *model.Repo[urlGuard]
	met       *model.Repo[RunArticle]
	pages     *model.Repo[pageItem]
	leases    *model.Repo[lease]
	hosts     *model.Repo[hostTurn]
	answers   *model.Repo[answer]
	topics    *model.Repo[topicArticle]
	months    *model.Repo[month]

	known   sync.Map      // months that are known to be there
	drawing chan struct{} // has who makes a picture

	stop    context.CancelFunc
	ctx     context.Context // of runs in the background
	running sync.WaitGroup
}

// New returns the desk on a store that has the schema. Close it.
func New(db model.DB, objects *s3.Client, o *Options) (*Desk, error) {
	d := &Desk{db: db, objects: objects}
	if o != nil {
		d.opt = *o
	}
	if err := d.defaults(); err != nil {
		return nil, err
	}
	schema := Schema.Named(func(env string) string {
		return map[string]string{"SUMMANOW_TABLE": d.opt.Table, "SUMMANOW_BUCKET": d.opt.Bucket}[env]
	})
	d.table, d.bucket = schema.Tables[0].Name, &schema.Buckets[0]
	d.tagging = tagging(d.bucket.Tags)
	if err := d.repositories(&schema.Tables[0]); err != nil {
		return nil, fmt.Errorf("newswire: %w", err)
	}
	out := outbound.Options{}
	if d.opt.Outbound != nil {
		out = *d.opt.Outbound
	}
	out.MaxRedirects = -1 // each hop is a request that robots.txt is asked about
	out.UserAgent = d.userAgent()
	var err error
	if d.client, err = outbound.New(&out); err != nil {
		return nil, err
	}
	d.turns, d.drawing = newTurns(d), make(chan struct{}, 1)
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d, nil
}

func (d *Desk) defaults() error {
	o := &d.opt
	setDefault(&o.Sites, 32)
	setDefault(&o.Workers, 8)
	setDefault(&o.MaxPages, 2000)
	setDefault(&o.MaxDepth, 3)
	setDefault(&o.MaxRun, 30*time.Minute)
	setDefault(&o.MaxWait, 2*time.Minute)
	setDefault(&o.Recheck, 48*time.Hour)
	setDefault(&o.Lease, time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.CursorKey == nil {
		o.CursorKey = make([]byte, 32)
		_, _ = rand.Read(o.CursorKey) // never fails, see crypto/rand
	}
	d.ids = &model.IDs{Now: o.Now}
	d.owner = d.ids.New()
	return nil
}

func setDefault[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}

func (d *Desk) repositories(t *model.Table) error {
	o := &model.Options{CursorKey: d.opt.CursorKey}
	return errors.Join(
		repo(&d.sites, d.db, t, "Site", o),
		repo(&d.signals, d.db, t, "Signals", o),
		repo(&d.articles, d.db, t, "Article", o),
		repo(&d.summaries, d.db, t, "Summary", o),
		repo(&d.versions, d.db, t, "Version", o),
		repo(&d.runs, d.db, t, "CrawlRun", o),
		repo(&d.retries, d.db, t, "Retry", o),
		repo(&d.hashes, d.db, t, "HashGuard", o),
		repo(&d.urls, d.db, t, "URLGuard", o),
		repo(&d.met, d.db, t, "RunArticle", o),
		repo(&d.pages, d.db, t, "Page", o),
		repo(&d.leases, d.db, t, "Lease", o),
		repo(&d.hosts, d.db, t, "Host", o),
		repo(&d.answers, d.db, t, "Answer", o),
		repo(&d.topics, d.db, t, "TopicArticle", o),
		repo(&d.months, d.db, t, "Month", o),
	)
}

func repo[T any](into **model.Repo[T], db model.DB, t *model.Table, entity string, o *model.Options) (err error) {
	*into, err = model.NewRepo[T](db, t, entity, o)
	return err
}

// Close ends the runs that Start began, which go on where they were when a
// process takes them up, and waits for them.
func (d *Desk) Close() {
	d.stop()
	d.running.Wait()
	d.client.CloseIdle()
}

// userAgent names the crawler and whom to write to.
func (d *Desk) userAgent() string {
	if d.opt.Contact == "" {
		return Agent + "/1.0"
	}
	return Agent + "/1.0 (+" + d.opt.Contact + ")"
}

func (d *Desk) now() time.Time { return d.opt.Now() }

func stamp(t time.Time) string { return model.FormatTime(t) }

// timeOf reads a stored time; zero if there is none.
func timeOf(text string) time.Time {
	t, err := model.ParseTime(text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// told gives an error of the store the kind that callers act on, and says what
// was being done.
func told(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	kind := errs.Kind(0)
	switch {
	case errors.Is(err, model.ErrNotFound):
		kind = errs.NotFound
	case errors.Is(err, model.ErrExists):
		kind = errs.Duplicate
	case errors.Is(err, model.ErrStale):
		kind = errs.Stale
	case errors.Is(err, model.ErrCondition), errors.Is(err, model.ErrConflict):
		kind = errs.Conflict
	case errors.Is(err, model.ErrCursor):
		return &errs.Error{Kind: errs.Malformed, Fields: []errs.Field{{Name: "cursor", Message: "is no cursor of this list"}}}
	default:
		return fmt.Errorf(format+": %w", append(args, err)...)
	}
	return fmt.Errorf(format+": %w: %w", append(args, kind, err)...)
}
