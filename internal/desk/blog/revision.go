package blog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Act is what was done to a post.
type Act string

// The acts that a history tells of, beside the states that a post was moved into.
const (
	Created  Act = "created"
	Saved    Act = "saved"
	Merged   Act = "merged"   // saved together with what somebody else saved meanwhile
	Restored Act = "restored" // brought back from a revision
	Found    Act = "found"    // another program had written it
)

// act is what is being done to a post.
type act struct {
	what Act
	from string // the revision that is restored
	by   string // who planned it
}

// Revision is a post as somebody saved it. Every save, publication and restoration
// makes one, in the same transaction. It goes with the post.
type Revision struct {
	ID string    `json:"id"`
	Of int       `json:"version" doc:"of the post that it was"`
	At time.Time `json:"at"`
	By string    `json:"by,omitempty" doc:"who saved it, if that is known"`
	// What says what was done.
	What   Act    `json:"what" doc:"created, saved, merged, restored, found (another program had written it), or the state that the post was moved into"`
	From   string `json:"from,omitempty" doc:"the revision that was restored"`
	Status Status `json:"status"`
	Title  string `json:"title"`
	Blocks int    `json:"blocks" doc:"how many it has"`
}

// revisionItem is a revision without its body.
type revisionItem struct {
	ID       string `dynamodbav:"id"`
	Revision string `dynamodbav:"revision"`
	Of       int    `dynamodbav:"of"`
	At       string `dynamodbav:"at"`
	By       string `dynamodbav:"by,omitempty"`
	What     Act    `dynamodbav:"what"`
	From     string `dynamodbav:"from,omitempty"`
	Body     string `dynamodbav:"body"` // the revision whose parts have it
	Blocks   int    `dynamodbav:"blocks"`
	Digest   string `dynamodbav:"digest"`
	Status   Status `dynamodbav:"status"`
	Facts
	PublishedAt string   `dynamodbav:"publishedAt,omitempty"`
	Tags        []string `dynamodbav:"tags"`
}

// revisionPart is some blocks of a revision's body. They are a list, not a text in
// which an erasure could not redact a name.
type revisionPart struct {
	ID       string  `dynamodbav:"id"`
	Revision string  `dynamodbav:"revision"`
	Part     int     `dynamodbav:"part"`
	Body     []Block `dynamodbav:"body"`
}

// partBytes is how much of a body one part has; a block more may follow.
const partBytes = 200 << 10

// revise gives next its revision, and returns the writes that keep it. A post that was
// written by an earlier version or another program gets one of what it was, too. The
// history of a post that is deleted goes with it.
func (d *Desk) revise(ctx context.Context, old, next *stored) ([]model.Change, error) {
	if next == nil {
		return d.historyGoes(ctx, old.item.ID)
	}
	var changes []model.Change
	var last revisionItem // that has the present body
	if old != nil {
		var err error
		if last, err = d.lastRevision(ctx, old); err != nil {
			return nil, err
		}
		if last.Revision == "" {
			was := *old
			was.item.Revision, was.act.what = d.revisionAfter(old.item.Revision), Found
			last, changes = d.revision(&was, revisionItem{}, old.item.Version, old.item.UpdatedAt, "")
		}
	}
	next.item.Revision = d.revisionAfter(last.Revision)
	version := 1
	if old != nil {
		version = old.item.Version + 1
	}
	_, more := d.revision(next, last, version, next.item.UpdatedAt, cmp.Or(next.act.by, d.opt.Who(ctx)))
	return append(changes, more...), nil
}

// revisionAfter returns a new id that sorts after another one, whichever clock made that.
func (d *Desk) revisionAfter(last string) string {
	id := d.ids.New()
	if at, err := model.IDTime(last); err == nil && id <= last {
		later := model.IDs{Now: func() time.Time { return at.Add(time.Millisecond) }}
		id = later.New()
	}
	return id
}

// lastRevision returns the revision that a post is, or none if the post was changed
// past the desk.
func (d *Desk) lastRevision(ctx context.Context, s *stored) (revisionItem, error) {
	if s.item.Revision == "" {
		return revisionItem{}, nil
	}
	last, err := d.revisions.Get(ctx, revisionKey(s.item.ID, s.item.Revision))
	if errors.Is(err, model.ErrNotFound) {
		return revisionItem{}, nil
	}
	if err != nil || last.Digest == digest(s.blocks) && last.Facts == s.item.Facts && slices.Equal(last.Tags, s.item.Tags) {
		return last, err
	}
	return revisionItem{}, nil
}

func revisionKey(id, revision string) model.Values {
	return model.Values{"id": id, "revision": revision}
}

// revision returns a post as a revision, and the writes that keep it. A body that the
// last revision has already is not written again.
func (d *Desk) revision(s *stored, last revisionItem, version int, at, by string) (revisionItem, []model.Change) {
	p := &s.item
	r := revisionItem{
		ID: p.ID, Revision: p.Revision, Of: version, At: at, By: by, What: s.act.what, From: s.act.from,
		Body: p.Revision, Blocks: len(s.blocks), Digest: digest(s.blocks),
		Status: p.Status, Facts: p.Facts, PublishedAt: p.PublishedAt, Tags: p.Tags,
	}
	if last.Revision != "" && last.Digest == r.Digest {
		r.Body = last.Body
		return r, []model.Change{d.revisions.Becomes(&r)}
	}
	changes := []model.Change{d.revisions.Becomes(&r)}
	part, size := revisionPart{ID: p.ID, Revision: r.Revision}, 0
	for i, b := range s.blocks {
		part.Body = append(part.Body, b)
		size += len(b.Content) + len(b.Alt) + len(b.Caption) + 100
		if size >= partBytes || i+1 == len(s.blocks) {
			changes = append(changes, d.bodies.Becomes(&part))
			part.Part, part.Body, size = part.Part+1, nil, 0
		}
	}
	return r, changes
}

// historyGoes are the writes that delete all revisions of a post.
func (d *Desk) historyGoes(ctx context.Context, id string) ([]model.Change, error) {
	var changes []model.Change
	err := d.eachOfHistory(ctx, id, func(entity string, r model.Values) {
		switch entity {
		case "RevisionPart":
			changes = append(changes, d.bodies.Goes(r))
		case "Comment":
			changes = append(changes, d.comments.Goes(r))
		default:
			changes = append(changes, d.revisions.Goes(r))
		}
	})
	return changes, err
}

func (d *Desk) eachOfHistory(ctx context.Context, id string, each func(entity string, key model.Values)) error {
	for item, err := range d.views.history.All(ctx, key(id), model.Window{}) {
		if err != nil {
			return fmt.Errorf("history of post %s: %w", id, err)
		}
		found, ok := d.table.Identify(item.Raw)
		if !ok {
			return fmt.Errorf("history of post %s: an item that nobody knows", id)
		}
		each(found.Entity.Name, found.Values)
	}
	return nil
}

// dropHistory forgets what is kept of a post that is gone.
func (d *Desk) dropHistory(ctx context.Context, id string) error {
	keys := map[string][]model.Values{}
	err := d.eachOfHistory(ctx, id, func(entity string, r model.Values) { keys[entity] = append(keys[entity], r) })
	if err != nil {
		return err
	}
	return errors.Join(
		d.bodies.BatchDelete(ctx, keys["RevisionPart"]), d.comments.BatchDelete(ctx, keys["Comment"]), d.revisions.BatchDelete(ctx, keys["Revision"]),
		d.plans.Delete(ctx, key(id)), d.proposals.Delete(ctx, key(id)),
	)
}

// Revisions lists what a post was, the last saved first; a post that is not there is
// errs.NotFound. It is for those who may edit the post.
func (d *Desk) Revisions(ctx context.Context, id string, o PageOptions) (Page[Revision], error) {
	found := Page[Revision]{Items: []Revision{}}
	if _, err := d.Version(ctx, id); err != nil {
		return found, err
	}
	page, err := d.views.revisions.Page(ctx, key(id), o.page())
	if err != nil {
		return found, listError(err)
	}
	found.Next = page.Next
	for i := range page.Items {
		found.Items = append(found.Items, page.Items[i].noun())
	}
	return found, nil
}

func (r *revisionItem) noun() Revision {
	at, _ := model.ParseTime(r.At) // a date that nobody can read takes no list with it
	return Revision{ID: r.Revision, Of: r.Of, At: at, By: r.By, What: r.What, From: r.From, Status: r.Status, Title: r.Title, Blocks: r.Blocks}
}

// Revision returns a revision of a post with its content, or errs.NotFound.
func (d *Desk) Revision(ctx context.Context, id, revision string) (Revision, Content, error) {
	none := errs.New(errs.NotFound, "There is no such revision.")
	if _, err := d.Version(ctx, id); err != nil {
		return Revision{}, Content{}, err
	}
	if _, err := model.IDTime(revision); err != nil {
		return Revision{}, Content{}, none
	}
	r, err := d.revisions.Get(ctx, revisionKey(id, revision))
	if errors.Is(err, model.ErrNotFound) {
		return Revision{}, Content{}, none
	}
	if err != nil {
		return Revision{}, Content{}, err
	}
	c, err := d.contentOf(ctx, &r)
	return r.noun(), c, err
}

// contentOf reads the body of a revision.
func (d *Desk) contentOf(ctx context.Context, r *revisionItem) (Content, error) {
	c := Content{Facts: r.Facts, Tags: r.Tags, Blocks: []Block{}}
	if r.PublishedAt != "" {
		c.PublishedAt, _ = model.ParseTime(r.PublishedAt)
	}
	for part, err := range d.views.revisionBody.All(ctx, revisionKey(r.ID, r.Body), model.Window{}) {
		if err != nil {
			return c, fmt.Errorf("revision %s of post %s: %w", r.Revision, r.ID, err)
		}
		c.Blocks = append(c.Blocks, part.Body...)
	}
	if len(c.Blocks) != r.Blocks {
		return c, fmt.Errorf("revision %s of post %s has %d blocks, not %d", r.Revision, r.ID, len(c.Blocks), r.Blocks)
	}
	return c, nil
}

// Before returns the revision that a post had before another one, and false if that
// was the first.
func (d *Desk) Before(ctx context.Context, id, revision string) (Revision, bool, error) {
	for r, err := range d.views.revisions.All(ctx, key(id), model.Window{To: revision}) {
		if err != nil {
			return Revision{}, false, err
		}
		if r.Revision < revision {
			return r.noun(), true, nil
		}
	}
	return Revision{}, false, nil
}

// Restore saves the content of a revision as the post, which is a revision in turn. The
// state and the date of publication stay. version is as in [Desk.Save].
func (d *Desk) Restore(ctx context.Context, id string, version int, revision string) (Post, error) {
	_, c, err := d.Revision(ctx, id, revision)
	if err != nil {
		return Post{}, err
	}
	c.PublishedAt = time.Time{}
	return d.saveAs(ctx, id, version, c, act{what: Restored, from: revision})
}
