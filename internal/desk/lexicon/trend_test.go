package lexicon

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pressroom/internal/errs"
)

const day = 24 * time.Hour

func trendsNow(t *testing.T, f *fixture) []string {
	t.Helper()
	page, err := f.Trending(t.Context(), PageOptions{})
	want(t, err, nil)
	var all []string
	for _, r := range page.Items {
		all = append(all, fmt.Sprintf("%s %.3f", r.Slug, r.Score))
	}
	return all
}

func TestTrends(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	f.term(Term{Term: "rizz", Categories: []string{"people"}, Tags: []string{"x"}, Examples: []string{"so rizz"}, Plain: map[string]string{"en": "charm"}})
	f.term(Term{Term: "bussin", Categories: []string{"food"}, Tags: []string{"x"}})
	ann := f.user("ann", Free)
	run := func() {
		t.Helper()
		_, err := f.RunTrends(ctx)
		want(t, err, nil)
	}
	for range 8 {
		_, err := f.Lookup(ctx, "bussin")
		want(t, err, nil)
	}
	want(t, f.FlushCounts(ctx), nil)
	_, err := f.Lookup(ctx, "rizz")
	want(t, err, nil)
	_, err = f.Translate(ctx, ann, TranslateRequest{Text: "rizz rizz"})
	want(t, err, nil)
	f.count("unknown", uses{votes: 100})
	run()
	if got := trendsNow(t, f); got != nil {
		t.Errorf("the day is not over, and there is %v", got)
	}
	f.clock.advance(day)
	run()
	run()
	if diff := cmp.Diff([]string{"bussin 8.000", "rizz 3.000"}, trendsNow(t, f)); diff != "" {
		t.Error(diff)
	}
	e, err := f.Entry(ctx, "rizz")
	want(t, err, nil)
	if e.Trend == nil || e.Trend.Searches != 1 || e.Trend.Translations != 1 || e.Trend.Category != "people" || e.Trend.Example != "so rizz" || e.Trend.Related[0] != "bussin" {
		t.Errorf("trend %+v", e.Trend)
	}
	page, err := f.TrendingIn(ctx, "people", PageOptions{})
	if want(t, err, nil); len(page.Items) != 1 || page.Items[0].Definition == "" || page.Items[0].Category != "people" {
		t.Errorf("people: %+v", page.Items)
	}
	// Half after a week, also if nobody ran the job for days.
	for range 7 {
		f.clock.advance(day)
	}
	f.CountSearch("rizz")
	f.clock.advance(day)
	run()
	if diff := cmp.Diff([]string{"bussin 3.623", "rizz 2.359"}, trendsNow(t, f)); diff != "" {
		t.Error(diff)
	}
	for range 40 {
		f.clock.advance(day)
		run()
	}
	if got := trendsNow(t, f); got != nil {
		t.Errorf("after 40 days there is %v", got)
	}
	page, err = f.TrendingIn(ctx, "people", PageOptions{})
	if want(t, err, nil); len(page.Items) != 0 || page.Next != "" {
		t.Errorf("people: %+v", page)
	}
	_, err = f.TrendingIn(ctx, "", PageOptions{})
	want(t, err, errs.Invalid)
}

// A process whose terms in memory are old counts those that it does not know yet,
// and takes no trend from them.
func TestTrendsOfAnOldBook(t *testing.T) {
	f := open(t, nil, Options{Refresh: 1000 * day})
	ctx := t.Context()
	f.term(Term{Term: "rizz"})
	f.term(Term{Term: "gone"})
	old, err := f.Book(ctx)
	want(t, err, nil)
	options := f.o
	other, err := New(f.store, nil, &options)
	want(t, err, nil)
	want(t, other.SaveTerm(ctx, &Term{Term: "fresh", Gloss: "new", Confidence: 1, Momentum: 1}), nil)
	for _, slug := range []string{"rizz", "gone", "fresh", "fresh"} {
		other.CountSearch(slug)
	}
	want(t, other.FlushCounts(ctx), nil)
	f.clock.advance(day)
	run := func(d *Desk) {
		t.Helper()
		_, err := d.RunTrends(ctx)
		want(t, err, nil)
	}
	run(f.Desk)
	if diff := cmp.Diff([]string{"fresh 2.000", "rizz 1.000", "gone 1.000"}, trendsNow(t, f), cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Error(diff)
	}
	want(t, other.DeleteTerm(ctx, "gone"), nil)
	f.clock.advance(day)
	run(f.Desk)
	if book, err := f.Book(ctx); err != nil || book != old {
		t.Fatalf("the book was read again, %v", err)
	}
	if diff := cmp.Diff([]string{"fresh 1.811", "rizz 0.906"}, trendsNow(t, f)); diff != "" {
		t.Error(diff)
	}
}

// What another process counted just before midnight is not lost to a run just
// after it.
func TestTrendsSettle(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	f.term(Term{Term: "rizz"})
	f.clock.advance(f.midnight(begin).Sub(begin) - time.Second)
	f.CountSearch("rizz") // and not written yet
	options := f.o
	other, err := New(f.store, nil, &options)
	want(t, err, nil)
	f.clock.advance(2 * time.Second)
	_, err = other.RunTrends(ctx)
	want(t, err, nil)
	want(t, f.FlushCounts(ctx), nil)
	f.clock.advance(settling)
	_, err = other.RunTrends(ctx)
	want(t, err, nil)
	if diff := cmp.Diff([]string{"rizz 1.000"}, trendsNow(t, f)); diff != "" {
		t.Error(diff)
	}
}

// Many processes count and run the job at once; nothing is counted twice.
func TestTrendsTogether(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	f.term(Term{Term: "rizz"})
	together(t, crowd, nil, func(i int) error {
		f.CountSearch("rizz")
		if i%50 == 0 {
			return f.FlushCounts(ctx)
		}
		return nil
	})
	want(t, f.FlushCounts(ctx), nil)
	f.clock.advance(day)
	together(t, 10, nil, func(int) error {
		_, err := f.RunTrends(ctx)
		return err
	})
	if diff := cmp.Diff([]string{fmt.Sprintf("rizz %d.000", crowd)}, trendsNow(t, f)); diff != "" {
		t.Error(diff)
	}
}

func TestExplain(t *testing.T) {
	f := open(t, nil, Options{TermPath: "/t/"})
	f.term(Term{Term: "rizz", Gloss: `charm & "more"`, Glosses: map[string]string{"ja": "魅力"}})
	f.term(Term{Term: "エモい", Gloss: "moving"})
	f.term(Term{Term: "fire", PlainWord: true})
	mark := func(word, gloss, path string) string {
		return `<span class="term"><a href="/t/` + path + `" aria-describedby="term-1">` + word + `</a><span class="gloss" role="tooltip" id="term-1">` + gloss + `</span></span>`
	}
	ids := regexp.MustCompile(`term-[0-9a-f]{8}-`) // made of the article
	rizz := mark("Rizz", "charm &amp; &#34;more&#34;", "rizz")
	tests := []struct{ name, lang, html, want string }{
		{"first only", "en", "<p>Rizz and rizz.</p><p>rizz</p>", "<p>" + rizz + " and rizz.</p><p>rizz</p>"},
		{"language", "ja", "<p>rizz</p>", "<p>" + mark("rizz", "魅力", "rizz") + "</p>"},
		{"Japanese", "en", "<p>夜がエモいね</p>", "<p>夜が" + mark("エモい", "moving", "%E3%82%A8%E3%83%A2%E3%81%84") + "ね</p>"},
		{"links, code and headings", "en", `<h2>rizz</h2><a href="rizz">rizz <b>rizz</b></a><code>rizz</code><pre>rizz</pre>`, `<h2>rizz</h2><a href="rizz">rizz <b>rizz</b></a><code>rizz</code><pre>rizz</pre>`},
		{"attributes and script", "en", `<img alt="rizz"><script>rizz</script><!-- rizz --><style>rizz</style>`, `<img alt="rizz"><script>rizz</script><!-- rizz --><style>rizz</style>`},
		{"ordinary words", "en", "<p>fire</p>", "<p>fire</p>"},
		{"escapes stay", "en", "<p>&lt;script&gt; Rizz &amp; a</p>", "<p>&lt;script&gt; " + rizz + " &amp; a</p>"},
		{"after a link", "en", `<a>x</a> Rizz`, `<a>x</a> ` + rizz},
		{"broken", "en", `<p>Rizz <b`, `<p>` + rizz + ` <b`},
		{"untouched", "en", `<P CLASS=x >a &nbsp; b<br/></P>`, `<P CLASS=x >a &nbsp; b<br/></P>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ids.ReplaceAllString(string(f.Explain(t.Context(), tt.lang, template.HTML(tt.html))), "term-")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	one, other := f.Explain(t.Context(), "en", "<p>rizz</p>"), f.Explain(t.Context(), "en", "<p>a rizz</p>")
	if ids.FindString(string(one)) == ids.FindString(string(other)) || one != f.Explain(t.Context(), "en", "<p>rizz</p>") {
		t.Errorf("ids of two articles: %s, %s", one, other)
	}
	book, err := f.Book(t.Context())
	want(t, err, nil)
	if spans := book.ExplainText("rizz fire rizz エモい"); len(spans) != 2 || spans[1].Term.Slug != "エモい" {
		t.Errorf("spans %+v", spans)
	}
}
