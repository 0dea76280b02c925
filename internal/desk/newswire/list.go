package newswire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/errs"
	"pressroom/internal/outbound"
	"pressroom/model"
)

// Pages and handlers use the desk without knowing what it stands on; these are
// the names for it.
type (
	// Page is a part of a list and the cursor of the next.
	Page[V any] = model.Page[V]
	// PageOptions say which part of a list is wanted.
	PageOptions = model.PageOptions
	// Outbound are the bounds and exceptions of requests to sites.
	Outbound = outbound.Options
)

// chained is a page of several lists, one after the other. The cursor is the
// name of a list and that list's own cursor.
func chained[T any](names []string, o PageOptions, list func(name string, o PageOptions) (Page[T], error)) (Page[T], error) {
	var page Page[T]
	limit := o.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	name, inner, _ := strings.Cut(o.Cursor, ".")
	if o.Cursor != "" {
		at := slices.Index(names, name)
		if at < 0 {
			return page, told(model.ErrCursor, "list")
		}
		names = names[at:]
	}
	for _, name := range names {
		// A full page only asks whether anything follows.
		part, err := list(name, PageOptions{Limit: max(limit-len(page.Items), 1), Cursor: inner})
		if err != nil {
			return page, err
		}
		inner = ""
		if len(page.Items) == limit {
			if len(part.Items) > 0 {
				page.Next = name + "."
				return page, nil
			}
			continue
		}
		page.Items = append(page.Items, part.Items...)
		if part.Next != "" {
			page.Next = name + "." + part.Next
			return page, nil
		}
	}
	return page, nil
}

// Runs is a page of the runs over all sites, the newest first. They are merged
// from the lists of all states; the cursor is the last run of the page.
func (d *Desk) Runs(ctx context.Context, o PageOptions) (Page[CrawlRun], error) {
	var page Page[CrawlRun]
	limit := o.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	started, id, _ := strings.Cut(o.Cursor, "_")
	if _, err := model.ParseTime(started); o.Cursor != "" && (err != nil || id == "") {
		return page, told(model.ErrCursor, "list runs")
	}
	last := CrawlRun{StartedAt: started, RunID: id}
	view, err := d.runs.View("RunsByStatus")
	if err != nil {
		return page, err
	}
	met := map[string]bool{}
	for _, status := range runStates {
		n := 0
		for run, err := range view.All(ctx, model.Values{"status": status}, model.Window{To: started}) {
			if err != nil {
				return page, told(err, "list runs")
			}
			// One that ends meanwhile is in two lists.
			if met[run.RunID] || o.Cursor != "" && newer(run, last) <= 0 {
				continue
			}
			met[run.RunID] = true
			page.Items = append(page.Items, run)
			if n++; n > limit {
				break
			}
		}
	}
	slices.SortFunc(page.Items, newer)
	if len(page.Items) > limit {
		page.Items = page.Items[:limit]
		end := page.Items[limit-1]
		page.Next = end.StartedAt + "_" + end.RunID
	}
	return page, nil
}

// newer orders runs, the newest first.
func newer(a, b CrawlRun) int {
	return cmp.Or(strings.Compare(b.StartedAt, a.StartedAt), strings.Compare(b.RunID, a.RunID))
}

// atOnce is how many items are asked for at the same time.
const atOnce = 8

// each calls get for every key, several at once, and collects what is there.
func each[T any](keys []string, get func(key string) (T, error)) (map[string]T, error) {
	found := make(map[string]T, len(keys))
	var mu sync.Mutex
	var failed error
	var all sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, key := range keys {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			v, err := get(key)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				found[key] = v
			case !errors.Is(err, errs.NotFound):
				failed = errors.Join(failed, err)
			}
		})
	}
	all.Wait()
	return found, failed
}

// presentSummaries returns the present summaries of articles, by the articles'
// ids; those that have none are not in it.
func (d *Desk) presentSummaries(ctx context.Context, articles []Article) (map[string]Summary, error) {
	var ids []string
	byID := map[string]*Article{}
	for i := range articles {
		if a := &articles[i]; a.SummaryID != "" && byID[a.ArticleID] == nil {
			byID[a.ArticleID] = a
			ids = append(ids, a.ArticleID)
		}
	}
	return each(ids, func(id string) (Summary, error) {
		s, has, err := d.summaryOf(ctx, byID[id])
		if err == nil && !has {
			err = fmt.Errorf("summary of %s: %w", id, errs.NotFound)
		}
		return s, err
	})
}

// SiteNames returns the names of the articles' sites by the sites' ids; sites that
// are gone are not in it.
func (d *Desk) SiteNames(ctx context.Context, articles []Article) (map[string]string, error) {
	return namesOf(d.sitesOf(ctx, articles))
}

// RunSiteNames is SiteNames for runs.
func (d *Desk) RunSiteNames(ctx context.Context, runs []CrawlRun) (map[string]string, error) {
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.SiteID)
	}
	return namesOf(d.sitesByID(ctx, ids))
}

func namesOf(sites map[string]Site, err error) (map[string]string, error) {
	names := make(map[string]string, len(sites))
	for id, s := range sites {
		names[id] = s.Name
	}
	return names, err
}

// sitesByID returns sites by their ids; those that are gone are not in it.
func (d *Desk) sitesByID(ctx context.Context, ids []string) (map[string]Site, error) {
	slices.Sort(ids)
	return each(slices.Compact(ids), func(id string) (Site, error) { return d.GetSite(ctx, id) })
}

// sitesOf returns the articles' sites by their ids; those that are gone are not in it.
func (d *Desk) sitesOf(ctx context.Context, articles []Article) (map[string]Site, error) {
	var ids []string
	for _, a := range articles {
		ids = append(ids, a.SiteID)
	}
	return d.sitesByID(ctx, ids)
}

// Met returns the articles that a run met, by their ids. Pages that were not
// fetched, and articles whose date changed since, are not in it.
func (d *Desk) Met(ctx context.Context, list []RunArticle) (map[string]Article, error) {
	keys := make([]model.Values, len(list))
	for i, m := range list {
		keys[i] = model.Values{"siteId": m.SiteID, "publishedAt": m.PublishedAt, "articleId": m.ArticleID}
	}
	articles, err := d.articles.BatchGet(ctx, keys)
	if err != nil {
		return nil, told(err, "list articles of a run")
	}
	found := make(map[string]Article, len(articles))
	for _, a := range articles {
		found[a.ArticleID] = a
	}
	return found, nil
}

// CountMax is the most that Counts counts of each kind.
const CountMax = 1000

// Counts are how many articles and retries wait; each at most CountMax, which
// stands for that many or more.
type Counts struct {
	Pending, SummaryFailed   int // articles
	RetryFetch, RetrySummary int
}

// Counts counts what waits, as far as CountMax.
func (d *Desk) Counts(ctx context.Context) (Counts, error) {
	var c Counts
	var failed [4]error
	var all sync.WaitGroup
	for i, list := range []struct {
		into          *int
		index, prefix string
	}{
		{&c.Pending, "GSI3", "STATUS#" + Pending}, {&c.SummaryFailed, "GSI3", "STATUS#" + SummaryFailed},
		{&c.RetryFetch, "GSI7", "RETRY#" + FailedFetch}, {&c.RetrySummary, "GSI7", "RETRY#" + FailedSummary},
	} {
		all.Go(func() { *list.into, failed[i] = d.count(ctx, list.index, list.prefix) })
	}
	all.Wait()
	return c, errors.Join(failed[:]...)
}

// count asks for a number alone: the items stay where they are.
func (d *Desk) count(ctx context.Context, index, partition string) (int, error) {
	in := &dynamodb.QueryInput{
		TableName: &d.table, IndexName: &index, Select: types.SelectCount,
		KeyConditionExpression:    new("#k = :k"),
		ExpressionAttributeNames:  map[string]string{"#k": index + "PK"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":k": &types.AttributeValueMemberS{Value: partition}},
	}
	n := 0
	for {
		in.Limit = new(int32(CountMax - n))
		out, err := d.db.Query(ctx, in)
		if err != nil {
			return n, told(err, "count %s", partition)
		}
		n += int(out.Count)
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil || n >= CountMax {
			return n, nil
		}
	}
}
