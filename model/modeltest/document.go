package modeltest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"pressroom/model"
)

// Document is what a design document says of tables and objects, transcribed row by
// row. It is written from the document, not from the schema that implements it.
type Document struct {
	Tables  []DocumentTable
	Objects map[string]string // keys by the object's name in the schema
	// Differs are the places where the schema does not follow the document, because
	// the service could not, or the document contradicts itself; each with words that
	// the design page says about it. A place is "GSI1", for its keys, or "Term.sources".
	Differs map[string]string
}

// DocumentTable is a table of a document.
type DocumentTable struct {
	Name, Env, PK, SK string
	TTL               bool
	Indexes           []DocumentIndex
	Entities          []DocumentEntity
}

// DocumentIndex is an index of a document. Projection is empty if it names none.
type DocumentIndex struct {
	Name, PK, SK string
	Projection   model.Projection
	Include      []string
}

// DocumentEntity is a kind of item of a document.
type DocumentEntity struct {
	Name, PK, SK string   // templates, in the schema's form
	Fields       []string // besides those that only its keys hold
	Optional     []string // of the fields, those that the document lets be missing
	Places       []model.IndexKey
}

// WantDocument holds a schema against a document: every row of it is there under its
// name, and all that is not says that it was added. What differs is said on the page.
func WantDocument(t *testing.T, d *Document, s model.Schema, page string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for place, words := range d.Differs {
		if !strings.Contains(string(text), words) {
			t.Errorf("%s does not say of %s: %s", page, place, words)
		}
	}
	if len(s.Tables) < len(d.Tables) {
		t.Fatalf("%d tables, not %d", len(s.Tables), len(d.Tables))
	}
	for i := range d.Tables {
		want := &d.Tables[i]
		got, ok := s.Table(want.Name)
		if !ok || got.Env != want.Env || got.PK.Name != want.PK || got.SK.Name != want.SK || want.TTL && got.TTL != "ttl" || !got.Encrypted || got.RecoveryDays != 35 {
			t.Errorf("table %s: %+v", want.Name, got)
			continue
		}
		d.wantIndexes(t, want, got)
		d.wantEntities(t, want, got)
	}
	for name, key := range d.Objects {
		found := false
		for i := range s.Buckets {
			o, ok := s.Buckets[i].Object(name)
			found = found || ok && string(o.Key) == key && o.Added == ""
		}
		if !found {
			t.Errorf("no object %s under %s", name, key)
		}
	}
	for i := range s.Buckets {
		for _, o := range s.Buckets[i].Objects {
			if o.Added == "" && d.Objects[o.Name] == "" {
				t.Errorf("object %s is not the document's, and does not say why it is there", o.Name)
			}
		}
	}
}

func (d *Document) wantIndexes(t *testing.T, want *DocumentTable, got *model.Table) {
	t.Helper()
	for _, x := range want.Indexes {
		g, ok := got.Index(x.Name)
		if !ok || g.Added != "" {
			t.Errorf("%s has no index %s of the document", got.Name, x.Name)
			continue
		}
		same := g.PK.Name == x.PK && g.SK.Name == x.SK
		if _, differs := d.Differs[x.Name]; same == differs {
			t.Errorf("index %s keys on %s, %s; that it differs from the document is said: %t", x.Name, g.PK.Name, g.SK.Name, differs)
		}
		if x.Projection != "" && (g.Projection != x.Projection || !slices.Equal(slices.Sorted(slices.Values(g.Include)), slices.Sorted(slices.Values(x.Include)))) {
			t.Errorf("index %s holds %s %v, not %s %v", x.Name, g.Projection, g.Include, x.Projection, x.Include)
		}
	}
	for _, g := range got.Indexes {
		if g.Added == "" && !slices.ContainsFunc(want.Indexes, func(x DocumentIndex) bool { return x.Name == g.Name }) {
			t.Errorf("index %s is not the document's, and does not say why it is there", g.Name)
		}
	}
}

func (d *Document) wantEntities(t *testing.T, want *DocumentTable, got *model.Table) {
	t.Helper()
	for i := range want.Entities {
		e := &want.Entities[i]
		g, ok := got.Entity(e.Name)
		if !ok || string(g.PK) != e.PK || string(g.SK) != e.SK || g.Added != "" {
			t.Errorf("entity %s: %+v", e.Name, g)
			continue
		}
		for _, k := range e.Places {
			at := slices.IndexFunc(g.Keys, func(have model.IndexKey) bool { return have.Index == k.Index })
			if at < 0 || g.Keys[at].PK != k.PK || g.Keys[at].SK != k.SK {
				t.Errorf("%s stands in %s elsewhere than under %s, %s", e.Name, k.Index, k.PK, k.SK)
			}
		}
		d.wantFields(t, e, got, g)
	}
	for i := range got.Entities {
		if g := &got.Entities[i]; g.Added == "" && !slices.ContainsFunc(want.Entities, func(e DocumentEntity) bool { return e.Name == g.Name }) {
			t.Errorf("entity %s is not the document's, and does not say why it is there", g.Name)
		}
	}
}

func (d *Document) wantFields(t *testing.T, e *DocumentEntity, table *model.Table, g *model.Entity) {
	t.Helper()
	keyed := append(g.PK.Vars(), g.SK.Vars()...)
	var indexed []string // attributes that an index keys on
	for _, k := range g.Keys {
		x, _ := table.Index(k.Index)
		indexed = append(indexed, x.KeyNames()...)
	}
	for _, name := range e.Fields {
		f, ok := g.Field(name)
		_, differs := d.Differs[e.Name+"."+name]
		switch {
		case ok && f.Added:
			t.Errorf("%s.%s is the document's own", e.Name, name)
		case !ok && !slices.Contains(indexed, name) && !differs:
			t.Errorf("%s has no %s", e.Name, name)
		case ok && f.Optional && !slices.Contains(e.Optional, name) && !differs:
			t.Errorf("%s.%s may be missing, which the document does not say", e.Name, name)
		}
	}
	for _, f := range g.Fields {
		if !f.Added && !slices.Contains(e.Fields, f.Name) && !slices.Contains(keyed, f.Name) {
			t.Errorf("%s.%s is not the document's, and is not marked as added", e.Name, f.Name)
		}
	}
}

// WantWritten wants an item to have every attribute that the document lists for its
// entity, and its keys.
func (d *Document) WantWritten(t testing.TB, entity string, item model.Raw) {
	t.Helper()
	for i := range d.Tables {
		table := &d.Tables[i]
		for j := range table.Entities {
			e := &table.Entities[j]
			if e.Name != entity {
				continue
			}
			for _, name := range slices.Concat([]string{table.PK, table.SK}, e.Fields) {
				if name != "" && item[name] == nil && !slices.Contains(e.Optional, name) {
					t.Errorf("a %s of ours has no %s: %v", entity, name, item)
				}
			}
			return
		}
	}
	t.Errorf("the document has no %s", entity)
}
