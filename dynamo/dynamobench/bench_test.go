package dynamobench_test

import (
	"bytes"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"pressroom/dynamo"
	"pressroom/dynamo/dynamobench"
	"pressroom/dynamo/wire"
)

// TestRun measures both servers for a moment: every workload works on both,
// and the table shows each cell once.
func TestRun(t *testing.T) {
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	ours := httptest.NewServer(wire.New(db, nil))
	defer ours.Close()
	yardstick, err := dynamobench.OpenBare(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = yardstick.Close() }()
	bare := httptest.NewServer(yardstick)
	defer bare.Close()

	results, err := dynamobench.Run(t.Context(), []dynamobench.Target{
		{Name: "pressroom", Endpoint: ours.URL, PID: os.Getpid()},
		{Name: "bare", Endpoint: bare.URL},
	}, dynamobench.Options{Clients: []int{2}, For: time.Nanosecond, Items: 100})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 12 {
		t.Errorf("%d results for 6 workloads and 2 targets", len(results))
	}
	for _, r := range results {
		if r.Failed != "" || r.Rate <= 0 || r.P99 < r.P50 {
			t.Errorf("%+v", r)
		}
	}
	var table bytes.Buffer
	if err := dynamobench.Print(&table, results); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(table.String(), "\n"); n != 13 {
		t.Errorf("a table of %d lines:\n%s", n, table.String())
	}
}

func TestRunWithoutServer(t *testing.T) {
	_, err := dynamobench.Run(t.Context(), []dynamobench.Target{{Name: "nobody", Endpoint: "http://127.0.0.1:1"}}, dynamobench.Options{})
	if err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("error %v does not name the target", err)
	}
}

func TestScale(t *testing.T) {
	results, err := dynamobench.Scale(t.Context(), t.TempDir(), []int{200, 1000}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.GetUS <= 0 || r.QueryUS <= 0 || r.IndexUS <= 0 || r.OpenMS <= 0 || r.LoadPS <= 0 {
			t.Errorf("%+v", r)
		}
	}
	if err := dynamobench.PrintScale(io.Discard, results); err != nil {
		t.Fatal(err)
	}
}
