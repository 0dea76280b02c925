package lexicon

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
)

func TestSlug(t *testing.T) {
	tests := []struct{ term, want, problem string }{
		{"No Cap", "no-cap", ""},
		{"  ＮＯ\u3000 ＣＡＰ ", "no-cap", ""},
		{"ﾊﾞｽﾞる", "バズる", ""},
		{"エモい", "エモい", ""},
		{"café", "café", ""},
		{"cafe\u0301", "café", ""},
		{"w/e", "w/e", ""},
		{"💀", "💀", ""},
		{"❤\uFE0F", "❤", ""},
		{"<3", "", "signs"},
		{"", "", "empty"},
		{" \t\n", "", "empty"},
		{"!?", "", "must have a letter"},
		{"сар", "", "neither Latin nor Japanese"}, // Cyrillic
		{"cаp", "", "neither Latin nor Japanese"}, // Cyrillic а
		{"ρizz", "", "neither Latin nor Japanese"},
		{"rɪzz", "", "neither Latin nor Japanese"},
		{"rızz", "", "neither Latin nor Japanese"},
		{"no\u200Bcap", "", "invisible"},
		{"no\u202Ecap", "", "invisible"},
		{"no\u00ADcap", "", "invisible"},
		{"no\u2800cap", "", "invisible"},
		{"\U000E0061bc", "", "invisible"},
		{"a\u0335b", "", "mark"},
		{"a\x00b", "", "invisible"},
		{"a\xffb", "", "not valid"},
		{strings.Repeat("a", 60), strings.Repeat("a", 60), ""},
		{strings.Repeat("a", 61), "", "at most 60"},
		{strings.Repeat("あ", 10_000), "", "long"},
		{"<script>", "", "signs"},
	}
	for _, tt := range tests {
		got, err := Slug(tt.term)
		problem := ""
		if f := errs.Fields(err); len(f) > 0 {
			problem = f[0].Message
		}
		if got != tt.want || (tt.problem == "") != (problem == "") || !strings.Contains(problem, tt.problem) {
			t.Errorf("Slug(%.30q) = %q, %q; want %q, %q", tt.term, got, problem, tt.want, tt.problem)
		}
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("No Cap")
	f.Add("ﾊﾞｽﾞる")
	f.Add("İstanbul")
	f.Fuzz(func(t *testing.T, term string) {
		slug, err := Slug(term)
		if err != nil {
			return
		}
		again, err := Slug(slug)
		if err != nil || again != slug {
			t.Errorf("%q has the slug %q, which has %q, %v", term, slug, again, err)
		}
		if strings.ContainsAny(slug, " \t\n<>") || slug == "" || len(slug) > termMax {
			t.Errorf("%q has the slug %q", term, slug)
		}
	})
}

func TestSameLook(t *testing.T) {
	tests := []struct {
		a, b string
		same bool
	}{
		{"lol", "1o1", true}, {"コミュ力", "コミュカ", true}, {"low-key", "lowkey", true}, {"へら", "ヘら", true},
		{"rizz'd", "rizz’d", true}, {"cap", "cop", false}, {"草", "笑", false},
	}
	for _, tt := range tests {
		a, _ := spell(tt.a)
		b, _ := spell(tt.b)
		if (a.skeleton == b.skeleton) != tt.same {
			t.Errorf("%q is %q and %q is %q", tt.a, a.skeleton, tt.b, b.skeleton)
		}
	}
}

func slugs(list []Listing) []string {
	var all []string
	for _, l := range list {
		all = append(all, l.Slug)
	}
	return all
}

func TestTermLife(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	empty, err := f.Empty(ctx)
	if want(t, err, nil); !empty {
		t.Error("it is not empty at the beginning")
	}
	cap := f.term(Term{Term: "No Cap", Variants: []string{"nocap", "No-Cap", "ncap", "n.cap"}, Tags: []string{"Truth", "truth"}, Regions: []string{"US"}, Categories: []string{"Emphasis"}, QuizEligible: true})
	if cap.Slug != "no-cap" || cap.QuizDifficulty != Intermediate || *cap.QuizScore != 0.81 || cap.QuizCategory != "emphasis" {
		t.Errorf("the term is %+v", cap)
	}
	for _, text := range []string{"no cap", "ＮＯＣＡＰ", "N-cap", "nocap"} {
		found, err := f.Lookup(ctx, text)
		if want(t, err, nil); len(found) != 1 || found[0].Slug != "no-cap" {
			t.Errorf("%q finds %v", text, found)
		}
	}
	for facet, value := range map[string]string{ByTag: "truth", ByRegion: "US", ByCategory: "emphasis", ByInitial: "n"} {
		page, err := f.Browse(ctx, facet, value, PageOptions{})
		want(t, err, nil)
		if diff := cmp.Diff([]string{"no-cap"}, slugs(page.Items)); diff != "" {
			t.Errorf("%s %s: %s", facet, value, diff)
		}
	}
	stale := cap
	cap.Tags, cap.Variants, cap.Regions = []string{"honest"}, []string{"ncap"}, nil
	want(t, f.SaveTerm(ctx, &cap), nil)
	want(t, f.SaveTerm(ctx, &stale), errs.Stale)
	page, err := f.Browse(ctx, ByTag, "truth", PageOptions{})
	if want(t, err, nil); len(page.Items) > 0 {
		t.Error("it stays under a tag that it lost")
	}
	f.term(Term{Term: "nocap2", Variants: []string{"ncap"}})
	found, err := f.Lookup(ctx, "ncap")
	if want(t, err, nil); len(found) != 2 {
		t.Errorf("a variant of two terms finds %d", len(found))
	}
	twin := Term{Term: "n0-cap", Gloss: "x"}
	want(t, f.SaveTerm(ctx, &twin), errs.Duplicate)
	again := Term{Term: "no cap", Gloss: "x"}
	want(t, f.SaveTerm(ctx, &again), errs.Duplicate)
	want(t, f.DeleteTerm(ctx, "no-cap"), nil)
	_, err = f.Term(ctx, "no-cap")
	want(t, err, errs.NotFound)
	found, err = f.Lookup(ctx, "nocap")
	if want(t, err, nil); len(found) > 0 {
		t.Error("a deleted term is found")
	}
	page, err = f.Browse(ctx, ByTag, "honest", PageOptions{})
	if want(t, err, nil); len(page.Items) > 0 {
		t.Error("a deleted term is listed")
	}
}

func TestBadTerms(t *testing.T) {
	good := func() Term { return Term{Term: "ok", Gloss: "good", Confidence: 0.5, Momentum: 0.5} }
	tests := []struct {
		name   string
		change func(*Term)
		want   []string
	}{
		{"script in the gloss", func(x *Term) { x.Gloss = "<script>alert(1)</script>" }, []string{"gloss"}},
		{"entity in the gloss", func(x *Term) { x.Gloss = "&#60;b&#62;" }, []string{"gloss"}},
		{"no gloss", func(x *Term) { x.Gloss = "" }, []string{"gloss"}},
		{"hidden text", func(x *Term) { x.Examples = []string{"a\u202Eb"} }, []string{"examples[0]"}},
		{"long example", func(x *Term) { x.Examples = []string{strings.Repeat("x", 301)} }, []string{"examples[0]"}},
		{"many tags", func(x *Term) { x.Tags = strings.Split("a b c d e f g h i", " ") }, []string{"tags"}},
		{"confidence", func(x *Term) { x.Confidence, x.Momentum = 1.1, -0.1 }, []string{"confidence", "momentum"}},
		{"language", func(x *Term) { x.Language, x.Glosses = "xx", map[string]string{"fr": "a"} }, []string{"glosses", "language"}},
		{"variant", func(x *Term) { x.Variants = []string{"сар"} }, []string{"variants"}},
		{"a heart is no markup", func(x *Term) { x.Gloss = "love <3 & peace" }, nil},
	}
	f := open(t, nil, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := good()
			tt.change(&x)
			err := f.SaveTerm(t.Context(), &x)
			if diff := cmp.Diff(tt.want, fields(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPages(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	for _, name := range []string{"aa", "ab", "ac", "ad", "ae"} {
		f.term(Term{Term: name, Tags: []string{"x"}})
	}
	var got []string
	p := PageOptions{Limit: 2}
	for {
		page, err := f.Browse(ctx, ByTag, "x", p)
		want(t, err, nil)
		got = append(got, slugs(page.Items)...)
		if p.Cursor = page.Next; p.Cursor == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"aa", "ab", "ac", "ad", "ae"}, got); diff != "" {
		t.Error(diff)
	}
	page, err := f.Browse(ctx, ByTag, "x", PageOptions{Limit: 2})
	want(t, err, nil)
	_, err = f.Browse(ctx, ByTag, "y", PageOptions{Cursor: page.Next})
	if want(t, err, errs.Malformed); fields(err)[0] != "cursor" {
		t.Errorf("another list's cursor: %v", err)
	}
	_, err = f.Browse(ctx, ByTag, "x", PageOptions{Limit: 101})
	want(t, err, errs.Invalid)
	_, err = f.Browse(ctx, "colour", "x", PageOptions{})
	want(t, err, errs.Invalid)
	_, err = f.Browse(ctx, ByTag, strings.Repeat("x", 200), PageOptions{})
	want(t, err, errs.Invalid)
}

func TestRelatedAndFacets(t *testing.T) {
	f := open(t, nil, Options{})
	f.term(Term{Term: "rizz", Tags: []string{"charm", "common"}})
	f.term(Term{Term: "rizzler", Tags: []string{"charm", "common"}})
	f.term(Term{Term: "bussin", Tags: []string{"common"}})
	f.term(Term{Term: "skibidi", Tags: []string{"other"}})
	e, err := f.Entry(t.Context(), "rizz")
	want(t, err, nil)
	if diff := cmp.Diff([]string{"rizzler", "bussin"}, slugs(e.Related)); diff != "" {
		t.Error(diff)
	}
	b, err := f.Book(t.Context())
	want(t, err, nil)
	if diff := cmp.Diff([]Facet{{"common", 3}, {"charm", 2}, {"other", 1}}, b.Facets(ByTag)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Facet{{"b", 1}, {"r", 2}, {"s", 1}}, b.Facets(ByInitial)); diff != "" {
		t.Error(diff)
	}
}

// Another process sees changes when it looks again.
func TestBookOfAnotherProcess(t *testing.T) {
	f := open(t, nil, Options{})
	other, err := New(f.store, nil, &f.o)
	want(t, err, nil)
	length := func() int {
		b, err := other.Book(t.Context())
		want(t, err, nil)
		return b.Len()
	}
	f.term(Term{Term: "one"})
	if n := length(); n != 1 {
		t.Errorf("%d terms", n)
	}
	f.term(Term{Term: "two"})
	if n := length(); n != 1 {
		t.Errorf("%d terms before it looks", n)
	}
	f.clock.advance(f.o.Refresh)
	if n := length(); n != 2 {
		t.Errorf("%d terms after it looked", n)
	}
}

// While one caller reads the terms, the others have the old ones; at the first time
// they wait.
func TestBookTogether(t *testing.T) {
	f := open(t, nil, Options{})
	f.term(Term{Term: "one"})
	together(t, 50, nil, func(i int) error {
		if i%10 == 0 {
			return f.termsChanged(t.Context())
		}
		b, err := f.Book(t.Context())
		if err == nil && b.Len() != 1 {
			t.Errorf("%d terms", b.Len())
		}
		return err
	})
	f.term(Term{Term: "two"})
	b, err := f.Book(t.Context())
	if want(t, err, nil); b.Len() != 2 {
		t.Errorf("%d terms after a change of one's own", b.Len())
	}
}
