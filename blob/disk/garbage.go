package disk

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// scrap is what a committed batch left to remove: the files of one body, or the
// bytes of a row.
type scrap struct {
	body  uint64
	files []fileRef
	row   int64
}

// dropBody adds to b the removal of a body's rows, and notes its files as
// garbage. The scrap is for reap, once b is durable.
func (s *Store) dropBody(b *pebble.Batch, body Body) (scrap, error) {
	sc := scrap{body: body.ID}
	switch body.Kind {
	case bodyInline:
		b.Delete(dataRow(body.ID), nil)
		sc.row = body.Stored
	case bodyFile:
		sc.files = append(sc.files, body.File)
	case bodySegments:
		prefix := segmentRows(body.ID)
		err := s.rows(prefix, func(_, value []byte) error {
			part, err := decodeObject(value)
			if err == nil && part.body.Kind == bodyFile {
				sc.files = append(sc.files, part.body.File)
			}
			return err
		})
		if err != nil {
			return sc, err
		}
		b.DeleteRange(prefix, successor(prefix), nil)
	}
	for _, f := range sc.files {
		b.Delete(fileRow(spaceLive, f), nil)
		b.Set(fileRow(spaceGarbage, f), nil, nil)
	}
	return sc, nil
}

// dropObject is dropBody for both bodies that a version can have.
func (s *Store) dropObject(b *pebble.Batch, o *Object) ([]scrap, error) {
	var out []scrap
	for _, body := range []Body{o.body, o.hot} {
		if body.Kind == bodyEmpty {
			continue
		}
		sc, err := s.dropBody(b, body)
		if err != nil {
			return nil, err
		}
		out = append(out, sc)
	}
	return out, nil
}

// reap removes the files of bodies that a durable batch dropped. Files that
// are being read go when their last reader does.
func (s *Store) reap(scraps []scrap) {
	for _, sc := range scraps {
		s.dead.note(sc.body, sc.row)
		if len(sc.files) > 0 && !s.pins.postpone(sc) {
			s.unlink(sc.files)
		}
	}
}

// unlink removes files. That they were garbage is only forgotten in bulk: the
// removal must be durable first, which takes a sync of their directories.
func (s *Store) unlink(files []fileRef) {
	if len(files) == 0 || s.kept.postpone(files) {
		return
	}
	var gone []fileRef
	for _, f := range files {
		if err := s.fs.Remove(s.filePath(f)); err != nil && !notExist(err) {
			s.log.Warn("blob: remove object file; will be tried again on restart", "error", err)
			continue
		}
		gone = append(gone, f)
	}
	if gone = s.litter.add(gone, s.opt.maxLitter); gone != nil {
		s.forget(gone)
	}
}

// litter are files that were removed and still have a garbage row.
type litter struct {
	mu    sync.Mutex
	files []fileRef
}

// maxLitter bounds what Open has to look at for nothing.
const maxLitter = 512

// add notes files; when they are many it returns all, to be forgotten.
func (l *litter) add(files []fileRef, limit int) []fileRef {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = append(l.files, files...)
	if len(l.files) < limit {
		return nil
	}
	return l.takeLocked()
}

func (l *litter) take() []fileRef {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.takeLocked()
}

func (l *litter) takeLocked() []fileRef {
	all := l.files
	l.files = nil
	return all
}

// forget makes the removal of files durable and drops their garbage rows.
func (s *Store) forget(files []fileRef) {
	synced := make(map[uint32]error)
	b := s.db.NewBatch()
	for _, f := range files {
		err, ok := synced[f.dir]
		if !ok {
			err = s.settleRemovals(f.dir)
			synced[f.dir] = err
		}
		if err == nil {
			b.Delete(fileRow(spaceGarbage, f), nil)
		}
	}
	if err := s.apply(b, noSync, true); err != nil {
		s.log.Warn("blob: forget garbage", "error", err)
	}
}

// settleRemovals syncs a directory, and removes it if no file will come into
// it any more and it is empty; if it is not, the file system refuses, and that
// is all right.
func (s *Store) settleRemovals(no uint32) error {
	if err := syncDir(s.fs, s.dirPath(no)); err != nil {
		if notExist(err) {
			return nil
		}
		s.log.Warn("blob: sync directory", "error", err)
		return err
	}
	if !s.isOpen(no) {
		_ = s.fs.Remove(s.dirPath(no))
	}
	return nil
}

// pins counts the readers of each body.
type pins struct {
	mu sync.Mutex
	m  map[uint64]*pin
}

type pin struct {
	readers int
	scraps  []scrap // to be removed when readers is 0
}

func (p *pins) add(body uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.m == nil {
		p.m = make(map[uint64]*pin)
	}
	if p.m[body] == nil {
		p.m[body] = new(pin)
	}
	p.m[body].readers++
}

// postpone keeps sc for the last reader of its body, if there is one.
func (p *pins) postpone(sc scrap) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.m[sc.body]; e != nil {
		e.scraps = append(e.scraps, sc)
		return true
	}
	return false
}

// release ends a reader's hold and returns what it was the last to hold.
func (p *pins) release(body uint64) []scrap {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.m[body]
	if e.readers--; e.readers > 0 {
		return nil
	}
	delete(p.m, body)
	return e.scraps
}

// dead are the bodies in rows that were deleted: the database has their bytes on
// disk until it is told to leave them out.
type dead struct {
	mu          sync.Mutex
	bytes       int64
	first, last uint64
}

func (d *dead) note(body uint64, bytes int64) {
	if bytes == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bytes == 0 {
		d.first, d.last = math.MaxUint64, 0
	}
	d.bytes += bytes
	d.first, d.last = min(d.first, body), max(d.last, body)
}

// take returns which rows are worth the work in a database of so many bytes, if
// any are.
func (d *dead) take(total int64) (first, last uint64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bytes < minDead || d.bytes < total/8 {
		return 0, 0, false
	}
	d.bytes = 0
	return d.first, d.last, true
}

const minDead = 1 << 20

// Reclaim gives the disk back what deleted objects took in the database. It does
// nothing as long as that is little, absolutely or beside what is there. Others
// read and write meanwhile.
func (s *Store) Reclaim(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	first, last, ok := s.dead.take(int64(s.db.Metrics().DiskSpaceUsage()))
	if !ok || s.Healthy() != nil {
		return nil
	}
	// Out of the log first, which is then removed.
	if err := s.db.Flush(); err != nil {
		return fmt.Errorf("reclaim: %w", err)
	}
	if err := s.db.Compact(ctx, dataRow(first), append(dataRow(last), 0), false); err != nil {
		return fmt.Errorf("reclaim: %w", err)
	}
	return nil
}
