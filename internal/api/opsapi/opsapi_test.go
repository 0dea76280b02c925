package opsapi_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pressroom/dynamo"
	"pressroom/internal/api"
	"pressroom/internal/api/opsapi"
	"pressroom/internal/auth"
	"pressroom/internal/front"
	"pressroom/internal/ops"
	"pressroom/model/deploy"
)

// house is an API with the operators' part in it, asked as an account.
type house struct {
	t      *testing.T
	mux    *front.Mux
	as     *auth.Account
	ledger *ops.Ledger
	sched  *ops.Scheduler
}

func open(t *testing.T) *house {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, ops.Schema); err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, as: &auth.Account{ID: "1", Name: "ann", Role: auth.Operator}}
	if h.sched, err = ops.New(db, &ops.Options{Log: quiet}); err != nil {
		t.Fatal(err)
	}
	if err := h.sched.Add(ops.Job{Name: "tick", Doc: "Ticks.", Every: time.Hour, Run: func(context.Context, *ops.Progress) error { return nil }}); err != nil {
		t.Fatal(err)
	}
	if h.ledger, err = ops.NewLedger(db, nil); err != nil {
		t.Fatal(err)
	}
	h.mux = front.New(&front.Options{
		Authenticate: func(http.ResponseWriter, *http.Request) (*auth.Account, error) { return h.as, nil },
		Fail:         func(w http.ResponseWriter, _ *http.Request, err error) { http.Error(w, err.Error(), http.StatusTeapot) },
		PerAddress:   front.Rate{PerSecond: -1}, PerAccount: front.Rate{PerSecond: -1}, Log: quiet,
	})
	opsapi.Register(api.New(h.mux, &api.Options{Version: "test", Log: quiet}), h.sched, h.ledger)
	return h
}

// ask sends a request and reads the answer into out.
func (h *house) ask(method, path, body string, status int, out any) {
	h.t.Helper()
	r := httptest.NewRequestWithContext(h.t.Context(), method, "/api/v1"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	w := httptest.NewRecorder()
	h.mux.ServeHTTP(w, r)
	if w.Code != status {
		h.t.Fatalf("%s %s is %d, want %d: %s", method, path, w.Code, status, w.Body)
	}
	if out != nil {
		if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
			h.t.Fatalf("%s %s: %v: %s", method, path, err, w.Body)
		}
	}
}

// A job is listed, paused, resumed and run; each is on record.
func TestJobs(t *testing.T) {
	h := open(t)
	var jobs opsapi.Jobs
	h.ask("GET", "/jobs", "", 200, &jobs)
	if len(jobs.Items) != 1 || jobs.Items[0].Name != "tick" || jobs.Items[0].Schedule != "every 1h0m0s" {
		t.Errorf("jobs: %+v", jobs)
	}
	var job opsapi.Job
	h.ask("POST", "/jobs/tick/pause", `{"why":"too loud"}`, 202, &job)
	if !job.Paused {
		t.Errorf("paused: %+v", job)
	}
	h.ask("POST", "/jobs/tick/pause", `{}`, 409, nil)
	h.ask("POST", "/jobs/tick/resume", `{}`, 202, nil)
	h.ask("POST", "/jobs/tick/run", `{}`, 202, &job)
	if job.Asked != "ann" {
		t.Errorf("asked for: %+v", job)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = h.sched.Run(ctx) }()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if h.ask("GET", "/jobs/tick", "", 200, &job); job.Last != nil {
			break
		}
		job = opsapi.Job{}
	}
	cancel()
	<-ended
	var runs api.List[opsapi.Run]
	h.ask("GET", "/jobs/tick/runs", "", 200, &runs)
	if len(runs.Items) != 1 || runs.Items[0].State != ops.Done || runs.Items[0].Asked != "ann" {
		t.Errorf("runs: %+v", runs)
	}
	var actions api.List[opsapi.Action]
	h.ask("GET", "/actions?subject=job+tick&limit=2", "", 200, &actions)
	if len(actions.Items) != 2 || actions.Items[0].What != "run now" || actions.NextCursor == "" {
		t.Errorf("actions: %+v", actions)
	}
	h.ask("GET", "/jobs/nobody", "", 404, nil)
	h.ask("GET", "/jobs/nobody/runs", "", 404, nil)
	h.ask("POST", "/jobs/nobody/run", `{}`, 404, nil)
	h.as = &auth.Account{ID: "2", Name: "mod", Role: auth.Moderator}
	for _, path := range []string{"/jobs", "/jobs/tick", "/jobs/tick/runs", "/actions", "/llm/spending", "/llm/calls?desk=minutes"} {
		h.ask("GET", path, "", 403, nil)
	}
	h.ask("POST", "/jobs/tick/run", `{}`, 403, nil)
}

func TestLedger(t *testing.T) {
	h := open(t)
	for i := range 3 {
		c := ops.Call{Desk: "minutes", Task: "1", Prompt: "v2", Provider: "openai", Model: "gpt", Input: 10, Output: 2, Cost: 1_500_000_000, Millis: 20}
		if i == 2 {
			c.Failure, c.Error = "overloaded", "later"
		}
		if err := h.ledger.Record(t.Context(), time.Now(), c); err != nil {
			t.Fatal(err)
		}
	}
	var spent opsapi.Spending
	h.ask("GET", "/llm/spending?days=2", "", 200, &spent)
	if len(spent.Items) != 1 || spent.Items[0].Calls != 3 || spent.Items[0].Failed != 1 || spent.Items[0].Dollars != 4.5 || spent.Items[0].Input != 30 {
		t.Errorf("spent: %+v", spent)
	}
	var calls api.List[opsapi.Call]
	h.ask("GET", "/llm/calls?desk=minutes&limit=2", "", 200, &calls)
	if len(calls.Items) != 2 || calls.NextCursor == "" || calls.Items[0].Prompt != "v2" {
		t.Errorf("calls: %+v", calls)
	}
	h.ask("GET", "/llm/calls?desk=minutes&failed=true", "", 200, &calls)
	if len(calls.Items) != 1 || calls.Items[0].Failure != "overloaded" {
		t.Errorf("failed calls: %+v", calls)
	}
	h.ask("GET", "/llm/calls?desk=minutes&day=soon", "", 422, nil)
	h.ask("GET", "/llm/calls", "", 422, nil)
}
