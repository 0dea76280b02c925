package blog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pressroom/model"
)

// The kinds of groups: the parts of a series, by its name, and the translations of a
// post, by its id.
const (
	inSeries       = "series"
	inTranslations = "translation"
)

// maxGroups is how many groups a post is in at most.
const maxGroups = 2

// inGroup is a published post's place in a group.
type inGroup struct {
	Kind string `dynamodbav:"kind"`
	Name string `dynamodbav:"name"`
	At   string `dynamodbav:"at"` // when it was published
}

// groupItem is a member of a group. It says nothing of the post but its place: who lists
// the group reads the posts themselves.
type groupItem struct {
	Kind        string `dynamodbav:"kind"`
	Name        string `dynamodbav:"name"`
	PublishedAt string `dynamodbav:"publishedAt"`
	ID          string `dynamodbav:"id"`
}

func (g *groupItem) place() string { return g.PublishedAt + "#" + g.ID }

// groupsOf returns the groups that a post belongs to; none if readers do not see it.
func groupsOf(s *stored) []inGroup {
	if s == nil || s.item.Status != Published || s.item.PublishedAt == "" {
		return nil
	}
	var all []inGroup
	if s.item.Series != "" {
		all = append(all, inGroup{inSeries, s.item.Series, s.item.PublishedAt})
	}
	if s.item.Translates != "" {
		all = append(all, inGroup{inTranslations, s.item.Translates, s.item.PublishedAt})
	}
	return all
}

// groupPieces lead from the groups that a post is in to those that it belongs to.
func (d *Desk) groupPieces(id string, was, wanted []inGroup) []model.Piece {
	var pieces []model.Piece
	for _, g := range was {
		if !slices.Contains(wanted, g) {
			pieces = append(pieces, d.groups.DeletePiece(model.Values{"kind": g.Kind, "name": g.Name, "publishedAt": g.At, "id": id}))
		}
	}
	for _, g := range wanted {
		if !slices.Contains(was, g) {
			pieces = append(pieces, d.groups.PutPiece(&groupItem{g.Kind, g.Name, g.At, id}))
		}
	}
	return pieces
}

// Series lists the published parts of a series in the order of their publication. A
// series that no published post belongs to is an empty list, whatever drafts say.
func (p *Public) Series(ctx context.Context, name string, o PageOptions) (Page[Card], error) {
	return p.members(ctx, p.d.views.group, inSeries, name, o)
}

// SeriesLatest is [Public.Series] with the last published first.
func (p *Public) SeriesLatest(ctx context.Context, name string, o PageOptions) (Page[Card], error) {
	return p.members(ctx, p.d.views.groupLatest, inSeries, name, o)
}

func (p *Public) members(ctx context.Context, v *model.View[groupItem], kind, name string, o PageOptions) (Page[Card], error) {
	found := Page[Card]{Items: []Card{}}
	if name == "" || len(name) > seriesMax {
		return found, nil
	}
	page, err := v.Page(ctx, groupKey(kind, name), o.page())
	if err != nil {
		return found, listError(err)
	}
	found.Next = page.Next
	found.Items, err = p.behind(ctx, page.Items)
	return found, err
}

func groupKey(kind, name string) model.Values { return model.Values{"kind": kind, "name": name} }

// behind returns the posts behind members of groups, as they are now. What another
// program took from readers or out of the group is left out.
func (p *Public) behind(ctx context.Context, members []groupItem) ([]Card, error) {
	cards := []Card{}
	if len(members) == 0 {
		return cards, nil
	}
	keys := make([]model.Values, len(members))
	for i := range members {
		keys[i] = key(members[i].ID)
	}
	posts, err := p.d.posts.BatchGet(ctx, keys)
	if err != nil {
		return cards, err
	}
	for i := range posts {
		s := stored{item: posts[i]}
		s.item.date()
		at := slices.IndexFunc(members, func(m groupItem) bool { return m.ID == s.item.ID })
		if at < 0 || !slices.Contains(groupsOf(&s), inGroup{members[at].Kind, members[at].Name, members[at].PublishedAt}) {
			continue
		}
		item := s.item.card()
		card, err := p.d.toCard(&item)
		if err != nil {
			return cards, err
		}
		cards = append(cards, card)
	}
	return cards, nil
}

// Part is a post's place in its series.
type Part struct {
	Series   string `json:"series"`
	Number   int    `json:"number,omitempty" doc:"from 1; missing in a series of more than 200 parts"`
	Of       int    `json:"of,omitempty" doc:"how many parts are published; missing with number"`
	Previous *Card  `json:"previous,omitempty"`
	Next     *Card  `json:"next,omitempty"`
}

// maxNumbered is how many parts are counted to say which one a post is.
const maxNumbered = 200

// Part returns the place of a published post in its series; nil if it is in none.
func (p *Public) Part(ctx context.Context, id string) (*Part, error) {
	if !plausible(id) {
		return nil, noPost(id)
	}
	item, err := p.d.posts.Get(ctx, key(id))
	if errors.Is(err, model.ErrNotFound) || err == nil && item.Status != Published {
		return nil, noPost(id)
	}
	if err != nil {
		return nil, err
	}
	item.date()
	if item.Series == "" {
		return nil, nil //nolint:nilnil // as said
	}
	here := &groupItem{inSeries, item.Series, item.PublishedAt, id}
	part := &Part{Series: item.Series}
	if part.Number, part.Of, err = p.numbered(ctx, here); err != nil {
		return nil, fmt.Errorf("part of post %s: %w", id, err)
	}
	part.Previous, err = p.beside(ctx, here, p.d.views.groupLatest, model.Window{To: item.PublishedAt}, func(place string) bool { return place < here.place() })
	if err == nil {
		part.Next, err = p.beside(ctx, here, p.d.views.group, model.Window{From: item.PublishedAt}, func(place string) bool { return place > here.place() })
	}
	if err != nil {
		return nil, fmt.Errorf("part of post %s: %w", id, err)
	}
	return part, nil
}

// numbered counts the parts of a series, as far as that is worth it.
func (p *Public) numbered(ctx context.Context, here *groupItem) (number, of int, err error) {
	for m, err := range p.d.views.group.All(ctx, groupKey(here.Kind, here.Name), model.Window{}) {
		if err != nil {
			return 0, 0, err
		}
		if of++; of > maxNumbered {
			return 0, 0, nil
		}
		if m.place() <= here.place() {
			number = of
		}
	}
	return number, of, nil
}

// beside returns the first member on the wanted side that readers see.
func (p *Public) beside(ctx context.Context, here *groupItem, v *model.View[groupItem], w model.Window, wanted func(place string) bool) (*Card, error) {
	for m, err := range v.All(ctx, groupKey(here.Kind, here.Name), w) {
		if err != nil {
			return nil, err
		}
		if !wanted(m.place()) {
			continue
		}
		cards, err := p.behind(ctx, []groupItem{m})
		if err != nil || len(cards) > 0 {
			return first(cards), err
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

func first(cards []Card) *Card {
	if len(cards) == 0 {
		return nil
	}
	return &cards[0]
}

// grouped compares a member of a group with its post.
func (c *checking) grouped(ctx context.Context, g *groupItem) ([]string, error) {
	item, err := c.d.posts.Get(ctx, key(g.ID))
	if errors.Is(err, model.ErrNotFound) {
		return []string{fmt.Sprintf("there is no post %s", g.ID)}, nil
	}
	if err != nil {
		return nil, err
	}
	item.date()
	if !slices.Contains(groupsOf(&stored{item: item}), inGroup{g.Kind, g.Name, g.PublishedAt}) {
		return []string{fmt.Sprintf("the post %s is not in the %s %s", g.ID, g.Kind, g.Name)}, nil
	}
	return nil, nil
}

// inGroups looks for the places of a post in its groups.
func (c *checking) inGroups(ctx context.Context, s *stored, f *faults) error {
	for _, g := range groupsOf(s) {
		_, err := c.d.groups.Get(ctx, model.Values{"kind": g.Kind, "name": g.Name, "publishedAt": g.At, "id": s.item.ID})
		if errors.Is(err, model.ErrNotFound) {
			f.add("it is not in the %s %s", g.Kind, g.Name)
		} else if err != nil {
			return err
		}
	}
	return nil
}
