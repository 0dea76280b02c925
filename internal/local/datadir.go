package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"pressroom/internal/errs"
	"pressroom/internal/ops/backup"
)

// LockName is the file whose lock says that a process has the directory. It
// holds that process's id, for whoever finds it locked.
const LockName = "LOCK"

// CheckpointsDir is where copies of the stores are made for backups; what is left
// of one when a process ends is removed by the next.
const CheckpointsDir = "checkpoints"

// ErrHeld is a lock that another process has.
var ErrHeld = errors.New("locked by another process")

// Dir is a data directory that this process, and no other, has open.
type Dir struct {
	path string
	lock *os.File
}

// OpenDir makes the directory if it is not there, makes sure that it can be
// read and written, and takes it for this process. The lock goes with the
// process, however that ends. Every error is one sentence for the operator.
func OpenDir(path string) (*Dir, error) {
	if err := makeDir(path); err != nil {
		return nil, dirError(path, err)
	}
	if err := checkAccess(path); err != nil {
		return nil, dirError(path, err)
	}
	file, err := lockFile(filepath.Join(path, LockName))
	if errors.Is(err, ErrHeld) {
		return nil, heldError(path, err)
	}
	if err != nil {
		return nil, dirError(path, err)
	}
	if err := errors.Join(writeOwner(file), keepPrivate(path)); err != nil {
		return nil, dirError(path, errors.Join(err, file.Close()))
	}
	return &Dir{path: path, lock: file}, nil
}

// ownDirs are the directories that hold data, whatever else is beside them.
var ownDirs = []string{backup.Tables, backup.Objects, "search", "backups", CheckpointsDir}

// keepPrivate sees to it that only this user can read the data: what this process
// makes from now on, and what an earlier one made in a directory that others may
// enter. One that is private already is not looked through again.
func keepPrivate(path string) error {
	makePrivate()
	for _, name := range ownDirs {
		dir := filepath.Join(path, name)
		info, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) || err == nil && isPrivate(info) {
			continue
		}
		if err != nil {
			return err
		}
		err = filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
			if err != nil || file == dir || !e.IsDir() && !e.Type().IsRegular() {
				return err
			}
			return chmodPrivate(file, e.IsDir())
		})
		// Last, so that a walk that is cut off is made again.
		if err := errors.Join(err, chmodPrivate(dir, true)); err != nil {
			return err
		}
	}
	return nil
}

func chmodPrivate(path string, dir bool) error {
	if dir {
		return os.Chmod(path, 0o700)
	}
	return os.Chmod(path, 0o600)
}

// Check tells whether the directory is still the one that was opened: not
// removed, moved away or replaced under the running process.
func (d *Dir) Check(context.Context) error {
	mine, err := d.lock.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(filepath.Join(d.path, LockName))
	if err != nil {
		return err
	}
	if !os.SameFile(mine, there) {
		return fmt.Errorf("%s was replaced while in use", d.path)
	}
	return nil
}

// Close gives the directory up. The lock file stays: removing it would let two
// later processes lock two different files of that name.
func (d *Dir) Close() error {
	return errors.Join(d.lock.Truncate(0), d.lock.Close())
}

// makeDir creates path and makes the new names durable, so that a power loss
// cannot take the directory away from under data that are already synced.
func makeDir(path string) error {
	parent := filepath.Clean(path)
	var made []string
	for {
		if _, err := os.Stat(parent); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		parent = filepath.Dir(parent)
		made = append(made, parent)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	for _, dir := range made {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// checkAccess proves that the directory can be listed and written.
func checkAccess(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = dir.Readdirnames(1)
	if err := errors.Join(ignoreEOF(err), dir.Close()); err != nil {
		return err
	}
	probe, err := os.CreateTemp(path, ".probe-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// writeOwner leaves this process's id in the lock file.
func writeOwner(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// heldError names the process that has the directory, if its id can be read.
func heldError(path string, cause error) error {
	owner := ""
	if data, err := os.ReadFile(filepath.Join(path, LockName)); err == nil {
		if id := strings.TrimSpace(string(data)); id != "" {
			owner = " (process " + id + ")"
		}
	}
	return errs.Wrap(cause, errs.Unavailable,
		"data directory %s is in use by another pressroom%s; stop that one, or choose another directory with --data", path, owner)
}

// dirError says in one sentence why the directory cannot be used.
func dirError(path string, cause error) error {
	switch {
	case errors.Is(cause, fs.ErrPermission):
		return errs.Wrap(cause, errs.Unavailable,
			"data directory %s cannot be read and written by this user; change its permissions, or choose another with --data", path)
	case errors.Is(cause, syscall.ENOTDIR):
		return errs.Wrap(cause, errs.Unavailable,
			"data directory %s is not a directory; move that file away, or choose another with --data", path)
	}
	return errs.Wrap(cause, errs.Unavailable,
		"data directory %s cannot be used: %v; mend that, or choose another with --data", path, rootCause(cause))
}

// rootCause drops the operation and path that the sentence already has.
func rootCause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
