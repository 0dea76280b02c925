package model

import (
	"fmt"
	"slices"
	"strings"
)

// Pattern is one access pattern: a question that the design must answer, and how
// it does.
type Pattern struct {
	Name string
	Ref  string // where the document has it: "reader 1"
	Who  string // who asks: "reader", "editor", "worker"
	Asks string // the question in words
	Op   Op

	// What a Get or a Query reads.

	Index  string   // "" for the table itself
	Yields []string // the entities in the answer
	By     []string // what the caller knows: variables of the key templates
	Given  Values   // what the pattern fixes, so that no caller can ask for another
	Begins string   // with Query, how sort keys in the answer begin: "ARTICLE#"
	Desc   bool     // with Query, the highest sort key first
	Order  string   // the field that the answer must be ordered by, if any
	Range  string   // the field that the caller may bound, if any
	Limit  int      // with Query, the items of a page; 1 for a lookup of one
	Shows  []string // the fields that the caller sees; all if empty
	Fetch  bool     // the items behind the index entries are read from the table as well
	Strong bool     // read what was written before, not a moment ago

	// Work is set if the answer is work to be done once.
	Work *Work

	// Writes lists the items that a Write touches, together or not at all.
	Writes []Write
	// Staged says how a Write is whole even if its items are more than one
	// transaction takes.
	Staged string

	// Served says what answers a pattern that is Outside of the tables.
	Served string

	Added string // why it was added to the design; "" if it is the document's own
}

// Op is the kind of operation that answers a pattern.
type Op string

// The operations. There is no scan.
const (
	Get     Op = "Get"
	Query   Op = "Query"
	Put     Op = "Write"
	Outside Op = "Outside"
)

// Work says what keeps two workers off one item, and how an item that never
// succeeds comes to an end.
type Work struct {
	Lease string // the field with the time until which one worker has it
	State string // the field with the state
	Ends  string // the state after too many failures
}

// Write is a part of a write: so many items of an entity at most.
type Write struct {
	Entity string
	Max    int
}

// MaxTransaction is how many items one transaction takes.
const MaxTransaction = 100

// entityKey returns the templates of an entity in the table or in an index.
func (t *Table) entityKey(e *Entity, index string) (pk, sk Template, ok bool) {
	if index == "" {
		return e.PK, e.SK, true
	}
	k, ok := e.Key(index)
	if !ok {
		return "", "", false
	}
	return k.PK, k.SK, true
}

// Keys returns the templates by which the pattern finds the entity: those of the
// table, or of its index.
func (t *Table) Keys(p *Pattern, e *Entity) (pk, sk Template, err error) {
	pk, sk, ok := t.entityKey(e, p.Index)
	if !ok {
		return "", "", fmt.Errorf("pattern %s: %s is not in %s", p.Name, e.Name, p.Index)
	}
	return pk, sk, nil
}

// KeyOf returns the key attributes of the table, or of an index.
func (t *Table) KeyOf(index string) (pk, sk Key, err error) {
	if index == "" {
		return t.PK, t.SK, nil
	}
	x, ok := t.Index(index)
	if !ok {
		return Key{}, Key{}, fmt.Errorf("table %s has no index %s", t.Name, index)
	}
	return x.PK, x.SK, nil
}

// beginning renders Begins: text up to which the sort keys of an answer agree.
func (p *Pattern) beginning(v Values) (string, error) {
	if p.Begins == "" {
		return "", nil
	}
	template, open := strings.CutSuffix(p.Begins, "#")
	text, err := Template(template).Render(v)
	if open {
		text += "#"
	}
	return text, err
}

// Known returns the variables that have a value when the pattern is asked: the
// caller's and those that the pattern fixes.
func (p *Pattern) Known() []string {
	known := slices.Clone(p.By)
	for name := range p.Given {
		known = append(known, name)
	}
	slices.Sort(known[len(p.By):])
	return known
}

// BeginsVars returns the variables in Begins.
func (p *Pattern) BeginsVars() []string {
	return Template(strings.TrimSuffix(p.Begins, "#")).Vars()
}

// Reach reports whether the pattern's range of keys holds items of the entity,
// whether or not the pattern yields it.
func (t *Table) Reach(p *Pattern, e *Entity) bool {
	pk, sk, ok := t.entityKey(e, p.Index)
	if !ok || !slices.ContainsFunc(p.Yields, func(name string) bool {
		y, found := t.Entity(name)
		if !found {
			return false
		}
		ypk, _, in := t.entityKey(y, p.Index)
		return in && ypk.Overlaps(pk)
	}) {
		return false
	}
	return p.Begins == "" || beginsWith(sk, p.Begins)
}

// beginsWith reports whether keys of the template can begin as the pattern says,
// segment by segment.
func beginsWith(sk Template, begins string) bool {
	text, open := strings.CutSuffix(begins, "#")
	c, err := compile(sk)
	head, err2 := compile(Template(text))
	if err != nil || err2 != nil || c.raw {
		return true
	}
	if len(head.segments) > len(c.segments) || open && len(head.segments) == len(c.segments) {
		return false
	}
	for i, s := range head.segments {
		last := !open && i == len(head.segments)-1
		if last && s.name == "" && c.segments[i].name == "" {
			return strings.HasPrefix(c.segments[i].before, s.before)
		}
		if last && s.name == "" && strings.HasPrefix(c.segments[i].before, s.before) {
			continue
		}
		if !s.overlaps(c.segments[i]) {
			return false
		}
	}
	return true
}
