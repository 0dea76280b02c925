package attr

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func genKey() *rapid.Generator[Value] {
	return rapid.OneOf(
		rapid.Map(genText(), NewString),
		rapid.Map(genBytes(), NewBinary),
		rapid.Map(genCanonical(), func(s string) Value { v, _ := NewNumber(s); return v }),
	)
}

// genKeyOf draws a key value of one kind.
func genKeyOf(k Kind) *rapid.Generator[Value] {
	return genKey().Filter(func(v Value) bool { return v.Kind() == k })
}

func TestKeyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(genKey(), 1, 4).Draw(t, "keys")
		var b []byte
		for _, k := range keys {
			b = AppendKey(b, k)
		}
		for _, want := range keys {
			got, rest, err := DecodeKey(want.Kind(), b)
			if err != nil || !Equal(got, want) {
				t.Fatalf("%x: %x, %v", want, got, err)
			}
			b = rest
		}
		if len(b) != 0 {
			t.Fatalf("%x is left", b)
		}
	})
}

// TestKeyOrder compares pairs of keys, where the first decides before the second.
func TestKeyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SampledFrom([]Kind{String, Binary, Number}).Draw(t, "first")
		second := rapid.SampledFrom([]Kind{String, Binary, Number}).Draw(t, "second")
		a1, b1 := genKeyOf(first).Draw(t, "a1"), genKeyOf(first).Draw(t, "b1")
		if rapid.Bool().Draw(t, "same") {
			b1 = a1
		}
		a2, b2 := genKeyOf(second).Draw(t, "a2"), genKeyOf(second).Draw(t, "b2")
		want, _ := Compare(a1, b1)
		if want == 0 {
			want, _ = Compare(a2, b2)
		}
		got := bytes.Compare(AppendKey(AppendKey(nil, a1), a2), AppendKey(AppendKey(nil, b1), b2))
		if got != want {
			t.Fatalf("(%x, %x) against (%x, %x): %d, want %d", a1, a2, b1, b2, got, want)
		}
	})
}

func TestKeyPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]Kind{String, Binary}).Draw(t, "kind")
		a, b := genKeyOf(k).Draw(t, "a"), genKeyOf(k).Draw(t, "b")
		if rapid.Bool().Draw(t, "extend") {
			b = append(slices.Clip(slices.Clone(a)), b[1:]...)
		}
		want := bytes.HasPrefix(b[1:], a[1:])
		if got := bytes.HasPrefix(AppendKey(nil, b), AppendKeyPrefix(nil, a)); got != want {
			t.Fatalf("%x starts with %x: %v, want %v", b, a, got, want)
		}
	})
}

func TestKeyDamage(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		src  []byte
	}{
		{String, nil}, {String, []byte("abc")}, {String, []byte("abc\x00")}, {String, []byte("a\x00\x02")}, {Binary, []byte{0, 0}},
		{Number, nil}, {Number, []byte{3}}, {Number, []byte{2}}, {Number, []byte{2, 130}}, {Number, []byte{2, 130, 0x00}},
		{Number, []byte{2, 130, 0x10}}, {Number, []byte{2, 130, 0x21, 0x00}}, {Number, []byte{2, 130, 0xb0}}, {Number, []byte{2, 130, 0x02}},
		{Number, append([]byte{2, 130}, bytes.Repeat([]byte{0x22}, 20)...)},
		{Bool, []byte{1}}, {Map, nil}, {0, nil},
	} {
		if v, _, err := DecodeKey(c.kind, c.src); err == nil {
			t.Errorf("%s %x: %x", c.kind, c.src, v)
		}
	}
	if b := AppendKey(nil, NewBool(true)); b != nil {
		t.Errorf("a boolean has key bytes %x", b)
	}
	if b := AppendKeyPrefix(nil, NewInt(1)); b != nil {
		t.Errorf("a number has a prefix %x", b)
	}
}
