package ops

import (
	"context"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"pressroom/model"
)

// What Prometheus sees. Labels are names of parts, never ids: queues, states,
// kinds of failures, tables, buckets and jobs are few.
var (
	queueItems   = number("pressroom_queue_items", "Items in a queue, by state.", "queue", "state")
	queueOldest  = number("pressroom_queue_oldest_age_seconds", "Age of the oldest item that waits in a queue.", "queue")
	failures     = number("pressroom_failures", "Failed items of a queue, by kind of failure.", "queue", "reason")
	tokens       = number("pressroom_llm_tokens_total", "Tokens that language models were sent and sent back.", "desk", "direction")
	dollars      = number("pressroom_llm_cost_dollars_total", "Spent on language models since the budget began.", "desk")
	reserved     = number("pressroom_llm_committed_dollars", "What counts against a budget for language models: spent, reserved, or perhaps billed.", "desk")
	budget       = number("pressroom_llm_budget_dollars", "Budget for language models.", "desk")
	modelCalls   = number("pressroom_llm_calls_total", "Calls of language models since the budget began.", "desk", "outcome")
	tableItems   = number("pressroom_table_items", "Items of a table, or entries of its index.", "table", "index")
	tableBytes   = number("pressroom_table_size_bytes", "Size of a table, or of its index.", "table", "index")
	bucketItems  = number("pressroom_bucket_objects", "Objects in a bucket.", "bucket")
	bucketBytes  = number("pressroom_bucket_size_bytes", "Size of a bucket with all versions.", "bucket")
	diskUsed     = number("pressroom_disk_used_bytes", "Bytes that a store takes on disk.", "store")
	diskFree     = number("pressroom_disk_free_bytes", "Bytes that are free on the disk of a store.", "store")
	diskDamages  = number("pressroom_store_damages_total", "Times that a store met data which are not what was written.", "store")
	capacity     = number("pressroom_capacity_units_total", "Read and write units that this process consumed of a table, or of its index.", "table", "index", "direction")
	jobRunning   = number("pressroom_job_running", "1 while a job runs.", "job")
	jobPaused    = number("pressroom_job_paused", "1 while a job is paused.", "job")
	jobFailures  = number("pressroom_job_consecutive_failures", "Runs of a job that failed in a row.", "job")
	jobLastEnded = number("pressroom_job_last_run_timestamp_seconds", "When the last run of a job ended.", "job", "state")
	searchItems  = number("pressroom_search_documents", "Documents in the search index.")
	searchBehind = number("pressroom_search_behind_seconds", "Age of the oldest change that the search index does not have.")
	searchBuilt  = number("pressroom_search_built_timestamp_seconds", "When the search index was last made as a whole.")
	sourceUp     = number("pressroom_source_up", "1 if a source of these numbers answers.", "source")
)

var numbers []*prometheus.Desc

func number(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc(name, help, labels, nil)
	numbers = append(numbers, d)
	return d
}

// Describe makes a Dashboard a prometheus.Collector.
func (d *Dashboard) Describe(out chan<- *prometheus.Desc) {
	for _, n := range numbers {
		out <- n
	}
}

// Collect tells Prometheus the numbers of a snapshot.
func (d *Dashboard) Collect(out chan<- prometheus.Metric) {
	snap := d.Read(context.Background())
	e := &exporter{out: out, seen: map[string]bool{}}
	for _, s := range d.all() {
		_, failed := snap.Failed[s.Name]
		e.gauge(sourceUp, truth(!failed), s.Name)
	}
	e.queues(snap)
	e.stores(snap)
	e.search(snap)
	e.jobs(snap)
}

// exporter sends numbers, each once: two sources that tell of the same thing must
// not make the whole answer fail.
type exporter struct {
	out  chan<- prometheus.Metric
	seen map[string]bool
}

func (e *exporter) gauge(d *prometheus.Desc, value float64, labels ...string) {
	e.send(d, prometheus.GaugeValue, value, labels)
}

func (e *exporter) counter(d *prometheus.Desc, value float64, labels ...string) {
	e.send(d, prometheus.CounterValue, value, labels)
}

func (e *exporter) send(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels []string) {
	key := d.String() + strings.Join(labels, "\x00")
	if e.seen[key] {
		return
	}
	e.seen[key] = true
	for i, l := range labels {
		labels[i] = strings.ToValidUTF8(l, "\uFFFD")
	}
	e.out <- prometheus.MustNewConstMetric(d, kind, value, labels...)
}

// maxReasons bounds the kinds of failures of one queue; what is beyond is
// counted as other.
const maxReasons = 30

func (e *exporter) queues(s Snapshot) {
	for _, q := range s.Queues {
		for state, n := range q.Items {
			e.gauge(queueItems, float64(n), q.Name, state)
		}
		e.gauge(queueOldest, age(q.Oldest, s.At).Seconds(), q.Name)
	}
	kinds, other := map[string]int{}, map[string]int{}
	sorted := slices.Clone(s.Failures)
	slices.SortStableFunc(sorted, func(a, b Failure) int { return b.Count - a.Count })
	for _, f := range sorted {
		if kinds[f.Queue]++; kinds[f.Queue] > maxReasons {
			other[f.Queue] += f.Count
			continue
		}
		e.gauge(failures, float64(f.Count), f.Queue, f.Reason)
	}
	for queue, n := range other {
		e.gauge(failures, float64(n), queue, "other")
	}
	e.spending(s)
}

// spending tells of each desk, and of all together only the budget: what they
// spent is a sum that Prometheus makes itself.
func (e *exporter) spending(s Snapshot) {
	for _, p := range s.Spending {
		if p.Budget > 0 {
			e.gauge(budget, p.Budget, p.Name)
			e.gauge(reserved, p.Committed, p.Name)
		}
		if p.Name == AllDesks {
			continue
		}
		e.counter(modelCalls, float64(p.Calls-p.FailedCalls), p.Name, "answered")
		e.counter(modelCalls, float64(p.FailedCalls), p.Name, "failed")
		e.counter(tokens, float64(p.InputTokens), p.Name, "input")
		e.counter(tokens, float64(p.OutputTokens), p.Name, "output")
		e.counter(dollars, p.Dollars, p.Name)
	}
}

func (e *exporter) stores(s Snapshot) {
	for _, t := range s.Tables {
		e.gauge(tableItems, float64(t.Items), t.Table, t.Index)
		e.gauge(tableBytes, float64(t.Bytes), t.Table, t.Index)
	}
	for _, c := range s.Capacity {
		e.counter(capacity, c.Read, c.Table, c.Index, "read")
		e.counter(capacity, c.Written, c.Table, c.Index, "write")
	}
	for _, b := range s.Buckets {
		e.gauge(bucketItems, float64(b.Objects), b.Bucket)
		e.gauge(bucketBytes, float64(b.Bytes), b.Bucket)
	}
	for _, d := range s.Disks {
		if d.Used >= 0 {
			e.gauge(diskUsed, float64(d.Used), d.Name)
		}
		if d.Free >= 0 {
			e.gauge(diskFree, float64(d.Free), d.Name)
		}
		e.counter(diskDamages, float64(d.Damages), d.Name)
	}
}

// search tells of the index. How far it is behind is known to who feeds it.
func (e *exporter) search(s Snapshot) {
	for _, x := range s.Indexes {
		e.gauge(searchItems, float64(x.Documents))
		if !x.Built.IsZero() {
			e.gauge(searchBuilt, float64(x.Built.Unix()))
		}
		if !x.Checked.IsZero() {
			e.gauge(searchBehind, x.Behind.Seconds())
		}
	}
}

func (e *exporter) jobs(s Snapshot) {
	for _, j := range s.Jobs {
		e.gauge(jobRunning, truth(j.Owner != ""), j.Name)
		e.gauge(jobPaused, truth(j.Paused), j.Name)
		e.gauge(jobFailures, float64(j.Failures), j.Name)
		if j.Last == nil {
			continue
		}
		if ended, err := model.ParseTime(j.Last.Ended); err == nil {
			e.gauge(jobLastEnded, float64(ended.Unix()), j.Name, j.Last.State)
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
