package transfer

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"pressroom/internal/errs"
)

// Bounds of what is read.
const (
	maxStretch = 64 << 20 // bytes of one value or piece of text in a file
	maxText    = 8 << 20  // bytes of the text of one post
	maxFiles   = 200_000  // in a folder or an archive
	maxLarge   = 64 << 30 // bytes of a whole file, unpacked
	freeRatio  = 64 << 20 // bytes that may be packed as tightly as they like
	maxRatio   = 200      // how many times larger than packed the rest may be
)

// tree is what an import is read from: one file, or a folder or archive that has the
// pictures beside it. It never leads out of itself.
type tree struct {
	fs.FS
	only  string // the one file, if that is all
	close func() error
}

func unusable(err error, format string, args ...any) error {
	return errs.Wrap(err, errs.Invalid, format, args...)
}

// openTree opens a file, a folder or a zip archive.
func openTree(name string) (*tree, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, errs.Wrap(err, errs.Usage, "cannot read %s: %v", name, err)
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name) // which no link leads out of
		if err != nil {
			return nil, errs.Wrap(err, errs.Usage, "cannot read %s: %v", name, err)
		}
		return &tree{FS: root.FS(), close: root.Close}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, errs.Wrap(err, errs.Usage, "cannot read %s: %v", name, err)
	}
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err == nil && string(magic[:]) == "PK\x03\x04" {
		t, err := openZip(f, info.Size())
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return t, nil
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return &tree{FS: single{name}, only: path.Base(strings.ReplaceAll(name, `\`, "/")), close: func() error { return nil }}, nil
}

// single is a file system of one file.
type single struct{ name string }

func (s single) Open(string) (fs.File, error) { return os.Open(s.name) }

// openZip opens an archive, unless what it says of itself is that of a bomb.
func openZip(f *os.File, size int64) (*tree, error) {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return nil, unusable(err, "The archive cannot be read: %v.", err)
	}
	if len(z.File) > maxFiles {
		return nil, unusable(nil, "The archive has %d files; at most %d are allowed.", len(z.File), maxFiles)
	}
	var unpacked uint64
	for _, e := range z.File {
		unpacked += min(e.UncompressedSize64, 1<<40)
	}
	if unpacked > freeRatio && unpacked > maxRatio*uint64(max(size, 0)) {
		return nil, unusable(nil, "The archive would unpack to %d bytes, %d times its size. That is taken for a bomb.", unpacked, unpacked/uint64(max(size, 1)))
	}
	return &tree{FS: z, close: f.Close}, nil
}

// open opens a file for reading as a stream, bounded.
func (t *tree) open(name string) (io.ReadCloser, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(f, maxLarge), f}, nil
}

// errLarge is a file over its limit.
var errLarge = errors.New("it is too large")

// read reads a file of at most so many bytes.
func (t *tree) read(name string, most int64) ([]byte, error) {
	f, err := t.open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%s: %w: more than %d bytes", name, errLarge, most)
	}
	return data, nil
}

// find returns the first file that a test accepts, in the order of names, not deeper
// than so many folders.
func (t *tree) find(depth int, accept func(name string) bool) (string, error) {
	if t.only != "" {
		return t.only, nil
	}
	found := ""
	err := t.walk(func(name string) error {
		if strings.Count(name, "/") <= depth && accept(name) {
			found = name
			return fs.SkipAll
		}
		return nil
	})
	if err == nil && found == "" {
		err = unusable(nil, "There is no file of this kind in the folder or archive.")
	}
	return found, err
}

// walk visits the regular files. Links are not followed; folders that hold no content of
// the site are left out.
func (t *tree) walk(fn func(name string) error) error {
	n := 0
	return fs.WalkDir(t.FS, ".", func(name string, e fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return unusable(err, "The folder or archive cannot be read: %v.", err)
		case e.IsDir() && (base == ".git" || base == "node_modules" || base == "__MACOSX" || base == "vendor" || base == "_site" || base == "themes"):
			return fs.SkipDir
		case e.IsDir() || !e.Type().IsRegular():
			return nil
		}
		if n++; n > maxFiles {
			return unusable(nil, "There are more than %d files.", maxFiles)
		}
		return fn(name)
	})
}

// stretch is a reader that ends with an error when one piece of what is read is too
// long: whoever reads tells with at where the last piece ended.
type stretch struct {
	r    io.Reader
	read int64
	at   func() int64
}

func (s *stretch) Read(p []byte) (int, error) {
	if s.at != nil && s.read-s.at() > maxStretch {
		return 0, unusable(errLarge, "The file has a piece of more than %d MB. That is taken for a bomb.", maxStretch>>20)
	}
	n, err := s.r.Read(p)
	s.read += int64(n)
	return n, err
}
