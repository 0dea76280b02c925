package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/kept"
	"pressroom/internal/story"
	"pressroom/model"
)

// FeedOptions are options of a feed; the zero value and nil are the defaults.
type FeedOptions struct {
	Now  func() time.Time // default time.Now
	Poll time.Duration    // how often the log is looked at when idle; default 500 ms
	// Track tells what was written since the feed read it; nil for a store that cannot
	// tell. See [Feed.Current].
	Track kept.Track
	// Shared tells that other processes have the same index, and may feed it while
	// this one makes it again.
	Shared bool
	Log    *slog.Logger // default none
}

// Feed keeps an index equal to the stories. Only one may feed an index at a time:
// processes that share one take turns by a lease.
type Feed struct {
	index   Index
	stories *story.Stories
	shelves []*story.Shelf
	now     func() time.Time
	poll    time.Duration
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

// What checkpoints have.
const (
	// logMark is the last event in the log that the index has.
	logMark = "log/"
	// builtMark is there if the index has been built as a whole, and says when.
	builtMark = "built/"
	// PlaceMark is the place of the index that the checkpoints are of, if it has
	// more than one: applied again, they are for that place and no other.
	PlaceMark = "place/"
)

// errGap tells that the log no longer has what the index lacks.
var errGap = errors.New("what happened is no longer in the log")

// NewFeed returns a feed of the stories of these shelves; Run starts it.
func NewFeed(index Index, stories *story.Stories, shelves []*story.Shelf, o *FeedOptions) *Feed {
	if o == nil {
		o = &FeedOptions{}
	}
	f := &Feed{
		index: index, stories: stories, shelves: shelves, now: o.Now, poll: o.Poll, shared: o.Shared, log: o.Log,
		again: make(chan struct{}, 1), turn: make(chan struct{}, 1),
	}
	f.track, f.current = o.Track, kept.New[struct{}](kept.Options{Track: o.Track, For: time.Hour})
	if f.now == nil {
		f.now = time.Now
	}
	if f.poll <= 0 {
		f.poll = 500 * time.Millisecond
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
// more slowly; events that the log no longer has lead to a rebuild.
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
// a store that does not tell of a change at once, and while the index cannot be fed.
func (f *Feed) Current(ctx context.Context) bool {
	// The work is everyone's who searches, whoever leaves meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), currentLimit)
	defer cancel()
	if f.track == nil {
		return false
	}
	_, _, ok, err := f.current.Get(ctx, "", func(ctx context.Context) (struct{}, bool) {
		for {
			_, whole, err := f.step(ctx, true)
			if err != nil || whole {
				return struct{}{}, err == nil // the feed tries again, and tells of what keeps it
			}
		}
	})
	return ok && err == nil
}

// Step reads what has happened into the index. Idle tells that there was nothing.
func (f *Feed) Step(ctx context.Context) (idle bool, err error) {
	idle, _, err = f.step(ctx, false)
	return idle, err
}

// step is Step; early does not wait for what is still on its way into the log. Whole
// tells that all was read that was there when it began.
func (f *Feed) step(ctx context.Context, early bool) (idle, whole bool, err error) {
	if err := f.take(ctx); err != nil {
		return false, false, err
	}
	defer f.release()
	points, err := f.index.Checkpoints(ctx)
	if err != nil {
		return false, false, err
	}
	if points[builtMark] == "" || points[logMark] == "" {
		f.live = nil
		return false, false, fmt.Errorf("%w: the index has not been built", errGap)
	}
	if f.live != nil && f.live.points[builtMark] != points[builtMark] {
		f.live = nil // another process has made it again, and knows how far it is
	}
	if f.live == nil {
		f.live = &follower{feed: f, to: f.index, points: points, early: map[story.Ref]int{}}
	}
	idle, whole, err = f.live.step(ctx, early)
	if err != nil {
		f.live = nil // begin again from what the index has
	}
	return idle, whole, err
}

// follower reads what happens into one index.
type follower struct {
	feed   *Feed
	to     Writer
	points Checkpoints
	early  map[story.Ref]int // revisions that the index had before they were in the log
}

// step reads some entries of the log and applies them, with the place after them.
func (w *follower) step(ctx context.Context, early bool) (idle, whole bool, err error) {
	at, err := strconv.ParseInt(w.points[logMark], 10, 64)
	if err != nil {
		return false, false, fmt.Errorf("%w: %w", errGap, err)
	}
	var refs []story.Ref
	if early { // before the log is read: what leaves the one is in the other
		if refs, err = w.feed.stories.Waiting(ctx); err != nil {
			return false, false, err
		}
	}
	waiting := len(refs)
	entries, end, err := w.feed.stories.Since(ctx, at)
	if errors.Is(err, story.ErrBehind) {
		return false, false, fmt.Errorf("%w: %w", errGap, err)
	}
	if err != nil {
		return false, false, err
	}
	for _, e := range entries {
		if w.early[e.Ref] < e.Revision {
			refs = append(refs, e.Ref)
		} else if w.early[e.Ref] == e.Revision {
			delete(w.early, e.Ref)
		}
	}
	if len(entries) > 0 {
		w.feed.lag(entries[0].At)
	}
	next := maps.Clone(w.points)
	next[logMark] = strconv.FormatInt(at+int64(len(entries)), 10)
	whole = at+int64(len(entries)) == end
	if len(refs) == 0 && len(entries) == 0 {
		w.feed.lag("")
		return true, whole, nil
	}
	b, dropped, err := w.load(ctx, refs, waiting)
	if err != nil {
		return false, false, err
	}
	b.Checkpoints = next
	if err := w.to.Apply(ctx, b); err != nil {
		return false, false, err
	}
	w.points = next
	w.feed.note(func(s *Status) {
		s.Applied += len(b.Put) + len(b.Delete)
		s.Dropped += dropped
	})
	if whole {
		w.feed.lag("")
	}
	return false, whole, nil
}

// lag notes since when the index has not been equal to the stories; "" if it is.
func (f *Feed) lag(since string) {
	now := f.now()
	at, err := model.ParseTime(since)
	f.note(func(s *Status) {
		s.Checked, s.Lag = now, 0
		if err == nil {
			s.Lag = max(0, now.Sub(at))
		}
	})
}

// perCards is how many cards are read at once.
const perCards = 100

// load reads stories as they are now, each once: the card before the text, so that the
// text is not of an earlier revision than the card says. The first so many are not in
// the log yet.
func (w *follower) load(ctx context.Context, refs []story.Ref, waiting int) (b Batch, dropped int, err error) {
	met := map[story.Ref]bool{}
	var once []story.Ref
	for _, ref := range refs {
		if !met[ref] {
			met[ref] = true
			once = append(once, ref)
		}
	}
	soon := map[story.Ref]bool{}
	for _, ref := range refs[:waiting] {
		soon[ref] = true
	}
	for some := range slices.Chunk(once, perCards) {
		cards, err := w.feed.cards(ctx, some)
		if err != nil {
			return b, dropped, err
		}
		for _, ref := range some {
			card, visible := cards[ref]
			if visible && soon[ref] {
				if w.early[ref] == card.Revision {
					continue
				}
				w.early[ref] = card.Revision
			}
			var text story.Text
			var err error = errs.NotFound
			if visible && !card.Unfound {
				text, err = w.feed.text(ctx, ref)
			}
			switch {
			case err == nil:
				b.Put = append(b.Put, documentOf(&card, &text))
				continue
			case errors.Is(err, story.ErrUnreadable):
				dropped++
			case !errors.Is(err, errs.NotFound):
				return b, dropped, fmt.Errorf("load %s: %w", ref, err)
			}
			b.Delete = append(b.Delete, Key{ref.Desk, ref.ID})
		}
	}
	return b, dropped, nil
}

func (f *Feed) cards(ctx context.Context, refs []story.Ref) (map[story.Ref]story.Story, error) {
	list, err := f.stories.Get(ctx, refs...)
	cards := map[story.Ref]story.Story{}
	for _, card := range list {
		cards[card.Ref] = card
	}
	return cards, err
}

func (f *Feed) text(ctx context.Context, ref story.Ref) (story.Text, error) {
	for _, shelf := range f.shelves {
		if shelf.Desk == ref.Desk {
			return shelf.Load(ctx, ref.ID)
		}
	}
	return story.Text{}, errs.NotFound
}

// documentOf is a story as the index has it. What the card says counts: it is that of
// the revision.
func documentOf(card *story.Story, text *story.Text) Document {
	date, err := model.ParseTime(card.Listed)
	if err != nil {
		date = time.Time{}
	}
	return Document{
		Key: Key{card.Desk, card.ID}, Kind: card.Kind, Language: card.Language, Title: card.Title, Summary: card.Summary,
		Body: text.Body, Hidden: text.Hidden, Tags: card.Topics,
		Source: cmp.Or(card.Source.Name, card.Provenance.Author), Names: text.Names, Date: date, URL: card.Path, Level: Public, Revision: card.Revision,
	}
}
