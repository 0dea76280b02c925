package newswire

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/internal/story"
	"pressroom/model"
)

// Shelf is what sites published, as stories: what readers may see of it, found also by
// what they may not.
func (d *Desk) Shelf() *story.Shelf {
	table := Schema.Tables[0]
	table.Name = d.table
	return &story.Shelf{
		Desk: Schema.Name, Words: []string{"ニュース", "news"}, Tables: []string{d.table}, Adopts: []*model.Table{&table}, Adopt: d.Adopt,
		All: d.texts, Load: d.text, Affected: d.affected,
	}
}

// storyID names an article's story by where its item is, so that the item can be read.
func storyID(site, published, article string) string {
	return site + "/" + published + "/" + article
}

// StoryID is the id of the article's story.
func (a *Article) StoryID() string { return storyID(a.SiteID, a.PublishedAt, a.ArticleID) }

func (a *Article) ref() story.Ref { return story.Ref{Desk: Schema.Name, ID: a.StoryID()} }

// Ref names the article's story.
func (a *Article) Ref() story.Ref { return a.ref() }

// keyOf is the key of the item that a story's id names.
func keyOf(id string) (model.Values, bool) {
	parts := strings.SplitN(id, "/", 3)
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return nil, false
	}
	return model.Values{"siteId": parts[0], "publishedAt": parts[1], "articleId": parts[2]}, true
}

// cardWidth is how wide the picture of a card is at least.
const cardWidth = 320

// card is what readers may see of an article.
func (s *Shown) card() story.Story {
	a, lead := &s.Article, s.Lead()
	st := story.Story{
		Ref: a.ref(), Kind: "article", Path: "/newswire/articles/" + url.PathEscape(a.ArticleID),
		Title: a.Title, Summary: lead, Language: story.LanguageOf(a.Title, lead), Section: a.Category, Topics: story.Labels(a.Topics),
		Published: a.PublishedAt, Updated: a.UpdatedAt,
		Source:     story.Source{Name: orElse(s.SiteName, a.SiteID), URL: a.URL, Basis: string(s.Decision.Basis.Kind), Licence: s.Decision.Basis.Licence},
		Unfound:    !s.Decision.May(rights.Search),
		Unread:     !s.Decision.May(rights.Agents),
		Provenance: story.Provenance{Author: a.Author}, Digest: a.BodyHash,
	}
	st.Subjects = []story.Subject{{Kind: "site", Name: a.SiteID}}
	if a.Category != "" {
		st.Subjects = append(st.Subjects, story.Subject{Kind: "topic", Name: a.Category})
	}
	if p := s.Picture; p != nil {
		st.Picture = story.Picture{Path: p.Least(cardWidth).Path(a.ArticleID), Text: p.Text}
	}
	if st.Title == "" {
		st.Title = a.URL
	}
	if _, err := model.ParseTime(st.Published); err != nil {
		st.Published = a.FetchedAt
	}
	if s.Summary != nil {
		st.Topics = story.Labels(a.Topics, s.Summary.Keywords)
		st.Provenance = s.Provenance()
	}
	return st
}

// Provenance is who wrote the summary, and who changed it.
func (s *Shown) Provenance() story.Provenance {
	p := story.Provenance{Author: s.Article.Author}
	if m := s.Summary; m != nil {
		p.Model, p.Prompt, p.Made, p.Extractive = m.ModelProvider+"/"+m.ModelID, m.PromptTemplateID, m.GeneratedAt, m.Extractive
		if m.EditedBy != "" {
			p.Reviewer, p.Reviewed, p.Version, p.Edited = m.EditedBy, m.EditedAt, m.Number, true
		}
	}
	return p
}

// tell returns what the story becomes when an article is written with this summary,
// nil for none.
func (d *Desk) tell(ctx context.Context, a *Article, summary *Summary) ([]model.Piece, error) {
	return d.tellBy(ctx, a, summary, nil)
}

// tellBy is tell for what a person changed, who has a word on it; nil for a machine.
func (d *Desk) tellBy(ctx context.Context, a *Article, summary *Summary, w *story.Word) ([]model.Piece, error) {
	if d.opt.Stories == nil {
		return nil, nil
	}
	site, err := d.GetSite(ctx, a.SiteID)
	if err != nil && !errors.Is(err, errs.NotFound) {
		return nil, err
	}
	if summary != nil {
		copied := *summary
		summary = &copied
	}
	shown, visible, err := d.shown(ctx, *a, summary, &site, rights.Readers)
	switch {
	case err != nil:
		return nil, err
	case a.Withdrawn != nil && w != nil:
		return d.opt.Stories.Retract(ctx, a.ref(), *w)
	case !visible:
		return d.opt.Stories.Withdraw(ctx, a.ref(), d.decide(&site, a).Why(rights.Keep).String())
	}
	if w != nil {
		return d.opt.Stories.Correct(ctx, shown.card(), *w)
	}
	return d.opt.Stories.Publish(ctx, shown.card(), "")
}

// tellAs is tell with the summary that the article has.
func (d *Desk) tellAs(ctx context.Context, a *Article) ([]model.Piece, error) {
	s, has, err := d.summaryOf(ctx, a)
	switch {
	case err != nil:
		return nil, err
	case !has:
		return d.tell(ctx, a, nil)
	}
	return d.tell(ctx, a, &s)
}

func (d *Desk) text(ctx context.Context, id string) (story.Text, error) {
	key, ok := keyOf(id)
	if !ok {
		return story.Text{}, fmt.Errorf("story %q: %w", id, errs.NotFound)
	}
	a, err := d.articles.Get(ctx, key)
	if err != nil {
		return story.Text{}, told(err, "story %s", id)
	}
	texts, err := d.textsOf(ctx, []Article{a})
	if err == nil && len(texts) == 0 {
		err = fmt.Errorf("story %s is not to be shown: %w", id, errs.NotFound)
	}
	if err != nil {
		return story.Text{}, err
	}
	return texts[0], nil
}

func (d *Desk) textsOf(ctx context.Context, articles []Article) ([]story.Text, error) {
	shown, err := d.Show(ctx, articles, rights.Readers)
	hidden := make(map[string]string, len(articles))
	for i := range articles {
		hidden[articles[i].ArticleID] = articles[i].BodyPlain
	}
	texts := make([]story.Text, len(shown))
	for i := range shown {
		texts[i] = story.Text{Story: shown[i].card(), Hidden: hidden[shown[i].Article.ArticleID]}
	}
	return texts, err
}

// texts yields all articles, page by page.
func (d *Desk) texts(ctx context.Context) iter.Seq2[story.Text, error] {
	return func(yield func(story.Text, error) bool) {
		for o := (PageOptions{Limit: 100}); ; {
			page, err := d.Feed(ctx, o)
			var texts []story.Text
			if err == nil {
				texts, err = d.textsOf(ctx, page.Items)
			}
			if err != nil {
				yield(story.Text{}, err)
				return
			}
			for _, text := range texts {
				if !yield(text, nil) {
					return
				}
			}
			if o.Cursor = page.Next; o.Cursor == "" {
				return
			}
		}
	}
}

// affected yields the article that a change is of, and if a site changes its name, all
// of its articles.
func (d *Desk) affected(ctx context.Context, _ string, change types.Record) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if change.Dynamodb == nil {
			return
		}
		keys, err := attributevalue.FromDynamoDBStreamsMap(change.Dynamodb.Keys)
		if err != nil {
			return // keys of another kind are of no item of ours
		}
		found, ok := Schema.Tables[0].Identify(keys)
		if !ok {
			return
		}
		v := found.Values
		switch found.Entity.Name {
		case "Article":
			yield(storyID(v["siteId"], v["publishedAt"], v["articleId"]), nil)
		case "Site":
			if sameName(change.Dynamodb.OldImage, change.Dynamodb.NewImage) {
				return
			}
			for a, err := range d.articles.All(ctx, "LatestOfSite", siteKey(v["siteId"])) {
				if !yield(a.StoryID(), err) || err != nil {
					return
				}
			}
		}
	}
}

// sameName reports whether what articles show of their site stayed the same.
func sameName(old, next map[string]types.AttributeValue) bool {
	name := func(item map[string]types.AttributeValue) string {
		text, _ := item["name"].(*types.AttributeValueMemberS)
		if text == nil {
			return ""
		}
		return text.Value
	}
	return name(old) == name(next)
}
