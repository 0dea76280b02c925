package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pressroom/internal/search/text"
	"pressroom/internal/story"
)

// What a form that is not a name as it is written begins with.
const (
	soundMark  = "~" // how it is read, as text.Latin writes it
	officeMark = "@" // an office of a person
)

// Forms returns the forms by which a name is found: as it is written, its words in another
// order, its reading, and the offices of a person.
func Forms(n *Name) []string {
	var out []string
	for _, name := range append([]string{n.Name}, n.Aliases...) {
		out = append(out, text.Form(name), text.Written(name))
		if words := strings.Fields(name); n.Kind == story.Person && len(words) > 1 && latin(name) {
			last := len(words) - 1
			other := strings.Join(turned(words), " ")
			out = append(out, text.Form(other), text.Written(other), text.Form(words[0][:1]+" "+words[last]))
		}
	}
	reading := n.Reading
	if reading == "" && n.Kind != story.Person { // people read their names as they like
		reading, _ = text.ReadingOf(n.Name) // a dictionary that cannot be read is a broken build
	}
	if sound := text.Latin(reading); sound != "" {
		out = append(out, soundMark+sound)
	}
	for _, office := range n.Offices {
		out = append(out, officeMark+text.Form(office))
	}
	return out
}

// latin tells of a text in Latin letters.
func latin(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) {
			return false
		}
	}
	return true
}

// ofSource is the kind of the names of sources.
const ofSource = "source"

// AllNames returns the names of a document, that of its source among them.
func (d *Document) AllNames() []Name {
	if d.Source == "" {
		return d.Names
	}
	return append(d.Names[:len(d.Names):len(d.Names)], Name{Kind: ofSource, Name: d.Source, Path: d.Source})
}

// HasForm tells whether a name has a form, or one that begins so or is near, and which.
func HasForm(n *Name, form string, how Nearness) (own string, ok bool) {
	for _, own = range Forms(n) {
		switch {
		case own == form, how == Begins && strings.HasPrefix(own, form), how == Near && Distance(own, form) <= Slips(form):
			return own, true
		}
	}
	return "", false
}

// Slips is how many letters may be wrong in a form.
func Slips(form string) int {
	n := utf8.RuneCountInString(form)
	if form[0] < 0x80 {
		return min(2, n/4)
	}
	return min(2, n/3)
}

// Distance is how many letters two words differ in: Levenshtein's.
func Distance(one, other string) int {
	a, b := []rune(one), []rune(other)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		before := slices.Clone(row)
		row[0] = i + 1
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			row[j+1] = min(row[j]+1, before[j+1]+1, before[j]+cost)
		}
	}
	return row[len(b)]
}
