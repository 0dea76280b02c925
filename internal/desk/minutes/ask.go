package minutes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/model"
)

// ask returns the model's answer to a request, which stood up to the record. An
// answer that was given before to the same request is taken from the bucket: nothing
// is paid for twice.
func (d *Desk) ask(ctx context.Context, req *llm.Request, rec *record) (Result, error) {
	at, err := place(d.objects.prompts, "Answer", model.Values{"key": llm.Key(d.provider.Info(), req)})
	if err != nil {
		return Result{}, err
	}
	var known Result
	err = d.objects.get(ctx, at, &known)
	switch {
	case err == nil && len(rec.check(&known)) == 0:
		return known, nil
	case err != nil && !errors.Is(err, errNoObject):
		return Result{}, err
	}
	req.Check = rec.checker()
	resp, err := d.provider.Generate(ctx, req)
	if err != nil {
		return Result{}, err
	}
	answer, err := accept(req, resp)
	if err != nil {
		return Result{}, err
	}
	return answer, d.objects.put(ctx, at, answer)
}

// accept reads an answer. It checks again what llm.Validated checks, because a
// provider may come without it.
func accept(req *llm.Request, resp *llm.Response) (Result, error) {
	text := []byte(resp.Text)
	err := req.Schema.Validate(text)
	if err == nil {
		err = req.Check(text)
	}
	var answer Result
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		return Result{}, &llm.Error{Kind: llm.InvalidOutput, Provider: resp.Provider, Model: resp.Model, Text: resp.Text, Usage: resp.Usage, Cost: resp.Cost, Err: err}
	}
	answer.GeneratedBy = &Origin{
		Provider: resp.Provider, Model: resp.Model, PromptVersion: req.Labels.PromptVersion, Extractive: resp.Extractive, Calls: 1,
		InputTokens: resp.Usage.Input, OutputTokens: resp.Usage.Output, CostUSD: resp.Cost.Float(),
	}
	return answer, nil
}

// halting tells whether an error concerns the provider and not the task: then the
// task goes back as it was, and nobody asks for a while.
func halting(err error) bool {
	switch llm.KindOf(err) {
	case llm.BudgetExceeded, llm.Unpriced, llm.CircuitOpen, llm.Unauthenticated:
		return true
	case llm.RateLimited:
		return llm.RetryAfter(err) > 0
	}
	return false
}

// permanent tells whether trying again cannot help.
func permanent(err error) bool {
	switch llm.KindOf(err) {
	case llm.TooLong, llm.BadRequest:
		return true
	}
	return errors.Is(err, errNoObject) || errors.Is(err, errs.Invalid)
}

// Draft is an answer that did not stand up to the record, as it is kept for whoever
// reviews it.
type Draft struct {
	IssueID  string    `json:"issueID"`
	Chunk    string    `json:"chunk,omitempty"` // "" if it is about the whole meeting
	Findings []Finding `json:"findings"`
	// Answer is what the model said, as it said it.
	Answer string `json:"answer"`
	At     string `json:"at"`
}

// falseIn is a false answer, and where in a task it was given.
type falseIn struct {
	chunk string
	text  string
	*FalseAnswer
}

func (e *falseIn) Error() string {
	if e.chunk == "" {
		return e.FalseAnswer.Error()
	}
	return fmt.Sprintf("%s: %s", e.chunk, e.FalseAnswer.Error())
}

func (e *falseIn) Unwrap() error { return e.FalseAnswer }

// placed adds to an error about a false answer where it was given.
func placed(err error, chunk string) error {
	var wrong *FalseAnswer
	if err == nil || !errors.As(err, &wrong) {
		return err
	}
	out := &falseIn{chunk: chunk, FalseAnswer: wrong}
	var e *llm.Error
	if errors.As(err, &e) {
		out.text = e.Text
	}
	return out
}
