package blogweb_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/web/webtest"
)

// probe runs in a page before anything else. It notes when there is something to
// see, and when a letter that is typed into the first block is to be seen: from then
// on one can work.
const probe = `(() => {
	try { localStorage.clear(); } catch { /* of about:blank */ }
	const times = window.times = {};
	const painted = (name) => requestAnimationFrame(() => {
		const after = new MessageChannel();
		after.port1.onmessage = () => { times[name] = performance.now(); };
		after.port2.postMessage(0);
	});
	const type = () => {
		const place = document.querySelector(".blocks.live [name='b.content'], .bare-blocks textarea");
		place.focus();
		document.execCommand("insertText", false, "x");
		painted("typed");
	};
	const wait = () => document.readyState !== "loading" && document.querySelector(".blocks.live, .bare-blocks") ? type() : setTimeout(wait, 2);
	if (location.pathname.startsWith("/office/blog/posts") || location.pathname === "/bare") wait();
	const finish = () => {
		const seen = performance.getEntriesByName("first-contentful-paint")[0];
		if (!seen) return setTimeout(finish, 5);
		const page = performance.getEntriesByType("navigation")[0];
		times.answered = page.responseEnd;
		times.load = page.loadEventEnd;
		times.seen = seen.startTime;
		times.done = 1;
	};
	addEventListener("load", () => setTimeout(finish));
})()`

// BenchmarkBrowserOpen tells how long a post of 2,000 blocks takes to open in a real
// browser: until it is answered, until its beginning can be seen, until the page is
// whole, and in the editor until a letter that is typed can be seen in the first
// block. Beside it stand a small post, and a page with nothing on it but 2,000 fields.
// Times are medians, and the best, from the start of navigation; a browser that has
// the scripts already is meant. See also worked.
//
//	PRESSROOM_CHROMIUM=$(command -v chromium) go test -run '^$' -bench BrowserOpen -benchtime 20x ./internal/desk/blog/blogweb
func BenchmarkBrowserOpen(b *testing.B) {
	chromium := os.Getenv("PRESSROOM_CHROMIUM")
	if chromium == "" {
		b.Skip("SKIPPED: no browser without $PRESSROOM_CHROMIUM; .ci/run browser sets it")
	}
	r := open(b)
	large := r.put(b, largePost(), blog.Published)
	small := r.put(b, content("Small", nil, "a", "b", "c"), blog.Published)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/bare" {
			bare(w)
			return
		}
		if strings.HasPrefix(req.URL.Path, "/office") {
			req = req.WithContext(auth.With(req.Context(), webtest.As(auth.Author)))
		}
		r.Mux.ServeHTTP(w, req)
	}))
	defer server.Close()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	defer stopAllocator()
	ctx, stop := chromedp.NewContext(allocator)
	defer stop()
	err := chromedp.Do(ctx, chromedp.EmulateViewport(webtest.DesktopWidth, webtest.DesktopHeight), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return t.Call(ctx, "Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": probe}, nil)
	}))
	if err != nil {
		b.Fatal(err)
	}
	for _, page := range []struct{ name, path string }{
		{"read/small", "/blog/posts/" + small.ID}, {"read/large", "/blog/posts/" + large.ID}, {"bare", "/bare"},
		{"edit/small", "/office/blog/posts/" + small.ID}, {"edit/large", "/office/blog/posts/" + large.ID},
	} {
		b.Run(page.name, func(b *testing.B) {
			times := map[string][]float64{}
			visit(b, ctx, server.URL+page.path) // the browser has the assets from now on
			for b.Loop() {
				for name, ms := range visit(b, ctx, server.URL+page.path) {
					times[name] = append(times[name], ms)
				}
			}
			for name, all := range times {
				slices.Sort(all)
				b.ReportMetric(all[len(all)/2], name+"-ms")
				b.ReportMetric(all[0], name+"-best-ms")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// visit opens a page and returns what the probe noted.
func visit(b *testing.B, ctx context.Context, address string) map[string]float64 {
	b.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	const noted = `new Promise((ok) => { const wait = () => window.times.done && (!/office|bare/.test(location.pathname) || window.times.typed) ? ok(window.times) : setTimeout(wait, 5); wait(); })`
	before := worked(b, ctx)
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		b.Fatal(err)
	}
	times, err := chromedp.Run(ctx, chromedp.Evaluate[map[string]float64](noted, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatal(err)
	}
	delete(times, "done")
	times["worked"] = worked(b, ctx) - before
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		b.Fatal(err)
	}
	return times
}

// worked is how many milliseconds of a processor the page's process has used so far
// for parsing, script, style and layout. It depends little on what else the machine
// does.
func worked(b *testing.B, ctx context.Context) float64 {
	b.Helper()
	var got struct {
		Metrics []struct {
			Name  string  `json:"name"`
			Value float64 `json:"value"`
		} `json:"metrics"`
	}
	err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if err := t.Call(ctx, "Performance.enable", map[string]string{"timeDomain": "threadTicks"}, nil); err != nil {
			return err
		}
		return t.Call(ctx, "Performance.getMetrics", struct{}{}, &got)
	}))
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value * 1000
		}
	}
	return 0
}

// bare is the yardstick: as many fields as the large post has blocks, and nothing
// else.
func bare(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><title>Bare</title><form class=bare-blocks>")
	for i := range largeBlocks {
		fmt.Fprintf(w, "<textarea name=b.content>Words of block %d</textarea>\n", i)
	}
	fmt.Fprint(w, "</form>")
}
