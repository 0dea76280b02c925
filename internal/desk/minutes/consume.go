package minutes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/model"
)

// Outcome is how work on a task ended.
type Outcome string

// The outcomes. A released task is as it was; a retried one waits for its next
// attempt.
const (
	OutcomeCompleted Outcome = "completed"
	OutcomeReview    Outcome = "review"
	OutcomeRetry     Outcome = "retry"
	OutcomeFailed    Outcome = "failed"
	OutcomeReleased  Outcome = "released"
)

// Consume works on a claimed task until it is completed, or says why it is not: the
// outcome is written to the task, and the error is its reason. A task that was begun
// goes on at the first chunk that is not ready.
//
// While it works it extends the lease, and stops when it could not do so in time: the
// task is another's then. If ctx ends, the task is released as it is, with all chunks
// that were finished.
func (d *Desk) Consume(ctx context.Context, t *Task) (Outcome, error) {
	if d.provider == nil {
		return OutcomeReleased, errs.New(errs.Unavailable, "No language model is configured.")
	}
	left := d.o.Lease
	if until, err := model.ParseTime(t.LeaseUntil); err == nil {
		left = until.Sub(d.o.Now())
	}
	err := model.Hold(ctx, model.Holding{For: d.o.Lease, Left: left, Extend: func(ctx context.Context) error { return d.Extend(ctx, t) }},
		func(ctx context.Context) error { return d.produce(ctx, t) })
	if errors.Is(err, model.ErrLost) {
		return OutcomeReleased, err
	}
	// What is written now must be written also if the process is stopping.
	end, cancelEnd := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancelEnd()
	return d.conclude(end, t, err, ctx.Err() != nil)
}

// conclude writes how work on a task ended.
func (d *Desk) conclude(ctx context.Context, t *Task, err error, stopping bool) (Outcome, error) {
	var wrong *falseIn
	switch {
	case err == nil:
		if err := d.complete(ctx, t); err != nil {
			return OutcomeReleased, err
		}
		return OutcomeCompleted, nil
	case stopping:
		return OutcomeReleased, errors.Join(err, d.Release(ctx, t, time.Time{}, failure{t.FailureKind, t.LastError}))
	case errors.As(err, &wrong):
		return OutcomeReview, errors.Join(err, d.review(ctx, t, wrong))
	case halting(err):
		at := d.o.Now().Add(min(max(llm.RetryAfter(err), d.o.Backoff), d.o.MaxBackoff))
		return OutcomeReleased, errors.Join(err, d.Release(ctx, t, at, failureOf(err)))
	}
	outcome := OutcomeRetry
	if permanent(err) || t.RetryAttempts+1 >= d.o.MaxAttempts {
		outcome = OutcomeFailed
	}
	return outcome, errors.Join(err, d.Fail(ctx, t, err, permanent(err)))
}

// produce does everything for a task up to its published article.
func (d *Desk) produce(ctx context.Context, t *Task) error {
	if err := d.understand(ctx, t); err != nil {
		return err
	}
	var result Result
	var rec *record
	var err error
	switch {
	case AssemblyOf(t.ID()) != "" && (d.rules() || !t.Meeting.japanese()):
		result, rec, err = d.produceFromRecord(ctx, t)
	case d.rules():
		result, rec, err = d.produceByRule(ctx, t)
	case t.ProcessingMode == Chunked:
		result, rec, err = d.produceChunked(ctx, t)
	default:
		result, rec, err = d.produceDirect(ctx, t)
	}
	if err == nil && AssemblyOf(t.ID()) != "" && rec.of == nil {
		// The model saw what was said; the votes stand beside it.
		var whole *record
		if whole, err = d.structuredRecord(ctx, t); err == nil {
			rec.of = whole.of
		}
	}
	if err != nil {
		return err
	}
	result.Date = t.Meeting.Date
	shown, err := d.prove(ctx, t, rec, result, false)
	if err != nil {
		return err
	}
	if err := d.objects.put(ctx, t.ResultURL, result); err != nil {
		return err
	}
	return d.publish(ctx, t, rec, &shown, "")
}

func (d *Desk) produceDirect(ctx context.Context, t *Task) (Result, *record, error) {
	body, err := d.loadDirect(ctx, t)
	if err != nil {
		return Result{}, nil, err
	}
	rec := body.shown()
	sum := digest(body.stored)
	answer, _, err := d.answered(ctx, t.ResultURL, sum, rec)
	if err != nil || answer != nil {
		return valueOf(answer), rec, err
	}
	asked, err := d.ask(ctx, d.request(direct, body, t), rec)
	asked.GeneratedBy = asked.GeneratedBy.to(sum)
	return asked, rec, placed(err, "")
}

// answered returns what is stored as the answer to a prompt, if it is the answer to
// these very bytes and stands up to the record: whoever asked has paid for it, and may
// have died before it could say so. Nil if there is none.
func (d *Desk) answered(ctx context.Context, at, sum string, rec *record) (*Result, []byte, error) {
	data, err := d.objects.read(ctx, at)
	if errors.Is(err, errNoObject) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var stored Result
	if json.Unmarshal(data, &stored) != nil || stored.GeneratedBy == nil || stored.GeneratedBy.PromptSHA256 != sum || len(rec.check(&stored)) > 0 {
		return nil, nil, nil
	}
	return &stored, data, nil
}

func valueOf(r *Result) Result {
	if r == nil {
		return Result{}
	}
	return *r
}

// loadDirect reads the prompt of a whole meeting. One of another collector may lack
// the speeches; then they are taken from the archive.
func (d *Desk) loadDirect(ctx context.Context, t *Task) (*payload, error) {
	body, err := d.load(ctx, t.PromptURL)
	if err != nil || len(body.Speeches) > 0 {
		return body, err
	}
	p, err := d.rebuild(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("the prompt has no speeches, nor has the archive: %w", err)
	}
	for _, planned := range p.payloads {
		body.Speeches = append(body.Speeches, planned.Speeches...)
	}
	return body, nil
}

func (d *Desk) produceChunked(ctx context.Context, t *Task) (Result, *record, error) {
	results, stored, rec, err := d.chunks(ctx, t)
	if err != nil {
		return Result{}, nil, err
	}
	body, err := d.load(ctx, t.PromptURL)
	if err != nil {
		return Result{}, nil, err
	}
	sum := digest(append(body.stored, stored...))
	frame, _, err := d.answered(ctx, t.ResultURL, sum, rec)
	if err == nil && frame != nil && len(frame.Dialogs) > 0 {
		return *frame, rec, nil // it is the whole already
	}
	if err == nil && frame == nil {
		var asked Result
		asked, err = d.reduce(ctx, t, body, results, rec)
		frame = &asked
	}
	if err != nil {
		return Result{}, nil, placed(err, "")
	}
	whole := merge(*frame, results, t)
	whole.GeneratedBy = whole.GeneratedBy.to(sum)
	if found := rec.check(&whole); len(found) > 0 { // a foreign consumer's chunk
		text, _ := encode(whole)
		return Result{}, nil, &falseIn{text: string(text), FalseAnswer: &FalseAnswer{found}}
	}
	return whole, rec, nil
}

// chunks returns the answers to all chunks, in order, the bytes that they are stored
// as, and the record that they are about. Those that are not ready are asked for,
// several at a time.
func (d *Desk) chunks(ctx context.Context, t *Task) ([]Result, []byte, *record, error) {
	results := make([]Result, len(t.Chunks))
	stored := make([][]byte, len(t.Chunks))
	bodies := make([]*payload, len(t.Chunks))
	err := d.parallel(ctx, len(t.Chunks), func(ctx context.Context, i int) (err error) {
		bodies[i], results[i], stored[i], err = d.chunk(ctx, t, i)
		return err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	var speeches []diet.Speech
	for _, body := range bodies {
		speeches = append(speeches, body.Speeches...)
	}
	return results, bytes.Join(stored, nil), newRecord(speeches), nil
}

// parallel does n things in order, so many at a time as the options say. After a
// failure nothing new is begun, and what is under way is finished, since it is paid
// for.
func (d *Desk) parallel(ctx context.Context, n int, do func(context.Context, int) error) error {
	slots := make(chan struct{}, d.o.Parallel)
	var group sync.WaitGroup
	var mu sync.Mutex
	var first error
	failed := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return first != nil
	}
	for i := range n {
		slots <- struct{}{}
		if failed() || ctx.Err() != nil {
			break
		}
		group.Go(func() {
			defer func() { <-slots }()
			if err := do(ctx, i); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if first == nil {
					first = err
				}
			}
		})
	}
	group.Wait()
	if first == nil {
		first = ctx.Err()
	}
	return first
}

// chunk returns a chunk's prompt and its answer, also as it is stored; the answer is
// asked for if it is not there.
func (d *Desk) chunk(ctx context.Context, t *Task, i int) (*payload, Result, []byte, error) {
	c := t.Chunks[i]
	body, err := d.load(ctx, c.PromptURL)
	if err != nil {
		return nil, Result{}, nil, err
	}
	if c.Status == Ready {
		var result Result
		data, err := d.objects.read(ctx, c.ResultURL)
		if err == nil && json.Unmarshal(data, &result) == nil {
			return body, result, data, nil
		}
		// Ready, and yet not there: it is made again.
	}
	rec, sum := body.shown(), digest(body.stored)
	known, data, err := d.answered(ctx, c.ResultURL, sum, rec)
	if err != nil {
		return nil, Result{}, nil, err
	}
	if known != nil {
		return body, *known, data, d.markReady(ctx, t, i)
	}
	result, err := d.ask(ctx, d.request(chunk, body, t), rec)
	if err != nil {
		return nil, Result{}, nil, placed(err, c.ID)
	}
	result.GeneratedBy = result.GeneratedBy.to(sum)
	if data, err = encode(result); err == nil {
		err = d.objects.write(ctx, c.ResultURL, data, false)
	}
	if err != nil {
		return nil, Result{}, nil, err
	}
	return body, result, data, d.markReady(ctx, t, i)
}
