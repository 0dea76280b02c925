package dynamotest

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A script is requests and the answers that they must get:
//
//	# Tables are declared first: partition key / sort key, then indexes.
//	table Music  artist:S / song:S
//	  lsi byYear  artist:S / year:N  KEYS_ONLY
//	  gsi byLabel label:S / year:N   INCLUDE title,genre
//	  stream NEW_IMAGE
//	name Other   # a table that a case makes itself
//
//	=== an item is replaced whole
//	+ {artist: "A", song: "B", year: 1999}
//
//	PutItem {Item: {artist: "A", song: "B"}, ReturnValues: ALL_OLD}
//	----
//	Attributes: {artist: "A", song: "B", year: 1999}
//
// A case begins with ===, its name, and in brackets what it needs of the
// target, such as [embedded]. A request is an operation and its input, whose
// members are those of the SDK's struct in the notation of notation.go; a
// TableName that is left out is the first table's. It ends with ----, and its
// answer with an empty line. The answer is written in the same notation, "ok"
// if there is nothing in it, or is an error's type and message. Times, account
// numbers and made-up ids are written TIME, ACCOUNT and ID.
//
//   - {...}            puts an item into the first table
//   - Other {...}      or into another
//     wait Music         until the table and its indexes are active
//     x = GetItem {...}  keeps the answer; $x.Item.song is a part of it, and
//     $.Item.song of the last answer
//     sorted Scan {...}  answers with the items in the order of the notation
//     Scan {...} | Count ScannedCount
//     answers with these parts only
//     raw PutItem {...}  sends JSON as it stands; the answer is the status and body
type script struct {
	name   string
	lines  []string
	tables []*tableSpec
	setup  []*command
	parts  []*section
}

// section is one case of a script.
type section struct {
	name     string
	needs    []string
	commands []*command
}

// command is a request and the answer that it must get.
type command struct {
	line    int
	text    string
	answers bool   // it has an answer, which begins after ----
	want    string // the answer
	from    int    // the answer's first line, counted from 0
	to      int    // the line after its last
	got     string // what the target answered
}

//go:embed testdata/*.txt
var scripts embed.FS

// load reads a script. It is read anew for each run.
func load(t testing.TB, name string) *script {
	t.Helper()
	text, err := scripts.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	s, err := parseScript(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parseScript(name, text string) (*script, error) {
	lines := strings.Split(text, "\n")
	s := &script{name: name, lines: lines}
	into := &s.setup
	for i := 0; i < len(lines); {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			i++
		case strings.HasPrefix(line, "==="):
			part, err := parseHeading(line)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
			s.parts = append(s.parts, part)
			into = &part.commands
			i++
		case into == &s.setup && declares(line):
			if err := s.declare(line); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
			i++
		default:
			c, next, err := parseCommand(lines, i)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
			*into = append(*into, c)
			i = next
		}
	}
	return s, s.check()
}

func (s *script) check() error {
	seen := map[string]bool{}
	for _, p := range s.parts {
		if seen[p.name] {
			return fmt.Errorf("%s: there are two cases %q", s.name, p.name)
		}
		seen[p.name] = true
	}
	return nil
}

// parseHeading reads "=== a name [needs]".
func parseHeading(line string) (*section, error) {
	name := strings.TrimSpace(strings.TrimPrefix(line, "==="))
	name, needs, _ := strings.Cut(name, "[")
	p := &section{name: strings.TrimSpace(name), needs: strings.Fields(strings.TrimSuffix(needs, "]"))}
	if p.name == "" || strings.Contains(p.name, "/") {
		return nil, fmt.Errorf("a case needs a name without slash: %q", line)
	}
	return p, nil
}

// parseCommand reads the command that begins at lines[i] and returns where
// the next may begin.
func parseCommand(lines []string, i int) (*command, int, error) {
	c := &command{line: i + 1, text: strings.TrimSpace(lines[i])}
	if c.short() {
		return c, i + 1, nil
	}
	c.answers = true
	for i++; ; i++ {
		if i == len(lines) {
			return nil, 0, fmt.Errorf("a request without ----: %s", c.text)
		}
		line := strings.TrimSpace(lines[i])
		if line == "----" {
			break
		}
		c.text += "\n" + line
	}
	for c.from, c.to = i+1, i+1; c.to < len(lines) && strings.TrimSpace(lines[c.to]) != ""; {
		c.to++
	}
	c.want = strings.Join(lines[c.from:c.to], "\n")
	return c, c.to, nil
}

// short reports a command of one line that has no answer to compare.
func (c *command) short() bool {
	return strings.HasPrefix(c.text, "+") || strings.HasPrefix(c.text, "wait ")
}

// cases makes a test of each section.
func (s *script) cases() []testCase {
	var list []testCase
	for _, p := range s.parts {
		list = append(list, testCase{p.name, p.allNeeds(), func(t *suite) { t.play(s, p.commands) }})
	}
	return list
}

// allNeeds adds what the commands themselves need.
func (p *section) allNeeds() []string {
	needs := slices.Clone(p.needs)
	for _, c := range p.commands {
		if strings.HasPrefix(c.text, "raw ") && !slices.Contains(needs, "http") {
			needs = append(needs, "http")
		}
	}
	return needs
}

// prepare makes the script's tables and plays what precedes its first case.
func (s *script) prepare(t *suite) {
	for _, spec := range s.tables {
		t.declare(spec)
	}
	t.play(s, s.setup)
}

// rewriting is set by the tests of this package to record what a target
// answers.
var rewriting func(*script)

// rewritten is the script's text with the answers that the target gave.
func (s *script) rewritten() string {
	lines := slices.Clone(s.lines)
	all := slices.Clone(s.setup)
	for _, p := range s.parts {
		all = append(all, p.commands...)
	}
	for _, c := range slices.Backward(all) {
		if c.answers && c.got != "" {
			lines = slices.Replace(lines, c.from, c.to, strings.Split(c.got, "\n")...)
		}
	}
	return strings.Join(lines, "\n")
}
