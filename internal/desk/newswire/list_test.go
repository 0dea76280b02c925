package newswire

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pressroom/internal/errs"
)

// pagesOf walks a list to its end.
func pagesOf[T any](t *testing.T, limit int, list func(PageOptions) (Page[T], error)) (all []T) {
	t.Helper()
	o := PageOptions{Limit: limit}
	for range 100 {
		page, err := list(o)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Items) > limit || len(page.Items) == 0 && len(all) > 0 {
			t.Fatalf("a page of %d, limit %d", len(page.Items), limit)
		}
		all = append(all, page.Items...)
		if o.Cursor = page.Next; o.Cursor == "" {
			return all
		}
	}
	t.Fatal("the list has no end")
	return nil
}

func TestChainedLists(t *testing.T) {
	d := newStores(t).desk(t, nil, nil)
	var want []string
	for _, category := range categories {
		for i := range 4 {
			id := fmt.Sprintf("%c%d", category[0], i)
			addSite(t, d, id, "site"+id+".example", func(s *Site) { s.Category = category })
			want = append(want, id)
		}
	}
	for limit := 1; limit <= 9; limit++ {
		var got []string
		for _, s := range pagesOf(t, limit, func(o PageOptions) (Page[Site], error) { return d.ListSites(t.Context(), "", o) }) {
			got = append(got, s.SiteID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %v, want %v", limit, got, want)
		}
	}
	for _, cursor := range []string{"x", "sports.", "news.x", "."} {
		if _, err := d.ListSites(t.Context(), "", PageOptions{Cursor: cursor}); err == nil || errs.KindOf(err) != errs.Malformed {
			t.Errorf("cursor %q: %v", cursor, err)
		}
	}
}

func TestRunsOfAll(t *testing.T) {
	stores := newStores(t)
	d := stores.desk(t, nil, nil)
	var want []string
	for i := range 13 {
		site := addSite(t, d, fmt.Sprintf("s%d", i), fmt.Sprintf("s%d.example", i), nil)
		run, err := d.newRun(t.Context(), &site, Manual, d.now())
		if err != nil {
			t.Fatal(err)
		}
		if status := runStates[i%4]; status != Running {
			if err := d.finishRun(t.Context(), &run, status); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, run.RunID)
		if i%3 == 0 { // some begin in the same millisecond
			stores.clock.forward(time.Second)
		}
	}
	slices.Reverse(want)
	for _, limit := range []int{1, 2, 5, 13, 20} {
		var got []string
		for _, r := range pagesOf(t, limit, func(o PageOptions) (Page[CrawlRun], error) { return d.Runs(t.Context(), o) }) {
			got = append(got, r.RunID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %v, want %v", limit, got, want)
		}
	}
	if _, err := d.Runs(t.Context(), PageOptions{Cursor: "yesterday_1"}); !errors.Is(err, errs.Malformed) {
		t.Errorf("a forged cursor: %v", err)
	}
	names, err := d.RunSiteNames(t.Context(), []CrawlRun{{SiteID: "s1"}, {SiteID: "s1"}, {SiteID: "gone"}})
	if err != nil || len(names) != 1 || names["s1"] != "S1" {
		t.Errorf("names: %v, %v", names, err)
	}
}

func TestCounts(t *testing.T) {
	w := newWorld(t)
	w.host("paper.example", map[string]any{
		"/": list("/a", "/b", "/c"), "/a": newsPage("A", "2026-11-01T00:00:00Z"), "/b": newsPage("B", "2026-11-02T00:00:00Z"),
	})
	d := newStores(t).desk(t, w, nil)
	addSite(t, d, "paper", "paper.example", nil)
	run, err := d.Crawl(t.Context(), "paper", CrawlOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if run.PagesDone != run.PagesQueued || run.PagesDone < 4 {
		t.Errorf("pages: %d of %d", run.PagesDone, run.PagesQueued)
	}
	counts, err := d.Counts(t.Context())
	if want := (Counts{Pending: 2}); err != nil || counts != want {
		t.Errorf("%+v, %v, want %+v", counts, err, want)
	}
	met, err := d.ArticlesOfRun(t.Context(), run.RunID, PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	articles, err := d.Met(t.Context(), met.Items)
	if err != nil || len(articles) != 2 {
		t.Errorf("met: %v, %v", articles, err)
	}
	if summaries, err := d.presentSummaries(t.Context(), []Article{{ArticleID: "x", SummaryID: "gone"}, {ArticleID: "y"}}); err != nil || len(summaries) != 0 {
		t.Errorf("summaries: %v, %v", summaries, err)
	}
}
