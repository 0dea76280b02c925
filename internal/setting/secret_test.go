package setting

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretShowsNothing(t *testing.T) {
	s := Secret("hunter2")
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "s", s)
	asJSON, err := json.Marshal(map[string]any{"s": s})
	if err != nil {
		t.Fatal(err)
	}
	holder := struct{ S Secret }{s}
	for _, shown := range []string{
		fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %s %q", s, holder, holder, s, s), string(asJSON), log.String(),
	} {
		if strings.Contains(shown, "hunter2") || !strings.Contains(shown, mask) {
			t.Errorf("shown as %s", shown)
		}
	}
	if Secret("").String() != "" {
		t.Error("an empty secret looks set")
	}
}
