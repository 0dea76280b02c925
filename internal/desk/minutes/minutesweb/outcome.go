package minutesweb

import (
	"net/http"
	"strconv"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/web"
)

// outcome is what became of an item, in the reader's language.
type outcome struct {
	Item  string
	Path  string // of its timeline
	State string // 可決
	Tone  web.Tone
	How   string // 起立多数; "" if the chart or the state says it
	Order int
	Vote  *minutes.Vote // with numbers, for the chart; nil without
	Cast  int           // votes for and against
	Label string        // of the chart
}

// bills are the kinds of items that have a life beyond the meeting.
var bills = map[string]bool{"bill": true, "budget": true, "approval": true, "resolution": true}

// outcomes are what was decided, and the bills that were dealt with.
func (p *pages) outcomes(r *http.Request, assembly string, all []minutes.Progress) []outcome {
	var weighty, rest []outcome
	for i := range all {
		d := &all[i]
		switch {
		case bills[d.Kind]:
			weighty = append(weighty, p.outcome(r, assembly, d))
		case d.Outcome != "" && d.Kind != "other":
			rest = append(rest, p.outcome(r, assembly, d))
		}
	}
	return append(weighty, rest...)
}

func (p *pages) outcome(r *http.Request, assembly string, d *minutes.Progress) outcome {
	o := outcome{Item: d.Item, Path: pathOf(assembly, minutes.ByIssue, d.Item), Order: d.Order, State: p.state(r, d), Tone: web.Note}
	switch d.Outcome {
	case "passed", "approved", "adopted":
		o.Tone = web.Good
	case "rejected", "not_approved":
		o.Tone = web.Bad
	}
	v := d.Vote
	switch {
	case v == nil:
	case v.Result == "numbers" && v.For+v.Against > 0:
		o.Vote, o.Cast, o.Label = v, v.For+v.Against, p.site.T(r, "minutes.vote.label", strconv.Itoa(v.For), strconv.Itoa(v.Against))
	default:
		o.How = p.site.T(r, "minutes.vote."+v.Method+"."+v.Result)
	}
	return o
}

// state is what was decided on an item, or how far it came.
func (p *pages) state(r *http.Request, d *minutes.Progress) string {
	if d.Outcome == "" {
		return p.site.T(r, "minutes.stage."+d.Stage)
	}
	key := "minutes.outcome." + d.Outcome
	switch {
	case d.Outcome == "passed" && d.Amended && d.Proposed:
		key += ".amended.proposed"
	case d.Outcome == "passed" && d.Amended:
		key += ".amended"
	case (d.Outcome == "passed" || d.Outcome == "approved") && d.Proposed:
		key += ".proposed"
	}
	if reading[d.Stage] {
		return p.site.T(r, "minutes.stage."+d.Stage) + " · " + p.site.T(r, key)
	}
	return p.site.T(r, key)
}

// reading are the stages of a bill that has an outcome at each.
var reading = map[string]bool{"first_reading": true, "second_reading": true, "committee": true, "report": true, "third_reading": true}

// correction is what a later version of the record changed.
type correction struct {
	At, Item string
	Was, Is  string // "" if it was not there, or is no longer
}

func (p *pages) corrected(r *http.Request, all []minutes.Correction) []correction {
	say := func(d *minutes.Progress) string {
		if d == nil {
			return ""
		}
		o := p.outcome(r, "", d) // without its address
		for _, how := range []string{o.How, o.Label} {
			if how != "" {
				o.State += " (" + how + ")"
			}
		}
		return o.State
	}
	var out []correction
	for _, c := range all {
		if c.Wrong != "" {
			out = append(out, correction{c.At, p.site.T(r, "minutes.corrected.errata", c.Item), c.Wrong, c.Right})
			continue
		}
		out = append(out, correction{c.At, c.Item, say(c.Was), say(c.Is)})
	}
	return out
}
