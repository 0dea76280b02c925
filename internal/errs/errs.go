// Package errs names the ways in which Pressroom can fail, and says once, in one
// table, what each way means to a browser, to an API client and to a shell.
//
// A [Kind] is itself an error, so that code can return, wrap and test for it
// without ceremony:
//
//	return fmt.Errorf("get post %s: %w", id, errs.NotFound)
//	if errors.Is(err, errs.NotFound) { … }
//
// An [Error] is a kind together with what a person is told: a sentence, the
// fields that are wrong, the time to wait. The package promises that every
// error has a kind (what is unknown is [Internal]) and that what it shows to a
// user never comes from an error's chain, which is for the log.
//
// Start with the table in kind.go.
package errs

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Error is a kind with what the user is told about it. Build one with [New],
// [Wrap], [Validation] or [RateLimit]; the fields are not changed afterwards.
type Error struct {
	// Kind is what went wrong, in general.
	Kind Kind
	// Message is a sentence for the user: what happened and what to do next.
	// Empty means the kind's own message.
	Message string
	// Fields says what is wrong with which part of the input; only Invalid
	// and Malformed errors have any.
	Fields []Field
	// RetryAfter is how long to wait before trying again; zero is unknown.
	RetryAfter time.Duration

	cause error
}

// Field is one thing that is wrong with the input.
type Field struct {
	// Name is the path of the input as the caller wrote it: "title",
	// "blocks[3].url".
	Name string `json:"name"`
	// Message says what is wrong with it: "must be at most 200 characters".
	Message string `json:"message"`
}

// New returns an error of the kind with a sentence for the user.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Wrap gives cause a kind and a sentence for the user. The cause stays in the
// chain for errors.Is, errors.As and the log; the user does not see it.
func Wrap(cause error, kind Kind, format string, args ...any) *Error {
	e := New(kind, format, args...)
	e.cause = cause
	return e
}

// Validation returns an Invalid error that names every wrong field, in the
// order given.
func Validation(fields ...Field) *Error {
	return &Error{Kind: Invalid, Fields: fields}
}

// RateLimit returns a RateLimited error; after is when the caller may try again.
func RateLimit(after time.Duration) *Error {
	return &Error{Kind: RateLimited, RetryAfter: after}
}

// Error returns the text for the log: the sentence, the fields and the cause.
func (e *Error) Error() string {
	text := e.Message
	if text == "" {
		text = e.Kind.Error()
	}
	for i, f := range e.Fields {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		text += sep + f.Name + " " + f.Message
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is the error's own kind, so that
// errors.Is(err, errs.NotFound) holds for kinds and errors alike.
func (e *Error) Is(target error) bool {
	kind, ok := target.(Kind)
	return ok && kind == e.Kind
}

// KindOf returns the outermost kind in err's chain. A context's own errors are
// Timeout and Canceled; whatever else has no kind is Internal. KindOf(nil)
// panics: asking for the kind of success is a mistake in the caller.
func KindOf(err error) Kind {
	if err == nil {
		panic("errs: KindOf(nil)")
	}
	if kind, ok := outermost(err); ok {
		return kind
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.Is(err, context.Canceled):
		return Canceled
	}
	return Internal
}

// outermost walks the chain in the order of errors.Is and returns the first
// kind that it meets, whether bare or inside an Error.
func outermost(err error) (Kind, bool) {
	switch e := err.(type) { //nolint:errorlint // the walk is the unwrapping
	case Kind:
		return e, true
	case *Error:
		return e.Kind, true
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return outermost(inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if kind, ok := outermost(inner); ok {
				return kind, true
			}
		}
	}
	return Internal, false
}

// Message returns the sentence for the user: the outermost Error's own, or its
// kind's. The chain's text is never part of it.
func Message(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Message != "" && e.Kind == KindOf(err) {
		return e.Message
	}
	return KindOf(err).Message()
}

// Fields returns what is wrong with the input, or nil.
func Fields(err error) []Field {
	var e *Error
	if errors.As(err, &e) {
		return e.Fields
	}
	return nil
}

// RetryAfter returns how long to wait before trying again, and whether err
// says so.
func RetryAfter(err error) (time.Duration, bool) {
	var e *Error
	if errors.As(err, &e) && e.RetryAfter > 0 {
		return e.RetryAfter, true
	}
	return 0, false
}
