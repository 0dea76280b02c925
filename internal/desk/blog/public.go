package blog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Public is what readers may see, and nothing else. Its lists read partitions in
// which published posts alone stand; its single posts are those whose metadata
// say so at this moment. A post that is not published is errs.NotFound, as if it
// did not exist.
type Public struct{ d *Desk }

// Public returns the readers' view of the desk.
func (d *Desk) Public() *Public { return &Public{d} }

// Latest lists published posts, the last published first.
func (p *Public) Latest(ctx context.Context, o PageOptions) (Page[Card], error) {
	return p.only(cards(ctx, p.d, p.d.views.latest, nil, o.page(), func(c *cardItem) *cardItem { return c }))
}

// ByTag lists published posts with a tag, the last published first. A tag that no
// published post has is an empty list, whatever drafts have.
func (p *Public) ByTag(ctx context.Context, tag string, o PageOptions) (Page[Card], error) {
	if !isTag(tag) {
		return Page[Card]{Items: []Card{}}, nil
	}
	return p.only(cards(ctx, p.d, p.d.views.byTag, model.Values{"tagName": tag}, o.page(), func(t *datedTag) *cardItem { return &t.cardItem }))
}

// ByMonth lists the posts published in a month ("2026-11"), the last published
// first. What is no month is an errs.Validation.
func (p *Public) ByMonth(ctx context.Context, month string, o PageOptions) (Page[Card], error) {
	begin, err := time.ParseInLocation(monthLayout, month, p.d.opt.Zone)
	if err != nil {
		return Page[Card]{}, errs.Validation(errs.Field{Name: "month", Message: "must be a year and a month, as 2026-11"})
	}
	options := o.page()
	options.Window = model.Window{
		From: model.FormatTime(begin),
		To:   model.FormatTime(begin.AddDate(0, 1, 0).Add(-time.Millisecond)),
	}
	return p.only(cards(ctx, p.d, p.d.views.between, nil, options, func(c *cardItem) *cardItem { return c }))
}

// errUnpublished is a post in a place where only published ones may stand.
var errUnpublished = errors.New("a post that is not published stands in a list of published ones")

// only is the second lock on the door: it never closes unless an item was
// written past the desk.
func (p *Public) only(page Page[Card], err error) (Page[Card], error) {
	if err != nil {
		return page, err
	}
	for _, c := range page.Items {
		if c.Status != Published {
			return Page[Card]{}, fmt.Errorf("post %s: %w", c.ID, errUnpublished)
		}
	}
	return page, nil
}

// Post returns a published post as a page shows it, or errs.NotFound.
func (p *Public) Post(ctx context.Context, id string) (*Article, error) {
	d := p.d
	if !plausible(id) {
		return nil, noPost(id)
	}
	item, err := d.posts.Get(ctx, key(id))
	if errors.Is(err, model.ErrNotFound) || err == nil && item.Status != Published {
		return nil, noPost(id)
	}
	if err != nil {
		return nil, err
	}
	if a, ok := d.articles.get(articleKey{id, item.Version, item.Digest}); ok {
		return a, nil
	}
	s, err := p.post(ctx, id)
	if err != nil {
		return nil, err
	}
	post, err := s.item.post(s.blocks)
	if err != nil {
		return nil, err
	}
	a, err := d.render(ctx, &post)
	if err != nil {
		return nil, err
	}
	d.articles.put(articleKey{id, s.item.Version, s.item.Digest}, a)
	return a, nil
}

// post reads a whole post that is published.
func (p *Public) post(ctx context.Context, id string) (stored, error) {
	s, err := p.d.load(ctx, id, p.d.views.page)
	if err == nil && s.item.Status != Published {
		err = noPost(id)
	}
	return s, err
}

// Neighbours returns the posts published just before and just after a published
// post; nil where there is none.
func (p *Public) Neighbours(ctx context.Context, id string) (older, newer *Card, err error) {
	d := p.d
	if !plausible(id) {
		return nil, nil, noPost(id)
	}
	item, err := d.posts.Get(ctx, key(id))
	if errors.Is(err, model.ErrNotFound) || err == nil && item.Status != Published {
		return nil, nil, noPost(id)
	}
	if err != nil {
		return nil, nil, err
	}
	item.date()
	here := item.PublishedAt + "#" + id
	older, err = p.first(ctx, d.views.between, model.Window{To: item.PublishedAt}, func(place string) bool { return place < here })
	if err == nil {
		newer, err = p.first(ctx, d.views.after, model.Window{From: item.PublishedAt}, func(place string) bool { return place > here })
	}
	if err != nil {
		return nil, nil, fmt.Errorf("neighbours of post %s: %w", id, err)
	}
	return older, newer, nil
}

// first returns the first post of a list that is on the wanted side. Posts of
// the same moment come before it.
func (p *Public) first(ctx context.Context, v *model.View[cardItem], w model.Window, wanted func(place string) bool) (*Card, error) {
	for item, err := range v.All(ctx, nil, w) {
		if err != nil {
			return nil, err
		}
		if !wanted(item.PublishedAt + "#" + item.ID) {
			continue
		}
		if item.Status != Published {
			return nil, errUnpublished
		}
		c, err := p.d.toCard(&item)
		return &c, err
	}
	return nil, nil
}

// Count says how many published posts have a tag, or are of a month.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Tags lists the tags of published posts by name, with how many posts each has.
func (p *Public) Tags(ctx context.Context, o PageOptions) (Page[Count], error) {
	return countsPage(ctx, p.d.views.tags, o)
}

// Months lists the months with published posts, the last first, with how many
// each has.
func (p *Public) Months(ctx context.Context, o PageOptions) (Page[Count], error) {
	return countsPage(ctx, p.d.views.months, o)
}

func countsPage(ctx context.Context, v *model.View[countItem], o PageOptions) (Page[Count], error) {
	found := Page[Count]{Items: []Count{}}
	page, err := v.Page(ctx, nil, o.page())
	if err != nil {
		return found, listError(err)
	}
	found.Next = page.Next
	for _, c := range page.Items {
		found.Items = append(found.Items, Count{c.Name, c.Count})
	}
	return found, nil
}

// All yields all published posts, the last published first, for sitemaps.
func (p *Public) All(ctx context.Context) iter.Seq2[Card, error] {
	return func(yield func(Card, error) bool) {
		for item, err := range p.d.views.latest.All(ctx, nil, model.Window{}) {
			var c Card
			if err == nil && item.Status != Published {
				err = errUnpublished
			}
			if err == nil {
				c, err = p.d.toCard(&item)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// OpenMedia opens an image that a published post or the profile shows at this moment;
// see [Desk.OpenMedia]. Any other is errs.NotFound, as if it did not exist.
func (p *Public) OpenMedia(ctx context.Context, id, name string) (*Object, error) {
	if !mediaID.MatchString(id) {
		return nil, noMedia(id)
	}
	profile := stored{item: postItem{Facts: Facts{Thumbnail: p.d.opt.Profile.Avatar}}, blocks: []Block{{Type: Text, Content: p.d.opt.Profile.Bio}}}
	if profile.refs()[id] != "" {
		return p.d.OpenMedia(ctx, id, name)
	}
	for use, err := range p.d.views.usesOf.All(ctx, mediaKey(id), model.Window{}) {
		if err != nil {
			return nil, fmt.Errorf("uses of image %s: %w", id, err)
		}
		a, err := p.Post(ctx, use.ID)
		if errors.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if _, shown := a.shows[id]; shown {
			return p.d.OpenMedia(ctx, id, name)
		}
	}
	return nil, noMedia(id)
}
