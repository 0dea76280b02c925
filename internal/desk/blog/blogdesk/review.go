package blogdesk

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/review"
	"pressroom/internal/story"
	"pressroom/model"
)

// proposed are the posts that authors want published.
func proposed(d *blog.Desk) review.Queue {
	return review.Queue{
		Name: blog.Schema.Name,
		List: func(ctx context.Context, limit int) ([]review.Item, error) {
			list, err := d.Proposals(ctx, limit)
			if err != nil {
				return nil, err
			}
			var all []review.Item
			for i := range list {
				item, err := itemOf(ctx, d, &list[i])
				if errors.Is(err, errs.NotFound) {
					continue // deleted in this moment
				}
				if err != nil {
					return nil, err
				}
				item.Why, item.Texts = nil, nil
				all = append(all, item)
			}
			return all, nil
		},
		Get: func(ctx context.Context, id string) (review.Item, error) {
			p, there, err := d.Proposed(ctx, id)
			if err == nil && !there {
				err = errs.New(errs.NotFound, "The post no longer waits.")
			}
			if err != nil {
				return review.Item{}, err
			}
			return itemOf(ctx, d, &p)
		},
		Decide: func(ctx context.Context, id string, dec review.Decision) error {
			if dec.Verb == review.Back {
				return d.Decline(ctx, id, dec.Reason)
			}
			version, err := strconv.Atoi(dec.Seen)
			if err != nil {
				return errs.Stale
			}
			if dec.Verb == review.Edit {
				post, err := d.Get(ctx, id)
				if err != nil {
					return err
				}
				c := post.Content
				for where, text := range dec.Texts {
					setText(&c, where, text)
				}
				if post, err = d.Save(ctx, id, version, c); err != nil {
					return err
				}
				version = post.Version
			}
			_, err = d.Publish(ctx, id, version)
			return err
		},
	}
}

func itemOf(ctx context.Context, d *blog.Desk, p *blog.Proposal) (review.Item, error) {
	post, err := d.Get(ctx, p.ID)
	if err != nil {
		return review.Item{}, err
	}
	item := review.Item{
		ID: p.ID, Title: post.Title, Lang: story.LanguageOf(post.Title, post.Summary), Since: model.FormatTime(p.At), Seen: strconv.Itoa(post.Version),
		Path: "/office/blog/posts/" + url.PathEscape(p.ID) + "/review", Can: []review.Verb{review.Approve, review.Edit, review.Back},
	}
	for _, why := range []string{p.By, p.Note} {
		if why != "" {
			item.Why = append(item.Why, why)
		}
	}
	item.Texts = []review.Text{{Where: "title", Text: post.Title}, {Where: "summary", Text: post.Summary, Long: true}}
	for i, b := range post.Blocks {
		item.Texts = append(item.Texts, review.Text{Where: fmt.Sprintf("blocks[%d]", i), Text: b.Content, Long: true})
	}
	return item, nil
}

// setText changes a text of a post by its place.
func setText(c *blog.Content, where, text string) {
	var i int
	switch n, _ := fmt.Sscanf(where, "blocks[%d]", &i); {
	case where == "title":
		c.Title = text
	case where == "summary":
		c.Summary = text
	case n == 1 && i >= 0 && i < len(c.Blocks):
		c.Blocks[i].Content = text
	}
}
