package newswire

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// The two things that can fail.
const (
	FailedFetch   = "fetch"
	FailedSummary = "summary"
)

// The states of a retry.
const (
	Waiting = "waiting"
	GivenUp = "given_up"
)

// How failures are tried again.
const (
	maxAttempts = 8
	firstPause  = time.Minute
	lastPause   = 6 * time.Hour
	retryDays   = 7
)

// Retry is something to try again: to fetch a page, or to summarise an article.
type Retry struct {
	ArticleID    string `dynamodbav:"articleId" json:"articleId"`
	FailureType  string `dynamodbav:"failureType" json:"failureType"`
	NextRetryAt  string `dynamodbav:"nextRetryAt" json:"nextRetryAt"`
	AttemptCount int    `dynamodbav:"attemptCount" json:"attemptCount"`
	LastError    string `dynamodbav:"lastError" json:"lastError"`
	FailureKind  string `dynamodbav:"failureKind" json:"failureKind,omitempty"` // of the last error: one of few
	CreatedAt    string `dynamodbav:"createdAt" json:"createdAt"`
	TTL          int64  `dynamodbav:"ttl" json:"-"`
	SiteID       string `dynamodbav:"siteId" json:"siteId,omitempty"`
	URL          string `dynamodbav:"url" json:"url,omitempty"`
	LeaseOwner   string `dynamodbav:"leaseOwner" json:"-"`
	LeaseUntil   string `dynamodbav:"leaseUntil" json:"-"`
	State        string `dynamodbav:"state" json:"state"` // waiting or given_up
}

func (r *Retry) key() model.Values { return retryKey(r.FailureType, r.ArticleID) }

func retryKey(kind, article string) model.Values {
	return model.Values{"failureType": kind, "articleId": article}
}

// backoff doubles from a minute to six hours, with jitter, so that what failed
// together is not tried again together.
func backoff(attempt int) time.Duration {
	pause := firstPause
	for range attempt - 1 {
		if pause *= 2; pause >= lastPause {
			pause = lastPause
			break
		}
	}
	return pause/2 + rand.N(pause/2+1)
}

// again counts a failure and says when to try next. After the last attempt, or if
// trying makes no sense, it is given up: it stays in sight, behind all others,
// until it expires.
func (d *Desk) again(r *Retry, kind, why string, later time.Duration, hopeless bool) {
	now := d.now()
	if r.CreatedAt == "" {
		r.CreatedAt = stamp(now)
	}
	expires := timeOf(r.CreatedAt).AddDate(0, 0, retryDays)
	r.TTL = expires.Unix()
	r.AttemptCount++
	r.FailureKind, r.LastError = kind, cutBytes(orElse(why, "unknown"), noteMax)
	r.LeaseOwner, r.LeaseUntil = "", ""
	r.State, r.NextRetryAt = Waiting, stamp(now.Add(max(backoff(r.AttemptCount), later)))
	if hopeless || r.AttemptCount >= maxAttempts {
		r.State, r.NextRetryAt = GivenUp, stamp(expires)
	}
}

// failed notes that a page was not fetched: in the log, in the run's counts if it
// may have been an article, and in the retry queue if it may work later. Feeds
// and the site's own page are asked for in the next run anyway.
func (c *crawl) failed(ctx context.Context, p pageItem, f failure) error {
	c.problem(f.event, LogLine{URL: p.URL, Status: f.status, Detail: f.detail})
	if p.Depth == 0 || p.Kind == kindFeed || p.Kind == kindSitemap {
		c.mu.Lock()
		if p.Depth == 0 {
			c.seedsFailed++
		}
		c.mu.Unlock()
		return c.finish(ctx, p, &answerTo{})
	}
	d := c.desk
	p = c.done(p, nil)
	p.Failures++
	pieces := []model.Piece{}
	if f.again {
		r, err := d.retries.Get(ctx, retryKey(FailedFetch, p.ArticleID))
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return told(err, "look up retry of %s", p.URL)
		}
		r.ArticleID, r.FailureType, r.SiteID, r.URL = p.ArticleID, FailedFetch, p.SiteID, p.URL
		d.again(&r, f.kind(), f.detail, f.later, false)
		pieces = append(pieces, d.retries.PutPiece(&r))
	} else if p.Failures > 1 {
		pieces = append(pieces, d.retries.DeletePiece(retryKey(FailedFetch, p.ArticleID)))
	}
	at := place{p.ArticleID, p.SiteID, orElse(p.PublishedAt, stamp(d.now()))}
	first, err := c.firstMeeting(ctx, at, "failed")
	if err != nil {
		return err
	}
	if first != nil {
		pieces = append(pieces, d.met.PutPiece(first))
	}
	pieces = append(pieces, d.pages.PutPiece(&p))
	if err := model.Transact(ctx, d.db, pieces...); err != nil {
		return err
	}
	if first != nil {
		c.met("failed")
	}
	return nil
}

// settled finishes a page for which nothing is left to be tried.
func (c *crawl) settled(ctx context.Context, p pageItem) error {
	if p.Failures > 0 {
		if err := c.desk.retries.Delete(ctx, retryKey(FailedFetch, p.ArticleID)); err != nil {
			return told(err, "settle %s", p.URL)
		}
		p.Failures = 0
	}
	return c.finish(ctx, p, nil)
}

// retryLease is how long one attempt may take.
const retryLease = 10 * time.Minute

// claimRetry takes a retry for this process; false if another has it, or it is
// gone.
func (d *Desk) claimRetry(ctx context.Context, r *Retry) (bool, error) {
	now := d.now()
	same := expression.Name("attemptCount").Equal(expression.Value(r.AttemptCount)).And(expression.Name("state").Equal(expression.Value(Waiting)))
	_, err := d.retries.Update(ctx, r.key(), leased.Take(d.owner, now.Add(retryLease)), leased.Free(now), same)
	if errors.Is(err, model.ErrCondition) || errors.Is(err, model.ErrNotFound) {
		return false, nil
	}
	return err == nil, told(err, "claim retry of %s", r.ArticleID)
}

// due returns retries of a kind that are due, the first due first.
func (d *Desk) due(ctx context.Context, kind string, limit int) ([]Retry, error) {
	v, err := d.retries.View("RetryBacklog")
	if err != nil {
		return nil, err
	}
	var list []Retry
	for r, err := range v.All(ctx, model.Values{"failureType": kind}, model.Window{To: stamp(d.now())}) {
		if err != nil {
			return nil, told(err, "list due retries")
		}
		if r.State == Waiting {
			list = append(list, r)
		}
		if len(list) >= limit {
			break
		}
	}
	return list, nil
}

// RetryFetches tries again to fetch pages that are due, at most limit of them, and
// returns how many it tried. Sites that are being crawled, paused or gone are left
// alone; their retries wait.
func (d *Desk) RetryFetches(ctx context.Context, limit int) (int, error) {
	list, err := d.due(ctx, FailedFetch, limit)
	if err != nil {
		return 0, err
	}
	bySite := map[string][]Retry{}
	var order []string
	for _, r := range list {
		if err := d.locate(ctx, &r); err != nil {
			return 0, err
		}
		if bySite[r.SiteID] == nil {
			order = append(order, r.SiteID)
		}
		bySite[r.SiteID] = append(bySite[r.SiteID], r)
	}
	tried := 0
	for _, site := range order {
		n, err := d.retrySite(ctx, site, bySite[site])
		tried += n
		if err != nil {
			return tried, err
		}
	}
	return tried, nil
}

func (d *Desk) retrySite(ctx context.Context, id string, list []Retry) (int, error) {
	site, err := d.GetSite(ctx, id)
	if errors.Is(err, errs.NotFound) {
		return 0, nil
	}
	if err != nil || site.Paused {
		return 0, err
	}
	held, release, err := d.claimSite(ctx, id)
	if err != nil {
		if errs.KindOf(err) == errs.Conflict {
			return 0, nil
		}
		return 0, err
	}
	defer release()
	c := &crawl{
		desk: d, site: site, scope: site.scope(), loc: site.zone(), robots: newRobots(d),
		seen: map[pageID]bool{}, log: &runLog{desk: d},
	}
	if err := c.listen(held); err != nil {
		return 0, err
	}
	tried := 0
	for i := range list {
		mine, err := d.claimRetry(held, &list[i])
		if err != nil {
			return tried, err
		}
		if !mine {
			continue
		}
		tried++
		if err := c.retry(held, &list[i]); err != nil {
			return tried, err
		}
	}
	return tried, nil
}

// retry visits the page again; the visit itself resolves the retry or counts
// another failure.
func (c *crawl) retry(ctx context.Context, r *Retry) error {
	p, err := c.desk.pages.Get(ctx, model.Values{"siteId": r.SiteID, "urlHash": sum(r.URL)})
	if errors.Is(err, model.ErrNotFound) {
		// Another program has fetched the article, so that the address is not known here.
		a, found := c.desk.GetArticle(ctx, r.ArticleID)
		if found != nil || a.ours() {
			return told(c.desk.retries.Delete(ctx, r.key()), "drop retry of %s", r.URL)
		}
		p, err = pageItem{SiteID: r.SiteID, URLHash: sum(r.URL), URL: r.URL, ArticleID: r.ArticleID, Kind: kindArticle, State: "queued", Place: stamp(c.desk.now()), Depth: c.desk.opt.MaxDepth}, nil
	}
	if err != nil {
		return told(err, "look up %s", r.URL)
	}
	p.Failures = max(p.Failures, 1)
	err = c.visit(ctx, p)
	var later *errLater
	if errors.As(err, &later) {
		c.desk.again(r, "asked to wait", later.Error(), later.until.Sub(c.desk.now()), false)
		return told(c.desk.retries.Put(ctx, r), "put off retry of %s", r.URL)
	}
	return c.leaveResolved(ctx, p, err)
}

// leaveResolved removes a retry whose page was fetched and is no article.
func (c *crawl) leaveResolved(ctx context.Context, before pageItem, err error) error {
	if err != nil {
		return err
	}
	after, err := c.desk.pages.Get(ctx, before.key())
	if err != nil || after.Failures > before.Failures || after.Failures == 0 {
		return told(err, "look up %s", before.URL)
	}
	return c.settled(ctx, after)
}

// Retries is a page of the retries of a kind, by article; given-up ones too.
func (d *Desk) Retries(ctx context.Context, kind string, o model.PageOptions) (model.Page[Retry], error) {
	if err := oneOf("failureType", kind, failures); err != nil {
		return model.Page[Retry]{}, err
	}
	p, err := d.retries.Page(ctx, "RetriesByArticle", model.Values{"failureType": kind}, o)
	return p, told(err, "list retries")
}

// RetryBacklog is a page of the retries of a kind, the first due first; "" is
// those of both, kind by kind.
func (d *Desk) RetryBacklog(ctx context.Context, kind string, o model.PageOptions) (model.Page[Retry], error) {
	if kind == "" {
		return chained(failures, o, func(kind string, o PageOptions) (Page[Retry], error) { return d.RetryBacklog(ctx, kind, o) })
	}
	if err := oneOf("failureType", kind, failures); err != nil {
		return model.Page[Retry]{}, err
	}
	p, err := d.retries.Page(ctx, "RetryBacklog", model.Values{"failureType": kind}, o)
	return p, told(err, "list retries")
}

// Requeue makes a retry due now, with all its attempts before it; also one that
// was given up. For a summary without a retry, the article is made pending again.
func (d *Desk) Requeue(ctx context.Context, kind, article string) error {
	if err := oneOf("failureType", kind, failures); err != nil {
		return err
	}
	r, err := d.retries.Get(ctx, retryKey(kind, article))
	if errors.Is(err, model.ErrNotFound) && kind == FailedSummary {
		return d.pendAgain(ctx, article)
	}
	if err != nil {
		return told(err, "requeue %s", article)
	}
	now := d.now()
	r.State, r.AttemptCount, r.NextRetryAt = Waiting, 0, stamp(now)
	r.CreatedAt, r.TTL = stamp(now), now.AddDate(0, 0, retryDays).Unix()
	r.LeaseOwner, r.LeaseUntil = "", ""
	return told(d.retries.Put(ctx, &r), "requeue %s", article)
}

// Drop removes a retry; what it was for stays failed.
func (d *Desk) Drop(ctx context.Context, kind, article string) error {
	if err := oneOf("failureType", kind, failures); err != nil {
		return err
	}
	if _, err := d.retries.Get(ctx, retryKey(kind, article)); err != nil {
		return told(err, "drop retry of %s", article)
	}
	return told(d.retries.Delete(ctx, retryKey(kind, article)), "drop retry of %s", article)
}
