package cli

import (
	"fmt"
	"io"
	"log/slog"
)

// logLevel is a slog level with the four names that people use.
type logLevel slog.Level

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug,
	"info":  slog.LevelInfo,
	"warn":  slog.LevelWarn,
	"error": slog.LevelError,
}

// UnmarshalText accepts the four names.
func (l *logLevel) UnmarshalText(text []byte) error {
	level, ok := logLevels[string(text)]
	if !ok {
		return fmt.Errorf("%q is not debug, info, warn or error", text)
	}
	*l = logLevel(level)
	return nil
}

func (l logLevel) String() string {
	for name, level := range logLevels {
		if level == slog.Level(l) {
			return name
		}
	}
	return slog.Level(l).String()
}

// logFormat is text or json.
type logFormat string

// UnmarshalText accepts the two names.
func (f *logFormat) UnmarshalText(text []byte) error {
	switch string(text) {
	case "text", "json":
		*f = logFormat(text)
		return nil
	}
	return fmt.Errorf("%q is not text or json", text)
}

// newLogger returns a logger that writes to w as the settings say.
func newLogger(w io.Writer, c commonSettings) *slog.Logger {
	opts := &slog.HandlerOptions{Level: slog.Level(c.LogLevel)}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// logger returns the run's logger, after telling it what the settings' sources
// hold that nobody reads.
func (r *run) logger(c commonSettings) *slog.Logger {
	log := newLogger(r.Stderr, c)
	for _, warning := range r.sources.unknown(r.parsed.Model) {
		log.Warn(warning)
	}
	return log
}
