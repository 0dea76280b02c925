package cli

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// phase is where a server is in its life.
type phase string

const (
	starting phase = "starting"
	ready    phase = "ready"
	failing  phase = "failing" // ready, but a check does not pass
	stopping phase = "stopping"
)

// checkTimeout bounds one answer of /readyz.
const checkTimeout = 2 * time.Second

// check is one thing that must hold for the server to be of use.
type check struct {
	name string
	run  func(context.Context) error
	// minor says that requests need not go elsewhere: it is for whoever looks.
	minor bool
}

// health answers the two questions that a supervisor asks: /healthz, is the
// process alive (then leave it alone), and /readyz, should it get requests. The
// second is 200 only between the end of the start-up and the begin of the
// shutdown, and only while every check passes.
type health struct {
	log *slog.Logger

	mu     sync.Mutex
	phase  phase
	checks []check
}

func newHealth(log *slog.Logger) *health { return &health{log: log, phase: starting} }

// set moves to the next phase of life; checks, if any, replace the former ones.
func (h *health) set(p phase, checks ...check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.phase = p
	if checks != nil {
		h.checks = checks
	}
}

// healthReport is the body of /readyz.
type healthReport struct {
	Status phase             `json:"status"`
	Checks map[string]string `json:"checks,omitempty"`
}

// report runs the checks. Why one fails goes to the log, not to the caller.
func (h *health) report(ctx context.Context) healthReport {
	h.mu.Lock()
	r, checks := healthReport{Status: h.phase}, h.checks
	h.mu.Unlock()
	if r.Status != ready {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	r.Checks = map[string]string{}
	for _, c := range checks {
		r.Checks[c.name] = "ok"
		if err := c.run(ctx); err != nil {
			h.log.Error("readiness check failed", "check", c.name, "error", err)
			if r.Checks[c.name] = "failing"; !c.minor {
				r.Status = failing
			}
		}
	}
	return r
}

// serveReady is the handler of /readyz.
func (h *health) serveReady(w http.ResponseWriter, r *http.Request) {
	report := h.report(r.Context())
	status := http.StatusServiceUnavailable
	if report.Status == ready {
		status = http.StatusOK
	}
	h.write(w, status, report)
}

// serveAlive is the handler of /healthz.
func (h *health) serveAlive(w http.ResponseWriter, _ *http.Request) {
	h.write(w, http.StatusOK, healthReport{Status: "ok"})
}

func (h *health) write(w http.ResponseWriter, status int, report healthReport) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(report); err != nil {
		h.log.Debug("health answer not sent", "error", err)
	}
}
