package follow

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"pressroom/internal/deliver"
	"pressroom/internal/errs"
	"pressroom/internal/search/text"
	"pressroom/internal/story"
	"pressroom/model"
)

// Match returns who follows something that a story is about, and what that is.
func (f *Follows) Match(ctx context.Context, st *story.Text) (map[string][]Subject, error) {
	subjects := Subjects(&st.Story)
	ids, err := f.fitting(ctx, st)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		subjects = append(subjects, Subject{Kind: Saved, Name: id})
	}
	return f.following(ctx, subjects)
}

// lookups is how many subjects are looked up at a time. A story may fit hundreds of
// searches, and each is a question to a store that may be far away.
const lookups = 8

// following returns who follows subjects, and which.
func (f *Follows) following(ctx context.Context, subjects []Subject) (map[string][]Subject, error) {
	readers, failed := make([][]string, len(subjects)), make([]error, lookups)
	var workers sync.WaitGroup
	for w := range min(lookups, len(subjects)) {
		workers.Go(func() {
			for i := w; i < len(subjects) && failed[w] == nil; i += lookups {
				readers[i], failed[w] = f.followersOf(ctx, subjects[i])
			}
		})
	}
	if workers.Wait(); errors.Join(failed...) != nil {
		return nil, errors.Join(failed...)
	}
	found := map[string][]Subject{}
	for i, s := range subjects {
		for _, reader := range readers[i] {
			found[reader] = append(found[reader], s)
		}
	}
	return found, nil
}

func (f *Follows) followersOf(ctx context.Context, s Subject) ([]string, error) {
	var readers []string
	for who, err := range f.followers.All(ctx, model.Values{"kind": s.Kind, "name": s.Name}, model.Window{}) {
		if err != nil {
			return nil, err
		}
		readers = append(readers, who.Reader)
	}
	return readers, nil
}

// fitting returns the searches that a story fits. The searches are in memory, and read
// again when one was added.
func (f *Follows) fitting(ctx context.Context, st *story.Text) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now, err := f.shelf.Get(ctx, model.Values{"all": "all"})
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return nil, err
	}
	if now.Count != f.gen {
		var all []Search
		for shard := range 16 {
			for s, err := range f.searches.All(ctx, "SearchesOf", model.Values{"shard": strconv.FormatInt(int64(shard), 16)}) {
				if err != nil {
					return nil, err
				}
				all = append(all, s.Search)
			}
		}
		// Without the dictionary, searches would be read without their dictionary forms and
		// homonyms, for as long as nobody adds another one.
		if err := text.Load(ctx); err != nil {
			return nil, err
		}
		// What was added meanwhile is among them, or makes another count.
		f.perc, f.gen = newPercolator(all, f.perc), now.Count
	}
	return f.perc.fitting(st)
}

// Matcher reads what happens to stories and writes down who is to be told.
type Matcher struct {
	Follows *Follows
	Ledger  *deliver.Ledger
	Stories *story.Stories
	// Load returns the text of a story, for searches; see [story.Shelf].
	Load func(context.Context, story.Ref) (story.Text, error)
	// Desks are those whose stories a preview shows.
	Desks []string
}

// ConsumerName is whose cursor in the log of stories the matcher has.
const ConsumerName = "follow"

// Consumer reads the log. One that was away for longer than the log is kept goes on with
// what is new: nobody is told of what is weeks old.
func (m *Matcher) Consumer() story.Consumer {
	return story.Consumer{Name: ConsumerName, Handle: m.Handle, Rebuild: func(context.Context) error { return nil }}
}

// Handle writes down what is to be sent because of events. Doing so twice is no harm.
func (m *Matcher) Handle(ctx context.Context, entries []story.Entry) error {
	for _, e := range entries {
		if err := m.handle(ctx, e.Event); err != nil {
			return err
		}
	}
	return nil
}

func (m *Matcher) handle(ctx context.Context, e story.Event) error {
	if e.What == story.Corrected || e.What == story.Withdrawn {
		if _, err := m.Ledger.Tell(ctx, e); err != nil {
			return err
		}
	}
	if e.What == story.Withdrawn {
		return nil
	}
	text, err := m.text(ctx, e.Ref)
	if errors.Is(err, errs.NotFound) || err == nil && story.Time(text.Listed).Before(m.Follows.now().Add(-oldest)) {
		return nil // it is gone, of which an event follows; or it is history
	}
	if err != nil {
		return err
	}
	who, err := m.Follows.Match(ctx, &text)
	if err != nil {
		return err
	}
	if e.Revision > 1 { // some have heard of it
		if err := m.forget(ctx, e.Ref, who); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(who)), 100) {
		if err := m.tell(ctx, e, &text.Story, some); err != nil {
			return err
		}
	}
	return nil
}

// Threaded writes down who is to be told that a story came into a thread, which has had
// some ids. Who has heard of the story is not told again.
func (m *Matcher) Threaded(ctx context.Context, ref story.Ref, threads []string) error {
	cards, err := m.Stories.Get(ctx, ref)
	if err != nil || len(cards) == 0 || story.Time(cards[0].Listed).Before(m.Follows.now().Add(-oldest)) {
		return err
	}
	subjects := make([]Subject, len(threads))
	for i, id := range threads {
		subjects[i] = normal(Subject{Kind: Thread, Name: id})
	}
	who, err := m.Follows.following(ctx, subjects)
	if err != nil || len(who) == 0 {
		return err
	}
	if err := m.forget(ctx, ref, who); err != nil {
		return err
	}
	e := story.Event{Ref: ref, Kind: cards[0].Kind, Revision: cards[0].Revision, What: story.Published}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(who)), 100) {
		if err := m.tell(ctx, e, &cards[0], some); err != nil {
			return err
		}
	}
	return nil
}

// oldest is how old a story may be that anybody is told of. Who brings an archive in does
// not send it to all readers.
const oldest = 90 * 24 * time.Hour

// text returns a story as it is now. What only searches need is read if there are any.
func (m *Matcher) text(ctx context.Context, ref story.Ref) (story.Text, error) {
	cards, err := m.Stories.Get(ctx, ref)
	if err != nil {
		return story.Text{}, err
	}
	if len(cards) == 0 {
		return story.Text{}, errs.NotFound
	}
	text := story.Text{Story: cards[0]}
	searches, err := m.Follows.shelf.Get(ctx, model.Values{"all": "all"})
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return story.Text{}, err
	}
	if searches.Count > 0 {
		whole, err := m.Load(ctx, ref)
		if err != nil {
			return story.Text{}, err
		}
		text.Body, text.Hidden = whole.Body, whole.Hidden
	}
	return text, nil
}

// forget leaves out those who have a delivery of the story already, unless the last was
// that it is gone, or was never sent.
func (m *Matcher) forget(ctx context.Context, ref story.Ref, who map[string][]Subject) error {
	last := map[string]story.What{}
	for d, err := range m.Ledger.About(ctx, ref) {
		if err != nil {
			return err
		}
		if d.State != deliver.Dropped || d.Doubtful > 0 {
			last[d.Recipient] = d.What // revisions of one recipient come in their order
		}
	}
	for reader, what := range last {
		if what != story.Withdrawn {
			delete(who, reader)
		}
	}
	return nil
}

func (m *Matcher) tell(ctx context.Context, e story.Event, card *story.Story, ids []string) error {
	keys := make([]model.Values, len(ids))
	for i, id := range ids {
		keys[i] = model.Values{"reader": id}
	}
	readers, err := m.Follows.readers.BatchGet(ctx, keys)
	if err != nil {
		return err
	}
	var now []deliver.Delivery
	for i := range readers {
		r := &readers[i]
		for _, way := range r.Ways {
			d := deliver.Delivery{Ref: e.Ref, Recipient: r.ID, Channel: way, Revision: e.Revision, What: e.What, Title: card.Title}
			if way != "mail" || r.Pace == AtOnce {
				now = append(now, d)
			} else if err := m.gather(ctx, r, d); err != nil {
				return err
			}
		}
	}
	_, err = m.Ledger.Add(ctx, now...)
	return err
}

// gather puts a delivery into the reader's next digest that is not closed.
func (m *Matcher) gather(ctx context.Context, r *Reader, d deliver.Delivery) error {
	after := m.Follows.now()
	for {
		id, due := r.digest(after)
		_, err := m.Ledger.Gather(ctx, d, id, due)
		if !errors.Is(err, deliver.ErrClosed) {
			return err
		}
		after = due
	}
}

// digestHour is when digests come, by the reader's clock; weekly ones on Mondays.
const digestHour = 7

// digest names the next digest after a time, and says when it is due.
func (r *Reader) digest(after time.Time) (id string, due time.Time) {
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		zone = time.UTC
	}
	local := after.In(zone)
	for day := 0; ; day++ {
		// Where the clock is set at that hour, Date gives a time beside it.
		due = time.Date(local.Year(), local.Month(), local.Day()+day, digestHour, 0, 0, 0, zone)
		if due.After(after) && (r.Pace != Weekly || due.Weekday() == time.Monday) {
			return string(r.Pace) + "-" + due.Format(time.DateOnly), due
		}
	}
}
