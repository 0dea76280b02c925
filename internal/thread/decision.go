package thread

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// What editors decide.
const (
	ToSplit = "split" // stories leave for a thread of their own
	ToMerge = "merge" // the stories of another thread, or one that stands alone, come in
	ToName  = "name"
)

// mostMoved is how many stories one decision moves at most: it is one transaction.
const mostMoved = 90

// Decision is what an editor decided. It is about stories, so that it holds whatever
// becomes of the threads: those that were moved and those that stayed are together, or
// apart, until a later decision says otherwise, or it is undone.
type Decision struct {
	ID       string   `dynamodbav:"decision"`
	What     string   `dynamodbav:"what"`
	Thread   string   `dynamodbav:"thread"`
	Other    string   `dynamodbav:"other,omitempty"` // the thread that stories went to, or came from; "" if they stood alone
	Moved    []string `dynamodbav:"moved"`           // stories, as desk/id
	Stayed   []string `dynamodbav:"stayed"`
	Name     string   `dynamodbav:"name,omitempty"`
	Before   string   `dynamodbav:"before,omitempty"` // the name that it had
	By       string   `dynamodbav:"by"`
	At       string   `dynamodbav:"at"`
	UndoneBy string   `dynamodbav:"undoneBy,omitempty"`
	UndoneAt string   `dynamodbav:"undoneAt,omitempty"`
	Version  int      `dynamodbav:"version"`
}

// errMeanwhile is a decision about threads that changed under it.
var errMeanwhile = errs.New(errs.Conflict, "The threads have changed in the meantime. Look at them again.")

// Split puts stories of a thread into a thread of their own, which it returns.
func (t *Threads) Split(ctx context.Context, by, id string, stories []string) (string, error) {
	from, err := t.get(ctx, id)
	if err != nil {
		return "", err
	}
	d := Decision{What: ToSplit, Thread: from.ID, Other: t.ids.New()}
	for _, m := range from.Stories {
		if slices.Contains(stories, m.Story) {
			d.Moved = append(d.Moved, m.Story)
		} else {
			d.Stayed = append(d.Stayed, m.Story)
		}
	}
	switch {
	case len(d.Moved) == 0:
		return "", errs.New(errs.Invalid, "Choose the stories that belong elsewhere.")
	case len(d.Stayed) == 0:
		return "", errs.New(errs.Invalid, "At least one story must stay.")
	}
	to := &Thread{ID: d.Other}
	from.give(to, d.Moved)
	return to.ID, t.decide(ctx, by, &d, from, to)
}

// Merge puts all stories of another thread into a thread, or a story that stands alone,
// as desk/id.
func (t *Threads) Merge(ctx context.Context, by, id, other string) error {
	to, err := t.get(ctx, id)
	if err != nil {
		return err
	}
	d := Decision{What: ToMerge, Thread: to.ID, Stayed: to.members()}
	var from *Thread
	if strings.Contains(other, "/") {
		of, err := t.Of(ctx, refOf(other))
		if err != nil {
			return err
		}
		if from = of[refOf(other)]; from == nil {
			return t.add(ctx, by, &d, to, refOf(other))
		}
	} else if from, err = t.get(ctx, other); err != nil {
		return err
	}
	if from.ID == to.ID {
		return errs.New(errs.Invalid, "These are one thread already.")
	}
	d.Other, d.Moved = from.ID, from.members()
	from.give(to, d.Moved)
	from.become(to)
	return t.decide(ctx, by, &d, from, to)
}

// add puts a story that stands alone into a thread.
func (t *Threads) add(ctx context.Context, by string, d *Decision, to *Thread, ref story.Ref) error {
	cards, err := t.stories.Get(ctx, ref)
	if err != nil {
		return err
	}
	if len(cards) == 0 {
		return errs.New(errs.Invalid, "There is no such story.")
	}
	alone := &Thread{Stories: []Member{memberOf(&cards[0])}}
	d.Moved = alone.members()
	alone.give(to, d.Moved)
	return t.decide(ctx, by, d, to)
}

func memberOf(card *story.Story) Member {
	return Member{Story: card.Ref.String(), Order: card.Listed + "#" + card.ID, Mark: markOf(card)}
}

// Rename gives a thread a name; "" takes it back.
func (t *Threads) Rename(ctx context.Context, by, id, name string) error {
	th, err := t.get(ctx, id)
	if err != nil {
		return err
	}
	if name = strings.Join(strings.Fields(name), " "); len(name) > textMax || !utf8.ValidString(name) {
		return errs.Validation(errs.Field{Name: "name", Message: "is too long"})
	}
	d := Decision{What: ToName, Thread: th.ID, Name: name, Before: th.Name}
	th.Name = name
	return t.decide(ctx, by, &d, th)
}

// Undo takes a decision back. What the threads then are, the rules and the other
// decisions say; until they are computed again, it is what it was before. A name that was
// changed since stays.
func (t *Threads) Undo(ctx context.Context, by, decision string) error {
	d, err := t.decisions.Get(ctx, model.Values{"decision": decision})
	if errors.Is(err, model.ErrNotFound) {
		return fmt.Errorf("decision %s: %w", decision, errs.NotFound)
	}
	if err != nil {
		return err
	}
	if d.UndoneAt != "" {
		return errs.New(errs.Conflict, "This was undone already.")
	}
	th, err := t.get(ctx, d.Thread)
	if errors.Is(err, errs.NotFound) { // all its stories are gone
		return t.undo(ctx, by, &d)
	}
	if err != nil {
		return err
	}
	switch {
	case d.What == ToName:
		if th.Name == d.Name {
			th.Name = d.Before
		}
		return t.undo(ctx, by, &d, th)
	case d.Other == "": // it stood alone
		th.give(&Thread{}, d.Moved)
		return t.undo(ctx, by, &d, th)
	}
	found, err := t.byID(ctx, []string{d.Other})
	if err != nil {
		return err
	}
	other := found[d.Other]
	switch {
	case other == nil:
		other = &Thread{ID: d.Other}
	case other.Into != "" && other.Into != th.ID || d.What == ToMerge && other.Into == "":
		return t.undo(ctx, by, &d) // both have gone other ways since
	}
	if d.What == ToSplit {
		other.give(th, d.Moved)
		if len(other.Stories) == 0 {
			other.become(th)
		}
	} else {
		other.Into = ""
		th.Was = slices.DeleteFunc(th.Was, func(id string) bool { return id == other.ID })
		th.give(other, d.Moved)
	}
	return t.undo(ctx, by, &d, th, other)
}

func (t *Threads) undo(ctx context.Context, by string, d *Decision, threads ...*Thread) error {
	d.UndoneBy, d.UndoneAt = by, model.FormatTime(t.now())
	return t.write(ctx, t.decisions.PutPiece(d).Means(errMeanwhile), d.Moved, threads)
}

func (t *Threads) decide(ctx context.Context, by string, d *Decision, threads ...*Thread) error {
	if len(d.Moved) > mostMoved {
		return errs.New(errs.Invalid, "One decision moves at most %d stories.", mostMoved)
	}
	d.ID, d.By, d.At = t.ids.New(), by, model.FormatTime(t.now())
	return t.write(ctx, t.decisions.CreatePiece(d), d.Moved, threads)
}

// write writes a decision with what it does, all or nothing, and counts it: whoever
// computes threads and does not know of it cannot write.
func (t *Threads) write(ctx context.Context, decision model.Piece, moved []string, threads []*Thread) error {
	if _, err := t.counted(ctx); err != nil {
		return err
	}
	pieces := []model.Piece{decision, t.decided.UpdatePiece(allDecided, expression.Add(expression.Name("count"), expression.Value(1)))}
	for _, th := range threads {
		th.arrange()
		pieces = append(pieces, t.threads.PutPiece(th).Means(errMeanwhile))
	}
	for _, id := range moved {
		ref := refOf(id)
		at := slices.IndexFunc(threads, func(th *Thread) bool { return th.at(id) >= 0 })
		switch {
		case at >= 0:
			pieces = append(pieces, t.places.PutPiece(&placed{Ref: ref, Thread: threads[at].ID}))
		case len(threads) > 0:
			pieces = append(pieces, t.places.DeletePiece(placeKey(ref)))
		}
	}
	if err := model.Transact(ctx, t.db, pieces...); err != nil {
		return fmt.Errorf("decide about threads: %w", err)
	}
	return nil
}

// counted returns how many decisions there were, and makes sure that they are counted.
func (t *Threads) counted(ctx context.Context) (decided, error) {
	return t.decided.Upsert(ctx, allDecided, expression.Add(expression.Name("count"), expression.Value(0)))
}

// Decisions yields what editors decided, the last first.
func (t *Threads) Decisions(ctx context.Context) iter.Seq2[Decision, error] {
	return t.decisions.All(ctx, "Decisions", nil)
}

// said is what all decisions that stand say of pairs of stories, and how many decisions
// there were.
func (t *Threads) said(ctx context.Context) (said map[string]map[string]bool, count int64, err error) {
	now, err := t.counted(ctx)
	if err != nil {
		return nil, 0, err
	}
	said = map[string]map[string]bool{}
	for d, err := range t.Decisions(ctx) {
		if err != nil {
			return nil, 0, err
		}
		if d.UndoneAt != "" || d.What == ToName {
			continue
		}
		for _, a := range d.Moved {
			for _, b := range d.Stayed {
				for _, p := range [][2]string{{a, b}, {b, a}} {
					if said[p[0]] == nil {
						said[p[0]] = map[string]bool{}
					}
					if _, later := said[p[0]][p[1]]; !later {
						said[p[0]][p[1]] = d.What == ToMerge
					}
				}
			}
		}
	}
	// What was decided meanwhile is among them, or makes another count.
	return said, now.Count, nil
}

func (t *Thread) members() []string {
	ids := make([]string, len(t.Stories))
	for i := range t.Stories {
		ids[i] = t.Stories[i].Story
	}
	return ids
}

// give moves stories to another thread. What is shared is found again when threads are
// computed; until then, each keeps what two of its stories share.
func (t *Thread) give(to *Thread, stories []string) {
	kept, given := Thread{}, Thread{}
	for _, m := range t.Stories {
		if slices.Contains(stories, m.Story) {
			given.Stories = append(given.Stories, m)
		} else {
			kept.Stories = append(kept.Stories, m)
		}
	}
	to.Stories, to.Shared = slices.Concat(to.Stories, given.Stories), slices.Concat(to.Shared, t.sharedAmong(given.Stories, len(to.Stories)))
	t.Shared = t.sharedAmong(kept.Stories, 0)
	t.Stories = kept.Stories
}

// sharedAmong is what some of the thread's stories share, which stand from a place on.
func (t *Thread) sharedAmong(some []Member, begin int) []Shared {
	var out []Shared
	for _, s := range t.Shared {
		among := Shared{Kind: s.Kind, Text: s.Text}
		for _, i := range s.In {
			if i >= len(t.Stories) {
				continue
			}
			if j := slices.Index(some, t.Stories[i]); j >= 0 {
				among.In = append(among.In, begin+j)
			}
		}
		if len(among.In) > 1 {
			out = append(out, among)
		}
	}
	return out
}

// become makes the thread a part of another.
func (t *Thread) become(to *Thread) {
	to.Was = append(append(to.Was, t.ID), t.Was...)
	if to.Name == "" {
		to.Name = t.Name
	}
	t.Into, t.Was = to.ID, nil
}

// arrange puts the stories in their order, and the thread into the list if it has two.
func (t *Thread) arrange() {
	was := slices.Clone(t.Stories)
	slices.SortStableFunc(t.Stories, func(a, b Member) int { return strings.Compare(a.Order, b.Order) })
	for i, s := range t.Shared {
		for j, at := range s.In {
			t.Shared[i].In[j] = slices.Index(t.Stories, was[at])
		}
		slices.Sort(t.Shared[i].In)
	}
	t.Order = ""
	if len(t.Stories) > 1 {
		t.Order = t.Stories[len(t.Stories)-1].Order + "#" + t.ID
	}
}
