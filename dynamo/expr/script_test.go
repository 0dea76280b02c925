package expr

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/token"
)

var rewriteFlag = flag.Bool("rewrite", false, "write what the scripts in testdata answer into them")

// TestScripts runs the scripts in testdata. A script is blocks separated by blank
// lines; a block is a command, perhaps "----" and the answer; lines that start
// with "--" are comments. The commands:
//
//	item JSON          the item that the commands after it work on
//	names #a=x #b=y    ExpressionAttributeNames
//	values JSON        ExpressionAttributeValues
//	schema pk:S / sk:N partition and sort attributes of the key, for key
//	condition EXPR     the truth of a ConditionExpression
//	project EXPR       what a ProjectionExpression keeps
//	update EXPR        the item after an UpdateExpression, and UPDATED_OLD and UPDATED_NEW
//	key EXPR           the fitted range of a KeyConditionExpression
//
// Of the names and values only those that the expression mentions are given.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runScript(t, file) })
	}
}

func runScript(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s script
	var out strings.Builder
	for i, block := range strings.Split(strings.TrimRight(string(text), "\n"), "\n\n") {
		if i > 0 {
			out.WriteString("\n\n")
		}
		out.WriteString(s.block(t, block))
	}
	out.WriteString("\n")
	if *rewriteFlag {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), out.String()); diff != "" {
		t.Errorf("(-script +answer):\n%s", diff)
	}
}

type script struct {
	item   attr.Item
	names  map[string]string
	values map[string]attr.Value
	schema KeySchema
}

// block runs one block and returns it with its answer.
func (s *script) block(t *testing.T, block string) string {
	command, _, _ := strings.Cut(block, "\n----")
	var lines []string
	for line := range strings.Lines(command) {
		if !strings.HasPrefix(line, "--") {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	if len(lines) == 0 {
		return block
	}
	verb, rest, _ := strings.Cut(strings.Join(lines, "\n"), " ")
	answer := s.run(t, verb, rest)
	if answer == "" {
		return command
	}
	return command + "\n----\n" + answer
}

func (s *script) run(t *testing.T, verb, rest string) string {
	switch verb {
	case "item":
		s.item = parseItem(t, rest)
		return ""
	case "names":
		s.names = map[string]string{}
		for _, pair := range strings.Fields(rest) {
			key, name, _ := strings.Cut(pair, "=")
			s.names[key] = name
		}
		return ""
	case "values":
		s.values = map[string]attr.Value{}
		for key, v := range parseItem(t, rest).All() {
			s.values[strings.Clone(key)] = v
		}
		return ""
	case "schema":
		s.schema = parseSchema(t, rest)
		return ""
	}
	env := s.env(t, rest)
	answer, err := s.evaluate(t, verb, rest, env)
	if err == nil {
		err = env.CheckUsed()
	}
	if err != nil {
		if _, ok := err.(*Error); !ok {
			t.Errorf("%s %s: error of type %T", verb, rest, err)
		}
		return "error: " + err.Error()
	}
	return answer
}

// env has those of the names and values that the source mentions.
func (s *script) env(t *testing.T, src string) *Env {
	var p Placeholders
	for lex := (lexer{src: src}); ; {
		tok := lex.next()
		text := src[tok.pos:tok.end]
		switch tok.kind {
		case tokEOF:
			env, err := NewEnv(p)
			if err != nil {
				t.Fatal(err)
			}
			return env
		case tokName:
			if name, ok := s.names[text]; ok {
				p.Names = with(p.Names, text, name)
			}
		case tokValue:
			if v, ok := s.values[text]; ok {
				p.Values = with(p.Values, text, v)
			}
		}
	}
}

func with[T any](m map[string]T, key string, value T) map[string]T {
	if m == nil {
		m = map[string]T{}
	}
	m[key] = value
	return m
}

func (s *script) evaluate(t *testing.T, verb, src string, env *Env) (string, error) {
	switch verb {
	case "condition":
		c, err := ParseCondition(ConditionExpression, src, env)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(c.Match(s.item)), nil
	case "project":
		p, err := ParseProjection(src, env)
		if err != nil {
			return "", err
		}
		return show(t, p.Apply(s.item)), nil
	case "update":
		u, err := ParseUpdate(src, env)
		if err != nil {
			return "", err
		}
		item, touched, err := u.Apply(s.item)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s\nold: %s\nnew: %s", show(t, item), show(t, touched.Old()), show(t, touched.New())), nil
	case "key":
		k, err := ParseKeyCondition(src, env)
		if err != nil {
			return "", err
		}
		r, err := k.Fit(s.schema)
		if err != nil {
			return "", err
		}
		return showRange(r), nil
	}
	t.Fatalf("unknown command %q", verb)
	return "", nil
}

func parseItem(t testing.TB, text string) attr.Item {
	t.Helper()
	item, err := attr.ParseItemJSON(token.NewReader([]byte(text)))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return item
}

func parseSchema(t *testing.T, text string) KeySchema {
	var s KeySchema
	list := &s.Partition
	for _, f := range strings.Fields(text) {
		name, kind, ok := strings.Cut(f, ":")
		switch {
		case f == "/":
			list = &s.Sort
		case ok:
			k, known := attr.KindOf(kind)
			if !known {
				t.Fatalf("schema %s: unknown type", text)
			}
			*list = append(*list, KeyAttribute{name, k})
		default:
			s.Index = f
		}
	}
	return s
}

func show(t *testing.T, item attr.Item) string {
	if err := attr.CheckItem(item); err != nil {
		t.Errorf("not an item: %v", err)
	}
	return string(attr.AppendItemJSON(nil, item))
}

func showRange(r *KeyRange) string {
	names := [...]string{KeyNone: "", KeyLess: " <", KeyLessEqual: " <=", KeyGreater: " >", KeyGreaterEqual: " >=", KeyBetween: " between", KeyBeginsWith: " begins with"}
	text := "partition" + showValues(r.Partition)
	if len(r.Equal) > 0 {
		text += ", sort =" + showValues(r.Equal)
	}
	if r.Op != KeyNone {
		text += ", next" + names[r.Op] + showValues(r.Values)
	}
	return text
}

func showValues(values []attr.Value) string {
	text := ""
	for _, v := range values {
		text += " " + Show(v)
	}
	return text
}
