package dynamobench

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// String is the line that shows a result while a Run goes on.
func (r Result) String() string {
	if r.Failed != "" {
		return fmt.Sprintf("%s, %d clients, %s: %s", r.Workload, r.Clients, r.Target, r.Failed)
	}
	return fmt.Sprintf("%s, %d clients, %s: %.0f/s", r.Workload, r.Clients, r.Target, r.Rate)
}

// Print writes the results as one table. Each row ends in its rate divided
// by that of the first target in the same cell.
func Print(w io.Writer, results []Result) error {
	first := map[string]Result{}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "workload\tclients\ttarget\tops/s\tp50 ms\tp99 ms\tmemory MB\tratio\t")
	for _, r := range results {
		cell := fmt.Sprint(r.Workload, r.Clients)
		base, seen := first[cell]
		if !seen {
			first[cell], base = r, r
		}
		if r.Failed != "" {
			fmt.Fprintf(tw, "%s\t%d\t%s\t-\t-\t-\t-\t-\t\n", r.Workload, r.Clients, r.Target)
			continue
		}
		ratio := "-"
		if base.Rate > 0 {
			ratio = fmt.Sprintf("%.2f", r.Rate/base.Rate)
		}
		fmt.Fprintf(tw, "%s\t%d\t%s\t%.0f\t%.2f\t%.2f\t%.0f\t%s\t\n", r.Workload, r.Clients, r.Target, r.Rate, r.P50, r.P99, r.Memory, ratio)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		if r.Failed != "" {
			fmt.Fprintf(w, "%s cannot do %s with %d clients: %s\n", r.Target, r.Workload, r.Clients, r.Failed)
		}
	}
	return nil
}
