// Package minutesapi is the JSON of the minutes desk, under /api/v1/minutes: what
// readers find (articles, persons, issues) and what operators do (tasks, reviews).
//
// It promises that a reader is never given what did not stand up to the record:
// answers in review and failed tasks are the operators', and do not exist for
// others.
//
// Start with [Register]; article.go and assembly.go are for readers, task.go for operators.
package minutesapi

import (
	"context"

	"pressroom/internal/api"
	"pressroom/internal/desk/minutes"
)

// service is the desk behind the operations.
type service struct {
	desk   *minutes.Desk
	record Record
}

// Record puts on record that an operator is about to do something to a task. If it
// fails, nothing is done.
type Record func(ctx context.Context, what, issueID, why string) error

// Register puts the desk's operations on the API. record may be nil, for a house
// without a trail.
func Register(a *api.API, desk *minutes.Desk, record Record) {
	if record == nil {
		record = func(context.Context, string, string, string) error { return nil }
	}
	s := &service{desk, record}
	s.readers(a)
	s.assemblies(a)
	s.operators(a)
}

func pageOf(p api.Page) minutes.PageOptions {
	return minutes.PageOptions{Limit: p.Limit, Cursor: p.Cursor}
}

// same shows a value as the desk has it.
func same[T any](v T) T { return v }
