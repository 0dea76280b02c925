package blog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/picture"
	"pressroom/model"
)

// Check looks at every item of the desk and reports what is not as it must be: a
// post that has not exactly the items that stand for it in lists, or not the body
// that was saved; a block, tag or state without a post; an image without its
// files, or of which a post's use is not noted; a count that is none. It changes
// nothing, and may run while the desk is used: a save under way is no finding.
func (d *Desk) Check(ctx context.Context, report func(where, what string)) error {
	c := &checking{d: d}
	err := d.table.Audit(ctx, d.db, map[string]model.Promise{
		"Post":         model.PromiseOf(c.post),
		"Status":       model.PromiseOf(func(ctx context.Context, i *cardItem) ([]string, error) { return c.belongs(ctx, i.ID) }),
		"Tag":          model.PromiseOf(func(ctx context.Context, i *tagItem) ([]string, error) { return c.belongs(ctx, i.ID) }),
		"Block":        model.PromiseOf(func(ctx context.Context, i *blockItem) ([]string, error) { return c.belongs(ctx, i.ID) }),
		"Revision":     model.PromiseOf(func(ctx context.Context, i *revisionItem) ([]string, error) { return c.belongs(ctx, i.ID) }),
		"RevisionPart": model.PromiseOf(func(ctx context.Context, i *revisionPart) ([]string, error) { return c.belongs(ctx, i.ID) }),
		"Comment":      model.PromiseOf(func(ctx context.Context, i *commentItem) ([]string, error) { return c.belongs(ctx, i.ID) }),
		"Plan":         model.PromiseOf(func(ctx context.Context, i *planItem) ([]string, error) { return c.belongs(ctx, i.ID) }),
		"Proposal":     model.PromiseOf(func(ctx context.Context, i *proposalItem) ([]string, error) { return c.belongs(ctx, i.ID) }),
		"Media":        model.PromiseOf(c.image),
		"Count":        model.PromiseOf(c.count),
		"Group":        model.PromiseOf(c.grouped),
	}, report)
	if err != nil {
		return err
	}
	return c.months(ctx, report)
}

// checking is one run of Check.
type checking struct {
	d    *Desk
	seen string // a post that was there a moment ago: items of a post come together
}

// belongs says that the post of an item is gone.
func (c *checking) belongs(ctx context.Context, id string) ([]string, error) {
	if id == c.seen {
		return nil, nil
	}
	_, err := c.d.posts.Get(ctx, key(id))
	if errors.Is(err, model.ErrNotFound) {
		return []string{fmt.Sprintf("there is no post %s", id)}, nil
	}
	if err == nil {
		c.seen = id
	}
	return nil, err
}

// post compares a post with all that lies beside it.
func (c *checking) post(ctx context.Context, p *postItem) ([]string, error) {
	var faults faults
	s := stored{item: *p, orders: map[int]Block{}}
	lists := map[string]cardItem{} // by what they list the post under
	for item, err := range c.d.views.edit.All(ctx, key(p.ID), model.Window{}) {
		if err != nil {
			return nil, err
		}
		if model.Foreign(item.Raw) {
			return []string{model.Untaken}, nil
		}
		if err := s.lay(item, lists); err != nil {
			faults.add("%s of it cannot be read: %v", item.Entity.Name, err)
		}
	}
	faults.lists(p, lists)
	if blocks, found, err := c.d.journaled(ctx, p.SaveID); err != nil {
		return nil, err
	} else if found { // an earlier version left it there; it is moved when it is read
		s.orders = map[int]Block{}
		for i, b := range blocks {
			s.orders[i+1] = b
		}
	}
	c.body(&s, &faults)
	if p.Status == Published {
		if err := c.published(ctx, &s, &faults); err != nil {
			return nil, err
		}
	}
	err := c.shown(ctx, &s, &faults)
	return faults, err
}

// lay puts one item of a post where it belongs.
func (s *stored) lay(item model.Item, lists map[string]cardItem) error {
	switch item.Entity.Name {
	case "Status":
		var i cardItem
		if err := item.As(&i); err != nil {
			return err
		}
		lists["state "+string(i.Status)] = i
	case "Tag":
		var i tagItem
		if err := item.As(&i); err != nil {
			return err
		}
		lists["tag "+i.TagName] = i.cardItem
	case "Block":
		var i blockItem
		if err := item.As(&i); err != nil {
			return err
		}
		s.orders[i.Order] = i.block()
	}
	return nil
}

// faults is what is wrong with one item.
type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// lists compares the items that list a post with those that should.
func (f *faults) lists(p *postItem, found map[string]cardItem) {
	want := []string{"state " + string(p.Status)}
	for _, tag := range p.Tags {
		want = append(want, "tag "+tag)
	}
	card := p.card()
	for _, name := range want {
		i, there := found[name]
		switch {
		case !there:
			f.add("it is not listed under the %s", name)
		case i != card:
			f.add("its item under the %s says something else than the post", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(want, name) {
			f.add("it is listed under the %s, which it does not have", name)
		}
	}
}

// body compares the post's blocks with its digest.
func (c *checking) body(s *stored, f *faults) {
	for i := range len(s.orders) {
		b, there := s.orders[i+1]
		if !there {
			f.add("of its %d blocks number %d is missing", len(s.orders), i+1)
			return
		}
		s.blocks = append(s.blocks, b)
	}
	if s.item.Digest != "" && s.item.Digest != digest(s.blocks) {
		f.add("its %d blocks are not those that were saved", len(s.blocks))
	}
}

// published looks for what readers need of a post.
func (c *checking) published(ctx context.Context, s *stored, f *faults) error {
	if len(s.blocks) == 0 {
		f.add("it is published and has no blocks")
	}
	if s.item.PublishedAt == "" {
		f.add("it is published and has no date of publication")
	}
	for _, tag := range s.item.Tags {
		_, err := c.d.counts.Get(ctx, countKey{"tag", tag}.values())
		if errors.Is(err, model.ErrNotFound) {
			f.add("the tag %s is not counted", tag)
		} else if err != nil {
			return err
		}
	}
	return c.inGroups(ctx, s, f)
}

// shown looks for the images that a post shows. One that is being deleted is
// still there; whoever deletes it finds the note and stops.
func (c *checking) shown(ctx context.Context, s *stored, f *faults) error {
	refs := s.refs()
	for _, id := range slices.Sorted(maps.Keys(refs)) {
		m, err := c.d.media.Get(ctx, mediaKey(id))
		if errors.Is(err, model.ErrNotFound) || err == nil && m.State == mediaPending {
			f.add("%s shows the image %s, which the library does not have", refs[id], id)
			continue
		}
		if err != nil {
			return err
		}
		_, err = c.d.uses.Get(ctx, useItem{id, s.item.ID}.key())
		if errors.Is(err, model.ErrNotFound) {
			f.add("%s shows the image %s, and the image does not know: it could be deleted", refs[id], id)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// image looks for the files of an image.
func (c *checking) image(ctx context.Context, m *mediaItem) ([]string, error) {
	var f faults
	switch {
	case m.State == mediaPending && m.TTL == nil:
		f.add("its upload is awaited for ever")
	case m.State == mediaReady && m.TTL != nil:
		f.add("it is in the library and will expire")
	case m.State == mediaReady && !slices.ContainsFunc(m.Sizes, func(s Size) bool { return s.Name == picture.Full }):
		f.add("it has no full size")
	}
	if m.State != mediaReady {
		return f, nil // not there yet, or on its way out
	}
	for _, s := range m.Sizes {
		key, err := c.d.imageKey(m.MediaID, s.Name)
		if err != nil {
			return nil, err
		}
		_, err = c.d.objects.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &c.d.bucket.Name, Key: &key})
		if isMissing(err) {
			f.add("its file %s/%s is missing", c.d.bucket.Name, key)
		} else if err != nil {
			return nil, fmt.Errorf("look for %s: %w", key, err)
		}
	}
	return f, nil
}

// count compares a count with the posts that it counts. In which month a post is
// depends on the zone, of which the data say nothing: what is near the month's
// ends may be in it or not.
func (c *checking) count(ctx context.Context, i *countItem) ([]string, error) {
	var least, most int
	var err error
	switch i.Kind {
	case "tag":
		least, err = length(ctx, c.d.views.byTag, model.Values{"tagName": i.Name}, model.Window{})
		most = least
	case "month":
		least, most, err = c.near(ctx, i.Name)
	}
	if err != nil {
		return nil, err
	}
	var f faults
	if i.Count < least || i.Count > most {
		f.add("it says %d, and there are %d", i.Count, least)
	}
	return f, nil
}

// farthest is how far any zone is from UTC.
const farthest = 14 * time.Hour

// near counts the posts that are in a month in every zone, and in any.
func (c *checking) near(ctx context.Context, month string) (least, most int, err error) {
	begin, err := time.Parse(monthLayout, month)
	if err != nil {
		return 0, 0, nil //nolint:nilerr // no month, so that no post is of it
	}
	end := begin.AddDate(0, 1, 0)
	between := func(from, to time.Time) (int, error) {
		return length(ctx, c.d.views.between, nil, model.Window{From: model.FormatTime(from), To: model.FormatTime(to)})
	}
	if least, err = between(begin.Add(farthest), end.Add(-farthest)); err != nil {
		return 0, 0, err
	}
	most, err = between(begin.Add(-farthest), end.Add(farthest))
	return least, most, err
}

// length counts what a view yields.
func length[V any](ctx context.Context, v *model.View[V], args model.Values, w model.Window) (int, error) {
	n := 0
	for _, err := range v.All(ctx, args, w) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// monthTries is how often the months are compared with the posts before a
// difference is believed: indexes may follow their table late.
const monthTries = 5

// months compares the sum of all months with the published posts: each is of one
// month. A difference is believed if the months were the same before and after the
// posts were counted; while posts are published all the time there is none.
func (c *checking) months(ctx context.Context, report func(where, what string)) error {
	for try := 1; ; try++ {
		before, err := c.monthCounts(ctx)
		if err != nil {
			return err
		}
		posts, err := length(ctx, c.d.views.latest, nil, model.Window{})
		if err != nil {
			return err
		}
		sum := 0
		for _, i := range before {
			sum += i.Count
		}
		if sum == posts {
			return nil
		}
		if try == monthTries {
			after, err := c.monthCounts(ctx)
			if err == nil && slices.Equal(before, after) {
				report(c.d.table.Name, fmt.Sprintf("the months count %d published posts, and there are %d", sum, posts))
			}
			return err
		}
		if err := wait(ctx, time.Duration(try)*20*time.Millisecond); err != nil {
			return err
		}
	}
}

// monthCounts returns the counts of all months. Their versions show whether any
// was changed since.
func (c *checking) monthCounts(ctx context.Context) ([]countItem, error) {
	var all []countItem
	for i, err := range c.d.views.months.All(ctx, nil, model.Window{}) {
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}
