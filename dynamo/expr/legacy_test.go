package expr

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo/attr"
)

var (
	one   = attr.NewInt(1)
	two   = attr.NewInt(2)
	text  = attr.NewString("abc")
	yes   = attr.NewBool(true)
	words = storedSet(attr.StringSet, []string{"abc", "x"})
)

// What each of the older operators makes of attributes of all types, and of none.
func TestLegacyOperators(t *testing.T) {
	items := dict{
		"missing": nil, "one": int64(1), "five": int64(5), "text": "abc", "bytes": bin("ab"), "words": strSet{"abc", "x"},
		"numbers": numSet{1, 2}, "list": list{int64(1), "abc"}, "map": dict{"abc": int64(1)}, "true": true, "null": nil,
	}
	tests := []struct {
		operator string
		values   []attr.Value
		want     string
	}{
		{"EQ", []attr.Value{one}, "one"},
		{"EQ", []attr.Value{words}, "words"},
		{"NE", []attr.Value{text}, "missing one five bytes words numbers list map true null"},
		{"LE", []attr.Value{one}, "one"},
		{"LT", []attr.Value{two}, "one"},
		{"GE", []attr.Value{one}, "one five"},
		{"GT", []attr.Value{one}, "five"},
		{"GT", []attr.Value{attr.NewString("ab")}, "text"},
		{"CONTAINS", []attr.Value{text}, "text words list"},
		{"CONTAINS", []attr.Value{one}, "numbers list"},
		{"NOT_CONTAINS", []attr.Value{text}, "one five bytes numbers map true null"},
		{"BEGINS_WITH", []attr.Value{attr.NewString("ab")}, "text"},
		{"BEGINS_WITH", []attr.Value{attr.NewBinary([]byte("a"))}, "bytes"},
		{"IN", []attr.Value{two, one}, "one"},
		{"BETWEEN", []attr.Value{one, attr.NewInt(4)}, "one"},
		{"NULL", nil, "missing"},
		{"NOT_NULL", nil, "one five text bytes words numbers list map true null"},
	}
	order := []string{"missing", "one", "five", "text", "bytes", "words", "numbers", "list", "map", "true", "null"}
	for _, tt := range tests {
		c, err := FromFilter([]LegacyCondition{{Attribute: "a", Operator: tt.operator, Values: tt.values}}, "")
		if err != nil {
			t.Errorf("%s: %v", tt.operator, err)
			continue
		}
		got := ""
		for _, name := range order {
			item := dict{}
			if name != "missing" {
				item["a"] = items[name]
			}
			if c.Match(storedItem(item)) {
				if got != "" {
					got += " "
				}
				got += name
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.operator, got, tt.want)
		}
	}
}

func TestLegacyConditionMessages(t *testing.T) {
	const invalid = "One or more parameter values were invalid: "
	tests := []struct {
		operator string
		values   []attr.Value
		want     string
	}{
		{"EQ", nil, invalid + "Invalid number of argument(s) for the EQ ComparisonOperator"},
		{"EQ", []attr.Value{one, one}, invalid + "Invalid number of argument(s) for the EQ ComparisonOperator"},
		{"NULL", []attr.Value{one}, invalid + "Invalid number of argument(s) for the NULL ComparisonOperator"},
		{"IN", nil, invalid + "Invalid number of argument(s) for the IN ComparisonOperator"},
		{"BETWEEN", []attr.Value{one}, invalid + "Invalid number of argument(s) for the BETWEEN ComparisonOperator"},
		{"IN", []attr.Value{one, text}, invalid + "AttributeValues inside AttributeValueList must be of same type"},
		{"BETWEEN", []attr.Value{text, one}, invalid + "AttributeValues inside AttributeValueList must be of same type"},
		{"LT", []attr.Value{yes}, invalid + "ComparisonOperator LT is not valid for BOOL AttributeValue type"},
		{"IN", []attr.Value{words}, invalid + "ComparisonOperator IN is not valid for SS AttributeValue type"},
		{"BEGINS_WITH", []attr.Value{one}, invalid + "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type"},
		{"CONTAINS", []attr.Value{words}, invalid + "ComparisonOperator CONTAINS is not valid for SS AttributeValue type"},
		{"NOT_CONTAINS", []attr.Value{attr.NewList()}, invalid + "ComparisonOperator NOT_CONTAINS is not valid for L AttributeValue type"},
		{"BETWEEN", []attr.Value{two, one}, "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"},
		{"NE", []attr.Value{yes}, ""},
	}
	for _, tt := range tests {
		list := []LegacyCondition{{Attribute: "a", Operator: tt.operator, Values: tt.values}}
		_, err := FromFilter(list, "")
		if got := message(t, err); got != tt.want {
			t.Errorf("filter %s %v: got %q, want %q", tt.operator, tt.values, got, tt.want)
		}
		_, err = FromKeyConditions(list)
		if got := message(t, err); got != tt.want {
			t.Errorf("key condition %s %v: got %q, want %q", tt.operator, tt.values, got, tt.want)
		}
	}
	_, err := FromFilter([]LegacyCondition{{Attribute: "a", Operator: "EQ", Invalid: errors.New("is wrong")}}, "")
	if got := message(t, err); got != "is wrong" {
		t.Errorf("invalid value: %q", got)
	}
}

func TestConditionalOperator(t *testing.T) {
	match := LegacyCondition{Attribute: "a", Operator: "EQ", Values: []attr.Value{one}}
	differ := LegacyCondition{Attribute: "b", Operator: "NOT_NULL"}
	item := storedItem(dict{"a": int64(1)})
	for _, tt := range []struct {
		list     []LegacyCondition
		operator string
		want     bool
		message  string
	}{
		{[]LegacyCondition{match, differ}, "", false, ""},
		{[]LegacyCondition{match, differ}, "AND", false, ""},
		{[]LegacyCondition{match, differ}, "OR", true, ""},
		{nil, "", true, ""},
		{nil, "OR", false, "ConditionalOperator cannot be used without Filter or Expected"},
		{[]LegacyCondition{match}, "AND", false, "ConditionalOperator can only be used when Filter or Expected has two or more elements"},
	} {
		c, err := FromFilter(tt.list, tt.operator)
		if got := message(t, err); got != tt.message {
			t.Errorf("%d with %q: %q", len(tt.list), tt.operator, got)
		}
		if err == nil && c.Match(item) != tt.want {
			t.Errorf("%d with %q: %v", len(tt.list), tt.operator, !tt.want)
		}
	}
}

func TestExpected(t *testing.T) {
	const invalid = "One or more parameter values were invalid: "
	no, sure := false, true
	tests := []struct {
		given Expectation
		want  string // "true", "false", or the message
	}{
		{Expectation{Value: one}, "true"},
		{Expectation{Value: two}, "false"},
		{Expectation{Value: one, Exists: &sure}, "true"},
		{Expectation{Exists: &no}, "false"},
		{Expectation{Attribute: "x", Exists: &no}, "true"},
		{Expectation{Operator: "GE", Value: one}, "true"},
		{Expectation{Operator: "BETWEEN", Values: []attr.Value{two, two}, HasValues: true}, "false"},
		{Expectation{Operator: "NOT_NULL"}, "true"},
		{Expectation{Operator: "NULL", HasValues: true}, "false"},
		{Expectation{}, invalid + "Value must be provided when Exists is null for Attribute: a"},
		{Expectation{Exists: &sure}, invalid + "Value must be provided when Exists is true for Attribute: a"},
		{Expectation{Exists: &no, Value: one}, invalid + "Value cannot be used when Exists is false for Attribute: a"},
		{Expectation{Value: one, HasValues: true}, invalid + "Value and AttributeValueList cannot be used together for Attribute: a"},
		{Expectation{Exists: &sure, Operator: "EQ", Value: one}, invalid + "Exists and ComparisonOperator cannot be used together for Attribute: a"},
		{Expectation{Operator: "EQ"}, invalid + "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a"},
		{Expectation{Operator: "EQ", HasValues: true}, invalid + "Invalid number of argument(s) for the EQ ComparisonOperator"},
		{Expectation{Operator: "NULL", Value: one}, invalid + "Invalid number of argument(s) for the NULL ComparisonOperator"},
		{Expectation{HasValues: true}, invalid + "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"},
		{Expectation{Operator: "LT", Value: yes}, invalid + "ComparisonOperator LT is not valid for BOOL AttributeValue type"},
		{Expectation{Invalid: errors.New("is wrong")}, "is wrong"},
		{Expectation{Operator: "EQ", Invalid: errors.New("is wrong")}, "is wrong"},
	}
	item := storedItem(dict{"a": int64(1)})
	for _, tt := range tests {
		if tt.given.Attribute == "" {
			tt.given.Attribute = "a"
		}
		c, err := FromExpected([]Expectation{tt.given}, "")
		got := message(t, err)
		if err == nil {
			got = "false"
			if c.Match(item) {
				got = "true"
			}
		}
		if got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.given, got, tt.want)
		}
	}
}

func TestKeyConditions(t *testing.T) {
	eq := func(name string, v attr.Value) LegacyCondition {
		return LegacyCondition{Attribute: name, Operator: "EQ", Values: []attr.Value{v}}
	}
	schema := KeySchema{Partition: []KeyAttribute{{"pk", attr.String}}, Sort: []KeyAttribute{{"sk", attr.Number}}}
	tests := []struct {
		list []LegacyCondition
		want string
	}{
		{[]LegacyCondition{eq("pk", text)}, "partition {S:abc}"},
		{[]LegacyCondition{{Attribute: "sk", Operator: "LE", Values: []attr.Value{one}}, eq("pk", text)}, "partition {S:abc}, next <= {N:1}"},
		{[]LegacyCondition{eq("pk", text), {Attribute: "sk", Operator: "BETWEEN", Values: []attr.Value{one, two}}}, "partition {S:abc}, next between {N:1} {N:2}"},
		{nil, "Conditions can be of length 1 or 2 only"},
		{[]LegacyCondition{eq("sk", one)}, "Query condition missed key schema element: pk"},
		{[]LegacyCondition{eq("pk", text), eq("x", one)}, "Query condition missed key schema element: sk"},
		{[]LegacyCondition{eq("pk", one)}, "One or more parameter values were invalid: Condition parameter type does not match schema type"},
		{[]LegacyCondition{{Attribute: "pk", Operator: "NE", Values: []attr.Value{text}}}, "Attempted conditional constraint is not an indexable operation"},
		{[]LegacyCondition{eq("pk", text), {Attribute: "sk", Operator: "NULL"}}, "Attempted conditional constraint is not an indexable operation"},
		{[]LegacyCondition{{Attribute: "pk", Operator: "GT", Values: []attr.Value{text}}}, "Query key condition not supported"},
	}
	for _, tt := range tests {
		k, err := FromKeyConditions(tt.list)
		var r *KeyRange
		if err == nil {
			r, err = k.Fit(schema)
		}
		got := message(t, err)
		if err == nil {
			got = showRange(r)
		}
		if got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.list, got, tt.want)
		}
	}
}

func TestAttributesToGet(t *testing.T) {
	p, err := FromAttributesToGet([]string{"b", "x", "a.b"})
	if err != nil {
		t.Fatal(err)
	}
	got := string(attr.AppendItemJSON(nil, p.Apply(storedItem(dict{"a": int64(1), "a.b": int64(2), "b": int64(3)}))))
	if want := `{"a.b":{"N":"2"},"b":{"N":"3"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, err = FromAttributesToGet([]string{"a", "b", "a"})
	if got, want := message(t, err), "One or more parameter values were invalid: Duplicate value in attribute name: a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAttributeUpdates(t *testing.T) {
	const invalid = "One or more parameter values were invalid: "
	numbers := storedSet(attr.NumberSet, []int64{1})
	tests := []struct {
		attribute, action string
		value             attr.Value
		want              string // the attribute, or the message
	}{
		{"n", "", text, `{"S":"abc"}`},
		{"n", "PUT", text, `{"S":"abc"}`},
		{"n", "DELETE", nil, ""},
		{"x", "DELETE", nil, ""},
		{"n", "ADD", one, `{"N":"6"}`},
		{"x", "ADD", one, `{"N":"1"}`},
		{"s", "ADD", words, `{"SS":["a","abc","x"]}`},
		{"l", "ADD", attr.NewList(two), `{"L":[{"N":"1"},{"N":"2"}]}`},
		{"x", "ADD", attr.NewList(two), `{"L":[{"N":"2"}]}`},
		{"s", "DELETE", words, `{"SS":["a"]}`},
		{"s", "DELETE", storedSet(attr.StringSet, []string{"a", "x"}), ""},
		{"x", "DELETE", words, ""},
		{"n", "PUT", nil, invalid + "Only DELETE action is allowed when no attribute value is specified"},
		{"n", "ADD", nil, invalid + "Only DELETE action is allowed when no attribute value is specified"},
		{"n", "ADD", text, invalid + "ADD action is not supported for the type S"},
		{"n", "ADD", yes, invalid + "ADD action is not supported for the type BOOL"},
		{"n", "DELETE", one, invalid + "DELETE action with value is not supported for the type N"},
		{"n", "ADD", words, "Type mismatch for attribute to update"},
		{"s", "ADD", one, "Type mismatch for attribute to update"},
		{"s", "ADD", numbers, "Type mismatch for attribute to update"},
		{"n", "DELETE", words, "Type mismatch for attribute to update"},
	}
	old := storedItem(dict{"n": int64(5), "s": strSet{"a", "x"}, "l": list{int64(1)}})
	for _, tt := range tests {
		u, err := FromAttributeUpdates([]AttributeUpdate{{Attribute: tt.attribute, Action: tt.action, Value: tt.value}})
		var item attr.Item
		if err == nil {
			item, _, err = u.Apply(old)
		}
		got := message(t, err)
		if v, ok := item.Get(tt.attribute); ok {
			got = string(attr.AppendJSON(nil, v))
		}
		if got != tt.want {
			t.Errorf("%s %s %s: got %q, want %q", tt.action, tt.attribute, tt.value, got, tt.want)
		}
	}
	_, err := FromAttributeUpdates([]AttributeUpdate{{Attribute: "a", Invalid: errors.New("is wrong")}})
	if got := message(t, err); got != "is wrong" {
		t.Errorf("invalid value: %q", got)
	}
}

// Which updates make an item where there is none.
func TestCreates(t *testing.T) {
	env := fuzzEnv(t)
	for src, want := range map[string]bool{
		"SET a = :n": true, "ADD a :n": true, "REMOVE a": false, "DELETE a :ss": false, "REMOVE a DELETE b :ss": false, "REMOVE a SET b = :n": true,
	} {
		u, err := ParseUpdate(src, env)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Creates(); got != want {
			t.Errorf("%s: %v", src, got)
		}
	}
	for _, tt := range []struct {
		list []AttributeUpdate
		want bool
	}{
		{nil, true},
		{[]AttributeUpdate{{Attribute: "a", Action: "DELETE"}}, false},
		{[]AttributeUpdate{{Attribute: "a", Action: "ADD", Value: one}}, true},
	} {
		u, err := FromAttributeUpdates(tt.list)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Creates(); got != tt.want {
			t.Errorf("%v: %v", tt.list, got)
		}
	}
}

// The attributes that expressions name, for checks against keys.
func TestAttributes(t *testing.T) {
	env := fuzzEnv(t)
	c, err := ParseCondition(FilterExpression, "b = :n OR NOT (#a.k > size(l[0]) AND contains(b, x)) OR a IN (y)", env)
	if err != nil {
		t.Fatal(err)
	}
	u, err := ParseUpdate("SET m.k = l[0] + :n, b = if_not_exists(c.x, q) REMOVE a", env)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParseProjection("b, m.k, m.n, a[0]", env)
	if err != nil {
		t.Fatal(err)
	}
	type names struct{ Attributes, Nested []string }
	got := []names{{c.Attributes(), c.Nested()}, {u.Attributes(), u.Nested()}, {p.Attributes(), p.Nested()}}
	want := []names{
		{[]string{"b", "a", "l", "x", "y"}, []string{"a", "l"}},
		{[]string{"m", "b", "a"}, []string{"m", "l", "c"}},
		{[]string{"b", "m", "a"}, []string{"m", "a"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var none *Condition
	if !none.Match(nil) || none.Attributes() != nil || (*Update)(nil).Nested() != nil || (*Projection)(nil).Attributes() != nil {
		t.Error("nil is not neutral")
	}
}
