package token

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read makes a tree of the next value, using every walking method.
func read(r *Reader) (any, error) {
	switch r.Kind() {
	case Null:
		if !r.Null() {
			return nil, r.Err()
		}
		return nil, nil
	case True, False:
		return r.Bool()
	case Number:
		n, err := r.Number()
		return json.Number(strings.Clone(n)), err
	case String:
		s, err := r.String()
		return strings.Clone(s), err
	case Array:
		return readArray(r)
	}
	return readObject(r)
}

func readArray(r *Reader) (any, error) {
	list := []any{}
	if err := r.BeginArray(); err != nil {
		return nil, err
	}
	for {
		more, err := r.Element()
		if !more {
			return list, err
		}
		v, err := read(r)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

func readObject(r *Reader) (any, error) {
	object := map[string]any{}
	if err := r.BeginObject(); err != nil {
		return nil, err
	}
	for {
		name, more, err := r.Name()
		if !more {
			return object, err
		}
		v, err := read(r)
		if err != nil {
			return nil, err
		}
		object[strings.Clone(name)] = v
	}
}

func readAll(data []byte) (any, error) {
	r := NewReader(data)
	v, err := read(r)
	if err == nil {
		err = r.Done()
	}
	return v, err
}

func TestRead(t *testing.T) {
	for _, src := range []string{
		`null`, `true`, `false`, `0`, `-0`, `12.5e-3`, `1E+9`, `""`, `"a"`, `[]`, `{}`,
		`[1,2,3]`, ` [ 1 , [ ] , { } ] `, `{"a":1,"b":[{"c":null}]}`, "{\n\t\"a\" : \"b\" ,\r\n \"c\":{}}",
		`"\"\\\/\b\f\n\r\t"`, `"\u0041\u00e9\u65e5\ud83d\ude00"`, `"日本語のテキスト、いくつかの文字"`, `{"日本":"語"}`,
		`{"\u0061":1}`, `"a string that is longer than eight bytes, without escapes"`,
		`"a string that is longer \n than eight bytes, with \"escapes\""`, `{"a":1,"a":2}`,
	} {
		got, err := readAll([]byte(src))
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		var want any
		d := json.NewDecoder(strings.NewReader(src))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", src, diff)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		src, message string
		offset       int
	}{
		{``, "unexpected end of JSON", 0},
		{`  `, "unexpected end of JSON", 2},
		{`nul`, "unexpected character 'n'", 0},
		{`truE`, "unexpected character 't'", 0},
		{`x`, "unexpected character 'x'", 0},
		{`01`, "unexpected character '1'", 1},
		{`-`, "unexpected end of JSON", 1},
		{`1.`, "unexpected end of JSON", 2},
		{`1.x`, "unexpected character 'x'", 2},
		{`1e`, "unexpected end of JSON", 2},
		{`1e+`, "unexpected end of JSON", 3},
		{`+1`, "unexpected character '+'", 0},
		{`.5`, "unexpected character '.'", 0},
		{`"`, "unexpected end of JSON", 1},
		{`"abc`, "unexpected end of JSON", 4},
		{`"abc\`, "unexpected end of JSON", 5},
		{`"abc\"`, "unexpected end of JSON", 6},
		{"\"a\x01b\"", "control character in string", 2},
		{"\"a\nb\"", "control character in string", 2},
		{"\"a\xffb\"", "invalid UTF-8 in string", 0},
		{"\"\xed\xa0\x80\"", "invalid UTF-8 in string", 0},
		{`"ab\x"`, "invalid escape in string", 3},
		{`"ab\u12g4"`, "invalid escape in string", 3},
		{`"\u12"`, "invalid escape in string", 1},
		{`"\ud83d"`, "invalid escape in string", 1},
		{`"\ud83dx\ude00"`, "invalid escape in string", 1},
		{`"\ude00\ud83d"`, "invalid escape in string", 1},
		{`"\ud83d\u0041"`, "invalid escape in string", 1},
		{`[1 2]`, "unexpected character '2'", 3},
		{`[1,]`, "unexpected character ']'", 3},
		{`[,1]`, "unexpected character ','", 1},
		{`[1`, "unexpected end of JSON", 2},
		{`[1}`, "unexpected character '}'", 2},
		{`{"a":1]`, "unexpected character ']'", 6},
		{`{a:1}`, "unexpected character 'a'", 1},
		{`{"a" 1}`, "unexpected character '1'", 5},
		{`{"a":}`, "unexpected character '}'", 5},
		{`{"a":1,}`, "unexpected character '}'", 7},
		{`{,"a":1}`, "unexpected character ','", 1},
		{`{"a":1 "b":2}`, "unexpected character '\"'", 7},
		{`{"a":1"b":2}`, "unexpected character '\"'", 6},
		{`{"a"`, "unexpected end of JSON", 4},
		{`1 2`, "unexpected character '2'", 2},
		{"1\x00", "unexpected character 0x00", 1},
		{strings.Repeat("[", MaxDepth+1), "JSON is nested too deeply", MaxDepth},
	} {
		for how, run := range map[string]func([]byte) error{
			"read": func(b []byte) error { _, err := readAll(b); return err },
			"skip": func(b []byte) error {
				r := NewReader(b)
				if err := r.Skip(); err != nil {
					return err
				}
				return r.Done()
			},
		} {
			var e *Error
			if err := run([]byte(c.src)); !errors.As(err, &e) {
				t.Errorf("%s %.40q: %v", how, c.src, err)
				continue
			}
			if want := (Error{c.offset, c.message, true}); *e != want {
				t.Errorf("%s %.40q: got %+v, want %+v", how, c.src, *e, want)
			}
		}
	}
}

func TestDepth(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, MaxDepth/2) + strings.Repeat(`]}`, MaxDepth/2)
	r := NewReader([]byte(deep))
	if err := errors.Join(r.Skip(), r.Done()); err != nil {
		t.Error(err)
	}
	// Depth counts what is open, not what was.
	wide := "[" + strings.Repeat(`{"a":[]},`, 2*MaxDepth) + "1]"
	if _, err := readAll([]byte(wide)); err != nil {
		t.Error(err)
	}
}

func TestErrorsStick(t *testing.T) {
	r := NewReader([]byte(`{"a":x,"b":1}`))
	if err := r.BeginObject(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Name(); err != nil {
		t.Fatal(err)
	}
	first := r.Skip()
	if first == nil {
		t.Fatal("no error")
	}
	_, _, name := r.Name()
	_, str := r.String()
	_, raw := r.Raw()
	_, element := r.Element()
	for i, err := range []error{r.Err(), name, str, raw, element, r.Skip(), r.Done(), r.BeginArray(), r.Fail("other")} {
		if !errors.Is(err, first) {
			t.Errorf("%d: %v, want the first error", i, err)
		}
	}
	if r.Null() || r.Kind() != Invalid {
		t.Error("reads on after an error")
	}
}

func TestRawAndOffset(t *testing.T) {
	r := NewReader([]byte(` {"a": [1, {"b":"]"}] , "c":2}`))
	if err := r.BeginObject(); err != nil {
		t.Fatal(err)
	}
	r.Name()
	raw, err := r.Raw()
	if err != nil || string(raw) != `[1, {"b":"]"}]` {
		t.Errorf("%s, %v", raw, err)
	}
	if r.Offset() != 21 {
		t.Errorf("offset %d", r.Offset())
	}
}

func TestSpace(t *testing.T) {
	r := NewReader([]byte(`["one","two","three"]`))
	r.BeginArray()
	var kept [][]byte
	for {
		more, err := r.Element()
		if !more {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		b, err := r.AppendString(r.Space())
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, r.Keep(b))
	}
	_ = append(kept[0], "overwritten"...)
	if got := string(kept[0]) + string(kept[1]) + string(kept[2]); got != "onetwothree" {
		t.Errorf("kept %q", got)
	}
	// More than was promised is still right, in memory of its own.
	big := r.Keep(append(r.Space(), strings.Repeat("x", 1000)...))
	small := r.Keep(append(r.Space(), "y"...))
	if len(big) != 1000 || string(small) != "y" || string(kept[2]) != "three" {
		t.Error("kept memory was overwritten")
	}
}

func TestOneAllocationServesADocument(t *testing.T) {
	data := []byte(`["` + strings.Repeat("a", 100) + `","` + strings.Repeat("b", 100) + `","c"]`)
	r := NewReader(nil)
	allocs := testing.AllocsPerRun(100, func() {
		r.Reset(data)
		r.BeginArray()
		for {
			if more, _ := r.Element(); !more {
				break
			}
			b, _ := r.AppendString(r.Space())
			r.Keep(b)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations after the first", allocs)
	}
}
