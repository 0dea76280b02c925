package attr

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pressroom/dynamo/token"
)

func parseItem(src string) (Item, error) {
	r := token.NewReader([]byte(src))
	it, err := ParseItemJSON(r)
	if err != nil {
		return it, err
	}
	return it, r.Done()
}

func TestParseItemJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                                       `{}`,
		`{"a":{"S":""}}`:                           `{"a":{"S":""}}`,
		`{"b":{"S":"x"},"a":{"N":"1.50"}}`:         `{"a":{"N":"1.5"},"b":{"S":"x"}}`,
		` { "a" : { "BOOL" : true } } `:            `{"a":{"BOOL":true}}`,
		`{"a":{"BOOL":false},"b":{"NULL":true}}`:   `{"a":{"BOOL":false},"b":{"NULL":true}}`,
		`{"a":{"BOOL":"yes"},"b":{"NULL":"true"}}`: `{"a":{"BOOL":true},"b":{"NULL":true}}`,
		`{"a":{"B":"AQI="},"b":{"B":""}}`:          `{"a":{"B":"AQI="},"b":{"B":""}}`,
		`{"a":{"SS":["b","","a"]}}`:                `{"a":{"SS":["","a","b"]}}`,
		`{"a":{"NS":["10","9","-1.0"]}}`:           `{"a":{"NS":["-1","9","10"]}}`,
		`{"a":{"BS":["Ag==","","AQ=="]}}`:          `{"a":{"BS":["","AQ==","Ag=="]}}`,
		`{"a":{"L":[]},"b":{"M":{}}}`:              `{"a":{"L":[]},"b":{"M":{}}}`,
		`{"a":{"L":[{"S":"z"},{"L":[{"N":"1"}]},{"M":{"y":{"S":"1"},"x":{"S":"2"}}}]}}`: `{"a":{"L":[{"S":"z"},{"L":[{"N":"1"}]},{"M":{"x":{"S":"2"},"y":{"S":"1"}}}]}}`,
		`{"a":{"S":"\u65e5\n\ud83d\ude00"}}`:                                            `{"a":{"S":"日\n😀"}}`,
		`{"日本":{"S":"日本語の長い文字列、八バイトを超える"}}`:                                             `{"日本":{"S":"日本語の長い文字列、八バイトを超える"}}`,
		`{"\u0061":{"\u0053":"x"}}`:                                                     `{"a":{"S":"x"}}`,
		`{"a":{"S":"x"},"a":{"S":"y"}}`:                                                 `{"a":{"S":"y"}}`,
		`{"b":{"S":"1"},"a":{"S":"2"},"b":{"N":"3"},"a":{"S":"4"},"c":{"S":"5"}}`:       `{"a":{"S":"4"},"b":{"N":"3"},"c":{"S":"5"}}`,
		`{"a":{"S":"x","S":"y"}}`:                                                       `{"a":{"S":"y"}}`,
		`{"a":{"N":"bad","N":"1"}}`:                                                     `{"a":{"N":"1"}}`,
		`{"a":{"S":"x","N":null,"SS":null}}`:                                            `{"a":{"S":"x"}}`,
		`{"a":{"N":null,"S":"x"}}`:                                                      `{"a":{"S":"x"}}`,
		`{"a":{"S":"x","X":{"y":[1,2]}}}`:                                               `{"a":{"S":"x"}}`,
	} {
		it, err := parseItem(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if err := CheckItem(it); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if got := string(AppendItemJSON(nil, it)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestInvalidValues has DynamoDB's own messages, for JSON and where possible for the SDK's
// types too.
func TestInvalidValues(t *testing.T) {
	deep := func(n int, leaf string) string {
		return strings.Repeat(`{"M":{"n":`, n) + leaf + strings.Repeat(`}}`, n)
	}
	const nesting = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
	const empty = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	const many = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
	const notNumeric = "The parameter cannot be converted to a numeric value"
	const invalid = "One or more parameter values were invalid: "
	for in, want := range map[string]string{
		`{}`:                        empty,
		`{"S":null}`:                empty,
		`{"X":"y"}`:                 empty,
		`{"S":"a","S":null}`:        empty,
		`{"N":"bad","N":null}`:      empty,
		`{"M":{"x":{}}}`:            empty,
		`{"L":[{"S":"a"},{}]}`:      empty,
		`null`:                      "The supplied Item contains a null AttributeValue: a is null",
		`{"M":{"x":null}}`:          "The supplied Item contains a null AttributeValue: x is null",
		`{"L":[null]}`:              "The supplied Item contains a null AttributeValue",
		`{"S":"a","N":"1"}`:         many,
		`{"S":"","N":""}`:           notNumeric,
		`{"S":"a","N":"b"}`:         notNumeric + ": b",
		`{"N":"1","S":"a","N":"2"}`: many,
		`{"L":[],"M":{}}`:           many,
		`{"N":""}`:                  notNumeric,
		`{"N":"abc"}`:               notNumeric + ": abc",
		`{"N":"1e126"}`:             "Number overflow. Attempting to store a number with magnitude larger than supported range",
		`{"N":"1e-131"}`:            "Number underflow. Attempting to store a number with magnitude smaller than supported range",
		`{"N":"` + strings.Repeat("1", 39) + `"}`: "Attempting to store more than 38 significant digits in a Number",
		`{"NS":["1",""]}`:                         notNumeric,
		`{"NS":["1","b"]}`:                        notNumeric + ": b",
		`{"NS":["1","b","1"]}`:                    notNumeric + ": b",
		`{"SS":[]}`:                               invalid + "An string set  may not be empty",
		`{"NS":[]}`:                               invalid + "An number set  may not be empty",
		`{"BS":[]}`:                               invalid + "Binary sets should not be empty",
		`{"SS":["a",null]}`:                       invalid + "An string set may not have a null string as a member",
		`{"NS":["1",null]}`:                       invalid + "An number set may not have a null string as a member",
		`{"BS":["AQ==",null]}`:                    invalid + "Binary sets may not contain null values",
		`{"SS":["a","a"]}`:                        invalid + "Input collection [a, a] contains duplicates.",
		`{"NS":["1","1.0"]}`:                      "Input collection contains duplicates",
		`{"BS":["AQ==","AQ=="]}`:                  invalid + "Input collection [AQ==, AQ==]of type BS contains duplicates.",
		`{"NULL":false}`:                          invalid + "Null attribute value types must have the value of true",
		`{"NULL":"no"}`:                           invalid + "Null attribute value types must have the value of true",
		`{"M":{"":{"S":"a"}}}`:                    "Empty attribute name",
		`{"M":{"` + strings.Repeat("x", 65536) + `":{"S":"a"}}}`: "Attribute name is too large, must be less than 65536 bytes",
		`{"M":{"x":{"N":"bad"},"y":{}}}`:                         notNumeric + ": bad",
		deep(32, `{"S":"x"}`):                                    nesting,
		deep(31, `{"M":{}}`):                                     nesting,
		deep(31, `{"L":[]}`):                                     nesting,
		deep(400, `{"S":"x"}`):                                   nesting,
		deep(31, `{"S":"x"}`):                                    "",
		deep(30, `{"M":{}}`):                                     "",
		deep(31, `{"SS":["x"]}`):                                 "",
		`{"M":{"` + strings.Repeat("x", 65535) + `":{"S":"a"}}}`: "",
	} {
		// The value is read to its end, whatever is wrong with it.
		r := token.NewReader([]byte(`{"a":` + in + `,"z":{"S":"after"}} "more"`))
		it, err := ParseItemJSON(r)
		var e *InvalidError
		if want == "" && err == nil {
			if err := CheckItem(it); err != nil {
				t.Errorf("%.60s: %v", in, err)
			}
		} else if !errors.As(err, &e) || e.Message != want {
			t.Errorf("%.60s: %v, want %q", in, err, want)
		}
		if s, err := r.String(); s != "more" || err != nil {
			t.Errorf("%.60s: not read to its end: %q, %v", in, s, err)
		}
		if in == "null" {
			want = empty
		}
		one := token.NewReader([]byte(in))
		if _, err := ParseJSON(one); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%.60s alone: %v, want %q", in, err, want)
		}
	}
}

func TestShapes(t *testing.T) {
	const object = "Start of structure or map found where not expected"
	for in, want := range map[string]string{
		`"a"`: "Unexpected value type in payload", `1`: "Unexpected value type in payload", `true`: "Unexpected value type in payload",
		`[]`:           "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue",
		`{"S":1}`:      "NUMBER_VALUE cannot be converted to String",
		`{"S":1.5}`:    "DECIMAL_VALUE cannot be converted to String",
		`{"S":true}`:   "TRUE_VALUE cannot be converted to String",
		`{"S":[]}`:     "Unrecognized collection type class java.lang.String",
		`{"S":{}}`:     object,
		`{"N":1}`:      "NUMBER_VALUE cannot be converted to String",
		`{"NS":[1]}`:   "NUMBER_VALUE cannot be converted to String",
		`{"SS":[{}]}`:  object,
		`{"B":true}`:   "only base-64-encoded strings are convertible to bytes",
		`{"B":"A"}`:    "Base64 encoded length is expected a multiple of 4 bytes but found: 1",
		`{"B":"A==="}`: "Invalid last non-pad Base64 character dectected",
		`{"BS":[1]}`:   "only base-64-encoded strings are convertible to bytes",
		`{"BOOL":1}`:   "NUMBER_VALUE cannot be converted to Boolean",
		`{"BOOL":"x"}`: "Unexpected token received from parser",
		`{"NULL":"x"}`: "Unexpected token received from parser",
		`{"SS":"a"}`:   "Unexpected field type", `{"SS":{}}`: object,
		`{"L":"a"}`: "Unexpected field type", `{"L":{}}`: object, `{"L":["a"]}`: "Unexpected value type in payload",
		`{"M":"a"}`:       "Unexpected field type",
		`{"M":[]}`:        "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>",
		`{"M":{"x":"a"}}`: "Unexpected value type in payload",
	} {
		_, err := parseItem(`{"a":` + in + `}`)
		var e *token.Error
		if !errors.As(err, &e) || e.Syntax || e.Message != want {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
	for _, src := range []string{``, `{`, `{"a"`, `{"a":{"S":"x"}`, `{"a":{"S":"x"},}`, `{"a":{"S":"\x"}}`, `{"a":{"N":"1}}`, `{"a":{"L":[{"S":"a"},]}}`, `{"a":{"SS":["a",]}}`, `{"a":{"X":[}}`, `{"a":nul}`, "{\"a\":{\"S\":\"\xff\"}}"} {
		_, err := parseItem(src)
		var e *token.Error
		if !errors.As(err, &e) || !e.Syntax {
			t.Errorf("%s: %v, want a syntax error", src, err)
		}
	}
	if _, err := parseItem(`[]`); err == nil || err.Error() != "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>" {
		t.Error(err)
	}
	for in, want := range map[string]string{`"a"`: "Unexpected field type", `[]`: "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"} {
		if _, err := ParseFieldJSON(token.NewReader([]byte(in))); err == nil || err.Error() != want {
			t.Errorf("field %s: %v, want %s", in, err, want)
		}
	}
	if v, err := ParseFieldJSON(token.NewReader([]byte(`{"S":"x"}`))); err != nil || v.Text() != "x" {
		t.Error(v, err)
	}
}

// TestJSONRoundTrip goes from the SDK's types over JSON and back; encoding/json reads what
// is written.
func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it, err := ItemFromSDK(genItem(3).Draw(t, "item"))
		if err != nil {
			t.Fatal(err)
		}
		text := AppendItemJSON(nil, it)
		r := token.NewReader(text)
		again, err := ParseItemJSON(r)
		if err != nil || r.Done() != nil {
			t.Fatal(err, r.Done())
		}
		if diff := cmp.Diff(it, again); diff != "" {
			t.Fatal(diff)
		}
		// Space for a document is never more than the document.
		if len(again) > len(text) {
			t.Fatalf("%d bytes of JSON became %d", len(text), len(again))
		}
		var tree map[string]map[string]any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		if len(tree) != it.Len() {
			t.Fatalf("%d attributes, want %d", len(tree), it.Len())
		}
		// Another writer's order and white space change nothing.
		shuffled := shuffle(tree)
		if again, err := parseItem(shuffled); err != nil || !cmp.Equal(it, again) {
			t.Fatalf("%s: %v", shuffled, err)
		}
	})
}

// shuffle writes objects' members in any order, with spaces, names escaped.
func shuffle(tree map[string]map[string]any) string {
	var b strings.Builder
	sep := "{"
	for name, v := range tree {
		value, _ := json.MarshalIndent(v, "\t", " ")
		b.WriteString(sep + " " + escapeAll(name) + "\n:" + string(value))
		sep = ","
	}
	if sep == "{" {
		b.WriteString(sep)
	}
	return b.String() + "\r\n}"
}

func escapeAll(s string) string {
	var b strings.Builder
	b.WriteString(`"`)
	for _, r := range s {
		if r > 0xffff {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\u%04X`, r)
	}
	return b.String() + `"`
}

// TestManyAttributes has more attributes and members than are sorted by insertion.
func TestManyAttributes(t *testing.T) {
	var attributes, members []string
	for _, i := range rand.Perm(200) {
		attributes = append(attributes, fmt.Sprintf(`"attribute%03d":{"N":"%d"}`, i, i))
		members = append(members, fmt.Sprintf(`"member%03d"`, i))
	}
	it, err := parseItem(`{"set":{"SS":[` + strings.Join(members, ",") + `]},` + strings.Join(attributes, ",") + `,"attribute007":{"S":"last"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckItem(it); err != nil {
		t.Fatal(err)
	}
	if v, _ := it.Get("attribute007"); v.Text() != "last" || it.Len() != 201 {
		t.Errorf("%x, %d attributes", v, it.Len())
	}
	if v, _ := it.Get("set"); v.Len() != 200 || !Contains(v, NewString("member123")) {
		t.Errorf("%d members", v.Len())
	}
	if v, _ := it.Get("attribute199"); v.Number() != "199" {
		t.Errorf("%x", v)
	}
}

func TestParsingAllocatesOnce(t *testing.T) {
	for _, b := range benchItems {
		data := []byte(b.json)
		r := token.NewReader(nil)
		parse := func() {
			r.Reset(data)
			if _, err := ParseItemJSON(r); err != nil {
				t.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(100, parse); n > 0 && !raced {
			t.Errorf("%s: %v allocations with a reader that is used again", b.name, n)
		}
		it := benchItem(t, b.json)
		buf := make([]byte, 0, 2*len(data))
		if n := testing.AllocsPerRun(100, func() { buf = AppendItemJSON(buf[:0], it) }); n > 0 {
			t.Errorf("%s: %v allocations in writing", b.name, n)
		}
	}
}
