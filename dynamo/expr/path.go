package expr

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pressroom/dynamo/attr"
)

// maxPath is how many steps a path may have.
const maxPath = attr.MaxNesting

// Step is one step of a document path: a name, or an index into a list.
type Step struct {
	Name  string
	Index int // of a list; -1 for a name
}

// Path is a document path: the name of an attribute, then steps into it.
type Path []Step

// Name is the path of a top-level attribute.
func Name(attribute string) Path { return Path{{Name: attribute, Index: -1}} }

func (s Step) isIndex() bool { return s.Index >= 0 }

// compare orders steps: names by their bytes, then indexes by their number.
func (s Step) compare(o Step) int {
	if s.isIndex() || o.isIndex() {
		return cmp.Compare(s.Index, o.Index)
	}
	return strings.Compare(s.Name, o.Name)
}

// String is the path as in the service's messages: [a, b, [0]].
func (p Path) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range p {
		if i > 0 {
			b.WriteString(", ")
		}
		if s.isIndex() {
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		} else {
			b.WriteString(s.Name)
		}
	}
	b.WriteByte(']')
	return b.String()
}

// in is the value at the path, nil if there is none.
func (p Path) in(item attr.Item) attr.Value {
	v, ok := item.Get(p[0].Name)
	for _, s := range p[1:] {
		if !ok {
			return nil
		}
		v, ok = s.in(v)
	}
	if !ok {
		return nil
	}
	return v
}

// in is the element of a list or map at the step.
func (s Step) in(v attr.Value) (attr.Value, bool) {
	switch {
	case !s.isIndex():
		return v.Item().Get(s.Name)
	case v.Kind() == attr.List:
		return v.Index(s.Index)
	}
	return nil, false
}

// spot is a path that a projection or an update names, and which of its paths it
// is.
type spot struct {
	path  Path
	index int
}

// spots are the paths in the order of an item's attributes, those with a common
// beginning next to each other. It is false if two of them overlap (one begins
// with the other, or is the other) or conflict (they go on from one place by a
// name and by an index).
func spots(paths []Path) ([]spot, bool) {
	list := make([]spot, len(paths))
	for i, p := range paths {
		list[i] = spot{p, i}
	}
	if len(list) > 1 {
		slices.SortFunc(list, func(a, b spot) int { return slices.CompareFunc(a.path, b.path, Step.compare) })
	}
	for i := 1; i < len(list); i++ {
		if clash(list[i-1].path, list[i].path) {
			return nil, false
		}
	}
	return list, true
}

func clash(a, b Path) bool {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return a[i].isIndex() != b[i].isIndex()
		}
	}
	return true
}

// together is how many of the spots, which are not empty, have the same step at
// depth as the first.
func together(list []spot, depth int) int {
	n := 1
	for n < len(list) && list[n].path[depth] == list[0].path[depth] {
		n++
	}
	return n
}

// tops are the distinct first steps of paths in the order of their appearance;
// with nested, only of those that go on.
func tops(paths []Path, nested bool) []string {
	var names []string
	for _, p := range paths {
		if (!nested || len(p) > 1) && !slices.Contains(names, p[0].Name) {
			names = append(names, p[0].Name)
		}
	}
	return names
}
