package front

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"pressroom/internal/errs"
)

// numbers are what the door counts. Labels have few values: the method, the
// route's path as it was declared, the first digit of the status.
type numbers struct {
	inFlight prometheus.Gauge
	duration *prometheus.HistogramVec
}

// processRegistry returns a registry with the numbers of the Go runtime and of
// the process.
func processRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

func newNumbers(r *prometheus.Registry) *numbers {
	n := &numbers{
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "pressroom_http_requests_in_flight", Help: "Requests that are being answered.",
		}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "pressroom_http_request_duration_seconds", Help: "How long answers took.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"method", "route", "status"}),
	}
	r.MustRegister(n.inFlight, n.duration)
	return n
}

// Metrics returns the handler that shows the numbers to Prometheus. Who may see
// it is for its route to say.
func (m *Mux) Metrics() http.Handler {
	return promhttp.HandlerFor(m.o.Registry, promhttp.HandlerOpts{ErrorLog: slog.NewLogLogger(m.o.Log.Handler(), slog.LevelError)})
}

// routeNumbers keeps the observers of one route, to be found without a lookup.
type routeNumbers struct {
	numbers   *numbers
	route     string
	observers [8][6]atomic.Pointer[prometheus.Observer] // by method and class
}

func (n *numbers) route(path string) *routeNumbers { return &routeNumbers{numbers: n, route: path} }

var classes = [...]string{"other", "1xx", "2xx", "3xx", "4xx", "5xx"}

func (n *routeNumbers) observe(method string, status int, took time.Duration) {
	i, label := len(methods), "OTHER"
	for j, m := range methods {
		if m == method {
			i, label = j, m
		}
	}
	class := status / 100
	if class < 1 || class >= len(classes) {
		class = 0
	}
	at := &n.observers[i][class]
	o := at.Load()
	if o == nil {
		made := n.numbers.duration.WithLabelValues(label, n.route, classes[class])
		o = &made
		at.Store(o)
	}
	(*o).Observe(took.Seconds())
}

// record counts and logs how a request ended.
func (m *Mux) record(q *request, r *http.Request, begin time.Time) {
	took, status := m.o.Now().Sub(begin), q.answer.status
	if status == 0 {
		status = http.StatusOK // what net/http sends for a handler that wrote nothing
	}
	q.entry.numbers.observe(r.Method, status, took)
	level := slog.LevelInfo
	switch {
	case status >= 500:
		level = slog.LevelError
	case q.entry.Quiet && status < 400:
		return
	}
	ctx := r.Context()
	if !m.o.Log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 10)
	attrs = append(attrs, slog.String("request_id", q.id), slog.String("method", r.Method), slog.String("path", q.path),
		slog.String("route", q.entry.Pattern), slog.Int("status", status), slog.Int64("bytes", q.answer.bytes),
		slog.Duration("took", took), slog.String("addr", q.peer.Addr.String()))
	if q.account != nil {
		attrs = append(attrs, slog.String("account", q.account.ID))
	}
	if q.err != nil && errs.KindOf(q.err) != errs.NotFound {
		attrs = append(attrs, slog.String("error", q.err.Error()))
	}
	m.o.Log.LogAttrs(ctx, level, "request", attrs...)
}
