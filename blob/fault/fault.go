// Package fault holds the errors of S3: their codes, HTTP statuses and
// messages, as the "Error responses" page of the Amazon S3 API Reference lists
// them. The store returns them and the HTTP endpoint prints them, so that what
// a client sees is decided where the fact is known.
//
// It promises that an error's code never changes on its way out: errors.Is
// compares codes, whatever details were added. Start reading at [Error];
// table.go is the list.
package fault

import (
	"errors"
	"fmt"
)

// An Error is one S3 error answer. It is immutable; [Error.With] and
// [Error.Say] return changed copies.
type Error struct {
	Code    string
	Message string
	Status  int     // HTTP
	Details []Field // further elements of the answer's body
	Headers []Field // further headers of the answer
	Cause   error   // what happened underneath; for the log, never for the client
}

// A Field is one named detail.
type Field struct{ Name, Value string }

// Error returns code and message, and the cause if there is one.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return e.Code + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is an S3 error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// With returns e with one more detail in its body.
func (e *Error) With(name, value string) *Error {
	c := *e
	c.Details = append(c.Details[:len(c.Details):len(c.Details)], Field{name, value})
	return &c
}

// WithHeader returns e with one more header.
func (e *Error) WithHeader(name, value string) *Error {
	c := *e
	c.Headers = append(c.Headers[:len(c.Headers):len(c.Headers)], Field{name, value})
	return &c
}

// Say returns e with another message.
func (e *Error) Say(format string, args ...any) *Error {
	c := *e
	c.Message = fmt.Sprintf(format, args...)
	return &c
}

// Because returns e with a cause for the log.
func (e *Error) Because(err error) *Error {
	c := *e
	c.Cause = err
	return &c
}

// Argument returns an InvalidArgument that names the argument and its value.
func Argument(name, value, message string) *Error {
	return InvalidArgument.Say("%s", message).With("ArgumentName", name).With("ArgumentValue", value)
}

// From returns the S3 error in err's chain, or InternalError because of err.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return InternalError.Because(err)
}
