package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind is what went wrong. A Kind is an error, so that callers can test for it:
// errors.Is(err, llm.RateLimited).
type Kind string

// The kinds, in the order in which a request meets them.
const (
	// BadRequest: the request, or its settings, cannot be served as they are.
	BadRequest Kind = "bad request"
	// Unpriced: a budget is set and the price of the model is not known.
	Unpriced Kind = "price not known"
	// BudgetExceeded: the call could cost more than is left of a budget, or the
	// account at the provider is out of credit.
	BudgetExceeded Kind = "budget exceeded"
	// CircuitOpen: the provider failed so often lately that it is left alone until
	// RetryAfter has passed.
	CircuitOpen Kind = "circuit open"
	// RateLimited: too many requests or tokens, by the provider's limits or ours.
	RateLimited Kind = "rate limited"
	// Unauthenticated: no key, a wrong one, or one that may not use the model.
	Unauthenticated Kind = "not authenticated"
	// TooLong: input, or input and output together, are more than the model takes.
	TooLong Kind = "input too long"
	// Overloaded: the service is down, overloaded or failed inside.
	Overloaded Kind = "overloaded"
	// Disconnected: the service cannot be reached, or the connection broke.
	Disconnected Kind = "disconnected"
	// Timeout: no whole answer in time.
	Timeout Kind = "timed out"
	// Malformed: the answer is not of the protocol.
	Malformed Kind = "malformed answer"
	// Refused: the model declined.
	Refused Kind = "refused"
	// Filtered: a content filter stopped input or output.
	Filtered Kind = "content filtered"
	// CutOff: the answer reached the bound on output tokens before it ended.
	CutOff Kind = "cut off"
	// InvalidOutput: the answer does not satisfy the schema or the check, and
	// neither does the second one.
	InvalidOutput Kind = "invalid output"
)

// Error makes a Kind an error.
func (k Kind) Error() string { return string(k) }

// Retryable tells whether the same call may succeed a little later. It is false
// for CircuitOpen: who opened the circuit wants no retries, but a queue may try
// again after the error's RetryAfter.
func (k Kind) Retryable() bool {
	switch k {
	case RateLimited, Overloaded, Disconnected, Timeout, Malformed:
		return true
	}
	return false
}

// mayBill tells whether a failed call may be on the provider's bill although it
// reported no usage: the model may have worked, and only the answer is missing.
func (k Kind) mayBill() bool {
	switch k {
	case Disconnected, Timeout, Malformed, Refused, Filtered, CutOff, InvalidOutput:
		return true
	}
	return false
}

// Error is a failed call. It never contains a credential.
type Error struct {
	Kind     Kind
	Provider string
	Model    string
	// Status is the HTTP status, 0 if there was none.
	Status int
	// RetryAfter is how long to wait, if the provider or a wrapper said so.
	RetryAfter time.Duration
	// Message says more, in the provider's words or ours, in one short line.
	Message string
	// Text is what the model answered, for CutOff, Refused and InvalidOutput.
	Text string
	// Usage and Cost are what the failed call spent nevertheless.
	Usage Usage
	Cost  USD
	// Unsent is true if the request is known not to have reached the service, so that
	// it cannot have cost anything.
	Unsent bool
	// Budget names the account that is exhausted, for BudgetExceeded.
	Budget string
	// Err is the cause, if there is one.
	Err error
}

// Error returns one line that names provider, kind and message.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Provider != "" {
		b.WriteString(e.Provider)
		if e.Model != "" {
			b.WriteString(" " + e.Model)
		}
		b.WriteString(": ")
	}
	b.WriteString(string(e.Kind))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// KindOf returns the kind of the first *Error in err's chain, and "" without one.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// RetryAfter returns how long err asks to wait, 0 if it does not say.
func RetryAfter(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

// spent returns what a failed call spent.
func spent(err error) (Usage, USD) {
	var e *Error
	if errors.As(err, &e) {
		return e.Usage, e.Cost
	}
	return Usage{}, 0
}

// notSent is the end of a context before a request was sent, so that budgets know
// that it cannot have cost anything.
type notSent struct{ error }

func (n notSent) Unwrap() error { return n.error }

// wait sleeps for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
