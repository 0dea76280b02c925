// Package crawlbench holds the newswire's crawler against colly, on one site on
// loopback, in one run. It is a module of its own, so that colly is none of the
// product's dependencies.
//
//	cd .ci/crawlbench && go test -bench . -benchtime 5x
//
// colly fetches and parses. The newswire fetches, parses, extracts, archives and
// stores, on disk, with everything synced. Both have the same site and the same
// number of requests in flight, and take turns, so that both meet the machine in
// the same mood. What is measured is the crawl: an empty store is opened before,
// and closed after.
package crawlbench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/outbound"
	"pressroom/model/deploy"
)

var pages = flag.Int("pages", 1000, "articles of the site")

// site is a paper with sections of 50 articles each, of about 30 KB a page, as
// news pages are without their scripts.
func site(b testing.TB) *httptest.Server {
	b.Helper()
	furniture := strings.Repeat(`<div class="teaser"><img src="/img/x.jpg" alt=""><h3>Another headline of the day that is not the story</h3><p class="kicker">Section</p></div>`, 120)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var n int
		switch {
		case r.URL.Path == "/":
			for i := 0; i < *pages; i += 50 {
				_, _ = fmt.Fprintf(w, `<li><a href="/section/%d">Section</a></li>`, i)
			}
		case strings.HasPrefix(r.URL.Path, "/section/"):
			_, _ = fmt.Sscanf(r.URL.Path, "/section/%d", &n)
			for i := n; i < n+50 && i < *pages; i++ {
				_, _ = fmt.Fprintf(w, `<li><a href="/news/%d">Story</a></li>`, i)
			}
		case strings.HasPrefix(r.URL.Path, "/news/"):
			_, _ = fmt.Fprintf(w, `<!doctype html><html><head><title>Story %s</title><meta property="og:type" content="article"><meta property="article:published_time" content="2026-11-10T09:00:00Z"></head><body><aside>%s</aside><article><h1>Story %s</h1>`, r.URL.Path, furniture, r.URL.Path)
			for i := range 30 {
				_, _ = fmt.Fprintf(w, "<p>Paragraph %d of the story %s tells what the council decided about roads, schools, the harbour and the budget of the coming year, and who spoke against it.</p>", i, r.URL.Path)
			}
			_, _ = fmt.Fprint(w, "</article></body></html>")
		default:
			http.NotFound(w, r)
		}
	}))
	b.Cleanup(server.Close)
	return server
}

const workers = 16

// TestMain gives both what the binary takes: see cmd/pressroom.
func TestMain(m *testing.M) {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 2)
	}
	m.Run()
}

// cost is what crawls took.
type cost struct{ wall, cpu time.Duration }

// measure begins to measure; the returned function ends it.
func measure() func() cost {
	runtime.GC() // what others left behind is not this crawl's
	cpu, begun := used(), time.Now()
	return func() cost { return cost{time.Since(begun), used() - cpu} }
}

// used is the processor time of the process so far.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCrawl crawls the site with both, in turns, and reports the medians.
func BenchmarkCrawl(b *testing.B) {
	server := site(b)
	var theirs, ours []cost
	for b.Loop() {
		theirs = append(theirs, withColly(b, server.URL))
		run, c := crawl(b, server.URL, b.TempDir())
		if run.NewArticles != *pages {
			b.Fatalf("%+v", run)
		}
		ours = append(ours, c)
	}
	slower, faster := rate(theirs), rate(ours)
	b.ReportMetric(slower, "colly-articles/s")
	b.ReportMetric(faster, "newswire-articles/s")
	b.ReportMetric(faster/slower, "times-as-fast")
	b.ReportMetric(median(theirs, func(c cost) time.Duration { return c.cpu })/float64(*pages)*1e6, "colly-cpu-µs/article")
	b.ReportMetric(median(ours, func(c cost) time.Duration { return c.cpu })/float64(*pages)*1e6, "newswire-cpu-µs/article")
	b.ReportMetric(0, "ns/op") // it is both together, and says nothing
}

func rate(costs []cost) float64 {
	return float64(*pages) / median(costs, func(c cost) time.Duration { return c.wall })
}

// median is in seconds.
func median(costs []cost, of func(cost) time.Duration) float64 {
	all := make([]time.Duration, 0, len(costs))
	for _, c := range costs {
		all = append(all, of(c))
	}
	slices.Sort(all)
	return all[len(all)/2].Seconds()
}

func withColly(b testing.TB, url string) cost {
	b.Helper()
	end := measure()
	var articles atomic.Int64
	c := colly.NewCollector(colly.Async(true))
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: workers}); err != nil {
		b.Fatal(err)
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	c.OnHTML("article", func(e *colly.HTMLElement) {
		if e.ChildText("h1") != "" && len(e.ChildText("p")) > 1000 {
			articles.Add(1)
		}
	})
	if err := c.Visit(url + "/"); err != nil {
		b.Fatal(err)
	}
	c.Wait()
	took := end()
	if articles.Load() != int64(*pages) {
		b.Fatalf("%d articles", articles.Load())
	}
	return took
}

func crawl(b testing.TB, url, dir string) (newswire.CrawlRun, cost) {
	b.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := dynamo.Open(filepath.Join(dir, "tables"), &dynamo.Options{Logger: log})
	if err != nil {
		b.Fatal(err)
	}
	objects, err := blob.Open(filepath.Join(dir, "objects"), &blob.Options{SweepEvery: -1, Log: log})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := errors.Join(db.Close(), objects.Close()); err != nil {
			b.Fatal(err)
		}
	}()
	ctx := context.Background()
	if err := deploy.Apply(ctx, deploy.Store{Tables: db, Objects: blob.Client(objects)}, nil, newswire.Schema); err != nil {
		b.Fatal(err)
	}
	d, err := newswire.New(db, blob.Client(objects), &newswire.Options{
		Outbound: &outbound.Options{Allow: []string{"127.0.0.1"}}, Workers: workers, MaxPages: 10 * *pages, MaxRun: 6 * time.Hour, Log: log,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	if err := d.CreateSite(ctx, &newswire.Site{SiteID: "site", Name: "Site", Category: "news", BaseURL: url + "/"}); err != nil {
		b.Fatal(err)
	}
	end := measure()
	run, err := d.Crawl(ctx, "site", newswire.CrawlOptions{})
	took := end()
	if err != nil {
		b.Fatal(err)
	}
	return run, took
}

// TestMemory crawls -pages pages and looks at the largest heap meanwhile.
func TestMemory(t *testing.T) {
	server := site(t)
	stop := make(chan struct{})
	most := make(chan uint64)
	go func() {
		var largest uint64
		for {
			select {
			case <-stop:
				most <- largest
				return
			case <-time.After(50 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				largest = max(largest, m.HeapInuse)
			}
		}
	}()
	run, took := crawl(t, server.URL, t.TempDir())
	close(stop)
	heap := <-most
	t.Logf("%d articles, %.0f/s, at most %d MB of heap", run.NewArticles, float64(*pages)/took.wall.Seconds(), heap>>20)
	if run.NewArticles != *pages {
		t.Errorf("%+v", run)
	}
	if heap > 600<<20 {
		t.Errorf("%d MB of heap", heap>>20)
	}
}
