package web

import (
	"html/template"
	"net/http"
	"time"

	"pressroom/internal/errs"
)

// styleguide is what the page that shows every component is made of.
type styleguide struct {
	Stories []Story
	Choices []Choice
	Text    string
	Term    template.HTML
	Colours []string
	Sizes   []string
	Codes   []string
}

// showStyleguide shows the whole visual language on one page, in demo mode.
func (s *Site) showStyleguide(w http.ResponseWriter, r *http.Request) error {
	day := time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)
	data := styleguide{
		Stories: []Story{
			{Title: s.T(r, "styleguide.story.1"), Path: "/styleguide#stories", Kicker: s.T(r, "styleguide.kicker.1"), Summary: s.T(r, "styleguide.summary.1"), Date: day, Source: s.T(r, "styleguide.source.1"), SourceURL: "https://kokkai.ndl.go.jp/", Level: 2},
			{Title: s.T(r, "styleguide.story.2"), Path: "/styleguide#stories", Kicker: s.T(r, "styleguide.kicker.2"), Summary: s.T(r, "styleguide.summary.2"), Date: day.AddDate(0, 0, -1), Source: "example.org", SourceURL: "https://example.org/"},
			{Title: s.T(r, "styleguide.story.3"), Path: "/styleguide#stories", Kicker: s.T(r, "styleguide.kicker.3"), Summary: s.T(r, "styleguide.summary.3"), Date: day.AddDate(0, 0, -3), Author: s.T(r, "styleguide.author")},
		},
		Choices: []Choice{{"a", s.T(r, "styleguide.choice.a")}, {"b", s.T(r, "styleguide.choice.b")}, {"c", s.T(r, "styleguide.choice.c")}},
		Text:    s.T(r, "styleguide.text"),
		Term:    TermLink(1, s.T(r, "styleguide.term"), "/styleguide#terms", s.T(r, "styleguide.gloss")),
		Colours: []string{"paper", "sheet", "tint", "ink", "accent", "good", "warn", "bad", "note"},
		Sizes:   []string{"5", "4", "3", "2", "1", "0"},
		Codes:   []string{"not_found", "forbidden", "invalid", "rate_limited", "internal"},
	}
	return s.Render(w, r, s.shell, "styleguide", Page{
		Title: s.T(r, "styleguide.title"), Description: s.T(r, "styleguide.lead"), Canonical: "/styleguide", Block: "more", NoIndex: true, Data: data,
		Problem: errs.Validation(errs.Field{Name: "headline", Message: "must be at most 200 characters"}),
	})
}

// showFailure shows the error page of a kind.
func (s *Site) showFailure(_ http.ResponseWriter, r *http.Request) error {
	code := r.PathValue("code")
	for kind := range errs.Kinds() {
		if kind.Code() != code {
			continue
		}
		switch kind {
		case errs.Invalid:
			return errs.Validation(errs.Field{Name: "headline", Message: "must be at most 200 characters"})
		case errs.RateLimited:
			return errs.RateLimit(30 * time.Second)
		}
		return kind
	}
	return errs.NotFound
}
