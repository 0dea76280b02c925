package newswire

import (
	"errors"
	"fmt"
	"time"
)

// Window is a part of each day, in the site's time zone. One that ends before it
// begins goes over midnight; one that ends when it begins is the whole day.
type Window struct {
	Start string `dynamodbav:"start" json:"start"` // "06:30"
	End   string `dynamodbav:"end" json:"end"`
}

var errClock = errors.New("must have a start and an end as 06:30")

func (w Window) validate() error {
	_, _, err := w.minutes()
	return err
}

// minutes returns start and end as minutes of the day.
func (w Window) minutes() (start, end int, err error) {
	if start, err = clock(w.Start); err != nil {
		return 0, 0, err
	}
	if end, err = clock(w.End); err != nil {
		return 0, 0, err
	}
	return start, end, nil
}

func clock(text string) (int, error) {
	var h, m int
	if len(text) != 5 || text[2] != ':' {
		return 0, errClock
	}
	if n, err := fmt.Sscanf(text, "%02d:%02d", &h, &m); err != nil || n != 2 || h < 0 || h > 24 || m < 0 || m > 59 || h == 24 && m > 0 {
		return 0, errClock
	}
	return h*60 + m, nil
}

// on returns the window that begins on a day. The clock may be put forward or
// back inside it: it begins at the first moment at which the clock shows its
// start or more, and ends likewise; a window that the clock jumps over as a whole
// begins at the jump and keeps its length.
func (w Window) on(year int, month time.Month, day int, loc *time.Location) (from, to time.Time, err error) {
	start, end, err := w.minutes()
	if err != nil {
		return from, to, err
	}
	nextDay := 0
	if end <= start {
		nextDay = 1
	}
	from = moment(year, month, day, start, loc)
	to = moment(year, month, day+nextDay, end, loc)
	if !to.After(from) {
		to = from.Add(time.Duration(end-start+nextDay*24*60) * time.Minute)
	}
	return from, to, nil
}

// moment is the first instant of a day at which the clock shows so many minutes
// or more.
func moment(year int, month time.Month, day, minutes int, loc *time.Location) time.Time {
	day += minutes / (24 * 60)
	minutes %= 24 * 60
	wall := time.Date(year, month, day, minutes/60, minutes%60, 0, 0, time.UTC)
	// Offsets change by a few hours at most, so that the instant is near; look
	// at it with the offsets that hold around it.
	var best time.Time
	for _, probe := range []time.Time{wall.Add(-26 * time.Hour), wall.Add(26 * time.Hour)} {
		_, offset := probe.In(loc).Zone()
		t := wall.Add(-time.Duration(offset) * time.Second)
		if shows(t.In(loc), wall) && (best.IsZero() || t.Before(best)) {
			best = t
		}
	}
	if !best.IsZero() {
		return best
	}
	// The clock never shows it: it is the moment of the jump.
	return jump(wall.Add(-26*time.Hour), wall.Add(26*time.Hour), loc)
}

func shows(t, wall time.Time) bool {
	return t.Year() == wall.Year() && t.YearDay() == wall.YearDay() && t.Hour() == wall.Hour() && t.Minute() == wall.Minute()
}

// jump finds the moment between two at which the zone's offset changes.
func jump(from, to time.Time, loc *time.Location) time.Time {
	_, before := from.In(loc).Zone()
	for to.Sub(from) > time.Second {
		middle := from.Add(to.Sub(from) / 2)
		if _, offset := middle.In(loc).Zone(); offset == before {
			from = middle
		} else {
			to = middle
		}
	}
	return to.Truncate(time.Second)
}

// OpenWindow returns the window of the site that now is in, if there is one; of
// several, the one that ends last. A site without windows is never crawled by
// the schedule.
func (s *Site) OpenWindow(now time.Time) (from, to time.Time, open bool) {
	loc := s.zone()
	year, month, day := now.In(loc).Date()
	for _, w := range s.CrawlWindows {
		for back := range 2 { // it may have begun yesterday
			a, b, err := w.on(year, month, day-back, loc)
			if err == nil && !now.Before(a) && now.Before(b) && b.After(to) {
				from, to, open = a, b, true
			}
		}
	}
	return from, to, open
}

// NextWindow returns when the site's next window begins, and false if it has
// none.
func (s *Site) NextWindow(now time.Time) (time.Time, bool) {
	loc := s.zone()
	year, month, day := now.In(loc).Date()
	var next time.Time
	for _, w := range s.CrawlWindows {
		for ahead := range 3 {
			from, _, err := w.on(year, month, day+ahead, loc)
			if err == nil && from.After(now) && (next.IsZero() || from.Before(next)) {
				next = from
			}
		}
	}
	return next, !next.IsZero()
}
