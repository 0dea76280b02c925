package find

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	tests := []struct {
		name, text string
		words      []string
		want       []string
	}{
		{"whole words of Latin", "cap, captain; no cap!", []string{"cap", "no cap"}, []string{"cap", "no cap"}},
		{"longest at one place", "no cap at all", []string{"no", "no cap", "cap"}, []string{"no cap"}},
		{"suffix of a longer try", "xabcz abd", []string{"abcd", "bc", "abd"}, []string{"abd"}},
		{"case and width", "ＮＯ ＣＡＰ and No\n Cap", []string{"no cap"}, []string{"ＮＯ ＣＡＰ", "No\n Cap"}},
		{"narrow kana", "ﾊﾞｽﾞってる", []string{"バズって"}, []string{"ﾊﾞｽﾞって"}},
		{"marks apart", "cafe\u0301 society", []string{"café"}, []string{"cafe\u0301"}},
		{"apostrophes", "he’s rizz’d", []string{"rizz'd"}, []string{"rizz’d"}},
		{"Japanese without spaces", "昨日の推し活がエモいし尊い", []string{"推し", "推し活", "エモい", "尊い"}, []string{"推し活", "エモい", "尊い"}},
		{"katakana is whole", "スマホとマホ", []string{"マホ"}, []string{"マホ"}},
		{"one kanji stands alone", "草原で草", []string{"草"}, []string{"草"}},
		{"short hiragana stands alone", "ぴえんと、ぴえ。", []string{"ぴえ"}, []string{"ぴえ"}},
		{"short hiragana is no ending", "残り半分を、り。サボり", []string{"り"}, []string{"り"}},
		{"emoji", "so 💀💀", []string{"💀"}, []string{"💀", "💀"}},
		{"nothing", "", []string{"a"}, nil},
		{"no words", "a", []string{"", " "}, nil},
		{"not UTF-8", "a\xffcap\xff", []string{"cap"}, []string{"cap"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var entries []Entry
			for i, w := range tt.words {
				entries = append(entries, Entry{w, i})
			}
			var got []string
			for _, m := range New(entries).Find(tt.text) {
				got = append(got, tt.text[m.Start:m.End])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFirstOfSameReading(t *testing.T) {
	got := New([]Entry{{"Rizz", 7}, {"rizz", 8}}).Find("rizz")
	if diff := cmp.Diff([]Match{{0, 4, 7}}, got); diff != "" {
		t.Error(diff)
	}
}

// naive finds the same by trying every word at every place.
func naive(entries []Entry, text string) []Match {
	t := fold(text)
	var found []Match
	for i := 0; i < len(t.runes); {
		best, id := 0, 0
		for _, e := range entries {
			w := fold(strings.TrimSpace(e.Text)).runes
			if n := len(w); n > best && i+n <= len(t.runes) && string(t.runes[i:i+n]) == string(w) && edgesOf(w).allow(t.runes, i, i+n) {
				best, id = n, e.ID
			}
		}
		if best == 0 {
			i++
			continue
		}
		found = append(found, Match{int(t.starts[i]), int(t.starts[i+best]), id})
		i += best
	}
	return found
}

func TestAgainstNaive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("ab cあいア推草💀")
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteRune(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	for round := range 300 {
		var entries []Entry
		for i := range 1 + random.IntN(30) {
			entries = append(entries, Entry{text(1 + random.IntN(5)), i})
		}
		s := text(200)
		if diff := cmp.Diff(naive(entries, s), New(entries).Find(s)); diff != "" {
			t.Fatalf("round %d: %v in %q: %s", round, entries, s, diff)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("no cap", "cap", "fr NO ＣＡＰ")
	f.Add("ﾊﾞ", "\u3099", "ﾊﾞﾊ\u3099バ")
	f.Fuzz(func(t *testing.T, a, b, text string) {
		entries := []Entry{{a, 1}, {b, 2}}
		if diff := cmp.Diff(naive(entries, text), New(entries).Find(text)); diff != "" {
			t.Error(diff)
		}
	})
}

// vocabulary is so many terms as a large lexicon has, two thirds of Latin.
func vocabulary(n int) []Entry {
	random := rand.New(rand.NewPCG(3, 4))
	kana := []rune("あいうえおかきくけこさしすせそたちつてとなにぬねのエモバズリガチ推尊沼神草")
	entries := make([]Entry, n)
	for i := range entries {
		var b strings.Builder
		if i%3 == 0 {
			for range 3 + random.IntN(5) {
				b.WriteRune(kana[random.IntN(len(kana))])
			}
		} else {
			for range 3 + random.IntN(9) {
				b.WriteByte("etaoinshrdlucmfwypvbgkjqxz"[min(random.IntN(26), random.IntN(26))])
			}
		}
		entries[i] = Entry{b.String(), i}
	}
	return entries
}

// BenchmarkFind is one megabyte of English, Japanese or both, full of terms,
// against a hundred thousand.
func BenchmarkFind(b *testing.B) {
	entries := vocabulary(100_000)
	finder := New(entries)
	random := rand.New(rand.NewPCG(5, 6))
	for _, lang := range []string{"english", "japanese", "mixed"} {
		var text strings.Builder
		for text.Len() < 1<<20 {
			e := entries[random.IntN(len(entries))].Text
			japanese := e[0] >= 0x80
			switch {
			case lang == "english" && japanese, lang == "japanese" && !japanese:
			case japanese:
				text.WriteString(e + "と言った人が")
			default:
				fmt.Fprintf(&text, "%s and then the others %sx said ", e, e)
			}
		}
		s := text.String()[:1<<20]
		b.Run(lang, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				if len(finder.Find(s)) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	entries := vocabulary(100_000)
	for b.Loop() {
		New(entries)
	}
}
