// Package find finds the words of a list in running text: all of them in one
// pass, whatever the number of words, with the Aho-Corasick algorithm.
//
// It promises that matches do not overlap, that of several words which begin at
// one place the longest is found, and that case, width and the way in which a
// letter is composed make no difference. Words of scripts with spaces are found
// only as whole words, those of Japanese wherever the script says that they can
// stand (see boundary.go).
//
// Start with [New] and [Finder.Find]; automaton.go is the machine, fold.go what is
// taken for the same letter.
package find

import (
	"slices"
	"strings"
)

// Entry is a text to find, and whose it is.
type Entry struct {
	Text string
	ID   int
}

// Match is a place in a text, in bytes, where an entry was found.
type Match struct {
	Start, End int
	ID         int
}

// Finder finds entries. It does not change, and may be used from many
// goroutines.
type Finder struct {
	machine automaton
	words   []word
}

// word is an entry as the machine knows it.
type word struct {
	runes []rune
	edges edges
	id    int
}

// New returns a finder of the entries. Of entries that read the same the first
// counts; empty ones are never found.
func New(entries []Entry) *Finder {
	f := &Finder{}
	for _, e := range entries {
		folded := fold(strings.TrimSpace(e.Text))
		if len(folded.runes) == 0 {
			continue
		}
		f.words = append(f.words, word{folded.runes, edgesOf(folded.runes), e.ID})
	}
	slices.SortStableFunc(f.words, func(a, b word) int { return slices.Compare(a.runes, b.runes) })
	f.words = slices.CompactFunc(f.words, func(a, b word) bool { return slices.Equal(a.runes, b.runes) })
	f.machine = build(f.words)
	return f
}

// Len returns how many different words there are.
func (f *Finder) Len() int { return len(f.words) }

// Find returns where entries stand in the text, in order.
func (f *Finder) Find(text string) []Match {
	if len(f.words) == 0 {
		return nil
	}
	t := fold(text)
	longest := f.machine.run(t.runes, f.words, func(word int32, start, end int) bool {
		return f.words[word].edges.allow(t.runes, start, end)
	})
	var found []Match
	for i := 0; i < len(longest); {
		if longest[i] == 0 {
			i++
			continue
		}
		w := &f.words[longest[i]-1]
		end := i + len(w.runes)
		found = append(found, Match{Start: int(t.starts[i]), End: int(t.starts[end]), ID: w.id})
		i = end
	}
	return found
}
