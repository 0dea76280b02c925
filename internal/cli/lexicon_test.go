package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestLexicon(t *testing.T) {
	t.Chdir(t.TempDir())
	good := `{"version": "1", "count": 1, "items": [{"term": "yeet", "gloss": "to throw hard", "examples": ["yeet it"], "tags": ["force"], "categories": ["reaction"], "confidence": 0.9, "momentum": 0.7}]}`
	bad := strings.Replace(good, `"to throw hard"`, `"<b>"`, 1)
	for name, text := range map[string]string{"good.json": good, "bad.json": bad, "broken.json": "{"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{[]string{"lexicon", "export"}, 0, `"count": 0`, ""},
		{[]string{"lexicon", "import", "bad.json"}, 1, "", "bad.json:1: items[0].gloss must be plain text"},
		{[]string{"lexicon", "import", "broken.json"}, 1, "", "The file is no lexicon: line 1"},
		{[]string{"lexicon", "import", "none.json"}, 2, "", "cannot read the file"},
		{[]string{"lexicon", "import", "--partial", "bad.json"}, 0, "0 terms written", "items[0].gloss"},
		{[]string{"lexicon", "init"}, 0, "179 terms written", ""},
		{[]string{"lexicon", "init"}, 0, "has terms already", ""},
		{[]string{"lexicon", "import", "good.json"}, 0, "1 terms written", ""},
		{[]string{"lexicon", "import", "--json", "good.json"}, 0, `"same": 1`, ""},
		{[]string{"lexicon", "export", "-o", "out.json"}, 0, "", "180 terms written to out.json"},
		{[]string{"lexicon", "export", "--source=submission"}, 0, `"count": 0`, ""},
		{[]string{"lexicon", "export", "--source=moon"}, 2, "", "source"},
	}
	for _, tt := range tests {
		got := runIn(t, nil, tt.args...)
		if got.Code != tt.code || !strings.Contains(got.Stdout, tt.stdout) || !strings.Contains(got.Stderr, tt.stderr) {
			t.Errorf("%v: %d, %.500s, %.500s", tt.args, got.Code, got.Stdout, got.Stderr)
		}
	}
	text, err := os.ReadFile("out.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Items []struct{ Term string }
		Pools map[string][]string `json:"quiz_pools"`
	}
	if err := json.Unmarshal(text, &file); err != nil || len(file.Items) != 180 || len(file.Pools) == 0 {
		t.Errorf("the export has %d terms and %d pools, %v", len(file.Items), len(file.Pools), err)
	}
}
