package dynamotest

import (
	"strings"
	"testing"
)

const sample = `# A comment.
table Music artist:S / song:N
  gsi byLabel label:S year:N / song:N INCLUDE a,b
  stream NEW_IMAGE
name Other

+ {artist: "A", song: 1}

=== one [clock]
x = GetItem {Key: {artist: "A",
  song: 1}} | Item
----
Item: {artist: "A", song: 1}

raw Query {}
----
400 {}

=== two
wait Music
`

func TestScript(t *testing.T) {
	s, err := parseScript("sample", sample)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.tables) != 2 || len(s.setup) != 1 || len(s.parts) != 2 || len(s.parts[0].commands) != 2 {
		t.Fatalf("%+v", s)
	}
	in := s.tables[0].input
	if len(in.AttributeDefinitions) != 4 || len(in.KeySchema) != 2 || len(in.GlobalSecondaryIndexes[0].KeySchema) != 3 {
		t.Errorf("the table is %+v", in)
	}
	if got := strings.Join(s.parts[0].allNeeds(), " "); got != "clock http" {
		t.Errorf("the case needs %s", got)
	}
	c := s.parts[0].commands[0]
	if c.want != `Item: {artist: "A", song: 1}` || !strings.HasPrefix(c.text, "x = GetItem") {
		t.Errorf("the command is %+v", c)
	}
	c.got = "Item: none\nof two lines"
	want := strings.Replace(sample, c.want, c.got, 1)
	if got := s.rewritten(); got != want {
		t.Errorf("rewritten:\n%s", got)
	}
}

func TestScriptFaults(t *testing.T) {
	for _, text := range []string{"GetItem {}\n", "===\n", "=== a/b\n", "=== a\n=== a\n", "gsi x a:S ALL\n", "table T a:X\n", "table T a:S\n  gsi x a:S\n"} {
		if _, err := parseScript("bad", text); err == nil {
			t.Errorf("%q is a script", text)
		}
	}
}

func TestAlike(t *testing.T) {
	for _, pair := range [][2]string{
		{"ValidationException: 1 validation error detected: ReturnValues can only be ALL_OLD or NONE", "ValidationException: ReturnValues can only be ALL_OLD or NONE"},
		{"ValidationException: ExpressionAttributeValues contains invalid value: x for key :v", "ValidationException: x"},
	} {
		if alike(pair[0]) != alike(pair[1]) {
			t.Errorf("%q and %q differ", alike(pair[0]), alike(pair[1]))
		}
	}
	for _, pair := range [][2]string{
		{"ValidationException: 1 validation error detected: Value 'x' at 'limit'", "ValidationException: Value 'x' at 'limit'"},
		{"ok", "Item: {}"},
	} {
		if alike(pair[0]) == alike(pair[1]) {
			t.Errorf("%q and %q are the same", pair[0], pair[1])
		}
	}
}
