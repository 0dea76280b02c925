// Package lexiconweb is the lexicon's pages: looking up and browsing terms, trends,
// proposals with votes and moderation, quizzes, translations, and who may do how
// much of it, all under /lexicon.
//
// It promises that a proposal is seen by its author and by moderators, and by other
// readers only while it waits for a moderator or once it is a term; that quizzes
// and translations are seen by their owner alone, but for a quiz that was begun without
// an account, which is found by its address; and that every page works without a script. lexicon.js adds keys and a clock to quizzes.
//
// Each page has a Go file and an HTML file of the same name. Start with [Register].
package lexiconweb

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/web"
)

//go:embed *.html locales static
var files embed.FS

// People tells who is behind a user of the lexicon. The accounts of the newsroom
// do.
type People interface {
	Account(ctx context.Context, id string) (*auth.Account, error)
	Named(ctx context.Context, name string) (*auth.Account, error)
}

// pages are the handlers.
type pages struct {
	site   *web.Site
	views  *web.Templates
	desk   *lexicon.Desk
	people People
}

// Register puts the lexicon on the site, and lets it explain its terms in the
// texts of all desks.
func Register(site *web.Site, desk *lexicon.Desk, people People) error {
	views, err := site.Templates(files)
	if err != nil {
		return err
	}
	p := &pages{site, views, desk, people}
	site.Explain(desk)
	site.Nav(web.NavItem{Path: "/lexicon", Key: "lexicon.nav", Order: 40})
	site.Nav(web.NavItem{Path: "/lexicon/moderation", Key: "lexicon.moderation.nav", Order: 40, Access: auth.Moderator, Office: true})
	site.Nav(web.NavItem{Path: "/lexicon/users", Key: "lexicon.users.nav", Order: 91, Access: auth.Operator, Office: true})
	site.Front(web.FrontSection{Desk: lexicon.Schema.Name, Key: "lexicon.nav", Path: "/lexicon", Order: 40, Minor: true})
	site.Step(web.Step{Key: "lexicon", Path: "/lexicon", Order: 50, Optional: true, Done: func(ctx context.Context) (bool, error) {
		book, err := desk.Book(ctx)
		return err == nil && book.Len() > 0, err
	}})
	site.Trending(web.Words{Path: "/lexicon/trending", Load: p.mostUsed})
	p.readers()
	p.members()
	p.staff()
	return nil
}

// readers are the pages that everyone may see.
func (p *pages) readers() {
	p.site.Get("/lexicon", auth.Everyone, p.home)
	p.feeds("/lexicon", p.newest)
	p.site.Get("/lexicon/terms", auth.Everyone, p.lookup)
	p.site.Get("/lexicon/terms/{slug}", auth.Everyone, p.entry)
	p.site.Get("/lexicon/browse/{facet}/{value}", auth.Everyone, p.browse)
	p.feeds("/lexicon/browse/{facet}/{value}", p.browsed)
	p.site.Get("/lexicon/trending", auth.Everyone, p.trending)
	p.feeds("/lexicon/trending", p.trends)
	p.site.Get("/lexicon/trending/{category}", auth.Everyone, p.trending)
	p.feeds("/lexicon/trending/{category}", p.trends)
	p.site.Get("/lexicon/quiz", auth.Everyone, p.quizzes)
	p.site.Route(front.Route{Pattern: "POST /lexicon/quiz", Rate: trying}, p.startQuiz)
	p.site.Get("/lexicon/quiz/{id}", auth.Everyone, p.question)
	p.site.Post("/lexicon/quiz/{id}", auth.Everyone, p.answer)
	p.site.Get("/lexicon/quiz/{id}/result", auth.Everyone, p.result)
	p.site.Get("/lexicon/translate", auth.Everyone, p.translator)
	p.site.Route(front.Route{Pattern: "POST /lexicon/translate", Rate: trying}, p.translate)
}

// members are the pages of those who are signed in.
func (p *pages) members() {
	p.site.Get("/lexicon/propose", auth.Reader, p.showPropose)
	p.site.Post("/lexicon/propose", auth.Reader, p.propose)
	p.site.Get("/lexicon/proposals", auth.Reader, p.proposals)
	p.site.Get("/lexicon/proposals/mine", auth.Reader, p.mine)
	p.site.Get("/lexicon/proposals/{id}", auth.Reader, p.proposal)
	p.site.Post("/lexicon/proposals/{id}/vote", auth.Reader, p.vote)
	p.site.Post("/lexicon/proposals/{id}/unvote", auth.Reader, p.unvote)
	p.site.Get("/lexicon/translations", auth.Reader, p.history)
	p.site.Post("/lexicon/translations/delete", auth.Reader, p.deleteHistory)
	p.site.Post("/lexicon/translations/{id}/delete", auth.Reader, p.deleteTranslation)
	p.site.Get("/lexicon/me", auth.Reader, p.me)
	p.site.Post("/lexicon/me/delete", auth.Reader, p.deleteMe)
}

// staff are the pages of moderators and operators.
func (p *pages) staff() {
	p.site.Get("/lexicon/moderation", auth.Moderator, p.moderation)
	p.site.Get("/lexicon/moderation/{id}", auth.Moderator, p.review)
	p.site.Post("/lexicon/moderation/{id}/approve", auth.Moderator, p.approve)
	p.site.Post("/lexicon/moderation/{id}/edit", auth.Moderator, p.correct)
	p.site.Post("/lexicon/moderation/{id}/reject", auth.Moderator, p.reject)
	p.site.Post("/lexicon/moderation/{id}/undo", auth.Moderator, p.undo)
	p.site.Get("/lexicon/write", auth.Moderator, p.showWrite)
	p.site.Post("/lexicon/write", auth.Moderator, p.write)
	p.site.Get("/lexicon/terms/{slug}/edit", auth.Moderator, p.showWrite)
	p.site.Post("/lexicon/terms/{slug}/edit", auth.Moderator, p.write)
	p.site.Post("/lexicon/terms/{slug}/delete", auth.Moderator, p.deleteTerm)
	p.site.Route(front.Route{Pattern: "POST /lexicon/starter", Access: auth.Operator, Timeout: starterTime, AtOnce: 1}, p.loadStarter)
	p.site.Get("/lexicon/users", auth.Operator, p.users)
	p.site.Get("/lexicon/users/{id}", auth.Operator, p.user)
	p.site.Post("/lexicon/users/{id}/tier", auth.Operator, p.setTier)
	p.site.Post("/lexicon/users/{id}/status", auth.Operator, p.setStatus)
	p.site.Post("/lexicon/users/{id}/delete", auth.Operator, p.deleteUser)
}

// member returns the desk's user of whoever is signed in.
func (p *pages) member(r *http.Request) (lexicon.Profile, error) {
	account := auth.From(r.Context())
	if account == nil {
		return lexicon.Profile{}, errs.Unauthenticated
	}
	return p.desk.Member(r.Context(), account.ID, account.Email)
}

// player returns the desk's user of whoever asks; without an account, a guest's.
func (p *pages) player(r *http.Request) (string, error) {
	if auth.From(r.Context()) == nil {
		return p.desk.Guest(front.ClientAddr(r.Context())), nil
	}
	m, err := p.member(r)
	return m.UserID, err
}

// trying bounds what one address tries, whatever comes of it; the day's limits are the
// desk's.
var trying = front.Rate{PerSecond: 1, Burst: 60}

// actor is whoever decides, by the account's id.
func actor(r *http.Request) string {
	if account := auth.From(r.Context()); account != nil {
		return account.ID
	}
	return ""
}

// formError reports whether what went wrong is shown on the form that was sent.
func formError(err error) bool {
	switch errs.KindOf(err) {
	case errs.Invalid, errs.Duplicate, errs.Conflict, errs.Forbidden, errs.RateLimited, errs.Stale, errs.Budget:
		return true
	}
	return false
}

// pageSize is how many entries a list shows.
const pageSize = 24

func pageOf(r *http.Request) lexicon.PageOptions {
	return lexicon.PageOptions{Limit: pageSize, Cursor: r.URL.Query().Get("cursor")}
}

// name returns the name of an account, or "" for one that is gone.
func (p *pages) name(ctx context.Context, id string) (string, error) {
	account, err := p.people.Account(ctx, id)
	if errors.Is(err, errs.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return account.Name, nil
}

// namer finds each name once.
func (p *pages) namer(ctx context.Context) func(id string) (string, error) {
	known := map[string]string{}
	return func(id string) (string, error) {
		if name, ok := known[id]; ok {
			return name, nil
		}
		name, err := p.name(ctx, id)
		if err == nil {
			known[id] = name
		}
		return name, err
	}
}

func termPath(slug string) string { return "/lexicon/terms/" + url.PathEscape(slug) }

func facetPath(facet, value string) string {
	return "/lexicon/browse/" + facet + "/" + url.PathEscape(value)
}

// card is a term in a list.
type card struct {
	Slug, Path, Term, Gloss string
	Lang                    string // of the term
	GlossLang               string // of the gloss, if it is not the page's
}

func cardOf(lang string, l *lexicon.Listing) card {
	c := card{Slug: l.Slug, Path: termPath(l.Slug), Term: l.Term, Gloss: l.GlossIn(lang), Lang: l.Language}
	c.GlossLang = glossLang(lang, l.Glosses, l.Language)
	return c
}

// glossLang is the language of a gloss that is shown on a page of lang, if it is
// another.
func glossLang(lang string, glosses map[string]string, own string) string {
	if glosses[lang] != "" || own == lang {
		return ""
	}
	return own
}

func cardsOf(lang string, all []lexicon.Listing) []card {
	cards := make([]card, len(all))
	for i := range all {
		cards[i] = cardOf(lang, &all[i])
	}
	return cards
}

func listingOf(t *lexicon.Term) lexicon.Listing {
	return lexicon.Listing{Slug: t.Slug, Term: t.Term, Gloss: t.Gloss, Glosses: t.Glosses, Language: t.Language}
}

// label is a facet's value with its page.
type label struct {
	Value, Path string
	Terms       int
}

func labelsOf(facet string, values []string) []label {
	labels := make([]label, len(values))
	for i, v := range values {
		labels[i] = label{Value: v, Path: facetPath(facet, v)}
	}
	return labels
}

func countedLabels(facet string, all []lexicon.Facet, most int) []label {
	labels := make([]label, 0, min(most, len(all)))
	for _, f := range all[:min(most, len(all))] {
		labels = append(labels, label{f.Value, facetPath(facet, f.Value), f.Terms})
	}
	return labels
}

// words splits what was typed into a field for several, at commas of both scripts.
func words(text string) []string {
	var all []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",、，\n", r) }) {
		if word = strings.TrimSpace(word); word != "" {
			all = append(all, word)
		}
	}
	return all
}
