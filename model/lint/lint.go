// Package lint finds what is wrong with a design before a table is made: access
// patterns that no index answers, orders that no key gives, items that leak into
// an index, keys that cannot be, partitions that grow hot, items that grow too
// large, and what two documents say differently of one table.
//
// It promises to judge schemas that could not be used, as documents have them,
// and to report nothing of which a declaration gives the bound or the remedy.
// Start with [Check]; each kind of finding is one function of a file beside.
package lint

import (
	"fmt"
	"slices"
	"strings"

	"pressroom/model"
)

// Kind is what is wrong, in general.
type Kind string

// The kinds of findings.
const (
	NoIndex     Kind = "no-index"    // the pattern's arguments make no key
	SortOrder   Kind = "sort-order"  // the key does not give the order asked for
	Leak        Kind = "leak"        // items where they do not belong
	Projection  Kind = "projection"  // the pattern shows what the index lacks
	KeyType     Kind = "key-type"    // a boolean, or another type that is no key
	Unbounded   Kind = "unbounded"   // one partition collects everything, and nobody said how much
	HotKey      Kind = "hot-key"     // one partition is written faster than it can
	ItemSize    Kind = "item-size"   // an item can outgrow 400 KB
	Transaction Kind = "transaction" // more items than a transaction takes
	NotUnique   Kind = "not-unique"  // nothing enforces what must be unique
	NoLease     Kind = "no-lease"    // two workers can do the same work, or it never ends
	SingleEntry Kind = "single-item" // a list that can only ever have one entry
	ObjectKey   Kind = "object-key"  // the key of an object can be too long
	Conflict    Kind = "conflict"    // two documents disagree
)

// Finding is one thing that is wrong.
type Finding struct {
	Kind  Kind   `json:"kind"`
	Where string `json:"where"` // "blog.GSI1", "blog.Pattern", "bucket.Object"
	Says  string `json:"says"`
}

func (f Finding) String() string { return fmt.Sprintf("%s: %s: %s", f.Where, f.Kind, f.Says) }

// Check judges schemas. Several that declare the same table, as two documents
// may, are also held against each other.
func Check(schemas ...model.Schema) []Finding {
	c := &checker{}
	for i := range schemas {
		for j := range schemas[i].Tables {
			c.table(&schemas[i].Tables[j])
		}
		for _, b := range schemas[i].Buckets {
			c.bucket(b)
		}
	}
	c.conflicts(schemas)
	return c.found
}

type checker struct{ found []Finding }

func (c *checker) report(kind Kind, where, format string, args ...any) {
	f := Finding{kind, where, fmt.Sprintf(format, args...)}
	if !slices.Contains(c.found, f) {
		c.found = append(c.found, f)
	}
}

func (c *checker) table(t *model.Table) {
	c.keyTypes(t)
	c.leaks(t)
	c.partitions(t)
	for i := range t.Entities {
		c.itemSize(t, &t.Entities[i])
		c.unique(t, &t.Entities[i])
	}
	for i := range t.Patterns {
		c.pattern(t, &t.Patterns[i])
	}
}

func (c *checker) pattern(t *model.Table, p *model.Pattern) {
	where := t.Name + "." + p.Name
	switch p.Op {
	case model.Get, model.Query:
		for _, name := range p.Yields {
			if e, ok := t.Entity(name); ok {
				c.read(t, p, e, where)
			}
		}
		c.mixed(t, p, where)
		c.lease(t, p, where)
	case model.Put:
		c.transaction(p, where)
	}
}

func (c *checker) read(t *model.Table, p *model.Pattern, e *model.Entity, where string) {
	pk, sk, err := t.Keys(p, e)
	if err != nil {
		c.report(NoIndex, where, "%s is not in %s", e.Name, orTable(p.Index))
		return
	}
	need := pk.Vars()
	if p.Op == model.Get {
		need = append(need, sk.Vars()...)
	}
	for _, name := range append(need, p.BeginsVars()...) {
		if !slices.Contains(p.Known(), name) {
			c.report(NoIndex, where, "the caller knows %s, and the key of %s wants %s", orNothing(p.Known()), orTable(p.Index), name)
		}
	}
	c.order(p, e, pk, sk, where)
	c.shows(t, p, e, where)
	c.single(p, e, pk, where)
}

func orTable(index string) string {
	if index == "" {
		return "the table"
	}
	return index
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// order compares the order asked for with the first variable of the sort key
// that is not fixed: by the prefix, or by an argument.
func (c *checker) order(p *model.Pattern, e *model.Entity, pk, sk model.Template, where string) {
	if p.Order == "" || p.Op == model.Get {
		return
	}
	for _, name := range sk.Vars() {
		if name == p.Order {
			return
		}
		if slices.Contains(p.Known(), name) && slices.Contains(append(pk.Vars(), p.BeginsVars()...), name) {
			continue
		}
		c.report(SortOrder, where, "asked for by %s, %s come by %s", p.Order, e.Name, name)
		return
	}
	c.report(SortOrder, where, "asked for by %s, and the key of %s gives no order", p.Order, e.Name)
}

// shows looks for fields that the caller sees and the index does not hold.
func (c *checker) shows(t *model.Table, p *model.Pattern, e *model.Entity, where string) {
	shown := p.Shows
	if len(shown) == 0 {
		for _, f := range e.Fields {
			shown = append(shown, f.Name)
		}
	}
	held := t.Held(p, e)
	for _, name := range shown {
		if _, ok := e.Field(name); !ok {
			c.report(Projection, where, "shows %s, which %s has not", name, e.Name)
		} else if !slices.Contains(held, name) {
			c.report(Projection, where, "shows %s, which %s does not project", name, orTable(p.Index))
		}
	}
}

// single finds lists whose partition is one item.
func (c *checker) single(p *model.Pattern, e *model.Entity, pk model.Template, where string) {
	if p.Limit < 2 || p.Op != model.Query {
		return
	}
	identity := e.Identity
	if len(identity) == 0 {
		return
	}
	for _, name := range identity {
		if !slices.Contains(pk.Vars(), name) {
			return
		}
	}
	c.report(SingleEntry, where, "a list of %s, and each partition %s holds one", e.Name, pk)
}

// lease asks, of work, what keeps two workers apart and how it ends.
func (c *checker) lease(t *model.Table, p *model.Pattern, where string) {
	if p.Work == nil {
		return
	}
	for _, name := range p.Yields {
		e, ok := t.Entity(name)
		if !ok {
			continue
		}
		if _, ok := e.Field(p.Work.Lease); !ok {
			c.report(NoLease, where, "nothing keeps two workers off one %s", name)
		}
		state, ok := e.Field(p.Work.State)
		if !ok || p.Work.Ends == "" || !slices.Contains(state.Values, p.Work.Ends) {
			c.report(NoLease, where, "a %s that never succeeds never ends", name)
		}
	}
}

func (c *checker) transaction(p *model.Pattern, where string) {
	total := 0
	for _, w := range p.Writes {
		total += w.Max
	}
	if total > model.MaxTransaction && p.Staged == "" {
		c.report(Transaction, where, "writes up to %d items, and a transaction takes %d", total, model.MaxTransaction)
	}
}
