package opsweb

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"pressroom/internal/ops"
)

// span says how long something takes or has waited, to about two digits.
func (p *pages) span(r *http.Request, d time.Duration) string {
	switch {
	case d < time.Second:
		return p.site.T(r, "ops.span.ms", d.Milliseconds())
	case d < 10*time.Second:
		return p.site.T(r, "ops.span.s", strconv.FormatFloat(d.Seconds(), 'f', 1, 64))
	case d < 2*time.Minute:
		return p.site.T(r, "ops.span.s", int(d.Seconds()))
	case d < 2*time.Hour:
		return p.site.T(r, "ops.span.m", int(d.Minutes()))
	case d < 48*time.Hour:
		return p.site.T(r, "ops.span.h", int(d.Hours()))
	}
	return p.site.T(r, "ops.span.d", int(d.Hours()/24))
}

// ago says how long ago a time was; "" for none.
func (p *pages) ago(r *http.Request, t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return p.site.T(r, "ops.ago", p.span(r, max(now.Sub(t), 0)))
}

// until says how long it is to a time.
func (p *pages) until(r *http.Request, t, now time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case !t.After(now):
		return p.site.T(r, "ops.now")
	}
	return p.site.T(r, "ops.until", p.span(r, t.Sub(now)))
}

// timeOf reads a time as it is stored; zero if there is none.
func timeOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// size is a number of bytes, to three digits.
func size(n int64) string {
	if n < 0 {
		return "–"
	}
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	value, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB", "PB"} {
		if value /= 1000; value < 999.5 {
			break
		}
	}
	return digits(value) + " " + unit
}

// digits shows a number with about three digits.
func digits(value float64) string {
	switch {
	case value == 0:
		return "0"
	case value < 0.01:
		return "< 0.01"
	case value < 10:
		return strconv.FormatFloat(value, 'f', 2, 64)
	case value < 100:
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return strconv.FormatFloat(value, 'f', 0, 64)
}

// dollars is an amount of money; small ones with the digits that matter.
func dollars(amount float64) string {
	switch {
	case amount == 0:
		return "$0"
	case amount < 0.0001:
		return "< $0.0001"
	case amount < 1:
		return fmt.Sprintf("$%.4f", amount)
	}
	return fmt.Sprintf("$%.2f", amount)
}

// tones are what to think of the state of a run.
func tone(state string) string {
	switch state {
	case ops.Running:
		return "note"
	case ops.Done:
		return "good"
	case ops.Partial, ops.Lost:
		return "warn"
	case ops.Failed:
		return "bad"
	}
	return ""
}
