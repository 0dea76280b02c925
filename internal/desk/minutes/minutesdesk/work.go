package minutesdesk

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"pressroom/internal/desk"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
)

const workHelp = `Takes tasks that "pressroom collect" made, asks the language model, holds its answers
against the record, and publishes the articles. Any number of these may run, on one machine
or on many, beside workers in other languages; see docs/worker-contract.md. Interrupted, it
gives its tasks back with all that was finished. To run beside a server that has the data
directory open, use --store aws with AWS_ENDPOINT_URL set to the server's --aws-addr.`

// workCmd consumes tasks.
type workCmd struct {
	Once      bool          `setting:"-" help:"End when no task is due; default to go on until interrupted."`
	Consumers int           `setting:"-" default:"2" placeholder:"N" help:"Tasks at once."`
	Parallel  int           `setting:"-" default:"8" placeholder:"N" help:"Chunks of one task at once."`
	Poll      time.Duration `setting:"-" default:"5s" placeholder:"TIME" help:"How often an empty queue is looked at."`
	JSON      bool          `setting:"-" name:"json" help:"Print JSON."`
}

// Run works and reports.
func (c *workCmd) Run(t *desk.Terminal) error {
	if c.Consumers < 1 || c.Parallel < 1 {
		return errs.New(errs.Usage, "--consumers and --parallel are at least 1")
	}
	room, err := t.Open()
	if err != nil {
		return err
	}
	d, err := build(t.Context, room, c.Parallel)
	if err != nil {
		return err
	}
	show := t.Progress()
	defer show("")
	var mu sync.Mutex
	done := minutes.WorkReport{}
	report, err := d.Work(t.Context, minutes.WorkOptions{
		Once: c.Once, Consumers: c.Consumers, Poll: c.Poll,
		Progress: func(e minutes.Event) {
			mu.Lock()
			defer mu.Unlock()
			done.Count(e.Outcome)
			if e.Err != nil {
				t.Log.Warn("a task is not completed", "issueID", e.IssueID, "outcome", e.Outcome, "reason", e.Err)
			}
			show(fmt.Sprintf("%d completed, %d in review, %d to be tried again, %d failed; last %s in %s",
				done.Completed, done.Review, done.Retry, done.Failed, e.IssueID, e.Took.Round(time.Millisecond)))
		},
	})
	if c.JSON {
		return errors.Join(err, t.JSON(report))
	}
	fmt.Fprintf(t.Out, "%d completed, %d in review, %d to be tried again, %d failed, %d given back, %d published for others\n",
		report.Completed, report.Review, report.Retry, report.Failed, report.Released, report.Adopted)
	return err
}
