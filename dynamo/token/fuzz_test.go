package token

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzReader holds the reader against encoding/json, which takes more: bytes that are not
// UTF-8 and lone surrogates. What the reader takes, both must understand alike.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.5e-3,"x\n",true,null],"b":{}}`, `"\ud83d\ude00"`, `"\ud800"`, "\"\xff\"", `[[[]]]`, ` 1 `,
		`{"Item":{"pk":{"S":"k"},"n":{"N":"1"}}}`, `{"a":1,"a":2}`, `"` + strings.Repeat("x", 40) + `\u0041"`, `{`, `{"a"`, `[1,]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		given := bytes.Clone(data)
		got, err := readAll(data)
		if !bytes.Equal(given, data) {
			t.Fatal("the input was changed")
		}
		skip := NewReader(data)
		skipped := skip.Skip()
		if skipped == nil {
			skipped = skip.Done()
		}
		if (err == nil) != (skipped == nil) {
			t.Fatalf("read: %v; skipped: %v", err, skipped)
		}
		if err != nil {
			if json.Valid(data) && utf8.Valid(data) && !bytes.Contains(bytes.ToLower(data), []byte(`\ud`)) && !bytes.Contains(data, bytes.Repeat([]byte("["), 100)) {
				t.Fatalf("refused what is valid: %v", err)
			}
			return
		}
		var want any
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatalf("took what is not JSON: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzShape calls the typed methods on anything: no panic, and an error or progress.
func FuzzShape(f *testing.F) {
	f.Add([]byte(`{"S":"x"}`))
	f.Add([]byte(` "AQI="`))
	f.Add([]byte(`12.5`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for i, take := range []func(r *Reader) error{
			func(r *Reader) error { _, err := r.String(); return err },
			func(r *Reader) error { _, err := r.AppendString(nil); return err },
			func(r *Reader) error { _, err := r.AppendBlob(nil); return err },
			func(r *Reader) error { _, err := r.Bool(); return err },
			func(r *Reader) error { _, err := r.Int(); return err },
			func(r *Reader) error { _, err := r.Double(); return err },
			func(r *Reader) error { _, err := r.Number(); return err },
			func(r *Reader) error { _, _, err := r.BeginUnion("AttributeValue"); return err },
			func(r *Reader) error { return r.BeginMap("AttributeValue") },
			(*Reader).BeginArray,
		} {
			r := NewReader(data)
			if err := take(r); err == nil && r.Offset() == 0 {
				t.Fatalf("method %d took nothing of %q", i, data)
			}
		}
	})
}

// FuzzQuoted writes any text and reads it back.
func FuzzQuoted(f *testing.F) {
	f.Add("a\"b\\c\n\x00日本語😀")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		quoted := AppendQuoted(nil, s)
		if got, err := NewReader(quoted).String(); err != nil || got != s {
			t.Fatalf("%q: %q, %v", s, got, err)
		}
		var std string
		if err := json.Unmarshal(quoted, &std); err != nil || std != s {
			t.Fatalf("%q: encoding/json reads %q, %v", s, std, err)
		}
	})
}
