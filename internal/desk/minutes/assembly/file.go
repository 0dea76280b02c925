package assembly

import (
	"archive/tar"
	"archive/zip"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
)

// File is one file of an assembly, unpacked. It can be opened, once, while the
// iteration that gave it has not gone on.
type File struct {
	// Name is the path in the folder, and in the archive that the file is in,
	// without the endings of compression.
	Name string
	open func() (io.ReadCloser, error)
}

// NewFile returns a file with a text that is in memory already.
func NewFile(name string, r io.Reader) File {
	return File{name, func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// Open opens the file. Reading more than MaxFile is an error, as is a compressed
// file that ends too early.
func (f File) Open() (io.ReadCloser, error) {
	r, err := f.open()
	if err != nil {
		return nil, &FileError{File: f.Name, Err: err}
	}
	return &bounded{r, f.Name, MaxFile}, nil
}

// bounded is a file that may not be longer than a limit.
type bounded struct {
	io.ReadCloser
	name string
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, &FileError{File: b.name, Err: fmt.Errorf("more than %d GB: %w", MaxFile>>30, ErrTooLarge)}
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &FileError{File: b.name, Err: unpacking(err)}
	}
	return n, err
}

// unpacking says in words what is wrong with a compressed file.
func unpacking(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends too early: %w", err)
	}
	return err
}

// Files walks a folder in the order of the names and yields its files: plain ones;
// those in .gz and .bz2; those in .zip, .tar and .tgz; and those that were split
// into parts .001, .002 and so on. Hidden files are left out. A fault in one file
// is yielded in its place, and the walk goes on.
func Files(folder fs.FS) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		var parts []string // of the split file before
		flush := func() bool {
			if len(parts) == 0 {
				return true
			}
			names := parts
			parts = nil
			return yieldSplit(folder, names, yield)
		}
		err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
			hidden := strings.HasPrefix(path.Base(name), ".") && name != "."
			switch {
			case err != nil:
				if !yield(File{Name: name}, &FileError{File: name, Err: err}) {
					return fs.SkipAll
				}
				return nil
			case hidden && entry.IsDir():
				return fs.SkipDir
			case hidden || entry.IsDir():
				return nil
			}
			if whole, n := partOf(name); n > 0 {
				if before, _ := partOf(first(parts)); before == whole || len(parts) == 0 {
					parts = append(parts, name)
					return nil
				}
				if !flush() {
					return fs.SkipAll
				}
				parts = append(parts, name)
				return nil
			}
			if !flush() || !yieldFile(folder, name, yield) {
				return fs.SkipAll
			}
			return nil
		})
		if err == nil {
			flush()
		}
	}
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// partOf returns the name of the file that a part is of, and its number, or 0.
func partOf(name string) (whole string, number int) {
	ending := path.Ext(name)
	if len(ending) != 4 {
		return name, 0
	}
	for _, c := range ending[1:] {
		if c < '0' || c > '9' {
			return name, 0
		}
		number = number*10 + int(c-'0')
	}
	return strings.TrimSuffix(name, ending), number
}

// yieldSplit yields a file that was split.
func yieldSplit(folder fs.FS, names []string, yield func(File, error) bool) bool {
	whole, _ := partOf(names[0])
	for i, name := range names {
		if _, n := partOf(name); n != i+1 {
			return yield(File{Name: whole}, &FileError{File: whole, Err: fmt.Errorf("part %03d is missing", i+1)})
		}
	}
	return yieldStream(whole, func() (io.ReadCloser, error) { return &chain{folder: folder, names: names}, nil }, yield)
}

// chain reads files one after the other.
type chain struct {
	folder fs.FS
	names  []string
	now    fs.File
}

func (c *chain) Read(p []byte) (int, error) {
	for {
		if c.now == nil {
			if len(c.names) == 0 {
				return 0, io.EOF
			}
			f, err := c.folder.Open(c.names[0])
			if err != nil {
				return 0, err
			}
			c.now, c.names = f, c.names[1:]
		}
		n, err := c.now.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		c.now.Close()
		c.now = nil
		if n > 0 {
			return n, nil
		}
	}
}

func (c *chain) Close() error {
	if c.now != nil {
		return c.now.Close()
	}
	return nil
}

func yieldFile(folder fs.FS, name string, yield func(File, error) bool) bool {
	open := func() (io.ReadCloser, error) { return folder.Open(name) }
	if strings.EqualFold(path.Ext(name), ".zip") {
		return yieldZip(folder, name, yield)
	}
	return yieldStream(name, open, yield)
}

// yieldStream yields what is in a file that can only be read from its beginning.
func yieldStream(name string, open func() (io.ReadCloser, error), yield func(File, error) bool) bool {
	switch ending := strings.ToLower(path.Ext(name)); ending {
	case ".gz", ".tgz":
		inner := strings.TrimSuffix(name, path.Ext(name))
		if ending == ".tgz" {
			inner += ".tar"
		}
		return yieldStream(inner, func() (io.ReadCloser, error) {
			return unpack(open, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) })
		}, yield)
	case ".bz2":
		return yieldStream(strings.TrimSuffix(name, path.Ext(name)), func() (io.ReadCloser, error) {
			return unpack(open, func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil })
		}, yield)
	case ".tar":
		return yieldTar(name, open, yield)
	}
	return yield(File{name, open}, nil)
}

type unpacked struct {
	io.Reader
	io.Closer
}

func unpack(open func() (io.ReadCloser, error), with func(io.Reader) (io.Reader, error)) (io.ReadCloser, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	plain, err := with(r)
	if err != nil {
		r.Close()
		return nil, unpacking(err)
	}
	return unpacked{plain, r}, nil
}

func yieldTar(name string, open func() (io.ReadCloser, error), yield func(File, error) bool) bool {
	r, err := open()
	if err != nil {
		return yield(File{Name: name}, &FileError{File: name, Err: err})
	}
	defer r.Close()
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return yield(File{Name: name}, &FileError{File: name, Err: unpacking(err)})
		}
		if header.Typeflag != tar.TypeReg || strings.HasPrefix(path.Base(header.Name), ".") {
			continue
		}
		inner := path.Join(name, path.Clean("/"+header.Name))
		if !yieldStream(inner, func() (io.ReadCloser, error) { return io.NopCloser(archive), nil }, yield) {
			return false
		}
	}
}

// yieldZip yields the files of an archive. Its list is at its end, so the file must
// be one that can be read anywhere.
func yieldZip(folder fs.FS, name string, yield func(File, error) bool) bool {
	fault := func(err error) bool { return yield(File{Name: name}, &FileError{File: name, Err: unpacking(err)}) }
	f, err := folder.Open(name)
	if err != nil {
		return fault(err)
	}
	defer f.Close()
	at, ok := f.(io.ReaderAt)
	info, err := f.Stat()
	if !ok || err != nil {
		return fault(errors.Join(errors.New("an archive of the kind zip can only be read from a disk"), err))
	}
	archive, err := zip.NewReader(at, info.Size())
	if err != nil {
		return fault(err)
	}
	slices.SortFunc(archive.File, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	for _, entry := range archive.File {
		if !entry.Mode().IsRegular() || strings.HasPrefix(path.Base(entry.Name), ".") {
			continue
		}
		inner := path.Join(name, path.Clean("/"+entry.Name))
		if !yieldStream(inner, func() (io.ReadCloser, error) { return entry.Open() }, yield) {
			return false
		}
	}
	return true
}
