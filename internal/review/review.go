// Package review is the one desk at which people decide about what waits for them: machine
// texts that were held back, proposals, reports by readers. Desks declare what waits as a
// [Queue], and how their published texts are changed as an [Editor].
//
// It promises that a decision is about what the person saw: each carries the mark of the
// version that was read, and another one is errs.Stale. What somebody took over is theirs
// until they let it go or another person takes it over in turn. It keeps nothing itself
// but that, in the table of stories; what becomes of a decision is the desks' own.
//
// Start with [Board].
package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/proof"
	"pressroom/internal/story"
)

// Verb is what a person decides.
type Verb string

// The decisions.
const (
	Approve  Verb = "approve"  // it is right as it is
	Edit     Verb = "edit"     // it is right with these texts
	Back     Verb = "back"     // it is made again, or refused
	Withdraw Verb = "withdraw" // what is published is taken back
	Take     Verb = "take"     // this person sees to it
	Release  Verb = "release"  // and no longer does
)

// Verbs lists them all.
var Verbs = []Verb{Approve, Edit, Back, Withdraw, Take, Release}

// Text is a text of an item that can be edited.
type Text struct {
	Where string `json:"where" doc:"its place in the item"`
	Label string `json:"label,omitempty" doc:"what it is, if the place does not say"`
	Text  string `json:"text"`
	Was   string `json:"was,omitempty" doc:"the same place in the version that readers see; missing if that says the same, or there is none"`
	Long  bool   `json:"-"`
}

// Item is something that waits for a person.
type Item struct {
	Queue string `json:"queue"`
	ID    string `json:"id"`
	Title string `json:"title"`
	Lang  string `json:"language,omitempty"`
	Since string `json:"since" format:"date-time"`
	Seen  string `json:"seen" doc:"the mark of this version, which a decision repeats"`
	Path  string `json:"path,omitempty" doc:"of the page where it is published, or worked on"`
	Taken string `json:"taken_by,omitempty" doc:"who took it over"`
	Can   []Verb `json:"can"`

	// The rest is there if one item is asked for.

	Why      []string        `json:"why,omitempty" doc:"why it waits"`
	Texts    []Text          `json:"texts,omitempty"`
	Claims   []proof.Claim   `json:"claims,omitempty" doc:"what its texts say, held against the passages"`
	Passages []proof.Passage `json:"passages,omitempty" doc:"what the claims rest on"`
}

// Decision is what a person decides about an item.
type Decision struct {
	Verb   Verb
	By     string // the person's name
	Person string // the account's id
	Reason string
	Seen   string
	Texts  map[string]string // with Edit, by their places
}

// Word is the decision as readers see it.
func (d *Decision) Word() story.Word { return story.Word{By: d.By, Reason: d.Reason} }

// Queue is what waits at a desk.
type Queue struct {
	Name string
	// List returns up to limit items without their texts, the oldest first.
	List func(ctx context.Context, limit int) ([]Item, error)
	// Get returns an item, or errs.NotFound if it no longer waits.
	Get func(ctx context.Context, id string) (Item, error)
	// Decide carries out a decision that the item can have, but for Take and Release.
	Decide func(ctx context.Context, id string, d Decision) error
	// Check holds texts of an item against its passages. Nil if it has none.
	Check func(ctx context.Context, id string, texts map[string]string) ([]proof.Claim, error)
}

// Editor changes what a desk has published, by the ids of its stories.
type Editor struct {
	Desk     string
	Get      func(ctx context.Context, id string) (Item, error)
	Edit     func(ctx context.Context, id, seen string, texts map[string]string, w story.Word) error
	Withdraw func(ctx context.Context, id string, w story.Word) error
	Check    func(ctx context.Context, id string, texts map[string]string) ([]proof.Claim, error)
}

// The queues of the house.
const (
	Reports   = "reports"   // mistakes that readers report
	Published = "published" // no queue: any published text, by its story
)

// Board is all that waits.
type Board struct {
	Stories *story.Stories
	Queues  []Queue
	Editors []*Editor
	// Record puts a decision on the trail before it is done; nil keeps none.
	Record func(ctx context.Context, what, subject, why string) error
}

// MaxListed is how many items of each queue a list has.
const MaxListed = 100

// List returns what waits, the oldest first; of one queue, or of all for "".
func (b *Board) List(ctx context.Context, queue string) ([]Item, error) {
	taken, err := b.Stories.Taken(ctx)
	if err != nil {
		return nil, err
	}
	var all []Item
	met := queue == ""
	for _, q := range b.all() {
		if queue != "" && q.Name != queue {
			continue
		}
		met = true
		items, err := q.List(ctx, MaxListed)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", q.Name, err)
		}
		for _, item := range items {
			item.Queue, item.Taken = q.Name, taken[q.Name+"/"+item.ID]
			all = append(all, item)
		}
	}
	if !met {
		return nil, errs.New(errs.NotFound, "There is no such queue.")
	}
	slices.SortStableFunc(all, func(a, b Item) int { return strings.Compare(a.Since, b.Since) })
	return all, nil
}

// Names returns the names of the queues.
func (b *Board) Names() []string {
	var names []string
	for _, q := range b.all() {
		names = append(names, q.Name)
	}
	return names
}

func (b *Board) all() []Queue { return append(slices.Clip(b.Queues), b.reports()) }

func (b *Board) queue(name string) (Queue, error) {
	if name == Published {
		return b.published(), nil
	}
	for _, q := range b.all() {
		if q.Name == name {
			return q, nil
		}
	}
	return Queue{}, errs.New(errs.NotFound, "There is no such queue.")
}

// Get returns an item with its texts, or errs.NotFound.
func (b *Board) Get(ctx context.Context, queue, id string) (Item, error) {
	q, err := b.queue(queue)
	if err != nil {
		return Item{}, err
	}
	item, err := q.Get(ctx, id)
	if err != nil {
		return Item{}, err
	}
	item.Queue = queue
	taken, err := b.Stories.Taken(ctx)
	item.Taken = taken[queue+"/"+id]
	return item, err
}

// Check holds texts of an item against its passages; nothing is saved. Nil if there is
// nothing to hold them against.
func (b *Board) Check(ctx context.Context, queue, id string, texts map[string]string) ([]proof.Claim, error) {
	q, err := b.queue(queue)
	if err != nil || q.Check == nil {
		return nil, err
	}
	return q.Check(ctx, id, texts)
}

// Decide carries out a decision. One that the item cannot have, or that another person's
// taking over forbids, is errs.Conflict; one about another version errs.Stale.
func (b *Board) Decide(ctx context.Context, queue, id string, d Decision) error {
	q, err := b.queue(queue)
	if err != nil {
		return err
	}
	item, err := b.Get(ctx, queue, id)
	if err != nil {
		return err
	}
	d.Reason = strings.TrimSpace(d.Reason)
	switch {
	case !slices.Contains(Verbs, d.Verb):
		return errs.Validation(errs.Field{Name: "decision", Message: "must be approve, edit, back, withdraw, take or release"})
	case d.Verb == Take:
		return b.Stories.Take(ctx, queue+"/"+id, d.By)
	case item.Taken != "" && item.Taken != d.By:
		return errs.New(errs.Conflict, "%s has taken this over. Take it over first, if you are to decide.", item.Taken)
	case d.Verb == Release:
		return b.Stories.Release(ctx, queue+"/"+id)
	case !slices.Contains(item.Can, d.Verb):
		return errs.New(errs.Conflict, "This cannot be decided here.")
	case d.Seen != item.Seen && (queue != Reports || d.Verb != Approve || !strings.HasSuffix(item.Seen, d.Seen)):
		return errs.New(errs.Stale, "This has changed since the page was loaded. Look again, and decide again.")
	}
	if b.Record != nil {
		if err := b.Record(ctx, string(d.Verb), queue+" "+id, d.Reason); err != nil {
			return err
		}
	}
	if err := q.Decide(ctx, id, d); err != nil {
		return err
	}
	if item.Taken != "" {
		return b.Stories.Release(ctx, queue+"/"+id)
	}
	return nil
}

// refOf reads the id of an item that is a story: desk/id.
func refOf(id string) (story.Ref, error) {
	desk, rest, ok := strings.Cut(id, "/")
	if !ok || desk == "" || rest == "" {
		return story.Ref{}, fmt.Errorf("story %q: %w", id, errs.NotFound)
	}
	return story.Ref{Desk: desk, ID: rest}, nil
}

func (b *Board) editor(ref story.Ref) *Editor {
	for _, e := range b.Editors {
		if e.Desk == ref.Desk {
			return e
		}
	}
	return nil
}

// story returns the texts of a published story as an item. One whose desk edits
// elsewhere has none.
func (b *Board) story(ctx context.Context, ref story.Ref) (Item, error) {
	cards, err := b.Stories.Get(ctx, ref)
	if err == nil && len(cards) == 0 {
		err = b.Stories.Missing(ctx, ref, fmt.Errorf("story %s: %w", ref, errs.NotFound))
	}
	if err != nil {
		return Item{}, err
	}
	c := &cards[0]
	var item Item
	if e := b.editor(ref); e != nil {
		if item, err = e.Get(ctx, ref.ID); err != nil {
			return Item{}, err
		}
		item.Can = []Verb{Edit, Withdraw}
	}
	item.ID, item.Title, item.Lang, item.Path, item.Since = ref.String(), c.Title, c.Language, c.Path, c.Published
	return item, nil
}

// published is every text that a desk lets people change.
func (b *Board) published() Queue {
	return Queue{
		Name: Published,
		Get: func(ctx context.Context, id string) (Item, error) {
			ref, err := refOf(id)
			if err != nil {
				return Item{}, err
			}
			return b.story(ctx, ref)
		},
		Decide: b.change, Check: b.checkStory,
	}
}

// change edits or withdraws a published story.
func (b *Board) change(ctx context.Context, id string, d Decision) error {
	ref, err := refOf(id)
	if err != nil {
		return err
	}
	e := b.editor(ref)
	switch {
	case e == nil:
		return errs.New(errs.Conflict, "This cannot be decided here.")
	case d.Verb == Withdraw:
		return e.Withdraw(ctx, ref.ID, d.Word())
	}
	seen, _, _ := strings.Cut(d.Seen, " ")
	return e.Edit(ctx, ref.ID, seen, d.Texts, d.Word())
}

func (b *Board) checkStory(ctx context.Context, id string, texts map[string]string) ([]proof.Claim, error) {
	ref, err := refOf(id)
	if err != nil {
		return nil, err
	}
	if e := b.editor(ref); e != nil {
		return e.Check(ctx, ref.ID, texts)
	}
	return nil, nil
}

// reports are the mistakes that readers report, a story each.
func (b *Board) reports() Queue {
	return Queue{Name: Reports, List: b.listReports, Get: b.getReport, Check: b.checkStory, Decide: func(ctx context.Context, id string, d Decision) error {
		ref, err := refOf(id)
		if err != nil {
			return err
		}
		r, err := b.Stories.GetReport(ctx, ref)
		if err != nil {
			return err
		}
		if d.Verb == Edit || d.Verb == Withdraw {
			if err := b.change(ctx, id, d); err != nil {
				return err
			}
		}
		return b.Stories.SettleReport(ctx, ref, r.Version)
	}}
}

func (b *Board) listReports(ctx context.Context, limit int) ([]Item, error) {
	page, err := b.Stories.Reports(ctx, "", limit)
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	refs := make([]story.Ref, len(page.Items))
	for i, r := range page.Items {
		refs[i] = r.Ref
	}
	cards, err := b.Stories.Get(ctx, refs...)
	titles := map[story.Ref]*story.Story{}
	for i := range cards {
		titles[cards[i].Ref] = &cards[i]
	}
	var all []Item
	for _, r := range page.Items {
		item := Item{ID: r.Ref.String(), Title: r.Ref.String(), Since: r.Since, Seen: reportMark("", &r), Can: []Verb{Approve}}
		if c := titles[r.Ref]; c != nil {
			item.Title, item.Lang, item.Path = c.Title, c.Language, c.Path
		}
		all = append(all, item)
	}
	return all, err
}

// reportMark is the mark of a report and of the text that it is about. In lists the
// second is not known; who approves there has read the report alone.
func reportMark(seen string, r *story.Report) string { return fmt.Sprintf("%s r%d", seen, r.Version) }

func (b *Board) getReport(ctx context.Context, id string) (Item, error) {
	ref, err := refOf(id)
	if err != nil {
		return Item{}, err
	}
	r, err := b.Stories.GetReport(ctx, ref)
	if err != nil {
		return Item{}, err
	}
	item, err := b.story(ctx, ref)
	if errors.Is(err, errs.NotFound) { // it went in the meantime
		item, err = Item{ID: id, Title: id}, nil
	}
	if err != nil {
		return Item{}, err
	}
	item.Can = append([]Verb{Approve}, item.Can...)
	item.Since, item.Seen = r.Since, reportMark(item.Seen, &r)
	for _, t := range r.Texts {
		line := t.Text
		if t.Count > 1 {
			line += fmt.Sprintf(" (×%d)", t.Count)
		}
		item.Why = append(item.Why, line)
	}
	if r.More > 0 {
		item.Why = append(item.Why, fmt.Sprintf("+%d", r.More))
	}
	return item, nil
}

// Patience is how long a reader's report may wait before operators hear of it.
const Patience = 48 * time.Hour
