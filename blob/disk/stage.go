package disk

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob/checksum"
	"pressroom/blob/fault"
)

// Staged is a body that was read and hashed but belongs to no object yet. It
// is given to PutObject or PutPart, or discarded.
type Staged struct {
	Size int64
	MD5  [md5.Size]byte
	Sums map[checksum.Algorithm][]byte

	s      *Store
	id     uint64
	inline []byte // if no larger than the limit
	buffer *[]byte
	file   vfs.File
	tmp    string
	stored int64
	sums   blockSums // of what is stored
	cold   bool

	dir  *dataDir // after place
	body Body
	kept bool
}

// StageOptions say how to read a body.
type StageOptions struct {
	// Size is the body's length if known, else -1. Reading any other
	// number of bytes is an IncompleteBody.
	Size int64
	// Max is the largest length allowed; 0 means MaxPartSize.
	Max int64
	// Sums are the checksums to compute beside MD5.
	Sums []checksum.Algorithm
	// Class is the storage class; an archive class is stored compressed.
	Class string
	// File asks for a file whatever the size, as parts do.
	File bool
}

const copyBuffer = 128 << 10

// buffers serve both to collect small bodies and to copy large ones.
var buffers = sync.Pool{New: func() any {
	b := make([]byte, copyBuffer)
	return &b
}}

// Stage reads r to its end. Nothing is visible or durable yet. Its memory
// does not grow with the body, and Close does not wait for it.
func (s *Store) Stage(ctx context.Context, r io.Reader, o StageOptions) (*Staged, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	id, err := s.nextSeq()
	s.leave()
	if err != nil {
		return nil, err
	}
	return s.stage(ctx, r, o, id)
}

// stage is Stage with the number that the body is to have.
func (s *Store) stage(ctx context.Context, r io.Reader, o StageOptions, id uint64) (*Staged, error) {
	if o.Max == 0 {
		o.Max = MaxPartSize
	}
	if o.Size > o.Max {
		return nil, tooLarge(o.Size, o.Max)
	}
	if err := s.room(o.Size); err != nil {
		return nil, err
	}
	st := &Staged{s: s, id: id, cold: Archive(o.Class)}
	if err := st.read(ctx, r, o); err != nil {
		st.Discard()
		return nil, err
	}
	return st, nil
}

func tooLarge(size, limit int64) error {
	return fault.EntityTooLarge.With("ProposedSize", fmt.Sprint(size)).With("MaxSizeAllowed", fmt.Sprint(limit))
}

func (st *Staged) read(ctx context.Context, r io.Reader, o StageOptions) error {
	hashes := newHashes(o.Sums)
	st.buffer = buffers.Get().(*[]byte)
	buf := *st.buffer
	limit := st.s.opt.InlineLimit
	if o.File {
		limit = -1
	}
	n, err := readFull(ctx, r, buf[:limit+1])
	hashes.Write(buf[:n])
	st.Size = int64(n)
	if errors.Is(err, io.EOF) {
		st.inline = buf[:n]
	} else if err == nil {
		err = st.spill(ctx, r, buf, n, hashes, o)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if o.Size >= 0 && st.Size != o.Size {
		return fault.ContentLengthMismatch
	}
	if st.Size > o.Max {
		return tooLarge(st.Size, o.Max)
	}
	st.Sums = hashes.sums()
	hashes.md5.Sum(st.MD5[:0])
	if st.inline != nil && st.cold {
		st.inline = compressBytes(st.inline)
	}
	if st.inline != nil {
		st.stored = int64(len(st.inline))
	}
	return nil
}

// readFull fills buf. At the end of r it returns io.EOF with what it has.
func readFull(ctx context.Context, r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		if err = ctx.Err(); err != nil {
			return n, err
		}
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	return n, err
}

// spill writes what is in buf, and then the rest of r, to a temporary file.
func (st *Staged) spill(ctx context.Context, r io.Reader, buf []byte, n int, hashes *hashes, o StageOptions) error {
	w, err := st.create()
	if err != nil {
		return err
	}
	for {
		// The file may change what it is given, so it comes after the hashes.
		if _, err := w.Write(buf[:n]); err != nil {
			return errors.Join(diskError("write object", err), w.Close())
		}
		n, err = readFull(ctx, r, buf)
		hashes.Write(buf[:n])
		st.Size += int64(n)
		if err != nil && !errors.Is(err, io.EOF) {
			return errors.Join(err, w.Close())
		}
		if st.Size > o.Max {
			return errors.Join(tooLarge(st.Size, o.Max), w.Close())
		}
		if n == 0 && err != nil {
			break
		}
	}
	err = w.Close()
	if err == nil {
		_, err = st.file.Write(st.sums.tail())
	}
	return diskError("write object", err)
}

// create opens the temporary file, behind a compressor if the class asks for
// one.
func (st *Staged) create() (io.WriteCloser, error) {
	st.tmp = st.s.tmpPath(st.id)
	f, err := st.s.fs.Create(st.tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, diskError("create object file", err)
	}
	// Written out as it comes, so that the final sync is short.
	st.file = vfs.NewSyncingFile(f, vfs.SyncingFileOptions{BytesPerSync: 8 << 20, NoSyncOnClose: true})
	w := &storedWriter{st}
	if st.cold {
		return compressor(w), nil
	}
	return w, nil
}

// storedWriter writes to the file and notes what it holds.
type storedWriter struct{ st *Staged }

func (w *storedWriter) Write(p []byte) (int, error) {
	n, err := w.st.sums.Write(p) // before the file, which may change what it is given
	if err == nil {
		n, err = w.st.file.Write(p)
	}
	w.st.stored += int64(n)
	return n, err
}

func (w *storedWriter) Close() error { return nil }

// place makes the bytes durable, under their final name if they are a file.
func (st *Staged) place() error {
	st.body.Cold = st.cold
	st.body.Stored = st.stored
	if st.file == nil {
		if st.Size == 0 {
			st.body = Body{}
		} else {
			st.body.ID, st.body.Kind = st.id, bodyInline
		}
		return nil
	}
	st.body.ID, st.body.Kind, st.body.File.id = st.id, bodyFile, st.id
	if err := st.file.Sync(); err != nil {
		return diskError("sync object", err)
	}
	err := st.file.Close()
	st.file = nil
	if err != nil {
		return diskError("close object", err)
	}
	d, err := st.s.takeDir()
	if err != nil {
		return err
	}
	st.dir = d
	st.body.File.dir = d.no
	if err := st.s.fs.Rename(st.tmp, st.s.filePath(st.body.File)); err != nil {
		return diskError("name object", err)
	}
	st.tmp = ""
	return diskError("sync directory", d.syncs.do(d.handle.Sync))
}

// keep says that the body's batch was committed: Discard leaves it alone.
func (st *Staged) keep() { st.kept = true }

// Discard frees what the body holds and, unless it became part of an object,
// removes its bytes. It may be called more than once, and not within an operation.
func (st *Staged) Discard() {
	st.release()
	if st.dir == nil || st.s.enter() != nil {
		return // the next Open finds what is left
	}
	defer st.s.leave()
	st.unplace()
}

// discard is Discard within an operation.
func (st *Staged) discard() {
	st.release()
	st.unplace()
}

// release frees what is not placed.
func (st *Staged) release() {
	if st.file != nil {
		st.file.Close()
		st.file = nil
	}
	if st.tmp != "" {
		st.s.removeFile(st.tmp)
		st.tmp = ""
	}
	if st.buffer != nil {
		buffers.Put(st.buffer)
		st.buffer, st.inline = nil, nil
	}
}

// unplace removes the placed file, unless it became part of an object: the batch
// of a commit that failed may be in the database all the same.
func (st *Staged) unplace() {
	d := st.dir
	if d == nil {
		return
	}
	st.dir = nil
	if !st.kept {
		_, live, err := st.s.get(fileRow(spaceLive, st.body.File))
		if err == nil && !live {
			st.s.removeFile(st.s.filePath(st.body.File))
		}
	}
	st.s.settleDir(d)
}

func (s *Store) removeFile(name string) {
	if err := s.fs.Remove(name); err != nil && !notExist(err) {
		s.log.Warn("blob: remove file", "error", err)
	}
}

// hashes computes MD5 and the checksums asked for in one pass.
type hashes struct {
	md5  hash.Hash
	algo []checksum.Algorithm
	more []hash.Hash
}

func newHashes(algos []checksum.Algorithm) *hashes {
	h := &hashes{md5: md5.New(), algo: algos}
	for _, a := range algos {
		if a == checksum.MD5 {
			h.more = append(h.more, h.md5)
		} else {
			h.more = append(h.more, a.New())
		}
	}
	return h
}

func (h *hashes) Write(p []byte) {
	h.md5.Write(p)
	for i, m := range h.more {
		if h.algo[i] != checksum.MD5 {
			m.Write(p)
		}
	}
}

func (h *hashes) sums() map[checksum.Algorithm][]byte {
	if len(h.algo) == 0 {
		return nil
	}
	m := make(map[checksum.Algorithm][]byte, len(h.algo))
	for i, a := range h.algo {
		m[a] = h.more[i].Sum(nil)
	}
	return m
}
