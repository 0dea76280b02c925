package lint

import (
	"slices"

	"pressroom/model"
)

// maxItem is the largest item in bytes, names included.
const maxItem = 400 << 10

// itemSize adds up what the fields of an entity can hold at most.
func (c *checker) itemSize(t *model.Table, e *model.Entity) {
	where := t.Name + "." + e.Name
	total := 0
	for _, f := range e.Fields {
		size, bounded := model.MaxSize(f)
		if !bounded {
			c.report(ItemSize, where, "%s is a %s without a bound", f.Name, f.Kind)
		}
		total += len(f.Name) + size
	}
	if total > maxItem {
		c.report(ItemSize, where, "can have %d bytes, and an item has at most %d", total, maxItem)
	}
}

func (c *checker) bucket(b model.Bucket) {
	for _, o := range b.Objects {
		longest := len(o.Key)
		bounded := true
		for _, name := range o.Key.Vars() {
			i := slices.IndexFunc(o.Vars, func(f model.Field) bool { return f.Name == name })
			if i < 0 || o.Vars[i].Max == 0 {
				bounded = false
				c.report(ObjectKey, b.Name+"."+o.Name, "%s has no bound, and a key has at most %d bytes", name, model.MaxObjectKey)
				continue
			}
			longest += o.Vars[i].Max - len(name) - len("{}")
		}
		if bounded && longest > model.MaxObjectKey {
			c.report(ObjectKey, b.Name+"."+o.Name, "can have %d bytes, and a key has at most %d", longest, model.MaxObjectKey)
		}
	}
}

// conflicts compares tables that are declared more than once.
func (c *checker) conflicts(schemas []model.Schema) {
	type place struct {
		field  model.Field
		schema string
	}
	seen := map[string]place{}
	for _, s := range schemas {
		for _, t := range s.Tables {
			for _, e := range t.Entities {
				for _, f := range e.Fields {
					where := t.Name + "." + e.Name + "." + f.Name
					first, twice := seen[where]
					if !twice {
						seen[where] = place{f, s.Name}
						continue
					}
					if !slices.Equal(first.field.Values, f.Values) {
						c.report(Conflict, where, "%s has the values %s, %s has %s", first.schema, orNothing(first.field.Values), s.Name, orNothing(f.Values))
					}
					if first.field.From != f.From {
						c.report(Conflict, where, "%s makes it from %q, %s from %q", first.schema, first.field.From, s.Name, f.From)
					}
				}
			}
		}
	}
}
