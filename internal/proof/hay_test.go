package proof

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pressroom/guard/guardtest"
)

// What a text is found to have is the same with an index and without.
func TestHaystack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("予算案の質疑a-")
	text := make([]rune, 3000)
	for i := range text {
		text[i] = letters[random.IntN(len(letters))]
	}
	h := &haystack{text: string(text)}
	for i := range 4000 {
		at, n := random.IntN(len(text)-12), 1+random.IntN(12)
		s := string(text[at : at+n])
		if i%2 == 0 {
			s += "無"
		}
		want := strings.Index(h.text, s)
		if got := h.first(s); got != want || h.has(s) != (want >= 0) {
			t.Fatalf("%q is at %d, want %d", s, got, want)
		}
	}
	if h.index == nil {
		t.Error("the text was searched often and has no index")
	}
}

// The lines of a long record that are looked at closely are those that share most with a sentence.
func TestNarrow(t *testing.T) {
	_, _, passages, a := long(t)
	r := NewRecord("2026-04-16", "衆議院予算委員会", passages[:45])
	c := r.cite(r.all(), false)
	if len(c.all) <= 2*manyLines {
		t.Fatalf("%d lines", len(c.all))
	}
	for _, s := range a.Sentences()[:guardtest.Few(40)] {
		for _, l := range read(s.Text, r.day) {
			if got, want := c.narrow(l), plainly(c.all, l); !slices.Equal(got, want) {
				t.Errorf("%s: other lines", s.Text)
			}
		}
	}
}

// plainly is narrow without postings.
func plainly(all []*line, s *line) []*line {
	score := map[*line]int{}
	for _, l := range all {
		score[l] = len(l.quantities) + len(l.moments)
		for i := range l.words {
			if slices.ContainsFunc(s.words, func(w word) bool { return w.kind != function && w.base == l.words[i].base }) {
				score[l] += 2
			}
		}
	}
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b *line) int { return score[b] - score[a] })
	out = out[:manyLines]
	return slices.DeleteFunc(slices.Clone(all), func(l *line) bool { return !slices.Contains(out, l) })
}
