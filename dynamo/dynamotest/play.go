package dynamotest

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// player plays the commands of one case.
type player struct {
	*suite
	script *script
	kept   map[string]any // answers by name; "" is the last
}

// play runs commands and compares their answers.
func (s *suite) play(sc *script, commands []*command) {
	s.T.Helper()
	p := &player{suite: s, script: sc, kept: map[string]any{}}
	for _, c := range commands {
		if err := p.command(c); err != nil {
			s.T.Fatalf("%s.txt:%d: %v", sc.name, c.line, err)
		}
	}
}

func (p *player) command(c *command) error {
	word, rest, _ := strings.Cut(c.text, " ")
	switch word {
	case "+":
		return p.putShort(rest)
	case "wait":
		p.wait(p.real(strings.TrimSpace(rest)))
		return nil
	}
	begin := time.Now()
	for {
		got, err := p.answer(c.text)
		if err != nil {
			return err
		}
		c.got = got
		if p.same(got, c.want) {
			return nil
		}
		if !p.Slow || !reads(c.text) || time.Since(begin) > patience {
			break
		}
		time.Sleep(patience / 20)
	}
	if p.rewrite != nil {
		p.rewrite(p.script)
		return nil
	}
	p.T.Errorf("%s.txt:%d: %s\ngot:\n%s\nwant:\n%s", p.script.name, c.line, c.text, indent(c.got), indent(c.want))
	return nil
}

var reading = regexp.MustCompile(`^(?:\w+ = )?(?:sorted )?(?:Get|Query|Scan|Describe|List|BatchGet)`)

// reads reports a request that may be made again for another answer.
func reads(text string) bool { return reading.MatchString(text) }

// patience is how long a slow target has to catch up.
const patience = 10 * time.Second

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

// putShort puts the item of a line that begins with a plus.
func (p *player) putShort(text string) error {
	table := p.script.tables[0].name
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "{") {
		table, text, _ = strings.Cut(text, " ")
	}
	in := &dynamodb.PutItemInput{}
	if err := read("{Item: "+text+"}", in, p.lookup); err != nil {
		return err
	}
	in.TableName = p.table(table)
	_, err := p.API.PutItem(p.T.Context(), in)
	return err
}

var request = regexp.MustCompile(`(?s)^(?:(\w+) = )?(?:(sorted|raw) )?(\w+)\s+(\{.*\})\s*(?:\|([^|}]*))?$`)

// answer performs a request and writes what came of it.
func (p *player) answer(text string) (string, error) {
	m := request.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("no request: %s", text)
	}
	name, how, operation, input, parts := m[1], m[2], m[3], m[4], strings.Fields(m[5])
	if how == "raw" {
		return p.raw(operation, input)
	}
	out, err := p.invoke(operation, input)
	if err != nil {
		var refusal smithy.APIError
		if !errors.As(err, &refusal) {
			return "", err
		}
		return p.plain(refused(err)), nil
	}
	if how == "sorted" {
		sortItems(out)
	}
	p.kept[name], p.kept[""] = out, out
	if len(parts) == 0 {
		return p.plain(printed(out)), nil
	}
	return p.parts(parts)
}

// invoke reads an operation's input and calls it.
func (p *player) invoke(operation, input string) (any, error) {
	method := p.method(operation)
	if !method.IsValid() {
		return nil, fmt.Errorf("there is no operation %s", operation)
	}
	in := reflect.New(method.Type().In(1).Elem())
	if err := read(input, in.Interface(), p.lookup); err != nil {
		return nil, err
	}
	p.rename(in.Elem())
	out := method.Call([]reflect.Value{reflect.ValueOf(p.T.Context()), in})
	if err, _ := out[1].Interface().(error); err != nil {
		return nil, err
	}
	return out[0].Interface(), nil
}

func (s *suite) method(operation string) reflect.Value {
	if m := reflect.ValueOf(s.API).MethodByName(operation); m.IsValid() {
		return m
	}
	return reflect.ValueOf(s.Streams).MethodByName(operation)
}

// parts writes some parts of the last answer.
func (p *player) parts(paths []string) (string, error) {
	var b strings.Builder
	for _, path := range paths {
		v, err := p.lookup("." + path)
		switch {
		case err != nil:
			fmt.Fprintf(&b, "%s: none\n", path)
		default:
			line(&b, path, v)
		}
	}
	return p.plain(strings.TrimSuffix(b.String(), "\n")), nil
}

// lookup finds "name.Member.index" in the answers that were kept.
func (p *player) lookup(ref string) (reflect.Value, error) {
	steps := strings.Split(ref, ".")
	answer, ok := p.kept[steps[0]]
	if !ok {
		return reflect.Value{}, fmt.Errorf("no answer was kept as %q", steps[0])
	}
	v := reflect.ValueOf(answer)
	for _, step := range steps[1:] {
		if v = into(v, step); !v.IsValid() || absent(v) {
			return reflect.Value{}, fmt.Errorf("there is no $%s", ref)
		}
	}
	return v, nil
}

// into takes one step into a value.
func into(v reflect.Value, step string) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return reflect.Value{}
		}
		if m, ok := v.Interface().(*types.AttributeValueMemberM); ok {
			v = reflect.ValueOf(m.Value)
			break
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		return v.FieldByName(step)
	case reflect.Map:
		return v.MapIndex(reflect.ValueOf(step))
	case reflect.Slice:
		if i, err := strconv.Atoi(step); err == nil && i < v.Len() {
			return v.Index(i)
		}
	}
	return reflect.Value{}
}

// sortItems sorts the items of an answer whose order is nobody's business.
func sortItems(out any) {
	if f := reflect.ValueOf(out).Elem().FieldByName("Items"); f.IsValid() {
		items := f.Interface().([]map[string]types.AttributeValue)
		slices.SortFunc(items, func(a, b map[string]types.AttributeValue) int {
			return strings.Compare(mapText(reflect.ValueOf(a)), mapText(reflect.ValueOf(b)))
		})
	}
	if f := reflect.ValueOf(out).Elem().FieldByName("Responses"); f.IsValid() && f.Kind() == reflect.Map {
		for _, items := range f.Interface().(map[string][]map[string]types.AttributeValue) {
			slices.SortFunc(items, func(a, b map[string]types.AttributeValue) int {
				return strings.Compare(mapText(reflect.ValueOf(a)), mapText(reflect.ValueOf(b)))
			})
		}
	}
}

// refused writes an error: type, message, and what else it carries.
func refused(err error) string {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return err.Error()
	}
	text := api.ErrorCode() + ": " + strings.ReplaceAll(api.ErrorMessage(), "\n", `\n`)
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) && failed.Item != nil {
		text += "\nItem: " + mapText(reflect.ValueOf(failed.Item))
	}
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		var b strings.Builder
		line(&b, "CancellationReasons", reflect.ValueOf(cancelled.CancellationReasons))
		text += "\n" + strings.TrimSuffix(b.String(), "\n")
	}
	return strings.TrimSuffix(text, " ")
}
