package guard

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// After a fault the directory is opened again at once, then after firstWait,
// and after twice as long each time up to lastWait. An opening that lasts for
// calm ends the series.
const (
	firstWait = 10 * time.Millisecond
	lastWait  = 10 * time.Second
	calm      = time.Minute
)

// watch opens the directory again whenever a fence has shut.
func (s *Store) watch() {
	defer close(s.done)
	wait, since := time.Duration(0), time.Now()
	for {
		select {
		case <-s.stop:
			return
		case <-s.kick:
		}
		if time.Since(since) > calm {
			wait = 0
		}
		for again := s.failed(); again; {
			if wait > 0 {
				s.reopen(true)
			}
			if !s.pause(wait) {
				return
			}
			wait = min(max(2*wait, firstWait), lastWait)
			again = !s.reopen(false)
		}
		since = time.Now()
	}
}

// failed reports whether the opening can no longer be written.
func (s *Store) failed() bool {
	s.gate.RLock()
	defer s.gate.RUnlock()
	return s.gen == nil || s.gen.readOnly || s.gen.fence.isShut()
}

// pause waits, and then until the disk has the reserve, if that can be told.
// In the meantime there is an opening that reads, unless that failed too.
func (s *Store) pause(wait time.Duration) bool {
	for {
		select {
		case <-s.stop:
			return false
		case <-time.After(wait):
		}
		s.gate.RLock()
		reads := s.gen != nil && s.gen.readOnly
		s.gate.RUnlock()
		if !reads || !errors.Is(s.Err(), ErrFull) || s.Room(0, true) == nil {
			return true
		}
		wait = min(max(2*wait, firstWait), time.Second)
	}
}

// reopen closes what is open and opens the directory, to read only if so
// asked, or if nothing else works. It reports whether the store can be written.
func (s *Store) reopen(readOnly bool) bool {
	if readOnly && !s.shutOff() {
		return false // it is open to read
	}
	s.leave.Store(true)
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return true // Close will find the opening as it is
	}
	s.o.Stop()
	s.leave.Store(false)
	if err := s.shut(); err != nil {
		s.o.Logger.Warn("close the store after a fault", slog.Any("err", err))
	}
	if !readOnly {
		err := s.open(false)
		if err == nil {
			s.o.Logger.Info("the store takes writes again")
			return true
		}
		refused := public(err)
		s.trouble.Store(&refused)
		s.o.Logger.Error("the store cannot be opened to write", slog.Any("err", err))
	}
	if err := s.open(true); err != nil {
		s.o.Logger.Error("the store cannot be opened to read", slog.Any("err", err))
	}
	return false
}

// shutOff reports whether nobody can read.
func (s *Store) shutOff() bool {
	s.gate.RLock()
	defer s.gate.RUnlock()
	return s.gen == nil || s.gen.fence.isShut()
}

// open makes an opening. The caller holds the gate, or is Open.
func (s *Store) open(readOnly bool) (err error) {
	g := &generation{readOnly: readOnly, over: make(chan struct{})}
	var m *marks
	if readOnly {
		err = s.checkMarks()
	} else {
		m, err = openMarks(s.o.FS, s.dir)
	}
	if err != nil {
		return err
	}
	g.fence = newFence(s, s.dir, m, func(err error) { s.faulted(g, err) })
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("open: %v", p)
		}
		if err == nil {
			return
		}
		if g.db != nil {
			g.fence.fail(err)
			s.o.Stop()
		}
		s.gen = nil
		err = errors.Join(err, g.close())
	}()
	o := s.options(g)
	fresh := !readOnly && s.fresh()
	if g.db, err = pebble.Open(s.dir, o); err != nil {
		return err
	}
	if fresh {
		// Pebble begins the first log of a directory in a format in which
		// damage looks like its end.
		if err := g.db.Flush(); err != nil {
			return err
		}
	}
	if err := g.fence.cause(); err != nil {
		return err
	}
	s.gen = g
	if err := s.o.Load(s, g.db, readOnly); err != nil || readOnly {
		return err
	}
	s.trouble.Store(nil)
	if err := g.fence.cause(); err != nil { // before trouble was cleared
		refused := public(err)
		s.trouble.Store(&refused)
		return err
	}
	return nil
}

func (s *Store) checkMarks() error {
	_, seed, entries, ok, err := readMarks(s.o.FS, s.dir)
	if err != nil || !ok {
		return err
	}
	return check(s.o.FS, s.dir, seed, entries)
}

// fresh reports whether the directory holds no store yet.
func (s *Store) fresh() bool {
	d, err := pebble.Peek(s.dir, s.o.FS)
	return err != nil || !d.Exists
}

// faulted is told when a generation's fence shuts.
func (s *Store) faulted(g *generation, err error) {
	refused := public(err)
	s.trouble.Store(&refused)
	s.o.Logger.Error("the disk failed; the store will be opened again", slog.Any("err", err))
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// shut closes the opening, if there is one.
func (s *Store) shut() error {
	g := s.gen
	s.gen = nil
	if g == nil {
		return nil
	}
	defer close(g.over)
	return g.close()
}

func (g *generation) close() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("close: %v", p)
		}
	}()
	if g.stuck.Load() {
		return errors.New("the store stopped within a commit, its directory stays locked until the program ends")
	}
	if g.db != nil {
		if err = g.db.Close(); g.fence.isShut() {
			err = nil // nothing that it says is about the disk
		}
	}
	if g.fence.isShut() && g.fence.marks != nil {
		return errors.Join(err, g.fence.marks.file.Close())
	}
	return errors.Join(err, g.fence.marks.close())
}

// options are the caller's, with what the store needs.
func (s *Store) options(g *generation) *pebble.Options {
	o := s.o.Pebble()
	o.FS, o.Lock, o.ReadOnly = g.fence, s.lock, g.readOnly
	o.Logger = pebbleLog{s.o.Logger, g}
	o.EventListener = &pebble.EventListener{
		BackgroundError: func(err error) { s.background(g, err) },
		// By default Pebble ends the process. The reader gets an error.
		DataCorruption: func(i pebble.DataCorruptionInfo) {
			s.damages.Add(1)
			s.o.Logger.Error("a file of the store is damaged; make a check", slog.String("file", i.Path), slog.String("err", fmt.Sprint(i.Details)))
		},
	}
	return o
}

// background is told of flushes and compactions that failed, other than by a
// write: the fence hides those.
func (s *Store) background(g *generation, err error) {
	if g.fence.isShut() {
		return
	}
	s.o.Logger.Error("background work of the store", slog.String("err", fmt.Sprint(err)))
	if vfs.IsNoSpaceError(err) {
		g.fence.fail(err)
	}
}

// pebbleLog hands Pebble's messages to slog, its routine ones at debug level.
type pebbleLog struct {
	log *slog.Logger
	g   *generation
}

func (l pebbleLog) Infof(format string, args ...any) {
	l.log.Debug(fmt.Sprintf(format, args...))
}

func (l pebbleLog) Errorf(format string, args ...any) {
	l.log.Error("storage", slog.String("message", fmt.Sprintf(format, args...)))
}

// Fatalf is called when Pebble cannot go on for a reason that is not a write.
// It must not return: a commit is ended by a panic, which Apply catches, and
// background work is left standing where it is.
func (l pebbleLog) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	l.g.stuck.Store(true)
	l.g.fence.fail(err)
	if caught() {
		panic(err)
	}
	select {}
}

// caught reports whether a panic of the caller ends in Apply or in open.
func caught() bool {
	pcs := make([]uintptr, 128)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "guard.(*Store).Apply") || strings.HasSuffix(f.Function, "guard.(*Store).open") {
			return true
		}
		if !more {
			return false
		}
	}
}
