package blog

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// Translation is one of the posts that say the same in several languages.
type Translation struct {
	Card
	Slug     string `json:"slug,omitempty" doc:"its readable address, below /blog/posts/"`
	Language string `json:"language" doc:"ja, en; empty if unknown"`
}

// maxTranslations is how many translations of a post are shown.
const maxTranslations = 20

// Translations returns a published post and the published posts that say the same in
// other languages, what they translate first; none if there are no others.
func (p *Public) Translations(ctx context.Context, id string) ([]Translation, error) {
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
	original := item.original()
	keys := []model.Values{key(original)}
	for m, err := range p.d.views.group.All(ctx, groupKey(inTranslations, original), model.Window{}) {
		if err != nil {
			return nil, fmt.Errorf("translations of post %s: %w", id, err)
		}
		if keys = append(keys, key(m.ID)); len(keys) > maxTranslations {
			break
		}
	}
	if len(keys) == 1 {
		return nil, nil
	}
	posts, err := p.d.posts.BatchGet(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("translations of post %s: %w", id, err)
	}
	var all []Translation
	for i := range posts {
		post := &posts[i]
		if post.Status != Published || post.ID != original && post.Translates != original {
			continue
		}
		post.date()
		shown := post.card()
		card, err := p.d.toCard(&shown)
		if err != nil {
			return nil, err
		}
		all = append(all, Translation{card, post.Slug, story.LanguageOf(post.Title, post.Summary)})
	}
	if len(all) < 2 {
		return nil, nil
	}
	return all, p.languages(ctx, all)
}

// languages says in which language each is: what its story says, which knows the body.
func (p *Public) languages(ctx context.Context, all []Translation) error {
	if p.d.opt.Stories == nil {
		return nil
	}
	refs := make([]story.Ref, len(all))
	for i := range all {
		refs[i] = story.Ref{Desk: Schema.Name, ID: all[i].ID}
	}
	stories, err := p.d.opt.Stories.Get(ctx, refs...)
	for i := range all {
		if at := slices.IndexFunc(stories, func(s story.Story) bool { return s.ID == all[i].ID }); at >= 0 {
			all[i].Language = stories[at].Language
		}
	}
	return err
}

// original is the post that this one translates, or itself.
func (p *postItem) original() string {
	if p.Translates != "" {
		return p.Translates
	}
	return p.ID
}

// linked puts the id of the post that another translates into its place: of the original,
// if a translation is named. What was there before is not asked again, because the
// original may be gone.
func (d *Desk) linked(ctx context.Context, id, was string, c *Content) error {
	if c.Translates == "" || c.Translates == was {
		return nil
	}
	wrong := func(message string) error {
		return errs.Validation(errs.Field{Name: "translates", Message: message})
	}
	found, err := d.named(ctx, c.Translates)
	if errors.Is(err, errs.NotFound) {
		return wrong("names no post")
	}
	if err != nil {
		return err
	}
	switch found.original() {
	case was:
	case id:
		if found.ID == id {
			return wrong("is this post itself")
		}
		return wrong("is a translation of this post")
	}
	c.Translates = found.original()
	if id == "" {
		return nil
	}
	for _, err := range d.views.group.All(ctx, groupKey(inTranslations, id), model.Window{}) {
		if err != nil {
			return err
		}
		return wrong("cannot be said of a post that has translations itself; say it of those")
	}
	return nil
}

// named returns the post that an id or an address names.
func (d *Desk) named(ctx context.Context, text string) (postItem, error) {
	name := text
	if u, err := url.Parse(text); err == nil && strings.Contains(text, "/") {
		name = u.Path[strings.LastIndex(u.Path, "/")+1:]
	}
	if !plausible(name) {
		return postItem{}, noPost(name)
	}
	item, err := d.posts.Get(ctx, key(name))
	if !errors.Is(err, model.ErrNotFound) {
		return item, err
	}
	slug := strings.ToLower(norm.NFC.String(name))
	if utf8.RuneCountInString(slug) > maxSlug {
		return postItem{}, noPost(name)
	}
	address, err := d.addresses.Get(ctx, model.Values{"slug": slug})
	if err == nil {
		item, err = d.posts.Get(ctx, key(address.ID))
	}
	if errors.Is(err, model.ErrNotFound) {
		err = noPost(name)
	}
	return item, err
}
