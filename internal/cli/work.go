package cli

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
)

// workCmd consumes tasks.
type workCmd struct {
	minutesSettings
	Once      bool          `setting:"-" help:"End when no task is due; default to go on until interrupted."`
	Consumers int           `setting:"-" default:"2" placeholder:"N" help:"Tasks at once."`
	Parallel  int           `setting:"-" default:"8" placeholder:"N" help:"Chunks of one task at once."`
	Poll      time.Duration `setting:"-" default:"5s" placeholder:"TIME" help:"How often an empty queue is looked at."`
	JSON      bool          `setting:"-" name:"json" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (workCmd) Help() string {
	return `Takes tasks that "pressroom collect" made, asks the language model, holds its answers
against the record, and publishes the articles. Any number of these may run, on one machine
or on many, beside workers in other languages; see docs/worker-contract.md. Interrupted, it
gives its tasks back with all that was finished. To run beside a server that has the data
directory open, use --store aws with AWS_ENDPOINT_URL set to the server's --aws-addr.`
}

// Run works and reports.
func (c *workCmd) Run(r *run) (err error) {
	if c.Consumers < 1 || c.Parallel < 1 {
		return errs.New(errs.Usage, "--consumers and --parallel are at least 1")
	}
	log := r.logger(c.commonSettings)
	d, closeStore, err := c.open(r, log, c.Parallel)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	show := progress(r.Stderr)
	defer show("")
	var mu sync.Mutex
	done := minutes.WorkReport{}
	report, err := d.Work(r.ctx, minutes.WorkOptions{
		Once: c.Once, Consumers: c.Consumers, Poll: c.Poll,
		Progress: func(e minutes.Event) {
			mu.Lock()
			defer mu.Unlock()
			done.Count(e.Outcome)
			if e.Err != nil {
				log.Warn("a task is not completed", "issueID", e.IssueID, "outcome", e.Outcome, "reason", e.Err)
			}
			show(fmt.Sprintf("%d completed, %d in review, %d to be tried again, %d failed; last %s in %s",
				done.Completed, done.Review, done.Retry, done.Failed, e.IssueID, e.Took.Round(time.Millisecond)))
		},
	})
	if c.JSON {
		return errors.Join(err, indented(r.Stdout, report))
	}
	fmt.Fprintf(r.Stdout, "%d completed, %d in review, %d to be tried again, %d failed, %d given back, %d published for others\n",
		report.Completed, report.Review, report.Retry, report.Failed, report.Released, report.Adopted)
	return err
}
