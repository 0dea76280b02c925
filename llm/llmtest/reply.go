package llmtest

import (
	"time"

	"pressroom/llm"
)

// Reply is what a script says to one request.
type Reply struct {
	// Fault is the way in which it fails; "" answers with Text.
	Fault Fault
	Text  string
	// Usage is what the server says was used; the zero value means 11 in and 7 out.
	Usage llm.Usage
	// Status is the HTTP status of Fail.
	Status int
	// RetryAfter is sent with RateLimit and Fail; 0 sends none.
	RetryAfter time.Duration
	// Message is what the server says about the fault.
	Message string
	// Param is the parameter that Unsupported refuses.
	Param string
	// Delay is how long the server waits first, or until the client has gone.
	Delay time.Duration
}

// Fault is a way to fail.
type Fault string

// The faults, in the order in which a request meets them.
const (
	// Hang never answers, until the client has gone.
	Hang Fault = "hang"
	// BadKey does not accept the key.
	BadKey Fault = "bad key"
	// RateLimit is the service's 429.
	RateLimit Fault = "rate limit"
	// NoCredit: the account is empty. Dialects without it answer as RateLimit.
	NoCredit Fault = "no credit"
	// TooLong: the input is longer than the context.
	TooLong Fault = "too long"
	// Unsupported refuses the parameter Param.
	Unsupported Fault = "unsupported parameter"
	// FilterInput stops the prompt.
	FilterInput Fault = "filter input"
	// Fail is a failure of the service, with Status.
	Fail Fault = "fail"
	// Redirect sends the client to another host.
	Redirect Fault = "redirect"
	// CutEarly closes the connection before anything is said.
	CutEarly Fault = "cut early"
	// Cut closes the connection in the middle of the answer.
	Cut Fault = "cut"
	// Garbage is a page of HTML with status 200.
	Garbage Fault = "garbage"
	// Empty is JSON of the protocol without an answer in it.
	Empty Fault = "empty"
	// Huge is an answer without end.
	Huge Fault = "huge"
	// Refuse: the model declines.
	Refuse Fault = "refuse"
	// Filter stops the answer.
	Filter Fault = "filter"
	// Truncate cuts the answer at its bound; Text is what there is of it.
	Truncate Fault = "truncate"
)

// Answer replies with a text.
func Answer(text string) Reply { return Reply{Text: text} }

// usage is the reply's, with the default applied.
func (r Reply) usage() llm.Usage {
	if r.Usage == (llm.Usage{}) {
		return llm.Usage{Input: 11, Output: 7}
	}
	return r.Usage
}

// message is the reply's, or else the given one.
func (r Reply) message(otherwise string) string {
	if r.Message != "" {
		return r.Message
	}
	return otherwise
}
