package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Validated returns a provider whose answers to requests with a schema are JSON
// that satisfies it, and the request's check. An answer that does not is shown to
// the model once, with what is wrong; if the second one fails too, the error is of
// kind InvalidOutput and has the second answer as its text. Usage and cost of a
// response and of an error are those of both calls.
func Validated(p Provider) Provider { return &validated{p} }

type validated struct{ next Provider }

func (v *validated) Info() Info { return v.next.Info() }

func (v *validated) Generate(ctx context.Context, req *Request) (*Response, error) {
	resp, err := v.next.Generate(ctx, req)
	if err != nil || req.Schema == nil && req.Check == nil {
		return resp, err
	}
	problem := accept(req, resp)
	if problem == nil {
		return resp, nil
	}
	second, err := v.next.Generate(ctx, repairRequest(req, resp.Text, problem))
	if err != nil {
		return nil, addSpent(err, resp)
	}
	second.Repaired = true
	second.Usage = second.Usage.Add(resp.Usage)
	second.Cost += resp.Cost
	second.Unpriced = second.Unpriced || resp.Unpriced
	second.Latency += resp.Latency
	if problem := accept(req, second); problem != nil {
		return nil, &Error{
			Kind: InvalidOutput, Provider: second.Provider, Model: second.Model,
			Text: second.Text, Usage: second.Usage, Cost: second.Cost, Err: problem,
		}
	}
	return second, nil
}

// accept checks an answer, and replaces its text by the JSON in it.
func accept(req *Request, resp *Response) error {
	answer := []byte(resp.Text)
	if req.Schema != nil {
		value, err := firstJSON(resp.Text)
		if err != nil {
			return err
		}
		if err := req.Schema.Validate(value); err != nil {
			return fmt.Errorf("the answer does not satisfy the JSON Schema: %w", err)
		}
		resp.Text = string(value)
		answer = value
	}
	if req.Check != nil {
		return req.Check(answer)
	}
	return nil
}

// maxEcho bounds how much of a wrong answer is shown back to the model, in bytes.
const maxEcho = 48 << 10

func repairRequest(req *Request, answer string, problem error) *Request {
	repaired := *req
	repaired.repair = true
	if len(answer) > maxEcho {
		answer = strings.ToValidUTF8(answer[:maxEcho], "")
	}
	if answer == "" {
		answer = "(no answer)"
	}
	messages := req.Messages
	if len(messages) == 0 {
		messages = []Message{{Role: User, Text: "Work on the source passages."}}
	}
	repaired.Messages = append(messages[:len(messages):len(messages)],
		Message{Role: Assistant, Text: answer},
		Message{Role: User, Text: "That answer cannot be used: " + head(problem.Error(), 2000) + "\nAnswer again in full, with this corrected and everything else kept."})
	return &repaired
}

// addSpent puts what an earlier call spent onto a later call's error.
func addSpent(err error, resp *Response) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	sum := *e
	sum.Usage = e.Usage.Add(resp.Usage)
	sum.Cost += resp.Cost
	return &sum
}
