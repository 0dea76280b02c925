package atrest

import (
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// file is an open file. Offsets in it are those of the content; on disk
// everything is headerSize further on.
//
// As [vfs.File] has it, any number of goroutines may call ReadAt, and one at
// a time the methods that write or that move the position.
type file struct {
	f    vfs.File
	fs   *sealedFS
	name string

	// content is nil if the file has no header, or one whose key is gone and
	// nothing after it: it is empty. That can only be in a file opened for
	// reading, and may change.
	content atomic.Pointer[content]

	pos    int64         // of Read and Write
	stream cipher.Stream // the key stream at pos, or nil

	// writeAt says that f's own position is not at pos, so that writing at pos
	// takes a WriteAt.
	writeAt bool
}

var _ vfs.File = (*file)(nil)

func newFile(fs *sealedFS, f vfs.File, name string) *file {
	return &file{f: f, fs: fs, name: name}
}

var (
	errOffset   = errors.New("offset out of range")
	errReadOnly = errors.New("file was opened for reading")
)

// load returns the file's content, after looking for the header if it was
// not there before.
func (f *file) load() (*content, error) {
	if c := f.content.Load(); c != nil {
		return c, nil
	}
	h, err := headerOf(f.f)
	if err != nil {
		return nil, err
	}
	c, err := f.fs.keys.parseHeader(h)
	if errors.Is(err, ErrKeyMissing) {
		// Pebble's markers are empty files that outlive every key.
		if info, err := f.f.Stat(); err == nil && info.Size() == headerSize {
			return nil, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", f.name, err)
	}
	f.content.Store(c)
	return c, nil
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > math.MaxInt64-headerSize {
		return 0, fmt.Errorf("read %s at %d: %w", f.name, off, errOffset)
	}
	c, err := f.load()
	if err != nil {
		return 0, err
	}
	if c == nil {
		return 0, io.EOF
	}
	n, err := f.f.ReadAt(p, off+headerSize)
	if n > 0 {
		c.stream(off).XORKeyStream(p[:n], p[:n])
	}
	return n, err
}

// Read goes through f.f.ReadAt: f.f's own position may still be inside of a
// header that was not there when the file was opened.
func (f *file) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := f.load()
	if err != nil {
		return 0, err
	}
	if c == nil {
		return 0, io.EOF
	}
	n, err := f.f.ReadAt(p, f.pos+headerSize)
	if n == 0 {
		return 0, err
	}
	if errors.Is(err, io.EOF) {
		err = nil // the next Read will say so
	}
	f.advance(c, p[:n], p[:n])
	f.writeAt = true
	return n, err
}

// advance encrypts or decrypts src, which is at pos, and moves pos past it.
func (f *file) advance(c *content, dst, src []byte) {
	if f.stream == nil {
		f.stream = c.stream(f.pos)
	}
	f.stream.XORKeyStream(dst, src)
	f.pos += int64(len(src))
}

// buffers hold what is encrypted on its way to disk. Encrypting into them
// costs no more than encrypting in place, and spares callers the surprise
// that [vfs.File] allows, of finding their data changed.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

func (f *file) Write(p []byte) (int, error) {
	c := f.content.Load()
	if c == nil {
		return 0, fmt.Errorf("write %s: %w", f.name, errReadOnly)
	}
	buf := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buf)
	written := 0
	for written < len(p) {
		chunk := p[written:min(len(p), written+len(buf))]
		at := f.pos
		f.advance(c, buf[:len(chunk)], chunk)
		n, err := f.put(buf[:len(chunk)], at)
		written += n
		if err != nil {
			f.pos, f.stream, f.writeAt = at+int64(n), nil, true
			return written, err
		}
	}
	return written, nil
}

// put writes what is encrypted at position at.
func (f *file) put(b []byte, at int64) (int, error) {
	if f.writeAt {
		return f.f.WriteAt(b, at+headerSize)
	}
	return f.f.Write(b)
}

// WriteAt writes at off, beyond the end too: then the gap reads as zeros,
// which on disk have to be encrypted like everything else.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off > math.MaxInt64-headerSize-int64(len(p)) {
		return 0, fmt.Errorf("write %s at %d: %w", f.name, off, errOffset)
	}
	c := f.content.Load()
	if c == nil {
		return 0, fmt.Errorf("write %s: %w", f.name, errReadOnly)
	}
	info, err := f.f.Stat()
	if err != nil {
		return 0, err
	}
	buf := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buf)
	if end := info.Size() - headerSize; end < off && len(p) > 0 {
		if err := f.fillAt(c, buf, end, off); err != nil {
			return 0, err
		}
	}
	s := c.stream(off)
	written := 0
	for written < len(p) {
		chunk := p[written:min(len(p), written+len(buf))]
		s.XORKeyStream(buf[:len(chunk)], chunk)
		n, err := f.f.WriteAt(buf[:len(chunk)], headerSize+off+int64(written))
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// fillAt writes zeros from byte from to byte to.
func (f *file) fillAt(c *content, buf *[64 << 10]byte, from, to int64) error {
	s := c.stream(from)
	for from < to {
		chunk := buf[:min(to-from, int64(len(buf)))]
		clear(chunk)
		s.XORKeyStream(chunk, chunk)
		if _, err := f.f.WriteAt(chunk, headerSize+from); err != nil {
			return err
		}
		from += int64(len(chunk))
	}
	return nil
}

func (f *file) Stat() (vfs.FileInfo, error) {
	c, err := f.load()
	if err != nil {
		return nil, err
	}
	info, err := f.f.Stat()
	if err != nil {
		return nil, err
	}
	if c == nil {
		return fileInfo{info, 0}, nil
	}
	return fileInfo{info, info.Size() - headerSize}, nil
}

func (f *file) Preallocate(offset, length int64) error {
	return f.f.Preallocate(offset+headerSize, length)
}

func (f *file) Prefetch(offset, length int64) error {
	return f.f.Prefetch(offset+headerSize, length)
}

func (f *file) SyncTo(length int64) (fullSync bool, err error) {
	return f.f.SyncTo(length + headerSize)
}

func (f *file) Sync() error     { return f.f.Sync() }
func (f *file) SyncData() error { return f.f.SyncData() }
func (f *file) Close() error    { return f.f.Close() }

// Fd lets Pebble's periodic syncs and read-ahead hints work. What is read
// through the descriptor itself is encrypted.
func (f *file) Fd() uintptr { return f.f.Fd() }
