package engine

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/guard/guardtest"
)

func putText(e *Engine, n int, text string) error {
	_, err := e.PutItem(context.Background(), &PutItem{TableName: aws.String(crashTable), Item: itemOf("pk", str(fmt.Sprint("p", n)), "sk", num(0), "n", num(n), "text", str(text))})
	return err
}

// closedStore is the directory of a store with n items, all in table files.
func closedStore(t *testing.T, n int) vfs.FS {
	t.Helper()
	mem := vfs.NewMem()
	e, err := Open("db", quietOptions(mem))
	if err != nil {
		t.Fatal(err)
	}
	if err := createCrashTable(e); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := putText(e, i, strings.Repeat(fmt.Sprint("some words ", i), 20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.db.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := compactAll(e); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return mem
}

// largestTable is the name of the largest table file.
func largestTable(t *testing.T, fs vfs.FS) (name string, size int64) {
	t.Helper()
	names, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if info, err := fs.Stat("db/" + n); err == nil && strings.HasSuffix(n, ".sst") && info.Size() > size {
			name, size = n, info.Size()
		}
	}
	return name, size
}

// TestDamagedChangeLog flips 64 bytes in the part of a table file that holds
// the change log, which ordinary reads do not touch. Verify finds it and says
// where; items can be read and written as before, and nothing hangs or ends.
func TestDamagedChangeLog(t *testing.T) {
	image := closedStore(t, 300)
	name, size := largestTable(t, image)
	for at := size / 2; at < size; at += 256 * int64(300/guardtest.Few(300)) {
		fs := guardtest.Copy(t, image, "db")
		for i := range int64(64) {
			guardtest.Flip(t, fs, "db/"+name, min(at+i, size-1), 3)
		}
		e, err := Open("db", quietOptions(fs))
		if err != nil {
			continue // another part
		}
		rows, err := scanAll(e, "")
		_, logErr := e.streamBytes(crashTable)
		if err != nil || len(rows) != 300 || logErr == nil {
			_ = e.Close()
			continue
		}
		if e.Damages() == 0 {
			t.Error("damage of the change log is not counted")
		}
		var found []string
		if err := e.Verify(context.Background(), func(p Problem) { found = append(found, p.String()+" "+p.Fix) }); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(found, func(s string) bool {
			return strings.Contains(s, name) && strings.Contains(s, "change log of "+crashTable) && strings.Contains(s, "restore")
		}) {
			t.Fatalf("found %q", found)
		}
		writeOn(t, e)
		return
	}
	t.Fatal("no part of the file is the change log's")
}

// TestDamagedRows damages rows that a merge of table files needs: writers go
// on, and do not come to wait for a merge that is never done.
func TestDamagedRows(t *testing.T) {
	fs := closedStore(t, 300)
	name, _ := largestTable(t, fs)
	for i := range int64(64) {
		guardtest.Flip(t, fs, "db/"+name, 2000+i, 3)
	}
	e, err := Open("db", quietOptions(fs))
	if err != nil {
		t.Fatal(err)
	}
	for range 40 { // more than the files at which Pebble lets writers wait
		for n := range 30 {
			if err := e.overwrite(n * 10); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	before := e.Damages()
	if _, err := scanAll(e, ""); err == nil {
		t.Error("damaged rows can be read")
	}
	if e.Damages() == before {
		t.Error("a read that met damage is not counted")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// overwrite writes a row without reading what was there.
func (e *Engine) overwrite(n int) error {
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	t := e.catalog.get(crashTable)
	it := itemOf("pk", str(fmt.Sprint("p", n)), "sk", num(0), "n", num(n), "text", str("new"))
	if err := setOrDelete(b, t.rowKey(nil, t.shape.Load(), it), it, it.Size()); err != nil {
		return err
	}
	return e.write(b, false)
}

// streamBytes reads the change log of a table.
func (e *Engine) streamBytes(table string) (n int, err error) {
	prefix := appendTable(nil, spaceChange, e.catalog.get(table).id)
	err = e.eachStored(context.Background(), e.db, prefix, func(_, value []byte) error { n += len(value); return nil })
	return n, err
}

func writeOn(t *testing.T, e *Engine) {
	t.Helper()
	for n := range 40 {
		if err := putText(e, n, "new"); err != nil {
			t.Fatalf("write %d: %v", n, err)
		}
		if err := e.db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if rows, err := scanAll(e, ""); err != nil || len(rows) != 300 {
		t.Errorf("%d rows: %v", len(rows), err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestDamagedFooter flips a byte of a table file's footer: it is told in a
// line, without a stack, and without the way to the file to clients.
func TestDamagedFooter(t *testing.T) {
	fs := closedStore(t, 50)
	name, size := largestTable(t, fs)
	guardtest.Flip(t, fs, "db/"+name, size-20, 2)
	var log bytes.Buffer
	o := quietOptions(fs)
	o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))
	e, err := Open("db", o)
	if err == nil {
		_, err = scanAll(e, "")
		if err == nil {
			t.Fatal("a damaged table is read")
		}
		if strings.Contains(err.Error(), "db") || strings.Contains(err.Error(), ".sst") {
			t.Errorf("the client is told %v", err)
		}
		found := 0
		if err := e.Verify(context.Background(), func(Problem) { found++ }); err != nil || found == 0 {
			t.Errorf("Verify: %d problems, %v", found, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, trace := range []string{"goroutine ", ".go:"} {
		if strings.Contains(log.String()+fmt.Sprint(err), trace) {
			t.Errorf("a stack is shown: %v\n%s", err, log.String())
		}
	}
}

// scarceDisk says how much room it has.
type scarceDisk struct {
	vfs.FS
	free atomic.Int64
}

func (d *scarceDisk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: uint64(d.free.Load()), TotalBytes: 1 << 40}, nil
}

// TestReserve refuses writes below the reserve in a way that the SDKs retry,
// before anything is counted; reads go on, deletes too for a while, and
// writing resumes by itself.
func TestReserve(t *testing.T) {
	disk := &scarceDisk{FS: vfs.NewMem()}
	disk.free.Store(1 << 30)
	e, err := Open("db", quietOptions(disk))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	if err := createCrashTable(e); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := putText(e, n, "x"); err != nil {
			t.Fatal(err)
		}
	}
	disk.free.Store(60 << 20)
	own, ok := AsError(putText(e, 7, "x"))
	if !ok || own.Type != Internal || !strings.Contains(own.Message, "disk is full") {
		t.Errorf("a put below the reserve: %v", own)
	}
	if e.Healthy() == nil {
		t.Error("healthy below the reserve")
	}
	if rows, err := scanAll(e, ""); err != nil || len(rows) != 3 {
		t.Errorf("%d rows: %v", len(rows), err)
	}
	if _, err := e.DeleteItem(context.Background(), &DeleteItem{Keyed: Keyed{TableName: aws.String(crashTable), Key: itemOf("pk", str("p0"), "sk", num(0))}}); err != nil {
		t.Errorf("a delete below the reserve: %v", err)
	}
	if items := e.catalog.get(crashTable).counts.items.Load(); items != 2 {
		t.Errorf("%d items are counted, there are 2", items)
	}
	disk.free.Store(1 << 30)
	if err := putText(e, 7, "x"); err != nil || e.Healthy() != nil {
		t.Errorf("with room again: %v, %v", err, e.Healthy())
	}
}
