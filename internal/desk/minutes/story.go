package minutes

import (
	"context"
	"errors"
	"fmt"
	"iter"
	neturl "net/url"
	"path"
	"slices"
	"strconv"
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
	return &story.Shelf{
		Desk: Schema.Name, Words: []string{"国会会議録", "会議録", "議事録", "minutes"}, Tables: []string{d.articles.Table(), d.tasks.Table()}, Adopts: []*model.Table{&d.schema.Tables[1], &d.schema.Tables[0]}, Adopt: d.TakeOver,
		All: d.texts, Load: d.text, Affected: d.affected,
	}
}

// refOf names the story of an article.
func refOf(id string) story.Ref { return story.Ref{Desk: Schema.Name, ID: id} }

// Ref names the article's story.
func (a *Article) Ref() story.Ref { return refOf(a.ID) }

// card is the article's card. Lists go by the day of the meeting.
func (a *Article) card() story.Story {
	st := story.Story{
		Ref: refOf(a.ID), Kind: "article", Path: "/minutes/articles/" + neturl.PathEscape(a.ID),
		Title: a.Title, Summary: a.Description, Language: story.LanguageOf(a.Title, a.Description), Section: strings.TrimSpace(a.House + " " + a.Meeting),
		Published: a.PublishedAt, Updated: a.UpdatedAt, Topics: story.Labels(a.Categories, a.Keywords),
		Source: story.Source{Name: "国会会議録"}, Provenance: a.made(), Digest: assetDigest(a.AssetURL),
	}
	if a.Assembly != "" {
		st.Language, st.Source.Name = a.Language, a.House
		st.Topics = append(st.Topics, "@"+a.Assembly) // to search in one
	}
	if day, err := time.Parse(time.DateOnly, dayOf(a.Date)); err == nil {
		st.Listed = model.FormatTime(day.Add(12 * time.Hour)) // noon is on that day wherever it is read
	}
	if st.Published == "" { // it was not this desk that published it
		st.Published = st.Listed
	}
	for _, p := range a.Participants {
		st.People = append(st.People, p.Name)
	}
	st.Subjects = a.subjects()
	return st
}

// Diet is the name under which readers follow the Diet as a whole.
const Diet = "国会"

// SubjectName is the name under which readers follow what an assembly calls something;
// without a name, the assembly itself. Other assemblies than the Diet put their code
// before it, so that two committees on the budget are two.
func SubjectName(assembly, name string) string {
	switch {
	case assembly == "" && name == "":
		return Diet
	case assembly == "":
		return name
	}
	return strings.TrimSpace("@" + assembly + " " + name)
}

// maxSubjects bounds the bytes of what a card says that it is about. A sitting with
// hundreds of items on its agenda says the first of them.
const maxSubjects = 8 << 10

// subjects are what the article is about besides people and topics.
func (a *Article) subjects() []story.Subject {
	var all []story.Subject
	size := 0
	add := func(kind, name string) {
		one := story.Subject{Kind: kind, Name: name}
		if size += len(kind) + len(name) + 16; name != "" && size <= maxSubjects && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	add("assembly", SubjectName(a.Assembly, ""))
	if a.House != "" {
		add("assembly", SubjectName(a.Assembly, a.House))
	}
	if a.Meeting != "" {
		add("committee", SubjectName(a.Assembly, a.Meeting))
	}
	for _, p := range a.Participants {
		if group := SubjectName(a.Assembly, p.Group); p.Group != "" && !slices.Contains(all, story.Subject{Kind: "party", Name: group}) {
			add("party", group)
		}
	}
	for _, bill := range a.Issues {
		add("bill", SubjectName(a.Assembly, bill))
	}
	for _, t := range a.Terms {
		add("term", t.Term)
	}
	return all
}

// names are the people and the bills of the article, with their pages.
func (a *Article) names() []story.Name {
	at := "/minutes"
	if a.Assembly != "" {
		at = "/assemblies/" + neturl.PathEscape(a.Assembly)
	}
	var out []story.Name
	for _, p := range a.Participants {
		n := story.Name{Kind: story.Person, Name: p.Name, Path: at + "/people/" + neturl.PathEscape(p.Name), Reading: p.Yomi, Note: p.Group}
		if p.Position != "" {
			n.Offices = []string{p.Position}
		}
		out = append(out, n)
	}
	for _, issue := range a.Issues {
		out = append(out, story.Name{Kind: story.Bill, Name: issue, Path: at + "/issues/" + neturl.PathEscape(issue), Note: a.House})
	}
	return out
}

// assetDigest tells one asset from another, wherever both are served: it is the end of
// the address.
func assetDigest(at string) string {
	dir, _ := path.Split(at)
	return path.Base(dir) + "/" + path.Base(at)
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
		err = d.getAsset(ctx, &a, &asset)
		switch {
		case err == nil, errors.Is(err, errNoObject) && try == 3: // it was not replaced in between
			text := story.Text{Story: a.card(), Body: textOf(&a, &asset), Names: a.names()}
			for _, dialog := range asset.Dialogs {
				order := strconv.Itoa(dialog.Order)
				text.Passages = append(text.Passages, story.Passage{ID: order, Path: text.Path + "/speeches/" + order, Speaker: dialog.Speaker, Text: dialog.OriginalText})
			}
			return text, nil
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
