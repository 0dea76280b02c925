package cli

import (
	"strings"
	"testing"
)

func TestEvalThreads(t *testing.T) {
	got := runIn(t, nil, "eval", "threads", "../thread/testdata/gold", "--bar", "threads=0.9", "--bar", "near-duplicates=0.97")
	if got.Code != 0 || !strings.Contains(got.Stdout, "near duplicates") || !strings.Contains(got.Stdout, "666 stories") {
		t.Errorf("%+v", got)
	}
	if got := runIn(t, nil, "eval", "threads", t.TempDir()); got.Code != 2 || got.Stderr != "pressroom: there is no stories-*.jsonl\n" {
		t.Errorf("an empty folder: %+v", got)
	}
	if got := runIn(t, nil, "eval", "threads", "../thread/testdata/gold", "--bar", "threads=1"); got.Code != 1 {
		t.Errorf("a bar too high: %+v", got)
	}
}
