package thread

import (
	"cmp"
	"slices"
	"strings"
)

// mostShared is how much of what stories share is told.
const mostShared = 12

// shared is what stories have in common that people understand: bills, names, titles and
// numbers, the most telling first. What is a part of something else that the same stories
// share is left out.
func (x *Index) shared(docs []*doc) []Shared {
	in := map[uint32][]int{}
	for i, d := range docs {
		for _, u := range d.terms {
			switch {
			case u.kind == Bill || u.kind == Title || u.kind == Number && len(x.terms[u.id].term.Text) > 2,
				(u.kind == Name || u.kind == Phrase) && u.at&whole > 0:
				in[u.id] = append(in[u.id], i)
			}
		}
	}
	type found struct {
		Shared
		weight float64
	}
	var all []found
	for id, stories := range in {
		if t := x.terms[id].term; len(stories) > 1 {
			all = append(all, found{Shared{t.Kind, t.Text, stories}, x.weight(id) * float64(len(stories)) * telling[t.Kind]})
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Text, b.Text))
	})
	var out []Shared
	for i, f := range all {
		part := slices.ContainsFunc(all[:min(len(all), 4*mostShared)], func(o found) bool {
			return o.Text != f.Text && strings.Contains(o.Text, f.Text) && (subset(f.In, o.In) || o.Kind == Bill)
		}) || slices.ContainsFunc(all[:i], func(o found) bool {
			return o.Text == f.Text || f.Kind == Phrase && beside(f.Text, o.Text) && subset(f.In, o.In)
		})
		if part || f.weight <= 0 {
			continue
		}
		if out = append(out, f.Shared); len(out) == mostShared {
			break
		}
	}
	return out
}

// beside tells whether two pairs of words have one in common, as Mayor Ada and Ada Finch.
func beside(a, b string) bool {
	first, second, pair := strings.Cut(a, " ")
	words := strings.Fields(b)
	return pair && len(words) > 1 && (slices.Contains(words, first) || slices.Contains(words, second))
}

// telling is how much a kind says to a reader.
var telling = map[Kind]float64{Bill: 3, Phrase: 1.5, Title: 1.2, Name: 1, Number: 0.8}

// subset tells whether all of a are in b.
func subset(a, b []int) bool {
	return !slices.ContainsFunc(a, func(i int) bool { return !slices.Contains(b, i) })
}
