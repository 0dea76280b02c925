package newswire

import (
	"context"

	"pressroom/internal/rights"
)

// Shown is an article as an audience may see it.
type Shown struct {
	Article  Article  // without its text
	Summary  *Summary // with as much of its text as may be shown; nil if that is nothing
	Excerpt  string   // how the text begins, where there is no summary
	Text     string   // the whole text, paragraphs with an empty line between them; "" for readers
	Cut      bool     // the summary goes on where it ends with an ellipsis
	SiteName string   // "" if the site is gone
}

// Lead is what the summary says, or how the text begins where there is none.
func (s *Shown) Lead() string {
	if s.Summary != nil {
		return s.Summary.SummaryText
	}
	return s.Excerpt
}

// Show returns what an audience may see of articles, in their order. All pages and
// answers that tell of articles get them from here.
func (d *Desk) Show(ctx context.Context, articles []Article, to rights.Audience) ([]Shown, error) {
	summaries, err := d.presentSummaries(ctx, articles)
	if err != nil {
		return nil, err
	}
	names, err := d.SiteNames(ctx, articles)
	if err != nil {
		return nil, err
	}
	all := make([]Shown, len(articles))
	for i := range articles {
		a := articles[i]
		var summary *Summary
		if s, ok := summaries[a.ArticleID]; ok {
			summary = &s
		}
		if all[i], err = d.shown(ctx, a, summary, names[a.SiteID], to); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// shown is what an audience may see of an article with a summary, nil for none, which
// it changes.
func (d *Desk) shown(ctx context.Context, a Article, summary *Summary, site string, to rights.Audience) (Shown, error) {
	view, err := d.view(ctx, &a, summary, to)
	if err != nil {
		return Shown{}, err
	}
	a.BodyPlain = ""
	s := Shown{Article: a, Excerpt: view.Excerpt, Text: view.Text, Cut: view.Cut, SiteName: site}
	if summary != nil && view.Summary != "" {
		summary.SummaryText = view.Summary
		s.Summary = summary
	}
	return s, nil
}

// ReadArticle returns what an audience may see of one article, or errs.NotFound.
func (d *Desk) ReadArticle(ctx context.Context, id string, to rights.Audience) (Shown, error) {
	a, err := d.GetArticle(ctx, id)
	if err != nil {
		return Shown{}, err
	}
	shown, err := d.Show(ctx, []Article{a}, to)
	if err != nil {
		return Shown{}, err
	}
	return shown[0], nil
}

// view asks what may be shown of an article and its summary. No site has declared a
// basis yet.
func (d *Desk) view(ctx context.Context, a *Article, s *Summary, to rights.Audience) (rights.View, error) {
	w := rights.Work{Basis: rights.Quotation, Text: a.BodyPlain}
	if s != nil {
		w.Summary, w.Extractive = s.SummaryText, s.Extractive
	}
	// The table has how a long text begins, which does unless all of it is shown or
	// a summary in other words is held against it.
	if a.S3BodyKey != "" && (to == rights.Staff || s != nil && !s.Extractive) {
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
