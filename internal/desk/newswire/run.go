package newswire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// The states of a run, and what sets one off.
const (
	Running = "running"
	Success = "success"
	Partial = "partial"
	Failed  = "failed"

	Scheduled = "schedule"
	Manual    = "manual"
)

// runDays is how long runs are kept.
const runDays = 90

// CrawlRun is one run over a site.
type CrawlRun struct {
	RunID           string `dynamodbav:"runId" json:"runId"`
	SiteID          string `dynamodbav:"siteId" json:"siteId"`
	TriggerType     string `dynamodbav:"triggerType" json:"triggerType"`
	StartedAt       string `dynamodbav:"startedAt" json:"startedAt"`
	CompletedAt     string `dynamodbav:"completedAt" json:"completedAt,omitempty"`
	Status          string `dynamodbav:"status" json:"status"`
	ProcessedCount  int    `dynamodbav:"processedCount" json:"processedCount"` // articles
	NewArticles     int    `dynamodbav:"newArticles" json:"newArticles"`
	FailedArticles  int    `dynamodbav:"failedArticles" json:"failedArticles"`
	ErrorSummary    string `dynamodbav:"errorSummary" json:"errorSummary,omitempty"`
	LambdaRequestID string `dynamodbav:"lambdaRequestId" json:"lambdaRequestId,omitempty"`
	S3LogKey        string `dynamodbav:"s3LogKey" json:"s3LogKey,omitempty"`
	TTL             int64  `dynamodbav:"ttl" json:"-"`
	UpdatedArticles int    `dynamodbav:"updatedArticles" json:"updatedArticles"`
	Requests        int    `dynamodbav:"requests" json:"requests"`
	EndsAt          string `dynamodbav:"endsAt" json:"endsAt,omitempty"` // when it must stop
	PagesQueued     int    `dynamodbav:"pagesQueued" json:"pagesQueued"`
	PagesDone       int    `dynamodbav:"pagesDone" json:"pagesDone"` // of those that were queued
}

func (r *CrawlRun) key() model.Values {
	return model.Values{"siteId": r.SiteID, "startedAt": r.StartedAt}
}

// newRun writes a run as running, so that a crash shows.
func (d *Desk) newRun(ctx context.Context, site *Site, trigger string, ends time.Time) (CrawlRun, error) {
	now := d.now()
	run := CrawlRun{
		RunID: d.ids.New(), SiteID: site.SiteID, TriggerType: trigger, StartedAt: stamp(now), Status: Running,
		TTL: now.AddDate(0, 0, runDays).Unix(), EndsAt: stamp(ends),
	}
	var err error
	if run.S3LogKey, err = d.objectKey("Log", model.Values{"runId": run.RunID}); err != nil {
		return run, err
	}
	return run, told(d.runs.Create(ctx, &run), "begin run of %s", site.SiteID)
}

// saveCounts writes down how far a run is, for whoever watches it.
func (d *Desk) saveCounts(ctx context.Context, r CrawlRun) error {
	update := expression.Set(expression.Name("processedCount"), expression.Value(r.ProcessedCount)).
		Set(expression.Name("newArticles"), expression.Value(r.NewArticles)).
		Set(expression.Name("failedArticles"), expression.Value(r.FailedArticles)).
		Set(expression.Name("updatedArticles"), expression.Value(r.UpdatedArticles)).
		Set(expression.Name("requests"), expression.Value(r.Requests)).
		Set(expression.Name("pagesQueued"), expression.Value(r.PagesQueued)).
		Set(expression.Name("pagesDone"), expression.Value(r.PagesDone))
	_, err := d.runs.Update(ctx, r.key(), update, expression.Name("status").Equal(expression.Value(Running)))
	return told(err, "save counts of run %s", r.RunID)
}

// finishRun writes the end of a run, once.
func (d *Desk) finishRun(ctx context.Context, r *CrawlRun, status string) error {
	r.Status, r.CompletedAt = status, stamp(d.now())
	r.ErrorSummary = cutBytes(r.ErrorSummary, noteMax)
	return told(d.runs.Put(ctx, r, expression.Name("status").Equal(expression.Value(Running))), "finish run %s", r.RunID)
}

// unfinished returns the run of a site that a process left behind.
func (d *Desk) unfinished(ctx context.Context, site string) (CrawlRun, bool, error) {
	for run, err := range d.runs.All(ctx, "RunsOfSite", siteKey(site)) {
		if err != nil {
			return CrawlRun{}, false, told(err, "look for runs of %s", site)
		}
		return run, run.Status == Running, nil // the newest is the only one that can be
	}
	return CrawlRun{}, false, nil
}

// recount restores the counts of a run from the articles that it met.
func (d *Desk) recount(ctx context.Context, r *CrawlRun) error {
	r.ProcessedCount, r.NewArticles, r.UpdatedArticles, r.FailedArticles = 0, 0, 0, 0
	for m, err := range d.met.All(ctx, "ArticlesOfRun", model.Values{"runId": r.RunID}) {
		if err != nil {
			return told(err, "count articles of run %s", r.RunID)
		}
		r.count(m.Outcome)
	}
	return nil
}

func (r *CrawlRun) count(outcome string) {
	r.ProcessedCount++
	switch outcome {
	case "new":
		r.NewArticles++
	case "updated":
		r.UpdatedArticles++
	case "failed":
		r.FailedArticles++
	}
}

// lease says which process crawls a site.
type lease struct {
	SiteID     string `dynamodbav:"siteId"`
	LeaseOwner string `dynamodbav:"leaseOwner"`
	LeaseUntil string `dynamodbav:"leaseUntil"`
}

// leased are the attributes of every lease of the desk.
var leased = model.Lease{Owner: "leaseOwner", Until: "leaseUntil"}

// claimSite makes the caller the only one, in all processes, who crawls a site.
// It is errs.Conflict if someone else does. held is the context of the work, which
// ends with model.ErrLost when another process has taken over; the guards keep
// articles single even then. The release may be called once.
func (d *Desk) claimSite(ctx context.Context, site string) (held context.Context, release func(), err error) {
	owner := d.ids.New()
	_, err = d.leases.Upsert(ctx, siteKey(site), leased.Take(owner, d.now().Add(d.opt.Lease)), leased.Free(d.now()))
	if errors.Is(err, model.ErrCondition) {
		return nil, nil, errs.Wrap(err, errs.Conflict, "%s is being crawled; wait until that is done", site)
	}
	if err != nil {
		return nil, nil, told(err, "claim site %s", site)
	}
	held, stop := model.Keep(ctx, model.Holding{For: d.opt.Lease, Extend: func(ctx context.Context) error {
		_, err := d.leases.Update(ctx, siteKey(site), leased.Extend(d.now().Add(d.opt.Lease)), leased.Mine(owner))
		if err != nil && ctx.Err() == nil {
			d.opt.Log.Warn("newswire: a lease was not extended", "site", site, "error", err)
		}
		return err
	}})
	return held, func() {
		stop()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err := d.leases.Delete(ctx, siteKey(site), leased.Mine(owner))
		if err != nil && !errors.Is(err, model.ErrCondition) {
			d.opt.Log.Warn("newswire: a lease was not given back; it ends by itself", "site", site, "error", err)
		}
	}, nil
}

// isCrawled reports whether a process has the site right now.
func (d *Desk) isCrawled(ctx context.Context, site string) (bool, error) {
	l, err := d.leases.Get(ctx, siteKey(site))
	if errors.Is(err, model.ErrNotFound) {
		return false, nil
	}
	return err == nil && l.LeaseUntil >= stamp(d.now()), told(err, "get lease of %s", site)
}

func cutBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n]
}

// GetRun returns a run by its id, or errs.NotFound.
func (d *Desk) GetRun(ctx context.Context, id string) (CrawlRun, error) {
	if id == "" {
		return CrawlRun{}, fmt.Errorf("get run: %w", errs.NotFound)
	}
	v, err := d.runs.View("GetRun")
	if err != nil {
		return CrawlRun{}, err
	}
	run, err := v.One(ctx, model.Values{"runId": id})
	return run, told(err, "get run %s", id)
}

// RunsOfSite is a page of a site's runs, the newest first.
func (d *Desk) RunsOfSite(ctx context.Context, site string, o model.PageOptions) (model.Page[CrawlRun], error) {
	p, err := d.runs.Page(ctx, "RunsOfSite", siteKey(site), o)
	return p, told(err, "list runs of %s", site)
}

// RunsByStatus is a page of the runs in a state, the newest first.
func (d *Desk) RunsByStatus(ctx context.Context, status string, o model.PageOptions) (model.Page[CrawlRun], error) {
	if err := oneOf("status", status, runStates); err != nil {
		return model.Page[CrawlRun]{}, err
	}
	p, err := d.runs.Page(ctx, "RunsByStatus", model.Values{"status": status}, o)
	return p, told(err, "list %s runs", status)
}

// ArticlesOfRun is a page of what a run met.
func (d *Desk) ArticlesOfRun(ctx context.Context, run string, o model.PageOptions) (model.Page[RunArticle], error) {
	p, err := d.met.Page(ctx, "ArticlesOfRun", model.Values{"runId": run}, o)
	return p, told(err, "list articles of run %s", run)
}

// RunLog returns a run's log, NDJSON; errs.NotFound if it has none yet.
func (d *Desk) RunLog(ctx context.Context, run string) ([]byte, error) {
	key, err := d.objectKey("Log", model.Values{"runId": run})
	if err != nil {
		return nil, fmt.Errorf("log of run: %w", errs.NotFound)
	}
	body, err := d.get(ctx, key)
	if isMissing(err) {
		return nil, fmt.Errorf("log of run %s: %w", run, errs.NotFound)
	}
	return body, err
}

func oneOf(field, value string, values []string) error {
	for _, v := range values {
		if v == value {
			return nil
		}
	}
	return errs.Validation(errs.Field{Name: field, Message: fmt.Sprintf("must be one of %v", values)})
}
