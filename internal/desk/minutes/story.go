package minutes

import (
	"context"
	"errors"
	"fmt"
	"iter"
	neturl "net/url"
	"path"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// maxText bounds what is found of an article: the words of a long meeting are more
// than an index wants.
const maxText = 256 << 10

// Shelf is the articles as stories.
func (d *Desk) Shelf() *story.Shelf {
	return &story.Shelf{Desk: Schema.Name, Tables: []string{d.articles.Table()}, All: d.texts, Load: d.text, Affected: story.Keyed(changedArticle)}
}

// card is the article's card. Lists go by the day of the meeting.
func (a *Article) card() story.Story {
	st := story.Story{
		Ref: story.Ref{Desk: Schema.Name, ID: a.ID}, Kind: "article", Path: "/minutes/articles/" + neturl.PathEscape(a.ID),
		Title: a.Title, Summary: a.Description, Language: story.LanguageOf(a.Title, a.Description), Section: strings.TrimSpace(a.House + " " + a.Meeting),
		Published: a.PublishedAt, Updated: a.UpdatedAt, Topics: story.Labels(a.Categories, a.Keywords),
		Source: story.Source{Name: "国会会議録"}, Digest: path.Base(a.AssetURL),
	}
	if day, err := time.Parse(time.DateOnly, a.Date); err == nil {
		st.Listed = model.FormatTime(day.Add(12 * time.Hour)) // noon is on that day wherever it is read
	}
	if st.Published == "" { // it was not this desk that published it
		st.Published = st.Listed
	}
	for _, p := range a.Participants {
		st.People = append(st.People, p.Name)
	}
	return st
}

// text returns the story of an article: what it tells, and then the words of the
// record. Without its asset, which is read after it and may have been replaced in
// between, it is the card alone.
func (d *Desk) text(ctx context.Context, id string) (story.Text, error) {
	for try := 1; ; try++ {
		a, err := d.GetArticle(ctx, id)
		if err != nil {
			return story.Text{}, err
		}
		var asset Asset
		err = d.objects.get(ctx, a.AssetURL, &asset)
		switch {
		case err == nil, errors.Is(err, errNoObject) && try == 3: // it was not replaced in between
			return story.Text{Story: a.card(), Body: textOf(&a, &asset)}, nil
		case !errors.Is(err, errNoObject):
			return story.Text{}, fmt.Errorf("asset of article %s: %w", id, hide(err))
		}
	}
}

func (d *Desk) texts(ctx context.Context) iter.Seq2[story.Text, error] {
	return func(yield func(story.Text, error) bool) {
		for a, err := range d.All(ctx) {
			var text story.Text
			if err == nil {
				text, err = d.text(ctx, a.ID)
			}
			if errors.Is(err, errs.NotFound) {
				continue
			}
			if !yield(text, err) || err != nil {
				return
			}
		}
	}
}

// changedArticle returns the article that an item of the table is. Its index items
// never change without it.
func changedArticle(keys model.Raw) (id string, ok bool) {
	found, ok := articles.Identify(keys)
	if !ok || found.Entity.Name != "Article" {
		return "", false
	}
	return found.Values["id"], true
}

func textOf(a *Article, asset *Asset) string {
	var b strings.Builder
	line := func(parts ...string) {
		for _, text := range parts {
			if text != "" && b.Len()+len(text) < maxText {
				b.WriteString(text)
				b.WriteByte('\n')
			}
		}
	}
	line(asset.Summary.Summary, asset.SoftSummary.Summary)
	line(asset.KeyPoints...)
	for _, m := range asset.MiddleSummary {
		line(m.Summary)
	}
	line(a.House+" "+a.Meeting, strings.Join(a.Issues, "\n"))
	for _, p := range a.Participants {
		line(strings.TrimSpace(p.Name + " " + p.Yomi + " " + p.Group + " " + p.Position))
	}
	for _, t := range a.Terms {
		line(t.Term, t.Definition)
	}
	for i := range asset.Dialogs {
		line(asset.Dialogs[i].told()...)
	}
	for i := range asset.Dialogs {
		line(asset.Dialogs[i].OriginalText)
	}
	return b.String()
}

// told is what the article makes of a speech.
func (d *Dialog) told() []string {
	out := []string{d.SoftLanguage}
	for _, s := range d.Sections {
		out = append(out, s.Title)
		for _, b := range s.Bullets {
			out = append(out, b.Point, b.Detail)
		}
	}
	return out
}
