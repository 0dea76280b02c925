package builtin

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", nil},
		{" \n ", nil},
		{"開会します。次に移ります。", []string{"開会します。", "次に移ります。"}},
		{"彼は「行きます。そうします。」と言った。以上。", []string{"彼は「行きます。そうします。」と言った。", "以上。"}},
		{"本当か！？はい。", []string{"本当か！？", "はい。"}},
		{"見出し\n本文です。", []string{"見出し", "本文です。"}},
		{"前年比３．５％増です", []string{"前年比３．５％増です"}},
		{"Mr. Smith of the U.S. paid $3.50. He left.", []string{"Mr. Smith of the U.S. paid $3.50.", "He left."}},
		{"He said \"Stop!\" Then he ran. why not?", []string{"He said \"Stop!\"", "Then he ran. why not?"}},
		{"A line that is\nwrapped goes on.\n\nA new paragraph", []string{"A line that is\nwrapped goes on.", "A new paragraph"}},
		{"Items:\n- one\n- two", []string{"Items:", "- one", "- two"}},
		{"J. R. Tolkien wrote (see p. 3. of it) this. End", []string{"J. R. Tolkien wrote (see p. 3. of it) this.", "End"}},
		{"See www.example.com. Wait... what? Yes.", []string{"See www.example.com.", "Wait... what?", "Yes."}},
		{"終わり。The end. また", []string{"終わり。", "The end.", "また"}},
		{"（注。", []string{"（注。"}},
	}
	for _, test := range tests {
		var got []string
		for _, s := range split(test.text) {
			got = append(got, test.text[s.start:s.end])
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
	}
}

// Hostile text takes no more than linear time: however long it is, no part of it is
// looked at more than a few times.
func TestSplitIsLinear(t *testing.T) {
	const n = 1 << 14
	for name, text := range map[string]string{
		"marks":             strings.Repeat(".", n) + "a",
		"letters and marks": strings.Repeat("a.", n),
		"sentences":         strings.Repeat("A b. ", n),
		"line breaks":       strings.Repeat("\n", n),
		"white lines":       strings.Repeat(" \n\t", n),
		"white mark":        strings.Repeat(" ", n) + "." + strings.Repeat(" ", n),
		"marks and white":   strings.Repeat("."+strings.Repeat(" ", 100), n/100),
		"open brackets":     strings.Repeat("「", n),
		"letters":           strings.Repeat("a", n) + ". b",
		"letters and comma": strings.Repeat(strings.Repeat("a", 1000)+",", n/1000),
		"quotes":            strings.Repeat("?\"", n),
	} {
		s := splitter{text: text}
		s.split()
		if s.looked > 4*len(text) {
			t.Errorf("%s: looked at %d bytes of %d ahead or back", name, s.looked, len(text))
		}
	}
}

// Nothing is lost and nothing is twice, however the text is cut.
func FuzzSplit(f *testing.F) {
	f.Add("開会します。「はい。」Mr. X. ok?")
	f.Add(strings.Repeat("あ", 3000))
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, s := range split(text) {
			if s.start < last || s.end <= s.start || s.end > len(text) {
				t.Fatalf("%v after %d in %q", s, last, text)
			}
			if strings.TrimSpace(text[last:s.start]) != "" {
				t.Fatalf("%q is in no sentence", text[last:s.start])
			}
			last = s.end
		}
		if strings.TrimSpace(text[last:]) != "" {
			t.Fatalf("%q is in no sentence", text[last:])
		}
	})
}

func TestFeatures(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"The taxes were taxed", []string{"tax", "tax"}},
		{"stopping, stopped; stops", []string{"stop", "stop", "stop"}},
		{"予算を審議します", []string{"予算", "算を", "を審", "審議", "議し"}},
		{"ＧＤＰは２％", []string{"gdp"}}, // A single digit is no feature.
		{"私", []string{"私"}},
		{"です", nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, features(test.text)); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
	}
}

// The sentence that shares most with the others comes first, repetitions do not
// come twice.
func TestDiverse(t *testing.T) {
	var sentences []*sentence
	for i, text := range []string{
		"The new bridge over the river will cost forty million.",
		"The weather was cold on the day of the meeting itself.",
		"The new bridge over the river will cost forty million!",
		"Engineers say the river bridge needs forty million for steel.",
	} {
		sentences = append(sentences, &sentence{text: text, index: i})
	}
	vectorize(sentences)
	rank(sentences)
	got := diverse(sentences, 2)
	if len(got) != 2 || got[0].index == 1 || got[1].index == 2 && got[0].index == 0 || got[1].index == 0 && got[0].index == 2 {
		t.Errorf("chose %d and %d", got[0].index, got[1].index)
	}
}

// A sentence that repeats most of a chosen one comes after one with something new,
// although it is more like the rest.
func TestDiversePrefersNews(t *testing.T) {
	vector := func(values ...float64) []weight {
		var v []weight
		for i, value := range values {
			v = append(v, weight{i, value})
		}
		normalize(v)
		return v
	}
	sentences := []*sentence{
		{index: 0, score: 1, vector: vector(1, 0.2)},
		{index: 1, score: 0.9, vector: vector(1, 0.9)},
		{index: 2, score: 0.6, vector: vector(0, 0, 1)},
	}
	if got := diverse(sentences, 2); got[0].index != 0 || got[1].index != 2 {
		t.Errorf("chose %d and %d", got[0].index, got[1].index)
	}
}
