package setting

import (
	"encoding/json"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuildOf(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-15T00:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	b := buildOf(info)
	b.Go, b.Platform = "go1", "os/arch"
	want := Build{Version: "v1.2.3", Revision: "abc", Time: "2026-11-15T00:00:00Z", Modified: true, Go: "go1", Platform: "os/arch"}
	if diff := cmp.Diff(want, b); diff != "" {
		t.Errorf("build (-want +got):\n%s", diff)
	}
	if got := b.String(); got != "pressroom v1.2.3 revision abc with local changes, go1, os/arch" {
		t.Errorf("shown as %q", got)
	}
	if buildOf(nil).Version != "unknown" {
		t.Error("a binary without build information has a version")
	}
	if _, err := json.Marshal(b); err != nil {
		t.Error(err)
	}
}
