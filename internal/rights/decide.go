package rights

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Use is something that can be done with a work.
type Use string

// The uses.
const (
	Fetch     Use = "fetch"     // ask the source for the page
	Keep      Use = "keep"      // have it here at all: its title, its address and its text to work on
	Copy      Use = "copy"      // keep the page as it was fetched
	Text      Use = "text"      // show readers the whole text
	Summarise Use = "summarise" // have a machine tell what it says, and show that
	Excerpt   Use = "excerpt"   // show words of its own, also those that a summary copies
	Search    Use = "search"    // let it be found by searching
	Picture   Use = "picture"   // show its pictures
	Agents    Use = "agents"    // give more than title and address to programs that act for others
)

// Uses returns all uses, in the order in which they are told.
func Uses() []Use {
	return []Use{Fetch, Keep, Copy, Text, Summarise, Excerpt, Search, Picture, Agents}
}

// Reason is what decided about a use: a signal, or the basis. One of the two is there.
type Reason struct {
	Said  Said `json:"said,omitzero"`
	Basis Kind `json:"basis,omitempty"`
}

// Key names the words for the reason; Args are what they are about: where it was said,
// which is a key itself, and what.
func (r Reason) Key() string {
	if r.Basis != "" {
		return "rights.because." + string(r.Basis)
	}
	return "rights.because"
}

// Args are the arguments of the words: the key of the place, and the quotation.
func (r Reason) Args() (where, quote string) {
	if r.Basis != "" {
		return "", ""
	}
	return "rights.where." + string(r.Said.Where), r.Said.Quote()
}

// String is the reason for logs and terminals.
func (r Reason) String() string {
	if r.Basis != "" {
		return string(r.Basis)
	}
	return r.Said.Quote() + " (" + string(r.Said.Where) + ")"
}

// Decision is what may be done with a work, and what decided.
type Decision struct {
	Basis Basis // that is in force
	// Most is how many characters of the text may be shown in parts, besides what
	// Cap allows: the source's own limit. Negative for none.
	Most int

	stopped []stopped
	limit   Reason // whose limit Most is
}

// stopped is a use that is not allowed.
type stopped struct {
	use Use
	why Reason
}

func (d *Decision) find(u Use) int {
	return slices.IndexFunc(d.stopped, func(s stopped) bool { return s.use == u })
}

// May reports whether a use is allowed.
func (d Decision) May(u Use) bool { return d.find(u) < 0 }

// Why returns what decided about a use: what stopped it, or limits it, or else the
// basis.
func (d Decision) Why(u Use) Reason {
	if i := d.find(u); i >= 0 {
		return d.stopped[i].why
	}
	if u == Excerpt && d.Most >= 0 {
		return d.limit
	}
	return Reason{Basis: d.Basis.Kind}
}

// Decide says what may be done with a work on a basis, after what its source said.
// Of everything that was said the strictest holds, use by use. A permission for a
// use, and that a work is our own, outweigh signals, except for fetching. Whatever
// may not be fetched or kept may not be used otherwise.
func Decide(b Basis, said []Said, now time.Time) Decision {
	b = b.inForce(now)
	d := Decision{Basis: b, Most: -1, stopped: make([]stopped, 0, 4)}
	byRank := func(x, y Said) int { return rank(x.Signal) - rank(y.Signal) }
	if !slices.IsSortedFunc(said, byRank) { // what is kept is sorted
		said = slices.Clone(said)
		slices.SortStableFunc(said, byRank)
	}
	for _, s := range said {
		uses, most := s.stops(now)
		for _, u := range uses {
			d.stop(u, Reason{Said: s})
		}
		if most >= 0 && !b.outweighs(Excerpt) && (d.Most < 0 || most < d.Most) {
			d.Most, d.limit = most, Reason{Said: s}
		}
	}
	for _, u := range []Use{Text, Picture} { // a quotation has neither
		if !b.covers(u) {
			d.stop(u, Reason{Basis: b.Kind})
		}
	}
	return d
}

// stop stops a use and what depends on it, except what the basis outweighs. Who
// stopped it first is the reason.
func (d *Decision) stop(u Use, why Reason) {
	if !d.Basis.outweighs(u) && d.find(u) < 0 {
		d.stopped = append(d.stopped, stopped{u, why})
	}
	switch u {
	case Fetch:
		d.stop(Keep, why)
	case Keep:
		for _, other := range []Use{Copy, Text, Summarise, Excerpt, Search, Picture, Agents} {
			d.stop(other, why)
		}
	case Copy, Excerpt:
		d.stop(Text, why)
	}
}

// byMachine is what those stop who want no model to have the text.
var byMachine = []Use{Summarise, Agents}

// stops returns the uses that a signal stops, and how many characters it lets be
// shown; negative for no limit. What cannot be read stops what it could be about.
func (s Said) stops(now time.Time) (uses []Use, most int) {
	switch s.Signal {
	case Disallow:
		return []Use{Fetch}, -1
	case NoIndex:
		return []Use{Keep}, -1
	case UnavailableAfter:
		if end, ok := readDate(s.Value); !ok || !now.Before(end) {
			return []Use{Keep}, -1
		}
	case NoArchive:
		return []Use{Copy}, -1
	case NoSnippet:
		return []Use{Excerpt, Summarise, Agents}, -1
	case MaxSnippet:
		n, err := strconv.Atoi(s.Value)
		switch {
		case err != nil || n == 0 || n < -1:
			return []Use{Excerpt, Summarise, Agents}, -1
		case n > 0:
			return nil, n
		}
	case NoAI:
		return byMachine, -1
	case NoImageAI, NoImageIndex:
		return []Use{Picture}, -1
	case MaxImagePreview:
		if s.Value != "standard" && s.Value != "large" {
			return []Use{Picture}, -1
		}
	case TDM:
		if reservation, _, _ := strings.Cut(s.Value, " "); reservation != "0" {
			return byMachine, -1
		}
	case ContentUsage, ContentSignal, RSL:
		return s.preference(), -1
	}
	return nil, -1
}

// preference returns what a preference about a category of use stops.
func (s Said) preference() []Use {
	key, value, ok := strings.Cut(s.Value, "=")
	if ok && (value == "y" || value == "yes") {
		return nil
	}
	switch {
	case !ok || value != "n" && value != "no":
		return append([]Use{Search}, byMachine...) // it cannot be read
	case key == "all" && s.Signal == RSL:
		return []Use{Keep}
	case key == "all" || key == "tdm": // of earlier drafts: processing by any machine
		return append([]Use{Search}, byMachine...)
	case key == "search":
		return []Use{Search}
	case key == "ai-input" || key == "ai-use" || key == "inference" || key == "ai-all":
		return byMachine
	}
	return nil // training, and what nobody here knows: nothing here does it
}
