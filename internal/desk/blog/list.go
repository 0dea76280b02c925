package blog

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Page is a part of a list; Next is the cursor of the next part, "" after the
// last.
type Page[T any] = model.Page[T]

// Limits of a page.
const (
	DefaultLimit = 20
	MaxLimit     = 100
)

// PageOptions say which page of a list is wanted.
type PageOptions struct {
	Limit  int    // 1 to 100; 0 means 20, and what is outside is brought inside
	Cursor string // from the page before; "" means the first page
}

func (o PageOptions) limit() int {
	if o.Limit <= 0 {
		return DefaultLimit
	}
	return min(o.Limit, MaxLimit)
}

func (o PageOptions) page() model.PageOptions {
	return model.PageOptions{Limit: o.limit(), Cursor: o.Cursor}
}

// listError turns a bad cursor into the caller's mistake.
func listError(err error) error {
	if errors.Is(err, model.ErrCursor) {
		e := errs.Wrap(err, errs.Malformed, "The cursor is not one of this list.")
		e.Fields = []errs.Field{{Name: "cursor", Message: "is not one of this list"}}
		return e
	}
	return err
}

// List lists the posts of all states, the last changed first.
func (d *Desk) List(ctx context.Context, o PageOptions) (Page[Card], error) {
	return cards(ctx, d, d.views.all, nil, o.page(), func(c *cardItem) *cardItem { return c })
}

// ListByStatus lists the posts of one state, the last created first.
func (d *Desk) ListByStatus(ctx context.Context, s Status, o PageOptions) (Page[Card], error) {
	if s == Draft {
		return cards(ctx, d, d.views.drafts, nil, o.page(), (*listedItem).card)
	}
	if !slices.Contains(states, string(s)) {
		return Page[Card]{}, errs.Validation(errs.Field{Name: "status", Message: "must be one of " + strings.Join(states, ", ")})
	}
	return cards(ctx, d, d.views.byStatus, model.Values{"status": string(s)}, o.page(), (*listedItem).card)
}

// ListByTag lists the posts of all states with a tag, the last created first.
func (d *Desk) ListByTag(ctx context.Context, tag string, o PageOptions) (Page[Card], error) {
	if !isTag(tag) {
		return Page[Card]{Items: []Card{}}, nil
	}
	return cards(ctx, d, d.views.tagged, model.Values{"tagName": tag}, o.page(), (*listedItem).card)
}

// isTag keeps what cannot be a tag from the store.
func isTag(tag string) bool {
	var p problems
	p.line("tag", tag, 1, MaxTag)
	return p.err() == nil
}

func (i *listedItem) card() *cardItem {
	return &cardItem{ID: i.ID, Title: i.Title, Status: i.Status, CreatedAt: i.CreatedAt, Summary: i.Summary, Thumbnail: i.Thumbnail}
}

// cards reads a page of a view as cards.
func cards[V any](ctx context.Context, d *Desk, v *model.View[V], args model.Values, o model.PageOptions, card func(*V) *cardItem) (Page[Card], error) {
	found := Page[Card]{Items: []Card{}}
	page, err := v.Page(ctx, args, o)
	if err != nil {
		return found, listError(err)
	}
	found.Next = page.Next
	for i := range page.Items {
		c, err := d.toCard(card(&page.Items[i]))
		if err != nil {
			return found, err
		}
		found.Items = append(found.Items, c)
	}
	return found, nil
}

// thumbnailWidth is how wide the image of a card is.
const thumbnailWidth = 640

func (d *Desk) toCard(c *cardItem) (Card, error) {
	// One date that nobody can read must not take the whole list with it.
	times := make([]time.Time, 3)
	for i, text := range []string{c.CreatedAt, c.UpdatedAt, c.PublishedAt} {
		times[i], _ = model.ParseTime(text)
	}
	return Card{
		ID: c.ID, Title: c.Title, Summary: c.Summary, Thumbnail: d.ImageURL(c.Thumbnail, thumbnailWidth), Status: c.Status,
		CreatedAt: times[0], UpdatedAt: times[1], PublishedAt: times[2],
	}, nil
}
