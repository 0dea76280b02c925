package partiql_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
	"pressroom/dynamo/partiql"
)

const (
	malformed = "Statement wasn't well formed, can't be processed: "
	leftover  = malformed + "Unexpected token after expression"
	noKey     = "Where clause does not contain a mandatory equality on all key attributes"
	overflow  = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	underflow = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)

var (
	hashS = expr.KeySchema{Partition: []expr.KeyAttribute{{Name: "pk", Kind: attr.String}}}
	hashN = expr.KeySchema{Partition: []expr.KeyAttribute{{Name: "pk", Kind: attr.Number}}}
	both  = expr.KeySchema{Partition: hashS.Partition, Sort: []expr.KeyAttribute{{Name: "sk", Kind: attr.String}}}
)

// refusal is the message with which a statement is refused, "" if it is not.
func refusal(text string, schema expr.KeySchema, parameters ...attr.Value) string {
	st, err := partiql.Parse(text)
	if err == nil {
		err = bindAndFit(st, schema, parameters)
	}
	var refused *partiql.Error
	if errors.As(err, &refused) {
		return refused.Message
	}
	if err != nil {
		return "an error of another kind: " + err.Error()
	}
	return ""
}

func bindAndFit(st *partiql.Statement, schema expr.KeySchema, parameters []attr.Value) error {
	b, err := st.Bind(parameters)
	if err != nil {
		return err
	}
	if st.Kind == partiql.Select {
		_, err = b.Plan(schema)
		return err
	}
	_, err = b.Target(schema)
	return err
}

// at is the place of the first occurrence of a word at or after from.
func at(statement, word string, from int) string {
	return fmt.Sprintf(" at 1:%d:%d", from+strings.Index(statement[from:], word)+1, len(word))
}

// What the service answers to statements that its parser refuses, word for word.
func TestSyntaxMessages(t *testing.T) {
	tests := []struct{ statement, want string }{
		{`SELECT * FROM "N" WHERE pk = 1 foo`, leftover},
		{`SELECT * FROM "N" WHERE pk = 1 e5`, leftover},
		{`INSERT INTO "N" VALUE {'pk': 970001} foo`, leftover},
		{`UPDATE "N" SET a = 9 WHERE pk = 970002 foo`, leftover},
		{`DELETE FROM "N" WHERE pk = 970003 foo`, leftover},
		{`SELECT * FROM "N" WHERE pk = 1)`, leftover},
		{`DELETE FROM "N" WHERE pk = 970004 ORDER BY pk`, leftover},
		{`SELECT * FROM "N" ORDER BY pk WHERE pk = 1`, leftover},
		{`INSERT INTO "S" t VALUE {'pk': 'x'}`, leftover},
		{`FROM "S" SET c = 1 WHERE pk = 'x'`, leftover},
		{`FROM "S" SET c = 1 WHERE pk = 'x' SET d = 2`, leftover},
		{`SELECT * FROM "N" WHERE pk = 1e2147483648`, malformed},
		{`SELECT * FROM "N" WHERE pk = 1e99999999999`, malformed},
		{`SELECT * FROM "N" WHERE pk = 1.5e-2147483647`, malformed},
		{`SELECT * FROM "N" WHERE pk = 1 # note`, malformed},
		{`SELECT * FROM "N" WHERE pk = 1 /* note`, malformed},
		{`SELECT * FROM "S" WHERE`, malformed + "Unexpected term"},
		{`SELECT * FROM "S" WHERE;`, malformed + "Unexpected term"},
		{`SELECT * FROM "S" WHERE   `, malformed + "Unexpected term"},
		{`SELECT pk FROM "S" WHERE`, malformed + "Unexpected term"},
		{`UPDATE "S" SET a = 1 WHERE`, malformed + "Unexpected term"},
		{`DELETE FROM "S" WHERE`, malformed + "Unexpected term"},
		{`SELECT * FROM "S" WHERE NOT`, malformed + "Unexpected term"},
		{`SELECT * FROM "S" WHERE (`, malformed + "Unexpected term"},
		{`SELECT * FROM`, malformed + "Unexpected term"},
		{`SELECT * FROM "S" WHERE pk = 'p1' AND`, malformed + "Missing right-hand side expression of infix operator"},
		{`SELECT * FROM "S" WHERE pk = 'p1' OR`, malformed + "Missing right-hand side expression of infix operator"},
		{`SELECT * FROM "S" WHERE ORDER BY pk`, malformed + "Unexpected keyword"},
		{`SELECT * FROM "S" WHERE pk = 'a' AND x IS FOO`, malformed + "Expected type name"},
		{`SELECT * FROM "S" WHERE IS NULL`, malformed + "Unexpected operator"},
		{`SELECT * FROM "S" WHERE pk = LIKE`, malformed + "Unexpected operator"},
		{`DELETE FROM`, malformed + "Expected identifier for simple path"},
		{`DELETE FROM   `, malformed + "Expected identifier for simple path"},
		{`DELETE FROM;`, malformed + "Expected identifier for simple path"},
		{`DELETE FROM WHERE pk = 'a'`, malformed + "Expected identifier for simple path"},
		{`SLECT * FROM "S" WHERE pk = 'a'`, malformed + "Expected data manipulation"},
		{`SELECT * FROM "S" WHERE pk = 'a' AND attribute_exists(m.inner)`, malformed + "Invalid path dot component"},
		{`UPDATE "S" SET m.inner = set_add(m.inner, <<'y'>>) WHERE pk = 'a'`, malformed + "Invalid path dot component"},
		{`x IS INT4`, "Unsupported operation: IsType"},
		{`x IS INT8`, "Unsupported operation: IsType"},
		{`x IS DOUBLE PRECISION`, "Unsupported operation: IsType"},
		{`x IS CHARACTER VARYING`, "Unsupported operation: IsType"},
	}
	for _, test := range tests {
		if _, err := partiql.Parse(test.statement); err == nil || err.Error() != test.want {
			t.Errorf("%s\n got %v\nwant %s", test.statement, err, test.want)
		}
	}
}

// What the service answers to statements that it can read but not execute.
func TestMeaningMessages(t *testing.T) {
	select1 := "SELECT * FROM \"S\" WHERE pk = 'x' AND "
	update := func(set string) string { return "UPDATE \"S\" SET " + set + " WHERE pk = 'x'" }
	bool1 := attr.NewBool(true)
	projection := `SELECT attribute_exists(ss) FROM "S" WHERE pk = 'x'`
	insert := `INSERT INTO "S" VALUE {'pk': 'x', 'ss': set_add(<<'a'>>, <<'b'>>)}`
	tests := []struct {
		statement, want string
		parameters      []attr.Value
	}{
		{`SELECT * FROM "S" t WHERE pk = 'x'`, "Aliasing is not supported", nil},
		{`SELECT * FROM "S" AS t WHERE pk = 'x'`, "Aliasing is not supported", nil},
		{`UPDATE "S" t SET a = 3 WHERE pk = 'x'`, "Aliasing is not supported", nil},
		{`DELETE FROM "S" t WHERE pk = 'x'`, "Aliasing is not supported", nil},
		{`SELECT * FROM "" WHERE pk = 'x'`, "Path component cannot be an empty string", nil},
		{`SELECT * FROM "S"."" WHERE pk = 'x'`, "Path component cannot be an empty string", nil},
		{`SELECT * FROM "S"."i"."x" WHERE pk = 'x'`, "A path may contain at most 2 components in the FROM clause", nil},
		{`INSERT INTO "S"."i" VALUE {'pk': 'x'}`, "FROM clause may only contain a single table name in data manipulation statements", nil},
		{`UPDATE "S"."i" SET a = 'z' WHERE pk = 'p'`, "This operation is not supported on an index", nil},
		{`DELETE FROM "S"."i" WHERE pk = 'p'`, "This operation is not supported on an index", nil},
		{`DELETE FROM "S" WHERE pk = 'x' RETURNING MODIFIED OLD *`, "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE statements.", nil},
		{`DELETE FROM "S" WHERE pk = 'x' RETURNING ALL NEW *`, "Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in DELETE statements.", nil},
		{`DELETE FROM "S" WHERE pk = 'x' RETURNING MODIFIED NEW *`, "Invalid returning clause: RETURNING MODIFIED NEW *. Only RETURNING ALL OLD * is allowed in DELETE statements.", nil},
		{`DELETE FROM "S" WHERE "name" = 'alpha'`, noKey, nil},
		{`FROM "S" SET c = 1`, noKey, nil},
		{`FROM "S" REMOVE a`, noKey, nil},
		{`FROM "S" WHERE a = 1 SET c = 1`, noKey, nil},
		{select1 + "v < ?", "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL", []attr.Value{bool1}},
		{select1 + "v <= ?", "Incorrect operand type for operator or function; operator or function: <=, operand type: BOOL", []attr.Value{bool1}},
		{select1 + "v > ?", "Incorrect operand type for operator or function; operator or function: >, operand type: BOOL", []attr.Value{bool1}},
		{select1 + "v >= ?", "Incorrect operand type for operator or function; operator or function: >=, operand type: BOOL", []attr.Value{bool1}},
		{select1 + "v BETWEEN ? AND ?", "Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: BOOL", []attr.Value{bool1, bool1}},
		{select1 + "v = ?", "Number of parameters in request and statement don't match.", nil},
		{select1 + "attribute_exists('ss')", "Operator or function requires a document path; operator or function: attribute_exists", nil},
		{select1 + "attribute_exists(?)", "Operator or function requires a document path; operator or function: attribute_exists", []attr.Value{attr.NewString("ss")}},
		{select1 + "attribute_exists()", "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 0", nil},
		{select1 + "attribute_exists(ss, ns)", "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2", nil},
		{projection, "Unexpected path component" + at(projection, "attribute_exists", 0), nil},
		{`SELECT COUNT(*) FROM "S"`, "Unexpected path component at 1:8:5", nil},
		{select1 + "EXISTS(ss)", "Unrecognized function: exists" + at(select1+"EXISTS", "EXISTS", 0), nil},
		{select1 + "set_add(ss, <<'x'>>) = ss", "Unrecognized function: set_add" + at(select1+"set_add", "set_add", 0), nil},
		{insert, "Unsupported data type: set_add under key root" + at(insert, "set_add", 0), nil},
		{update("t = set_add(ss, <<'x'>>)"), "The first argument to SET_ADD must equal the assignment value" + at(update("t = set_add"), "set_add", 0), nil},
		{update("ss = set_add(<<'a'>>, <<'b'>>)"), "The first argument to SET_ADD must equal the assignment value" + at(update("ss = set_add"), "set_add", 0), nil},
		{update("ss = set_add(ss, 'x')"), "The second argument to SET_ADD must be a value with type SET" + at(update("ss = set_add(ss"), "ss", 20), nil},
		{update("ss = set_add(ss, ['x'])"), "The second argument to SET_ADD must be a value with type SET" + at(update("ss = set_add(ss"), "ss", 20), nil},
		{update("ss = set_add(ss)"), "SET_ADD must have exactly two arguments" + at(update("ss = set_add"), "set_add", 0), nil},
		{update("ss = set_add(ss, <<'x'>>, <<'y'>>)"), "SET_ADD must have exactly two arguments" + at(update("ss = set_add"), "set_add", 0), nil},
		{update("ss = set_add(ss, <<'x', 'x'>>)"), "One or more parameter values were invalid: Input collection [x, x] contains duplicates.", nil},
		{update("ss = set_add(ss, <<>>)"), "Empty bags are not supported", nil},
		{update("t = set_delete(ss, <<'a'>>)"), "The first argument to SET_DELETE must equal the assignment value" + at(update("t = set_delete"), "set_delete", 0), nil},
		{update("ss = set_delete(ss, 'a')"), "The second argument to SET_DELETE must be a value with type SET" + at(update("ss = set_delete(ss"), "ss", 20), nil},
	}
	for _, test := range tests {
		if got := refusal(test.statement, hashS, test.parameters...); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.statement, got, test.want)
		}
	}
}

// Ordering operators refuse every type that has no order; equality takes all.
func TestUnorderedOperands(t *testing.T) {
	set := func(k attr.Kind, v attr.Value) attr.Value {
		s, err := attr.NewSet(k, []attr.Value{v})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, v := range []attr.Value{
		attr.NewBool(true), attr.NewNull(), attr.NewList(attr.NewString("a")), attr.NewMap(nil),
		set(attr.StringSet, attr.NewString("a")), set(attr.NumberSet, attr.NewInt(1)), set(attr.BinarySet, attr.NewBinary([]byte{1})),
	} {
		want := "Incorrect operand type for operator or function; operator or function: <, operand type: " + v.Kind().String()
		if got := refusal(`SELECT pk FROM "S" WHERE pk = 'x' AND v < ?`, hashS, v); got != want {
			t.Errorf("< %s: got %q", v.Kind(), got)
		}
		for _, op := range []string{"=", "<>", "!="} {
			if got := refusal(`SELECT pk FROM "S" WHERE pk = 'x' AND v `+op+` ?`, hashS, v); got != "" {
				t.Errorf("%s %s: refused with %q", op, v.Kind(), got)
			}
		}
	}
}

func TestNumberMessages(t *testing.T) {
	tests := []struct{ statement, want string }{
		{`SELECT * FROM "N" WHERE pk = 1e126`, overflow + " under root"},
		{`SELECT * FROM "N" WHERE pk = 1e-131`, underflow + " under root"},
		{`SELECT * FROM "N" WHERE pk = 123456789012345678901234567890123456789`, "Attempting to store more than 38 significant digits in a Number under root"},
		{`INSERT INTO "N" VALUE {'pk': 1e126}`, overflow + " under root"},
		{`UPDATE "N" SET a = 1e-131 WHERE pk = 970005`, underflow + " under root"},
		{`INSERT INTO "N" VALUE {'pk': 970006, 'm': {'x': 1e126}}`, overflow + " under root.x"},
		{`INSERT INTO "N" VALUE {'pk': 970007, 'l': [1, 1e126]}`, overflow + " under root[1]"},
		{`SELECT * FROM "N" WHERE pk = 1e2147483647`, underflow + " under root"},
	}
	for _, test := range tests {
		if got := refusal(test.statement, hashN); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.statement, got, test.want)
		}
	}
}

// Alternatives that overlap on the sort key are refused unless one is negated.
func TestOverlap(t *testing.T) {
	const overlapping = "Overlapping conditions with range keys are not supported in where clause"
	tests := []struct{ where, want string }{
		{"pk = 'a' AND x = '1' OR pk = 'a' AND sk = '2'", overlapping},
		{"pk = 'a' AND x <> '1' OR pk = 'a' AND sk = '2'", overlapping},
		{"pk = 'a' AND sk > '1' OR pk = 'a' AND sk = '2'", overlapping},
		{"pk = 'a' AND begins_with(sk, 'x') OR pk = 'a' AND sk = 'xy'", overlapping},
		{"pk IN ['a', 'b'] AND sk < '3' OR pk = 'b' AND sk = '2'", overlapping},
		{"pk = 'a' AND sk = '1' OR pk = 'a' AND sk = '2'", ""},
		{"pk = 'a' AND sk < '1' OR pk = 'a' AND sk >= '1'", ""},
		{"pk = 'a' AND x = '1' OR pk = 'b' AND sk = '2'", ""},
		{"pk = 'a' AND x = '1' OR pk = 'a' AND x = '2'", ""},
		{"pk = 'a' AND NOT sk = '1' OR pk = 'a' AND sk = '2'", ""},
		{"pk = 'a' AND sk <> '1' OR pk = 'a' AND sk = '2'", ""},
		{"pk = 'a' AND NOT begins_with(sk, 'x') OR pk = 'a' AND sk = '2'", ""},
		{"pk = 'a' AND NOT sk IN ['1', '3'] OR pk = 'a' AND sk = '2'", ""},
		{"pk = 'a' AND NOT sk > '5' OR pk = 'a' AND sk = '2'", ""},
		{"pk = 'a' AND NOT (sk = '1') OR pk = 'a' AND sk = '2'", ""},
		{"pk = 'a' OR pk = 'a' AND NOT sk = '1'", ""},
	}
	for _, test := range tests {
		if got := refusal(`SELECT * FROM "C" WHERE `+test.where, both); got != test.want {
			t.Errorf("%s: got %q", test.where, got)
		}
	}
}

func TestLength(t *testing.T) {
	head, tail := "SELECT * FROM t WHERE pk = '", "'"
	fits := head + strings.Repeat("x", partiql.MaxStatement-len(head)-len(tail)) + tail
	if got := refusal(fits, hashS); got != "" {
		t.Errorf("a statement of the greatest length is refused: %s", got)
	}
	if got := refusal(fits+" ", hashS); got != "Member must have length less than or equal to 8192" {
		t.Errorf("a statement that is too long: %q", got)
	}
}

func TestBounds(t *testing.T) {
	for _, n := range []int{10, 1000, 4000} {
		for _, statement := range []string{
			"SELECT * FROM t WHERE " + strings.Repeat("(", n) + "pk = 'a'" + strings.Repeat(")", n),
			"SELECT * FROM t WHERE " + strings.Repeat("NOT ", min(n, 2000)) + "pk = 'a'",
			"SELECT * FROM t WHERE pk = " + strings.Repeat("- ", n) + "a",
			"SELECT * FROM " + strings.Repeat("(", n) + "t" + strings.Repeat(")", n),
			"INSERT INTO t VALUE {'pk': " + strings.Repeat("[", n) + strings.Repeat("]", n) + "}",
			"INSERT INTO t VALUE {'pk': 'a', 'b': " + strings.Repeat("{'c':", min(n, 1500)),
			"SELECT * FROM t WHERE pk" + strings.Repeat(" = a", min(n, 2000)),
			"SELECT * FROM t WHERE pk = 'a'" + strings.Repeat(" AND a=1", min(n, 1000)),
		} {
			if got := refusal(statement, hashS); n > 10 && got == "" {
				t.Errorf("%.60s... %d times is accepted", statement, n)
			}
		}
	}
}
