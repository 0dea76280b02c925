package blog

import (
	"context"
	"errors"
	"iter"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Document is what a search index holds of a published post.
type Document struct {
	ID          string
	Title       string
	Summary     string
	Text        string // the words of text and quote blocks, alts and captions
	Tags        []string
	Author      string
	Thumbnail   string // an address
	PublishedAt time.Time
	UpdatedAt   time.Time
}

// Document returns what an index should hold of a post; errs.NotFound says that
// it should hold nothing. It is read consistently: an index that was told of a
// change sees it.
func (p *Public) Document(ctx context.Context, id string) (Document, error) {
	s, err := p.d.load(ctx, id, p.d.views.edit)
	if err == nil && s.item.Status != Published {
		err = noPost(id)
	}
	if err != nil {
		return Document{}, err
	}
	post, err := s.item.post(s.blocks)
	if err != nil {
		return Document{}, err
	}
	return Document{
		ID: post.ID, Title: post.Title, Summary: post.Summary, Text: post.Text(), Tags: post.Tags, Author: post.Author,
		Thumbnail: p.d.ImageURL(post.Thumbnail, thumbnailWidth), PublishedAt: post.PublishedAt, UpdatedAt: post.UpdatedAt,
	}, nil
}

// Documents yields the documents of all published posts, to build an index. What
// is unpublished on the way is left out. After an error nothing follows.
func (p *Public) Documents(ctx context.Context) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for card, err := range p.All(ctx) {
			var doc Document
			if err == nil {
				doc, err = p.Document(ctx, card.ID)
			}
			if errors.Is(err, errs.NotFound) {
				continue
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// Cards returns the posts of these ids that are published at this moment, by id.
func (p *Public) Cards(ctx context.Context, ids []string) (map[string]Card, error) {
	var keys []model.Values
	for _, id := range ids {
		if plausible(id) {
			keys = append(keys, key(id))
		}
	}
	found := map[string]Card{}
	if len(keys) == 0 {
		return found, nil
	}
	items, err := p.d.posts.BatchGet(ctx, keys)
	if err != nil {
		return nil, err
	}
	for i := range items {
		if items[i].Status != Published {
			continue
		}
		post, err := items[i].post(nil)
		if err != nil {
			return nil, err
		}
		found[post.ID] = Card{
			ID: post.ID, Title: post.Title, Summary: post.Summary, Thumbnail: p.d.ImageURL(post.Thumbnail, thumbnailWidth),
			Status: post.Status, CreatedAt: post.CreatedAt, PublishedAt: post.PublishedAt, UpdatedAt: post.UpdatedAt,
		}
	}
	return found, nil
}

// ChangedPost returns the post that an item of the table belongs to, for whoever
// follows the table's stream: each record's keys that are a post's say that its
// document may be another one. Within one process, Options.OnChange says the
// same.
func (d *Desk) ChangedPost(keys model.Raw) (id string, ok bool) {
	found, ok := d.table.Identify(keys)
	if !ok {
		return "", false
	}
	switch found.Entity.Name {
	case "Post", "Status", "Block", "Tag":
		return found.Values["id"], true
	}
	return "", false
}
