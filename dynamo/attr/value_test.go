package attr

import (
	"slices"
	"testing"
)

func TestKinds(t *testing.T) {
	names := []string{"NULL", "BOOL", "N", "S", "B", "NS", "SS", "BS", "L", "M"}
	for i, name := range names {
		k := Kind(i + 1)
		if k.String() != name {
			t.Errorf("%d is called %s, want %s", k, k, name)
		}
		if got, ok := KindOf(name); !ok || got != k {
			t.Errorf("%s is %d", name, got)
		}
	}
	if _, ok := KindOf("INT"); ok || Kind(0).String() != "" || Kind(11).String() != "" {
		t.Error("a kind that is none")
	}
	for k, set := range map[Kind]Kind{Number: NumberSet, String: StringSet, Binary: BinarySet} {
		if k.Set() != set || set.Member() != k || !set.IsSet() || k.IsSet() {
			t.Errorf("%s and %s do not fit", k, set)
		}
	}
	if Bool.Set() != 0 || List.Member() != 0 || List.IsSet() {
		t.Error("a set that is none")
	}
}

func TestScalars(t *testing.T) {
	if v := NewString("日本"); v.Kind() != String || v.Text() != "日本" || string(v.Bytes()) != "日本" || v.Number() != "" {
		t.Errorf("string: %x", v)
	}
	if v := NewBinary([]byte{0, 1}); v.Kind() != Binary || string(v.Bytes()) != "\x00\x01" || v.Text() != "" {
		t.Errorf("binary: %x", v)
	}
	if v := NewNull(); v.Kind() != Null || len(v.Payload()) != 0 || v.Bool() || v.Item() != nil {
		t.Errorf("null: %x", v)
	}
	if !NewBool(true).Bool() || NewBool(false).Bool() {
		t.Error("bool")
	}
	var none Value
	if none.Kind() != 0 || none.Payload() != nil || none.Len() != 0 || none.Bytes() != nil || Value([]byte{99}).Kind() != 0 {
		t.Error("no value")
	}
}

func TestCollections(t *testing.T) {
	list := NewList(NewString("a"), NewInt(7), NewList(NewNull()))
	if list.Len() != 3 {
		t.Errorf("length %d", list.Len())
	}
	if v, ok := list.Index(1); !ok || v.Number() != "7" {
		t.Errorf("index 1: %x, %v", v, ok)
	}
	for _, i := range []int{-1, 3, 100} {
		if v, ok := list.Index(i); ok {
			t.Errorf("index %d: %x", i, v)
		}
	}
	var kinds []Kind
	for v := range list.Elements() {
		kinds = append(kinds, v.Kind())
	}
	if !slices.Equal(kinds, []Kind{String, Number, List}) {
		t.Errorf("elements %v", kinds)
	}
	for range list.Elements() {
		break
	}

	set, err := NewSet(NumberSet, []Value{NewInt(10), NewInt(-2), NewInt(3)})
	if err != nil {
		t.Fatal(err)
	}
	var members []string
	for v := range set.Elements() {
		members = append(members, v.Number())
	}
	if !slices.Equal(members, []string{"-2", "3", "10"}) || set.Len() != 3 {
		t.Errorf("members %v", members)
	}
	if v, ok := set.Index(2); !ok || v.Number() != "10" {
		t.Errorf("index 2: %x, %v", v, ok)
	}

	var b Builder
	b.Set("x", NewInt(1))
	m := NewMap(b.Item())
	if v, ok := m.Item().Get("x"); !ok || v.Number() != "1" || m.Len() != 1 {
		t.Errorf("map: %x", m)
	}
	for range NewString("abc").Elements() {
		t.Error("a string has elements")
	}
	if _, ok := NewString("abc").Index(0); ok || NewString("abc").Len() != 0 {
		t.Error("a string has a length")
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b Value
		want int
		ok   bool
	}{
		{NewString("a"), NewString("b"), -1, true},
		{NewString("B"), NewString("a"), -1, true},
		{NewString("a"), NewString("a\x00"), -1, true},
		{NewString("é"), NewString("z"), 1, true},
		{NewBinary([]byte{0xff}), NewBinary([]byte{0, 0}), 1, true},
		{NewInt(-10), NewInt(2), -1, true},
		{NewInt(2), NewInt(2), 0, true},
		{NewInt(2), NewString("2"), 0, false},
		{NewBool(true), NewBool(false), 0, false},
		{NewNull(), NewNull(), 0, false},
		{NewList(), NewList(), 0, false},
		{nil, nil, 0, false},
	} {
		if got, ok := Compare(c.a, c.b); got != c.want || ok != c.ok {
			t.Errorf("%x against %x: %d, %v", c.a, c.b, got, ok)
		}
	}
}

func TestClonesAreApart(t *testing.T) {
	v := NewString("abc")
	w := v.Clone()
	v[1] = 'x'
	if w.Text() != "abc" {
		t.Error("the clone shares memory")
	}
	var b Builder
	b.Set("a", NewInt(1))
	it := b.Item()
	other := it.Clone()
	it[1] = 'z'
	if _, ok := other.Get("a"); !ok {
		t.Error("the clone shares memory")
	}
}
