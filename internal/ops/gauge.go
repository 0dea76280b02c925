package ops

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Source tells the present numbers of a part of the newsroom: a desk tells of
// its queues, failures and spending. It must answer from what is counted or
// indexed, within a second or so, and never scan.
type Source interface {
	Read(ctx context.Context) (Readings, error)
}

// SourceFunc is a function as a Source.
type SourceFunc func(ctx context.Context) (Readings, error)

// Read calls the function.
func (f SourceFunc) Read(ctx context.Context) (Readings, error) { return f(ctx) }

// Readings are the numbers of one moment. Whoever has none of a kind leaves it
// empty.
type Readings struct {
	Queues   []Queue
	Failures []Failure
	Spending []Spending
	Tables   []TableSize
	Buckets  []BucketSize
	Disks    []Disk
	Capacity []Capacity
	Jobs     []JobStatus
	Works    []Work
	Indexes  []SearchIndex
}

// Queue is work that waits.
type Queue struct {
	Name string // "minutes tasks"
	// Items is how many there are in each state: "waiting", "running",
	// "retrying", "failed". States are few and fixed.
	Items map[string]int
	// Oldest is when the oldest that waits, or is to be tried again, came in; zero
	// if there is none.
	Oldest time.Time
	// Most is where counting ended, so that a number as large stands for that
	// many or more; 0 if numbers are exact.
	Most int
	// Patience is for how long something may wait before somebody should look; an
	// hour if zero.
	Patience time.Duration
	// Path is the page on which it can be worked on; "" for none.
	Path string
}

// Late reports whether the oldest waits longer than it should.
func (q Queue) Late(now time.Time) bool {
	patience := q.Patience
	if patience == 0 {
		patience = time.Hour
	}
	return age(q.Oldest, now) > patience
}

// Failure is a reason for which work failed, and how often. Reasons are kinds,
// not texts with ids in them.
type Failure struct {
	Queue   string
	Reason  string
	Count   int
	Last    time.Time
	Example string // what failed last, and why in its own words; not part of any metric
	Path    string // the page on which something can be done about it; "" for none
}

// Work is something that a desk did lately, or is doing, beside the runs of jobs:
// the crawl of a site. A source tells of the last few.
type Work struct {
	Name    string // "newswire crawl"
	Subject string // "harbour"
	State   string // Running, Done or Failed, or Partial
	Started time.Time
	Ended   time.Time // zero while it runs
	Done    int
	Total   int    // 0 if nobody knows
	Note    string // what went wrong
	Path    string // its page; "" for none
}

// Partial is the state of work of which a part was done.
const Partial = "partial"

// AllDesks is the name of the spending of all desks together.
const AllDesks = "all"

// Spending is what a desk used language models for since the budget's day began.
type Spending struct {
	Name         string // "minutes", or AllDesks
	Calls        int64
	FailedCalls  int64
	InputTokens  int64
	OutputTokens int64
	Dollars      float64   // what was spent
	Committed    float64   // what counts against the budget: spent, reserved, or perhaps billed
	Budget       float64   // 0 is none
	Until        time.Time // when the day ends
}

// Share is how much of the budget is gone, from 0 to 1 and beyond; 0 if there is
// none.
func (s Spending) Share() float64 {
	if s.Budget == 0 {
		return 0
	}
	return max(s.Committed, s.Dollars) / s.Budget
}

// TableSize is what a table, or one of its indexes, holds.
type TableSize struct {
	Table string
	Index string // "" for the table itself
	Items int64
	Bytes int64
}

// BucketSize is what a bucket holds.
type BucketSize struct {
	Bucket  string
	Objects int64
	Bytes   int64
}

// SearchIndex is what can be found, and how far that is behind what the desks
// published.
type SearchIndex struct {
	Documents int
	Bytes     int64
	// Behind is how old the oldest change is that the index does not have, as of
	// Checked; 0 if it has all. Checked is zero where another process feeds it.
	Behind  time.Duration
	Checked time.Time
	Built   time.Time // when it was last made as a whole; zero if never
	// Building tells that it is being made again, of Done documents so far.
	Building bool
	Done     int
	Problem  string // what keeps it from being fed; "" for nothing
	Path     string // the page of the job that makes it again
}

// Disk is the room that a store takes and has.
type Disk struct {
	Name string // "tables"
	Used int64  // -1 if it is not known
	Free int64  // -1 if it is not known
	// Damages is how often data were met that are not what was written, since the
	// start.
	Damages int64
}

// NamedSource is a Source, its name, and how long its numbers may be shown.
type NamedSource struct {
	Name string
	Source
	// Fresh is how long an answer is good enough; 5 seconds if zero.
	Fresh time.Duration
	// Slow is a source that nobody waits for: it is asked in the background, and
	// until it has answered its numbers are the last ones, or none.
	Slow bool
}

// Snapshot is what a Dashboard shows.
type Snapshot struct {
	Readings
	// At is when it was put together; single sources may be older by what their
	// Fresh allows.
	At time.Time
	// Failed holds what kept sources from answering, by name. Their last numbers
	// are shown on.
	Failed map[string]string
}

// Dashboard collects the numbers of all sources. Its methods may be called from
// many goroutines; however many look at it, a source is asked once in a while.
type Dashboard struct {
	now   func() time.Time
	limit time.Duration

	mu      sync.Mutex
	sources []*cachedSource
}

// cachedSource is a source and what it said last.
type cachedSource struct {
	NamedSource
	mu   sync.Mutex
	last Readings
	err  error
	at   time.Time
	busy bool // it is being asked in the background
}

// readLimit is how long one source may take, and slowLimit a slow one.
const (
	readLimit = 5 * time.Second
	slowLimit = 5 * time.Minute
)

// NewDashboard returns a dashboard of the sources. A nil now is time.Now.
func NewDashboard(now func() time.Time, sources ...NamedSource) *Dashboard {
	if now == nil {
		now = time.Now
	}
	d := &Dashboard{now: now, limit: readLimit}
	d.Add(sources...)
	return d
}

// Add lets more sources tell their numbers, each under a name of its own.
func (d *Dashboard) Add(sources ...NamedSource) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range sources {
		if s.Fresh == 0 {
			s.Fresh = 5 * time.Second
		}
		d.sources = append(d.sources, &cachedSource{NamedSource: s})
	}
}

func (d *Dashboard) all() []*cachedSource {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.sources)
}

// Read returns the numbers of all sources, asked side by side where they are
// not fresh. It never fails: what does not answer is named in the snapshot.
func (d *Dashboard) Read(ctx context.Context) Snapshot {
	snap := Snapshot{At: d.now(), Failed: map[string]string{}}
	sources := d.all()
	got := make([]Readings, len(sources))
	errs := make([]error, len(sources))
	var all sync.WaitGroup
	for i, s := range sources {
		all.Go(func() { got[i], errs[i] = s.read(ctx, d.now, d.limit) })
	}
	all.Wait()
	for i, s := range sources {
		if errs[i] != nil {
			snap.Failed[s.Name] = errs[i].Error()
		}
		snap.add(got[i])
	}
	return snap
}

func (r *Readings) add(more Readings) {
	r.Queues = append(r.Queues, more.Queues...)
	r.Failures = append(r.Failures, more.Failures...)
	r.Spending = append(r.Spending, more.Spending...)
	r.Tables = append(r.Tables, more.Tables...)
	r.Buckets = append(r.Buckets, more.Buckets...)
	r.Disks = append(r.Disks, more.Disks...)
	r.Capacity = append(r.Capacity, more.Capacity...)
	r.Jobs = append(r.Jobs, more.Jobs...)
	r.Works = append(r.Works, more.Works...)
	r.Indexes = append(r.Indexes, more.Indexes...)
}

// read answers from the last reading while that is fresh. Those who come while
// the source is being asked wait for that answer.
func (s *cachedSource) read(ctx context.Context, now func() time.Time, limit time.Duration) (Readings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.at.IsZero() && now().Sub(s.at) < s.Fresh {
		return s.last, s.err
	}
	if !s.Slow {
		got, err := s.ask(ctx, limit)
		return s.keep(got, err, now())
	}
	if !s.busy {
		s.busy = true
		go s.refresh(now)
	}
	return s.last, s.err
}

// refresh asks a slow source, for whoever looks afterwards.
func (s *cachedSource) refresh(now func() time.Time) {
	got, err := s.ask(context.Background(), slowLimit)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.keep(got, err, now())
	s.busy = false
}

func (s *cachedSource) ask(ctx context.Context, limit time.Duration) (got Readings, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = guarded(func() (err error) { got, err = s.Read(ctx); return err })
	if err != nil {
		err = fmt.Errorf("read %s: %w", s.Name, err)
	}
	return got, err
}

// keep remembers an answer; after a failure the last good one is shown on.
func (s *cachedSource) keep(got Readings, err error, at time.Time) (Readings, error) {
	if err == nil {
		s.last = got
	}
	s.err, s.at = err, at
	return s.last, err
}
