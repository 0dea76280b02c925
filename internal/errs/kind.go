package errs

import (
	"iter"
	"net/http"
)

// Kind is one way to fail. It is an error itself: return it, wrap it with %w,
// test for it with errors.Is. The zero Kind is Internal.
type Kind uint8

// The kinds, grouped by whose move it is.
const (
	// Internal is a fault of ours, or an error that nobody gave a kind.
	Internal Kind = iota

	// The caller asked for something that cannot be had as asked.

	// NotFound is also the answer for what the caller may not know exists.
	NotFound
	// Gone is what was there for everyone, and that a person withdrew.
	Gone
	// Duplicate is a second creation of what must be unique.
	Duplicate
	// Conflict is a request that the present state does not allow.
	Conflict
	// Stale is an edit of a version that is no longer the current one.
	Stale
	// Malformed is input that cannot be read at all: broken JSON, a forged cursor.
	Malformed
	// Invalid is input that was read and breaks a rule; it names the fields.
	Invalid
	// TooLarge is input over a limit of size.
	TooLarge
	// Unversioned is an edit that does not say which version it is of.
	Unversioned
	// Method is a way of asking that a place does not answer: a POST to what can
	// only be read.
	Method
	// MediaType is input of a type that a place does not read.
	MediaType
	// Usage is a command line or a configuration that makes no sense.
	Usage

	// The caller may not, or not now.

	// Unauthenticated is a caller who has not signed in.
	Unauthenticated
	// Forbidden is a caller who has signed in and may not.
	Forbidden
	// RateLimited is a caller who asked too often; it says when to come back.
	RateLimited

	// The caller did nothing wrong; later it may work.

	// Unavailable is something we depend on that does not answer: a port, a
	// disk, a remote service.
	Unavailable
	// Timeout is work that took longer than it may.
	Timeout
	// Budget is work that would cost more than the operator allows.
	Budget
	// Canceled is work given up because nobody waits for it any more, or
	// because the process is stopping.
	Canceled

	numKinds
)

// row is what a kind means outside the program.
type row struct {
	status  int    // HTTP status of the answer
	code    string // "code" of the problem document; stable, part of the API
	exit    int    // exit status of a command
	message string // what the user reads when nobody wrote anything better
}

// table is the only place where a kind meets HTTP, the API and the shell.
var table = [numKinds]row{
	Internal:        {http.StatusInternalServerError, "internal", 1, "Something went wrong on our side. Try again; if it stays, tell the operator."},
	NotFound:        {http.StatusNotFound, "not_found", 1, "There is nothing here."},
	Gone:            {http.StatusGone, "gone", 1, "This was withdrawn."},
	Duplicate:       {http.StatusConflict, "duplicate", 1, "This exists already."},
	Conflict:        {http.StatusConflict, "conflict", 1, "This is not possible in the present state. Load it again and look."},
	Stale:           {http.StatusPreconditionFailed, "stale", 1, "Someone else changed this in the meantime. Load it again and repeat your change."},
	Malformed:       {http.StatusBadRequest, "malformed", 1, "The request could not be read."},
	Invalid:         {http.StatusUnprocessableEntity, "invalid", 1, "Some of the input is not right."},
	TooLarge:        {http.StatusRequestEntityTooLarge, "too_large", 1, "This is larger than allowed."},
	Unversioned:     {http.StatusPreconditionRequired, "version_required", 1, "Say which version you are changing: send the ETag that you read as If-Match."},
	Method:          {http.StatusMethodNotAllowed, "method_not_allowed", 1, "This can be had, but not in this way."},
	MediaType:       {http.StatusUnsupportedMediaType, "unsupported_media_type", 1, "Input of this type is not read here."},
	Usage:           {http.StatusBadRequest, "usage", 2, "The command makes no sense as written; see --help."},
	Unauthenticated: {http.StatusUnauthorized, "unauthenticated", 1, "Please sign in."},
	Forbidden:       {http.StatusForbidden, "forbidden", 1, "Your account may not do this."},
	RateLimited:     {http.StatusTooManyRequests, "rate_limited", 1, "Too many requests. Wait a little and try again."},
	Unavailable:     {http.StatusServiceUnavailable, "unavailable", 1, "A part that this needs does not answer. Try again shortly."},
	Timeout:         {http.StatusGatewayTimeout, "timeout", 1, "This took too long. Try again."},
	Budget:          {http.StatusServiceUnavailable, "budget_spent", 1, "The budget for this is spent. It goes on when the operator's next budget begins."},
	Canceled:        {http.StatusServiceUnavailable, "canceled", 1, "This was stopped before it was done. Try again."},
}

// lookup lets a Kind that nobody declared behave as Internal.
func (k Kind) lookup() row {
	if k >= numKinds {
		return table[Internal]
	}
	return table[k]
}

// Error returns the kind's code with spaces, the form for the log.
func (k Kind) Error() string {
	text := []byte(k.Code())
	for i, c := range text {
		if c == '_' {
			text[i] = ' '
		}
	}
	return string(text)
}

// Status returns the HTTP status that answers the kind.
func (k Kind) Status() int { return k.lookup().status }

// Code returns the problem code: lower-case words joined by underscores, unique
// to the kind and never changed once published.
func (k Kind) Code() string { return k.lookup().code }

// Exit returns the exit status of a command that ends with the kind.
func (k Kind) Exit() int { return k.lookup().exit }

// Message returns the sentence a user reads when the error has none of its own.
func (k Kind) Message() string { return k.lookup().message }

// Kinds yields every kind, in the order of declaration.
func Kinds() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for k := range numKinds {
			if !yield(k) {
				return
			}
		}
	}
}
