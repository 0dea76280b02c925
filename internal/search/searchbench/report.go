package searchbench

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Row is how long one kind of query took: by the clock, and of a processor.
// Where others use the machine, the clock says as much about them as about the
// index; the processor's time does not.
type Row struct {
	Name          string
	P50, P99, Max time.Duration
	CPU50, CPU99  time.Duration // of the searching thread; 0 where the system does not tell
	CPU           time.Duration // of the whole process, collecting garbage included, on average
	Allocated     uint64        // bytes, on average
	Found         int           // on average
}

// Report is what was measured.
type Report struct {
	Docs        int
	Open        time.Duration // what opening the index took; set by whoever did
	Build       time.Duration // 0 if the documents were there already
	BuildCPU    time.Duration // of all processors; 0 where the system does not tell
	BuildSystem uint64        // memory that the Go runtime had taken of the system by then
	Rate        float64       // documents a second
	Segments    int
	Bytes       int64         // of the index, on disk
	Heap        uint64        // in use after the queries
	System      uint64        // memory that the Go runtime had taken of the system in the end
	First       time.Duration // the slowest of the first queries, one of each kind
	Rows        []Row
}

// Print writes the report as a table.
func (r *Report) Print(w io.Writer) error {
	how := fmt.Sprintf("opened in %v", short(r.Open))
	if r.Build > 0 {
		how = fmt.Sprintf("built in %v (%.0f a second, %v of processors, %d MB of memory)",
			r.Build.Round(time.Second/10), r.Rate, r.BuildCPU.Round(time.Second), r.BuildSystem>>20)
	}
	if _, err := fmt.Fprintf(w, "%d documents, %s; %d MB on disk in %d segments; heap %d MB, of the system %d MB; the first queries took up to %v\n\n",
		r.Docs, how, r.Bytes>>20, r.Segments, r.Heap>>20, r.System>>20, short(r.First)); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "p50\tp99\tmax\tcpu p50\tcpu p99\tcpu, all\tallocated\tfound\t  query\t")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%v\t%v\t%v\t%v\t%v\t%v\t%d KB\t%d\t  %s\t\n", short(row.P50), short(row.P99), short(row.Max),
			short(row.CPU50), short(row.CPU99), short(row.CPU), row.Allocated>>10, row.Found, row.Name)
	}
	return t.Flush()
}

func short(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
