package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"pressroom/internal/errs"
)

// A segment's file ends with a checksum of it, which nobody compares when the
// file is opened. The file that names the segments and what is deleted in them
// (root.bolt) has none for most of its pages. So a note beside each part holds
// the checksum of that file, as of one of its transactions. It is written when
// the file has come to rest, and when the part is closed.
//
// An index is checked when it is opened: the note at once, the segments in the
// background; the first search waits for that, and so do merges, which would give
// damage a checksum of its own. If the file has seen later
// transactions than the note, because a crash came before it was at rest, the note
// says nothing of it.

// rest is how long after a change the note is written.
const rest = 200 * time.Millisecond

// callback is the name under which scorch knows noteLater.
const callback = "pressroom"

func init() { scorch.RegistryEventCallbacks[callback] = noteLater } //nolint:gochecknoinits // scorch reads it unguarded

// settings are new each time: bleve writes to them.
func settings() map[string]any { return map[string]any{"eventCallbackName": callback} }

// noted are the parts that are open, by their *scorch.Scorch.
var noted sync.Map

// noteLater is told of everything that changes an index, and asked before a merge.
func noteLater(e scorch.Event) bool {
	n, ok := noted.Load(e.Scorch)
	switch e.Kind {
	case scorch.EventKindPersisterProgress, scorch.EventKindMergerProgress, scorch.EventKindPurgerCheck:
		if ok {
			n.(*note).later()
		}
	case scorch.EventKindPreMergeCheck:
		if !ok || !n.(*note).checked.Load() {
			time.Sleep(5 * time.Millisecond) // it asks again at once
			return false
		}
	}
	return true
}

// note is the file beside a part.
type note struct {
	part    string // its directory
	checked atomic.Bool

	mu     sync.Mutex
	timer  *time.Timer // nil if none is running
	closed bool
}

func (n *note) later() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.timer == nil && !n.closed {
		n.timer = time.AfterFunc(rest, func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			if n.timer = nil; !n.closed {
				_ = n.write() // without it, more is made again after a crash than need be
			}
		})
	}
}

// stop ends the notes; the last is of the closed part.
func (n *note) stop() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	if n.timer != nil {
		n.timer.Stop()
	}
	return n.write()
}

func (n *note) name() string { return n.part + ".sum" }

func (n *note) write() error {
	txn, sum, err := n.sum()
	if err != nil {
		return err
	}
	b := binary.BigEndian.AppendUint64(nil, txn)
	b = binary.BigEndian.AppendUint32(b, sum)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	temp := n.name() + ".new"
	if err := os.WriteFile(temp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, n.name())
}

// check compares the note, if there is one of the last transaction, with the part.
func (n *note) check() error {
	b, err := os.ReadFile(n.name())
	if errors.Is(err, fs.ErrNotExist) || err == nil && (len(b) != 16 || crc32.ChecksumIEEE(b[:12]) != binary.BigEndian.Uint32(b[12:])) {
		return nil
	}
	if err != nil {
		return err
	}
	txn, sum, err := n.sum()
	switch {
	case err != nil:
		return err
	case txn > binary.BigEndian.Uint64(b):
		return nil
	case sum != binary.BigEndian.Uint32(b[8:]):
		return fmt.Errorf("%s is not what was written", n.part)
	}
	return nil
}

// sum returns the last transaction of the part's root and a checksum of the files
// that are not segments.
func (n *note) sum() (txn uint64, sum uint32, err error) {
	root, err := os.ReadFile(filepath.Join(n.part, "store", "root.bolt"))
	if err != nil {
		return 0, 0, err
	}
	meta, err := os.ReadFile(filepath.Join(n.part, "index_meta.json"))
	if err != nil {
		return 0, 0, err
	}
	return lastTransaction(root), crc32.Update(crc32.ChecksumIEEE(root), crc32.IEEETable, meta), nil
}

// lastTransaction reads the two pages of a bolt file that are written in turns:
// behind 16 bytes that say what the page is, 8 numbers, of which the seventh is the
// transaction's and the last a checksum.
func lastTransaction(file []byte) (last uint64) {
	const head, body = 16, 56
	if len(file) < head+body+8 {
		return 0
	}
	size := int(binary.NativeEndian.Uint32(file[head+8:]))
	for _, at := range []int{0, size, os.Getpagesize()} {
		if at < 0 || at+head+body+8 > len(file) {
			continue
		}
		page := file[at+head:]
		h := fnv.New64a()
		h.Write(page[:body])
		if h.Sum64() == binary.NativeEndian.Uint64(page[body:]) {
			last = max(last, binary.NativeEndian.Uint64(page[body-8:]))
		}
	}
	return last
}

// verify compares every segment with its checksum and reports what differs.
func (g *generation) verify(ctx context.Context, report func(error)) error {
	if g.dir == "" {
		return nil
	}
	v := &view{}
	defer func() { _ = v.close() }()
	for _, p := range []*part{g.public, g.private} {
		if err := v.add(p); err != nil {
			return err
		}
	}
	for _, s := range v.segs {
		if err := ctx.Err(); err != nil {
			return err
		}
		file, ok := s.Segment.(segment.PersistedSegment)
		if !ok {
			continue // it is in memory yet
		}
		if err := checkSegment(file.Path()); err != nil {
			report(err)
		}
	}
	return nil
}

// checkSegment reads a segment's file, of which the last four bytes are the
// checksum of the others.
func checkSegment(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyN(sum, f, max(0, info.Size()-crc32.Size)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var want [crc32.Size]byte
	if _, err := io.ReadFull(f, want[:]); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if sum.Sum32() != binary.BigEndian.Uint32(want[:]) {
		return fmt.Errorf("%s is not what was written", path)
	}
	return nil
}

// verifyFirst checks the segments of an index that was there, for whoever is the
// first to search it.
func (x *Index) verifyFirst(ctx context.Context, g *generation) {
	defer close(x.checked)
	damage := func(err error) {
		x.log.Warn("the search index is damaged and is made again", "dir", x.dir, "err", err)
		g.damaged.Store(true)
	}
	if err := g.guarded(func() error { return g.verify(ctx, damage) }); err != nil && ctx.Err() == nil {
		damage(err)
	}
	g.allowMerges()
}

func (g *generation) allowMerges() {
	for _, p := range []*part{g.public, g.private} {
		if p.note != nil {
			p.note.checked.Store(true)
		}
	}
}

// guarded turns a panic out of a damaged file into an error.
func (g *generation) guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("search index: %v", p)
		}
	}()
	return do()
}

// Verify reads all of the index and reports what is damaged. An index that is in
// use can be verified; what it finds is made again.
func (x *Index) Verify(ctx context.Context, report func(error)) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return errs.New(errs.Unavailable, "The search index is closed.")
	}
	g := x.current
	return g.guarded(func() error {
		return g.verify(ctx, func(err error) {
			g.damaged.Store(true)
			report(err)
		})
	})
}

// VerifyDir reads an index that nobody has open and reports what is damaged. It
// changes nothing.
func VerifyDir(dir string, report func(error)) error {
	g, err := currentName(dir)
	if err != nil {
		report(err)
		return nil
	}
	if g == nil {
		return nil
	}
	for _, name := range []string{"public", "private"} {
		path := g.path(name)
		if _, err := os.Stat(path); err != nil {
			report(err)
			continue
		}
		if err := (&note{part: path}).check(); err != nil {
			report(err)
		}
		files, err := filepath.Glob(filepath.Join(path, "store", "*.zap"))
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := checkSegment(f); err != nil {
				report(err)
			}
		}
	}
	return nil
}
