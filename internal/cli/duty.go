package cli

import (
	"fmt"
	"slices"
	"strings"

	"pressroom/internal/ops"
)

// duty is a part of the newsroom's work that a process can have for itself.
type duty string

// The duties. Processes that share a store may have one each, or several; which of
// those that have the same one does a piece of work, a lease in the store decides.
const (
	webDuty     duty = "web"     // pages and JSON
	workerDuty  duty = "worker"  // what the language model and the clock ask for
	crawlerDuty duty = "crawler" // asking other people's sites
)

var allDuties = duties{webDuty, workerDuty, crawlerDuty}

// duties are what one process does.
type duties []duty

// UnmarshalText accepts names with commas between them; all stands for all.
func (d *duties) UnmarshalText(text []byte) error {
	var found duties
	for name := range strings.SplitSeq(string(text), ",") {
		switch one := duty(strings.TrimSpace(name)); {
		case one == "all":
			found = append(found, allDuties...)
		case slices.Contains(allDuties, one):
			found = append(found, one)
		default:
			return fmt.Errorf("%q is not web, worker, crawler or all", name)
		}
	}
	*d = nil
	for _, one := range allDuties {
		if slices.Contains(found, one) {
			*d = append(*d, one)
		}
	}
	return nil
}

func (d duties) String() string {
	if len(d) == len(allDuties) {
		return "all"
	}
	words := make([]string, len(d))
	for i, one := range d {
		words[i] = string(one)
	}
	return strings.Join(words, ",")
}

func (d duties) has(one duty) bool { return slices.Contains(d, one) }

// dutyOf returns whose work a job is: the crawler's, if it asks other people's
// sites.
func dutyOf(job *ops.Job) duty {
	if job.Outside {
		return crawlerDuty
	}
	return workerDuty
}

// runs reports whether a process with these duties runs the job.
func (d duties) runs(job *ops.Job) bool { return d.has(dutyOf(job)) }
