package minutes

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Document is what a search index holds of an article.
type Document struct {
	Article
	// Text is what the article tells, and then the words of the record, as far as
	// an index wants them.
	Text string
}

// maxText bounds the text of a document, in bytes: some hours of debate.
const maxText = 256 << 10

// Document returns what an index should hold of an article, as it is now;
// errs.NotFound says that it should hold nothing. An article whose asset is lost is
// found by the rest of it.
func (d *Desk) Document(ctx context.Context, id string) (Document, error) {
	for try := 1; ; try++ {
		a, err := d.GetArticle(ctx, id)
		if err != nil {
			return Document{}, err
		}
		var asset Asset
		err = d.objects.get(ctx, a.AssetURL, &asset)
		switch {
		case err == nil:
			return Document{a, textOf(&a, &asset)}, nil
		case !errors.Is(err, errNoObject):
			return Document{}, fmt.Errorf("asset of article %s: %w", id, hide(err))
		case try == 3: // it was not replaced in between
			return Document{a, textOf(&a, &asset)}, nil
		}
	}
}

// Documents yields the documents of all articles, to build an index. What goes on
// the way is left out. After an error nothing follows.
func (d *Desk) Documents(ctx context.Context) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for a, err := range d.All(ctx) {
			var doc Document
			if err == nil {
				doc, err = d.Document(ctx, a.ID)
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

// ChangedArticle returns the article that an item of the articles' table is, for
// whoever follows the table's stream. Its index items never change without it.
func (d *Desk) ChangedArticle(keys model.Raw) (id string, ok bool) {
	found, ok := articles.Identify(keys)
	if !ok || found.Entity.Name != "Article" {
		return "", false
	}
	return found.Values["id"], true
}

// textOf puts what is told before what was said, so that a cut loses the latter.
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

// told is what a dialog says of its speech.
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
