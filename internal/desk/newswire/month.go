package newswire

import (
	"context"
	"errors"
	"iter"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/model"
)

// Months yields the months in which there are articles, the newest first, in the
// form 2026-11.
func (d *Desk) Months(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		view, err := d.months.View("Months")
		if err != nil {
			yield("", err)
			return
		}
		for m, err := range view.All(ctx, model.Values{"list": allSites}, model.Window{}) {
			if !yield(m.Month, told(err, "list months")) || err != nil {
				return
			}
		}
	}
}

// OfMonth yields the articles of a month that readers may know of, the newest first.
// What is no month is errs.NotFound.
func (d *Desk) OfMonth(ctx context.Context, month string) iter.Seq2[Article, error] {
	return func(yield func(Article, error) bool) {
		if !monthForm.MatchString(month) {
			yield(Article{}, errs.New(errs.NotFound, "There is no such month."))
			return
		}
		sites := map[string]Site{}
		for a, err := range d.articles.All(ctx, "GlobalFeed", model.Values{"publishedAt": month + "-01T00:00:00.000Z"}) {
			site, known := sites[a.SiteID]
			if err == nil && !known {
				if site, err = d.GetSite(ctx, a.SiteID); errors.Is(err, errs.NotFound) {
					err = nil
				}
				sites[a.SiteID] = site
			}
			if err == nil && !d.decide(&site, &a).May(rights.Keep) {
				continue
			}
			if !yield(a, told(err, "list articles of %s", month)) || err != nil {
				return
			}
		}
	}
}
