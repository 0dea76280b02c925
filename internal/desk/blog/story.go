package blog

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"strconv"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// Shelf is the published posts as stories.
func (d *Desk) Shelf() *story.Shelf {
	return &story.Shelf{Desk: Schema.Name, Words: []string{"ブログ", "posts by", "posts", "blog"}, Tables: []string{d.table.Name}, All: d.texts, Load: d.text, Adopts: []*model.Table{d.table}, Adopt: d.Adopt,
		Affected: story.Keyed(d.changedPost)}
}

// tell returns what a change of a post means for its story.
func (d *Desk) tell(ctx context.Context, old, next *stored) ([]model.Piece, error) {
	switch {
	case next != nil && next.item.Status == Published:
		text, err := d.textOf(next)
		if err != nil {
			return nil, err
		}
		return d.opt.Stories.Publish(ctx, text.Story, "")
	case old != nil && old.item.Status == Published:
		return d.opt.Stories.Withdraw(ctx, story.Ref{Desk: Schema.Name, ID: old.item.ID}, "")
	}
	return nil, nil
}

func (d *Desk) textOf(s *stored) (story.Text, error) {
	p, err := s.item.post(s.blocks)
	if err != nil {
		return story.Text{}, errors.Join(story.ErrUnreadable, err)
	}
	body := p.Text()
	text := story.Text{Body: body, Story: story.Story{
		Ref: story.Ref{Desk: Schema.Name, ID: p.ID}, Kind: "post", Path: "/blog/posts/" + url.PathEscape(p.ID),
		Title: p.Title, Summary: p.Summary, Language: story.LanguageOf(p.Title, p.Summary, body), Topics: story.Labels(p.Tags),
		Published: s.item.PublishedAt, Updated: s.item.UpdatedAt,
		Picture: d.cardPicture(&p), Provenance: provenance(p.Authors()),
		Digest: digest(s.blocks),
	}}
	for i := range p.Blocks {
		if words := p.Blocks[i].text(); words != "" {
			text.Passages = append(text.Passages, story.Passage{ID: strconv.Itoa(i + 1), Path: text.Path, Text: words})
		}
	}
	if text.Published == "" { // it was not this desk that published it
		text.Published = s.item.CreatedAt
	}
	for _, name := range p.Authors() {
		text.Body += "\n" + name
	}
	return text, nil
}

func provenance(authors []string) (p story.Provenance) {
	if len(authors) > 0 {
		p.Author = authors[0]
	}
	if len(authors) > 1 {
		p.CoAuthors = authors[1:]
	}
	return p
}

// text returns the story of a published post.
func (d *Desk) text(ctx context.Context, id string) (story.Text, error) {
	s, err := d.load(ctx, id, d.views.edit)
	if err == nil && s.item.Status != Published {
		err = noPost(id)
	}
	if err != nil {
		return story.Text{}, err
	}
	return d.textOf(&s)
}

func (d *Desk) texts(ctx context.Context) iter.Seq2[story.Text, error] {
	return func(yield func(story.Text, error) bool) {
		for card, err := range d.Public().All(ctx) {
			var text story.Text
			if err == nil {
				text, err = d.text(ctx, card.ID)
			}
			if errors.Is(err, errs.NotFound) {
				continue // unpublished on the way
			}
			if !yield(text, err) || err != nil && !errors.Is(err, story.ErrUnreadable) {
				return
			}
		}
	}
}

// changedPost returns the post that an item of the table belongs to.
func (d *Desk) changedPost(keys model.Raw) (id string, ok bool) {
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
