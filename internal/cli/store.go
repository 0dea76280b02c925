package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
)

// store is everything that a data directory holds, open: the directory itself,
// and each part that keeps files in it. Whoever opens a part adds its Close; what
// was opened last is closed first, and the directory's lock is given up after all
// others.
type store struct {
	log    *slog.Logger
	checks []check
	closes []closing
}

// closing is how one part is closed.
type closing struct {
	name  string
	close func() error
}

// openStore opens the data directory and what is in it. On an error nothing
// stays open.
func openStore(path string, log *slog.Logger) (*store, error) {
	s := &store{log: log}
	dir, err := openDataDir(path)
	if err != nil {
		return nil, err
	}
	s.add("data directory", dir.Close)
	s.checks = append(s.checks, check{"data", dir.Check})
	return s, nil
}

// add registers the Close of a part that was just opened.
func (s *store) add(name string, closePart func() error) {
	s.closes = append(s.closes, closing{name, closePart})
}

// Close closes every part, the last opened first, whatever happens to the others,
// and returns all errors.
func (s *store) Close() error {
	var all []error
	for _, part := range slices.Backward(s.closes) {
		if err := part.close(); err != nil {
			all = append(all, fmt.Errorf("close %s: %w", part.name, err))
			continue
		}
		s.log.Debug("closed", "part", part.name)
	}
	s.closes = nil
	return errors.Join(all...)
}
