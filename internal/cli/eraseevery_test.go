package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/rights/erase"
	"pressroom/internal/rights/request"
	"pressroom/model"
	"pressroom/model/cost"
)

// plantation is a store in which something is planted in every entity of every table, and in
// every object of every bucket, as the schemas declare them: what is declared tomorrow too.
type plantation struct {
	t        *testing.T
	store    *store
	schemas  []model.Schema
	erasures *erase.Erasures
	planted  int
}

func openPlantation(t *testing.T) *plantation {
	t.Helper()
	st, err := openStore(storeSettings{Data: filepath.Join(t.TempDir(), "data")}, endpointSettings{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	x := &plantation{t: t, store: st}
	t.Cleanup(func() { x.check(st.Close()) })
	x.erasures, err = openErasures(t.Context(), st, tableNames{}, erase.Options{Registers: []string{filepath.Join(t.TempDir(), erase.RegisterName)}, Log: quiet})
	x.check(err)
	x.schemas, err = tableNames{}.schemas()
	x.check(err)
	return x
}

func (x *plantation) check(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// keyed are the fields that an entity's keys are made of.
func keyed(e *model.Entity) []string {
	all := slices.Concat(e.PK.Vars(), e.SK.Vars())
	for _, k := range e.Keys {
		all = slices.Concat(all, k.PK.Vars(), k.SK.Vars())
	}
	return all
}

// words reports whether a field can have a text of so many bytes in it that nobody here
// makes up.
func words(f *model.Field, size int) bool {
	switch f.Kind {
	case "", model.Text, model.List, model.Set, model.Map, model.Binary:
		return len(f.Values) == 0 && f.Max >= size
	}
	return false
}

// plant puts an item of an entity, with a text in the fields that take it and other values in
// some. In keys it puts the text only if told.
func (x *plantation) plant(t *model.Table, e *model.Entity, n int, text string, others model.Values, keys bool) {
	x.t.Helper()
	fixed := model.Values{}
	for _, f := range e.Fields {
		if own, ok := others[f.Name]; ok {
			fixed[f.Name] = own
		} else if words(&f, len(text)) && (keys || !slices.Contains(keyed(e), f.Name)) {
			fixed[f.Name] = text
		}
	}
	item, err := cost.Samples{Table: t}.Item(e, n, fixed)
	if err != nil {
		x.t.Fatalf("%s: %v", e.Name, err)
	}
	for _, f := range e.Fields {
		if others != nil && f.Optional && (f.Kind == model.List || f.Kind == model.Map) {
			delete(item, f.Name) // its desk reads it, and what is in there no schema says
		}
	}
	_, err = x.store.db.PutItem(x.t.Context(), &dynamodb.PutItemInput{TableName: &t.Name, Item: item})
	x.check(err)
	x.planted++
}

// plantObject puts an object with a body in each form that objects have.
func (x *plantation) plantObject(bucket string, o *model.Object, vars model.Values, text string) {
	x.t.Helper()
	key, err := o.Key.Render(vars)
	x.check(err)
	body, err := json.Marshal(map[string]any{"text": "so " + text + " said", "people": []string{text}})
	x.check(err)
	switch {
	case strings.HasSuffix(key, ".gz"):
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write(body)
		x.check(err)
		x.check(z.Close())
		body = b.Bytes()
	case strings.HasSuffix(key, ".ndjson"):
		body = slices.Concat(body, []byte("\n"), body, []byte("\n"))
	}
	_, err = x.store.client.PutObject(x.t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
	x.check(err)
	x.planted++
}

// left returns the lines of what is stored that have a text in them.
func (x *plantation) left(text string) (found []string) {
	x.t.Helper()
	for line := range strings.Lines(stored(x.t, x.store)) {
		if strings.Contains(line, strings.ToLower(text)) {
			found = append(found, line)
		}
	}
	return found
}

// A name in every field of every entity, and in every object, is erased from all but what
// is said to be left alone: accounts, and what people asked for.
func TestEraseNameEverywhere(t *testing.T) {
	x := openPlantation(t)
	const name = "Zelda Quixote"
	alone := map[string]bool{}
	for _, s := range []model.Schema{auth.Schema, request.Schema, erase.Schema} {
		for _, e := range s.Tables[0].Entities {
			alone[s.Tables[0].Name+" "+e.Name] = true
		}
	}
	n := 0
	for s := range x.schemas {
		schema := &x.schemas[s]
		for i := range schema.Tables {
			for j := range schema.Tables[i].Entities {
				e := &schema.Tables[i].Entities[j]
				if alone[schema.Tables[i].Name+" "+e.Name] {
					continue
				}
				for _, keys := range []bool{false, true} {
					n++
					x.plant(&schema.Tables[i], e, n, fmt.Sprintf("%s %d", name, n), nil, keys)
				}
			}
		}
		for _, b := range schema.Buckets {
			for _, o := range b.Objects {
				for _, part := range []string{"plain", "zelda-quixote"} {
					n++
					vars := model.Values{}
					for _, v := range o.Vars {
						vars[v.Name] = fmt.Sprintf("%s-%d", part, n)
						if v.Max < len(vars[v.Name]) {
							vars[v.Name] = "1"
						}
					}
					x.plantObject(b.Name, &o, vars, name)
				}
			}
		}
	}
	if before := len(x.left(name)); before < x.planted*3/4 {
		t.Fatalf("of %d things %d have the name", x.planted, before)
	}
	_, err := x.erasures.Begin(t.Context(), erase.Subject{Kind: erase.Person, Text: name}, "ann", "asked")
	x.check(err)
	x.check(x.erasures.Run(t.Context(), nil))
	for _, form := range []string{name, "zelda", "quixote"} {
		for _, line := range x.left(form) {
			t.Errorf("left: %.400s", line)
		}
	}
}

// What every entity of a desk says of a story is gone with the story.
func TestEraseStoryEverywhere(t *testing.T) {
	article := newswire.Article{ArticleID: "zqarticle", SiteID: "zqsite", PublishedAt: "2026-11-10T09:00:00.000Z"}
	ids := map[string]struct {
		id     string
		values model.Values
	}{
		"blog":     {"zqpost", model.Values{"id": "zqpost"}},
		"minutes":  {"zqmeeting", model.Values{"id": "zqmeeting", "articleId": "zqmeeting", "issueID": "zqmeeting", "pk": "zqmeeting"}},
		"lexicon":  {"zqterm", model.Values{"slug": "zqterm"}},
		"newswire": {article.StoryID(), model.Values{"articleId": article.ArticleID, "siteId": article.SiteID, "publishedAt": article.PublishedAt}},
	}
	const said = "the secret of the lighthouse keeper, which nobody may read any more, not even in a list or a link"
	for s := range openPlantation(t).schemas {
		x := openPlantation(t)
		schema := &x.schemas[s]
		own, ok := ids[schema.Name]
		if !ok {
			continue
		}
		t.Run(schema.Name, func(t *testing.T) {
			x.t = t
			for i := range schema.Tables {
				for j := range schema.Tables[i].Entities {
					e := &schema.Tables[i].Entities[j]
					// Of the story is what is keyed by it, or names it.
					of := slices.ContainsFunc(e.Fields, func(f model.Field) bool {
						return own.values[f.Name] != "" && f.Name != "siteId" && f.Name != "publishedAt"
					})
					if of {
						x.plant(&schema.Tables[i], e, 1, said, own.values, true)
					}
				}
			}
			if len(x.left(said)) < 3 {
				t.Fatalf("of %d items %d say it", x.planted, len(x.left(said)))
			}
			_, err := x.erasures.Begin(t.Context(), erase.Subject{Kind: erase.Story, Text: schema.Name + "/" + own.id}, "ann", "asked")
			x.check(err)
			x.check(x.erasures.Run(t.Context(), nil))
			for _, line := range x.left(said) {
				t.Errorf("left: %.400s", line)
			}
		})
	}
}
