package blog

import (
	"context"
	"errors"
	"fmt"
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
	library      *model.View[mediaItem]
	usesOf       *model.View[useItem]
	inbox        *model.View[messageItem]
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
		view(d, "Tags", o, &v.tags), view(d, "Months", o, &v.months),
		view(d, "Library", o, &v.library), view(d, "UsesOfMedia", o, &v.usesOf), view(d, "Inbox", o, &v.inbox),
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
}

// loadTries is how often a post that changes while it is read is read again.
const loadTries = 12

// load reads a whole post. A query is no snapshot: what it met while a save was
// on its way does not match the digest, and is read again.
func (d *Desk) load(ctx context.Context, id string, v *model.View[model.Item]) (stored, error) {
	if !plausible(id) {
		return stored{}, noPost(id)
	}
	for try := 1; ; try++ {
		s, err := d.loadOnce(ctx, id, v)
		if !errors.Is(err, errTorn) {
			return s, err
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
		}
		if err != nil {
			return s, fmt.Errorf("get post %s: %w", id, err)
		}
	}
	if !found {
		return s, noPost(id)
	}
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
