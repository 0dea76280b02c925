package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd prints what this binary is.
type versionCmd struct {
	JSON bool `name:"json" setting:"-" help:"Print JSON."`
}

// build is what the toolchain recorded in the binary.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Run prints one line, or JSON.
func (c *versionCmd) Run(r *run) error {
	info, _ := debug.ReadBuildInfo()
	b := buildOf(info)
	if c.JSON {
		enc := json.NewEncoder(r.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(b)
	}
	_, err := fmt.Fprintln(r.Stdout, b)
	return err
}

// buildOf reads the build information; nil, as in some test binaries, leaves the
// version "unknown".
func buildOf(info *debug.BuildInfo) build {
	b := build{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (b build) String() string {
	text := "pressroom " + b.Version
	if b.Revision != "" {
		text += " revision " + b.Revision
		if b.Modified {
			text += " with local changes"
		}
	}
	return text + ", " + b.Go + ", " + b.Platform
}
