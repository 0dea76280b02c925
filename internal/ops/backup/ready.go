package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pressroom/internal/errs"
)

// DataFormat is the form of data directories that this program writes, and the
// newest that it opens. It grows when an older program could not read, or would
// spoil, what this one writes.
const DataFormat = 1

const formatName = "FORMAT"

// Step brings a data directory from one format to the next. Nobody has the
// directory open. It must be possible to run it again after it was cut off.
type Step struct {
	From int
	What string
	Run  func(ctx context.Context, dir string) error
}

// Upgrades leads from the oldest format to DataFormat, one step for each.
var Upgrades []Step

// Readying is how Ready works. The zero value, and nil, are usable.
type Readying struct {
	Program string
	Now     func() time.Time // time.Now if nil
	Tell    func(string)     // hears of what takes long; may be nil

	current int // what tests take for DataFormat and Upgrades
	steps   []Step
}

// format is the content of the file FORMAT.
type format struct {
	Format  int    `json:"format"`
	Program string `json:"program"`
}

// Ready looks at a data directory before it is opened, by whoever holds its
// lock. It refuses one that a newer program wrote and one that a restore has not
// filled; one that an older program wrote is upgraded, after a backup of it was
// put into its directory "backups".
func Ready(ctx context.Context, dir string, o *Readying) error {
	var r Readying
	if o != nil {
		r = *o
	}
	r.defaults()
	if _, err := os.Lstat(filepath.Join(dir, restoringName)); err == nil {
		return errs.New(errs.Conflict,
			"a backup was being restored into %s and that was not finished; empty the directory and restore again", dir)
	}
	f, err := readFormat(dir, r.Program)
	switch {
	case err != nil:
		return err
	case f.Format > r.current:
		return newer(f.Format, f.Program)
	case f.Format < r.current:
		return r.upgrade(ctx, dir, f)
	}
	return nil
}

func (r *Readying) defaults() {
	if r.Now == nil {
		r.Now = time.Now
	}
	if r.Tell == nil {
		r.Tell = func(string) {}
	}
	if r.current == 0 {
		r.current, r.steps = DataFormat, Upgrades
	}
}

func newer(format int, program string) error {
	return errs.New(errs.Unavailable,
		"the data were written by a newer Pressroom (%s, data format %d; this one knows up to %d); use that version or a later one", program, format, DataFormat)
}

// readFormat returns the directory's format. A new directory gets the file, and
// so does one from before there was such a file, whose format is the first. Only
// a missing file is that: a damaged one is an error.
func readFormat(dir, program string) (format, error) {
	text, err := os.ReadFile(filepath.Join(dir, formatName))
	if errors.Is(err, fs.ErrNotExist) {
		return firstFormat(dir, program)
	}
	var f format
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err == nil && f.Format < 1 {
		err = fmt.Errorf("format %d", f.Format)
	}
	if err != nil {
		return f, errs.Wrap(err, errs.Unavailable, "cannot tell the format of the data directory %s: %v", dir, err)
	}
	return f, nil
}

func firstFormat(dir, program string) (format, error) {
	f := format{Format: 1}
	for _, part := range Parts {
		if _, err := os.Stat(filepath.Join(dir, part)); err == nil {
			return f, writeFormat(dir, f.Format, f.Program)
		}
	}
	f.Format, f.Program = DataFormat, program
	return f, writeFormat(dir, f.Format, f.Program)
}

// writeFormat replaces the file in one step.
func writeFormat(dir string, number int, program string) error {
	text, err := json.Marshal(format{number, program})
	if err != nil {
		return err
	}
	path := filepath.Join(dir, formatName)
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return moveInto(path+".new", path)
}

// upgrade backs the directory up and takes the steps that are missing. The
// format is written after each, so that one that was cut off is taken again.
func (r *Readying) upgrade(ctx context.Context, dir string, f format) error {
	to := filepath.Join(dir, "backups", fmt.Sprintf("format-%d-%s", f.Format, r.Now().UTC().Format("20060102T150405Z")))
	r.Tell(fmt.Sprintf("the data have format %d; backing them up to %s before they are upgraded to %d", f.Format, to, r.current))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return targetError(dir, err)
	}
	about := About{Program: f.Program, Taken: r.Now(), Encrypted: Encrypted(dir), Data: f.Format}
	if _, err := Write(ctx, dir, to, about, nil); err != nil {
		return fmt.Errorf("back up before the upgrade: %w", err)
	}
	for _, step := range r.steps {
		if step.From < f.Format {
			continue
		}
		r.Tell(fmt.Sprintf("format %d to %d: %s", step.From, step.From+1, step.What))
		if err := step.Run(ctx, dir); err != nil {
			return errs.Wrap(err, errs.Unavailable, "the upgrade of the data to format %d failed: %v; they are as they were in %s", step.From+1, err, to)
		}
		if err := writeFormat(dir, step.From+1, r.Program); err != nil {
			return targetError(dir, err)
		}
		f.Format = step.From + 1
	}
	if f.Format != r.current {
		return errs.New(errs.Unavailable, "no upgrade leads from data format %d to %d; use a version in between", f.Format, r.current)
	}
	return nil
}

// Encrypted reports whether the data of a directory are encrypted, by the mark
// that encryption leaves in the directory of the tables.
func Encrypted(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, Tables, "ATREST"))
	return err == nil
}
