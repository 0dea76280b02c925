package attr

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pressroom/dynamo/token"
)

// numberSyntax is what DynamoDB takes for a number.
var numberSyntax = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "+1", "1.50", ".5", "5.", "1e5", "1E+125", "-9.99e-130", "abc", "", "1e", "00012.3400", "12345678901234567890123456789012345678"} {
		f.Add(s, "1")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, err := NewNumber(a)
		if err != nil {
			var e *InvalidError
			if !errors.As(err, &e) {
				t.Fatalf("%q: %v", a, err)
			}
			if numberSyntax.MatchString(a) == strings.HasPrefix(e.Message, msgNotNumeric) {
				t.Fatalf("%q: %v", a, err)
			}
			return
		}
		if !numberSyntax.MatchString(a) {
			t.Fatalf("%q is %s", a, x.Number())
		}
		if err := CheckValue(x); err != nil {
			t.Fatal(err)
		}
		if again, err := NewNumber(x.Number()); err != nil || !Equal(x, again) {
			t.Fatalf("%q became %s, then %x, %v", a, x.Number(), again, err)
		}
		var p, q big.Rat
		if _, ok := p.SetString(x.Number()); !ok {
			t.Fatalf("%q is answered as %s", a, x.Number())
		}
		if exact, ok := new(big.Rat).SetString(a); ok && len(a) < 200 && exact.Cmp(&p) != 0 {
			t.Fatalf("%q is answered as %s", a, x.Number())
		}
		y, err := NewNumber(b)
		if err != nil {
			return
		}
		q.SetString(y.Number())
		if got, _ := Compare(x, y); got != p.Cmp(&q) {
			t.Fatalf("%s against %s: %d", x.Number(), y.Number(), got)
		}
		if sum, err := Add(x, y); err == nil {
			if s, ok := new(big.Rat).SetString(sum.Number()); !ok || s.Cmp(p.Add(&p, &q)) != 0 {
				t.Fatalf("%s + %s = %s", x.Number(), y.Number(), sum.Number())
			}
		}
	})
}

// FuzzKey reads any bytes as a key, and compares any two keys.
func FuzzKey(f *testing.F) {
	f.Add([]byte("a\x00\xffb\x00\x01"), []byte("a"))
	f.Add(AppendKey(nil, NewInt(-12)), AppendKey(nil, NewInt(7)))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, k := range []Kind{String, Binary, Number} {
			v, rest, err := DecodeKey(k, a)
			if err != nil {
				continue
			}
			if again := append(AppendKey(nil, v), rest...); !bytes.Equal(again, a) {
				t.Fatalf("%s %x: %x, again %x", k, a, v, again)
			}
			w, _, err := DecodeKey(k, b)
			if err != nil {
				continue
			}
			if c, _ := Compare(v, w); c != bytes.Compare(AppendKey(nil, v), AppendKey(nil, w)) {
				t.Fatalf("%x against %x", v, w)
			}
		}
		x, y := NewBinary(a), NewBinary(b)
		if c, _ := Compare(x, y); c != bytes.Compare(AppendKey(nil, x), AppendKey(nil, y)) {
			t.Fatalf("%x against %x", x, y)
		}
		if got := bytes.HasPrefix(AppendKey(nil, x), AppendKeyPrefix(nil, y)); got != bytes.HasPrefix(a, b) {
			t.Fatalf("%x starts with %x: %v", a, b, got)
		}
	})
}

// FuzzJSON reads anything as an item. What is taken is an item in canonical form, no longer
// than its text, and survives being written and read.
func FuzzJSON(f *testing.F) {
	for _, b := range benchItems {
		f.Add([]byte(b.json))
	}
	for _, s := range []string{
		`{"a":{"SS":["b","a"]},"a":{"BS":["AQ==",""]}}`, `{"a":{"S":"x","S":null}}`, `{"a":{"N":"1","S":"2"}}`, `{"a":{"L":[null,{}]}}`,
		`{"\u0061":{"M":{"b":{"NULL":false}}}}`, `{"a":{"NS":["1","1.0"]}}`, `{"a":{"B":"=+/="}}`, `[]`, `{"a":`,
		strings.Repeat(`{"a":{"M":`, 40) + `{}` + strings.Repeat(`}}`, 40),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := token.NewReader(data)
		it, err := ParseItemJSON(r)
		if err != nil {
			var invalid *InvalidError
			var malformed *token.Error
			if errors.As(err, &invalid) == errors.As(err, &malformed) {
				t.Fatalf("%T: %v", err, err)
			}
			if invalid != nil && r.Err() != nil {
				t.Fatal("a fault of DynamoDB's hides one of JSON's", err, r.Err())
			}
			return
		}
		if len(it) > len(data) {
			t.Fatalf("%d bytes became %d", len(data), len(it))
		}
		if err := CheckItem(it); err != nil {
			t.Fatal(err)
		}
		checkEdges(t, it)
	})
}

// checkEdges takes a sound item over every edge and back.
func checkEdges(t *testing.T, it Item) {
	text := AppendItemJSON(nil, it)
	if !json.Valid(text) {
		t.Fatalf("not JSON: %s", text)
	}
	if again, err := ParseItemJSON(token.NewReader(text)); err != nil || !bytes.Equal(it, again) {
		t.Fatalf("over JSON %s: %x, %v", text, again, err)
	}
	if again, err := ItemFromSDK(ItemToSDK(it)); err != nil || !bytes.Equal(it, again) {
		t.Fatalf("over the SDK: %x, %v", again, err)
	}
	b := NewBuilder(nil)
	for name, v := range it.All() {
		b.Set(name, v)
		if got, ok := it.Get(name); !ok || !Equal(got, v) {
			t.Fatalf("%q is %x", name, got)
		}
	}
	if again := b.Item(); !bytes.Equal(it, again) {
		t.Fatalf("over a builder: %x", again)
	}
}

// FuzzItemBytes calls every method on bytes that may be damaged.
func FuzzItemBytes(f *testing.F) {
	for _, b := range benchItems {
		f.Add([]byte(benchItem(f, b.json)), "title")
	}
	f.Add([]byte{1, 'a', 3, byte(List), 1, 0}, "a")
	f.Add([]byte{1, 'a', 4, byte(Number), 2, 130, 0x20}, "a")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		it := Item(data)
		if CheckItem(it) == nil {
			checkEdges(t, it)
		}
		useItem(it, name)
		useValue(Value(data))
		_ = CheckValue(Value(data))
		b := NewBuilder(it)
		b.Set(name, NewInt(1))
		b.Delete("a")
		b.Item()
		_ = AppendItemJSON(nil, it)
		_ = ItemToSDK(it)
		_ = ItemToStreams(it)
		_ = CheckNesting(it)
		_ = it.Size() + it.Len()
	})
}

func useItem(it Item, name string) {
	it.Get(name)
	for _, v := range it.All() {
		useValue(v)
	}
}

func useValue(v Value) {
	_, _, _, _ = v.Kind(), v.Bool(), v.Text(), v.Bytes()
	_, _ = v.Number(), v.Len()
	v.Index(1)
	for e := range v.Elements() {
		Contains(v, e)
		Compare(v, e)
	}
	_, _ = Add(v, v)
	Union(v, v)
	Difference(v, v)
	Size(v)
	ToSDK(v)
	AppendJSON(nil, v)
	AppendKeyPrefix(AppendKey(nil, v), v)
	for _, inner := range v.Item().All() {
		useValue(inner)
	}
}
