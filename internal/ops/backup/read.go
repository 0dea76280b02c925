package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"pressroom/internal/errs"
)

// Damage is one thing that is wrong with a backup.
type Damage struct {
	File string `json:"file"`
	What string `json:"what"`
}

func (d Damage) String() string { return d.File + ": " + d.What }

// Verify reads a backup to its end and compares every byte with the manifest.
// What is wrong with single files is returned as damage; an error is a backup
// that cannot be read at all, or is not whole.
func Verify(ctx context.Context, from string, progress func(Progress)) (*Manifest, []Damage, error) {
	return read(ctx, from, "verifying", progress, func(_ string, _ int64, r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
}

// Inspect returns what a backup says of itself, without reading its files if it
// is a directory.
func Inspect(ctx context.Context, from string) (*Manifest, error) {
	info, err := os.Stat(from)
	if err != nil {
		return nil, openError(from, err)
	}
	if info.IsDir() {
		return dirManifest(from)
	}
	m, _, err := Verify(ctx, from, nil)
	return m, err
}

// read hands every file of a backup to take and returns the manifest, and what
// differs from it.
func read(ctx context.Context, from, doing string, progress func(Progress), take func(name string, size int64, r io.Reader) error) (*Manifest, []Damage, error) {
	info, err := os.Stat(from)
	if err != nil {
		return nil, nil, openError(from, err)
	}
	r := &reader{ctx: ctx, take: take, progress: progress, got: map[string]File{}, state: Progress{Doing: doing}}
	var m *Manifest
	if info.IsDir() {
		m, err = r.dir(from)
	} else {
		r.state.TotalBytes = info.Size()
		m, err = r.tar(from)
	}
	if err != nil {
		return nil, nil, err
	}
	return m, append(r.damage, r.compare(m)...), nil
}

func openError(from string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errs.Wrap(err, errs.NotFound, "there is no backup at %s", from)
	}
	return errs.Wrap(err, errs.Unavailable, "cannot read the backup at %s: %v", from, err)
}

// reader goes through one backup.
type reader struct {
	ctx      context.Context
	take     func(string, int64, io.Reader) error
	progress func(Progress)
	state    Progress
	got      map[string]File
	damage   []Damage
}

// file hands one file over and notes its hash.
func (r *reader) file(name string, size int64, src io.Reader) error {
	r.state.CurrentFile = name
	sum := sha256.New()
	counted := &counting{ctx: r.ctx, r: io.TeeReader(src, sum), state: &r.state, report: r.progress}
	if err := r.take(name, size, counted); err != nil {
		return err
	}
	r.state.Files++
	counted.tell()
	r.got[name] = File{Name: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))}
	return nil
}

// compare finds what the manifest says otherwise.
func (r *reader) compare(m *Manifest) []Damage {
	var all []Damage
	named := map[string]bool{}
	for _, want := range m.Files {
		named[want.Name] = true
		got, there := r.got[want.Name]
		switch {
		case !there:
			all = append(all, Damage{want.Name, "it is missing"})
		case got.Size != want.Size:
			all = append(all, Damage{want.Name, fmt.Sprintf("it has %d bytes instead of %d", got.Size, want.Size)})
		case got.SHA256 != want.SHA256:
			all = append(all, Damage{want.Name, "its content is not what was backed up"})
		}
	}
	for name := range r.got {
		if !named[name] {
			all = append(all, Damage{name, "it does not belong to the backup"})
		}
	}
	return all
}

func dirManifest(from string) (*Manifest, error) {
	text, err := os.ReadFile(filepath.Join(from, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errs.Wrap(err, errs.Invalid, "%s is no whole backup: it has no %s", from, manifestName)
	}
	if err != nil {
		return nil, openError(from, err)
	}
	return parseManifest(text)
}

// dir reads a backup in the form of a directory. Files that are missing are for
// compare to find.
func (r *reader) dir(from string) (*Manifest, error) {
	m, err := dirManifest(from)
	if err != nil {
		return nil, err
	}
	r.state.TotalBytes = m.Bytes
	for _, f := range m.Files {
		err := r.dirFile(from, f.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		if err != nil {
			return nil, openError(from, fmt.Errorf("%s: %w", f.Name, err))
		}
	}
	return m, nil
}

func (r *reader) dirFile(from, name string) error {
	f, err := os.Open(filepath.Join(from, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return r.file(name, info.Size(), f)
}

// tar reads a backup in the form of one file, whose manifest comes last.
func (r *reader) tar(from string) (*Manifest, error) {
	f, err := os.Open(from)
	if err != nil {
		return nil, openError(from, err)
	}
	defer f.Close()
	t := tar.NewReader(f)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil, errs.New(errs.Invalid, "%s is no whole backup: it ends without a manifest", from)
		}
		if err != nil {
			return nil, tarError(from, err)
		}
		if h.Name == manifestName {
			text, err := io.ReadAll(io.LimitReader(t, maxManifest))
			if err != nil {
				return nil, tarError(from, err)
			}
			return parseManifest(text)
		}
		if h.Typeflag != tar.TypeReg || !validName(h.Name) {
			return nil, damaged("it holds %q", h.Name)
		}
		if _, twice := r.got[h.Name]; twice {
			return nil, damaged("it holds %s twice", h.Name)
		}
		if err := r.file(h.Name, h.Size, t); err != nil {
			if r.ctx.Err() != nil {
				return nil, r.ctx.Err()
			}
			return nil, tarError(from, err)
		}
	}
}

func tarError(from string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, tar.ErrHeader) {
		return damaged("%s is cut off or no tar file", from)
	}
	return openError(from, err)
}
