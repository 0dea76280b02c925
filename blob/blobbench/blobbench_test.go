package blobbench_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/blob/blobbench"
)

func TestRunMeasuresAndCleansUp(t *testing.T) {
	s, err := blob.Open("bench", &blob.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	report, err := blobbench.Run(t.Context(), blobbench.Options{
		Client: blob.Client(s), Size: 1000, Clients: []int{1, 4}, For: time.Nanosecond, Keys: 150, Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if _, err := report.WriteTo(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"put", "get", "list 150 keys", "ops/s", "sync a file", "4 clients put"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in the table:\n%s", want, &table)
		}
	}
	if report.Speedup("put", 1, 4) <= 0 || report.Speedup("none", 1, 4) != 0 {
		t.Error("speedup is wrong")
	}
	left, err := blob.Client(s).ListBuckets(t.Context(), &s3.ListBucketsInput{})
	if err != nil || len(left.Buckets) != 0 {
		t.Errorf("%d buckets left, %v", len(left.Buckets), err)
	}
}
