package setting

import (
	"fmt"
	"io"
	"log/slog"
)

// Level is a slog level with the four names that people use.
type Level slog.Level

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug,
	"info":  slog.LevelInfo,
	"warn":  slog.LevelWarn,
	"error": slog.LevelError,
}

// UnmarshalText accepts the four names.
func (l *Level) UnmarshalText(text []byte) error {
	level, ok := logLevels[string(text)]
	if !ok {
		return fmt.Errorf("%q is not debug, info, warn or error", text)
	}
	*l = Level(level)
	return nil
}

func (l Level) String() string {
	for name, level := range logLevels {
		if level == slog.Level(l) {
			return name
		}
	}
	return slog.Level(l).String()
}

// Format is text or json.
type Format string

// UnmarshalText accepts the two names.
func (f *Format) UnmarshalText(text []byte) error {
	switch string(text) {
	case "text", "json":
		*f = Format(text)
		return nil
	}
	return fmt.Errorf("%q is not text or json", text)
}

// Logger returns a logger that writes to w as the settings say.
func (c Common) Logger(w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: slog.Level(c.LogLevel)}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}
