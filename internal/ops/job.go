package ops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/robfig/cron/v3"
)

// Job is work that is done again and again. Exactly one of Every and Cron says
// when; both empty is a job that only operators run.
type Job struct {
	// Name is unique, lower case, with dashes: "newswire-crawl".
	Name string
	// Doc says in a sentence what it does, for the operators' page.
	Doc string

	// Every is the time from the end of one run to the begin of the next.
	Every time.Duration
	// Cron is a time of day or week in five fields: minute, hour, day of month,
	// month, day of week ("30 4 * * *"), or @daily and the like.
	Cron string
	// Zone is the time zone of Cron; UTC if empty. A time that daylight saving
	// leaves out is skipped, and one at a fixed hour that comes twice counts once.
	Zone string

	// Lease is how long a process that died keeps others from the job; it is
	// renewed while the job runs. One minute if zero.
	Lease time.Duration
	// Timeout is how long a run may take; no limit if zero.
	Timeout time.Duration

	// Outside says that the job asks other people's sites, which may be for
	// processes of their own.
	Outside bool

	// Run does the work. It must end soon after its context does, which also
	// happens when the lease is lost, and may be called again after it was cut
	// off at any point. Its error is what operators read.
	Run func(context.Context, *Progress) error

	schedule cron.Schedule
}

const defaultLease = time.Minute

// cronFields are the five usual ones and the words for common times.
var cronFields = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// prepare checks the job and fills in the defaults.
func (j *Job) prepare() error {
	switch {
	case j.Name == "" || len(j.Name) > nameMax:
		return errors.New("it has no name of up to 64 characters")
	case j.Run == nil:
		return errors.New("it does nothing")
	case j.Every != 0 && j.Cron != "":
		return errors.New("it has both a time between runs and a cron expression")
	case j.Every < 0 || j.Lease < 0 || j.Timeout < 0:
		return errors.New("it has a time below zero")
	}
	if j.Lease == 0 {
		j.Lease = defaultLease
	}
	if j.Cron == "" {
		return nil
	}
	zone := j.Zone
	if zone == "" {
		zone = "UTC"
	}
	if _, err := time.LoadLocation(zone); err != nil {
		return fmt.Errorf("zone %q: %w", zone, err)
	}
	schedule, err := cronFields.Parse("CRON_TZ=" + zone + " " + j.Cron)
	if err != nil {
		return fmt.Errorf("cron expression %q: %w", j.Cron, err)
	}
	j.schedule = schedule
	return nil
}

// next returns when the job is due after a run that ended then; zero if only
// operators run it.
func (j *Job) next(ended time.Time) time.Time {
	switch {
	case j.Every > 0:
		return ended.Add(j.Every)
	case j.schedule != nil:
		next := j.schedule.Next(ended)
		if j.fixedHour() && repeated(next) {
			next = j.schedule.Next(next)
		}
		return next
	}
	return time.Time{}
}

// fixedHour reports whether the cron expression names hours of the day, instead
// of every so many.
func (j *Job) fixedHour() bool {
	fields := strings.Fields(j.Cron)
	return len(fields) == 5 && !strings.HasPrefix(fields[1], "*")
}

// repeated reports whether the clock showed the same time before, because it was
// set back in between.
func repeated(t time.Time) bool {
	_, now := t.Zone()
	_, before := t.Add(-time.Hour).Zone()
	if before <= now {
		return false
	}
	_, then := t.Add(-time.Duration(before-now) * time.Second).Zone()
	return then == before
}

// first returns when a job is due that never ran: one with a time between runs
// at once, one with a clock time at that time.
func (j *Job) first(now time.Time) time.Time {
	if j.Every > 0 {
		return now
	}
	return j.next(now)
}

// Progress is how far a run is. Its methods may be called from many goroutines;
// what they say is stored whenever the lease is renewed, and at the end.
type Progress struct {
	mu     sync.Mutex
	done   int
	total  int
	note   string
	counts map[string]int
}

// Of says how much there is to do.
func (p *Progress) Of(total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total = total
}

// Add says that n more are done.
func (p *Progress) Add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
}

// Count counts something by name, such as "fetched" or "skipped".
func (p *Progress) Count(what string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts == nil {
		p.counts = map[string]int{}
	}
	p.counts[what] += n
}

// Note says in words what is being done, or what came of it.
func (p *Progress) Note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note = cutText(fmt.Sprintf(format, args...), textMax)
}

// into writes what is known into a run.
func (p *Progress) into(r *Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Done, r.Total, r.Note, r.Counts = p.done, p.total, p.note, maps.Clone(p.counts)
}

// cutText cuts text to at most n bytes, between characters.
func cutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	cut := 0
	for i := range text {
		if i > n {
			break
		}
		cut = i
	}
	return text[:cut]
}
