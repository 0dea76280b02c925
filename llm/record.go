package llm

import (
	"context"
	"time"
)

// Call is the record of one call: one attempt, or one refusal to make it.
type Call struct {
	// Time is when it began.
	Time   time.Time
	Labels Labels
	// Key is the request's content address.
	Key      string
	Provider string
	Model    string
	// Repair is true for the second question after an answer that broke the schema.
	Repair  bool
	Usage   Usage
	Cost    USD
	Latency time.Duration
	Finish  Finish
	// Kind is "" for a call that succeeded, or whose caller gave up.
	Kind Kind
	// Err is the failure, without credentials.
	Err error
}

// Recorder is told of every call, by any number of goroutines. Record must not
// block for long: the caller waits. Its context does not end with the call's.
type Recorder interface {
	Record(ctx context.Context, call Call)
}

// RecorderFunc is a function as a Recorder.
type RecorderFunc func(ctx context.Context, call Call)

// Record calls the function.
func (f RecorderFunc) Record(ctx context.Context, call Call) { f(ctx, call) }

// Recorded returns a provider that tells the recorder of every call. A nil now is
// time.Now.
func Recorded(p Provider, r Recorder, now func() time.Time) Provider {
	if now == nil {
		now = time.Now
	}
	return &recorded{p, r, now}
}

type recorded struct {
	next     Provider
	recorder Recorder
	now      func() time.Time
}

func (r *recorded) Info() Info { return r.next.Info() }

func (r *recorded) Generate(ctx context.Context, req *Request) (*Response, error) {
	info := r.next.Info()
	call := Call{
		Time: r.now(), Labels: req.Labels, Key: Key(info, req),
		Provider: info.Provider, Model: info.Model, Repair: req.repair,
	}
	resp, err := r.next.Generate(ctx, req)
	call.Latency = r.now().Sub(call.Time)
	if err != nil {
		call.Kind, call.Err = KindOf(err), err
		call.Usage, call.Cost = spent(err)
	} else {
		call.Model, call.Finish = resp.Model, resp.Finish
		call.Usage, call.Cost = resp.Usage, resp.Cost
	}
	r.recorder.Record(context.WithoutCancel(ctx), call)
	return resp, err
}
