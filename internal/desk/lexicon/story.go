package lexicon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pressroom/internal/story"
	"pressroom/model"
)

// Shelf is the terms as stories. What was proposed, waits or was rejected is in another
// table; it is taken over from other programs, and is no story.
func (d *Desk) Shelf() *story.Shelf {
	return &story.Shelf{
		Desk: Schema.Name, Words: []string{"用語集", "glossary"}, Tables: []string{d.terms.Table(), d.submissions.Table()}, Adopts: d.adopts(), Adopt: d.Adopt, Affected: d.affected,
		All: func(ctx context.Context) iter.Seq2[story.Text, error] {
			return story.Texts(d.AllTerms(ctx), (*Term).text)
		},
		Load: func(ctx context.Context, slug string) (story.Text, error) {
			t, err := d.Term(ctx, slug)
			return t.text(), err
		},
	}
}

// text is the term as a story. Lists go by when it was last changed.
func (t *Term) text() story.Text {
	language := t.Language
	if language == "" {
		language = story.LanguageOf(t.Term, t.Gloss)
	}
	body := slices.Concat(t.Variants, []string{t.Gloss})
	for _, lang := range slices.Sorted(maps.Keys(t.Glosses)) {
		if t.Glosses[lang] != t.Gloss {
			body = append(body, t.Glosses[lang])
		}
	}
	text := story.Text{Body: strings.Join(append(body, t.Examples...), "\n"), Story: story.Story{
		Ref: story.Ref{Desk: Schema.Name, ID: t.Slug}, Kind: "term", Path: "/lexicon/terms/" + url.PathEscape(t.Slug),
		Title: t.Term, Summary: t.Gloss, Summaries: t.Glosses, Language: language, Topics: story.Labels(t.Categories, t.Tags, t.Regions),
		Published: model.FormatTime(t.LastUpdated.Time()), Source: story.Source{Name: strings.Join(t.Sources, ", ")},
		Subjects: []story.Subject{{Kind: "term", Name: t.Term}},
	}}
	text.Names = []story.Name{{Kind: story.Term, Name: t.Term, Path: text.Path, Aliases: t.Variants, Note: t.Gloss}}
	if len(t.Categories) > 0 {
		text.Section = t.Categories[0]
	}
	for i, example := range t.Examples {
		text.Passages = append(text.Passages, story.Passage{ID: "example-" + strconv.Itoa(i+1), Path: text.Path, Text: example})
	}
	sum := sha256.Sum256([]byte(text.Body))
	text.Digest = hex.EncodeToString(sum[:8])
	return text
}

// AllTerms yields all terms. After an error nothing follows.
func (d *Desk) AllTerms(ctx context.Context) iter.Seq2[Term, error] {
	return func(yield func(Term, error) bool) {
		for _, origin := range []string{OriginLexicon, OriginSubmission} {
			for t, err := range d.terms.All(ctx, "ExportBySource", model.Values{"origin": origin}) {
				if !yield(t, failure(err)) || err != nil {
					return
				}
			}
		}
	}
}

// changedTerm returns the slug of the term that an item is, or that it is a submission
// of. A term's names and places in lists never change without it, nor a submission's
// votes and steps.
func changedTerm(keys model.Raw) (slug string, ok bool) {
	for table, entity := range map[*model.Table]string{&terms: "Term", &submissions: "Submission"} {
		if found, ok := table.Identify(keys); ok && found.Entity.Name == entity {
			return found.Values["slug"], true
		}
	}
	return "", false
}
