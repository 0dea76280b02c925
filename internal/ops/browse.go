package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Browser shows what is stored, to operators, by the questions that the schemas
// answer: every list is an access pattern, so that nothing is scanned, and every
// page is bounded. It never writes. It may be used from many goroutines.
type Browser struct {
	db        model.DB
	schemas   []model.Schema
	cursorKey []byte
	hide      func(table, entity, field string) bool
}

// BrowserOptions adjust a Browser.
type BrowserOptions struct {
	// CursorKey makes the cursors of pages, as in Options. Random if nil.
	CursorKey []byte
	// Hide masks the values of fields; nil masks those whose name says that
	// they are secrets or hashes of such.
	Hide func(table, entity, field string) bool
}

// NewBrowser returns a browser of the schemas' tables.
func NewBrowser(db model.DB, o BrowserOptions, schemas ...model.Schema) *Browser {
	b := &Browser{db: db, schemas: schemas, cursorKey: o.CursorKey, hide: o.Hide}
	if b.cursorKey == nil {
		b.cursorKey = randomKey()
	}
	if b.hide == nil {
		b.hide = isSecret
	}
	return b
}

// isSecret goes by the names of fields.
func isSecret(_, _, field string) bool {
	name := strings.ToLower(field)
	return slices.ContainsFunc([]string{"password", "secret", "token", "nonce", "verifier", "cookie", "session_hash"}, func(word string) bool { return strings.Contains(name, word) })
}

// BrowserTable is a table and what can be asked of it.
type BrowserTable struct {
	Schema    string
	Name      string
	Purpose   string
	Indexes   []BrowserIndex
	Entities  []BrowserEntity
	Questions []Question
}

// BrowserIndex is an index of a table.
type BrowserIndex struct{ Name, Purpose string }

// BrowserEntity is a kind of item, found by the values of its key.
type BrowserEntity struct {
	Name, Doc string
	Key       string   // its templates
	By        []string // the values that Item wants
}

// Question is an access pattern that reads.
type Question struct {
	Name   string
	Asks   string
	Index  string // "" for the table itself
	Yields []string
	By     []string            // the arguments that Ask wants
	Values map[string][]string // the only values of an argument, if there is a list
	Range  string              // the field that a window bounds; "" for none
}

// Tables returns all tables with their entities and questions.
func (b *Browser) Tables() []BrowserTable {
	var all []BrowserTable
	for _, s := range b.schemas {
		for i := range s.Tables {
			t := &s.Tables[i]
			out := BrowserTable{Schema: s.Name, Name: t.Name, Purpose: t.Purpose}
			for _, x := range t.Indexes {
				out.Indexes = append(out.Indexes, BrowserIndex{x.Name, x.Purpose})
			}
			for j := range t.Entities {
				e := &t.Entities[j]
				out.Entities = append(out.Entities, BrowserEntity{Name: e.Name, Doc: e.Doc, Key: strings.TrimSuffix(string(e.PK)+", "+string(e.SK), ", "), By: keyVars(e)})
			}
			for j := range t.Patterns {
				if p := &t.Patterns[j]; p.Op == model.Get || p.Op == model.Query {
					out.Questions = append(out.Questions, question(t, p))
				}
			}
			all = append(all, out)
		}
	}
	return all
}

func keyVars(e *model.Entity) []string {
	vars := slices.Concat(e.PK.Vars(), e.SK.Vars())
	slices.Sort(vars)
	return slices.Compact(vars)
}

func question(t *model.Table, p *model.Pattern) Question {
	q := Question{Name: p.Name, Asks: p.Asks, Index: p.Index, Yields: p.Yields, By: p.By, Range: p.Range, Values: map[string][]string{}}
	for _, name := range p.By {
		for _, yields := range p.Yields {
			if e, ok := t.Entity(yields); ok {
				if f, ok := e.Field(name); ok && len(f.Values) > 0 {
					q.Values[name] = f.Values
				}
			}
		}
	}
	return q
}

// Row is an item as it is shown.
type Row struct {
	Entity string
	Keys   []KeyMeaning // the table's own first
	Fields []RowField   // the schema's first, in its order, then others by name
}

// RowField is an attribute of an item.
type RowField struct {
	Name   string
	Kind   string // DynamoDB's: S, N, BOOL, L, M, SS, B
	Text   string // of collections, JSON
	Known  bool   // the schema has it, as a field or as a key
	Hidden bool   // the text is masked
}

// maxRows is the most that a page holds.
const maxRows = 100

// Ask returns a page of the answer to a question of a table. Arguments that are
// missing or that it does not take are Invalid, a table or question that is not
// there NotFound, a forged cursor Malformed.
func (b *Browser) Ask(ctx context.Context, table, question string, args Values, o PageOptions) (Page[Row], error) {
	var page Page[Row]
	t, err := b.table(table)
	if err != nil {
		return page, err
	}
	p, ok := t.Pattern(question)
	if !ok || p.Op != model.Get && p.Op != model.Query {
		return page, fmt.Errorf("question %s of %s: %w", question, table, errs.NotFound)
	}
	if err := checkArgs(p.By, args); err != nil {
		return page, err
	}
	view, err := model.NewView[model.Item](b.db, t, question, &model.Options{CursorKey: b.cursorKey})
	if err != nil {
		return page, err
	}
	if p.Op == model.Get {
		item, err := view.One(ctx, args)
		if errors.Is(err, model.ErrNotFound) {
			return page, nil
		}
		if err != nil {
			return page, err
		}
		page.Items = []Row{b.row(t, item.Raw)}
		return page, nil
	}
	o.Limit = min(o.Limit, maxRows)
	found, err := view.Page(ctx, args, o)
	if err != nil {
		return page, listError(err)
	}
	page.Next = found.Next
	for _, item := range found.Items {
		page.Items = append(page.Items, b.row(t, item.Raw))
	}
	return page, nil
}

// Item returns the item of an entity with these key values, or NotFound.
func (b *Browser) Item(ctx context.Context, table, entity string, key Values) (Row, error) {
	t, err := b.table(table)
	if err != nil {
		return Row{}, err
	}
	e, ok := t.Entity(entity)
	if !ok {
		return Row{}, fmt.Errorf("entity %s of %s: %w", entity, table, errs.NotFound)
	}
	if err := checkArgs(keyVars(e), key); err != nil {
		return Row{}, err
	}
	raw, err := get(ctx, b.db, t, e, key)
	if err != nil {
		return Row{}, err
	}
	return b.row(t, raw), nil
}

func (b *Browser) table(name string) (*model.Table, error) {
	for i := range b.schemas {
		if t, ok := b.schemas[i].Table(name); ok {
			return t, nil
		}
	}
	return nil, fmt.Errorf("table %s: %w", name, errs.NotFound)
}

// checkArgs names what is missing and what is too much.
func checkArgs(want []string, args Values) error {
	var wrong []errs.Field
	for _, name := range want {
		if args[name] == "" {
			wrong = append(wrong, errs.Field{Name: name, Message: "is required"})
		}
	}
	for name := range args {
		if !slices.Contains(want, name) {
			wrong = append(wrong, errs.Field{Name: name, Message: "is not asked for"})
		}
	}
	if wrong == nil {
		return nil
	}
	slices.SortFunc(wrong, func(a, b errs.Field) int { return strings.Compare(a.Name, b.Name) })
	return errs.Validation(wrong...)
}

// mask stands for what is hidden.
const mask = "••••••••"

func (b *Browser) row(t *model.Table, item model.Raw) Row {
	r := Row{}
	id, ok := t.Identify(item)
	var known []string
	if ok {
		r.Entity, r.Keys = id.Entity.Name, id.Keys
		for _, f := range id.Entity.Fields {
			known = append(known, f.Name)
		}
	}
	own := append(t.KeyNames(), model.SchemaVersionAttribute)
	for i := range t.Indexes {
		own = append(own, t.Indexes[i].KeyNames()...)
	}
	var names, others []string
	for name := range item {
		if slices.Contains(known, name) {
			names = append(names, name)
		} else {
			others = append(others, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return slices.Index(known, a) - slices.Index(known, b) })
	slices.Sort(others)
	for _, name := range append(names, others...) {
		f := RowField{Name: name, Kind: kindOf(item[name]), Known: slices.Contains(known, name) || slices.Contains(own, name), Hidden: b.hide(t.Name, r.Entity, name)}
		f.Text = mask
		if !f.Hidden {
			f.Text = shown(item, name)
		}
		r.Fields = append(r.Fields, f)
	}
	return r
}

// shown is the text of an attribute: plain if it is plain, JSON if it is not.
func shown(item model.Raw, name string) string {
	var value any
	if err := attributevalue.Unmarshal(item[name], &value); err != nil {
		return err.Error()
	}
	if text, ok := value.(string); ok {
		return text
	}
	if kindOf(item[name]) == "N" {
		return valueText(item[name]) // as it is stored, not as a float shows it
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
