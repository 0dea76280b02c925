package thread

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// Threads is the table of threads. It may be used from many goroutines.
type Threads struct {
	db        model.DB
	stories   *story.Stories
	now       func() time.Time
	ids       model.IDs
	table     model.Table
	threads   *model.Repo[Thread]
	places    *model.Repo[placed]
	decisions *model.Repo[Decision]
	decided   *model.Repo[decided]
	latest    *model.View[listed]
}

// Thread is what is stored of a thread. It has no words of a story but those that its
// stories share, each with the stories that have it.
type Thread struct {
	ID      string   `dynamodbav:"thread"`
	Order   string   `dynamodbav:"order,omitempty"` // "" if it has fewer than two stories
	Name    string   `dynamodbav:"name,omitempty"`  // that an editor gave it
	Stories []Member `dynamodbav:"stories"`         // the first one first
	Shared  []Shared `dynamodbav:"shared"`          // the most telling first
	Into    string   `dynamodbav:"into,omitempty"`  // the thread that it became part of
	Was     []string `dynamodbav:"was"`             // threads that became part of it
	Version int      `dynamodbav:"version"`
}

// Member is a story of a thread.
type Member struct {
	Story string `dynamodbav:"story"` // desk/id
	Order string `dynamodbav:"order"` // its place in lists
	Mark  uint32 `dynamodbav:"mark"`  // stands for what it said
	// Of is the story whose report it prints; "" if it is the first to print it, or the
	// only one.
	Of string `dynamodbav:"of,omitempty"`
}

// Shared is something that stories of a thread share.
type Shared struct {
	Kind Kind   `dynamodbav:"kind"`
	Text string `dynamodbav:"text"`
	In   []int  `dynamodbav:"in"` // the stories, by their place in the thread
}

// placed is the thread of a story.
type placed struct {
	story.Ref
	Thread string `dynamodbav:"thread"`
}

// listed is a thread as the index has it.
type listed struct {
	ID    string `dynamodbav:"thread"`
	Order string `dynamodbav:"order"`
}

// decided counts decisions.
type decided struct {
	All   string `dynamodbav:"all"`
	Count int64  `dynamodbav:"count"`
}

var allDecided = model.Values{"all": "all"}

// Options adjust Threads. The zero value, and nil, are usable.
type Options struct {
	Table string           // default Threads
	Now   func() time.Time // default time.Now
}

// New returns the threads in a table of that [Schema].
func New(db model.DB, stories *story.Stories, o *Options) (*Threads, error) {
	if o == nil {
		o = &Options{}
	}
	t := &Threads{db: db, stories: stories, now: o.Now, table: table}
	if t.now == nil {
		t.now = time.Now
	}
	t.ids.Now = t.now
	if o.Table != "" {
		t.table.Name = o.Table
	}
	var failed [5]error
	t.threads, failed[0] = model.NewRepo[Thread](db, &t.table, "Thread", nil)
	t.places, failed[1] = model.NewRepo[placed](db, &t.table, "Place", nil)
	t.decisions, failed[2] = model.NewRepo[Decision](db, &t.table, "Decision", nil)
	t.decided, failed[3] = model.NewRepo[decided](db, &t.table, "Decided", nil)
	t.latest, failed[4] = model.NewView[listed](db, &t.table, "Latest", nil)
	return t, errors.Join(failed[:]...)
}

// refOf reads desk/id.
func refOf(text string) story.Ref {
	desk, id, _ := strings.Cut(text, "/")
	return story.Ref{Desk: desk, ID: id}
}

func (m *Member) ref() story.Ref { return refOf(m.Story) }

// at is where a story stands in the thread; -1 if it does not.
func (t *Thread) at(id string) int {
	return slices.IndexFunc(t.Stories, func(m Member) bool { return m.Story == id })
}

func placeKey(ref story.Ref) model.Values { return model.Values{"desk": ref.Desk, "id": ref.ID} }

// placesOf returns the threads in which stories have their places; those that stand alone
// are left out.
func (t *Threads) placesOf(ctx context.Context, refs []story.Ref) (map[story.Ref]string, error) {
	keys := make([]model.Values, len(refs))
	for i, ref := range refs {
		keys[i] = placeKey(ref)
	}
	found, err := t.places.BatchGet(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("places of stories in threads: %w", err)
	}
	of := map[story.Ref]string{}
	for _, p := range found {
		of[p.Ref] = p.Thread
	}
	return of, nil
}

// byID returns threads as they are stored.
func (t *Threads) byID(ctx context.Context, ids []string) (map[string]*Thread, error) {
	keys := make([]model.Values, len(ids))
	for i, id := range ids {
		keys[i] = model.Values{"thread": id}
	}
	found, err := t.threads.BatchGet(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("read threads: %w", err)
	}
	of := map[string]*Thread{}
	for i := range found {
		of[found[i].ID] = &found[i]
	}
	return of, nil
}

// all yields the threads of at least two stories.
func (t *Threads) all(ctx context.Context) iter.Seq2[*Thread, error] {
	return func(yield func(*Thread, error) bool) {
		var ids []string
		flush := func() bool {
			found, err := t.byID(ctx, ids)
			if ids = nil; err != nil {
				return yield(nil, err)
			}
			for _, th := range found {
				if !yield(th, nil) {
					return false
				}
			}
			return true
		}
		for one, err := range t.latest.All(ctx, nil, model.Window{}) {
			if err != nil {
				yield(nil, err)
				return
			}
			if ids = append(ids, one.ID); len(ids) == perRead && !flush() {
				return
			}
		}
		flush()
	}
}

// perRead is how many threads are read at once.
const perRead = 100

// Of returns the threads of stories, as they are stored; those that stand alone are left
// out. Whoever shows them reads the cards of their stories as they are now, see
// [Threads.Show].
func (t *Threads) Of(ctx context.Context, refs ...story.Ref) (map[story.Ref]*Thread, error) {
	places, err := t.placesOf(ctx, refs)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	var ids []string
	for _, id := range places {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	threads, err := t.byID(ctx, ids)
	if err != nil {
		return nil, err
	}
	of := map[story.Ref]*Thread{}
	for ref, id := range places {
		// A place is written beside its thread, and may be behind it.
		if th := threads[id]; th != nil && th.at(ref.String()) >= 0 {
			of[ref] = th
		}
	}
	return of, nil
}

// followed is how many threads, each of which became part of the next, lead to one.
const followed = 8

// get returns a thread as it is stored, or the one that it became part of.
func (t *Threads) get(ctx context.Context, id string) (*Thread, error) {
	for range followed {
		th, err := t.threads.Get(ctx, model.Values{"thread": id})
		if errors.Is(err, model.ErrNotFound) {
			return nil, fmt.Errorf("thread %s: %w", id, errs.NotFound)
		}
		if err != nil || th.Into == "" {
			return &th, err
		}
		id = th.Into
	}
	return nil, fmt.Errorf("thread %s leads nowhere: %w", id, errs.NotFound)
}
