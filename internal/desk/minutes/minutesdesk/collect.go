package minutesdesk

import (
	"errors"
	"fmt"
	"io"

	"pressroom/internal/desk"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
)

const collectHelp = `Reads the minutes of parliament between two days, archives them and makes a task of each
meeting for "pressroom work". What is known already is left alone. Interrupted, the same
command goes on where it was. To run beside a server that has the data directory open, use
--store aws with AWS_ENDPOINT_URL set to the server's --aws-addr.`

// collectCmd reads meetings and makes their tasks.
type collectCmd struct {
	From  string `setting:"-" placeholder:"DAY" help:"The first day, as in 2026-11-01; default the days that a daily collection looks back."`
	Until string `setting:"-" placeholder:"DAY" help:"The last day; default today."`
	JSON  bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Run collects and reports.
func (c *collectCmd) Run(t *desk.Terminal) error {
	if (c.From == "") != (c.Until == "") && c.From == "" {
		return errs.New(errs.Usage, "--until needs --from")
	}
	room, err := t.Open()
	if err != nil {
		return err
	}
	d, err := build(t.Context, room, 0)
	if err != nil {
		return err
	}
	report, err := c.collect(t, d)
	if err != nil && report.Calls == 0 {
		return err
	}
	if c.JSON {
		err = errors.Join(err, t.JSON(report))
	} else {
		printCollected(t.Out, report)
	}
	switch {
	case err == nil:
		return nil
	case t.Context.Err() != nil:
		return errs.Wrap(err, errs.Canceled, "interrupted after %d meetings; the same command goes on from there", report.Meetings)
	}
	return errs.Wrap(err, errs.Unavailable, "stopped after %d meetings: %v; the same command goes on from there", report.Meetings, err)
}

func (c *collectCmd) collect(t *desk.Terminal, d *minutes.Desk) (minutes.CollectReport, error) {
	show := t.Progress()
	defer show("")
	step := func(p minutes.CollectReport) {
		show(fmt.Sprintf("%d meetings, %d new, %d changed, %d unusable, %d calls", p.Meetings, p.New, p.Changed, p.Unusable, p.Calls))
	}
	if c.From == "" {
		return d.CollectDaily(t.Context, step)
	}
	until := c.Until
	if until == "" {
		until = d.Today()
	}
	return d.Collect(t.Context, c.From, until, step)
}

func printCollected(w io.Writer, p minutes.CollectReport) {
	fmt.Fprintf(w, "%s to %s: %d meetings, %d new, %d changed, %d unchanged, %d unusable\n",
		p.From, p.Until, p.Meetings, p.New, p.Changed, p.Unchanged, p.Unusable)
	for _, problem := range p.Problems {
		fmt.Fprintf(w, "  %s: %s\n", problem.IssueID, problem.What)
	}
}
