package attr

import (
	"errors"
	"testing"
)

func TestCheckItem(t *testing.T) {
	entry := func(name string, v Value) []byte { return Item(nil).appendEntry(name, v) }
	join := func(parts ...[]byte) (b []byte) {
		for _, p := range parts {
			b = append(b, p...)
		}
		return b
	}
	good := join(entry("a", NewInt(1)), entry("b", NewString("x")))
	if err := CheckItem(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if i != len(entry("a", NewInt(1))) && i > 0 && CheckItem(good[:i]) == nil {
			t.Errorf("%d bytes of %d are an item", i, len(good))
		}
	}
	for name, b := range map[string][]byte{
		"order":           join(entry("b", NewInt(1)), entry("a", NewInt(1))),
		"twins":           join(entry("a", NewInt(1)), entry("a", NewInt(1))),
		"name not UTF-8":  entry("\xff", NewInt(1)),
		"empty name":      entry("", NewInt(1)),
		"no kind":         entry("a", Value{}),
		"unknown kind":    entry("a", Value{11}),
		"null content":    entry("a", Value{byte(Null), 1}),
		"bool 2":          entry("a", Value{byte(Bool), 2}),
		"bool empty":      entry("a", Value{byte(Bool)}),
		"number empty":    entry("a", Value{byte(Number)}),
		"number longer":   entry("a", append(NewInt(1), 0)),
		"number leading":  entry("a", Value{byte(Number), 2, 130, 0x12, 0x00}),
		"number trailing": entry("a", Value{byte(Number), 2, 130, 0x21, 0x00}),
		"text not UTF-8":  entry("a", Value{byte(String), 0xff}),
		"empty set":       entry("a", Value{byte(StringSet)}),
		"set order":       entry("a", Value{byte(StringSet), 1, 'b', 1, 'a'}),
		"set twins":       entry("a", Value{byte(StringSet), 1, 'a', 1, 'a'}),
		"set cut":         entry("a", Value{byte(StringSet), 2, 'a'}),
		"set member":      entry("a", Value{byte(NumberSet), 1, 7}),
		"list cut":        entry("a", Value{byte(List), 5, 1}),
		"list member":     entry("a", NewList(Value{77})),
		"map member":      entry("a", NewMap(entry("x", Value{77}))),
		"long length":     {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		"huge length":     {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'a'},
		"padded length":   {0x81, 0x00, 'a', 1, byte(Null)},
	} {
		if err := CheckItem(b); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
