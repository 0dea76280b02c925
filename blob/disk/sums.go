package disk

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob/fault"
)

// A file of ours ends with the checksums of its bytes, one CRC-32C for each
// block, so that a reader of any range checks what it hands out. Files that
// were written before there were such have none, and are compared with the MD5
// in their ETag before the first of their bytes is handed out.
const (
	blockSize = 64 << 10
	sumSize   = crc32.Size
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// tailSize is how many bytes the checksums of stored bytes take.
func tailSize(stored int64) int64 { return (stored + blockSize - 1) / blockSize * sumSize }

// blockSums computes checksums of what is written to it.
type blockSums struct {
	sums []byte
	crc  uint32
	n    int // bytes in the block that has begun
}

func (s *blockSums) Write(p []byte) (int, error) {
	total := len(p)
	for len(p) > 0 {
		part := p[:min(len(p), blockSize-s.n)]
		s.crc = crc32.Update(s.crc, castagnoli, part)
		if s.n += len(part); s.n == blockSize {
			s.end()
		}
		p = p[len(part):]
	}
	return total, nil
}

func (s *blockSums) end() {
	if s.n > 0 {
		s.sums = binary.BigEndian.AppendUint32(s.sums, s.crc)
		s.crc, s.n = 0, 0
	}
}

// tail returns the checksums of all that was written.
func (s *blockSums) tail() []byte {
	s.end()
	return s.sums
}

// blockReader reads a segment's stored bytes from an offset on and checks them
// block by block.
type blockReader struct {
	s    *Store
	file io.ReaderAt
	seg  *segment

	off    int64
	window []byte // checksums, from block first on
	first  int64
	mended bool   // the window was made from bytes that are known to be right
	block  []byte // of the bytes from off on, those that are checked
	buf    []byte
}

// checked returns the stored bytes of a segment from skip on.
func (s *Store) checked(f vfs.File, seg *segment, skip int64) (*blockReader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open object: %w", err)
	}
	r := &blockReader{s: s, file: f, seg: seg, off: skip}
	stored := seg.body.Stored
	switch size := info.Size(); {
	case size < stored:
		return nil, s.damaged(seg, fmt.Errorf("it has %d bytes instead of %d", size, stored))
	case size != stored+tailSize(stored):
		err = r.recount(false)
	}
	return r, err
}

func (r *blockReader) Read(p []byte) (int, error) {
	if len(r.block) == 0 {
		left := r.seg.body.Stored - r.off
		if left <= 0 {
			return 0, io.EOF
		}
		// Whole blocks go straight to the caller.
		into := int64(len(p)) - int64(len(p))%blockSize
		if int64(len(p)) >= left {
			into = left
		}
		if r.off%blockSize == 0 && into > 0 {
			err := r.fill(p[:into], r.off)
			if err != nil {
				return 0, err
			}
			r.off += into
			return int(into), nil
		}
		if r.buf == nil {
			r.buf = make([]byte, blockSize)
		}
		start := r.off - r.off%blockSize
		b := r.buf[:min(blockSize, r.seg.body.Stored-start)]
		if err := r.fill(b, start); err != nil {
			return 0, err
		}
		r.block = b[r.off-start:]
	}
	n := copy(p, r.block)
	r.block = r.block[n:]
	r.off += int64(n)
	return n, nil
}

// fill reads whole blocks from off on, where one begins, and checks them.
func (r *blockReader) fill(p []byte, off int64) error {
	if _, err := r.file.ReadAt(p, off); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read object: %w", err)
	}
	for len(p) > 0 {
		b := p[:min(len(p), blockSize)]
		want, err := r.sum(off / blockSize)
		if err != nil {
			return err
		}
		if crc32.Checksum(b, castagnoli) != want {
			return r.differs(p, off)
		}
		p, off = p[len(b):], off+int64(len(b))
	}
	return nil
}

// differs is fill where a block and its checksum do not fit: the checksum may be
// what is damaged.
func (r *blockReader) differs(p []byte, off int64) error {
	if r.mended {
		return r.s.damaged(r.seg, fmt.Errorf("its bytes from %d on are not those that were written", off))
	}
	if err := r.recount(true); err != nil {
		return err
	}
	return r.fill(p, off)
}

// windowSize is how many checksums are read at once: those of 64 MiB.
const windowSize = 1 << 10

// sum returns the checksum of a block.
func (r *blockReader) sum(block int64) (uint32, error) {
	at := (block - r.first) * sumSize
	if at < 0 || at >= int64(len(r.window)) {
		n := min(windowSize*sumSize, tailSize(r.seg.body.Stored)-block*sumSize)
		r.window, r.first, at = make([]byte, n), block, 0
		if _, err := r.file.ReadAt(r.window, r.seg.body.Stored+block*sumSize); err != nil && !errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("read object: %w", err)
		}
	}
	return binary.BigEndian.Uint32(r.window[at:]), nil
}

// recount makes the checksums of a file that has none, or whose own do not fit:
// its content is compared with its MD5 as a whole. If nothing says what that
// was, a file without checksums is taken as it is.
func (r *blockReader) recount(differ bool) error {
	sums, known := r.s.counted.get(r.seg.body.ID)
	if !known {
		whole, err := wholeOf(r.file, r.seg)
		if err != nil {
			return r.s.damaged(r.seg, err)
		}
		isMD5 := len(r.seg.etag) == hex.EncodedLen(md5.Size)
		if isMD5 && !strings.EqualFold(r.seg.etag, hex.EncodeToString(whole.md5.Sum(nil))) || !isMD5 && differ {
			return r.s.damaged(r.seg, errors.New("its bytes are not those that were written"))
		}
		sums = whole.tail()
		r.s.counted.put(r.seg.body.ID, sums)
	}
	r.window, r.first, r.mended = sums, 0, true
	return nil
}

// whole is what a file's bytes come to.
type whole struct {
	blockSums
	md5 hash.Hash // of the content, which may be stored compressed
}

func wholeOf(file io.ReaderAt, seg *segment) (*whole, error) {
	w := &whole{md5: md5.New()}
	stored := io.TeeReader(io.NewSectionReader(file, 0, seg.body.Stored), &w.blockSums)
	content := stored
	if seg.body.Cold {
		dec, err := decompressor(stored)
		if err != nil {
			return nil, err
		}
		defer dec.Close()
		content = dec
	}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	n, err := io.CopyBuffer(struct{ io.Writer }{w.md5}, struct{ io.Reader }{content}, *buf)
	if err == nil && n != seg.size {
		err = fmt.Errorf("it holds %d bytes instead of %d", n, seg.size)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, stored)
	}
	return w, err
}

// counted keeps the checksums that recount made, by body.
type counted struct {
	mu   sync.Mutex
	m    map[uint64][]byte
	size int
}

// maxCounted bounds their memory; it is enough for 64 GiB of objects.
const maxCounted = 4 << 20

func (c *counted) get(body uint64) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sums, ok := c.m[body]
	return sums, ok
}

func (c *counted) put(body uint64, sums []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(sums); c.m == nil || c.size > maxCounted {
		c.m, c.size = make(map[uint64][]byte), len(sums)
	}
	c.m[body] = sums
}

// damaged counts a file's damage and says it to whoever reads.
func (s *Store) damaged(seg *segment, what error) error {
	s.damages.Add(1)
	return fault.ObjectDamaged.Because(fmt.Errorf("file %s: %w", s.filePath(seg.body.File), what))
}

// Damages returns a number that grows whenever a read or background work meets a
// damaged object or record. It starts at 0 with each Open.
func (s *Store) Damages() int64 { return s.damages.Load() + s.meta.Damages() }
