package opsweb

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"pressroom/internal/ops"
	"pressroom/internal/web"
)

// trouble is something that an operator should look at.
type trouble struct {
	Tone   web.Tone // Bad: it is broken. Warn: it will be, or somebody is waited for.
	Text   string
	Detail string // in the program's own words
	Path   string // where it is mended; "" for nowhere here
}

// When something is worth a look.
const (
	budgetWarn  = 0.8
	failuresBad = 3       // runs of a job in a row
	diskBad     = 1 << 30 // free bytes
	overdue     = 5 * time.Minute
)

// troubles lists what is wrong, the worst first.
func (p *pages) troubles(r *http.Request, s ops.Snapshot, parts []Part) []trouble {
	var all []trouble
	add := func(tone web.Tone, path, detail, key string, args ...any) {
		all = append(all, trouble{Tone: tone, Text: p.site.T(r, key, args...), Detail: detail, Path: path})
	}
	for _, part := range parts {
		if part.Err != nil {
			add(web.Bad, "", part.Err.Error(), "ops.trouble.part", part.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Failed)) {
		add(web.Bad, "", s.Failed[name], "ops.trouble.source", name)
	}
	for _, j := range s.Jobs {
		p.jobTroubles(j, s.At, add)
	}
	for _, q := range s.Queues {
		name := p.queueName(r, q.Name)
		if n := q.Items["failed"]; n > 0 {
			add(web.Warn, q.Path, "", "ops.trouble.failed", name, n)
		}
		if q.Late(s.At) {
			add(web.Warn, q.Path, "", "ops.trouble.late", name, p.span(r, s.At.Sub(q.Oldest)))
		}
	}
	p.searchTroubles(r, s.Indexes, add)
	for _, sp := range s.Spending {
		name := p.deskName(r, sp.Name)
		switch share := sp.Share(); {
		case share >= 1:
			add(web.Bad, root+"/models", "", "ops.trouble.spent", name, dollars(sp.Budget))
		case share >= budgetWarn:
			add(web.Warn, root+"/models", "", "ops.trouble.spending", name, int(share*100), dollars(sp.Budget))
		}
	}
	for _, d := range s.Disks {
		if d.Free >= 0 && d.Free < diskBad {
			add(web.Bad, root+"/storage", "", "ops.trouble.disk", d.Name, size(d.Free))
		}
		if d.Damages > 0 {
			add(web.Bad, root+"/storage", "", "ops.trouble.damage", d.Name)
		}
	}
	slices.SortStableFunc(all, func(a, b trouble) int { return strings.Compare(string(a.Tone), string(b.Tone)) }) // bad before warn
	return all
}

// jobTroubles tells of a job that fails, that is paused, or that nobody runs.
func (p *pages) jobTroubles(j ops.JobStatus, now time.Time, add func(tone web.Tone, path, detail, key string, args ...any)) {
	switch {
	case j.Failures > 0 && j.Last != nil:
		tone := web.Warn
		if j.Failures >= failuresBad {
			tone = web.Bad
		}
		key := "ops.trouble.job"
		if j.Failures == 1 {
			key = "ops.trouble.job.once"
		}
		add(tone, jobPath(j.Name), j.Last.Error, key, j.Name, j.Failures)
	case j.Paused:
		add(web.Warn, jobPath(j.Name), "", "ops.trouble.paused", j.Name)
	case !j.Next.IsZero() && j.Owner == "" && now.Sub(j.Next) > overdue:
		add(web.Warn, jobPath(j.Name), "", "ops.trouble.overdue", j.Name)
	}
}

// ready asks for the parts, if somebody tells.
func (p *pages) ready(ctx context.Context) []Part {
	if p.Ready == nil {
		return nil
	}
	return p.Ready(ctx)
}

// queueName and deskName are what people call them; the program's own name if
// nobody has translated it.
func (p *pages) queueName(r *http.Request, name string) string {
	return p.site.Tor(r, "ops.queue."+name, name)
}

func (p *pages) deskName(r *http.Request, name string) string {
	return p.site.Tor(r, "ops.desk."+name, name)
}
