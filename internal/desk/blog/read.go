package blog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// views are the desk's ways to read its table.
type views struct {
	page, edit *model.View[model.Item] // a whole post

	latest  *model.View[cardItem]
	between *model.View[cardItem]
	after   *model.View[cardItem]
	byTag   *model.View[datedTag]

	all      *model.View[cardItem]
	drafts   *model.View[listedItem]
	byStatus *model.View[listedItem]
	tagged   *model.View[listedItem]

	parts *model.View[model.Item] // of a save

	tags, months *model.View[countItem]

	group, groupLatest *model.View[groupItem]

	library *model.View[mediaItem]
	usesOf  *model.View[useItem]
	inbox   *model.View[messageItem]
	imports *model.View[Import]

	revisions    *model.View[revisionItem]
	revisionBody *model.View[revisionPart]
	history      *model.View[model.Item]
	comments     *model.View[commentItem]
	duePlans     *model.View[planItem]
	present      *model.View[presenceItem]
	proposals    *model.View[proposalItem]
}

// datedTag is what GSI2 holds of a tag.
type datedTag struct {
	TagName string `dynamodbav:"tagName"`
	cardItem
}

func (v *views) open(d *Desk, o *model.Options) error {
	return errors.Join(
		view(d, "PostPage", o, &v.page), view(d, "EditPage", o, &v.edit),
		view(d, "LatestPublished", o, &v.latest), view(d, "PublishedBetween", o, &v.between),
		view(d, "PublishedAfter", o, &v.after), view(d, "PublishedByTag", o, &v.byTag),
		view(d, "PostsByUpdate", o, &v.all), view(d, "Drafts", o, &v.drafts),
		view(d, "StatusIndex", o, &v.byStatus), view(d, "TagIndex", o, &v.tagged),
		view(d, "PartsOfSave", o, &v.parts),
		view(d, "Group", o, &v.group), view(d, "GroupLatest", o, &v.groupLatest),
		view(d, "Tags", o, &v.tags), view(d, "Months", o, &v.months),
		view(d, "Library", o, &v.library), view(d, "UsesOfMedia", o, &v.usesOf), view(d, "Inbox", o, &v.inbox),
		view(d, "Imports", o, &v.imports),
		view(d, "Revisions", o, &v.revisions), view(d, "RevisionBody", o, &v.revisionBody), view(d, "History", o, &v.history),
		view(d, "Comments", o, &v.comments), view(d, "DuePlans", o, &v.duePlans), view(d, "Present", o, &v.present), view(d, "Proposals", o, &v.proposals),
	)
}

func view[V any](d *Desk, pattern string, o *model.Options, into **model.View[V]) error {
	v, err := model.NewView[V](d.db, d.table, pattern, o)
	*into = v
	return err
}

// Get returns the post, in whatever state, whole and as of now, or
// errs.NotFound.
func (d *Desk) Get(ctx context.Context, id string) (Post, error) {
	s, err := d.load(ctx, id, d.views.edit)
	if err != nil {
		return Post{}, err
	}
	return s.item.post(s.blocks)
}

// Version returns the present version of a post, in whatever state, or
// errs.NotFound. It reads the metadata alone.
func (d *Desk) Version(ctx context.Context, id string) (int, error) {
	if !plausible(id) {
		return 0, noPost(id)
	}
	item, err := d.posts.Get(ctx, key(id))
	if errors.Is(err, model.ErrNotFound) {
		return 0, noPost(id)
	}
	return item.Version, err
}

// stored is a post as it was read: its metadata and the body that belongs to
// them.
type stored struct {
	item   postItem
	blocks []Block
	orders map[int]Block // the blocks by the order under which they lie in the table
	states []Status      // that it is listed under
	tagged []string      // as it is
	act    act           // what was done to make it so
	with   []guarded     // what is written with it
}

// loadTries is how often a post that changes while it is read is read again.
const loadTries = 12

// loadSame is how often a body that does not match its digest is read before it is
// believed: another program wrote it, which knows of none.
const loadSame = 3

// load reads a whole post. A query is no snapshot: what it met while a save was
// on its way does not match the digest, and is read again. What stays as it is, is
// the post.
func (d *Desk) load(ctx context.Context, id string, v *model.View[model.Item]) (stored, error) {
	if !plausible(id) {
		return stored{}, noPost(id)
	}
	last, same := "", 0
	for try := 1; ; try++ {
		s, err := d.loadOnce(ctx, id, v)
		if !errors.Is(err, errTorn) {
			return s, err
		}
		if now := fmt.Sprint(s.item.Version, s.item.SaveID, s.item.Digest, digest(s.blocks)); now == last {
			same++
		} else {
			last, same = now, 1
		}
		if same == loadSame {
			return s, nil
		}
		if try == loadTries {
			return s, errs.Wrap(err, errs.Unavailable, "The post is being changed all the time. Try again shortly.")
		}
		v = d.views.edit
		if err := wait(ctx, time.Duration(try*try)*time.Millisecond); err != nil {
			return s, err
		}
	}
}

// errTorn is a post that was read while it changed.
var errTorn = errors.New("changed while it was read")

func (d *Desk) loadOnce(ctx context.Context, id string, v *model.View[model.Item]) (stored, error) {
	s := stored{orders: map[int]Block{}}
	found := false
	for item, err := range v.All(ctx, key(id), model.Window{}) {
		if err != nil {
			return s, fmt.Errorf("get post %s: %w", id, err)
		}
		switch item.Entity.Name {
		case "Post":
			found = true
			err = item.As(&s.item)
		case "Block":
			var b blockItem
			err = item.As(&b)
			s.blocks = append(s.blocks, b.block())
			s.orders[b.Order] = b.block()
		case "Status", "Tag":
			s.list(d.table, item.Raw)
		}
		if err != nil {
			return s, fmt.Errorf("get post %s: %w", id, err)
		}
	}
	if !found {
		return s, noPost(id)
	}
	s.item.complete(s.tagged)
	if s.item.Digest == "" || s.item.Digest == digest(s.blocks) {
		return s, nil
	}
	if s.item.SaveID != "" {
		if _, err := d.unjournal(ctx, s.item); err != nil && !errors.Is(err, model.ErrStale) {
			return s, fmt.Errorf("get post %s: %w", id, err)
		}
	}
	return s, fmt.Errorf("get post %s: %w", id, errTorn)
}

// list notes under what an item lists the post, by its key: that is what the document
// says it by.
func (s *stored) list(t *model.Table, item model.Raw) {
	found, ok := t.Identify(item)
	if !ok {
		return
	}
	if found.Entity.Name == "Status" {
		s.states = append(s.states, Status(found.Values["status"]))
	} else {
		s.tagged = append(s.tagged, found.Values["tagName"])
	}
}

// complete fills what another program left out, or does not know: a post's tags are
// those that it has items for, in the order in which they were given.
func (p *postItem) complete(tagged []string) {
	tags := []string{}
	for _, tag := range slices.Concat(p.Tags, tagged) {
		if slices.Contains(tagged, tag) && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	p.Tags = tags
	p.date()
}

// date fills the dates that lists go by.
func (p *postItem) date() {
	if p.UpdatedAt == "" {
		p.UpdatedAt = p.CreatedAt
	}
	if at, err := model.ParseTime(p.CreatedAt); err == nil && p.Status == Published && p.PublishedAt == "" {
		p.PublishedAt = model.FormatTime(at)
	}
}

// settled is load for a writer: no save is on its way.
func (d *Desk) settled(ctx context.Context, id string) (stored, error) {
	s, err := d.load(ctx, id, d.views.edit)
	if err != nil {
		return s, err
	}
	if err := d.saver.Finish(ctx, id, s.item.SaveID); err != nil {
		return s, fmt.Errorf("finish save of post %s: %w", id, err)
	}
	return s, nil
}

// plausible keeps what cannot be an id from the store.
func plausible(id string) bool { return id != "" && len(id) <= 128 }

func noPost(id string) error { return fmt.Errorf("post %.128q: %w", id, errs.NotFound) }

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
