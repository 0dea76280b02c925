package attr

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// asMap makes a map of an item, by way of All.
func asMap(it Item) map[string]string {
	m := map[string]string{}
	for name, v := range it.All() {
		m[strings.Clone(name)] = string(v)
	}
	return m
}

func TestItemGet(t *testing.T) {
	var b Builder
	for _, name := range []string{"b", "d", "dd"} {
		b.Set(name, NewString(name))
	}
	it := b.Item()
	for _, name := range []string{"b", "d", "dd"} {
		if v, ok := it.Get(name); !ok || v.Text() != name {
			t.Errorf("%s: %x, %v", name, v, ok)
		}
	}
	for _, name := range []string{"", "a", "c", "db", "e"} {
		if v, ok := it.Get(name); ok || v != nil && ok {
			t.Errorf("%s: %x", name, v)
		}
	}
	if it.Len() != 3 || Item(nil).Len() != 0 {
		t.Error("length")
	}
	for range it.All() {
		break
	}
}

// TestBuilder holds the builder against a plain map.
func TestBuilder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, err := ItemFromSDK(genItem(1).Draw(t, "base"))
		if err != nil {
			t.Fatal(err)
		}
		model := asMap(base)
		names := append(slices.Sorted(maps.Keys(model)), "", "a", "zz", "日本", strings.Repeat("n", 300))
		b := NewBuilder(base)
		for range rapid.IntRange(0, 12).Draw(t, "edits") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			if rapid.Bool().Draw(t, "delete") {
				b.Delete(name)
				delete(model, name)
			} else {
				v := genValue(1).Draw(t, "value")
				b.Set(name, v)
				model[name] = string(v)
			}
			got, ok := b.Get(name)
			if want, in := model[name]; ok != in || string(got) != want {
				t.Fatalf("%q is %x, %v", name, got, ok)
			}
		}
		before := base.Clone()
		it := b.Item()
		if diff := cmp.Diff(model, asMap(it)); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(before, base); diff != "" {
			t.Fatal("the base was changed")
		}
		if !slices.Equal(b.AppendItem([]byte("x")), append([]byte("x"), it...)) {
			t.Fatal("AppendItem differs")
		}
		b.Reset(it)
		if !slices.Equal(b.Item(), it) {
			t.Fatal("changes survive Reset")
		}
	})
}
