package newswiredesk

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pressroom/internal/desk/desktest"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/ops"
	"pressroom/llm/builtin"
	"pressroom/model/modeltest"
)

var quiet = slog.New(slog.DiscardHandler)

// testNewswire is a newswire on memory, and a world of sites that all have one article.
// It waits as long as they take.
func testNewswire(t *testing.T, world http.Handler) *newswire.Desk {
	t.Helper()
	server := httptest.NewServer(world)
	t.Cleanup(server.Close)
	stores := modeltest.OpenStores(t, nil, newswire.Schema)
	host := strings.TrimPrefix(server.URL, "http://")
	d, err := newswire.New(desktest.NoScans{DB: stores.Tables}, stores.Objects, &newswire.Options{Log: quiet, Model: builtin.New(), Outbound: &newswire.Outbound{Allow: []string{host}, Timeout: time.Hour, HeaderTimeout: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	for _, id := range []string{"quick", "slow", "paused", "hand"} {
		s := newswire.Site{SiteID: id, Name: id, Category: "news", BaseURL: server.URL + "/" + id + "/", AllowedPaths: []string{"/" + id + "/"}, Paused: id == "paused"}
		if id != "hand" {
			s.CrawlWindows = []newswire.Window{{Start: "00:00", End: "00:00"}} // the whole day
		}
		if err := d.CreateSite(t.Context(), &s); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// The jobs crawl what is due and nothing else; a slow site keeps no other waiting,
// and ends with the process.
func TestNewswireJobs(t *testing.T) {
	text := strings.Repeat("<p>The council agreed on a budget for roads, schools and the harbour, after a debate of six hours about bridges.</p>", 8)
	d := testNewswire(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case strings.HasPrefix(r.URL.Path, "/slow/"):
			<-r.Context().Done()
		case strings.HasSuffix(r.URL.Path, "/story"):
			fmt.Fprintf(w, `<head><title>Story</title><meta property="og:type" content="article"></head><article><h1>Story</h1>%s</article>`, text)
		case strings.HasSuffix(r.URL.Path, "/"):
			fmt.Fprintf(w, `<title>Paper</title><a href="%sstory">Story</a>`, r.URL.Path)
		default:
			http.NotFound(w, r)
		}
	}))
	crawls := &scheduledCrawls{desk: d, log: quiet, slots: make(chan struct{}, 8)}
	crawls.ctx, crawls.stop = context.WithCancel(context.Background())
	byName := map[string]ops.Job{}
	for _, j := range jobs(d, crawls) {
		byName[j.Name] = j
	}
	do := func(name string) {
		t.Helper()
		if err := byName[name].Run(t.Context(), &ops.Progress{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	do("newswire-crawl") // returns, although slow does not answer
	last := func(site string) (status string) {
		runs, err := d.RunsOfSite(t.Context(), site, newswire.PageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(runs.Items) == 0 {
			return ""
		}
		if len(runs.Items) > 1 {
			t.Errorf("%s has %d runs in one window", site, len(runs.Items))
		}
		return runs.Items[0].Status
	}
	desktest.Eventually(t, "quick is crawled", func() bool { return last("quick") == newswire.Success })
	do("newswire-crawl") // nothing more is due
	if got := last("slow") + last("paused") + last("hand"); got != newswire.Running {
		t.Errorf("slow, paused and hand are %q", got)
	}
	do("newswire-retry")
	do("newswire-summarise")
	do("newswire-export")
	page, err := d.Latest(t.Context(), "quick", newswire.PageOptions{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Status != newswire.Summarized {
		t.Errorf("articles: %+v, %v", page.Items, err)
	}
	crawls.close()
	if got := last("slow"); got != newswire.Running {
		t.Errorf("a crawl that was cut off is %s, and is not gone on with", got)
	}
}

// A site whose articles cannot be fetched shows as retries with their reason, and
// its crawl as work.
func TestQueues(t *testing.T) {
	d := testNewswire(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/quick/":
			_, _ = w.Write([]byte(`<html><body><a href="/quick/2026/11/one-long-headline-of-an-article">one</a></body></html>`))
		case "/robots.txt":
			http.NotFound(w, r)
		default:
			http.Error(w, "down", http.StatusServiceUnavailable)
		}
	}))
	source := queues(d)
	if r, q := desktest.Queue(t, source, "newswire fetches"); q.Items["retrying"] != 0 || len(r.Works) != 0 {
		t.Errorf("before: %+v, %+v", q, r.Works)
	}
	if _, err := d.Crawl(t.Context(), "quick", newswire.CrawlOptions{}); err != nil {
		t.Fatal(err)
	}
	r, q := desktest.Queue(t, source, "newswire fetches")
	if q.Items["retrying"] != 1 || len(r.Failures) != 1 || r.Failures[0].Queue != "newswire fetches" || r.Failures[0].Example == "" {
		t.Errorf("one page is to be fetched again: %+v, %+v", q, r.Failures)
	}
	if len(r.Works) != 1 || r.Works[0].Subject != "quick" || r.Works[0].State == "" || r.Works[0].Ended.IsZero() {
		t.Errorf("crawls: %+v", r.Works)
	}
}
