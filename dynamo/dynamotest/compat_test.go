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

	"pressroom/dynamo"
	"pressroom/dynamo/dynamotest"
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
	row     = regexp.MustCompile("(?m)^\\| (\\w+) \\| (?:yes|no)[^|]* \\| `[^`]+` \\|$")
	named   = regexp.MustCompile("`([A-Z][A-Za-z]*/[^`]+)`")
)

// TestCompatOperations wants every operation of the SDK on the page, and every
// parameter of those that are supported.
func TestCompatOperations(t *testing.T) {
	text, all := page(t), sdk()
	supported := map[string][]string{}
	places := heading.FindAllStringSubmatchIndex(text, -1)
	for i, at := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		section, _, _ := strings.Cut(text[at[1]:end], "\n### ")
		var params []string
		for _, m := range row.FindAllStringSubmatch(section, -1) {
			params = append(params, m[1])
		}
		supported[text[at[2]:at[3]]] = params
	}
	for operation, params := range all {
		if slices.Contains(dynamo.Unsupported(), operation) {
			if supported[operation] != nil || !strings.Contains(text, operation) {
				t.Errorf("%s is not told to be unsupported", operation)
			}
			continue
		}
		told, ok := supported[operation]
		if !ok {
			t.Errorf("%s is not on the page", operation)
		}
		slices.Sort(params)
		slices.Sort(told)
		if !slices.Equal(params, told) {
			t.Errorf("%s has the parameters\n%v, the page\n%v", operation, params, told)
		}
		delete(supported, operation)
	}
	for operation := range supported {
		t.Errorf("the SDK has no %s", operation)
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
