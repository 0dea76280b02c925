package newswireapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
)

func (s *service) runs(a *api.API) {
	api.Post(a, "/crawls", auth.Operator, api.Op{
		ID: "crawlSite", Summary: "Crawl a site now, whatever its windows say", Scope: "newswire", Tags: []string{"newswire"}, Fails: []errs.Kind{errs.Conflict},
		Doc: "It is answered when the crawl begins; Location is its run, which shows how far it is. A site that is being crawled is a conflict.",
	}, s.crawl)
	api.Get(a, "/newswire/runs", auth.Operator, api.Op{
		ID: "listRuns", Summary: "Runs over all sites, the newest first",
		Doc: "With a site or a status, those runs. Not both. Runs are kept for 90 days.",
	}, s.listRuns)
	api.Get(a, "/newswire/runs/{id}", auth.Operator, api.Op{ID: "getRun", Summary: "A run: its counts, and how it ended"}, s.getRun)
	api.Get(a, "/newswire/runs/{id}/articles", auth.Operator, api.Op{ID: "listRunArticles", Summary: "The articles that a run met, and what came of them"}, s.runArticles)
	api.Get(a, "/newswire/runs/{id}/log", auth.Operator, api.Op{
		ID: "getRunLog", Summary: "The log of a run, line by line",
		Doc: "While the run goes on, the log grows: the cursor of the last page is null and the same page may have more lines later.",
	}, s.runLog)
}

// CrawlInput says what to crawl.
type CrawlInput struct {
	Site string `json:"siteId" min:"1" max:"63"`
}

func (s *service) crawl(ctx context.Context, in *struct{ Body CrawlInput }) (*api.Accepted[newswire.CrawlRun], error) {
	if err := s.record(ctx, "crawl", "site "+in.Body.Site, ""); err != nil {
		return nil, err
	}
	run, err := s.desk.Start(ctx, in.Body.Site, newswire.CrawlOptions{Trigger: newswire.Manual})
	if errors.Is(err, errs.NotFound) {
		return nil, errs.Validation(errs.Field{Name: "siteId", Message: "is no site"})
	}
	if err != nil {
		return nil, err
	}
	return &api.Accepted[newswire.CrawlRun]{Location: "/newswire/runs/" + run.RunID, Body: run}, nil
}

func (s *service) listRuns(ctx context.Context, in *struct {
	api.Page
	Site   string `query:"site" max:"63" doc:"only over this site"`
	Status string `query:"status" enum:"running,success,partial,failed"`
}) (*api.List[newswire.CrawlRun], error) {
	if err := single("site", in.Site, "status", in.Status); err != nil {
		return nil, err
	}
	o := options(in.Page)
	switch {
	case in.Site != "":
		return list(s.desk.RunsOfSite(ctx, in.Site, o))
	case in.Status != "":
		return list(s.desk.RunsByStatus(ctx, in.Status, o))
	}
	return list(s.desk.Runs(ctx, o))
}

func (s *service) getRun(ctx context.Context, in *byID) (*newswire.CrawlRun, error) {
	run, err := s.desk.GetRun(ctx, in.ID)
	return &run, err
}

func (s *service) runArticles(ctx context.Context, in *struct {
	api.Page
	byID
}) (*api.List[newswire.RunArticle], error) {
	if _, err := s.desk.GetRun(ctx, in.ID); err != nil {
		return nil, err
	}
	return list(s.desk.ArticlesOfRun(ctx, in.ID, options(in.Page)))
}

func (s *service) runLog(ctx context.Context, in *struct {
	api.Page
	byID
}) (*api.List[newswire.LogLine], error) {
	if _, err := s.desk.GetRun(ctx, in.ID); err != nil {
		return nil, err
	}
	from := 0
	if in.Cursor != "" {
		var err error
		if from, err = strconv.Atoi(in.Cursor); err != nil || from < 0 {
			return nil, &errs.Error{Kind: errs.Malformed, Fields: []errs.Field{{Name: "cursor", Message: "is no cursor of this list"}}}
		}
	}
	text, err := s.desk.RunLog(ctx, in.ID)
	if err != nil && !errors.Is(err, errs.NotFound) {
		return nil, err
	}
	answer := &api.List[newswire.LogLine]{Items: []newswire.LogLine{}}
	n := 0
	for raw := range bytes.Lines(text) {
		if n++; n <= from {
			continue
		}
		if len(answer.Items) == in.Limit {
			answer.NextCursor = strconv.Itoa(n - 1)
			break
		}
		var line newswire.LogLine
		if err := json.Unmarshal(raw, &line); err != nil {
			return nil, err
		}
		answer.Items = append(answer.Items, line)
	}
	return answer, nil
}
