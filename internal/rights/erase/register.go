package erase

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pressroom/internal/errs"
)

// RegisterName is the file beside backups.
const RegisterName = "erasures.jsonl"

// registerFormat is the form of the register: a line for each entry, and a last one that
// counts them, so that a register that was cut off is not taken for a whole one.
const registerFormat = 1

type registerEnd struct {
	Register int `json:"register"`
	Entries  int `json:"entries"`
}

// ReadRegister returns the entries of a register. One that is cut off or damaged is
// errs.Invalid; one that is not there is fs.ErrNotExist.
func ReadRegister(path string) ([]Entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []Entry
	var end *registerEnd
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if end != nil {
			return nil, damaged(path, errors.New("something follows its end"))
		}
		var line struct {
			Entry
			registerEnd
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, damaged(path, err)
		}
		if line.Register > registerFormat {
			return nil, errs.New(errs.Invalid, "%s was written by a newer program; use that program", path)
		}
		if line.Register > 0 {
			end = &line.registerEnd
			continue
		}
		all = append(all, line.Entry)
	}
	if err := lines.Err(); err != nil {
		return nil, damaged(path, err)
	}
	if end == nil || end.Entries != len(all) {
		return nil, damaged(path, errors.New("it is cut off"))
	}
	return all, nil
}

func damaged(path string, err error) error {
	return errs.Wrap(err, errs.Invalid, "the register of erasures %s is damaged: %v; use another copy", path, err)
}

// MergeRegister adds entries to a register, and makes it if there is none. It is
// replaced as a whole, and on the disk when it returns.
func MergeRegister(path string, entries []Entry) error {
	all, err := ReadRegister(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fresh := err != nil
	for _, e := range entries {
		if !slices.ContainsFunc(all, func(o Entry) bool { return o.ID == e.ID }) {
			all, fresh = append(all, e), true
		}
	}
	if !fresh {
		return nil
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	return writeRegister(path, all)
}

func writeRegister(path string, all []Entry) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".erasures-*")
	if err != nil {
		return registerError(path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
			err = registerError(path, err)
		}
	}()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for i := range all {
		if err := enc.Encode(&all[i]); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	err = enc.Encode(registerEnd{registerFormat, len(all)})
	if err := errors.Join(err, w.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func registerError(path string, err error) error {
	return errs.Wrap(err, errs.Unavailable, "cannot write the register of erasures %s: %v", path, err)
}

// save brings all entries into the registers.
func (e *Erasures) save(ctx context.Context) error {
	if len(e.o.Registers) == 0 {
		return nil
	}
	e.file.Lock()
	defer e.file.Unlock()
	var all []Entry
	for one, err := range e.All(ctx) {
		if err != nil {
			return err
		}
		all = append(all, one.Entry)
	}
	for _, path := range e.o.Registers {
		if err := MergeRegister(path, all); err != nil {
			return err
		}
	}
	return nil
}

// Adopt records the entries of a register that are not recorded yet, as done: whoever
// restored a backup has applied them.
func (e *Erasures) Adopt(ctx context.Context, entries []Entry) error {
	for _, entry := range entries {
		one := Erasure{Entry: entry, State: Done, Who: "restore", DoneAt: entry.At, Recovery: entry.At, Backups: entry.At}
		if err := e.repo.Create(ctx, &one); err != nil && !isExists(err) {
			return fmt.Errorf("record erasure %s: %w", entry.ID, err)
		}
	}
	e.forget()
	return e.save(ctx)
}
