package cli

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/ops/backup"
	"pressroom/llm"
	"pressroom/model"
)

// recoveryDays is how far back a restore to a second can go, for tables and
// objects alike.
const recoveryDays = 35

// leastFree is the room on disk below which requests should go elsewhere.
const leastFree = 64 << 20

// operations are the parts of a serving process that operators look at.
type operations struct {
	scheduler *ops.Scheduler
	registry  *prometheus.Registry
	dashboard *ops.Dashboard
	ledger    *ops.Ledger
	model     llm.Provider // nil until a desk asks for it
	// requeue puts back what failed, by queue.
	requeue   map[string]func(context.Context) (int, error)
	schemas   []model.Schema
	cursorKey []byte
}

// openOperations lets the buckets keep what is replaced, adds to what /readyz
// looks at, and gathers the numbers of the stores. More sources are the desks'.
func openOperations(ctx context.Context, set serverSettings, st *store, log *slog.Logger, more ...ops.NamedSource) (*operations, error) {
	schemas, err := set.names().schemas()
	if err != nil {
		return nil, err
	}
	if st.remote() {
		schemas = set.Run.needs(schemas)
	}
	buckets := bucketNames(schemas)
	key, err := set.key("ops")
	if err != nil {
		return nil, err
	}
	budgets, err := set.budgets()
	if err != nil {
		return nil, err
	}
	o := &operations{registry: prometheus.NewRegistry(), schemas: schemas, cursorKey: key, requeue: map[string]func(context.Context) (int, error){}}
	meter := ops.NewMeter(st.db, nil)
	st.db = meter // from here on, everything is counted
	if o.scheduler, err = ops.New(st.db, &ops.Options{Table: set.names().table(ops.Schema), CursorKey: key, Runs: set.Run.runs, Log: log}); err != nil {
		return nil, err
	}
	if o.ledger, err = ops.NewLedger(st.db, &ops.LedgerOptions{Table: set.names().table(ops.Schema), CursorKey: key}); err != nil {
		return nil, err
	}
	ready := []ops.Readiness{o.scheduler.LeasesReady(), ops.ObjectsReady(st.client, nil, buckets...)}
	sources := append([]ops.NamedSource{
		{Name: "tables", Source: ops.TableSizes(st.db, schemas...)},
		{Name: "capacity", Source: meter},
		{Name: "jobs", Source: o.scheduler.Source()},
		{Name: "language models", Source: spending(o.ledger, budgets)},
	}, more...)
	if !st.remote() { // elsewhere there is no disk to watch, and who makes the buckets lets them keep versions
		if err := backup.KeepVersions(ctx, st.client, recoveryDays, buckets...); err != nil {
			return nil, errs.Wrap(err, errs.Unavailable, "cannot prepare the buckets: %v", err)
		}
		ready = append(ready, ops.DiskReady(st.objects, leastFree, nil))
		sources = append(sources,
			ops.NamedSource{Name: "disk", Source: ops.DiskUse(st.tables, st.objects)},
			ops.NamedSource{Name: "buckets", Source: ops.BucketSizes(st.objects), Fresh: 10 * time.Minute, Slow: true})
	}
	for _, r := range ready {
		st.checks = append(st.checks, check{name: r.Name, run: r.Run})
	}
	o.dashboard = ops.NewDashboard(nil, sources...)
	o.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), o.dashboard)
	return o, nil
}

func bucketNames(schemas []model.Schema) []string {
	var names []string
	for _, s := range schemas {
		for _, b := range s.Buckets {
			names = append(names, b.Name)
		}
	}
	return names
}
