package engine

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
	"pressroom/guard/guardtest"
)

var (
	killRounds  = flag.Int("kill.rounds", guardtest.Few(4), "how often TestKill kills its writers")
	powerRounds = flag.Int("power.rounds", guardtest.Few(12), "how often TestPowerLoss cuts the power")
	faultRounds = flag.Int("fault.rounds", guardtest.Few(12), "how often TestDiskFault breaks the disk")
)

const (
	crashTable   = "crash-table"
	crashWriters = 64
)

// Each writer counts upwards. Its n-th write is a transaction that sets its
// counter to n and puts an item for n, both in an index; then it tells n.
// Whatever happens, the counter is what was last told or one more, and there
// is exactly one item for each number up to it.

func createCrashTable(e *Engine) error {
	_, err := e.CreateTable(context.Background(), &dynamodb.CreateTableInput{
		TableName:   aws.String(crashTable),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeN},
			{AttributeName: aws.String("n"), AttributeType: types.ScalarAttributeTypeN},
		},
		KeySchema: keySchemaOf("pk", "sk"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{IndexName: aws.String("by-n"), KeySchema: keySchemaOf("pk", "n"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}},
		},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage},
	})
	return err
}

func writerName(w int) string { return "w" + strconv.Itoa(w) }

// count is the writer's counter as stored.
func count(e *Engine, w int) (int, error) {
	out, err := e.GetItem(context.Background(), &GetItem{TableName: aws.String(crashTable), Key: itemOf("pk", str(writerName(w)), "sk", num(0))})
	if err != nil || out.Item == nil {
		return 0, err
	}
	n, _ := out.Item.Get("count")
	return strconv.Atoi(n.Number())
}

func writeNext(e *Engine, w, n int) error {
	up := &UpdateItem{Keyed: Keyed{TableName: aws.String(crashTable), Key: itemOf("pk", str(writerName(w)), "sk", num(0))}}
	up.UpdateExpression = aws.String("SET #c = :n")
	up.ConditionExpression = aws.String("attribute_not_exists(#c) OR #c = :before")
	up.Placeholders = expr.Placeholders{Names: map[string]string{"#c": "count"}, Values: map[string]attr.Value{":n": num(n), ":before": num(n - 1)}}
	put := &PutItem{TableName: aws.String(crashTable), Item: itemOf("pk", str(writerName(w)), "sk", num(n), "n", num(-n), "text", str(strings.Repeat("x", n%900)))}
	_, err := e.TransactWrite(context.Background(), &TransactWrite{Actions: []TransactAction{{Update: up, Given: 1}, {Put: put, Given: 1}}})
	return err
}

// runWriters writes until stop closes or a write fails, and tells each
// number that was answered.
func runWriters(e *Engine, stop <-chan struct{}, tell func(w, n int)) error {
	var wg sync.WaitGroup
	errs := make([]error, crashWriters)
	for w := range crashWriters {
		wg.Go(func() {
			n, err := count(e, w)
			for ; err == nil; n++ {
				select {
				case <-stop:
					return
				default:
				}
				if err = writeNext(e, w, n+1); err == nil {
					tell(w, n+1)
				}
			}
			errs[w] = err
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// checkWriters compares the store with what was told.
func checkWriters(t *testing.T, e *Engine, told []int) {
	t.Helper()
	for w := range crashWriters {
		n, err := count(e, w)
		if err != nil {
			t.Fatal(err)
		}
		if n < told[w] || n > told[w]+1 {
			t.Errorf("writer %d: counter %d, but %d was acknowledged", w, n, told[w])
		}
		for _, index := range []*string{nil, aws.String("by-n")} {
			if got := countItems(t, e, w, index); got != n {
				t.Errorf("writer %d, index %q: %d items, counter %d", w, aws.ToString(index), got, n)
			}
		}
		told[w] = n
	}
	if err := e.Verify(context.Background(), func(p Problem) { t.Error(p) }); err != nil {
		t.Fatal(err)
	}
	if t.Failed() {
		t.FailNow()
	}
}

func countItems(t *testing.T, e *Engine, w int, index *string) int {
	t.Helper()
	total := 0
	var start attr.Item
	for {
		r := &Query{Paged: Paged{TableName: aws.String(crashTable), IndexName: index, Select: "COUNT", ExclusiveStartKey: start}}
		values := map[string]attr.Value{":p": str(writerName(w))}
		r.KeyConditionExpression = aws.String("pk = :p")
		if index == nil {
			r.KeyConditionExpression = aws.String("pk = :p AND sk > :zero")
			values[":zero"] = num(0)
		}
		r.Placeholders = expr.Placeholders{Values: values}
		out, err := e.Query(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		total += out.Count
		if out.LastKey == nil {
			return total
		}
		start = out.LastKey
	}
}

func quietOptions(fs vfs.FS) *Options {
	return &Options{FS: fs, SweepEvery: -1, Logger: slog.New(slog.DiscardHandler)}
}

// TestKill kills a process full of writers at random moments.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	told := make([]int, crashWriters)
	total := 0
	for round := range *killRounds {
		total += killRound(t, dir, told, time.Duration(50+rand.IntN(400))*time.Millisecond)
		e, err := Open(dir, quietOptions(nil))
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		checkWriters(t, e, told)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d acknowledged transactions, none lost", *killRounds, total)
}

func killRound(t *testing.T, dir string, told []int, after time.Duration) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashDirVariable+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, n := bufio.NewScanner(out), 0
	for lines.Scan() {
		var w, number int
		if _, err := fmt.Sscanf(lines.Text(), "%d %d", &w, &number); err != nil {
			continue
		}
		if n == 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
		}
		n++
		told[w] = max(told[w], number)
	}
	_ = cmd.Wait()
	if n == 0 {
		t.Fatal("the writers wrote nothing")
	}
	return n
}

// crashDirVariable makes this test program the process that TestKill kills.
const crashDirVariable = "PRESSROOM_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDirVariable); dir != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func writeUntilKilled(dir string) error {
	e, err := Open(dir, quietOptions(nil))
	if err != nil {
		return err
	}
	if e.catalog.get(crashTable) == nil {
		if err := createCrashTable(e); err != nil {
			return err
		}
	}
	return runWriters(e, nil, func(w, n int) {
		// One write call a line: a kill leaves whole lines.
		_, _ = io.WriteString(os.Stdout, fmt.Sprintf("%d %d\n", w, n))
	})
}

// tally counts what in-process writers were told.
type tally [crashWriters]atomic.Int64

func (a *tally) tell(w, n int) { a[w].Store(int64(n)) }

func (a *tally) told() []int {
	out := make([]int, crashWriters)
	for w := range a {
		out[w] = int(a[w].Load())
	}
	return out
}

// TestPowerLoss cuts the power while writers write: what was synced stays, of
// the rest a random part.
func TestPowerLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 2))
	fs := vfs.NewCrashableMem()
	var acked tally
	for range *powerRounds {
		e, err := Open("db", quietOptions(fs))
		if err != nil {
			t.Fatal(err)
		}
		if e.catalog.get(crashTable) == nil {
			if err := createCrashTable(e); err != nil {
				t.Fatal(err)
			}
		}
		stop := make(chan struct{})
		done := make(chan error)
		go func() { done <- runWriters(e, stop, acked.tell) }()
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		told := acked.told()
		after := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rand.New(rand.NewPCG(rng.Uint64(), 3))})
		close(stop)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		e, err = Open("db", quietOptions(after))
		if err != nil {
			t.Fatalf("open after power loss: %v", err)
		}
		checkAfterLoss(t, e, told)
		for w, n := range told {
			acked[w].Store(int64(n))
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		fs = after
	}
}

// checkAfterLoss is checkWriters for writers that went on while told was
// read: a counter may be any number ahead.
func checkAfterLoss(t *testing.T, e *Engine, told []int) {
	t.Helper()
	for w := range crashWriters {
		n, err := count(e, w)
		if err != nil {
			t.Fatal(err)
		}
		if n < told[w] {
			t.Fatalf("writer %d: counter %d, but %d was acknowledged", w, n, told[w])
		}
		told[w] = n
	}
	checkWriters(t, e, told)
}

// TestDiskFault makes the disk full, or fail, at a random moment: writers
// get errors, none hangs, and the store opens again with all that was
// acknowledged.
func TestDiskFault(t *testing.T) {
	for round := range *faultRounds {
		t.Run(strconv.Itoa(round), func(t *testing.T) { diskFault(t, round) })
	}
}

func diskFault(t *testing.T, round int) {
	mem := vfs.NewCrashableMem()
	var broken atomic.Bool
	var after atomic.Int64
	after.Store(int64(200 + rand.IntN(3000)))
	fault := error(syscall.ENOSPC)
	if round%3 == 2 {
		fault = syscall.EIO
	}
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || op.Kind == errorfs.OpFileClose {
			return nil
		}
		if after.Add(-1) < 0 {
			broken.Store(true)
			return fault
		}
		return nil
	}))
	e, err := Open("db", quietOptions(fs))
	if err != nil {
		t.Fatal(err)
	}
	if err := createCrashTable(e); err != nil {
		t.Fatal(err)
	}
	var acked tally
	done := make(chan error)
	go func() { done <- runWriters(e, nil, acked.tell) }()
	select {
	case err := <-done:
		if err == nil || !broken.Load() {
			t.Fatalf("the writers ended without a fault: %v", err)
		}
	case <-time.After(2 * time.Minute): // Pebble is slow under the race detector
		t.Fatal("writers hang on a broken disk")
	}
	if err := e.Healthy(); err == nil {
		t.Fatal("the store says that it is healthy")
	}
	_ = e.Close()
	repaired := mem.CrashClone(vfs.CrashCloneCfg{})
	e, err = Open("db", quietOptions(repaired))
	if err != nil {
		t.Fatalf("open after the fault: %v", err)
	}
	checkWriters(t, e, acked.told())
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}
