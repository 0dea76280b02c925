package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/kept"
	"pressroom/model"
)

// FeedOptions are options of a feed; the zero value and nil are the defaults.
type FeedOptions struct {
	Now   func() time.Time // default time.Now
	Poll  time.Duration    // how often streams are looked at when idle; default 500 ms
	Batch int              // changes read at once, at most 1000; default 1000
	// Track tells what was written since the feed read it; nil for streams that tell
	// of a change when they like. See [Feed.Current].
	Track kept.Track
	// Shared tells that other processes have the same index, and may feed it while
	// this one makes it again.
	Shared bool
	Log    *slog.Logger // default none
}

// Feed keeps an index equal to its sources. Only one may feed an index at a time:
// processes that share one take turns by a lease.
type Feed struct {
	index   Index
	db      model.DB
	streams model.Streams
	sources []Source
	now     func() time.Time
	poll    time.Duration
	batch   int
	shared  bool
	log     *slog.Logger
	track   kept.Track
	current *kept.Store[struct{}] // there is one if the index has all changes

	again chan struct{} // a rebuild is wanted

	turn chan struct{} // of reading changes into the index, and of switching it; holds one
	live *follower

	mu     sync.Mutex
	status Status
}

// Status is how a feed is doing.
type Status struct {
	// Lag is how old the oldest change is that the index does not have; 0 if it
	// has all. It is right as of Checked.
	Lag     time.Duration
	Checked time.Time
	Applied int // documents put or deleted since the start
	Dropped int // of them, those that could not be read
	// Rebuilding tells that an index is being made, of so many documents so far.
	Rebuilding bool
	Rebuilt    int
	// Err is what keeps the feed from going on; it tries again.
	Err error
}

// What checkpoints have besides positions.
const (
	// builtMark is there if the index has been built as a whole, and says when.
	builtMark = "built/"
	// PlaceMark is the place of the index that the checkpoints are of, if it has
	// more than one: applied again, they are for that place and no other.
	PlaceMark = "place/"
)

// NewFeed returns a feed; Run starts it.
func NewFeed(index Index, db model.DB, streams model.Streams, sources []Source, o *FeedOptions) *Feed {
	if o == nil {
		o = &FeedOptions{}
	}
	f := &Feed{
		index: index, db: db, streams: streams, sources: sources, now: o.Now, poll: o.Poll, batch: o.Batch, shared: o.Shared, log: o.Log,
		again: make(chan struct{}, 1), turn: make(chan struct{}, 1),
	}
	f.track, f.current = o.Track, kept.New[struct{}](kept.Options{Track: o.Track, For: time.Hour})
	if f.now == nil {
		f.now = time.Now
	}
	if f.poll <= 0 {
		f.poll = 500 * time.Millisecond
	}
	if f.batch <= 0 || f.batch > 1000 {
		f.batch = 1000
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	return f
}

// Status returns how the feed is doing.
func (f *Feed) Status() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

// State is an index and how it is fed, as operators see it.
type State struct {
	Counts
	Status
	// Built is when the index that is searched was begun; zero if it never was.
	Built time.Time
}

// State asks the index.
func (f *Feed) State(ctx context.Context) (State, error) {
	s := State{Status: f.Status()}
	points, err := f.index.Checkpoints(ctx)
	if err != nil {
		return s, err
	}
	if at, err := time.Parse(time.RFC3339Nano, points[builtMark]); err == nil {
		s.Built = at
	}
	s.Counts, err = f.index.Counts(ctx)
	return s, err
}

func (f *Feed) note(change func(s *Status)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.status)
}

// Rebuild asks for the index to be made again. It goes on being searched, and
// fed, until the new one takes its place.
func (f *Feed) Rebuild() {
	select {
	case f.again <- struct{}{}:
	default: // asked for already
	}
}

// Run feeds the index until the context ends. What fails is tried again, ever
// more slowly; changes that the streams no longer have lead to a rebuild.
func (f *Feed) Run(ctx context.Context) {
	var builds sync.WaitGroup
	defer builds.Wait()
	var building atomic.Bool
	for wait := f.poll; ctx.Err() == nil; pause(ctx, wait) {
		idle, err := f.Step(ctx)
		if ctx.Err() != nil {
			return
		}
		switch {
		case errors.Is(err, errGap):
			if building.Load() {
				err = nil // it is being mended
				break
			}
			f.log.Info("the search index is built again", "why", err)
			f.Rebuild()
			wait = f.poll
		case err != nil:
			f.log.Warn("the search index is not fed", "err", err)
			wait = min(max(2*wait, f.poll), time.Minute)
		case idle:
			wait = f.poll
		default:
			wait = 0
		}
		if !building.Load() {
			f.note(func(s *Status) { s.Err = err })
			select {
			case <-f.again:
				building.Store(true)
				builds.Go(func() {
					defer building.Store(false)
					f.build(ctx)
				})
			default:
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// take waits for the turn, as long as ctx lasts; release gives it back.
func (f *Feed) take(ctx context.Context) error {
	select {
	case f.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *Feed) release() { <-f.turn }

// currentLimit is how long a search waits for the index.
const currentLimit = 2 * time.Second

// Current brings into the index what was changed before the call, and reports
// whether that is so: what is found then is what the desks have. It is false for
// streams that do not tell of a change at once, and while the index cannot be fed.
func (f *Feed) Current(ctx context.Context) bool {
	// The work is everyone's who searches, whoever leaves meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), currentLimit)
	defer cancel()
	if f.track == nil {
		return false
	}
	_, _, ok, err := f.current.Get(ctx, "", func(ctx context.Context) (struct{}, bool) {
		for {
			_, whole, err := f.step(ctx)
			if err != nil || whole {
				return struct{}{}, err == nil // the feed tries again, and tells of what keeps it
			}
		}
	})
	return ok && err == nil
}

// Step reads what has changed into the index, once over all shards. Idle tells
// that there was nothing.
func (f *Feed) Step(ctx context.Context) (idle bool, err error) {
	idle, _, err = f.step(ctx)
	return idle, err
}

// step is Step; whole tells that all was read that was there when it began.
func (f *Feed) step(ctx context.Context) (idle, whole bool, err error) {
	if err := f.take(ctx); err != nil {
		return false, false, err
	}
	defer f.release()
	points, err := f.index.Checkpoints(ctx)
	if err != nil {
		return false, false, err
	}
	if points[builtMark] == "" {
		f.live = nil
		return false, false, fmt.Errorf("%w: the index has not been built", errGap)
	}
	if f.live != nil && f.live.points[builtMark] != points[builtMark] {
		f.live = nil // another process has made it again, and knows how far it is
	}
	if f.live == nil {
		f.live = &follower{feed: f, to: f.index, points: points}
	}
	idle, err = f.live.step(ctx)
	whole = f.live.whole
	if err != nil {
		f.live = nil // begin again from what the index has
	}
	return idle, whole, err
}

// follower reads changes into one index.
type follower struct {
	feed   *Feed
	to     Writer
	points Checkpoints
	shards []*shard
	listed time.Time
	whole  bool // the last step read all that there was
}

// relist is how often streams are asked for new shards.
const relist = 10 * time.Second

// step reads every shard once and applies what it found, with the positions.
func (w *follower) step(ctx context.Context) (idle bool, err error) {
	if err := w.list(ctx); err != nil {
		return false, err
	}
	next := maps.Clone(w.points)
	work := newWork()
	idle, w.whole = true, true
	var oldest time.Time
	for _, s := range w.shards {
		if s.position == atEnd {
			continue
		}
		if !w.parentDone(s) {
			w.whole = false
			continue
		}
		records, position, nothing, whole, err := w.feed.read(ctx, s)
		if err != nil {
			return false, err
		}
		idle, w.whole = idle && nothing, w.whole && whole
		s.position, next[s.name()] = position, position
		for i := range records {
			work.add(w.feed.sources, s.table, records[i])
			if at := records[i].Dynamodb.ApproximateCreationDateTime; at != nil && (oldest.IsZero() || at.Before(oldest)) {
				oldest = *at
			}
		}
		if position == atEnd {
			w.listed = time.Time{}
		}
	}
	w.feed.lag(oldest)
	if maps.Equal(next, w.points) {
		w.feed.lag(time.Time{})
		return idle, nil
	}
	b, dropped, err := work.load(ctx)
	if err != nil {
		return false, err
	}
	b.Checkpoints = next
	if err := w.to.Apply(ctx, b); err != nil {
		return false, err
	}
	w.points = next
	w.feed.note(func(s *Status) {
		s.Applied += len(b.Put) + len(b.Delete)
		s.Dropped += dropped
	})
	if idle {
		w.feed.lag(time.Time{})
	}
	return idle, nil
}

func (f *Feed) lag(oldest time.Time) {
	now := f.now()
	f.note(func(s *Status) {
		s.Checked, s.Lag = now, 0
		if !oldest.IsZero() {
			s.Lag = max(0, now.Sub(oldest))
		}
	})
}

// list finds the shards, the new ones too, and their positions.
func (w *follower) list(ctx context.Context) error {
	now := w.feed.now()
	if !w.listed.IsZero() && now.Sub(w.listed) < relist {
		return nil
	}
	list, err := w.feed.shards(ctx)
	if err != nil {
		return err
	}
	if err := resume(list, w.points); err != nil {
		return err
	}
	open := map[string]*string{}
	for _, s := range w.shards {
		open[s.name()] = s.iterator
	}
	for _, s := range list {
		s.iterator = open[s.name()]
	}
	w.shards, w.listed = list, now
	w.forget()
	return nil
}

// forget drops checkpoints of shards that were read to their end and are gone.
func (w *follower) forget() {
	there := map[string]bool{builtMark: true, PlaceMark: true}
	for _, s := range w.shards {
		there[s.name()] = true
	}
	maps.DeleteFunc(w.points, func(name, _ string) bool { return !there[name] })
}

// parentDone keeps the order of changes where a shard was split.
func (w *follower) parentDone(s *shard) bool {
	for _, p := range w.shards {
		if p.arn == s.arn && p.id == s.parent {
			return p.position == atEnd
		}
	}
	return true
}

// work is the documents that changes concern, each once.
type work struct {
	order []Key
	from  map[Key]Source
}

func newWork() *work { return &work{from: map[Key]Source{}} }

// load reads the documents as they are now.
func (w *work) load(ctx context.Context) (b Batch, dropped int, err error) {
	for _, k := range w.order {
		d, err := w.from[k].Load(ctx, k.ID)
		switch {
		case err == nil:
			d.Key = k
			b.Put = append(b.Put, *d)
		case errors.Is(err, errs.NotFound):
			b.Delete = append(b.Delete, k)
		case errors.Is(err, ErrUnreadable):
			b.Delete = append(b.Delete, k)
			dropped++
		default:
			return Batch{}, 0, fmt.Errorf("load %s: %w", k, err)
		}
	}
	return b, dropped, nil
}
