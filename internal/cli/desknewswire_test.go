package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/ops"
	"pressroom/llm/builtin"
	"pressroom/model/deploy"
)

// testNewswire is a newswire on memory, and a world of sites that all have one article.
// It waits as long as they take.
func testNewswire(t *testing.T, world http.Handler) *newswire.Desk {
	t.Helper()
	server := httptest.NewServer(world)
	t.Cleanup(server.Close)
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	store, err := blob.Open("blobs", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(store.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	objects := blob.Client(store)
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db, Objects: objects}, nil, newswire.Schema); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(server.URL, "http://")
	d, err := newswire.New(db, objects, &newswire.Options{Log: quiet, Model: builtin.New(), Outbound: &newswire.Outbound{Allow: []string{host}, Timeout: time.Hour, HeaderTimeout: time.Hour}})
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
	jobs := map[string]ops.Job{}
	for _, j := range newswireJobs(d, crawls) {
		jobs[j.Name] = j
	}
	do := func(name string) {
		t.Helper()
		if err := jobs[name].Run(t.Context(), &ops.Progress{}); err != nil {
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
	eventually(t, "quick is crawled", func() bool { return last("quick") == newswire.Success })
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
