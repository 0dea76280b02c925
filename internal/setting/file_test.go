package setting

import (
	"strings"
	"testing"
)

func FuzzSettingsFile(f *testing.F) {
	for _, seed := range []string{"", "a = 1", "addr = \"x\"\n[t]\nb = true", "a.b.c = 1\n\"q x\" = 'y'", "[[t]]\nx=1\n[[t]]", "a = 1979-05-27", "\xff", "a={b=1}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parseSettingsFile("f", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("error %q does not name the file", err)
			}
			return
		}
		lines := strings.Count(string(data), "\n") + 1
		for key, e := range file.entries {
			if e.line < 0 || e.line > lines {
				t.Errorf("key %q on line %d of %d", key, e.line, lines)
			}
		}
		if got := file.unknownKeys(nil); len(got) != len(file.entries) {
			t.Errorf("%d warnings for %d keys", len(got), len(file.entries))
		}
	})
}
