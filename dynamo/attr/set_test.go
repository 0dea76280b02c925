package attr

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// members makes a model of a set.
func members(set Value) map[string]bool {
	m := map[string]bool{}
	for v := range set.Elements() {
		m[string(v)] = true
	}
	return m
}

func genSet(k Kind) *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		list := rapid.SliceOfNDistinct(genKeyOf(k.Member()), 1, 40, func(v Value) string { return string(v) }).Draw(t, "members")
		set, err := NewSet(k, list)
		if err != nil {
			t.Fatal(err)
		}
		return set
	})
}

func TestSetAlgebra(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]Kind{NumberSet, StringSet, BinarySet}).Draw(t, "kind")
		a, b := genSet(k).Draw(t, "a"), genSet(k).Draw(t, "b")
		if rapid.Bool().Draw(t, "overlap") {
			b = Union(b, a)
			a = Union(a, genSet(k).Draw(t, "more"))
		}
		x, y := members(a), members(b)

		union := Union(a, b)
		want := maps.Clone(x)
		maps.Copy(want, y)
		if !maps.Equal(members(union), want) {
			t.Fatalf("union %x", union)
		}
		if err := CheckValue(union); err != nil {
			t.Fatal(err)
		}

		maps.DeleteFunc(x, func(m string, _ bool) bool { return y[m] })
		diff, ok := Difference(a, b)
		if ok != (len(x) > 0) || ok && !maps.Equal(members(diff), x) {
			t.Fatalf("difference %x, %v", diff, ok)
		}
		if ok && CheckValue(diff) != nil {
			t.Fatal(CheckValue(diff))
		}

		for m := range want {
			if Contains(b, Value(m)) != y[m] {
				t.Fatalf("contains %x", m)
			}
		}
		shuffled := rapid.Permutation(slices.Collect(b.Elements())).Draw(t, "shuffled")
		again, err := NewSet(k, shuffled)
		if err != nil || !Equal(again, b) {
			t.Fatalf("the order given matters: %x, %x, %v", b, again, err)
		}
	})
}

func TestContainsWrongKinds(t *testing.T) {
	set, err := NewSet(StringSet, []Value{NewString("1")})
	if err != nil {
		t.Fatal(err)
	}
	if Contains(set, NewInt(1)) || Contains(NewList(NewString("1")), NewString("1")) || Contains(nil, NewInt(1)) {
		t.Error("contains what it cannot")
	}
}

func TestSetRefused(t *testing.T) {
	s, n, b := NewString, NewInt, func(s string) Value { return NewBinary([]byte(s)) }
	for _, c := range []struct {
		kind    Kind
		members []Value
		want    string
	}{
		{StringSet, nil, "One or more parameter values were invalid: An string set  may not be empty"},
		{NumberSet, nil, "One or more parameter values were invalid: An number set  may not be empty"},
		{BinarySet, nil, "One or more parameter values were invalid: Binary sets should not be empty"},
		{StringSet, []Value{s("a"), s("a")}, "One or more parameter values were invalid: Input collection [a, a] contains duplicates."},
		{StringSet, []Value{s("b"), s("a"), s("b")}, "One or more parameter values were invalid: Input collection [b, a, b] contains duplicates."},
		{StringSet, []Value{s(""), s("")}, "One or more parameter values were invalid: Input collection [, ] contains duplicates."},
		{NumberSet, []Value{n(1), n(2), n(1)}, "Input collection contains duplicates"},
		{BinarySet, []Value{b("\x01"), b("\x01")}, "One or more parameter values were invalid: Input collection [AQ==, AQ==]of type BS contains duplicates."},
		{StringSet, []Value{n(1)}, "One or more parameter values were invalid: Type mismatch: a N cannot be a member of SS"},
		{List, []Value{n(1)}, "One or more parameter values were invalid: Type mismatch: a N cannot be a member of L"},
	} {
		v, err := NewSet(c.kind, c.members)
		var e *InvalidError
		if v != nil || !errors.As(err, &e) || e.Message != c.want {
			t.Errorf("%s %x: %x, %v, want %s", c.kind, c.members, v, err, c.want)
		}
	}
}

// TestTwinsReworded has sets that the two ways of reading refuse with different words.
func TestTwinsReworded(t *testing.T) {
	text := func(list ...string) (out []Value) {
		for _, s := range list {
			out = append(out, NewString(s))
		}
		return out
	}
	cases := []struct {
		kind    Kind
		members []Value
		newer   string
	}{
		{StringSet, text("a", "a"), `One or more parameter values were invalid: Input collection ["a", "a"] contains duplicates.`},
		{StringSet, text("b", "a", "b"), `One or more parameter values were invalid: Input collection ["a", "b", "b"] contains duplicates.`},
		{StringSet, text("c", "b", "c", "a", "b"), `One or more parameter values were invalid: Input collection ["b", "c", "c", "a", "b"] contains duplicates.`},
		{BinarySet, []Value{NewBinary([]byte{255}), NewBinary([]byte{0}), NewBinary([]byte{0})}, `One or more parameter values were invalid: Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`},
		{NumberSet, []Value{NewInt(2), NewInt(1), NewInt(2)}, "One or more parameter values were invalid: Input collection contains duplicates."},
	}
	for _, c := range cases {
		_, err := NewSet(c.kind, c.members)
		var e *InvalidError
		if !errors.As(err, &e) || e.Newer != c.newer {
			t.Errorf("%v: %#v, want %s", c.members, err, c.newer)
		}
	}
}
