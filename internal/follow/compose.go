package follow

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"pressroom/internal/deliver"
	"pressroom/internal/errs"
	"pressroom/internal/story"
)

// Composer says what letters and webhooks say.
type Composer struct {
	Follows *Follows
	Stories *story.Stories
	Ledger  func() *deliver.Ledger // which sends what this composes
	Name    string                 // of the newsroom, while the paper has none of its own
	Base    string                 // the address of the site: https://news.example
}

// words are what letters say around stories.
var words = map[string]struct{ New, Changed, Corrected, Withdrawn, Gone, Digest, Manage, Leave string }{
	"en": {"New: ", "Updated: ", "Correction: ", "Withdrawn: ", "We have withdrawn this story, which we sent you. It should not be relied on.",
		"%d stories that you follow", "Change what you follow", "Stop all letters"},
	"ja": {"新着: ", "更新: ", "訂正: ", "取り下げ: ", "以前お送りしたこの記事は取り下げられました。内容を根拠として使わないでください。",
		"フォロー中の話題の記事 %d件", "フォローの管理", "配信をすべて停止"},
}

// item is a story in a letter.
type item struct{ Mark, Title, Summary, Link, Source string }

// letter is what the template of letters gets.
type letter struct {
	Language, Name, Subject string
	Intro                   []string // paragraphs
	Items                   []item
	Manage, Leave           string
	ManageLink, LeaveLink   string
}

// Compose is [deliver.Options.Compose].
func (c *Composer) Compose(ctx context.Context, d *deliver.Delivery) (*deliver.Message, error) {
	r, err := c.Follows.Reader(ctx, d.Recipient)
	if errors.Is(err, errs.NotFound) {
		return nil, &deliver.Unwanted{Reason: "the reader has left"}
	}
	if err != nil {
		return nil, err
	}
	if !slices.Contains(r.Ways, d.Channel) {
		return nil, &deliver.Unwanted{Reason: "the reader no longer wants it this way"}
	}
	language := r.Language
	if words[language].New == "" {
		language = "en"
	}
	say := words[language]
	paper, err := c.Stories.Paper(ctx)
	if err != nil {
		return nil, err
	}
	l := letter{Language: language, Name: cmp.Or(paper.Name, c.Name), Manage: say.Manage, Leave: say.Leave, ManageLink: c.Base + "/follows?key=" + r.Link(ForManaging), LeaveLink: c.Base + "/follows/leave?key=" + r.Link(ForLeaving)}
	switch d.Desk {
	case Newsletter:
		err = c.newsletter(ctx, d, &l)
	case deliver.Digest:
		l.Items, err = c.digest(ctx, d, language)
		l.Subject = fmt.Sprintf(say.Digest, len(l.Items))
	default:
		var one item
		one, err = c.one(ctx, d, language)
		l.Items, l.Subject = []item{one}, one.Mark+one.Title
	}
	if err != nil {
		return nil, err
	}
	return c.message(ctx, &r, d, &l)
}

func (c *Composer) message(ctx context.Context, r *Reader, d *deliver.Delivery, l *letter) (*deliver.Message, error) {
	to, secret, err := c.Follows.address(ctx, r, d.Channel)
	if err != nil {
		return nil, err
	}
	if to == "" {
		return nil, &deliver.Unwanted{Reason: "the reader has no address for it"}
	}
	var html bytes.Buffer
	if err := letters.Execute(&html, l); err != nil {
		return nil, err
	}
	payload, err := json.Marshal(map[string]any{"type": "story." + string(d.What), "id": d.ID(), "revision": d.Revision, "stories": l.payload()})
	if err != nil {
		return nil, err
	}
	return &deliver.Message{
		To: to, Language: l.Language, Subject: l.Subject, Text: l.text(), HTML: html.String(), Link: l.Items[0].Link,
		Leave: l.LeaveLink, LeavePage: l.ManageLink, Payload: payload, Secret: secret,
	}, nil
}

// one is the story of a delivery as it is now.
func (c *Composer) one(ctx context.Context, d *deliver.Delivery, language string) (item, error) {
	say := words[language]
	if d.What == story.Withdrawn {
		return item{Mark: say.Withdrawn, Title: d.Title, Summary: say.Gone}, nil
	}
	cards, err := c.Stories.Get(ctx, d.Ref)
	if err != nil {
		return item{}, err
	}
	if len(cards) == 0 {
		return item{}, &deliver.Unwanted{Reason: "the story is gone"}
	}
	mark := map[story.What]string{story.Published: say.New, story.Changed: say.Changed, story.Corrected: say.Corrected}[d.What]
	return c.item(&cards[0], mark, language), nil
}

func (c *Composer) item(card *story.Story, mark, language string) item {
	i := item{Mark: mark, Title: oneLine(card.Title), Summary: oneLine(card.SummaryIn(language)), Link: c.Base + card.Path, Source: oneLine(card.Source.Name)}
	if runes := []rune(i.Summary); len(runes) > 280 {
		i.Summary = string(runes[:280]) + "…"
	}
	return i
}

// digest is the stories of a digest as they are now. Those that are gone are dropped in
// the ledger too, so that nobody is told of the withdrawal of what they never got.
func (c *Composer) digest(ctx context.Context, d *deliver.Delivery, language string) ([]item, error) {
	refs := map[story.Ref]int{}
	var order []story.Ref
	for _, entry := range slices.Sorted(slices.Values(d.Stories)) {
		parts := strings.SplitN(entry, " ", 3)
		revision, err := strconv.Atoi(parts[0])
		if err != nil || len(parts) != 3 {
			return nil, fmt.Errorf("digest %s has the entry %q", d.Ref.ID, entry)
		}
		ref := story.Ref{Desk: parts[1], ID: parts[2]}
		if _, twice := refs[ref]; !twice {
			order = append(order, ref)
		}
		refs[ref] = max(refs[ref], revision)
	}
	cards, err := c.Stories.Get(ctx, order...)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(cards, func(a, b story.Story) int { return strings.Compare(b.Listed, a.Listed) })
	var items []item
	for i := range cards {
		items = append(items, c.item(&cards[i], "", language))
		delete(refs, cards[i].Ref)
	}
	for ref, revision := range refs {
		row := deliver.Delivery{Ref: ref, Recipient: d.Recipient, Channel: d.Channel, Revision: revision}
		if err := c.Ledger().Drop(ctx, &row, "the story was gone before the digest went"); err != nil && !errors.Is(err, errs.NotFound) {
			return nil, err
		}
	}
	if len(items) == 0 {
		return nil, &deliver.Unwanted{Reason: "all its stories are gone"}
	}
	return items, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (l *letter) text() string {
	var b strings.Builder
	for _, p := range l.Intro {
		b.WriteString(p + "\n\n")
	}
	for _, i := range l.Items {
		for _, line := range []string{i.Mark + i.Title, i.Summary, i.Source, i.Link} {
			if line != "" {
				b.WriteString(line + "\n")
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

func (l *letter) payload() []map[string]string {
	var all []map[string]string
	for _, i := range l.Items {
		all = append(all, map[string]string{"title": i.Title, "summary": i.Summary, "url": i.Link})
	}
	return all
}

// letters is a letter with markup. It has no pictures, so that nobody is counted by them,
// and fits a phone because nothing in it has a width.
var letters = template.Must(template.New("letter").Parse(`<!doctype html>
<html lang="{{.Language}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Subject}}</title></head>
<body style="margin:0 auto;max-width:40em;padding:1em;font-family:sans-serif;line-height:1.6;color:#1a1a1a;background:#fff">
<main>
<h1 style="font-size:1em;font-weight:normal;margin:1em 0">{{.Name}}</h1>
{{range .Intro}}<p>{{.}}</p>
{{end}}{{range .Items}}<h2 style="font-size:1.2em;margin:1.5em 0 0.3em">{{.Mark}}{{if .Link}}<a href="{{.Link}}" style="color:#0b4f9e">{{.Title}}</a>{{else}}{{.Title}}{{end}}</h2>
{{with .Summary}}<p style="margin:0.3em 0">{{.}}</p>{{end}}{{with .Source}}<p style="margin:0.3em 0;color:#555">{{.}}</p>{{end}}
{{end}}<hr style="margin:2em 0 1em;border:0;border-top:1px solid #bbb">
<p style="color:#555"><a href="{{.ManageLink}}" style="color:#0b4f9e">{{.Manage}}</a>{{if .LeaveLink}} · <a href="{{.LeaveLink}}" style="color:#0b4f9e">{{.Leave}}</a>{{end}}</p>
</main>
</body></html>
`))
