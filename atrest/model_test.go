package atrest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"
)

// model runs the same operations on an encrypted file system and on a plain
// one, and compares all that a caller can see.
type model struct {
	under         vfs.FS // below the encrypted one
	sealed, plain vfs.FS
	sDir, pDir    string // where each of the two is
	open          []openPair
	nkeys         byte
}

type openPair struct {
	name          string
	sealed, plain vfs.File
	canWrite      bool
}

var modelNames = []string{"db/a", "db/b", "db/sub/a", "elsewhere"}

func (m *model) start(t *rapid.T) {
	m.Rotate(t)
	if err := m.sealed.MkdirAll(m.s("db/sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := m.plain.MkdirAll(m.p("db/sub"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func (m *model) s(name string) string { return m.under.PathJoin(m.sDir, name) }
func (m *model) p(name string) string { return m.plain.PathJoin(m.pDir, name) }

func drawName(t *rapid.T) string { return rapid.SampledFrom(modelNames).Draw(t, "name") }

func drawBytes(t *rapid.T) []byte {
	n := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(1, 200_000)).Draw(t, "length")
	b := make([]byte, n)
	seed := rapid.Byte().Draw(t, "seed")
	for i := range b {
		b[i] = seed + byte(i*i>>3)
	}
	return b
}

func (m *model) same(t *rapid.T, what string, sealed, plain any) {
	t.Helper()
	if s, p := fmt.Sprint(sealed), fmt.Sprint(plain); s != p {
		t.Fatalf("%s: encrypted %.200s, plain %.200s", what, s, p)
	}
}

// sameErr compares whether there was an error, and returns true if not.
func (m *model) sameErr(t *rapid.T, what string, sealed, plain error) bool {
	t.Helper()
	if (sealed == nil) != (plain == nil) {
		t.Fatalf("%s: encrypted error %v, plain error %v", what, sealed, plain)
	}
	return sealed == nil
}

func (m *model) add(t *rapid.T, what, name string, canWrite bool, s vfs.File, sErr error, p vfs.File, pErr error) {
	t.Helper()
	if m.sameErr(t, what+" "+name, sErr, pErr) {
		m.open = append(m.open, openPair{name, s, p, canWrite})
	}
}

func (m *model) Create(t *rapid.T) {
	name := drawName(t)
	s, sErr := m.sealed.Create(m.s(name), "")
	p, pErr := m.plain.Create(m.p(name), "")
	m.add(t, "create", name, true, s, sErr, p, pErr)
}

func (m *model) Open(t *rapid.T) {
	name := drawName(t)
	s, sErr := m.sealed.Open(m.s(name), vfs.RandomReadsOption)
	p, pErr := m.plain.Open(m.p(name), vfs.RandomReadsOption)
	m.add(t, "open", name, false, s, sErr, p, pErr)
}

func (m *model) OpenReadWrite(t *rapid.T) {
	name := drawName(t)
	s, sErr := m.sealed.OpenReadWrite(m.s(name), "", vfs.SequentialReadsOption)
	p, pErr := m.plain.OpenReadWrite(m.p(name), "", vfs.SequentialReadsOption)
	m.add(t, "open read-write", name, true, s, sErr, p, pErr)
}

// ReuseForWrite may keep the old file or make a new one, by its contract;
// the model makes a new one.
func (m *model) ReuseForWrite(t *rapid.T) {
	from, to := drawName(t), drawName(t)
	s, sErr := m.sealed.ReuseForWrite(m.s(from), m.s(to), "")
	pErr := m.plain.Remove(m.p(from))
	var p vfs.File
	if pErr == nil {
		p, pErr = m.plain.Create(m.p(to), "")
	}
	m.add(t, "reuse", from+" as "+to, true, s, sErr, p, pErr)
}

func (m *model) draw(t *rapid.T, canWrite bool) *openPair {
	var fit []*openPair
	for i := range m.open {
		if !canWrite || m.open[i].canWrite {
			fit = append(fit, &m.open[i])
		}
	}
	if len(fit) == 0 {
		t.Skip("no open file")
	}
	return rapid.SampledFrom(fit).Draw(t, "file")
}

func (m *model) Write(t *rapid.T) {
	f, b := m.draw(t, true), drawBytes(t)
	given := bytes.Clone(b)
	sn, sErr := f.sealed.Write(given)
	if !bytes.Equal(given, b) {
		t.Fatal("Write changed the caller's bytes")
	}
	pn, pErr := f.plain.Write(b)
	m.sameErr(t, "write", sErr, pErr)
	m.same(t, "written", sn, pn)
}

func (m *model) WriteAt(t *rapid.T) {
	f, b := m.draw(t, true), drawBytes(t)
	off := rapid.Int64Range(0, 100_000).Draw(t, "offset")
	sn, sErr := f.sealed.WriteAt(bytes.Clone(b), off)
	pn, pErr := f.plain.WriteAt(b, off)
	m.sameErr(t, "write at", sErr, pErr)
	m.same(t, "written at", sn, pn)
}

func (m *model) Read(t *rapid.T) {
	f := m.draw(t, false)
	n := rapid.IntRange(1, 100_000).Draw(t, "n")
	sb, pb := make([]byte, n), make([]byte, n)
	sn, sErr := f.sealed.Read(sb)
	pn, pErr := f.plain.Read(pb)
	m.same(t, "read", fmt.Sprint(sn, sErr), fmt.Sprint(pn, pErr))
	if !bytes.Equal(sb[:sn], pb[:pn]) {
		t.Fatalf("read of %s differs", f.name)
	}
}

func (m *model) ReadAt(t *rapid.T) {
	f := m.draw(t, false)
	n := rapid.IntRange(1, 5_000).Draw(t, "n")
	off := rapid.Int64Range(0, 200_000).Draw(t, "offset")
	sb, pb := make([]byte, n), make([]byte, n)
	sn, sErr := f.sealed.ReadAt(sb, off)
	pn, pErr := f.plain.ReadAt(pb, off)
	m.same(t, "read at", fmt.Sprint(sn, sErr), fmt.Sprint(pn, pErr))
	if !bytes.Equal(sb[:sn], pb[:pn]) {
		t.Fatalf("read of %s at %d differs", f.name, off)
	}
}

func (m *model) Sync(t *rapid.T) {
	f := m.draw(t, false)
	for _, do := range []func(vfs.File) error{
		vfs.File.Sync,
		vfs.File.SyncData,
		func(f vfs.File) error { _, err := f.SyncTo(10); return err },
		func(f vfs.File) error { return f.Preallocate(0, 100) },
		func(f vfs.File) error { return f.Prefetch(0, 100) },
	} {
		m.sameErr(t, "sync", do(f.sealed), do(f.plain))
	}
}

func (m *model) Close(t *rapid.T) {
	if len(m.open) == 0 {
		t.Skip("no open file")
	}
	i := rapid.IntRange(0, len(m.open)-1).Draw(t, "i")
	m.sameErr(t, "close", m.open[i].sealed.Close(), m.open[i].plain.Close())
	m.open = slices.Delete(m.open, i, i+1)
}

func (m *model) Rename(t *rapid.T) {
	from, to := drawName(t), drawName(t)
	m.sameErr(t, "rename", m.sealed.Rename(m.s(from), m.s(to)), m.plain.Rename(m.p(from), m.p(to)))
}

func (m *model) Link(t *rapid.T) {
	from, to := drawName(t), drawName(t)
	m.sameErr(t, "link", m.sealed.Link(m.s(from), m.s(to)), m.plain.Link(m.p(from), m.p(to)))
}

func (m *model) Remove(t *rapid.T) {
	name := drawName(t)
	m.sameErr(t, "remove", m.sealed.Remove(m.s(name)), m.plain.Remove(m.p(name)))
}

func (m *model) RemoveAll(t *rapid.T) {
	m.sameErr(t, "remove all", m.sealed.RemoveAll(m.s("db/sub")), m.plain.RemoveAll(m.p("db/sub")))
	m.sameErr(t, "mkdir", m.sealed.MkdirAll(m.s("db/sub"), 0o755), m.plain.MkdirAll(m.p("db/sub"), 0o755))
}

// Rotate opens the encrypted file system anew, with one more key, as a
// restart with a longer key file would.
func (m *model) Rotate(t *rapid.T) {
	m.nkeys++
	var keys [][]byte
	for n := m.nkeys; n > 0; n-- {
		keys = append(keys, testKey(n))
	}
	ks, err := NewKeys(keys...)
	if err != nil {
		t.Fatal(err)
	}
	if m.sealed, err = Open(m.under, m.s("db"), ks); err != nil {
		t.Fatal(err)
	}
}

// Check compares names, sizes and contents.
func (m *model) Check(t *rapid.T) {
	for _, dir := range []string{"", "db", "db/", "db/sub"} {
		s, sErr := m.sealed.List(m.s(dir))
		p, pErr := m.plain.List(m.p(dir))
		m.sameErr(t, "list", sErr, pErr)
		slices.Sort(s)
		slices.Sort(p)
		m.same(t, "list of "+dir, s, p)
	}
	for _, name := range modelNames {
		s, sErr := m.sealed.Stat(m.s(name))
		p, pErr := m.plain.Stat(m.p(name))
		if !m.sameErr(t, "stat "+name, sErr, pErr) {
			continue
		}
		m.same(t, "stat of "+name, fmt.Sprint(s.Name(), s.Size(), s.IsDir()), fmt.Sprint(p.Name(), p.Size(), p.IsDir()))
		if !bytes.Equal(m.contents(t, m.sealed, m.s(name)), m.contents(t, m.plain, m.p(name))) {
			t.Fatalf("contents of %s differ", name)
		}
	}
	for _, f := range m.open {
		s, sErr := f.sealed.Stat()
		p, pErr := f.plain.Stat()
		if m.sameErr(t, "stat", sErr, pErr) {
			m.same(t, "size of open "+f.name, s.Size(), p.Size())
		}
	}
}

func (m *model) contents(t *rapid.T, fs vfs.FS, name string) []byte {
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{under: vfs.NewMem(), plain: vfs.NewMem()}
		m.start(t)
		t.Repeat(rapid.StateMachineActions(m))
	})
}

func TestModelOnDisk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "atrest")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		m := &model{under: vfs.Default, plain: vfs.Default, sDir: dir + "/sealed", pDir: dir + "/plain"}
		m.start(t)
		defer func() {
			for _, f := range m.open {
				f.sealed.Close()
				f.plain.Close()
			}
		}()
		t.Repeat(rapid.StateMachineActions(m))
	})
}
