// Package dynamobench measures DynamoDB endpoints, this project's and
// others', by the same requests over the same kind of connection, and prints
// one table that can be compared.
//
// It promises nothing about absolute speed: machines are shared and noisy.
// Compare targets within one Run. A Bare server, which does the same durable
// write or read with net/http, encoding/json and Pebble and nothing else,
// shows what the hardware and the standard library leave to be had.
//
// Start reading at Run; workload.go has the requests, client.go the
// connection, bare.go the yardstick.
package dynamobench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Target is an endpoint to measure.
type Target struct {
	Name     string
	Endpoint string // http://host:port
	// PID is the server's process, for its memory; 0 if unknown.
	PID int
}

// Options say what is measured. The zero value measures everything for a
// second each.
type Options struct {
	// Clients are the numbers of concurrent connections. Default 1, 16, 64.
	Clients []int
	// For is the time each cell is measured. Default one second.
	For time.Duration
	// Items is how many items the table holds before. Default 10,000.
	Items int
	// Only keeps the workloads with these names. Default all.
	Only []string
	// Progress receives a line per cell. Default none.
	Progress io.Writer
}

func (o Options) withDefaults() Options {
	if len(o.Clients) == 0 {
		o.Clients = []int{1, 16, 64}
	}
	if o.For == 0 {
		o.For = time.Second
	}
	if o.Items == 0 {
		o.Items = 10_000
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	return o
}

// Result is one measured cell.
type Result struct {
	Target   string  `json:"target"`
	Workload string  `json:"workload"`
	Clients  int     `json:"clients"`
	Rate     float64 `json:"ops_per_second"`
	P50      float64 `json:"p50_ms"`
	P99      float64 `json:"p99_ms"`
	// Memory is the server's resident set in MB, 0 if unknown.
	Memory float64 `json:"memory_mb"`
	// Failed says why the target cannot do the workload.
	Failed string `json:"failed,omitempty"`
}

// Run measures each target with each workload and number of clients. Targets
// take turns within a workload, so that a noisy moment hits all of them.
func Run(ctx context.Context, targets []Target, o Options) ([]Result, error) {
	o = o.withDefaults()
	for _, t := range targets {
		fmt.Fprintf(o.Progress, "%s: loading %d items\n", t.Name, o.Items)
		if err := load(ctx, t, o.Items); err != nil {
			return nil, fmt.Errorf("load %s: %w", t.Name, err)
		}
	}
	var results []Result
	for _, w := range workloads {
		if len(o.Only) > 0 && !slices.Contains(o.Only, w.Name) {
			continue
		}
		for _, clients := range o.Clients {
			for _, t := range targets {
				r := measure(ctx, t, w, clients, o)
				fmt.Fprintln(o.Progress, r)
				results = append(results, r)
				if err := ctx.Err(); err != nil {
					return results, err
				}
			}
		}
	}
	return results, nil
}

// measure runs one cell, after a tenth of its time to warm up.
func measure(ctx context.Context, t Target, w workload, clients int, o Options) Result {
	out := Result{Target: t.Name, Workload: w.Name, Clients: clients}
	runtime.GC()
	if _, err := drive(ctx, t, w, clients, o.For/10, o.Items); err != nil {
		out.Failed = err.Error()
		return out
	}
	start := time.Now()
	took, err := drive(ctx, t, w, clients, o.For, o.Items)
	elapsed := time.Since(start)
	if err != nil {
		out.Failed = err.Error()
		return out
	}
	slices.Sort(took)
	out.Rate = float64(len(took)) / elapsed.Seconds()
	out.P50 = quantile(took, 0.50)
	out.P99 = quantile(took, 0.99)
	out.Memory = residentMB(t.PID)
	return out
}

// drive sends requests from several connections until the time is over and
// returns how long each took.
func drive(ctx context.Context, t Target, w workload, clients int, d time.Duration, items int) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, d+5*time.Minute)
	defer cancel()
	deadline := time.Now().Add(d)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		all   []time.Duration
		first error
	)
	for n := range clients {
		wg.Go(func() {
			took, err := driveOne(ctx, t, w, n, deadline, items)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			if first == nil {
				first = err
			}
		})
	}
	wg.Wait()
	return all, first
}

func driveOne(ctx context.Context, t Target, w workload, n int, deadline time.Time, items int) ([]time.Duration, error) {
	c, err := dial(ctx, t.Endpoint)
	if err != nil {
		return nil, err
	}
	defer c.close()
	g := newGenerator(n, items)
	var took []time.Duration
	for {
		op, body := w.request(g)
		start := time.Now()
		if err := c.call(op, body); err != nil {
			return took, err
		}
		end := time.Now()
		took = append(took, end.Sub(start))
		if end.After(deadline) {
			return took, nil
		}
	}
}

func quantile(sorted []time.Duration, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := min(int(q*float64(len(sorted))), len(sorted)-1)
	return float64(sorted[i].Microseconds()) / 1000
}
