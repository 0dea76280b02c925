package dynamotest

import (
	"os"
	"testing"
)

// Rewrite records what the targets of t answer in the scripts.
func Rewrite(t *testing.T) {
	changed := map[string]*script{}
	rewriting = func(s *script) { changed[s.name] = s }
	t.Cleanup(func() {
		rewriting = nil
		for name, s := range changed {
			if err := os.WriteFile("testdata/"+name+".txt", []byte(s.rewritten()), 0o644); err != nil {
				t.Error(err)
			}
		}
	})
}
