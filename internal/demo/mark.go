package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"pressroom/internal/errs"
)

// markName is the file that tells a demo's directory from all others.
const markName = "DEMO.json"

// entries are what a demo's newsroom makes in its directory, the mark last: as
// long as it is there, a reset that was cut off can be repeated.
var entries = []string{
	"tables", "objects", "backups", "checkpoints", "search", "CONTROL", "control.sock", "FORMAT", "secret", "LOCK", markName + ".next", markName,
}

// Mark is what a demo remembers of its directory. It may be used from many
// goroutines.
type Mark struct {
	path string
	mu   sync.Mutex
	data markData
}

type markData struct {
	Demo      int               `json:"demo"` // the form of this file
	Began     time.Time         `json:"began"`
	Ports     map[string]int    `json:"ports"`     // of the world outside, by server
	Passwords map[string]string `json:"passwords"` // by account; they open nothing but the demo
	Done      []string          `json:"done"`      // parts of the content
	Posts     map[string]string `json:"posts"`     // the ids of posts, by file
}

const markForm = 1

// Open returns the mark of a demo's directory. One that is not there, or empty,
// becomes a demo's; any other without a mark is errs.Conflict, since the demo
// would mix its content with somebody's data.
func Open(dir string, now time.Time) (*Mark, error) {
	m := &Mark{path: filepath.Join(dir, markName)}
	text, err := os.ReadFile(m.path)
	switch {
	case err == nil:
		return m, m.read(text)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, unusable(dir, err)
	}
	there, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unusable(dir, err)
	}
	if len(there) > 0 {
		return nil, errs.New(errs.Conflict, "%s holds other data than a demo's; choose another directory with --data", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unusable(dir, err)
	}
	m.data = markData{Demo: markForm, Began: now.UTC().Truncate(time.Second), Ports: map[string]int{}, Passwords: map[string]string{}, Posts: map[string]string{}}
	return m, m.write()
}

func unusable(dir string, err error) error {
	return errs.Wrap(err, errs.Unavailable, "the demo's directory %s cannot be used: %v", dir, err)
}

func (m *Mark) read(text []byte) error {
	if err := json.Unmarshal(text, &m.data); err != nil {
		return errs.Wrap(err, errs.Unavailable, "%s is damaged: %v; delete the directory and start again", m.path, err)
	}
	if m.data.Demo != markForm {
		return errs.New(errs.Unavailable, "%s was made by another version of the demo; remove it with \"pressroom demo --reset\"", filepath.Dir(m.path))
	}
	return nil
}

// write replaces the file whole.
func (m *Mark) write() error {
	text, err := json.MarshalIndent(m.data, "", "  ")
	if err != nil {
		return err
	}
	next := m.path + ".next"
	if err := os.WriteFile(next, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("note what the demo made: %w", err)
	}
	if err := os.Rename(next, m.path); err != nil {
		return fmt.Errorf("note what the demo made: %w", err)
	}
	return nil
}

// change edits the data and writes them.
func (m *Mark) change(edit func(*markData)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	edit(&m.data)
	return m.write()
}

// Began is when the directory was made: the day that all dates count from.
func (m *Mark) Began() time.Time { return m.data.Began }

func (m *Mark) ago(days, hours int) time.Time {
	return m.data.Began.AddDate(0, 0, -days).Add(-time.Duration(hours) * time.Hour)
}

// Done reports whether a part of the content was loaded.
func (m *Mark) Done(part string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.data.Done, part)
}

// Finish notes that a part of the content was loaded.
func (m *Mark) Finish(part string) error {
	return m.change(func(d *markData) { d.Done = append(d.Done, part) })
}

func (m *Mark) port(server string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data.Ports[server]
}

func (m *Mark) post(file string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data.Posts[file]
}

// Wrote reports whether the demo wrote the post of this id.
func (m *Mark) Wrote(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, own := range m.data.Posts {
		if own == id {
			return true
		}
	}
	return false
}

// Made reports whether a demo made the directory. That there is none is errs.NotFound.
func Made(dir string) (bool, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return false, errs.New(errs.NotFound, "there is no directory %s", dir)
	}
	_, err := os.Stat(filepath.Join(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Reset removes what a demo made in its directory, and the directory if nothing
// else is in it; what else is there is returned, and stays. A directory that no
// demo made is errs.Conflict. The caller makes sure that nobody has it open.
func Reset(dir string) (others []string, err error) {
	made, err := Made(dir)
	if err != nil {
		return nil, err
	}
	if !made {
		return nil, errs.New(errs.Conflict, "%s was not made by the demo, which leaves it as it is", dir)
	}
	for _, name := range entries {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return nil, unusable(dir, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		return nil, unusable(dir, err)
	}
	for _, e := range left {
		others = append(others, e.Name())
	}
	if len(others) > 0 {
		return others, nil
	}
	if err := os.Remove(dir); err != nil {
		return nil, unusable(dir, err)
	}
	return nil, nil
}
