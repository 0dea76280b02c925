package engine

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/dynamo/attr"
	"pressroom/guard/guardtest"
)

// faultRun is one run of the script on a disk that fails once.
type faultRun struct {
	t    *testing.T
	disk *guardtest.Disk
	mem  *vfs.MemFS
	keys *atrest.Keys
	e    *Engine
	// items are those that were acknowledged, by key; "" for deleted.
	items map[string]string
}

// TestEveryFault runs a script of everything that writes and fails one call to
// the file system in each run: the process lives, reads go on when the disk is
// full, the script comes to its end without a restart, and nothing that was
// acknowledged is lost, even if the power fails then.
func TestEveryFault(t *testing.T) { guardtest.EveryFault(t, guardtest.Few(24), runScript) }

func runScript(t *testing.T, disk *guardtest.Disk, keys *atrest.Keys) {
	r := &faultRun{t: t, disk: disk, mem: vfs.NewCrashableMem(), keys: keys, items: map[string]string{}}
	defer func() {
		disk.Mend()
		if r.e != nil {
			_ = r.e.Close()
		}
	}()
	r.open()
	r.do("create table", func() error {
		err := createCrashTable(r.e)
		if own, ok := AsError(err); ok && own.Type == InUse {
			return nil // by the attempt before
		}
		return err
	})
	r.fill(0, 12)
	r.flush()
	r.fill(6, 18)
	r.transact(3)
	r.index("extra")
	r.delete(4)
	r.flush()
	r.fill(10, 24)
	r.compact()
	r.do("checkpoint", func() error { return r.e.Checkpoint("copy" + fmt.Sprint(r.disk.Calls())) })
	r.fill(20, 30)
	r.transact(22)
	_ = r.e.Close()
	r.e = nil
	r.open()
	r.fill(25, 36)
	r.delete(30)
	r.flush()
	r.fill(30, 40)

	// The power fails: what was acknowledged is on disk.
	after := r.mem.CrashClone(vfs.CrashCloneCfg{})
	r.compare(r.e, "as it is")
	_ = r.e.Close()
	r.e = nil
	disk.Mend()
	for what, fs := range map[string]vfs.FS{"after a restart": r.mem, "after a loss of power": after} {
		e, err := Open("db", r.options(fs))
		if err != nil {
			t.Errorf("open %s: %v", what, err)
			return
		}
		r.compare(e, what)
		if err := e.Verify(context.Background(), func(p Problem) { t.Errorf("%s: %v", what, p) }); err != nil {
			t.Errorf("verify %s: %v", what, err)
		}
		if err := e.Close(); err != nil {
			t.Errorf("close %s: %v", what, err)
		}
	}
}

func (r *faultRun) options(fs vfs.FS) *Options {
	o := quietOptions(fs)
	o.Keys = r.keys
	return o
}

// open opens the store; an error of the disk at that moment is the caller's to
// try again.
func (r *faultRun) open() {
	r.do("open", func() error {
		e, err := Open("db", r.options(r.disk.Wrap(r.mem)))
		if err == nil {
			r.e = e
		}
		return err
	})
}

// do does what is to be acknowledged, again and again if the disk refuses. A
// refusal names no files, and reads go on when the disk is full.
func (r *faultRun) do(what string, op func() error) {
	r.disk.Until(r.t, what, op, func(err error) {
		if own, ok := AsError(err); ok && (own.Type != Internal || strings.Contains(own.Message, "db")) {
			r.t.Fatalf("%s: %v", what, err)
		}
		if r.disk.Full() && r.e != nil {
			r.compare(r.e, "with a full disk, "+what)
		}
	})
}

func (r *faultRun) fill(from, to int) {
	for n := from; n < to; n++ {
		key, text := fmt.Sprint("k", n), fmt.Sprint(n, "-", len(r.items), strings.Repeat("x", 20*n))
		r.do("put", func() error {
			_, err := r.e.PutItem(context.Background(), &PutItem{TableName: aws.String(crashTable), Item: itemOf("pk", str(key), "sk", num(0), "n", num(n), "text", str(text))})
			return err
		})
		r.items[key] = text
	}
}

func (r *faultRun) delete(n int) {
	key := fmt.Sprint("k", n)
	delete(r.items, key) // it may be gone although the answer is an error
	r.do("delete", func() error {
		_, err := r.e.DeleteItem(context.Background(), &DeleteItem{Keyed: Keyed{TableName: aws.String(crashTable), Key: itemOf("pk", str(key), "sk", num(0))}})
		return err
	})
}

func (r *faultRun) transact(n int) {
	a, b := fmt.Sprint("k", n), fmt.Sprint("k", n+1)
	r.do("transact", func() error {
		_, err := r.e.TransactWrite(context.Background(), &TransactWrite{Actions: []TransactAction{
			{Put: &PutItem{TableName: aws.String(crashTable), Item: itemOf("pk", str(a), "sk", num(0), "n", num(n), "text", str("both"))}, Given: 1},
			{Put: &PutItem{TableName: aws.String(crashTable), Item: itemOf("pk", str(b), "sk", num(0), "n", num(n), "text", str("both"))}, Given: 1},
		}})
		return err
	})
	r.items[a], r.items[b] = "both", "both"
}

// index adds an index to the table and waits until it is filled.
func (r *faultRun) index(name string) {
	r.do("add index", func() error {
		_, err := r.e.UpdateTable(context.Background(), &dynamodb.UpdateTableInput{
			TableName: aws.String(crashTable),
			AttributeDefinitions: []types.AttributeDefinition{
				{AttributeName: aws.String("text"), AttributeType: types.ScalarAttributeTypeS},
			},
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
				IndexName: aws.String(name), KeySchema: keySchemaOf("text", ""), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
			}}},
		})
		if own, ok := AsError(err); ok && (own.Type == InUse || own.Type == Validation) && r.describeIndex(name) != nil {
			return nil // by the attempt before
		}
		return err
	})
	for end := time.Now().Add(2 * time.Minute); !r.indexActive(name); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatal("the index is never filled")
		}
		r.disk.Mend()
	}
}

func (r *faultRun) indexActive(name string) bool {
	g := r.describeIndex(name)
	return g != nil && g.IndexStatus == types.IndexStatusActive
}

func (r *faultRun) describeIndex(name string) *types.GlobalSecondaryIndexDescription {
	out, err := r.e.DescribeTable(context.Background(), &dynamodb.DescribeTableInput{TableName: aws.String(crashTable)})
	if err != nil {
		return nil
	}
	for _, g := range out.Table.GlobalSecondaryIndexes {
		if *g.IndexName == name {
			return &g
		}
	}
	return nil
}

func (r *faultRun) flush()   { r.inside("flush", func() error { return r.e.db.Flush() }) }
func (r *faultRun) compact() { r.inside("compact", func() error { return compactAll(r.e) }) }

// inside does something with Pebble itself, which may fail: nobody is told that
// it was done.
func (r *faultRun) inside(what string, op func() error) {
	if err := r.e.enter(context.Background()); err != nil {
		if !r.disk.Met() {
			r.t.Fatalf("%s: %v", what, err)
		}
		return
	}
	defer r.e.store.Leave()
	if err := op(); err != nil && !r.disk.Met() {
		r.t.Errorf("%s: %v", what, err)
	}
}

func compactAll(e *Engine) error {
	return e.db.Compact(context.Background(), []byte{0}, []byte{0xff}, false)
}

// compare compares the table and its indexes with what was acknowledged. A
// single read may meet the fault itself.
func (r *faultRun) compare(e *Engine, when string) {
	r.t.Helper()
	if e.catalog.get(crashTable) == nil {
		if len(r.items) > 0 {
			r.t.Errorf("%s: the table is gone", when)
		}
		return
	}
	for _, index := range []string{"", "by-n"} {
		got, err := scanAll(e, index)
		if err != nil && r.disk.Passing() {
			got, err = scanAll(e, index)
		}
		if err != nil {
			r.t.Errorf("%s: scan %q: %v", when, index, err)
			return
		}
		want := maps.Clone(r.items)
		for key, text := range got {
			if want[key] != text && !r.disk.Full() {
				r.t.Errorf("%s: %q has %s = %.20q, acknowledged was %.20q", when, index, key, text, want[key])
			}
			delete(want, key)
		}
		if len(want) > 0 {
			r.t.Errorf("%s: %q lost %v", when, index, want)
		}
	}
}

func scanAll(e *Engine, index string) (map[string]string, error) {
	found := map[string]string{}
	s := &Scan{Paged: Paged{TableName: aws.String(crashTable)}}
	if index != "" {
		s.IndexName = aws.String(index)
	}
	s.Emit = func(it attr.Item) error {
		pk, _ := it.Get("pk")
		text, _ := it.Get("text")
		found[strings.Clone(pk.Text())] = strings.Clone(text.Text())
		return nil
	}
	_, err := e.Scan(context.Background(), s)
	return found, err
}
