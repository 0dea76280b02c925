package model

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	tableName  = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
)

// maxIndexes is DynamoDB's default limit of global secondary indexes on a table.
const maxIndexes = 20

// Validate reports everything that keeps the schema from being used: names that
// are not allowed or not there, templates that cannot be read, entities whose
// keys could be each other's. Whether it is a good design is for the package
// lint to say.
func (s *Schema) Validate() error {
	var all []error
	report := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	unique(s.Tables, func(t Table) string { return t.Name }, "table", report)
	unique(s.Buckets, func(b Bucket) string { return b.Name }, "bucket", report)
	for i := range s.Tables {
		t := &s.Tables[i]
		v := validator{t, func(format string, args ...any) { report("table %s: "+format, append([]any{t.Name}, args...)...) }}
		v.table()
	}
	for i := range s.Buckets {
		s.Buckets[i].validate(report)
	}
	return errors.Join(all...)
}

func unique[T any](list []T, name func(T) string, what string, report func(string, ...any)) {
	seen := map[string]bool{}
	for _, x := range list {
		switch n := name(x); {
		case n == "":
			report("a %s has no name", what)
		case seen[n]:
			report("%s %s is declared twice", what, n)
		default:
			seen[n] = true
		}
	}
}

type validator struct {
	t      *Table
	report func(format string, args ...any)
}

func (v validator) table() {
	t := v.t
	if !tableName.MatchString(t.Name) {
		v.report("DynamoDB does not allow that name")
	}
	if len(t.Indexes) > maxIndexes {
		v.report("has %d indexes, more than %d", len(t.Indexes), maxIndexes)
	}
	v.keys("the table", t.PK, t.SK)
	unique(t.Indexes, func(x Index) string { return x.Name }, "index", v.report)
	unique(t.Entities, func(e Entity) string { return e.Name }, "entity", v.report)
	unique(t.Patterns, func(p Pattern) string { return p.Name }, "pattern", v.report)
	for i := range t.Indexes {
		v.index(&t.Indexes[i])
	}
	for i := range t.Entities {
		v.entity(&t.Entities[i])
		for j := range t.Entities[:i] {
			v.distinct(&t.Entities[i], &t.Entities[j])
		}
	}
	for i := range t.Patterns {
		v.pattern(&t.Patterns[i])
	}
}

func (v validator) keys(what string, pk, sk Key) {
	if pk.Name == "" {
		v.report("%s has no partition key", what)
	}
	for _, k := range []Key{pk, sk} {
		if !k.Kind.CanBeKey() {
			v.report("%s keys on %s, a %s, which DynamoDB does not take", what, k.Name, k.Kind)
		}
	}
}

func (v validator) index(x *Index) {
	if !tableName.MatchString(x.Name) {
		v.report("DynamoDB does not allow an index called %s", x.Name)
	}
	v.keys("index "+x.Name, x.PK, x.SK)
	switch x.Projection {
	case All, KeysOnly:
		if len(x.Include) > 0 {
			v.report("index %s projects %s and lists attributes", x.Name, x.Projection)
		}
	case Include:
		if len(x.Include) == 0 {
			v.report("index %s includes nothing", x.Name)
		}
	default:
		v.report("index %s has the projection %q", x.Name, x.Projection)
	}
}

// head checks that the head of an item can be found by the item's own key, and that
// both have what a save writes.
func (v validator) head(e *Entity) {
	head, ok := v.t.Entity(e.Head)
	if !ok {
		v.report("%s belongs to %s, which is no entity", e.Name, e.Head)
		return
	}
	held := slices.Concat(e.PK.WholeVars(), e.SK.WholeVars())
	for _, name := range slices.Concat(head.PK.Vars(), head.SK.Vars()) {
		if !slices.Contains(held, name) {
			v.report("%s belongs to %s, but its key does not hold %s", e.Name, e.Head, name)
		}
	}
	if _, ok := head.Field(SaveAttribute); !ok {
		v.report("%s has no field %s, which saves of %s need", head.Name, SaveAttribute, e.Name)
	}
	for _, name := range []string{SaveAttribute, NextAttribute} {
		if _, ok := e.Field(name); !ok {
			v.report("%s has no field %s, which its saves need", e.Name, name)
		}
	}
	if e.Version != "" {
		v.report("%s has a version of its own beside that of %s", e.Name, e.Head)
	}
}

func (v validator) entity(e *Entity) {
	unique(e.Fields, func(f Field) string { return f.Name }, "field of "+e.Name, v.report)
	written := map[string]Template{}
	v.place(e, "the table", v.t.PK, e.PK, written)
	if (e.SK == "") != (v.t.SK.Name == "") {
		v.report("%s and its table do not agree on whether there is a sort key", e.Name)
	} else if e.SK != "" {
		v.place(e, "the table", v.t.SK, e.SK, written)
	}
	for _, k := range e.Keys {
		v.indexKey(e, k, written)
	}
	for _, name := range slices.Concat(e.Identity, nonEmpty(e.Guards), nonEmpty(e.Version)) {
		if _, ok := e.Field(name); !ok {
			v.report("%s has no field %s", e.Name, name)
		}
	}
	if e.Guards != "" && !slices.Equal(slices.Concat(e.PK.Vars(), e.SK.Vars()), []string{e.Guards}) {
		v.report("%s guards %s, but its key does not hold that alone", e.Name, e.Guards)
	}
	if e.Head != "" {
		v.head(e)
	}
	for _, f := range e.Fields {
		if f.Name == SchemaVersionAttribute {
			v.report("%s declares %s, which the model writes itself", e.Name, f.Name)
		}
	}
}

func nonEmpty(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

func (v validator) indexKey(e *Entity, k IndexKey, written map[string]Template) {
	x, ok := v.t.Index(k.Index)
	if !ok {
		v.report("%s is in an index %s, which the table has not", e.Name, k.Index)
		return
	}
	v.place(e, x.Name, x.PK, k.PK, written)
	if (k.SK == "") != (x.SK.Name == "") {
		v.report("%s and %s do not agree on whether there is a sort key", e.Name, x.Name)
	} else if k.SK != "" {
		v.place(e, x.Name, x.SK, k.SK, written)
	}
	if k.When != nil {
		if _, ok := e.Field(k.When.Field); !ok || len(k.When.In) == 0 {
			v.report("%s is in %s under a condition on %s that cannot be checked", e.Name, x.Name, k.When.Field)
		}
	}
}

// place checks one key attribute of an entity.
func (v validator) place(e *Entity, where string, key Key, template Template, written map[string]Template) {
	if err := template.Check(); err != nil {
		v.report("%s in %s: %w", e.Name, where, err)
		return
	}
	if other, ok := written[key.Name]; ok && other != template {
		v.report("%s writes %s both as %s and as %s", e.Name, key.Name, other, template)
	}
	written[key.Name] = template
	for _, name := range template.allVars() {
		if _, ok := e.Field(name); !ok {
			v.report("%s in %s: %s names %s, which is no field", e.Name, where, template, name)
		}
	}
	if f, ok := e.Field(template.Optional()); ok && !f.Optional || template.Optional() != "" && template == e.SK {
		v.report("%s in %s: %s has an optional segment, in a sort key or of a field that always has a value", e.Name, where, template)
	}
	f, isField := e.Field(key.Name)
	raw := template == Template("{"+key.Name+"}")
	switch {
	case isField && !raw:
		v.report("%s has a field %s, which %s keys on as %s", e.Name, key.Name, where, template)
	case isField && f.Kind.DynamoDB() != key.Kind.DynamoDB():
		v.report("%s has %s as %s, and %s keys on it as %s", e.Name, key.Name, f.Kind.DynamoDB(), where, key.Kind.DynamoDB())
	case !isField && key.Kind.DynamoDB() != "S":
		v.report("%s in %s: only a field can be a key of type %s, not a template", e.Name, where, key.Kind.DynamoDB())
	}
}

func (v validator) distinct(a, b *Entity) {
	if a.PK.Overlaps(b.PK) && (a.SK == "" || a.SK.Overlaps(b.SK)) {
		v.report("%s and %s could have the same key", a.Name, b.Name)
	}
}

func (v validator) pattern(p *Pattern) {
	switch p.Op {
	case Get, Query:
		v.read(p)
	case Put:
		if len(p.Writes) == 0 {
			v.report("pattern %s writes nothing", p.Name)
		}
		for _, w := range p.Writes {
			if _, ok := v.t.Entity(w.Entity); !ok || w.Max < 1 {
				v.report("pattern %s writes %d of %s", p.Name, w.Max, w.Entity)
			}
		}
	case Outside:
		if p.Served == "" {
			v.report("pattern %s does not say what serves it", p.Name)
		}
	default:
		v.report("pattern %s has the operation %q", p.Name, p.Op)
	}
}

func (v validator) read(p *Pattern) {
	if len(p.Yields) == 0 {
		v.report("pattern %s yields nothing", p.Name)
	}
	if p.Op == Query && p.Limit < 1 {
		v.report("pattern %s has no limit", p.Name)
	}
	if p.Op == Get && (p.Index != "" || len(p.Yields) != 1) {
		v.report("pattern %s gets, which only finds one entity by the table's key", p.Name)
	}
	if p.Strong && p.Index != "" {
		v.report("pattern %s asks an index for a consistent read", p.Name)
	}
	if p.Index != "" {
		if _, ok := v.t.Index(p.Index); !ok {
			v.report("pattern %s reads an index %s, which the table has not", p.Name, p.Index)
			return
		}
	}
	var first Template
	for _, name := range p.Yields {
		e, ok := v.t.Entity(name)
		if !ok {
			v.report("pattern %s yields %s, which the table has not", p.Name, name)
			continue
		}
		pk, _, err := v.t.Keys(p, e)
		if err != nil {
			v.report("%w", err)
			continue
		}
		v.names(p, e)
		if first == "" {
			first = pk
		}
		if pk != first {
			v.report("pattern %s yields entities of different partitions, %s and %s", p.Name, first, pk)
		}
	}
}

// names checks that what the pattern names are fields of what it yields.
func (v validator) names(p *Pattern, e *Entity) {
	for _, name := range slices.Concat(p.Known(), p.Shows, nonEmpty(p.Order), nonEmpty(p.Range)) {
		if _, ok := e.Field(name); !ok {
			v.report("pattern %s names %s, which %s has not", p.Name, name, e.Name)
		}
	}
	if begins := Template(strings.TrimSuffix(p.Begins, "#")); begins != "" {
		if err := begins.Check(); err != nil {
			v.report("pattern %s: %w", p.Name, err)
		}
	}
}

func (b *Bucket) validate(report func(string, ...any)) {
	if !bucketName.MatchString(b.Name) {
		report("bucket %s: S3 does not allow that name", b.Name)
	}
	unique(b.Lifecycle, func(r Rule) string { return r.ID }, "lifecycle rule of "+b.Name, report)
	for _, o := range b.Objects {
		for _, name := range o.Key.Vars() {
			if _, ok := find(o.Vars, func(f *Field) bool { return f.Name == name }); !ok {
				report("bucket %s: %s names %s, of which nothing is said", b.Name, o.Key, name)
			}
		}
	}
	for _, r := range b.Lifecycle {
		if (r.ColdAfter > 0) != (r.Class != "") || r.ColdAfter == 0 && r.ExpiresAfter == 0 && r.AbortAfter == 0 {
			report("bucket %s: rule %s does nothing, or half of something", b.Name, r.ID)
		}
	}
}
