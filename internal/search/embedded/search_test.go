package embedded

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

var today = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

func daysAgo(n int) time.Time { return today.AddDate(0, 0, -n) }

// doc makes a document of a desk with what a test is about.
func doc(key, title, body string, more ...func(*search.Document)) search.Document {
	desk, id, _ := strings.Cut(key, "/")
	d := search.Document{
		Key: search.Key{Desk: desk, ID: id}, Kind: "post", Language: "en", Title: title, Body: body,
		Date: daysAgo(10), URL: "/" + key,
	}
	if text.IsJapanese(title + body) {
		d.Language = "ja"
	}
	for _, m := range more {
		m(&d)
	}
	return d
}

func on(t time.Time) func(*search.Document) { return func(d *search.Document) { d.Date = t } }
func tagged(tags ...string) func(*search.Document) {
	return func(d *search.Document) { d.Tags = tags }
}
func level(l search.Level) func(*search.Document) { return func(d *search.Document) { d.Level = l } }
func kind(k string) func(*search.Document)        { return func(d *search.Document) { d.Kind = k } }

var library = []search.Document{
	doc("blog/kyoto", "京都の旅", "秋に京都を訪れた。紅葉がとてもきれいだった。", tagged("旅", "Travel")),
	doc("blog/tokyo", "東京都の予算", "東京都は来年度の予算案を発表した。"),
	doc("blog/two", "二つの都", "東京と京都を結ぶ新幹線。"),
	doc("lexicon/emoi", "エモい", "感情が動かされるさま。", kind("term")),
	doc("blog/photo", "夕焼けの写真", "この写真、めっちゃエモい。"),
	doc("newswire/vote", "Parliament votes on the budget", "The lower house voted in favour of the bill.", kind("article"), tagged("Politics")),
	doc("newswire/voting", "How voting machines work", "A look inside.", kind("article"), on(daysAgo(800))),
	doc("minutes/tax", "消費税の減税について", "消費税率を引き下げる法案の審議が行われました。", kind("debate")),
	doc("minutes/ai", "AI規制法案", "ＡＩの規制に関する質疑。", kind("debate")),
	doc("blog/half", "ｱﾆﾒの話", "ガラパゴス"),
	doc("blog/draft", "公開前の秘密の記事", "エモい下書き。Unpublished scoop.", level(2)),
	doc("blog/markup", "<script>alert(1)</script>", "Danger & <b>scoop</b>."),
}

func open0(t testing.TB, docs ...search.Document) *Index {
	t.Helper()
	x, err := Open("", &Options{Now: func() time.Time { return today }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	apply(t, x, search.Batch{Put: docs})
	return x
}

func apply(t testing.TB, x search.Writer, b search.Batch) {
	t.Helper()
	if err := x.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func find(t testing.TB, x *Index, q search.Query) *search.Results {
	t.Helper()
	r, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return r
}

func keys(r *search.Results) []string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.String())
	}
	return out
}

func TestSearch(t *testing.T) {
	x := open0(t, library...)
	for _, tc := range []struct {
		q    string
		want []string // in any order
	}{
		{"エモい", []string{"lexicon/emoi", "blog/photo"}},
		{"訪れる", []string{"blog/kyoto"}},
		{"訪れた", []string{"blog/kyoto"}},
		{"東京都", []string{"blog/tokyo"}}, // not the one with 東京 and 京都
		{`"東京と京都"`, []string{"blog/two"}},
		{"京都", []string{"blog/kyoto", "blog/two", "blog/tokyo"}}, // letters are letters
		{"京都 -東京", []string{"blog/kyoto"}},
		{"京都 -東京都", []string{"blog/kyoto", "blog/two"}},
		{"法案 -ai法", []string{"minutes/tax"}}, // a word and a letter
		{"vote", []string{"newswire/vote", "newswire/voting"}},
		{"VOTED budget", []string{"newswire/vote"}},
		{`"lower house"`, []string{"newswire/vote"}},
		{`"house lower"`, nil},
		{"消費税 法案", []string{"minutes/tax"}},
		{"ＡＩ規制", []string{"minutes/ai"}},
		{"規制 ai", []string{"minutes/ai"}},
		{"アニメ", []string{"blog/half"}},
		{"税", []string{"minutes/tax"}},
		{"引き下げた", []string{"minutes/tax"}},
		{"scoop", []string{"blog/markup"}},
		{"秘密", nil},
	} {
		r := find(t, x, search.Query{Text: tc.q})
		got := keys(r)
		if r.Relaxed {
			got = nil
		}
		slices.Sort(got)
		slices.Sort(tc.want)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.q, diff)
		}
		if !r.Relaxed && r.Total != len(tc.want) {
			t.Errorf("%s: total %d, want %d", tc.q, r.Total, len(tc.want))
		}
	}
}

// TestPhraseEndsWithTitle asks for what stands at the end of a title and at the
// beginning of the text, however it is punctuated.
func TestPhraseEndsWithTitle(t *testing.T) {
	for _, title := range []string{"国会国会", "国会。", "国会\n", "国会 "} {
		x := open0(t, doc("blog/0", title, "国会予算"), doc("blog/2", title, "", func(d *search.Document) { d.Summary = "国会予算" }),
			doc("blog/1", "予算", "国会。国会"))
		for _, q := range []string{`"国会。国会予算"`, `"国会\n国会予算"`, `"国会 国会予算"`} {
			if r := find(t, x, search.Query{Text: q}); len(r.Hits) > 0 && !r.Relaxed {
				t.Errorf("title %q, %s: found %v", title, q, keys(r))
			}
		}
		if got := keys(find(t, x, search.Query{Text: `"国会。国会"`})); !slices.Equal(got, []string{"blog/1"}) {
			t.Errorf("title %q: within a text found %v", title, got)
		}
	}
}

func TestOrder(t *testing.T) {
	x := open0(t, library...)
	if got, want := keys(find(t, x, search.Query{Text: "エモい"})), []string{"lexicon/emoi", "blog/photo"}; !cmp.Equal(got, want) {
		t.Errorf("the title counts more: got %v, want %v", got, want)
	}
	if got, want := keys(find(t, x, search.Query{Text: "vote"})), []string{"newswire/vote", "newswire/voting"}; !cmp.Equal(got, want) {
		t.Errorf("the newer first: got %v, want %v", got, want)
	}
}

func TestHighlights(t *testing.T) {
	x := open0(t, library...)
	h := find(t, x, search.Query{Text: "訪れる"}).Hits[0]
	if !strings.Contains(string(h.ExcerptHTML), "<mark>訪れ</mark>た") {
		t.Errorf("excerpt %q", h.ExcerptHTML)
	}
	h = find(t, x, search.Query{Text: "scoop alert"}).Hits[0]
	if want := "&lt;script&gt;<mark>alert</mark>(1)&lt;/script&gt;"; string(h.TitleHTML) != want {
		t.Errorf("title %q, want %q", h.TitleHTML, want)
	}
	if !strings.Contains(string(h.ExcerptHTML), "&lt;b&gt;<mark>scoop</mark>") {
		t.Errorf("excerpt %q", h.ExcerptHTML)
	}
}

func TestFilters(t *testing.T) {
	x := open0(t, library...)
	for name, tc := range map[string]struct {
		q    search.Query
		want int
	}{
		"all":       {search.Query{}, 11},
		"desk":      {search.Query{Desks: []string{"newswire", "minutes"}}, 4},
		"kind":      {search.Query{Kinds: []string{"term"}}, 1},
		"language":  {search.Query{Languages: []string{"en"}}, 3},
		"tag":       {search.Query{Tags: []string{"travel", "旅"}}, 1},
		"no tag":    {search.Query{Tags: []string{"travel", "politics"}}, 0},
		"from":      {search.Query{From: daysAgo(20)}, 10},
		"to":        {search.Query{To: daysAgo(11)}, 1},
		"one day":   {search.Query{From: daysAgo(10), To: daysAgo(10)}, 10},
		"years":     {search.Query{From: daysAgo(900), To: today}, 11},
		"all at it": {search.Query{Text: "vote", Desks: []string{"newswire"}, From: daysAgo(20)}, 1},
	} {
		if got := find(t, x, tc.q).Total; got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
	r := find(t, x, search.Query{Text: "エモい", Desks: []string{"blog"}})
	if diff := cmp.Diff([]search.Count{{Value: "blog", Count: 1}, {Value: "lexicon", Count: 1}}, r.Facets.Desks); diff != "" {
		t.Errorf("desks without their own filter: %s", diff)
	}
	if diff := cmp.Diff([]search.Count{{Value: "post", Count: 1}}, r.Facets.Kinds); diff != "" {
		t.Errorf("kinds under the filter: %s", diff)
	}
}

func TestRelaxedAndCorrected(t *testing.T) {
	x := open0(t, library...)
	r := find(t, x, search.Query{Text: "budget dinosaurs"})
	if !r.Relaxed || !slices.Contains(keys(r), "newswire/vote") {
		t.Errorf("relaxed %v: %v", r.Relaxed, keys(r))
	}
	if r := find(t, x, search.Query{Text: "parlament"}); r.DidYouMean != "parliament" {
		t.Errorf("did you mean %q", r.DidYouMean)
	}
	apply(t, x, search.Batch{Put: []search.Document{doc("blog/hidden", "Zanzibar", "", level(2))}})
	if r := find(t, x, search.Query{Text: "zanzibbr"}); r.DidYouMean != "" {
		t.Errorf("did you mean %q, of a title that is not public", r.DidYouMean)
	}
	if r := find(t, x, search.Query{Text: "zanzibbr", Level: 2}); r.DidYouMean != "zanzibar" {
		t.Errorf("did you mean %q, want zanzibar", r.DidYouMean)
	}
}

func TestSuggest(t *testing.T) {
	x := open0(t, library...)
	for _, tc := range []struct {
		prefix string
		level  search.Level
		want   []string
	}{
		{"エ", 0, []string{"エモい"}},
		{"京", 0, []string{"京都の旅"}},
		{"予", 0, []string{"東京都の予算"}},
		{"Vot", 0, []string{"Parliament votes on the budget", "How voting machines work"}},
		{"公開", 0, nil},
		{"公開", 2, []string{"公開前の秘密の記事"}},
		{"", 0, nil},
	} {
		list, err := x.Suggest(t.Context(), tc.prefix, tc.level, 5)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range list {
			got = append(got, s.Title)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q: %s", tc.prefix, diff)
		}
	}
}

// TestPages walks all pages in both orders, few and many to a day, and meets
// every document once.
func TestPages(t *testing.T) {
	var docs []search.Document
	for i := range defaultLimits.candidates + 500 {
		docs = append(docs, doc(fmt.Sprintf("blog/%05d", i), fmt.Sprintf("report %d", i), "", on(daysAgo(i/300))))
	}
	x := open0(t, docs...)
	for _, sort := range []search.Sort{search.Newest, search.Relevance} {
		seen, last := map[string]bool{}, today.AddDate(1, 0, 0)
		q := search.Query{Text: "report", Sort: sort, Limit: 100}
		for {
			r := find(t, x, q)
			if r.Total != len(docs) {
				t.Fatalf("total %d, want %d", r.Total, len(docs))
			}
			for _, h := range r.Hits {
				if seen[h.ID] {
					t.Fatalf("%s: %s twice", sort, h.ID)
				}
				if sort == search.Newest && h.Date.After(last) {
					t.Fatalf("%s of %v after %v", h.ID, h.Date, last)
				}
				seen[h.ID], last = true, h.Date
			}
			if q.Cursor = r.Next; q.Cursor == "" {
				break
			}
		}
		want := len(docs)
		if sort == search.Relevance {
			want = defaultLimits.candidates / 2
		}
		if len(seen) < want {
			t.Errorf("%s: %d documents, want %d", sort, len(seen), want)
		}
	}
	if _, err := x.Search(t.Context(), search.Query{Text: "other", Cursor: find(t, x, search.Query{Text: "report"}).Next}); err == nil {
		t.Error("a cursor of another query was taken")
	}
}

// What is hidden is found, as it is and in its forms, and never shown.
func TestHidden(t *testing.T) {
	hidden := func(d *search.Document) {
		d.Summary = "A vessel is inspected."
		d.Hidden = "The ferry sails again. 修理を終えた船が港を訪れた。"
	}
	x := open0(t, doc("newswire/ferry", "News from the port", "", hidden))
	for _, q := range []string{"ferry", `"ferry sails again"`, "訪れる", "修理"} {
		r := find(t, x, search.Query{Text: q})
		if len(r.Hits) != 1 || r.Hits[0].ExcerptHTML != "A vessel is inspected." {
			t.Errorf("%s finds %+v", q, r.Hits)
		}
	}
	for _, q := range []string{"fery", "修", "sail"} {
		if r := find(t, x, search.Query{Text: q}); r.DidYouMean != "" || len(r.Facets.Tags) > 0 {
			t.Errorf("%s is told %q, %v", q, r.DidYouMean, r.Facets.Tags)
		}
		if list, err := x.Suggest(t.Context(), q, search.Public, 10); err != nil || len(list) > 0 {
			t.Errorf("%s is completed with %v, %v", q, list, err)
		}
	}
}
