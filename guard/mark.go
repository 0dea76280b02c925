package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Pebble takes a log or a manifest that is damaged near its end for one that a
// crash cut off, and forgets what follows, acknowledged or not. So the store
// notes beside them, after each sync and before it is answered, how far they
// are synced and a checksum up to there. The note is not synced itself: after
// the end of the process it is exact, after a loss of power it may be older,
// which only means that less is checked.
//
// The file has two halves, which are written in turns, so that one is always
// whole:
//
//	 0  8  magic
//	 8  8  number of this note; the half with the higher one counts
//	16  8  seed of the checksums: random, so that under encryption the
//	       difference of two notes, which are written in place, tells nothing
//	24  4  number of entries
//	28     entries: length of the name, name, bytes synced, their xxHash64
//	    8  xxHash64 of all before it
const (
	markName = "SYNCED"
	halfSize = 4096
	maxName  = 64
)

var markMagic = [8]byte{'P', 'R', 's', 'y', 'n', 'c', '1', '\n'}

// marked says whether a file is in the note: logs and manifests are.
func marked(name string) bool {
	return strings.HasSuffix(name, ".log") || strings.HasPrefix(name, "MANIFEST-")
}

// marks is the note of one opening. A nil *marks notes nothing.
type marks struct {
	mu      sync.Mutex
	file    vfs.File
	number  uint64
	seed    uint64
	entries map[string]mark
}

// mark is what one file has on disk for sure.
type mark struct {
	length int64
	sum    uint64
}

// tracked is a log or a manifest that is being written. A nil *tracked is
// another file.
type tracked struct {
	marks   *marks
	name    string
	log     bool
	written int64
	digest  *xxhash.Digest
}

func (t *tracked) wrote(p []byte) {
	if t != nil {
		_, _ = t.digest.Write(p)
		t.written += int64(len(p))
	}
}

// synced notes that all that was written is on disk.
func (t *tracked) synced() error {
	if t == nil {
		return nil
	}
	m := t.marks
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[t.name] = mark{t.written, t.digest.Sum64()}
	return m.write()
}

// begin notes a new file. It may have the name of one that was never used.
func (m *marks) begin(name string) (*tracked, error) {
	if m == nil || !marked(name) {
		return nil, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &tracked{marks: m, name: name, log: strings.HasSuffix(name, ".log"), digest: xxhash.NewWithSeed(m.seed)}
	if _, ok := m.entries[name]; !ok {
		return t, nil
	}
	delete(m.entries, name)
	return t, m.write()
}

// forget drops a file that is about to be removed. The note on disk follows
// with the next sync: that a file is missing is no damage.
func (m *marks) forget(name string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, name)
}

// write writes the note into the half that is its turn.
func (m *marks) write() error {
	m.number++
	half := encodeMarks(m.number, m.seed, m.entries)
	if _, err := m.file.WriteAt(half, int64(m.number%2)*halfSize); err != nil {
		return fmt.Errorf("note what is synced: %w", err)
	}
	return nil
}

func encodeMarks(number, seed uint64, entries map[string]mark) []byte {
	b := append(make([]byte, 0, 512), markMagic[:]...)
	b = binary.LittleEndian.AppendUint64(b, number)
	b = binary.LittleEndian.AppendUint64(b, seed)
	b = append(b, 0, 0, 0, 0)
	count := uint32(0)
	// The newest first: should they be too many, the oldest are left out.
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(entries))) {
		if len(b)+1+len(name)+16+8 > halfSize || len(name) > maxName {
			continue
		}
		b = append(b, byte(len(name)))
		b = append(b, name...)
		b = binary.LittleEndian.AppendUint64(b, uint64(entries[name].length))
		b = binary.LittleEndian.AppendUint64(b, entries[name].sum)
		count++
	}
	binary.LittleEndian.PutUint32(b[24:], count)
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
}

// decodeMarks reads one half; it returns false for one that is not whole.
func decodeMarks(b []byte) (number, seed uint64, entries map[string]mark, ok bool) {
	if len(b) < 28+8 || [8]byte(b[:8]) != markMagic {
		return 0, 0, nil, false
	}
	number, seed = binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	count, at := binary.LittleEndian.Uint32(b[24:]), 28
	entries = map[string]mark{}
	for range count {
		if at+1 > len(b) || at+1+int(b[at])+16+8 > len(b) {
			return 0, 0, nil, false
		}
		name := string(b[at+1 : at+1+int(b[at])])
		at += 1 + len(name)
		entries[name] = mark{int64(binary.LittleEndian.Uint64(b[at:])), binary.LittleEndian.Uint64(b[at+8:])}
		at += 16
	}
	return number, seed, entries, binary.LittleEndian.Uint64(b[at:]) == xxhash.Sum64(b[:at])
}

// readMarks returns the note in dir; ok is false if there is none, or none
// that is whole.
func readMarks(under vfs.FS, dir string) (number, seed uint64, entries map[string]mark, ok bool, err error) {
	f, err := under.Open(under.PathJoin(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil, false, nil
	}
	if err != nil {
		return 0, 0, nil, false, err
	}
	both := make([]byte, 2*halfSize)
	n, err := f.ReadAt(both, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, 0, nil, false, err
	}
	for _, half := range [][]byte{both[:min(n, halfSize)], both[min(n, halfSize):n]} {
		if num, sd, es, whole := decodeMarks(half); whole && (!ok || num > number) {
			number, seed, entries, ok = num, sd, es, true
		}
	}
	return number, seed, entries, ok, nil
}

// checkMarks compares the files of dir with the note and reports those that
// differ. A file that is not there is none that counts: it was removed since.
func checkMarks(under vfs.FS, dir string, seed uint64, entries map[string]mark, report func(file, what string)) error {
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		want := entries[name]
		got, err := sumOf(under, under.PathJoin(dir, name), seed, want.length)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			delete(entries, name)
		case err != nil:
			return err
		case got.length < want.length:
			report(name, fmt.Sprintf("has %d bytes where %d were synced", got.length, want.length))
		case got.sum != want.sum:
			report(name, fmt.Sprintf("is not what was written: the checksum of its first %d bytes is wrong", want.length))
		}
	}
	return nil
}

// sumOf reads up to length bytes of a file, all of it if negative.
func sumOf(under vfs.FS, name string, seed uint64, length int64) (mark, error) {
	f, err := under.Open(name, vfs.SequentialReadsOption)
	if err != nil {
		return mark{}, err
	}
	digest := xxhash.NewWithSeed(seed)
	var from io.Reader = f
	if length >= 0 {
		from = io.LimitReader(f, length)
	}
	n, err := io.Copy(digest, from)
	return mark{n, digest.Sum64()}, errors.Join(err, f.Close())
}

// openMarks checks dir by its note and begins the note of a new opening, which
// keeps what the old one says of files that are still there.
func openMarks(under vfs.FS, dir string) (*marks, error) {
	number, seed, entries, ok, err := readMarks(under, dir)
	if err != nil {
		return nil, err
	}
	if ok {
		if err := check(under, dir, seed, entries); err != nil {
			return nil, err
		}
	} else {
		seed, entries = rand.Uint64(), map[string]mark{}
	}
	return beginMarks(under, dir, number+number%2, seed, entries)
}

// check returns an error that names all files that are not what the note says.
func check(under vfs.FS, dir string, seed uint64, entries map[string]mark) error {
	var damage []error
	err := checkMarks(under, dir, seed, entries, func(file, what string) {
		damage = append(damage, fmt.Errorf("%w: %s %s", ErrDamaged, file, what))
	})
	return errors.Join(append(damage, err)...)
}

// beginMarks writes the note, in a new file that is as large as it will ever
// be, and under the current key if there is one.
func beginMarks(under vfs.FS, dir string, number, seed uint64, entries map[string]mark) (*marks, error) {
	temp, name := under.PathJoin(dir, markName+".tmp"), under.PathJoin(dir, markName)
	if err := makeMarks(under, temp, encodeMarks(number, seed, entries)); err != nil {
		return nil, err
	}
	if err := under.Rename(temp, name); err != nil {
		return nil, err
	}
	d, err := under.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return nil, err
	}
	f, err := under.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	return &marks{file: f, number: number, seed: seed, entries: entries}, nil
}

// makeMarks makes the file durably, with the first note in its first half.
func makeMarks(under vfs.FS, name string, note []byte) error {
	f, err := under.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	both := make([]byte, 2*halfSize)
	copy(both, note)
	_, err = f.Write(both)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// markAll makes the note of a directory whose files are final.
func markAll(under vfs.FS, dir string) error {
	names, err := under.List(dir)
	if err != nil {
		return err
	}
	seed, entries := rand.Uint64(), map[string]mark{}
	for _, name := range names {
		if marked(name) {
			if entries[name], err = sumOf(under, under.PathJoin(dir, name), seed, -1); err != nil {
				return err
			}
		}
	}
	m, err := beginMarks(under, dir, 0, seed, entries)
	if err != nil {
		return err
	}
	return m.close()
}

// close makes the note durable and closes it.
func (m *marks) close() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.write()
	if err == nil {
		err = m.file.Sync()
	}
	return errors.Join(err, m.file.Close())
}
