package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/ikawaha/kagome-dict/ipa"
)

func texts(tokens []Token) string {
	var out []string
	for _, t := range tokens {
		out = append(out, t.Text)
	}
	return strings.Join(out, " ")
}

func TestTerms(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"", ""},
		{"エモい", "エモ モい"},
		{"東京都", "東京 京都"},
		{"Voting votes", "vote vote"},
		{"ｱﾆﾒのＡＩ規制", "アニ ニメ メの ai 規制"},
		{"don't 3.5 COVID-19", "don't 3.5 covid 19"},
		{"が", "が"}, // decomposed
		{"税、金", "税 金"},
		{"the ministry's", "the ministri"},
	} {
		if got := texts(Terms(tc.in)); got != tc.want {
			t.Errorf("Terms(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestBases(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"京都を訪れた", "京都 訪れる"},
		{"訪れる", "訪れる"},
		{"no Japanese", ""},
		{"法案が可決されました。", "法案 可決 する"},
	} {
		got, err := Bases(tc.in)
		if err != nil {
			t.Fatal(err)
		}
		if texts(got) != tc.want {
			t.Errorf("Bases(%q) = %q, want %q", tc.in, texts(got), tc.want)
		}
	}
}

func TestParse(t *testing.T) {
	if _, err := Bases("読む"); err != nil { // the dictionary is there from here on
		t.Fatal(err)
	}
	type unit struct {
		Terms string
		Loose []Loose
		Not   bool
	}
	for _, tc := range []struct {
		in   string
		want []unit
	}{
		{" 　", nil},
		{`"`, nil},
		{"税", []unit{{Terms: "税", Loose: []Loose{{"税", true}}}}},
		{"消費税 votes", []unit{{Terms: "消費 費税"}, {Terms: "vote"}}},
		{"税の減額", []unit{{Terms: "税の の減 減額", Loose: []Loose{{"税", true}, {"減額", true}}}}},
		{`「東京都」 -"new york"`, []unit{{Terms: "東京 京都"}, {Terms: "new york", Not: true}}},
		{"-ドラマ", []unit{{Terms: "ドラ ラマ", Not: true}}},
		{"AI規制", []unit{{Terms: "ai 規制", Loose: []Loose{{"規制", true}, {"ai", false}}}}},
	} {
		var got []unit
		for _, u := range Parse(tc.in) {
			got = append(got, unit{texts(u.Terms), u.Loose, u.Not})
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("Parse(%q): %s", tc.in, diff)
		}
	}
}

func TestStarts(t *testing.T) {
	got := Starts("新しいスタジアムの建設 Tokyo Dome", 10, 5)
	want := []string{"新しいスタ", "スタジアム", "建設 to", "tokyo", "dome"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzTerms checks that tokens lie in their text, in order, on letters' borders.
func FuzzTerms(f *testing.F) {
	for _, s := range []string{"エモい", "ｶﾞｷﾞ", "が", "a'b", "\xff\xfe", "㍿ﬁ", "1.2.3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		before := 0
		for _, tok := range Terms(s) {
			if tok.Start < before || tok.End <= tok.Start || tok.End > len(s) || tok.Text == "" {
				t.Fatalf("token %+v of %q after %d", tok, s, before)
			}
			if utf8.ValidString(s) && !utf8.ValidString(s[tok.Start:tok.End]) {
				t.Fatalf("token %+v of %q cuts a letter", tok, s)
			}
			before = tok.Start
		}
		Parse(s)
		Starts(s, 5, 10)
	})
}

// The loaded dictionary keeps the forms and readings of its words and nothing else of what
// it tells of them, which would be more than half of its memory.
func TestDictionaryKeepsFormsAndReadings(t *testing.T) {
	if err := Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	d, f := ipa.Dict(), dictionary.loaded.Load().forms
	if r := dictionary.loaded.Load().readings; len(r.ends) != len(d.Morphs) || len(r.text) > 8<<20 {
		t.Errorf("%d readings of %d words in %d bytes", len(r.ends), len(d.Morphs), len(r.text))
	}
	if len(d.Contents) != 0 || len(f.ends) != len(d.Morphs) || len(f.text) > 8<<20 {
		t.Errorf("contents of %d words, %d forms of %d words in %d bytes", len(d.Contents), len(f.ends), len(d.Morphs), len(f.text))
	}
	small := formsOf([][]string{{"x", "行く"}, {}, {"走る"}}, func(id int) int { return 1 - id/2 })
	for id, want := range []string{"行く", "", "走る"} {
		if got := small.of(id); got != want {
			t.Errorf("form %d is %q, want %q", id, got, want)
		}
	}
}
