package newswire

import (
	"context"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pressroom/internal/outbound"
	"pressroom/internal/pipetest"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/model/modeltest"
)

// world is a small internet: hosts with public addresses, all of them in this
// process.
type world struct {
	network *pipetest.Listener

	mu    sync.Mutex
	hosts map[string]http.Handler
	dns   map[string]netip.Addr
	hits  []hit
}

// hit is one request that a host saw.
type hit struct {
	host, path string
	at         time.Time
	agent      string
	condition  string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{hosts: map[string]http.Handler{}, dns: map[string]netip.Addr{}}
	w.network = pipetest.Serve(t, w)
	return w
}

// bubble runs a test whose time goes on only when everybody waits, so that no machine
// is too slow for it. Other people's stores are outside of any bubble; with them, time
// is what it is.
func bubble(t *testing.T, test func(t *testing.T)) {
	if modeltest.Foreign() {
		test(t)
		return
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, time.November, 15, 3, 0, 0, 0, time.UTC)))
		test(t)
	})
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.hits = append(w.hits, hit{r.Host, r.URL.RequestURI(), time.Now(), r.UserAgent(), r.Header.Get("If-None-Match") + r.Header.Get("If-Modified-Since")})
	h := w.hosts[r.Host]
	w.mu.Unlock()
	if h == nil {
		http.Error(rw, "no such host", http.StatusBadGateway)
		return
	}
	h.ServeHTTP(rw, r)
}

// host adds a host; its pages are handlers, or texts, by path.
func (w *world) host(name string, pages map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dns[name] = netip.AddrFrom4([4]byte{93, 184, 0, byte(len(w.dns) + 1)})
	w.hosts[name] = site(pages)
}

// site serves pages by path. What ends with .xml is XML.
func site(pages map[string]any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := pages[r.URL.RequestURI()]
		if !ok {
			p = pages[r.URL.Path]
		}
		switch p := p.(type) {
		case string:
			if strings.HasSuffix(r.URL.Path, ".xml") {
				w.Header().Set("Content-Type", "application/xml")
			} else if r.URL.Path == "/robots.txt" {
				w.Header().Set("Content-Type", "text/plain")
			} else {
				w.Header().Set("Content-Type", "text/html")
			}
			_, _ = io.WriteString(w, p)
		case http.HandlerFunc:
			p(w, r)
		case func(http.ResponseWriter, *http.Request):
			p(w, r)
		default:
			http.NotFound(w, r)
		}

	})
}

func (w *world) outbound() *outbound.Options {
	return &outbound.Options{
		Timeout: time.Hour, HeaderTimeout: time.Hour,
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if a, ok := w.dns[host]; ok {
				return []netip.Addr{a}, nil
			}
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		},
		Dial: w.network.Dial,
	}
}

// seen returns the requests to a host.
func (w *world) seen(host string) []hit {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []hit
	for _, h := range w.hits {
		if h.host == host {
			all = append(all, h)
		}
	}
	return all
}

// count is how often a host was asked for a path.
func (w *world) count(host, path string) int {
	n := 0
	for _, h := range w.seen(host) {
		if h.path == path {
			n++
		}
	}
	return n
}

// stores are a table and a bucket, with the schema.
type stores struct {
	*modeltest.Stores
	clock  *clockwork
	untold bool // items are changed behind the desk's back, so that cards differ in the end
}

// clockwork is a clock that goes on, and that tests can put forward.
type clockwork struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clockwork) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clockwork) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

func newStores(t testing.TB) *stores {
	t.Helper()
	return newStoresOn(t, nil)
}

// newStoresOn returns stores with options.
func newStoresOn(t testing.TB, o *modeltest.StoreOptions) *stores {
	t.Helper()
	s := &stores{clock: &clockwork{}}
	own := modeltest.StoreOptions{ObjectsNow: s.clock.now}
	if o != nil {
		own.HTTP, own.Streams = o.HTTP, o.Streams
	}
	s.Stores = modeltest.OpenStores(t, &own, Schema, story.Schema)
	return s
}

func (s *stores) desk(t testing.TB, w *world, change func(*Options)) *Desk {
	t.Helper()
	o := &Options{Contact: "mailto:desk@pressroom.example", Now: s.clock.now, Log: slog.New(slog.DiscardHandler), CursorKey: []byte("0123456789abcdef")}
	if w != nil {
		o.Outbound = w.outbound()
	}
	if change != nil {
		change(o)
	}
	var err error
	if o.Stories == nil {
		if o.Stories, err = story.New(s.Tables, &story.Options{Now: s.clock.now}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := New(s.Tables, s.Objects, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !s.untold {
			storytest.Told(t, o.Stories, d.Shelf())
		}
	})
	t.Cleanup(d.Close)
	return d
}

// addSite saves a site of a host.
func addSite(t testing.TB, d *Desk, id, host string, change func(*Site)) Site {
	t.Helper()
	s := Site{SiteID: id, Name: strings.ToUpper(id), Category: "news", BaseURL: "http://" + host + "/", Timezone: "Asia/Tokyo"}
	if change != nil {
		change(&s)
	}
	if err := d.CreateSite(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

const sentence = "The council of %s voted on item %d of its agenda, and the members agreed on a budget for roads, schools and the harbour. "

// newsPage is a page with an article.
func newsPage(title, published string, extra ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><html><head><title>%s | Paper</title><meta property="og:type" content="article"><meta property="og:title" content="%s">`, html.EscapeString(title), html.EscapeString(title))
	if published != "" {
		fmt.Fprintf(&b, `<meta property="article:published_time" content="%s">`, published)
	}
	fmt.Fprintf(&b, `%s</head><body><nav><a href="/">Home</a></nav><article><h1>%s</h1>`, strings.Join(extra, ""), html.EscapeString(title))
	for i := range 6 {
		fmt.Fprintf(&b, "<p>"+sentence+sentence+"</p>", html.EscapeString(title), i, html.EscapeString(title), i+10)
	}
	b.WriteString("</article><footer>All rights reserved.</footer></body></html>")
	return b.String()
}

// list is a page with links.
func list(links ...string) string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>Paper</title><body><h1>Headlines</h1><ul>")
	for _, l := range links {
		fmt.Fprintf(&b, `<li><a href="%s">%s</a></li>`, html.EscapeString(l), html.EscapeString(l))
	}
	return b.String() + "</ul>"
}

func rss(items ...string) string {
	return `<?xml version="1.0"?><rss version="2.0"><channel><title>Paper</title>` + strings.Join(items, "") + `</channel></rss>`
}

func item(link, title, date string) string {
	return "<item><link>" + link + "</link><title>" + title + "</title><pubDate>" + date + "</pubDate></item>"
}

// articlesOf returns a site's articles, by path.
func articlesOf(t testing.TB, d *Desk, site string) map[string]Article {
	t.Helper()
	all := map[string]Article{}
	for a, err := range d.articles.All(t.Context(), "LatestOfSite", siteKey(site)) {
		if err != nil {
			t.Fatal(err)
		}
		_, path, _ := strings.Cut(strings.TrimPrefix(a.URL, "http://"), "/")
		if _, twice := all["/"+path]; twice {
			t.Errorf("%s is kept twice", a.URL)
		}
		all["/"+path] = a
	}
	return all
}

// crawlNow crawls a site by hand.
func crawlNow(t testing.TB, d *Desk, site string) CrawlRun {
	t.Helper()
	run, err := d.Crawl(t.Context(), site, CrawlOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func logOf(t testing.TB, d *Desk, run CrawlRun) string {
	t.Helper()
	text, err := d.RunLog(t.Context(), run.RunID)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
