package partiql_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
	"pressroom/dynamo/partiql"
	"pressroom/dynamo/token"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the scripts in testdata with what the package answers")

// TestScripts runs the scripts in testdata. A script is a list of blocks with an empty
// line between them; a block is a command, perhaps over several lines, then "----" and the
// answer. Lines that begin with # are comments.
//
//	table name:kind [name:kind]   starts with an empty table with this key
//	index name key:kind [...]     adds an index to it
//	run statement                 executes a statement; after " %% ", its parameters in JSON
//	plan statement                shows how a SELECT reads, or what a write is about
//	tree statement                shows the syntax
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runScript(t, string(data))
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(data), got); diff != "" {
				t.Errorf("answers differ (-script +now):\n%s", diff)
			}
		})
	}
}

func runScript(t *testing.T, script string) string {
	m := &memory{}
	var out []string
	for _, block := range strings.Split(strings.TrimSpace(script), "\n\n") {
		command, _, answered := strings.Cut(block, "\n----")
		var lines []string
		for _, line := range strings.Split(command, "\n") {
			if !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 && !answered {
			out = append(out, block)
			continue
		}
		answer := m.command(t, strings.Join(lines, "\n"))
		out = append(out, strings.TrimRight(command+"\n----\n"+answer, "\n"))
	}
	return strings.Join(out, "\n\n") + "\n"
}

func (m *memory) command(t *testing.T, line string) string {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "table":
		*m = memory{schema: schemaOf(t, strings.Fields(rest)), indexes: map[string]expr.KeySchema{}}
		return ""
	case "index":
		fields := strings.Fields(rest)
		schema := schemaOf(t, fields[1:])
		schema.Index = fields[0]
		m.indexes[fields[0]] = schema
		return ""
	}
	statement, parameters := parametersOf(t, rest)
	switch verb {
	case "run":
		items, err := m.execute(statement, parameters)
		if err != nil {
			return message(err)
		}
		return text(items)
	case "plan":
		return m.describe(statement, parameters)
	case "tree":
		tree, err := partiql.Tree(statement)
		if err != nil {
			return message(err)
		}
		return tree
	}
	t.Fatalf("unknown command %q", verb)
	return ""
}

func schemaOf(t *testing.T, fields []string) expr.KeySchema {
	var keys []expr.KeyAttribute
	for _, field := range fields {
		name, kind, _ := strings.Cut(field, ":")
		k, ok := attr.KindOf(kind)
		if !ok {
			t.Fatalf("no kind in %q", field)
		}
		keys = append(keys, expr.KeyAttribute{Name: name, Kind: k})
	}
	return expr.KeySchema{Partition: keys[:1], Sort: keys[1:]}
}

// parametersOf splits a statement from its parameters.
func parametersOf(t *testing.T, line string) (string, []attr.Value) {
	statement, list, found := strings.Cut(line, " %% ")
	if !found {
		return statement, nil
	}
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(list), &raw); err != nil {
		t.Fatalf("parameters %q: %v", list, err)
	}
	var values []attr.Value
	for _, r := range raw {
		v, err := attr.ParseJSON(token.NewReader(r))
		if err != nil {
			t.Fatalf("parameter %s: %v", r, err)
		}
		values = append(values, v)
	}
	return statement, values
}

// describe shows what the package tells an engine about a statement.
func (m *memory) describe(statement string, parameters []attr.Value) string {
	st, err := partiql.Parse(statement)
	if err != nil {
		return message(err)
	}
	b, err := st.Bind(parameters)
	if err != nil {
		return message(err)
	}
	var out strings.Builder
	out.WriteString(st.Kind.String() + " " + st.Table)
	if st.Index != "" {
		out.WriteString("." + st.Index)
	}
	if st.Returning != partiql.ReturnNothing {
		out.WriteString(" returning " + st.Returning.String())
	}
	out.WriteByte('\n')
	if st.Kind != partiql.Select {
		target, err := b.Target(m.schema)
		if err != nil {
			return message(err)
		}
		out.WriteString("key " + string(attr.AppendItemJSON(nil, target.Key)) + "\n")
		if target.Condition != nil {
			out.WriteString("condition on " + strings.Join(target.Condition.Attributes(), " ") + "\n")
		}
		return out.String()
	}
	schema := m.schema
	if st.Index != "" {
		schema = m.indexes[st.Index]
	}
	plan, err := b.Plan(schema)
	if err != nil {
		return message(err)
	}
	describePlan(&out, plan)
	if columns := b.Columns(); columns != nil {
		out.WriteString("columns " + strings.Join(columns, " ") + "\n")
	}
	if key, ok, _ := b.Lookup(m.schema); ok {
		out.WriteString("single item " + string(attr.AppendItemJSON(nil, key)) + "\n")
	}
	return out.String()
}

var keyOps = []string{"", "=", "<", "<=", ">", ">=", "between", "begins_with"}

func describePlan(out *strings.Builder, plan *partiql.Plan) {
	if plan.Scan {
		out.WriteString("scan\n")
	}
	for _, r := range plan.Ranges {
		parts := []string{"range", valueJSON(r.Partition[0])}
		switch {
		case r.Equal != nil:
			parts = append(parts, "=", valueJSON(r.Equal[0]))
		case r.Op != expr.KeyNone:
			parts = append(parts, keyOps[r.Op])
			for _, v := range r.Values {
				parts = append(parts, valueJSON(v))
			}
		}
		out.WriteString(strings.Join(parts, " ") + "\n")
	}
	if !plan.Scan && len(plan.Ranges) == 0 {
		out.WriteString("nothing\n")
	}
	if plan.Backward {
		out.WriteString("backward\n")
	}
	if plan.Keyed {
		out.WriteString("keyed\n")
	}
	if plan.Filter != nil {
		names := plan.Filter.Attributes()
		out.WriteString("filter on " + strings.Join(names, " ") + "\n")
		if !slices.Equal(names, plan.FilterAttributes) {
			out.WriteString("but attributes are " + strings.Join(plan.FilterAttributes, " ") + "\n")
		}
	}
}

func valueJSON(v attr.Value) string { return string(attr.AppendJSON(nil, v)) }
