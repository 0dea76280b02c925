package newswire

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/internal/story"
	"pressroom/llm/builtin"
)

// paper is a host whose words about the use of its pages can be changed.
type paper struct {
	robots, tdm string
	status      int // of robots.txt; 0 is 200
	headers     map[string]string
	meta        string
}

func (p *paper) serve(w *world, host string, paths ...string) {
	pages := map[string]any{
		"/": list(paths...),
		"/robots.txt": func(w http.ResponseWriter, _ *http.Request) {
			if p.status != 0 {
				w.WriteHeader(p.status)
			}
			_, _ = fmt.Fprint(w, p.robots)
		},
		"/.well-known/tdmrep.json": func(w http.ResponseWriter, r *http.Request) {
			if p.tdm == "" {
				http.NotFound(w, r)
				return
			}
			_, _ = fmt.Fprint(w, p.tdm)
		},
		"/licence.xml": `<rsl xmlns="https://rslstandard.org/rsl"><content url="/shop/"><license><prohibits type="usage">all</prohibits></license></content>` +
			`<content url="/"><license><permits type="usage">search</permits></license></content></rsl>`,
	}
	for _, path := range paths {
		pages[path] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			for name, value := range p.headers {
				w.Header().Set(name, value)
			}
			_, _ = fmt.Fprint(w, newsPage("About "+path, "2026-11-14T09:00:00Z", p.meta))
		}
	}
	w.host(host, pages)
}

// told are the words at an article, with the days since when they are in force.
func saidOf(a Article) []string {
	var all []string
	for _, s := range a.Said {
		all = append(all, fmt.Sprintf("%s (%s) since %s", s.Quote(), s.Where, s.Since[:10]))
	}
	return all
}

// visible are the articles of a site that readers find, in each of the ways in which
// they can.
func visible(t *testing.T, d *Desk, site string) map[string][]string {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	found := map[string][]string{}
	add := func(way string, a Article) {
		found[way] = append(found[way], strings.TrimPrefix(a.Title, "About "))
	}
	latest, err := d.Latest(ctx, site, PageOptions{Limit: 100})
	must(err)
	shown, err := d.Show(ctx, latest.Items, rights.Readers)
	must(err)
	for _, s := range shown {
		add("list", s.Article)
	}
	for _, a := range latest.Items {
		if _, err := d.ReadArticle(ctx, a.ArticleID, rights.Readers); err == nil {
			add("page", a)
		} else if errs.KindOf(err) != errs.NotFound {
			t.Error(err)
		}
		if text, err := d.text(ctx, a.StoryID()); err == nil {
			add("story", a)
			if !text.Unfound {
				add("search", a)
			}
		} else if errs.KindOf(err) != errs.NotFound {
			t.Error(err)
		}
		heads, err := d.opt.Stories.Get(ctx, story.Ref{Desk: Schema.Name, ID: a.StoryID()})
		must(err)
		if len(heads) == 1 {
			add("head", a)
			if !heads[0].Unfound {
				add("hit", a)
			}
		}
		if _, err := d.ReadArticle(ctx, a.ArticleID, rights.Staff); err != nil {
			t.Errorf("staff do not see %s: %v", a.Title, err)
		}
	}
	for text, err := range d.texts(ctx) {
		must(err)
		if strings.HasPrefix(text.ID, site+"/") && !text.Unfound {
			found["index"] = append(found["index"], strings.TrimPrefix(text.Title, "About "))
		}
	}
	for a, err := range d.OfMonth(ctx, "2026-11") {
		must(err)
		if a.SiteID == site {
			add("sitemap", a)
		}
	}
	for _, list := range found {
		slices.Sort(list)
	}
	return found
}

// telling has a desk tell what becomes of its articles.
func (s *stores) telling(t *testing.T, o *Options) {
	t.Helper()
	var err error
	if o.Stories, err = story.New(s.Tables, &story.Options{Now: s.clock.now}); err != nil {
		t.Fatal(err)
	}
}

func everywhere(titles ...string) map[string][]string {
	all := map[string][]string{}
	for _, way := range []string{"list", "page", "story", "search", "head", "hit", "index", "sitemap"} {
		all[way] = titles
	}
	return all
}

// Each fetch keeps what was said and since when; it decides what becomes of the page.
func TestSaid(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, st := newWorld(t), newStores(t)
		p := &paper{
			robots: "User-agent: *\nContent-Signal: search=yes, ai-train=no\nLicense: /licence.xml\nContent-Usage: /closed/ search=n", tdm: `[{"location":"/open/","tdm-reservation":0},{"location":"/closed/","tdm-reservation":1}]`,
			headers: map[string]string{"X-Robots-Tag": "otherbot: none", "Content-Usage": "train-ai=n"},
		}
		p.serve(w, "paper.example", "/open/1", "/closed/1")
		d := st.desk(t, w, func(o *Options) { o.Model = builtin.New(); st.telling(t, o) })
		addSite(t, d, "paper", "paper.example", nil)
		crawlNow(t, d, "paper")
		kept := articlesOf(t, d, "paper")
		if diff := cmp.Diff([]string{"RSL: ai-input=no (licence) since 2026-11-15"}, saidOf(kept["/open/1"])); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{
			"tdm-reservation: 1 (tdmrep) since 2026-11-15", "Content-Usage: search=n (robots) since 2026-11-15", "RSL: ai-input=no (licence) since 2026-11-15",
		}, saidOf(kept["/closed/1"])); diff != "" {
			t.Error(diff)
		}
		signals, err := d.SignalsOf(t.Context(), "paper")
		if err != nil || len(signals.Said) != 13 || signals.ReadAt == "" {
			t.Errorf("%d words of the site: %+v, %v", len(signals.Said), signals, err)
		}
		if n, err := d.Summarise(t.Context(), 10); err != nil || n != 0 {
			t.Errorf("%d summaries were tried of what no machine may summarise: %v", n, err)
		}
		for path, a := range kept {
			if a.Status != SummaryFailed || !isRefused(a.Note) || a.S3SnapshotKey == "" {
				t.Errorf("%s is %s: %s", path, a.Status, a.Note)
			}
			if err := d.SummariseArticle(t.Context(), a.ArticleID); errs.KindOf(err) != errs.Conflict {
				t.Errorf("by hand: %v", err)
			}
		}
		want := everywhere("/closed/1", "/open/1")
		for _, way := range []string{"search", "hit", "index"} {
			want[way] = []string{"/open/1"}
		}
		if diff := cmp.Diff(want, visible(t, d, "paper")); diff != "" {
			t.Error(diff)
		}

		// The licence is gone, the rest stands: what waited for it is summarised now.
		p.robots = strings.Replace(p.robots, "License: /licence.xml\n", "", 1)
		st.clock.forward(24 * time.Hour)
		if n, _, err := d.ReadSignalsDue(t.Context()); err != nil || n != 1 {
			t.Fatal(n, err)
		}
		kept = articlesOf(t, d, "paper")
		if a := kept["/open/1"]; len(a.Said) != 0 || a.Status != Pending || a.Note != "" {
			t.Errorf("%+v", a)
		}
		if diff := cmp.Diff([]string{"tdm-reservation: 1 (tdmrep) since 2026-11-15", "Content-Usage: search=n (robots) since 2026-11-15"}, saidOf(kept["/closed/1"])); diff != "" {
			t.Error(diff)
		}
		if n, err := d.Summarise(t.Context(), 10); err != nil || n != 1 {
			t.Errorf("%d summaries were tried, %v", n, err)
		}
		if n, _, err := d.ReadSignalsDue(t.Context()); err != nil || n != 0 {
			t.Errorf("%d sites are asked twice a day, %v", n, err)
		}
		check(t, d)
	})
}

// A site that opts out is gone everywhere within a day, without being crawled; when
// it cannot be asked, what it said last holds.
func TestOptOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, st := newWorld(t), newStores(t)
		p := &paper{}
		p.serve(w, "paper.example", "/news/1", "/news/2", "/blog/1")
		d := st.desk(t, w, func(o *Options) { st.telling(t, o) })
		addSite(t, d, "paper", "paper.example", nil)
		crawlNow(t, d, "paper")
		all := everywhere("/blog/1", "/news/1", "/news/2")
		if diff := cmp.Diff(all, visible(t, d, "paper")); diff != "" {
			t.Fatal(diff)
		}
		version := articlesOf(t, d, "paper")["/blog/1"].Version
		hourly := func(hours int) {
			t.Helper()
			for range hours {
				st.clock.forward(time.Hour)
				if _, silent, err := d.ReadSignalsDue(t.Context()); err != nil || silent > 0 && p.status != http.StatusServiceUnavailable {
					t.Fatal(silent, err)
				}
			}
		}
		p.robots = "User-agent: PressroomBot\nDisallow: /news/"
		hourly(24)
		if diff := cmp.Diff(everywhere("/blog/1"), visible(t, d, "paper")); diff != "" {
			t.Error(diff)
		}
		a := articlesOf(t, d, "paper")
		if diff := cmp.Diff([]string{"Disallow: /news/ (robots) since 2026-11-15"}, saidOf(a["/news/1"])); diff != "" {
			t.Error(diff)
		}
		if a["/blog/1"].Version != version {
			t.Error("an article that nothing was said about is written")
		}

		p.status = http.StatusServiceUnavailable
		hourly(48)
		if diff := cmp.Diff(everywhere("/blog/1"), visible(t, d, "paper")); diff != "" {
			t.Error(diff)
		}
		if _, err := d.ReadSignals(t.Context(), "paper"); errs.KindOf(err) != errs.Unavailable {
			t.Errorf("a site that is down: %v", err)
		}

		p.status, p.robots = http.StatusNotFound, ""
		hourly(24)
		if diff := cmp.Diff(all, visible(t, d, "paper")); diff != "" {
			t.Error(diff)
		}
		check(t, d)
	})
}

// What a page says takes effect at its next visit.
func TestPageSays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, st := newWorld(t), newStores(t)
		p := &paper{}
		p.serve(w, "paper.example", "/news/1")
		d := st.desk(t, w, func(o *Options) { o.Recheck = 1000 * time.Hour; o.Model = builtin.New(); st.telling(t, o) })
		addSite(t, d, "paper", "paper.example", nil)
		visit := func(headers map[string]string, meta string) Article {
			t.Helper()
			p.headers, p.meta = headers, meta
			st.clock.forward(24 * time.Hour)
			crawlNow(t, d, "paper")
			check(t, d)
			return articlesOf(t, d, "paper")["/news/1"]
		}
		first := visit(nil, "")
		if err := d.SummariseArticle(t.Context(), first.ArticleID); err != nil {
			t.Fatal(err)
		}
		read := func() Shown {
			t.Helper()
			s, err := d.ReadArticle(t.Context(), first.ArticleID, rights.Readers)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		if s := read(); s.Summary == nil {
			t.Fatal("there is no summary")
		}
		again := visit(map[string]string{"X-Robots-Tag": "noarchive", "TDM-Reservation": "1"}, "")
		if diff := cmp.Diff([]string{"noarchive (header) since 2026-11-17", "tdm-reservation: 1 (header) since 2026-11-17"}, saidOf(again)); diff != "" {
			t.Error(diff)
		}
		if _, err := d.get(t.Context(), first.S3SnapshotKey); again.S3SnapshotKey != "" || !isMissing(err) {
			t.Errorf("the page is archived as %s, and as before: %v", again.S3SnapshotKey, err)
		}
		if s := read(); s.Summary != nil || s.Excerpt == "" {
			t.Errorf("of a text that is reserved readers see %+v", s)
		}
		third := visit(map[string]string{"TDM-Reservation": "1"}, `<meta name="robots" content="noindex">`)
		if diff := cmp.Diff([]string{"noindex (meta) since 2026-11-18", "tdm-reservation: 1 (header) since 2026-11-17"}, saidOf(third)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string][]string{}, visible(t, d, "paper")); diff != "" {
			t.Error(diff)
		}
		back := visit(nil, "")
		if s := read(); len(back.Said) != 0 || back.S3SnapshotKey == "" || s.Summary == nil {
			t.Errorf("%+v", back)
		}
	})
}

// A page's own licence is read once, and one that cannot be read allows no machine.
func TestPageLicence(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, st := newWorld(t), newStores(t)
		p := &paper{headers: map[string]string{"Link": `</licence.xml>; rel="license"; type="application/rsl+xml"`}, meta: `<link rel="license" type="application/rsl+xml" href="/none.xml">`}
		p.serve(w, "paper.example", "/news/1", "/news/2", "/shop/1")
		d := st.desk(t, w, func(o *Options) { st.telling(t, o) })
		addSite(t, d, "paper", "paper.example", nil)
		crawlNow(t, d, "paper")
		kept := articlesOf(t, d, "paper")
		if diff := cmp.Diff([]string{"/news/1", "/news/2"}, slices.Sorted(maps.Keys(kept))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"RSL: ai-input=no (meta) since 2026-11-15", "RSL: unread (meta) since 2026-11-15"}, saidOf(kept["/news/1"])); diff != "" {
			t.Error(diff)
		}
		if n := w.count("paper.example", "/licence.xml"); n != 1 {
			t.Errorf("the licence is read %d times", n)
		}
	})
}

// A basis that an operator declares counts at once, and its end, too.
func TestBasis(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, st := newWorld(t), newStores(t)
		p := &paper{meta: `<meta name="robots" content="noai">`}
		p.serve(w, "paper.example", "/news/1")
		d := st.desk(t, w, func(o *Options) { o.Model = builtin.New(); st.telling(t, o) })
		site := addSite(t, d, "paper", "paper.example", nil)
		crawlNow(t, d, "paper")
		a := articlesOf(t, d, "paper")["/news/1"]
		read := func() Shown {
			t.Helper()
			s, err := d.ReadArticle(t.Context(), a.ArticleID, rights.Readers)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		if s := read(); s.Text != "" || a.Status != SummaryFailed {
			t.Errorf("%+v", s)
		}
		site.Basis = rights.Basis{Kind: rights.Permission, From: "The Paper", Until: "2026-11-16", Scope: []rights.Use{rights.Text, rights.Summarise}}
		if err := d.UpdateSite(t.Context(), &site); err != nil {
			t.Fatal(err)
		}
		if s := read(); !strings.Contains(s.Text, "voted on item 15") || s.Article.Status != Pending || s.Decision.Why(rights.Text).Basis != rights.Permission {
			t.Errorf("%+v", s)
		}
		st.clock.forward(48 * time.Hour)
		if s := read(); s.Text != "" || s.Decision.May(rights.Summarise) {
			t.Errorf("%+v", s)
		}
		if _, err := d.Summarise(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		if a := articlesOf(t, d, "paper")["/news/1"]; a.SummaryID != "" || !isRefused(a.Note) {
			t.Errorf("after the permission it is %s: %s", a.Status, a.Note)
		}
		site.Basis.From = ""
		if err := d.UpdateSite(t.Context(), &site); !errors.Is(err, errs.Invalid) || errs.Fields(err)[0].Name != "basis.from" {
			t.Errorf("a permission from nobody: %v", err)
		}
	})
}

// check reports what is wrong with the desk's data.
func check(t *testing.T, d *Desk) {
	t.Helper()
	if err := d.Check(t.Context(), func(where, what string) { t.Errorf("%s: %s", where, what) }); err != nil {
		t.Fatal(err)
	}
}
