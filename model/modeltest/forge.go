package modeltest

import (
	"slices"
	"testing"

	"pressroom/model"
	"pressroom/model/cost"
)

// FuzzKeys writes keys of every entity with arbitrary text in every field that
// may hold text, and reads them back: as the same entity, with the same text. So
// no value forges the key of another entity.
func FuzzKeys(f *testing.F, s model.Schema) {
	for _, seed := range []string{"x", "#", "%23", "%25", "a#METADATA", "1#ARTICLE#2", "BLOCK#00001", "日本#%"} {
		f.Add(seed, "y"+seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for i := range s.Tables {
			for j := range s.Tables[i].Entities {
				forge(t, &s.Tables[i], &s.Tables[i].Entities[j], a, b)
			}
		}
	})
}

func forge(t *testing.T, table *model.Table, e *model.Entity, a, b string) {
	t.Helper()
	values := model.Values{}
	for i, name := range slices.Concat(e.PK.Vars(), e.SK.Vars()) {
		f, ok := e.Field(name)
		switch {
		case !ok:
			t.Fatalf("%s has no field %s", e.Name, name)
		case len(f.Values) > 0:
			values[name] = f.Values[0]
		case f.Kind != "" && f.Kind != model.Text:
			values[name] = cost.Samples{Table: table}.Text(*f, 1)
		default:
			values[name] = []string{a, b}[i%2]
		}
	}
	key, err := table.Key(e, values)
	if err != nil {
		return // empty, too long, or no text at all
	}
	id, ok := table.Identify(key)
	if !ok || id.Entity.Name != e.Name {
		t.Fatalf("%s with %q makes a key that is taken for %v", e.Name, values, id.Entity)
	}
	for name, value := range values {
		if id.Values[name] != value {
			t.Fatalf("%s: %s %q came back as %q", e.Name, name, value, id.Values[name])
		}
	}
}
