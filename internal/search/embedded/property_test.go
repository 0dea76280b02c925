package embedded

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pressroom/internal/search"
)

// TestMain makes fewer random checks unless told: each has an index.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	m.Run()
}

var (
	someWords = rapid.SampledFrom([]string{
		"国会", "予算", "消費税", "東京", "京都", "東京都", "訪れた", "訪れる", "エモい", "税", "vote", "voting", "budget", "the", "AI", "3.5",
	})
	someJoints = rapid.SampledFrom([]string{"", "", "の", " ", "。", "\n"})
	someTags   = rapid.SampledFrom([]string{"旅", "Travel", "politics"})
	someDesks  = rapid.SampledFrom([]string{"blog", "minutes"})
	someLangs  = rapid.SampledFrom([]string{"ja", "en"})
	someLevels = rapid.SampledFrom([]search.Level{0, 0, 0, 2, 4})
	someDays   = rapid.IntRange(0, 70)
)

func someText(words *rapid.Generator[string], from, to int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(from, to).Draw(t, "length") {
			b.WriteString(words.Draw(t, "word"))
			b.WriteString(someJoints.Draw(t, "joint"))
		}
		return b.String()
	})
}

var someDocument = rapid.Custom(func(t *rapid.T) search.Document {
	return search.Document{
		Key:  search.Key{Desk: someDesks.Draw(t, "desk"), ID: fmt.Sprint(rapid.IntRange(0, 30).Draw(t, "id"))},
		Kind: "post", Language: someLangs.Draw(t, "language"), Title: someText(someWords, 1, 3).Draw(t, "title"),
		Body: strings.Repeat(someText(someWords, 0, 20).Draw(t, "part"), rapid.SampledFrom([]int{1, 1, 5, 20}).Draw(t, "times")), Tags: rapid.SliceOfNDistinct(someTags, 0, 2, rapid.ID).Draw(t, "tags"),
		Date:  daysAgo(someDays.Draw(t, "day")).Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "hour")) * time.Hour),
		Level: someLevels.Draw(t, "level"),
	}
})

var someQuery = rapid.Custom(func(t *rapid.T) search.Query {
	piece := rapid.Custom(func(t *rapid.T) string {
		s := strings.TrimSpace(someText(someWords, 1, 2).Draw(t, "words"))
		switch rapid.IntRange(0, 5).Draw(t, "how") {
		case 0:
			return `"` + s + `"`
		case 1:
			return `-"` + s + `"`
		}
		return s
	})
	q := search.Query{
		Text:  strings.Join(rapid.SliceOfN(piece, 0, 2).Draw(t, "text"), " "),
		Desks: rapid.SliceOfNDistinct(someDesks, 0, 1, rapid.ID).Draw(t, "desks"),
		Tags:  rapid.SliceOfNDistinct(someTags, 0, 1, rapid.ID).Draw(t, "tags"),
		Sort:  rapid.SampledFrom([]search.Sort{"", search.Newest, search.Relevance}).Draw(t, "sort"),
		Limit: rapid.IntRange(1, 7).Draw(t, "limit"), Level: someLevels.Draw(t, "who"),
	}
	if rapid.Bool().Draw(t, "dates") {
		from := someDays.Draw(t, "from")
		q.From, q.To = daysAgo(from), daysAgo(rapid.IntRange(0, from).Draw(t, "to"))
	}
	return q
})

// filled makes an index of some segments, in which documents were put, put again
// and deleted, and what it should then hold.
func filled(t *rapid.T) (*Index, reference) {
	x, err := Open("", &Options{Now: func() time.Time { return today }})
	if err != nil {
		t.Fatal(err)
	}
	f := reference{}
	for range rapid.IntRange(1, 4).Draw(t, "batches") {
		b := search.Batch{Put: rapid.SliceOfNDistinct(someDocument, 0, 12, func(d search.Document) search.Key { return d.Key }).Draw(t, "put")}
		for k := range f {
			if rapid.IntRange(0, 9).Draw(t, "delete") == 0 && !slices.ContainsFunc(b.Put, func(d search.Document) bool { return d.Key == k }) {
				b.Delete = append(b.Delete, k)
				delete(f, k)
			}
		}
		for i := range b.Put {
			f[b.Put[i].Key] = &b.Put[i]
		}
		if err := x.Apply(context.Background(), b); err != nil {
			t.Fatal(err)
		}
	}
	if rapid.Bool().Draw(t, "columns") {
		warm(t, x)
	}
	return x, f
}

// warm has the columns read that searches otherwise begin without.
func warm(t rapid.TB, x *Index) {
	if _, err := x.Search(context.Background(), search.Query{Level: search.MaxLevel}); err != nil {
		t.Fatal(err)
	}
	x.current.public.reader.Wait()
	x.current.private.reader.Wait()
}

// TestNewest compares the two ways to the newest documents.
func TestNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, _ := filled(t)
		defer func() { _ = x.Close() }()
		warm(t, x)
		v, err := x.current.view(search.MaxLevel)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = v.close() }()
		hits := make([]*roaring.Bitmap, len(v.segs))
		for i, s := range v.segs {
			if hits[i], err = s.visible(someLevels.Draw(t, "level")); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			n, until := rapid.IntRange(1, 20).Draw(t, "n"), daysAgo(rapid.IntRange(-1, 71).Draw(t, "until"))
			d, ok := v.days(hits)
			if !ok {
				t.Fatal("the dates are not in memory")
			}
			got, rest := d.newest(hits, n, until)
			want, walkRest, err := v.newestWalk(hits, n, until)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if !got[i].Equals(want[i]) {
					t.Fatalf("%d until %v: got %v, want %v", n, until, got[i], want[i])
				}
			}
			if rest && !walkRest {
				t.Fatalf("%d until %v: older ones are left", n, until)
			}
		}
	})
}

// walk returns the keys on all pages, and the first page.
func walkPages(t *rapid.T, x *Index, q search.Query) (all []string, first *search.Results) {
	for {
		r, err := x.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
		}
		all = append(all, keys(r)...)
		if q.Cursor = r.Next; q.Cursor == "" {
			return all, first
		}
	}
}

// TestLikeReference asks an index and a search that looks at every document the
// same: they find the same, in the same order, and count the same.
func TestLikeReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, f := filled(t)
		defer func() { _ = x.Close() }()
		for range 8 {
			q := someQuery.Draw(t, "query")
			list, relaxed := f.search(q, today)
			var want []string
			desks := map[string]int{}
			for _, r := range list {
				want = append(want, r.String())
				desks[r.Desk]++
			}
			got, first := walkPages(t, x, q)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%+v: %s", q, diff)
			}
			if first.Total != len(want) || first.AtMost || first.Relaxed != relaxed {
				t.Fatalf("%+v: %d (at most: %v), relaxed %v; want %d, %v", q, first.Total, first.AtMost, first.Relaxed, len(want), relaxed)
			}
			if diff := cmp.Diff(sorted(desks), first.Facets.Desks); len(q.Desks) == 0 && diff != "" {
				t.Fatalf("%+v: desks %s", q, diff)
			}
		}
	})
}

// TestLimited has an index score and look at next to nothing: it still finds only
// what fits, all of it by date, and counts no fewer.
func TestLimited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, f := filled(t)
		defer func() { _ = x.Close() }()
		x.limits = limits{candidates: rapid.IntRange(2, 6).Draw(t, "candidates"), effort: -1}
		for range 8 {
			q := someQuery.Draw(t, "query")
			list, relaxed := f.search(q, today)
			var want []string
			for _, r := range list {
				want = append(want, r.String())
			}
			got, first := walkPages(t, x, q)
			if relaxed != first.Relaxed {
				continue // what only seems to fit is not relaxed
			}
			exact := first.Total <= x.limits.candidates || q.Sort == search.Newest || q.Sort == "" && q.Text == ""
			if exact && !slices.Equal(got, want) {
				t.Fatalf("%+v: got %v, want %v", q, got, want)
			}
			for i, k := range got {
				if !slices.Contains(want, k) || slices.Contains(got[:i], k) {
					t.Fatalf("%+v: got %v, want of %v", q, got, want)
				}
			}
			if first.Total < len(want) || !first.AtMost && first.Total != len(want) {
				t.Fatalf("%+v: total %d (at most: %v), want %d", q, first.Total, first.AtMost, len(want))
			}
		}
	})
}

// TestUpdatesWhileSearching changes documents under searches: each sees every
// document once, in its old or its new form, and never one that is not public.
func TestUpdatesWhileSearching(t *testing.T) {
	var docs []search.Document
	for i := range 50 {
		docs = append(docs, doc(fmt.Sprintf("blog/%02d", i), "国会の報告", "report", on(daysAgo(i))))
	}
	x, err := Open(t.TempDir(), &Options{Now: func() time.Time { return today }})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, x, search.Batch{Put: docs})
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				r, err := x.Search(context.Background(), search.Query{Text: "国会", Limit: 100, Sort: search.Newest})
				if err != nil {
					t.Error(err)
					return
				}
				seen := map[string]bool{}
				for _, h := range r.Hits {
					if seen[h.ID] || strings.HasPrefix(h.Title, "draft") {
						t.Errorf("%s (%s) twice, or not public", h.ID, h.Title)
					}
					seen[h.ID] = true
				}
				if len(seen) != len(docs)-1 && len(seen) != len(docs) {
					t.Errorf("%d documents, want %d, or one less", len(seen), len(docs))
				}
				if _, err := x.Suggest(context.Background(), "国", 0, 5); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 20 {
		d := docs[i%len(docs)]
		hidden := d
		hidden.Level, hidden.Title = 2, "draft 国会"
		d.Title = fmt.Sprintf("国会の報告 %d", i)
		apply(t, x, search.Batch{Put: []search.Document{hidden}})
		apply(t, x, search.Batch{Put: []search.Document{d}})
	}
	close(done)
	readers.Wait()
	warm(t, x)
	v, err := x.current.view(search.Public)
	if err != nil {
		t.Fatal(err)
	}
	if have := len(x.current.public.columns); have > len(v.segs) {
		t.Errorf("columns of %d segments are in memory, of %d", have, len(v.segs))
	}
	if err := v.close(); err != nil {
		t.Error(err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}
