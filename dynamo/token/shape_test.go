package token

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// The texts are those of the service, as recorded in public suites that were run against
// it.
func TestShapeErrors(t *testing.T) {
	scalars := []string{`"23"`, `true`, `23`, `-2147483648`, `34.56`}
	type wrong struct{ src, message string }
	all := func(message string, more ...wrong) (out []wrong) {
		for _, s := range scalars {
			out = append(out, wrong{s, message})
		}
		return append(out, more...)
	}
	const object = "Start of structure or map found where not expected"
	for name, c := range map[string]struct {
		take   func(r *Reader) error
		wrongs []wrong
	}{
		"String": {func(r *Reader) error { _, err := r.String(); return err }, []wrong{
			{`true`, "TRUE_VALUE cannot be converted to String"},
			{`false`, "FALSE_VALUE cannot be converted to String"},
			{`23`, "NUMBER_VALUE cannot be converted to String"},
			{`-2147483648`, "NUMBER_VALUE cannot be converted to String"},
			{`34.56`, "DECIMAL_VALUE cannot be converted to String"},
			{`[]`, "Unrecognized collection type class java.lang.String"},
			{`{}`, object},
			{`null`, "NULL_VALUE cannot be converted to String"},
		}},
		"AppendString": {func(r *Reader) error { _, err := r.AppendString(nil); return err }, []wrong{
			{`23`, "NUMBER_VALUE cannot be converted to String"},
		}},
		"Bool": {func(r *Reader) error { _, err := r.Bool(); return err }, []wrong{
			{`"23"`, "Unexpected token received from parser"},
			{`23`, "NUMBER_VALUE cannot be converted to Boolean"},
			{`34.56`, "DECIMAL_VALUE cannot be converted to Boolean"},
			{`[]`, "Unrecognized collection type class java.lang.Boolean"},
			{`{}`, object},
		}},
		"Int": {func(r *Reader) error { _, err := r.Int(); return err }, []wrong{
			{`"23"`, "STRING_VALUE cannot be converted to Integer"},
			{`true`, "TRUE_VALUE cannot be converted to Integer"},
			{`false`, "FALSE_VALUE cannot be converted to Integer"},
			{`[]`, "Unrecognized collection type class java.lang.Integer"},
			{`{}`, object},
		}},
		"Long": {func(r *Reader) error { _, err := r.Long(); return err }, []wrong{
			{`"23"`, "STRING_VALUE cannot be converted to Long"},
			{`[]`, "Unrecognized collection type class java.lang.Long"},
		}},
		"Double": {func(r *Reader) error { _, err := r.Double(); return err }, []wrong{
			{`"23"`, "STRING_VALUE cannot be converted to Double"},
		}},
		"AppendBlob": {func(r *Reader) error { _, err := r.AppendBlob(nil); return err }, []wrong{
			{`true`, "only base-64-encoded strings are convertible to bytes"},
			{`23`, "only base-64-encoded strings are convertible to bytes"},
			{`34.56`, "only base-64-encoded strings are convertible to bytes"},
			{`[]`, "Unrecognized collection type class java.nio.ByteBuffer"},
			{`{}`, object},
			{`"23456"`, "Base64 encoded length is expected a multiple of 4 bytes but found: 5"},
			{`"=+/="`, "Invalid last non-pad Base64 character dectected"},
			{`"+/+="`, "Invalid last non-pad Base64 character dectected"},
			{`"AQ\n="`, "Invalid last non-pad Base64 character dectected"},
			{`"_-8="`, "Invalid last non-pad Base64 character dectected"},
			{`"AQI=AQI="`, "Invalid last non-pad Base64 character dectected"},
		}},
		"BeginArray":  {(*Reader).BeginArray, all("Unexpected field type", wrong{`{}`, object})},
		"BeginStruct": {func(r *Reader) error { return r.BeginStruct("AttributeValue") }, all("Unexpected field type", wrong{`[]`, "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"})},
		"BeginMember": {func(r *Reader) error { return r.BeginMember("WriteRequest") }, all("Unexpected value type in payload", wrong{`[]`, "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.WriteRequest"})},
		"BeginUnion":  {func(r *Reader) error { _, _, err := r.BeginUnion("AttributeValue"); return err }, all("Unexpected value type in payload", wrong{`[]`, "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"})},
		"BeginMap":    {func(r *Reader) error { return r.BeginMap("AttributeValue") }, all("Unexpected field type", wrong{`[]`, "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"})},
		"BeginMap of strings": {func(r *Reader) error { return r.BeginMap("java.lang.String") }, []wrong{
			{`[]`, "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>"},
		}},
	} {
		for _, w := range c.wrongs {
			var e *Error
			err := c.take(NewReader([]byte(" " + w.src)))
			if !errors.As(err, &e) || e.Syntax || e.Message != w.message || e.Error() != w.message {
				t.Errorf("%s of %s: %v, want %s", name, w.src, err, w.message)
			}
		}
		for _, src := range []string{"", "x", "]", `"`} {
			var e *Error
			if err := c.take(NewReader([]byte(src))); !errors.As(err, &e) || !e.Syntax && src != `"` {
				t.Errorf("%s of %q: %v, want a syntax error", name, src, err)
			}
		}
	}
}

func TestBool(t *testing.T) {
	for src, want := range map[string]bool{
		`true`: true, `"true"`: true, `"TRUE"`: true, `"1"`: true, `"yes"`: true,
		`false`: false, `"False"`: false, `"0"`: false, `"no"`: false,
	} {
		if got, err := NewReader([]byte(src)).Bool(); err != nil || got != want {
			t.Errorf("%s: %v, %v", src, got, err)
		}
	}
}

func TestInt(t *testing.T) {
	for src, want := range map[string]int64{
		`0`: 0, `-7`: -7, `34.56`: 34, `-34.56`: -34, `1e3`: 1000, `9223372036854775807`: math.MaxInt64,
		`9223372036854775808`: math.MaxInt64, `-1e30`: math.MinInt64, `1e999`: math.MaxInt64,
	} {
		if got, err := NewReader([]byte(src)).Int(); err != nil || got != want {
			t.Errorf("%s: %v, %v", src, got, err)
		}
	}
	if got, err := NewReader([]byte(`2.5`)).Double(); err != nil || got != 2.5 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestAppendBlob(t *testing.T) {
	for src, want := range map[string]string{
		`""`: "", `"AQI="`: "\x01\x02", `"A\u0051I="`: "\x01\x02", `"/+\/+"`: "\xff\xef\xfe",
	} {
		if got, err := NewReader([]byte(src)).AppendBlob([]byte("x")); err != nil || string(got) != "x"+want {
			t.Errorf("%s: %q, %v", src, got, err)
		}
	}
}

func TestBeginUnion(t *testing.T) {
	for _, src := range []string{`{"S":"x"}`, ` { "S" : "x" } `, `{"\u0053":"x"}`} {
		r := NewReader([]byte(src))
		name, more, err := r.BeginUnion("AttributeValue")
		if name != "S" || !more || err != nil {
			t.Fatalf("%s: %q, %v, %v", src, name, more, err)
		}
		if s, err := r.String(); s != "x" || err != nil {
			t.Errorf("%s: %q, %v", src, s, err)
		}
		if _, more, err := r.Name(); more || err != nil || r.Done() != nil {
			t.Errorf("%s: does not end: %v", src, err)
		}
	}
	if _, more, err := NewReader([]byte(`{}`)).BeginUnion("AttributeValue"); more || err != nil {
		t.Errorf("empty: %v, %v", more, err)
	}
}

func TestAppendQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"":                           `""`,
		"plain":                      `"plain"`,
		"with \"quotes\" and \\":     `"with \"quotes\" and \\"`,
		"\x00\x01\x1f\n\r\t\b\f":     `"\u0000\u0001\u001f\n\r\t\u0008\u000c"`,
		"日本語 <b>&</b> \u2028 \x7f 😀": "\"日本語 <b>&</b> \u2028 \x7f 😀\"",
	} {
		if got := string(AppendQuoted(nil, in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	long := strings.Repeat("12345678", 50) + "\n"
	if allocs := testing.AllocsPerRun(10, func() { AppendQuoted(make([]byte, 0, 512), long) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
