package thread

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// Follower keeps the threads in the table equal to what the rules and the editors say of
// the stories of some desks. It is for one goroutine; of several processes one follows.
type Follower struct {
	threads *Threads
	shelves map[string]*story.Shelf
	// Told is called before a story comes into a thread that was there before, with the
	// thread's ids: that of now and those that it had. It may be called again for the same
	// story. Nil for nobody.
	Told func(ctx context.Context, ref story.Ref, threads []string) error

	index *Index // nil until all stories were read
	at    int64  // the last event in the log that the index has
	fence int64  // of the last time
	count int64  // the decisions that the index knows
	// stored is the threads of stories as the table has them, while all are compared: a
	// process that died may have written a thread and not yet the places.
	stored map[string]string
}

// NewFollower returns a follower of the stories of these desks.
func NewFollower(threads *Threads, shelves ...*story.Shelf) *Follower {
	f := &Follower{threads: threads, shelves: map[string]*story.Shelf{}}
	for _, s := range shelves {
		f.shelves[s.Desk] = s
	}
	return f
}

// ConsumerName is whose cursor in the log of stories the follower has.
const ConsumerName = "thread"

// Consumer reads the log.
func (f *Follower) Consumer() story.Consumer {
	return story.Consumer{Name: ConsumerName, Look: f.look, Handle: f.handle, Rebuild: f.build}
}

// look makes sure that the index is there, and knows what editors decided.
func (f *Follower) look(ctx context.Context) error {
	if fence, ok := story.FenceOf(ctx); ok {
		if fence.Count > f.fence+1 {
			f.index = nil // another process has gone on
		}
		f.fence = fence.Count
	}
	if f.index == nil {
		return f.build(ctx)
	}
	now, err := f.threads.decided.Get(ctx, allDecided)
	if err != nil || now.Count == f.count {
		return err
	}
	if err := f.obey(ctx); err != nil {
		return err
	}
	return f.save(ctx)
}

// obey reads what editors decided into the index.
func (f *Follower) obey(ctx context.Context) error {
	said, count, err := f.threads.said(ctx)
	if err != nil {
		return err
	}
	f.index.obeyOnly(said)
	f.count = count
	return nil
}

// handle brings the stories that something happened to up to date.
func (f *Follower) handle(ctx context.Context, entries []story.Entry) error {
	if entries[0].Sequence > f.at+1 {
		return f.build(ctx) // what is between them is not in the index
	}
	for _, e := range entries {
		if err := f.take(ctx, e.Ref); err != nil {
			return fmt.Errorf("event %d: %w", e.Sequence, err)
		}
		if err := f.save(ctx); err != nil {
			return fmt.Errorf("event %d: %w", e.Sequence, err)
		}
		f.at = max(f.at, e.Sequence)
	}
	return nil
}

// build reads all stories, and compares the threads in the table with those that come of
// it. The place in the log is taken before the first one is read: what happens meanwhile
// is read again.
func (f *Follower) build(ctx context.Context) error {
	f.index = nil
	end, err := f.threads.stories.End(ctx)
	if err != nil {
		return err
	}
	x := NewIndex()
	said, count, err := f.threads.said(ctx)
	if err != nil {
		return err
	}
	x.said = said
	for _, desk := range slices.Sorted(maps.Keys(f.shelves)) {
		for text, err := range f.shelves[desk].All(ctx) {
			if err != nil {
				return fmt.Errorf("all stories of %s: %w", desk, err)
			}
			x.Add(storyOf(desk, &text))
		}
	}
	clear(x.touched)
	for t, members := range x.members {
		if len(members) > 1 {
			x.touched[t] = true
		}
	}
	f.stored = map[string]string{}
	defer func() { f.stored = nil }()
	for th, err := range f.threads.all(ctx) {
		if err != nil {
			return err
		}
		for _, m := range th.Stories {
			f.stored[m.Story] = th.ID
			if n, ok := x.numbers[m.Story]; ok {
				x.touched[x.of[n]] = true
			} else {
				x.gone[m.Story] = true
			}
		}
	}
	f.index, f.at, f.count = x, end, count
	return f.save(ctx)
}

// take brings one story up to date.
func (f *Follower) take(ctx context.Context, ref story.Ref) error {
	shelf := f.shelves[ref.Desk]
	if shelf == nil {
		return nil
	}
	text, err := shelf.Load(ctx, ref.ID)
	switch {
	case errors.Is(err, errs.NotFound), errors.Is(err, story.ErrUnreadable):
		f.index.Remove(ref.String())
		return nil
	case err != nil:
		return err
	}
	f.index.Add(storyOf(ref.Desk, &text))
	return nil
}

// storyOf is what the rules read of a story.
func storyOf(desk string, t *story.Text) *Story {
	t.Desk = desk
	if card, err := t.Normal(); err == nil {
		t.Story = card
	}
	published, _ := time.Parse(time.RFC3339, t.Published) // a story without a date is old
	s := &Story{
		ID: t.Ref.String(), Desk: t.Desk, Entry: t.Kind == "term", Source: t.Source.Name, Language: t.Language, Published: published,
		Order: t.Listed + "#" + t.ID, Mark: markOf(&t.Story),
		Title: t.Title, Summary: t.Summary, Text: t.Body, Section: t.Section, People: t.People, Topics: t.Topics,
	}
	for _, subject := range t.Subjects {
		if subject.Kind == billKind {
			s.Bills = append(s.Bills, subject.Name)
		}
	}
	return s
}

// saves is how often a save is tried that editors are faster with.
const saves = 5

// save writes what changed in the index into the table.
func (f *Follower) save(ctx context.Context) error {
	for try := 1; ; try++ {
		err := f.saveOnce(ctx)
		if !errors.Is(err, errMeanwhile) || try == saves {
			return err
		}
		if err := f.obey(ctx); err != nil {
			return err
		}
	}
}

func (f *Follower) saveOnce(ctx context.Context) error {
	x := f.index
	touched := slices.Sorted(maps.Keys(x.touched))
	gone := slices.Sorted(maps.Keys(x.gone))
	s := &settling{f: f, groups: map[int32]bool{}, lost: map[string]bool{}}
	for _, t := range touched {
		if len(x.members[t]) == 0 || s.groups[t] {
			continue
		}
		if err := s.one(ctx, []int32{t}, nil); err != nil {
			return err
		}
	}
	for _, id := range gone {
		if !s.lost[id] {
			if err := s.one(ctx, nil, []string{id}); err != nil {
				return err
			}
		}
	}
	for _, t := range touched {
		delete(x.touched, t)
	}
	for _, id := range gone {
		delete(x.gone, id)
	}
	return nil
}

// perSettle is how many threads one transaction writes at most.
const perSettle = 90

// mostStories is how many stories a thread has in the table: the last ones.
const mostStories = 400

// settling writes threads, together with all that stand in each other's places.
type settling struct {
	f      *Follower
	groups map[int32]bool  // that were written
	lost   map[string]bool // stories that are in none
}

// one writes some groups and all others that have to do with them: those whose stories
// have their places in the same threads.
func (s *settling) one(ctx context.Context, groups []int32, gone []string) error {
	x, t := s.f.index, s.f.threads
	places, old := map[story.Ref]string{}, map[string]*Thread{}
	lost := map[string]bool{}
	for from, goneFrom := 0, 0; ; {
		var refs []story.Ref
		for _, g := range groups[from:] {
			s.groups[g] = true
			for _, n := range x.members[g] {
				refs = append(refs, refOf(x.docs[n].id))
			}
		}
		for _, id := range gone[goneFrom:] {
			s.lost[id], lost[id] = true, true
			refs = append(refs, refOf(id))
		}
		from, goneFrom = len(groups), len(gone)
		found, err := t.placesOf(ctx, refs)
		if err != nil {
			return err
		}
		var ids []string
		for _, ref := range refs {
			for _, id := range []string{found[ref], s.f.stored[ref.String()]} {
				if id != "" && old[id] == nil && !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
		maps.Copy(places, found)
		threads, err := t.byID(ctx, ids)
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(threads)) {
			old[id] = threads[id]
			for _, m := range threads[id].Stories {
				switch n, ok := x.numbers[m.Story]; {
				case !ok && !lost[m.Story] && !slices.Contains(gone, m.Story):
					gone = append(gone, m.Story)
				case ok && !slices.Contains(groups, x.of[n]):
					groups = append(groups, x.of[n])
				}
			}
		}
		if from == len(groups) && goneFrom == len(gone) {
			break
		}
	}
	if len(groups) == 1 && len(old) == 0 && len(x.members[groups[0]]) < 2 {
		return nil // a story that stands alone
	}
	return s.write(ctx, groups, places, old)
}

// write gives each group the thread that most of its stories are in, or a new one, and
// writes what is then another than it was.
func (s *settling) write(ctx context.Context, groups []int32, places map[story.Ref]string, old map[string]*Thread) error {
	x, t := s.f.index, s.f.threads
	assigned := s.assign(groups, old)
	next := map[string]*Thread{}
	of := map[string]string{} // the thread of each story
	for _, g := range groups {
		id := assigned[g]
		if id == "" {
			if len(x.members[g]) < 2 {
				continue
			}
			id = t.ids.New()
		}
		th := x.thread(x.members[g])
		th.ID = id
		if was := old[id]; was != nil {
			th.Name, th.Was, th.Version = was.Name, was.Was, was.Version
		}
		next[id] = th
		for _, m := range th.Stories {
			of[m.Story] = id
		}
	}
	var pieces []model.Piece
	for _, id := range slices.Sorted(maps.Keys(old)) {
		if next[id] != nil {
			continue
		}
		was := old[id]
		into := mostOf(was.Stories, of)
		if into == "" {
			if was.Name == "" {
				pieces = append(pieces, t.threads.RemovePiece(was).Means(errMeanwhile))
			} else if len(was.Stories) > 0 {
				pieces = append(pieces, t.threads.PutPiece(&Thread{ID: id, Name: was.Name, Was: was.Was, Version: was.Version}).Means(errMeanwhile))
			}
			continue
		}
		part := &Thread{ID: id, Version: was.Version, Was: was.Was, Name: was.Name}
		part.become(next[into])
		part.Name = ""
		pieces = append(pieces, t.threads.PutPiece(part).Means(errMeanwhile))
	}
	for _, id := range slices.Sorted(maps.Keys(next)) {
		if was := old[id]; was == nil || !same(was, next[id]) {
			pieces = append(pieces, t.threads.PutPiece(next[id]).Means(errMeanwhile))
		}
	}
	if err := s.tell(ctx, of, places, old, next); err != nil {
		return err
	}
	for some := range slices.Chunk(pieces, perSettle) {
		if err := s.f.transact(ctx, some); err != nil {
			return err
		}
	}
	return s.place(ctx, of, places)
}

// assign gives groups the threads that most of their stories are in: the most stories
// first, and of equals the thread that was first.
func (s *settling) assign(groups []int32, old map[string]*Thread) map[int32]string {
	type vote struct {
		group int32
		id    string
		count int
	}
	x := s.f.index
	var votes []vote
	for id, th := range old {
		counts := map[int32]int{}
		for _, m := range th.Stories {
			if n, ok := x.numbers[m.Story]; ok && slices.Contains(groups, x.of[n]) {
				counts[x.of[n]]++
			}
		}
		for g, n := range counts {
			votes = append(votes, vote{g, id, n})
		}
	}
	slices.SortFunc(votes, func(a, b vote) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.id, b.id), cmp.Compare(a.group, b.group))
	})
	assigned, taken := map[int32]string{}, map[string]bool{}
	for _, v := range votes {
		if assigned[v.group] == "" && !taken[v.id] {
			assigned[v.group], taken[v.id] = v.id, true
		}
	}
	return assigned
}

// mostOf is the thread that most of some stories are in; "" if none is in any.
func mostOf(stories []Member, of map[string]string) string {
	counts, most := map[string]int{}, ""
	for _, m := range stories {
		id := of[m.Story]
		if id == "" {
			continue
		}
		if counts[id]++; most == "" || counts[id] > counts[most] {
			most = id
		}
	}
	return most
}

func same(a, b *Thread) bool {
	return a.Order == b.Order && a.Name == b.Name && a.Into == b.Into && slices.Equal(a.Stories, b.Stories) && slices.Equal(a.Was, b.Was) &&
		slices.EqualFunc(a.Shared, b.Shared, func(a, b Shared) bool { return reflect.DeepEqual(a, b) })
}

// transact writes if all decisions are known and this process is the one that follows.
func (f *Follower) transact(ctx context.Context, pieces []model.Piece) error {
	known := expression.Name("count").Equal(expression.Value(f.count))
	pieces = append(pieces, f.threads.decided.CheckPiece(allDecided, known).Means(errMeanwhile))
	if fence, ok := story.FenceOf(ctx); ok {
		pieces = append(pieces, fence.Piece)
	}
	return model.Transact(ctx, f.threads.db, pieces...)
}

// tell tells of the stories that come into threads which somebody may know.
func (s *settling) tell(ctx context.Context, of map[string]string, places map[story.Ref]string, old, next map[string]*Thread) error {
	if s.f.Told == nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		ref, th := refOf(id), next[of[id]]
		known := slices.ContainsFunc(append([]string{th.ID}, th.Was...), func(id string) bool { return old[id] != nil })
		if was := places[ref]; !known || was == th.ID || slices.Contains(th.Was, was) {
			continue
		}
		if err := s.f.Told(ctx, ref, append([]string{th.ID}, th.Was...)); err != nil {
			return err
		}
	}
	return nil
}

// place writes the places of stories that are in another thread than before, or in none.
func (s *settling) place(ctx context.Context, of map[string]string, places map[story.Ref]string) error {
	var put []placed
	var drop []model.Values
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if ref := refOf(id); places[ref] != of[id] {
			put = append(put, placed{ref, of[id]})
		}
	}
	for ref := range places {
		if of[ref.String()] == "" {
			drop = append(drop, placeKey(ref))
		}
	}
	if len(put) > 0 {
		if err := s.f.threads.places.BatchPut(ctx, put); err != nil {
			return err
		}
	}
	if len(drop) > 0 {
		return s.f.threads.places.BatchDelete(ctx, drop)
	}
	return nil
}

// thread is a group as the table has it, without its id.
func (x *Index) thread(group []int32) *Thread {
	docs := make([]*doc, len(group))
	for i, n := range group {
		docs[i] = x.docs[n]
	}
	slices.SortFunc(docs, func(a, b *doc) int { return cmp.Or(strings.Compare(a.order, b.order), strings.Compare(a.id, b.id)) })
	docs = docs[max(0, len(docs)-mostStories):]
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.id
	}
	first := map[string]string{}
	for _, report := range x.Printings(ids) {
		for _, id := range report[1:] {
			first[id] = report[0]
		}
	}
	t := &Thread{Shared: x.shared(docs)}
	for _, d := range docs {
		t.Stories = append(t.Stories, Member{Story: d.id, Order: d.order, Mark: d.mark, Of: first[d.id]})
	}
	if len(docs) < 2 {
		t.Shared = nil
	}
	t.arrange()
	return t
}
