package guardtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pressroom/atrest"
)

// Disk fails the call to the file system whose turn it is: that one alone or,
// as a full disk does, all that write from it on, until mended.
type Disk struct {
	err   error // EIO, or ENOSPC for a full disk; nil for none
	at    int64 // the call whose turn it is
	end   time.Time
	calls atomic.Int64
	full  atomic.Bool
	met   atomic.Pointer[string]
}

func newDisk(err error, at int64) *Disk {
	return &Disk{err: err, at: at, end: time.Now().Add(2 * time.Minute)}
}

// Wrap returns the file system as the disk lets it be seen.
func (d *Disk) Wrap(fs vfs.FS) vfs.FS { return errorfs.Wrap(fs, errorfs.InjectorFunc(d.inject)) }

func (d *Disk) inject(op errorfs.Op) error {
	writes := op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose && op.Kind != errorfs.OpRemove
	if d.calls.Add(1) == d.at {
		what := fmt.Sprint(op)
		d.met.Store(&what)
		if d.Passing() {
			return d.err
		}
		d.full.Store(true)
	}
	if d.full.Load() && writes {
		return d.err
	}
	return nil
}

// Calls is how many there have been.
func (d *Disk) Calls() int64 { return d.calls.Load() }

// Met reports whether the call whose turn it was has failed.
func (d *Disk) Met() bool { return d.met.Load() != nil }

// Full reports whether all writes fail.
func (d *Disk) Full() bool { return d.full.Load() }

// Passing reports whether the fault is of one call alone: what met it may work
// when tried again.
func (d *Disk) Passing() bool { return !errors.Is(d.err, syscall.ENOSPC) }

// Mend ends a full disk.
func (d *Disk) Mend() { d.full.Store(false) }

// Until does op until it works. Each of its errors is shown to refused; then the
// disk is mended. An error without a fault ends the test, and so does one that
// stays.
func (d *Disk) Until(t *testing.T, what string, op func() error, refused func(error)) {
	t.Helper()
	for {
		err := op()
		switch {
		case err == nil:
			return
		case !d.Met():
			t.Fatalf("%s without a fault: %v", what, err)
		}
		refused(err)
		if time.Now().After(d.end) {
			t.Fatalf("%s still fails: %v", what, err)
		}
		d.Mend()
		time.Sleep(time.Millisecond)
	}
}

// EveryFault runs the script without a fault, to count its calls to the file
// system, and then once for each of about sample calls that fails, with an error
// and with a full disk. The script opens its store with the keys, which may be
// nil, on a file system that the disk wraps.
func EveryFault(t *testing.T, sample int, script func(t *testing.T, d *Disk, keys *atrest.Keys)) {
	for _, keys := range []*atrest.Keys{nil, Keys(t)} {
		sound := newDisk(nil, 0)
		script(t, sound, keys)
		calls, stride := sound.Calls(), int64(1)
		if !*everyFault {
			stride = max(1, calls/int64(sample))
		}
		runs, met := 0, 0
		for _, fault := range []error{syscall.EIO, syscall.ENOSPC} {
			for at := 1 + rand.Int64N(stride); at <= calls; at += stride {
				runs++
				if runFault(t, newDisk(fault, at), calls, keys, script) {
					met++
				}
			}
		}
		t.Logf("encrypted %t: %d calls to the file system; %d runs, %d met their fault", keys != nil, calls, runs, met)
	}
}

// runFault runs the script and reports whether it met its fault. If it fails, the
// test ends with the call that it failed at.
func runFault(t *testing.T, d *Disk, calls int64, keys *atrest.Keys, script func(*testing.T, *Disk, *atrest.Keys)) bool {
	defer func() {
		if t.Failed() {
			what := "not met"
			if met := d.met.Load(); met != nil {
				what = *met
			}
			t.Fatalf("encrypted %t, call %d of %d, %v: %s", keys != nil, d.at, calls, d.err, what)
		}
	}()
	script(t, d, keys)
	return d.Met()
}
