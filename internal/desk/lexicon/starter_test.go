package lexicon

import (
	"strings"
	"testing"

	"pressroom/internal/errs"
)

// The starter lexicon is whole: it imports without an error, explains every term in
// both languages, and has a quiz for every category and difficulty.
func TestStarter(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	report, done, err := f.Init(ctx, ImportOptions{})
	want(t, err, nil)
	if !done || report.Written < 150 || len(report.Errors) > 0 {
		t.Fatalf("done %t, %d written, errors %v", done, report.Written, report.Errors)
	}
	if _, again, err := f.Init(ctx, ImportOptions{}); err != nil || again {
		t.Errorf("a second time: %t, %v", again, err)
	}
	book, err := f.Book(ctx)
	want(t, err, nil)
	count := map[string]int{}
	for i := range book.terms {
		term := &book.terms[i]
		count[term.Language]++
		count[term.QuizDifficulty]++
		for _, lang := range languages {
			if term.Glosses[lang] == "" || term.Plain[lang] == "" || languageOf(term.Glosses[lang]) != lang {
				t.Errorf("%s: gloss %q, plain words %q in %s", term.Term, term.Glosses[lang], term.Plain[lang], lang)
			}
		}
		if len(term.Sources) == 0 || len(term.Tags) == 0 || len(term.Regions) == 0 || len(term.Categories) != 1 || term.FirstAttested == "" {
			t.Errorf("%s lacks something: %+v", term.Term, term)
		}
		for _, example := range term.Examples {
			if !usesTerm(book, term, example) {
				t.Errorf("%s is not found in its example %q", term.Term, example)
			}
		}
	}
	for _, what := range []string{"en", "ja", Beginner, Intermediate, Advanced} {
		if count[what] < 15 {
			t.Errorf("%d terms of %s", count[what], what)
		}
	}
	ann := f.user("ann", Premium)
	for _, c := range book.Facets(ByCategory) {
		for _, lang := range languages {
			quiz, err := f.StartQuiz(ctx, ann, QuizRequest{Category: c.Value, Language: lang})
			if err != nil || quiz.Questions < 3 {
				t.Errorf("a quiz about %s in %s: %d questions, %v", c.Value, lang, quiz.Questions, err)
			}
		}
	}
}

// usesTerm reports whether the term stands in a text, perhaps within a longer term.
func usesTerm(b *Book, t *Term, text string) bool {
	for _, s := range b.Find(text) {
		if s.Term.Slug == t.Slug || strings.Contains(s.Term.Term, t.Term) {
			return true
		}
	}
	return false
}

func TestNoLexicon(t *testing.T) {
	f := open(t, nil, Options{})
	_, err := f.StartQuiz(t.Context(), f.user("ann", Free), QuizRequest{})
	want(t, err, errs.NotFound)
	if html := f.Explain(t.Context(), "en", "<p>rizz</p>"); html != "<p>rizz</p>" {
		t.Errorf("explained %s", html)
	}
}
