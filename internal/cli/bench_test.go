package cli

import (
	"encoding/json"
	"testing"

	"pressroom/blob/blobbench"
)

// TestBenchBlob measures the embedded store for a moment and reads the report.
func TestBenchBlob(t *testing.T) {
	got := runIn(t, nil, "bench", "blob", "--for", "5ms", "--keys", "20", "--size", "100", "--clients", "1,4", "--dir", t.TempDir(), "--json")
	if got.Code != 0 {
		t.Fatalf("exit %d: %s", got.Code, got.Stderr)
	}
	var report blobbench.Report
	if err := json.Unmarshal([]byte(got.Stdout), &report); err != nil {
		t.Fatal(err)
	}
	if report.Size != 100 || len(report.Rows) != 7 || report.Rows[0].Name != "sync a file" {
		t.Errorf("size %d and %d rows, want 100 and 7, a sync first: %s", report.Size, len(report.Rows), got.Stdout)
	}
	for _, row := range report.Rows {
		if row.Ops == 0 || row.Rate <= 0 {
			t.Errorf("%s with %d clients: %d operations, %v a second", row.Name, row.Clients, row.Ops, row.Rate)
		}
	}
}
