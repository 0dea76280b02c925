package disk

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// scrap is what a committed batch left to remove: the files of one body.
type scrap struct {
	body  uint64
	files []fileRef
}

// dropBody adds to b the removal of a body's rows, and notes its files as
// garbage. The scrap is for reap, once b is durable.
func (s *Store) dropBody(b *pebble.Batch, body Body) (scrap, error) {
	sc := scrap{body: body.ID}
	switch body.Kind {
	case bodyInline:
		b.Delete(dataRow(body.ID), nil)
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
		if len(sc.files) > 0 && !s.pins.postpone(sc) {
			s.unlink(sc.files)
		}
	}
}

// unlink removes files and then forgets that they were garbage.
func (s *Store) unlink(files []fileRef) {
	b := s.db.NewBatch()
	for _, f := range files {
		if err := s.fs.Remove(s.filePath(f)); err != nil && !notExist(err) {
			s.log.Warn("blob: remove object file; will be tried again on restart", "error", err)
			continue
		}
		b.Delete(fileRow(spaceGarbage, f), nil)
		s.tidyDir(f.dir)
	}
	if err := s.apply(b, noSync); err != nil {
		s.log.Warn("blob: forget garbage", "error", err)
	}
}

// tidyDir removes a directory that no file will come into any more, if it is
// empty; if not, the file system refuses, and that is all right.
func (s *Store) tidyDir(no uint32) {
	if s.isOpen(no) {
		return
	}
	_ = s.fs.Remove(s.dirPath(no))
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
