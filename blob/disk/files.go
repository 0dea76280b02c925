package disk

import (
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A fileRef names a file of ours: data/<dir>/<id>. Names are numbers that the
// store chose, so no key can name a file.
type fileRef struct {
	dir uint32
	id  uint64
}

func (s *Store) dirPath(no uint32) string { return s.path("data", fmt.Sprintf("%08x", no)) }

func (s *Store) filePath(f fileRef) string {
	return s.fs.PathJoin(s.dirPath(f.dir), fmt.Sprintf("%016x", f.id))
}

func (s *Store) tmpPath(id uint64) string { return s.path("tmp", fmt.Sprintf("%016x", id)) }

// filesPerDir bounds a directory, and with it what Open looks through after a
// crash.
const filesPerDir = 4096

// dirs fills one directory after another. While a directory may hold files
// whose batch was not committed, it has a row in spaceOpenDir; Open looks for
// files without owner there and nowhere else.
type dirs struct {
	mu      sync.Mutex
	current *dataDir
	open    map[uint32]*dataDir // current, and full ones with pending files
	last    uint32              // the highest number in use
}

type dataDir struct {
	no      uint32
	handle  vfs.File // for syncing
	files   int      // ever put here
	pending int      // put here, and their batch is not settled
	full    bool
	syncs   sharedSync
}

// take returns the directory for one more file, which must be settled.
func (s *Store) takeDir() (*dataDir, error) {
	ds := &s.dirs
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.current == nil {
		d, err := s.newDir(ds.last + 1)
		if err != nil {
			return nil, err
		}
		ds.setCurrent(d)
	}
	d := ds.current
	d.files++
	d.pending++
	if d.files >= s.opt.filesPerDir {
		d.full = true
		ds.current = nil
	}
	return d, nil
}

// reset forgets all, while no operation is under way. What is settled later has
// been settled by then.
func (ds *dirs) reset() {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for _, d := range ds.open {
		d.handle.Close()
	}
	ds.open, ds.current = nil, nil
}

func (ds *dirs) setCurrent(d *dataDir) {
	if ds.open == nil {
		ds.open = make(map[uint32]*dataDir)
	}
	ds.open[d.no] = d
	ds.current, ds.last = d, d.no
}

func (s *Store) newDir(no uint32) (*dataDir, error) {
	b := s.db.NewBatch()
	b.Set(dirRow(no), nil, nil)
	if err := s.commit(b); err != nil {
		return nil, err
	}
	if err := s.fs.MkdirAll(s.dirPath(no), 0o700); err != nil {
		return nil, diskError("make directory", err)
	}
	if err := syncDir(s.fs, s.path("data")); err != nil {
		return nil, diskError("make directory", err)
	}
	h, err := s.fs.OpenDir(s.dirPath(no))
	if err != nil {
		return nil, diskError("open directory", err)
	}
	return &dataDir{no: no, handle: h}, nil
}

// settleDir says that the batch of a file in d was committed, or that the
// file was removed. A full directory without pending files is done with.
func (s *Store) settleDir(d *dataDir) {
	s.dirs.mu.Lock()
	d.pending--
	done := d.full && d.pending == 0 && s.dirs.open[d.no] == d
	if done {
		delete(s.dirs.open, d.no)
	}
	s.dirs.mu.Unlock()
	if !done {
		return
	}
	d.handle.Close()
	b := s.db.NewBatch()
	b.Delete(dirRow(d.no), nil)
	// Without sync: if it is lost, the next Open looks once more.
	if err := s.apply(b, noSync, true); err != nil {
		s.log.Warn("blob: forget open directory", "error", err)
	}
}

// isOpen reports whether files may still come into the directory, or have
// come whose batch is not settled.
func (s *Store) isOpen(no uint32) bool {
	s.dirs.mu.Lock()
	defer s.dirs.mu.Unlock()
	_, open := s.dirs.open[no]
	return open
}

func syncDir(fs vfs.FS, dir string) error {
	f, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// sharedSync lets many callers share few syncs of one file: all who ask while
// a sync is under way are served by the next one.
type sharedSync struct {
	mu      sync.Mutex
	running bool
	next    *syncCall
}

type syncCall struct {
	done chan struct{}
	err  error
}

// do returns once a sync that began after the call has ended.
func (g *sharedSync) do(sync func() error) error {
	g.mu.Lock()
	if g.next == nil {
		g.next = &syncCall{done: make(chan struct{})}
	}
	call := g.next
	if !g.running {
		g.running = true
		go g.run(sync)
	}
	g.mu.Unlock()
	<-call.done
	return call.err
}

func (g *sharedSync) run(sync func() error) {
	g.mu.Lock()
	for g.next != nil {
		c := g.next
		g.next = nil
		g.mu.Unlock()
		c.err = sync()
		close(c.done)
		g.mu.Lock()
	}
	g.running = false
	g.mu.Unlock()
}
