package expr

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pressroom/dynamo/attr"
)

// message is the error's text, "" for none, and fails on an error of another type.
func message(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("error of type %T: %v", err, err)
	}
	return err.Error()
}

func TestNewEnv(t *testing.T) {
	one := attr.NewInt(1)
	names := func(pairs ...string) Placeholders {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return Placeholders{Names: m}
	}
	values := func(keys ...string) Placeholders {
		m := map[string]attr.Value{}
		for _, k := range keys {
			m[k] = one
		}
		return Placeholders{Values: m}
	}
	const badName, badValue = "ExpressionAttributeNames contains invalid ", "ExpressionAttributeValues contains invalid "
	tests := []struct {
		given Placeholders
		want  string
	}{
		{Placeholders{}, ""},
		{names(), "ExpressionAttributeNames must not be empty"},
		{values(), "ExpressionAttributeValues must not be empty"},
		{names("#a", "x", "#1", "y", "#_b", "z"), ""},
		{names("a", "x"), badName + `key: Syntax error; key: "a"`},
		{names("#", "x"), badName + `key: Syntax error; key: "#"`},
		{names("#a-b", "x"), badName + `key: Syntax error; key: "#a-b"`},
		{names(":a", "x"), badName + `key: Syntax error; key: ":a"`},
		{names("", "x"), badName + "key: The expression attribute map contains an empty key;"},
		{names("#"+strings.Repeat("x", 255), "x"), badName + "key: The expression attribute map contains a key that is too long; size of key: 256"},
		{names("#a", ""), badName + "value: Empty attribute name for key #a"},
		{names("#a", strings.Repeat("x", 65535)), ""},
		{names("#a", strings.Repeat("x", 65536)), badName + "value: Attribute name is too large, must be less than 65536 bytes for key #a"},
		{names("#c", "x", "b", "x", "a", "x"), badName + `key: Syntax error; key: "a"`},
		{values(":a", ":1"), ""},
		{values("a"), badValue + `key: Syntax error; key: "a"`},
		{values(":"), badValue + `key: Syntax error; key: ":"`},
		{values(""), badValue + "key: The expression attribute map contains an empty key;"},
		{values(":" + strings.Repeat("x", 255)), badValue + "key: The expression attribute map contains a key that is too long;"},
		{Placeholders{Invalid: errors.New("is wrong"), InvalidKey: ":v"}, badValue + "value: is wrong for key :v"},
		{Placeholders{Values: map[string]attr.Value{"b": one}, Invalid: errors.New("is wrong"), InvalidKey: ":v"}, badValue + `key: Syntax error; key: "b"`},
	}
	for _, tt := range tests {
		_, err := NewEnv(tt.given)
		if got := message(t, err); got != tt.want {
			t.Errorf("%.100v: got %q, want %q", tt.given, got, tt.want)
		}
	}
}

func TestCheckUsed(t *testing.T) {
	env, err := NewEnv(Placeholders{
		Names:  map[string]string{"#a": "a", "#b": "b", "#c": "c", "#x": "x", "#y": "y", "#z": "z"},
		Values: map[string]attr.Value{":v": attr.NewInt(1), ":unused": attr.NewInt(1), ":s": attr.NewInt(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	const prefix = "Value provided in ExpressionAttribute"
	// The keys come in the order in which the service's hash table has them.
	if got, want := message(t, env.CheckUsed()), prefix+"Names unused in expressions: keys: {#c, #x, #y, #z, #a, #b}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := ParseProjection("#a, #b, #c, #x, #y, #z", env); err != nil {
		t.Fatal(err)
	}
	if _, err := ParseCondition(FilterExpression, "a = :v", env); err != nil {
		t.Fatal(err)
	}
	if got, want := message(t, env.CheckUsed()), prefix+"Values unused in expressions: keys: {:unused, :s}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := ParseUpdate("SET a = :unused, b = :s", env); err != nil {
		t.Fatal(err)
	}
	if err := env.CheckUsed(); err != nil {
		t.Error(err)
	}
}

// Many placeholders are found by halving, a few one by one.
func TestManyPlaceholders(t *testing.T) {
	p := Placeholders{Names: map[string]string{}, Values: map[string]attr.Value{}}
	var parts []string
	for i := range 50 {
		p.Names[fmt.Sprintf("#n%d", i)] = fmt.Sprintf("name%d", i)
		p.Values[fmt.Sprintf(":v%d", i)] = attr.NewInt(int64(i))
		parts = append(parts, fmt.Sprintf("#n%d = :v%d", i, i))
	}
	env, err := NewEnv(p)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseCondition(FilterExpression, strings.Join(parts, " AND "), env)
	if err != nil {
		t.Fatal(err)
	}
	if err := env.CheckUsed(); err != nil {
		t.Error(err)
	}
	var b attr.Builder
	for i := range 50 {
		b.Set(fmt.Sprintf("name%d", i), attr.NewInt(int64(i)))
	}
	if !c.Match(b.Item()) {
		t.Error("no match")
	}
	b.Set("name31", attr.NewInt(0))
	if c.Match(b.Item()) {
		t.Error("match with one value changed")
	}
}

func TestParameters(t *testing.T) {
	update := func(expression, condition, updates, expected, names, values bool) Parameters {
		return Parameters{
			Expressions: []Parameter{{"UpdateExpression", expression}, {"ConditionExpression", condition}},
			Legacy:      []Parameter{{"AttributeUpdates", updates}, {"Expected", expected}},
			Names:       names, Values: values,
		}
	}
	const both = "Can not use both expression and non-expression parameters in the same request: "
	tests := []struct {
		given Parameters
		want  string
	}{
		{update(false, false, false, false, false, false), ""},
		{update(true, true, false, false, true, true), ""},
		{update(false, false, true, true, false, false), ""},
		{update(true, false, true, false, false, false), both + "Non-expression parameters: {AttributeUpdates} Expression parameters: {UpdateExpression}"},
		{update(true, true, true, true, true, true), both + "Non-expression parameters: {AttributeUpdates, Expected} Expression parameters: {UpdateExpression, ConditionExpression}"},
		{update(false, false, true, false, true, false), "ExpressionAttributeNames can only be specified when using expressions"},
		{update(false, false, true, false, false, true), "ExpressionAttributeValues can only be specified when using expressions: UpdateExpression and ConditionExpression are null"},
		{Parameters{Expressions: []Parameter{{"ProjectionExpression", true}, {"FilterExpression", false}}, Values: true},
			"ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null"},
	}
	for _, tt := range tests {
		if got := message(t, tt.given.Check()); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.given, got, tt.want)
		}
	}
}
