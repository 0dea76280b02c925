package cli

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"pressroom/blob"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/ops/backup"
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
}

// openOperations lets the buckets keep what is replaced, adds to what /readyz
// looks at, and gathers the numbers of the stores. More sources are the desks'.
func openOperations(ctx context.Context, set nameSettings, st *store, log *slog.Logger, more ...ops.NamedSource) (*operations, error) {
	schemas, err := deskSettings{nameSettings: set}.schemas()
	if err != nil {
		return nil, err
	}
	buckets := bucketNames(schemas)
	client := blob.Client(st.objects)
	if err := backup.KeepVersions(ctx, client, recoveryDays, buckets...); err != nil {
		return nil, errs.Wrap(err, errs.Unavailable, "cannot prepare the buckets: %v", err)
	}
	o := &operations{registry: prometheus.NewRegistry()}
	if o.scheduler, err = ops.New(st.tables, &ops.Options{Table: set.OperationsTable, Log: log}); err != nil {
		return nil, err
	}
	for _, r := range []ops.Readiness{o.scheduler.LeasesReady(), ops.ObjectsReady(client, nil, buckets...), ops.DiskReady(st.objects, leastFree, nil)} {
		st.checks = append(st.checks, check{r.Name, r.Run})
	}
	sources := append([]ops.NamedSource{
		{Name: "tables", Source: ops.TableSizes(st.tables, schemas...)},
		{Name: "disk", Source: ops.DiskUse(st.tables.DiskUsage, st.objects)},
		{Name: "buckets", Source: ops.BucketSizes(st.objects), Fresh: 10 * time.Minute, Slow: true},
		{Name: "jobs", Source: o.scheduler.Source()},
	}, more...)
	o.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		ops.NewDashboard(nil, sources...))
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
