package setting

import (
	"runtime"
	"runtime/debug"
)

// Build is what the toolchain recorded in the binary.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ThisBuild is what this program is.
func ThisBuild() Build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info)
}

// buildOf reads the build information; nil, as in some test binaries, leaves the
// version "unknown".
func buildOf(info *debug.BuildInfo) Build {
	b := Build{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

func (b Build) String() string {
	text := "pressroom " + b.Version
	if b.Revision != "" {
		text += " revision " + b.Revision
		if b.Modified {
			text += " with local changes"
		}
	}
	return text + ", " + b.Go + ", " + b.Platform
}
