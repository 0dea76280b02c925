// Package doc renders a schema for people: as the rows of one table, in Markdown
// for the design pages or aligned for a terminal.
//
// It promises that a page between its markers says exactly what the schema says;
// modeltest fails on any row that differs. Start with [Rows].
package doc

import (
	"fmt"
	"slices"
	"strings"

	"pressroom/model"
)

// Row is one line of the design.
type Row struct {
	Kind string `json:"kind"` // table, index, entity, pattern, bucket, object, rule
	Name string `json:"name"`
	Keys string `json:"keys"`
	Says string `json:"says"`
	Note string `json:"note"`
}

// Rows returns the schema's lines: each table with its indexes, entities and
// patterns, then each bucket with its objects and rules, in order of declaration.
func Rows(s model.Schema) []Row {
	var rows []Row
	for i := range s.Tables {
		t := &s.Tables[i]
		rows = append(rows, tableRow(t))
		for _, x := range t.Indexes {
			rows = append(rows, indexRow(x))
		}
		for i := range t.Entities {
			rows = append(rows, entityRow(&t.Entities[i]))
		}
		for i := range t.Patterns {
			rows = append(rows, patternRow(t, &t.Patterns[i]))
		}
	}
	for _, b := range s.Buckets {
		rows = append(rows, bucketRows(b)...)
	}
	return rows
}

func tableRow(t *model.Table) Row {
	says := []string{t.Purpose}
	if t.TTL != "" {
		says = append(says, "time to live in "+code(t.TTL))
	}
	if t.RecoveryDays > 0 {
		says = append(says, fmt.Sprintf("recovery to any moment of %d days", t.RecoveryDays))
	}
	if t.Encrypted {
		says = append(says, "encrypted at rest")
	}
	if t.Stream != "" {
		says = append(says, "stream "+code(t.Stream))
	}
	return Row{Kind: "table", Name: code(t.Name), Keys: keys(t.PK, t.SK), Says: strings.Join(says, "; "), Note: "name from " + code(t.Env)}
}

func indexRow(x model.Index) Row {
	says := code(string(x.Projection))
	if len(x.Include) > 0 {
		says += " of " + codes(x.Include)
	}
	return Row{Kind: "index", Name: code(x.Name), Keys: keys(x.PK, x.SK), Says: says + ": " + x.Purpose, Note: added(x.Added)}
}

func entityRow(e *model.Entity) Row {
	where := []string{templates(e.PK, e.SK)}
	for _, k := range e.Keys {
		place := k.Index + " " + templates(k.PK, k.SK)
		if k.When != nil {
			place += fmt.Sprintf(" if %s is %s", code(k.When.Field), strings.Join(k.When.In, " or "))
		}
		where = append(where, place)
	}
	note := []string{added(e.Added)}
	if e.Guards != "" {
		note = append(note, "created only if new")
	}
	if e.Expires != "" {
		note = append(note, "expires: "+e.Expires)
	}
	if e.Peak > 0 {
		note = append(note, fmt.Sprintf("at most %g writes a second", e.Peak))
	}
	if v := e.SchemaVersion(); v > 1 {
		note = append(note, fmt.Sprintf("schema version %d", v))
	}
	return Row{Kind: "entity", Name: e.Name, Keys: strings.Join(where, "; "), Says: e.Doc + ": " + fields(e), Note: join(note)}
}

func fields(e *model.Entity) string {
	var all []string
	for _, f := range e.Fields {
		text := code(f.Name)
		if len(f.Values) > 0 {
			text += " (" + strings.Join(f.Values, ", ") + ")"
		}
		if f.Added {
			text += "⁺"
		}
		if f.Optional {
			text += "?"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func patternRow(t *model.Table, p *model.Pattern) Row {
	row := Row{Kind: "pattern", Name: p.Name, Says: p.Who + ": " + p.Asks}
	var note []string
	if p.Ref != "" {
		note = append(note, p.Ref)
	}
	note = append(note, added(p.Added))
	switch p.Op {
	case model.Outside:
		row.Keys = "outside the tables"
		note = append(note, "served by "+p.Served)
	case model.Put:
		row.Keys = "write " + writes(p)
		if p.Staged != "" {
			note = append(note, p.Staged)
		}
	default:
		row.Keys = read(t, p)
		if p.Work != nil {
			note = append(note, fmt.Sprintf("one worker at a time by %s, in the end %s", code(p.Work.Lease), p.Work.Ends))
		}
	}
	row.Note = join(note)
	return row
}

func writes(p *model.Pattern) string {
	var all []string
	for _, w := range p.Writes {
		all = append(all, fmt.Sprintf("%s ≤ %d", w.Entity, w.Max))
	}
	return strings.Join(all, ", ")
}

func read(t *model.Table, p *model.Pattern) string {
	text := string(p.Op)
	if p.Index != "" {
		text += " " + p.Index
	}
	if e, ok := t.Entity(p.Yields[0]); ok {
		if pk, sk, err := t.Keys(p, e); err == nil {
			if p.Op == model.Query {
				sk = ""
			}
			text += " " + templates(given(pk, p.Given), sk)
		}
	}
	if p.Begins != "" {
		text += " beginning with " + code(p.Begins)
	}
	switch {
	case p.Order != "" && p.Desc:
		text += ", by " + code(p.Order) + " descending"
	case p.Order != "":
		text += ", by " + code(p.Order)
	}
	if p.Op == model.Query {
		text += fmt.Sprintf(", %d", p.Limit)
	}
	if p.Fetch {
		text += ", then BatchGet"
	}
	if p.Strong {
		text += ", consistent"
	}
	return text + " → " + strings.Join(p.Yields, ", ")
}

// given puts the values that the pattern fixes into the template.
func given(t model.Template, fixed model.Values) model.Template {
	for name, value := range fixed {
		if whole, err := t.Render(model.Values{name: value}); err == nil {
			return model.Template(whole)
		}
	}
	return t
}

func bucketRows(b model.Bucket) []Row {
	says := []string{b.Purpose}
	if len(b.Tags) > 0 {
		says = append(says, "objects tagged "+code(tags(b.Tags)))
	}
	if len(b.Metadata) > 0 {
		says = append(says, "with metadata "+codes(b.Metadata))
	}
	rows := []Row{{Kind: "bucket", Name: code(b.Name), Says: strings.Join(says, "; "), Note: "name from " + code(b.Env)}}
	for _, o := range b.Objects {
		rows = append(rows, Row{Kind: "object", Name: o.Name, Keys: code(string(o.Key)), Says: o.Holds, Note: added(o.Added)})
	}
	for _, r := range b.Lifecycle {
		rows = append(rows, Row{Kind: "rule", Name: code(r.ID), Keys: orAll(r.Prefix), Says: rule(r), Note: added(r.Added)})
	}
	return rows
}

func rule(r model.Rule) string {
	var says []string
	if r.ColdAfter > 0 {
		says = append(says, fmt.Sprintf("to %s after %d days", r.Class, r.ColdAfter))
	}
	if r.ExpiresAfter > 0 {
		says = append(says, fmt.Sprintf("gone after %d days", r.ExpiresAfter))
	}
	if r.AbortAfter > 0 {
		says = append(says, fmt.Sprintf("unfinished uploads gone after %d days", r.AbortAfter))
	}
	return strings.Join(says, "; ")
}

func orAll(prefix string) string {
	if prefix == "" {
		return "all objects"
	}
	return code(prefix)
}

func tags(m map[string]string) string {
	var all []string
	for k, v := range m {
		all = append(all, k+"="+v)
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

func keys(pk, sk model.Key) string {
	if sk.Name == "" {
		return key(pk)
	}
	return key(pk) + ", " + key(sk)
}

func key(k model.Key) string {
	if t := k.Kind.DynamoDB(); t != "S" {
		return code(k.Name) + " (" + t + ")"
	}
	return code(k.Name)
}

func templates(pk, sk model.Template) string {
	if sk == "" {
		return code(string(pk))
	}
	return code(string(pk)) + ", " + code(string(sk))
}

func added(why string) string {
	if why == "" {
		return ""
	}
	return "added: " + why
}

func join(notes []string) string {
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), "; ")
}

func code(text string) string { return "`" + text + "`" }

func codes(list []string) string {
	var all []string
	for _, text := range list {
		all = append(all, code(text))
	}
	return strings.Join(all, ", ")
}
