package model

import "slices"

// WholeVars returns the variables that stand in the template as a whole, not as
// part of a time: those that a key gives back.
func (t Template) WholeVars() []string {
	c, err := compile(t)
	if err != nil {
		return nil
	}
	return slices.Clone(c.whole)
}

// Held returns the fields of an entity that the pattern's answer holds: all of
// them, or of an index those that it projects and those that keys give back.
func (t *Table) Held(p *Pattern, e *Entity) []string {
	var held []string
	x, indexed := t.Index(p.Index)
	for _, f := range e.Fields {
		if !indexed || p.Fetch || x.Projection == All || t.projects(x, e, f.Name) {
			held = append(held, f.Name)
		}
	}
	return held
}

func (t *Table) projects(x *Index, e *Entity, name string) bool {
	if slices.Contains(x.Include, name) {
		return true
	}
	return slices.Contains(t.fromKeys(x, e), name)
}

// fromKeys returns the fields that can be read back from the keys which an entry
// of the index holds: the table's and the index's own, and other key attributes
// that are projected by name.
func (t *Table) fromKeys(x *Index, e *Entity) []string {
	names := slices.Concat(e.PK.WholeVars(), e.SK.WholeVars())
	if x == nil {
		return names
	}
	for i := range t.Indexes {
		other := &t.Indexes[i]
		k, ok := e.Key(other.Name)
		if !ok {
			continue
		}
		if other.Name == x.Name || slices.Contains(x.Include, other.PK.Name) {
			names = append(names, k.PK.WholeVars()...)
		}
		if other.Name == x.Name || other.SK.Name != "" && slices.Contains(x.Include, other.SK.Name) {
			names = append(names, k.SK.WholeVars()...)
		}
	}
	return names
}

// usualBytes is what a field of a kind has if nothing is said.
var usualBytes = map[Kind]int{"": 16, Text: 16, Time: 24, Date: 10, Number: 3, Epoch: 6, Bool: 1, List: 64, Map: 64, Set: 64, Binary: 64}

// maxBytes is what a field of a kind can have at most if nothing is said.
// Collections have no such bound.
var maxBytes = map[Kind]int{"": 2048, Text: 2048, Time: 30, Date: 10, Number: 21, Epoch: 21, Bool: 1}

// MaxSize returns how many bytes a field can have, and whether there is a bound.
// Text of which nothing is said counts 2 KB.
func MaxSize(f Field) (int, bool) {
	if f.Max > 0 {
		return f.Max, true
	}
	longest, bounded := maxBytes[f.Kind]
	for i, v := range f.Values {
		if i == 0 || len(v) > longest {
			longest = len(v)
		}
	}
	return longest, bounded
}

// UsualSize returns how many bytes an item of the entity has as a rule, its
// names included.
func UsualSize(e *Entity) int {
	total := len(e.PK) + len(e.SK)
	for _, f := range e.Fields {
		total += len(f.Name) + usualSize(f)
	}
	return total
}

func usualSize(f Field) int {
	switch {
	case f.Size > 0:
		return f.Size
	case len(f.Values) > 0:
		return len(f.Values[0])
	}
	return usualBytes[f.Kind]
}
