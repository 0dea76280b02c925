package model

import (
	"context"
	"fmt"
	"time"
)

// TimeLayout is how times are stored: ISO 8601, UTC, fixed width with
// milliseconds, so that they sort as text.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime writes a time as it is stored. What is finer than a millisecond is
// cut off.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }

// ParseTime reads a stored time; one with whole seconds, with another precision
// or in another zone is read as well.
func ParseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no time in ISO 8601", text)
	}
	return t.UTC(), nil
}

// Sleep waits, or returns the error of ctx if that ends before.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
