package engine

import (
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pressroom/dynamo/attr"
)

// stalled holds up a restore until it is let go.
type stalled struct {
	pebble.Reader
	release chan struct{}
}

func (s stalled) NewIter(o *pebble.IterOptions) (*pebble.Iterator, error) {
	<-s.release
	return s.Reader.NewIter(o)
}

// stallRestore begins to restore a table to this moment, without going on
// before the returned function is called.
func stallRestore(t *testing.T, e *Engine, source, target string) (release func()) {
	t.Helper()
	tab := e.catalog.get(source)
	create, err := new(overrides).table(e.describe(tab))
	if err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	summary := &types.RestoreSummary{RestoreDateTime: aws.Time(e.now()), RestoreInProgress: aws.Bool(true), SourceTableArn: describe(t, e, source).TableArn}
	_, err = e.startRestore(create, target, summary, func(def *restoreDef) (*restoreSource, error) {
		src, err := e.sourceNow(tab)
		if err != nil {
			return nil, err
		}
		def.Source, def.Until, src.until = tab.id, src.issued, src.issued
		src.rows = stalled{src.rows, gate}
		return src, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() { close(gate) }
}

// Before it is whole, a restored table can be seen but not used.
func TestRestoreShowsNoHalfTable(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, richTable())
	fillRich(t, e, 30)
	recovery(t, e, "rich", true, 0)
	release := stallRestore(t, e, "rich", "target")
	name := aws.String("target")
	d := describe(t, e, "target")
	if d.TableStatus != types.TableStatusCreating || d.GlobalSecondaryIndexes[0].IndexStatus != types.IndexStatusCreating ||
		d.RestoreSummary == nil || !*d.RestoreSummary.RestoreInProgress || !strings.HasSuffix(*d.RestoreSummary.SourceTableArn, "/rich") {
		t.Errorf("the description is %s, %s, %+v", d.TableStatus, d.GlobalSecondaryIndexes[0].IndexStatus, d.RestoreSummary)
	}
	if out, err := e.ListTables(ctx, &dynamodb.ListTablesInput{}); err != nil || len(out.TableNames) != 2 {
		t.Errorf("the tables are %v, %v", out.TableNames, err)
	}
	_, err := e.PutItem(ctx, &PutItem{TableName: name, Item: item("pk", "a", "sk", 1)})
	refused(t, err, NotFound, "Requested resource not found")
	_, err = e.Scan(ctx, &Scan{Paged: Paged{TableName: name, Emit: func(attr.Item) error { return nil }}})
	refused(t, err, NotFound, "Requested resource not found")
	_, err = e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: name})
	refused(t, err, InUse, "Attempt to change a resource which is still in use: Table is being created: target")
	_, err = e.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: name, DeletionProtectionEnabled: aws.Bool(true)})
	refused(t, err, InUse, "Attempt to change a resource which is still in use: Table is being created: target")
	again := simpleTable("target")
	_, err = e.CreateTable(ctx, again)
	refused(t, err, InUse, "Table already exists: target")
	_, err = e.RestoreTableToPointInTime(ctx, restoreRequest("rich", "target", time.Time{}))
	refused(t, err, TableInUse, "Table: target is already being restored from backup: ")
	// The source can go on meanwhile: what is restored stays what it was.
	want := scan(t, e, "rich", "")
	put(t, e, "rich", item("pk", "later", "sk", 1))
	verified(t, e)
	release()
	active(t, e, "target")
	if diff := cmp.Diff(want, scan(t, e, "target", "")); diff != "" {
		t.Errorf("restored table (-want +got):\n%s", diff)
	}
	verified(t, e)
}

// A restore that the store was closed or lost power in goes on when it is
// opened, to the same moment.
func TestRestoreGoesOn(t *testing.T) {
	fs, c := vfs.NewCrashableMem(), newClock()
	e := openStore(t, fs, c)
	create(t, e, richTable())
	fillRich(t, e, 30)
	recovery(t, e, "rich", true, 0)
	backup := backUp(t, e, "rich", "backup")
	want := scan(t, e, "rich", "")
	release := stallRestore(t, e, "rich", "target")
	// Later writes, of which the restored table must not know.
	for i := range 20 {
		put(t, e, "rich", item("pk", "0", "sk", 3*i, "later", "x"))
	}
	crashed := fs.CrashClone(vfs.CrashCloneCfg{})
	// Closing stops the restore before it has copied anything.
	closed := make(chan error)
	go func() { closed <- e.Close() }()
	<-e.stop
	release()
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	for _, after := range []vfs.FS{crashed, fs} {
		e := openStore(t, after, c)
		active(t, e, "target")
		if diff := cmp.Diff(want, scan(t, e, "target", "")); diff != "" {
			t.Errorf("restored table (-want +got):\n%s", diff)
		}
		verified(t, e)
		restoreBackup(t, e, backup, "saved")
		if diff := cmp.Diff(want, scan(t, e, "saved", "")); diff != "" {
			t.Errorf("backup (-want +got):\n%s", diff)
		}
	}
}

// A restore whose source is gone when the store is opened leaves nothing.
func TestRestoreWithoutSource(t *testing.T) {
	for _, tt := range []struct {
		what string
		lose func(*testing.T, *Engine)
	}{
		{"deleted", func(t *testing.T, e *Engine) {
			if _, err := e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("table")}); err != nil {
				t.Fatal(err)
			}
		}},
		{"recovery turned off", func(t *testing.T, e *Engine) { recovery(t, e, "table", false, 0) }},
	} {
		t.Run(tt.what, func(t *testing.T) {
			fs, c := vfs.NewCrashableMem(), newClock()
			e := openStore(t, fs, c)
			create(t, e, simpleTable("table"))
			recovery(t, e, "table", true, 0)
			put(t, e, "table", item("pk", "a"))
			release := stallRestore(t, e, "table", "target")
			defer release()
			tt.lose(t, e)
			e2 := openStore(t, fs.CrashClone(vfs.CrashCloneCfg{}), c)
			_, err := e2.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("target")})
			refused(t, err, NotFound, "Requested resource not found: Table: target not found")
			verified(t, e2)
		})
	}
}

// Whenever the power fails during a restore of more than fits into one batch,
// the table is afterwards whole or not there.
func TestRestorePowerLoss(t *testing.T) {
	fs, c := vfs.NewCrashableMem(), newClock()
	e := openStore(t, fs, c)
	in := simpleTable("table")
	in.AttributeDefinitions = definitions("pk", "S", "g", "S")
	in.GlobalSecondaryIndexes = global("index", keys("g", "HASH"), projects("KEYS_ONLY"))
	create(t, e, in)
	recovery(t, e, "table", true, 0)
	text := strings.Repeat("x", 20_000)
	for i := range 200 { // 4 MB
		put(t, e, "table", item("pk", strconv.Itoa(i), "g", strconv.Itoa(i%10), "text", text))
	}
	want := scan(t, e, "table", "")
	at := c.now()
	c.move(time.Second)
	for i := range 100 {
		remove(t, e, "table", item("pk", strconv.Itoa(2*i)))
	}
	if _, err := e.RestoreTableToPointInTime(ctx, restoreRequest("table", "target", at)); err != nil {
		t.Fatal(err)
	}
	var clones []vfs.FS
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for len(clones) < 12 && describe(t, e, "target").TableStatus == types.TableStatusCreating {
		clones = append(clones, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng}))
	}
	active(t, e, "target")
	clones = append(clones, fs.CrashClone(vfs.CrashCloneCfg{}))
	t.Logf("%d times without power", len(clones))
	for _, after := range clones {
		e := openStore(t, after, c)
		active(t, e, "target")
		if !maps.Equal(want, scan(t, e, "target", "")) {
			t.Error("the restored table is not what it was")
		}
		verified(t, e)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// history is a table together with what it was after each write.
type history struct {
	t      *testing.T
	r      *rapid.T
	fs     *vfs.MemFS
	clock  *clock
	e      *Engine
	items  map[string]attr.Item // by key
	states []pastState
}

type pastState struct {
	at    time.Time
	items map[string]int
}

func (h *history) key() attr.Item {
	return item("pk", rapid.SampledFrom([]string{"a", "b"}).Draw(h.r, "pk"), "sk", rapid.IntRange(0, 2).Draw(h.r, "sk"))
}

// fresh returns an item with that key. Some expire, some are in the indexes.
func (h *history) fresh(key attr.Item) attr.Item {
	var b attr.Builder
	for name, v := range key.All() {
		b.Set(name, v)
	}
	b.Set("v", value(rapid.IntRange(0, 99).Draw(h.r, "v")))
	if rapid.Bool().Draw(h.r, "indexed") {
		b.Set("g", value(rapid.SampledFrom([]string{"x", "y"}).Draw(h.r, "g")))
	}
	if rapid.Bool().Draw(h.r, "expires") {
		b.Set("ttl", value(int(h.clock.now().Unix())+rapid.IntRange(0, 3).Draw(h.r, "ttl")))
	}
	return b.Item()
}

func keyOf(it attr.Item) string {
	pk, _ := it.Get("pk")
	sk, _ := it.Get("sk")
	return pk.Text() + "/" + sk.Number()
}

func (h *history) put(it attr.Item) {
	put(h.t, h.e, "table", it)
	h.items[keyOf(it)] = it
}

func (h *history) remove(key attr.Item) {
	remove(h.t, h.e, "table", key)
	delete(h.items, keyOf(key))
}

// transact puts an item and deletes another at once.
func (h *history) transact() {
	put, del := h.fresh(h.key()), h.key()
	if keyOf(put) == keyOf(del) {
		return
	}
	_, err := h.e.TransactWrite(ctx, &TransactWrite{Actions: []TransactAction{
		{Given: 1, Put: &PutItem{TableName: aws.String("table"), Item: put}},
		{Given: 1, Delete: &DeleteItem{Keyed: Keyed{TableName: aws.String("table"), Key: del}}},
	}})
	if err != nil {
		h.r.Fatal(err)
	}
	h.items[keyOf(put)] = put
	delete(h.items, keyOf(del))
}

func (h *history) sweep() {
	sweep(h.t, h.e)
	for key, it := range h.items {
		if at, ok := expiryOf(it, "ttl"); ok && at < h.clock.now().Unix() {
			delete(h.items, key)
		}
	}
}

func (h *history) reopen() {
	if err := h.e.Close(); err != nil {
		h.r.Fatal(err)
	}
	h.e = openStore(h.t, h.fs, h.clock)
}

func (h *history) step() {
	switch rapid.IntRange(0, 11).Draw(h.r, "step") {
	case 0, 1, 2, 3:
		h.put(h.fresh(h.key()))
	case 4, 5:
		h.remove(h.key())
	case 6:
		h.transact()
	case 7, 8:
		h.clock.move(time.Duration(rapid.IntRange(0, 2500).Draw(h.r, "ms")) * time.Millisecond)
	case 9:
		h.clock.move(time.Duration(rapid.IntRange(0, 20).Draw(h.r, "hours")) * time.Hour)
	case 10:
		h.sweep()
	case 11:
		h.reopen()
	}
	h.record()
}

// record remembers the table as it is now.
func (h *history) record() {
	now := map[string]int{}
	for _, it := range h.items {
		now[string(attr.AppendItemJSON(nil, it))]++
	}
	h.states = append(h.states, pastState{h.clock.now(), now})
}

// asOf returns the table as it was at the end of a second.
func (h *history) asOf(second time.Time) (items map[string]int) {
	for _, s := range h.states {
		if s.at.Before(second.Add(time.Second)) {
			items = s.items
		}
	}
	return items
}

// seconds returns those in which something happened and their neighbours.
func (h *history) seconds() []time.Time {
	set := map[time.Time]bool{}
	for _, s := range h.states {
		at := second(s.at)
		set[at.Add(-time.Second)], set[at], set[at.Add(time.Second)] = true, true, true
	}
	list := make([]time.Time, 0, len(set))
	for at := range set {
		list = append(list, at)
	}
	return list
}

// A table can be restored to every second of its past, with what it had then.
func TestRestoreToEachSecond(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := &history{t: t, r: r, fs: vfs.NewMem(), clock: newClock(), items: map[string]attr.Item{}}
		h.e = openStore(t, h.fs, h.clock)
		defer func() { _ = h.e.Close() }()
		in := rangeTable("table")
		in.AttributeDefinitions = definitions("pk", "S", "sk", "N", "g", "S", "v", "N")
		in.GlobalSecondaryIndexes = global("global", keys("g", "HASH", "sk", "RANGE"), projects("ALL"))
		in.LocalSecondaryIndexes = local("local", keys("pk", "HASH", "v", "RANGE"), projects("KEYS_ONLY"))
		if rapid.Bool().Draw(r, "stream") {
			in.StreamSpecification = streamOn("KEYS_ONLY")
		}
		create(t, h.e, in)
		timeToLive(t, h.e, "table", true, "ttl")
		for range rapid.IntRange(0, 5).Draw(r, "steps before") {
			h.put(h.fresh(h.key()))
			h.record()
		}
		recovery(t, h.e, "table", true, int32(rapid.IntRange(1, 3).Draw(r, "days")))
		h.record()
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			h.step()
		}
		h.restoreAll()
	})
}

// restoreAll restores the table to each second and compares.
func (h *history) restoreAll() {
	d := recoveryOf(h.t, h.e, "table")
	for i, at := range h.seconds() {
		name := "restored" + strconv.Itoa(i)
		_, err := h.e.RestoreTableToPointInTime(ctx, restoreRequest("table", name, at))
		inside := !at.Before(*d.EarliestRestorableDateTime) && !at.After(*d.LatestRestorableDateTime)
		if own, ok := AsError(err); !inside && ok && own.Type == InvalidRestoreTime {
			continue
		}
		if err != nil || !inside {
			h.r.Fatalf("restore to %v, between %v and %v: %v", at, d.EarliestRestorableDateTime, d.LatestRestorableDateTime, err)
		}
		active(h.t, h.e, name)
		if diff := cmp.Diff(h.asOf(at), scan(h.t, h.e, name, "")); diff != "" {
			h.r.Fatalf("%v (-want +got):\n%s", at, diff)
		}
	}
	if err := h.e.Verify(ctx, func(p Problem) { h.r.Error(p) }); err != nil {
		h.r.Fatal(err)
	}
}
