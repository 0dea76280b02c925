package lint

import (
	"slices"

	"pressroom/model"
)

// keyTypes finds index keys that cannot be keys, and those that no entity has.
func (c *checker) keyTypes(t *model.Table) {
	for _, x := range t.Indexes {
		where := t.Name + "." + x.Name
		for _, k := range keysOf(x) {
			if !k.Kind.CanBeKey() {
				c.report(KeyType, where, "keys on %s, a %s; DynamoDB takes strings, numbers and binaries", k.Name, k.Kind)
			}
			if !anyWrites(t, &x, k.Name) {
				c.report(NoIndex, where, "keys on %s, which no item has", k.Name)
			}
		}
	}
	for i := range t.Entities {
		e := &t.Entities[i]
		for _, f := range e.Fields {
			if f.Kind.CanBeKey() {
				continue
			}
			for _, x := range t.Indexes {
				if slices.Contains(x.KeyNames(), f.Name) {
					c.report(KeyType, t.Name+"."+x.Name, "keys on %s, which %s has as %s", f.Name, e.Name, f.Kind)
				}
			}
		}
	}
}

func keysOf(x model.Index) []model.Key {
	if x.SK.Name == "" {
		return []model.Key{x.PK}
	}
	return []model.Key{x.PK, x.SK}
}

// anyWrites reports whether some entity has the attribute, as a field, as a key
// of the table, or because it is in the index under a template of fields.
func anyWrites(t *model.Table, x *model.Index, name string) bool {
	if slices.Contains(t.KeyNames(), name) {
		return true
	}
	return slices.ContainsFunc(t.Entities, func(e model.Entity) bool {
		if f, ok := e.Field(name); ok {
			return !f.InKey
		}
		k, ok := e.Key(x.Name)
		if !ok {
			return false
		}
		template := k.PK
		if name == x.SK.Name {
			template = k.SK
		}
		for _, v := range template.Vars() {
			if _, ok := e.Field(v); !ok {
				return false
			}
		}
		return template != ""
	})
}

// leaks finds entities that have all key attributes of an index without being
// meant to be in it.
func (c *checker) leaks(t *model.Table) {
	for _, x := range t.Indexes {
		for i := range t.Entities {
			e := &t.Entities[i]
			if _, meant := e.Key(x.Name); meant {
				continue
			}
			if hasAll(t, e, x.KeyNames()) {
				c.report(Leak, t.Name+"."+x.Name, "%s is not meant to be in it, and has its keys", e.Name)
			}
		}
	}
}

func hasAll(t *model.Table, e *model.Entity, names []string) bool {
	for _, name := range names {
		f, isField := e.Field(name)
		switch {
		case isField && !f.InKey, slices.Contains(t.KeyNames(), name), writtenElsewhere(t, e, name):
		default:
			return false
		}
	}
	return true
}

// writtenElsewhere reports whether another index has the attribute as a key of
// the entity.
func writtenElsewhere(t *model.Table, e *model.Entity, name string) bool {
	return slices.ContainsFunc(t.Indexes, func(x model.Index) bool {
		_, in := e.Key(x.Name)
		return in && slices.Contains(x.KeyNames(), name)
	})
}

// mixed finds queries whose range of keys holds other entities too.
func (c *checker) mixed(t *model.Table, p *model.Pattern, where string) {
	if p.Op != model.Query {
		return
	}
	for i := range t.Entities {
		e := &t.Entities[i]
		if !slices.Contains(p.Yields, e.Name) && t.Reach(p, e) {
			c.report(Leak, where, "asks for %s, and its range of keys holds %s too", orNothing(p.Yields), e.Name)
		}
	}
}

// partitionWrites is how many units a second one partition takes.
const partitionWrites = 1000

// partitions finds keys under which everything gathers: those without a variable
// that has many values.
func (c *checker) partitions(t *model.Table) {
	for i := range t.Entities {
		e := &t.Entities[i]
		c.partition(t, e, "the table", t.Name, e.PK)
		for _, k := range e.Keys {
			c.partition(t, e, k.Index, t.Name+"."+k.Index, k.PK)
		}
	}
}

func (c *checker) partition(t *model.Table, e *model.Entity, name, where string, pk model.Template) {
	if spreads(e, pk) {
		return
	}
	if e.Peak == 0 {
		c.report(Unbounded, where, "%s gathers under %s, and nothing says how fast", e.Name, pk)
		return
	}
	units := e.Peak * float64((model.UsualSize(e)+1023)/1024)
	if units > partitionWrites {
		c.report(HotKey, where, "%s is written under %s with %.0f units a second, and a partition takes %d", e.Name, pk, units, partitionWrites)
	}
}

// spreads reports whether the key has a variable of many values. Parts of times
// do not count: at any moment, all writes go to the present one.
func spreads(e *model.Entity, pk model.Template) bool {
	for _, name := range pk.WholeVars() {
		if f, ok := e.Field(name); ok && len(f.Values) == 0 && f.Kind != model.Bool && f.Kind != model.Time && f.Kind != model.Date {
			return true
		}
	}
	return false
}

// unique asks for a guard for each field that must be unique.
func (c *checker) unique(t *model.Table, e *model.Entity) {
	for _, f := range e.Fields {
		if f.Unique && !slices.ContainsFunc(t.Entities, func(g model.Entity) bool { return g.Guards == f.Name }) {
			c.report(NotUnique, t.Name+"."+e.Name, "%s must be unique, and nothing makes it so", f.Name)
		}
	}
}
