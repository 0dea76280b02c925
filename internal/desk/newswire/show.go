package newswire

import (
	"context"
	"fmt"
	"slices"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/internal/story"
)

// Shown is an article as an audience may see it.
type Shown struct {
	Article  Article  // without its text
	Summary  *Summary // with as much of its text as may be shown; nil if that is nothing
	Excerpt  string   // how the text begins, where there is no summary
	Text     string   // the whole text, paragraphs with an empty line between them; "" for readers
	Cut      bool     // the summary goes on where it ends with an ellipsis
	Picture  *Picture // nil if there is none that may be shown
	SiteName string   // "" if the site is gone
	// Decision is what may be done with the article, and what decided.
	Decision rights.Decision
}

// Lead is what the summary says, or how the text begins where there is none.
func (s *Shown) Lead() string {
	if s.Summary != nil {
		return s.Summary.SummaryText
	}
	return s.Excerpt
}

// Show returns what an audience may see of articles, in their order, without those
// that it may not see at all. All pages and answers that tell of articles get them
// from here.
func (d *Desk) Show(ctx context.Context, articles []Article, to rights.Audience) ([]Shown, error) {
	summaries, err := d.presentSummaries(ctx, articles)
	if err != nil {
		return nil, err
	}
	sites, err := d.sitesOf(ctx, articles)
	if err != nil {
		return nil, err
	}
	all := make([]Shown, 0, len(articles))
	for i := range articles {
		a := articles[i]
		var summary *Summary
		if s, ok := summaries[a.ArticleID]; ok {
			summary = &s
		}
		site := sites[a.SiteID]
		shown, visible, err := d.shown(ctx, a, summary, &site, to)
		if err != nil {
			return nil, err
		}
		if visible {
			all = append(all, shown)
		}
	}
	return all, nil
}

// shown is what an audience may see of an article with a summary, nil for none, which
// it changes; and whether it may see it at all.
func (d *Desk) shown(ctx context.Context, a Article, summary *Summary, site *Site, to rights.Audience) (s Shown, visible bool, err error) {
	if a.Withdrawn != nil {
		return Shown{}, false, nil
	}
	decision := d.decide(site, &a)
	view, err := d.view(ctx, &a, summary, decision, to)
	if err != nil || view.Hidden {
		return Shown{}, false, err
	}
	a.BodyPlain = ""
	s = Shown{Article: a, Excerpt: view.Excerpt, Text: view.Text, Cut: view.Cut, SiteName: site.Name, Decision: decision}
	if p := a.Picture; p != nil && len(p.Copies) > 0 && decision.May(rights.Picture) {
		s.Picture = p
	}
	if summary != nil && view.Summary != "" {
		summary.SummaryText = view.Summary
		s.Summary = summary
	}
	return s, true, nil
}

// decide says what may be done with an article of a site; one that is gone has
// declared nothing.
func (d *Desk) decide(site *Site, a *Article) rights.Decision {
	return rights.Decide(site.Basis, a.Said, d.now())
}

// Visible returns the articles that readers may know of, in their order.
func (d *Desk) Visible(ctx context.Context, articles []Article) ([]Article, error) {
	return d.that(ctx, articles, rights.Keep)
}

// that returns the articles that a use is allowed of, in their order.
func (d *Desk) that(ctx context.Context, articles []Article, uses ...rights.Use) ([]Article, error) {
	sites, err := d.sitesOf(ctx, articles)
	var all []Article
	for i := range articles {
		site := sites[articles[i].SiteID]
		decision := d.decide(&site, &articles[i])
		if articles[i].Withdrawn == nil && !slices.ContainsFunc(uses, func(u rights.Use) bool { return !decision.May(u) }) {
			all = append(all, articles[i])
		}
	}
	return all, err
}

// ReadArticle returns what an audience may see of one article, or errs.NotFound; one that
// a person withdrew is a [story.GoneError].
func (d *Desk) ReadArticle(ctx context.Context, id string, to rights.Audience) (Shown, error) {
	a, err := d.GetArticle(ctx, id)
	if err != nil {
		return Shown{}, err
	}
	if g := a.Withdrawn; g != nil {
		return Shown{}, &story.GoneError{Note: story.Note{Ref: a.ref(), Kind: "article", What: story.Withdrawn, By: g.By, Reason: g.Reason, At: g.At}}
	}
	shown, err := d.Show(ctx, []Article{a}, to)
	if err == nil && len(shown) == 0 {
		err = fmt.Errorf("article %s: %w", id, errs.NotFound)
	}
	if err != nil {
		return Shown{}, err
	}
	return shown[0], nil
}

// view asks what may be shown of an article and its summary.
func (d *Desk) view(ctx context.Context, a *Article, s *Summary, decision rights.Decision, to rights.Audience) (rights.View, error) {
	w := rights.Work{Basis: decision.Basis, Said: a.Said, Text: a.BodyPlain, Now: d.now()}
	if s != nil {
		w.Summary, w.Extractive = s.SummaryText, s.Extractive
	}
	// The table has how a long text begins, which does unless all of it is shown or
	// a summary in other words is held against it.
	if a.S3BodyKey != "" && (to == rights.Staff || s != nil && !s.Extractive || decision.May(rights.Text)) {
		text, err := d.Body(ctx, a)
		switch {
		case err == nil:
			w.Text = text
		case to == rights.Staff || ctx.Err() != nil:
			return rights.View{}, err
		default: // one text that is lost must not take a whole list with it
			d.opt.Log.Warn("a text cannot be read; its summary is shown as far as if it were copied", "article", a.ArticleID, "error", err)
			w.Extractive = true
		}
	}
	return rights.Show(w, to), nil
}
