package dynamotest_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"pressroom/dynamo/dynamotest"
	"pressroom/dynamo/wire"
)

// page is docs/compat.md.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/compat.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sdk lists the operations of the SDK's clients with their parameters.
func sdk() map[string][]string {
	all := map[string][]string{}
	for _, client := range []reflect.Type{reflect.TypeFor[*dynamodb.Client](), reflect.TypeFor[*dynamodbstreams.Client]()} {
		for i := range client.NumMethod() {
			m := client.Method(i)
			if m.Type.NumIn() != 4 { // client, context, input, options
				continue
			}
			params := []string{}
			for _, f := range reflect.VisibleFields(m.Type.In(2).Elem()) {
				if f.IsExported() {
					params = append(params, f.Name)
				}
			}
			all[m.Name] = params
		}
	}
	return all
}

var (
	heading = regexp.MustCompile(`(?m)^#### (\w+)$`)
	row     = regexp.MustCompile("(?m)^\\| (\\w+) \\| (yes|no|answered)[^|]* \\| `[^`]+` \\|$")
	named   = regexp.MustCompile("`([A-Z][A-Za-z]*/[^`]+)`")
)

// TestCompatOperations holds the page to the operations that the endpoint
// serves, and wants everything of the SDK's clients on it.
func TestCompatOperations(t *testing.T) {
	text := page(t)
	told := map[string][]string{} // the parameters of each operation
	refused := map[string]bool{}  // of which all are
	places := heading.FindAllStringSubmatchIndex(text, -1)
	for i, at := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		section, _, _ := strings.Cut(text[at[1]:end], "\n### ")
		name := text[at[2]:at[3]]
		told[name], refused[name] = []string{}, true
		for _, m := range row.FindAllStringSubmatch(section, -1) {
			told[name] = append(told[name], m[1])
			refused[name] = refused[name] && m[2] == "no"
		}
		if strings.Contains(section, "| ?") {
			t.Errorf("something of %s is not answered on the page", name)
		}
	}
	for _, name := range wire.Operations() {
		if told[name] == nil {
			t.Errorf("%s is served and not on the page", name)
		}
		if len(told[name]) > 0 && refused[name] {
			t.Errorf("%s is served, and the page says no", name)
		}
	}
	for name := range told {
		if served := slices.Contains(wire.Operations(), name); !served && !refused[name] {
			t.Errorf("%s is on the page and not served", name)
		}
	}
	for name, params := range sdk() {
		for _, p := range params {
			if !slices.Contains(told[name], p) {
				t.Errorf("%s of %s is not on the page", p, name)
			}
		}
	}
}

// TestCompatCases wants every case that the page names to exist.
func TestCompatCases(t *testing.T) {
	names := dynamotest.Names(t)
	if count := fmt.Sprintf("all %d cases", len(names)); !strings.Contains(page(t), count) {
		t.Errorf("the page does not say %q", count)
	}
	found := named.FindAllStringSubmatch(page(t), -1)
	if len(found) < 100 {
		t.Errorf("the page names %d cases", len(found))
	}
	for _, m := range found {
		if !slices.Contains(names, m[1]) {
			t.Errorf("there is no case %s", m[1])
		}
	}
}
