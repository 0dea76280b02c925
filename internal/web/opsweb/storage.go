package opsweb

import (
	"net/http"
	"time"

	"pressroom/internal/ops"
	"pressroom/internal/web"
)

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// storagePage is what the stores hold, and what that takes.
type storagePage struct {
	Tabs    []web.Tab
	At      time.Time
	Tables  []tableRow
	Buckets []bucketRow
	Disks   []diskRow
}

// tableRow is a table, or one of its indexes.
type tableRow struct {
	Table, Index, Path  string
	Items               int64
	Size                string
	Read, Written       string // units a second
	AllRead, AllWritten string // units since the start
}

type bucketRow struct {
	Bucket  string
	Objects int64
	Size    string
}

func (p *pages) showStorage(w http.ResponseWriter, r *http.Request) error {
	s := p.Dashboard.Read(r.Context())
	data := storagePage{Tabs: p.tabs(r, "storage"), At: s.At, Tables: tableRows(s)}
	for _, b := range s.Buckets {
		data.Buckets = append(data.Buckets, bucketRow{b.Bucket, b.Objects, size(b.Bytes)})
	}
	for _, d := range s.Disks {
		data.Disks = append(data.Disks, diskRow{d.Name, size(d.Used), size(d.Free)})
	}
	return p.render(w, r, "storage", p.site.T(r, "ops.tab.storage"), "live", data)
}

// tableRows puts sizes and consumption side by side.
func tableRows(s ops.Snapshot) []tableRow {
	used := map[[2]string]ops.Capacity{}
	for _, c := range s.Capacity {
		used[[2]string{c.Table, c.Index}] = c
	}
	var rows []tableRow
	for _, t := range s.Tables {
		c := used[[2]string{t.Table, t.Index}]
		rows = append(rows, tableRow{Table: t.Table, Index: t.Index, Path: tablePath(t.Table), Items: t.Items, Size: size(t.Bytes),
			Read: digits(c.ReadRate), Written: digits(c.WriteRate), AllRead: digits(c.Read), AllWritten: digits(c.Written)})
	}
	return rows
}
