package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"pressroom/internal/errs"
)

// restoringName marks a data directory into which a restore is not done.
const restoringName = "RESTORING"

// Restoring adjusts a restore. The zero value, and nil, are usable.
type Restoring struct {
	// Create makes the files of the data directory; nil makes ordinary ones.
	// A caller who gives one that encrypts gets an encrypted directory of a
	// plain backup.
	Create func(path string) (Created, error)
	// Link may make the file a second name of the backup's own instead of
	// a copy, if it is asked about one that nobody will change. Only for copies
	// that are thrown away; nil never does.
	Link func(name string) bool
	// Progress may be nil.
	Progress func(Progress)
	// Keep leaves the mark on the directory: there is more to be done before
	// it may be used, after which the caller calls Finish.
	Keep bool
}

// Created is a file that is being written.
type Created interface {
	io.WriteCloser
	Sync() error
}

// Restore brings a backup into the directory to, which must be empty or not
// exist. On any error what was written is removed again.
func Restore(ctx context.Context, from, to string, o *Restoring) (*Manifest, error) {
	var opt Restoring
	if o != nil {
		opt = *o
	}
	if opt.Create == nil {
		opt.Create = func(path string) (Created, error) {
			return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		}
	}
	if err := emptyDir(to); err != nil {
		return nil, err
	}
	if err := mark(to); err != nil {
		return nil, targetError(to, err)
	}
	m, err := restore(ctx, from, to, opt)
	if err != nil {
		return nil, errors.Join(err, clearDir(to))
	}
	return m, nil
}

func restore(ctx context.Context, from, to string, o Restoring) (*Manifest, error) {
	m, damage, err := read(ctx, from, "restoring", o.Progress, func(name string, size int64, r io.Reader) error {
		if o.Link != nil && o.Link(name) {
			linked, err := link(from, to, name, r)
			if linked || err != nil {
				return err
			}
		}
		return create(filepath.Join(to, filepath.FromSlash(name)), size, r, o.Create)
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, errs.Wrap(err, errs.Canceled, "the restore was interrupted; %s is empty again", to)
	case err != nil:
		return nil, err
	case len(damage) > 0:
		return nil, damaged("%s (%d files in all); %s is empty again", damage[0], len(damage), to)
	case m.Data > DataFormat:
		return nil, newer(m.Data, m.Program)
	}
	for _, part := range Parts {
		if err := os.MkdirAll(filepath.Join(to, part), 0o700); err != nil {
			return nil, targetError(to, err)
		}
	}
	if err := writeFormat(to, m.Data, m.Program); err != nil {
		return nil, targetError(to, err)
	}
	if err := (dirSink{to}).close(); err != nil {
		return nil, targetError(to, err)
	}
	if o.Keep {
		return m, nil
	}
	return m, Finish(to)
}

// Finish takes the mark from a restored directory: it may be used now.
func Finish(dir string) error {
	if err := os.Remove(filepath.Join(dir, restoringName)); err != nil {
		return targetError(dir, err)
	}
	return syncDir(dir)
}

// Abandon empties a directory whose restore cannot be finished.
func Abandon(dir string) error { return clearDir(dir) }

func create(path string, size int64, r io.Reader, open func(string) (Created, error)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := open(path)
	if err != nil {
		return err
	}
	err = exactly(f, size, r)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// link gives a file of a backup a second name and reads it for its hash. It
// reports false where the file system does not do that.
func link(from, to, name string, r io.Reader) (bool, error) {
	path := filepath.Join(to, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	if err := os.Link(filepath.Join(from, filepath.FromSlash(name)), path); err != nil {
		return false, nil //nolint:nilerr // then it is copied
	}
	_, err := io.Copy(io.Discard, r)
	return true, err
}

// emptyDir makes sure that there is an empty directory.
func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return targetError(dir, err)
		}
		return nil
	case err != nil:
		return targetError(dir, err)
	case len(entries) > 0:
		return errs.New(errs.Conflict, "%s is not empty (it has %s); a backup is restored into an empty directory only", dir, entries[0].Name())
	}
	return nil
}

func mark(dir string) error {
	path := filepath.Join(dir, restoringName)
	if err := os.WriteFile(path, []byte("A backup is being restored into this directory.\n"), 0o600); err != nil {
		return err
	}
	return syncDir(dir)
}

// clearDir removes what is in a directory, its mark last.
func clearDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == restoringName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("empty %s: %w", dir, err)
		}
	}
	return os.RemoveAll(filepath.Join(dir, restoringName))
}

func targetError(dir string, err error) error {
	return errs.Wrap(err, errs.Unavailable, "cannot restore into %s: %v", dir, err)
}
