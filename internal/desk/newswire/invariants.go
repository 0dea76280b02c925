package newswire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/model"
)

// Check looks at every item of the desk and reports what is not as it must be: an
// article without its guards, its archived page, its summary or its places in
// lists; a guard, a summary, an answer or a place in a list without its article; a
// run that counts what it did not meet; half a lease. It changes nothing, and may
// run while sites are crawled: what is under way, or was cut short and goes on
// later, is no finding.
func (d *Desk) Check(ctx context.Context, report func(where, what string)) error {
	table := Schema.Tables[0]
	table.Name = d.table
	return table.Audit(ctx, d.db, map[string]model.Promise{
		"Article":      model.PromiseOf(d.checkArticle),
		"Summary":      model.PromiseOf(d.checkSummary),
		"HashGuard":    model.PromiseOf(d.checkHash),
		"URLGuard":     model.PromiseOf(d.checkURL),
		"TopicArticle": model.PromiseOf(d.checkTopic),
		"Answer":       model.PromiseOf(d.checkAnswer),
		"CrawlRun":     model.PromiseOf(d.checkRun),
		"RunArticle":   model.PromiseOf(d.checkMeeting),
		"Retry":        model.PromiseOf(d.checkRetry),
		"Page":         model.PromiseOf(d.checkPage),
		"Lease":        model.PromiseOf(func(_ context.Context, l *lease) ([]string, error) { return halfLease(l.LeaseOwner, l.LeaseUntil), nil }),
		"Host": model.PromiseOf(func(_ context.Context, h *hostTurn) ([]string, error) {
			return halfLease(h.LeaseOwner, h.LeaseUntil), nil
		}),
	}, report)
}

// faults is what is wrong with one item.
type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// missing notes that something is not there, and lets other errors through.
func (f *faults) missing(err error, format string, args ...any) error {
	if errors.Is(err, model.ErrNotFound) || errors.Is(err, errs.NotFound) {
		f.add(format, args...)
		return nil
	}
	return err
}

// or answers the first error, or else what was found until then.
func (f *faults) or(lookups ...error) ([]string, error) {
	for _, err := range lookups {
		if err != nil {
			return nil, err
		}
	}
	return *f, nil
}

func halfLease(owner, until string) []string {
	if (owner == "") != (until == "") {
		return []string{"it has half a lease"}
	}
	return nil
}

// wantObject notes that an object is missing; "" names none.
func (d *Desk) wantObject(ctx context.Context, key, what string, f *faults) error {
	if key == "" {
		return nil
	}
	_, err := d.objects.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &d.bucket.Name, Key: &key})
	if isMissing(err) {
		f.add("its %s %s/%s is missing", what, d.bucket.Name, key)
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for %s: %w", key, err)
	}
	return nil
}

func (d *Desk) checkArticle(ctx context.Context, a *Article) ([]string, error) {
	var f faults
	if a.ours() && a.CanonicalHash != sum(a.URL, a.Title) {
		f.add("its canonicalHash is not that of its URL and title")
	}
	if a.URLHash != sum(a.URL) && a.URLHash != urlHash(a.URL) {
		f.add("its urlHash is not that of its URL")
	}
	if a.ours() && a.S3SnapshotKey == "" && rights.Decide(rights.Basis{}, a.Said, d.now()).May(rights.Copy) {
		f.add("the page that it was made of is not archived")
	}
	for _, key := range a.Picture.keys() {
		if err := d.wantObject(ctx, key, "copy of its picture", &f); err != nil {
			return nil, err
		}
	}
	return f.or(
		d.guarded(ctx, a, &f),
		d.wantObject(ctx, a.S3SnapshotKey, "archived page", &f),
		d.wantObject(ctx, a.S3BodyKey, "whole text", &f),
		d.summarised(ctx, a, &f),
		d.listed(ctx, a, &f),
	)
}

// guarded looks for the two guards of an article.
func (d *Desk) guarded(ctx context.Context, a *Article, f *faults) error {
	hash, err := d.hashes.Get(ctx, model.Values{"canonicalHash": a.CanonicalHash})
	switch {
	case !a.ours() && (a.CanonicalHash == "" || err == nil): // two of them may be of one page
		err = nil
	case err != nil:
		err = f.missing(err, "nothing guards its canonicalHash: it could be kept twice")
	case hash.place != a.place():
		f.add("its canonicalHash is guarded for article %s", hash.ArticleID)
	}
	if err != nil {
		return err
	}
	url, err := d.urls.Get(ctx, model.Values{"urlHash": a.URLHash})
	switch {
	case err != nil:
		return f.missing(err, "nothing guards its URL: it could be kept twice")
	case a.ours() && url.place != a.place():
		f.add("its URL is guarded for article %s", url.ArticleID)
	}
	return nil
}

// summarised looks for the summary that an article names.
func (d *Desk) summarised(ctx context.Context, a *Article, f *faults) error {
	switch {
	case a.Status == Summarized && a.SummaryID == "":
		f.add("it is summarized and names no summary")
	case a.ours() && a.Status == SummaryFailed && a.Note == "":
		f.add("its summary failed, and nothing says why")
	}
	if a.SummaryID == "" {
		return nil
	}
	all, err := d.Summaries(ctx, a.ArticleID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(s Summary) bool { return s.SummaryID == a.SummaryID }) {
		f.add("its summary %s is missing", a.SummaryID)
	}
	return nil
}

// listed looks for an article's places in lists of topics and months.
func (d *Desk) listed(ctx context.Context, a *Article, f *faults) error {
	for _, t := range a.Topics {
		_, err := d.topics.Get(ctx, model.Values{"topic": t, "publishedAt": a.PublishedAt, "articleId": a.ArticleID})
		if err := f.missing(err, "it is not listed under the topic %s", t); err != nil {
			return err
		}
	}
	if len(a.PublishedAt) < len("2006-01") {
		return nil
	}
	for _, list := range []string{allSites, a.Category} {
		if list == "" {
			continue
		}
		_, err := d.months.Get(ctx, model.Values{"list": list, "month": a.PublishedAt[:7]})
		if err := f.missing(err, "the list %s does not know that it has articles of %s", list, a.PublishedAt[:7]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Desk) checkSummary(ctx context.Context, s *Summary) ([]string, error) {
	var f faults
	_, err := d.GetArticle(ctx, s.ArticleID)
	return f.or(
		f.missing(err, "there is no article %s", s.ArticleID),
		d.wantObject(ctx, s.S3PromptKey, "prompt", &f),
		d.wantObject(ctx, s.S3ResponseKey, "response", &f),
	)
}

// at reads the article that something points to, which must be what holds says.
func (d *Desk) at(ctx context.Context, p place, holds func(*Article) bool, otherwise string) ([]string, error) {
	var f faults
	a, err := d.articles.Get(ctx, p.key())
	if err == nil && !holds(&a) {
		f.add("article %s %s", p.ArticleID, otherwise)
	}
	return f.or(f.missing(err, "there is no article %s of site %s at %s", p.ArticleID, p.SiteID, p.PublishedAt))
}

func (d *Desk) checkHash(ctx context.Context, g *hashGuard) ([]string, error) {
	return d.at(ctx, g.place, func(a *Article) bool { return a.CanonicalHash == g.CanonicalHash }, "has another canonicalHash")
}

func (d *Desk) checkURL(ctx context.Context, g *urlGuard) ([]string, error) {
	if g.Erased {
		return nil, nil
	}
	return d.at(ctx, g.place, func(a *Article) bool { return a.URLHash == g.URLHash }, "has another URL")
}

func (d *Desk) checkTopic(ctx context.Context, t *topicArticle) ([]string, error) {
	return d.at(ctx, t.place, func(a *Article) bool { return slices.Contains(a.Topics, t.Topic) }, "has not the topic "+t.Topic)
}

// checkAnswer looks for the summary that others are referred to.
func (d *Desk) checkAnswer(ctx context.Context, a *answer) ([]string, error) {
	f := faults(halfLease(a.LeaseOwner, a.LeaseUntil))
	if a.Number == 0 {
		return f, nil
	}
	_, err := d.summaries.Get(ctx, model.Values{"articleId": a.ArticleID, "number": strconv.Itoa(a.Number)})
	return f.or(f.missing(err, "there is no summary %d of article %s", a.Number, a.ArticleID))
}

// checkRun compares a run with what it met. One that a deleted site left behind
// was ended with the counts that it last wrote down, and perhaps without a log.
func (d *Desk) checkRun(ctx context.Context, r *CrawlRun) ([]string, error) {
	var f faults
	if (r.Status == Running) != (r.CompletedAt == "") {
		f.add("it is %s and ended at %q", r.Status, r.CompletedAt)
	}
	if d.expired(r.TTL) {
		return f, nil // it goes, and what it met goes with it
	}
	if r.Status == Running {
		newest, _, err := d.unfinished(ctx, r.SiteID)
		if err == nil && newest.RunID != r.RunID {
			f.add("it is running, and a later run %s of its site was begun", newest.RunID)
		}
		return f.or(err)
	}
	if r.EndsAt == "" {
		return f, nil // of another program, which does not say what it met
	}
	met := *r
	if err := d.recount(ctx, &met); err != nil {
		return nil, err
	}
	counted := [4]int{r.ProcessedCount, r.NewArticles, r.UpdatedArticles, r.FailedArticles}
	recorded := [4]int{met.ProcessedCount, met.NewArticles, met.UpdatedArticles, met.FailedArticles}
	for i, what := range []string{"", "new ", "updated ", "failed "} {
		if counted[i] > recorded[i] || counted[i] < recorded[i] && r.Status != Failed {
			f.add("it counts %d %sarticles, and met %d", counted[i], what, recorded[i])
		}
	}
	if r.Status == Failed {
		return f, nil
	}
	return f.or(d.wantObject(ctx, r.S3LogKey, "log", &f))
}

// expired reports whether something may be removed at any moment.
func (d *Desk) expired(ttl int64) bool { return ttl > 0 && !time.Unix(ttl, 0).After(d.now()) }

func (d *Desk) checkMeeting(ctx context.Context, m *RunArticle) ([]string, error) {
	if d.expired(m.TTL) {
		return nil, nil
	}
	var f faults
	_, err := d.GetRun(ctx, m.RunID)
	return f.or(f.missing(err, "there is no run %s", m.RunID))
}

// checkRetry looks at what is to be tried again. A page that is gone with its site
// is forgotten at the next try.
func (d *Desk) checkRetry(ctx context.Context, r *Retry) ([]string, error) {
	f := faults(halfLease(r.LeaseOwner, r.LeaseUntil))
	if r.FailureType != FailedSummary || d.expired(r.TTL) {
		return f, nil
	}
	_, err := d.GetArticle(ctx, r.ArticleID)
	return f.or(f.missing(err, "there is no article %s", r.ArticleID))
}

func (d *Desk) checkPage(ctx context.Context, p *pageItem) ([]string, error) {
	var f faults
	if p.URLHash != sum(p.URL) {
		f.add("its urlHash is not that of its URL")
	}
	_, err := d.sites.Get(ctx, siteKey(p.SiteID))
	return f.or(f.missing(err, "there is no site %s", p.SiteID))
}
