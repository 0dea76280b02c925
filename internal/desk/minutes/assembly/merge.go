package assembly

import (
	"maps"
	"reflect"
	"slices"
)

// merge adds what another register says. What both say is kept once.
func (r *Register) merge(from *Register) error {
	for _, id := range slices.Sorted(maps.Keys(from.aliases)) {
		r.Join(id, from.aliases[id])
	}
	for _, p := range from.Sorted() {
		to := r.Person(r.Who(p.ID))
		size := add(&to.Names, p.Names, 96) + add(&to.Links, p.Links, 64) + add(&to.Offices, p.Offices, 320) + add(&to.Extra, p.Extra, 160)
		for _, field := range []struct{ to, from *string }{{&to.Sex, &p.Sex}, {&to.Birth, &p.Birth}, {&to.Death, &p.Death}} {
			if *field.to == "" {
				*field.to = *field.from
			}
		}
		to.Attrs = to.Attrs.fill(p.Attrs)
		if err := r.Take(size + p.Attrs.size()); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(from.Organisations)) {
		o, to := from.Organisations[id], r.Organisation(id)
		size := add(&to.Names, o.Names, 96) + add(&to.Links, o.Links, 64) + add(&to.Extra, o.Extra, 160)
		if to.Kind == "" {
			to.Kind = o.Kind
		}
		if to.From == "" && to.Until == "" {
			to.From, to.Until = o.From, o.Until
		}
		to.Attrs = to.Attrs.fill(o.Attrs)
		if err := r.Take(size + o.Attrs.size()); err != nil {
			return err
		}
	}
	return nil
}

// add appends what is not there yet, and returns about what it takes.
func add[T any](to *[]T, from []T, each int) (size int) {
	for _, x := range from {
		if !slices.ContainsFunc(*to, func(y T) bool { return reflect.DeepEqual(x, y) }) {
			*to = append(*to, x)
			size += each
		}
	}
	return size
}

// fill adds the values that are not there yet.
func (a Attrs) fill(from Attrs) Attrs {
	for name, value := range from {
		if _, ok := a[name]; !ok {
			a = a.Put(name, value)
		}
	}
	return a
}
