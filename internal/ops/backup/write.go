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
	"slices"
	"strings"
	"time"

	"pressroom/internal/errs"
)

// About is what the manifest says beside the files.
type About struct {
	Program   string
	Taken     time.Time
	Encrypted bool
	// Data is the format of the data; 0 means DataFormat.
	Data int
	// Skip leaves files out, by name; nil takes all.
	Skip func(name string) bool
}

// Write copies the parts of the directory from, in which nothing changes
// meanwhile, to the place to: one tar file if that ends in ".tar", else a
// directory. Nothing may be there. The copy has another name until it is whole
// and on disk. Progress may be nil.
func Write(ctx context.Context, from, to string, about About, progress func(Progress)) (*Manifest, error) {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return nil, placeError(to, err)
		}
		return nil, errs.New(errs.Conflict, "%s exists already; choose another place for the backup", to)
	}
	names, total, err := list(from, about.Skip)
	if err != nil {
		return nil, fmt.Errorf("list the files to back up: %w", err)
	}
	partial := to + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return nil, placeError(to, err)
	}
	w := &writer{ctx: ctx, from: from, progress: progress, state: Progress{Doing: "backing up", TotalBytes: total}}
	if w.sink, err = newSink(partial, strings.HasSuffix(to, ".tar")); err != nil {
		return nil, placeError(to, err)
	}
	m := &Manifest{Format: Format, Data: about.Data, Program: about.Program, Taken: about.Taken.UTC(), Encrypted: about.Encrypted}
	if m.Data == 0 {
		m.Data = DataFormat
	}
	err = w.all(m, names)
	if err = errors.Join(err, w.sink.close()); err == nil {
		err = moveInto(partial, to)
	}
	if err != nil {
		return nil, errors.Join(placeError(to, err), os.RemoveAll(partial))
	}
	return m, nil
}

func placeError(to string, err error) error {
	if errors.Is(err, context.Canceled) {
		return errs.Wrap(err, errs.Canceled, "the backup was interrupted; nothing of it was left at %s", to)
	}
	return errs.Wrap(err, errs.Unavailable, "cannot write the backup to %s: %v", to, err)
}

// list returns the files of the parts, with slashes and sorted, and how many
// bytes they have.
func list(dir string, skip func(string) bool) (names []string, total int64, err error) {
	for _, part := range Parts {
		root := filepath.Join(dir, part)
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				if file == root && errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				return err
			}
			rel, err := filepath.Rel(dir, file)
			if err != nil || d.IsDir() {
				return err
			}
			name := filepath.ToSlash(rel)
			if skip != nil && skip(name) || isLock(name) {
				return nil
			}
			if !d.Type().IsRegular() {
				return fmt.Errorf("%s is no ordinary file", file)
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			names, total = append(names, name), total+info.Size()
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	slices.Sort(names)
	return names, total, nil
}

// isLock reports the file by which Pebble keeps a second process away.
func isLock(name string) bool { return strings.HasSuffix(name, "/LOCK") }

// writer copies files into a sink.
type writer struct {
	ctx      context.Context
	from     string
	sink     sink
	progress func(Progress)
	state    Progress
}

func (w *writer) all(m *Manifest, names []string) error {
	for _, name := range names {
		f, err := w.one(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.Files = append(m.Files, f)
		m.Bytes += f.Size
	}
	text, err := m.encode()
	if err != nil {
		return err
	}
	return w.sink.add(manifestName, int64(len(text)), strings.NewReader(string(text)))
}

func (w *writer) one(name string) (File, error) {
	src, err := os.Open(filepath.Join(w.from, filepath.FromSlash(name)))
	if err != nil {
		return File{}, err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return File{}, err
	}
	w.state.CurrentFile = name
	sum := sha256.New()
	counted := &counting{ctx: w.ctx, r: io.TeeReader(src, sum), state: &w.state, report: w.progress}
	if err := w.sink.add(name, info.Size(), counted); err != nil {
		return File{}, err
	}
	w.state.Files++
	counted.tell()
	return File{Name: name, Size: info.Size(), SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// counting reads for somebody who wants to know how far it is, and ends with
// its context.
type counting struct {
	ctx    context.Context
	r      io.Reader
	state  *Progress
	report func(Progress)
}

func (c *counting) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.state.Bytes += int64(n)
	c.tell()
	return n, err
}

func (c *counting) tell() {
	if c.report != nil {
		c.report(*c.state)
	}
}

// sink is where a backup is written.
type sink interface {
	// add takes a file, of which r must hold exactly size bytes.
	add(name string, size int64, r io.Reader) error
	// close returns when everything is on disk.
	close() error
}

func newSink(to string, asTar bool) (sink, error) {
	if !asTar {
		return dirSink{to}, os.MkdirAll(to, 0o700)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &tarSink{f, tar.NewWriter(f)}, nil
}

// dirSink writes files below a directory.
type dirSink struct{ dir string }

func (s dirSink) add(name string, size int64, r io.Reader) error {
	to := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = exactly(f, size, r)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// exactly copies what must be size bytes.
func exactly(w io.Writer, size int64, r io.Reader) error {
	n, err := io.Copy(w, r)
	if err == nil && n != size {
		err = fmt.Errorf("the file has %d bytes, not %d: it was changed while it was read", n, size)
	}
	return err
}

func (s dirSink) close() error {
	return filepath.WalkDir(s.dir, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncDir(dir)
	})
}

// tarSink writes one tar file.
type tarSink struct {
	f *os.File
	w *tar.Writer
}

func (s *tarSink) add(name string, size int64, r io.Reader) error {
	if err := s.w.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, Format: tar.FormatPAX}); err != nil {
		return err
	}
	return exactly(s.w, size, r)
}

func (s *tarSink) close() error {
	err := s.w.Close()
	if err == nil {
		err = s.f.Sync()
	}
	return errors.Join(err, s.f.Close())
}

// moveInto gives what is whole its name, durably.
func moveInto(partial, to string) error {
	if err := os.Rename(partial, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	// Some file systems cannot sync a directory; then there is nothing to do.
	if err := dir.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return errors.Join(err, dir.Close())
	}
	return dir.Close()
}
