package desk

import (
	"slices"
	"time"

	"pressroom/internal/ops"
)

// What a desk reads of a list to tell of it: enough to say what is in it and why it
// failed, however long it is.
const (
	LookedAt     = 100
	CountedMost  = 1000
	RequeuedMost = 1000
)

// Failures counts what failed in a queue by kinds, with the latest of each. Kinds
// are few: the text itself is shown as an example.
type Failures struct {
	Queue, Path string
	Found       []ops.Failure
}

// Add counts one.
func (f *Failures) Add(kind, text string, at time.Time) {
	if kind == "" {
		kind = "other"
	}
	i := slices.IndexFunc(f.Found, func(known ops.Failure) bool { return known.Reason == kind })
	if i < 0 {
		i = len(f.Found)
		f.Found = append(f.Found, ops.Failure{Queue: f.Queue, Reason: kind, Path: f.Path})
	}
	one := &f.Found[i]
	one.Count++
	if one.Example == "" || at.After(one.Last) {
		one.Example, one.Last = text, at
	}
}

// Time reads a time as desks keep it; zero if there is none.
func Time(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
