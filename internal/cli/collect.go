package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/model"
)

// minutesSettings are what the commands of the minutes desk share.
type minutesSettings struct {
	targetSettings
	nameSettings
	llmSettings
	commonSettings
	recordSettings
}

// open returns the desk on its store, whose tables and buckets are made if they are
// missing; the closer closes it.
func (s minutesSettings) open(r *run, log *slog.Logger, parallel int) (*minutes.Desk, func() error, error) {
	client, err := s.client()
	if err != nil {
		return nil, nil, err
	}
	st, err := s.targetSettings.open(r.ctx, endpointSettings{}, log)
	if err != nil {
		return nil, nil, err
	}
	schema := minutes.Schema.Named(s.nameOf)
	d, err := s.desk(r, st, schema, minutes.Options{
		Schema: &schema, Log: log, HTTP: client.HTTP(), SourceURL: s.MinutesURL, Pause: s.pause(),
		PromptTokens: s.PromptTokens, Parallel: parallel,
	})
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	return d, st.Close, nil
}

func (s minutesSettings) desk(r *run, st *store, schema model.Schema, o minutes.Options) (*minutes.Desk, error) {
	provider, err := s.onStore(r.ctx, st, s.nameSettings, o.Log, schema)
	if err != nil {
		return nil, err
	}
	return minutes.New(st.db, st.client, provider, &o)
}

// collectCmd reads meetings and makes their tasks.
type collectCmd struct {
	minutesSettings
	From  string `setting:"-" placeholder:"DAY" help:"The first day, as in 2026-11-01; default the days that a daily collection looks back."`
	Until string `setting:"-" placeholder:"DAY" help:"The last day; default today."`
	JSON  bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (collectCmd) Help() string {
	return `Reads the minutes of parliament between two days, archives them and makes a task of each
meeting for "pressroom work". What is known already is left alone. Interrupted, the same
command goes on where it was. To run beside a server that has the data directory open, use
--store aws with AWS_ENDPOINT_URL set to the server's --aws-addr.`
}

// Run collects and reports.
func (c *collectCmd) Run(r *run) (err error) {
	if (c.From == "") != (c.Until == "") && c.From == "" {
		return errs.New(errs.Usage, "--until needs --from")
	}
	log := r.logger(c.commonSettings)
	d, closeStore, err := c.open(r, log, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	report, err := c.collect(r, d)
	if err != nil && report.Calls == 0 {
		return err
	}
	if c.JSON {
		err = errors.Join(err, indented(r.Stdout, report))
	} else {
		printCollected(r.Stdout, report)
	}
	switch {
	case err == nil:
		return nil
	case r.ctx.Err() != nil:
		return errs.Wrap(err, errs.Canceled, "interrupted after %d meetings; the same command goes on from there", report.Meetings)
	}
	return errs.Wrap(err, errs.Unavailable, "stopped after %d meetings: %v; the same command goes on from there", report.Meetings, err)
}

func (c *collectCmd) collect(r *run, d *minutes.Desk) (minutes.CollectReport, error) {
	show := progress(r.Stderr)
	defer show("")
	step := func(p minutes.CollectReport) {
		show(fmt.Sprintf("%d meetings, %d new, %d changed, %d unusable, %d calls", p.Meetings, p.New, p.Changed, p.Unusable, p.Calls))
	}
	if c.From == "" {
		return d.CollectDaily(r.ctx, step)
	}
	until := c.Until
	if until == "" {
		until = d.Today()
	}
	return d.Collect(r.ctx, c.From, until, step)
}

func printCollected(w io.Writer, p minutes.CollectReport) {
	fmt.Fprintf(w, "%s to %s: %d meetings, %d new, %d changed, %d unchanged, %d unusable\n",
		p.From, p.Until, p.Meetings, p.New, p.Changed, p.Unchanged, p.Unusable)
	for _, problem := range p.Problems {
		fmt.Fprintf(w, "  %s: %s\n", problem.IssueID, problem.What)
	}
}

// progress returns a function that shows one line, over the one before; an empty
// line ends it.
func progress(w io.Writer) func(string) {
	shown := false
	return func(line string) {
		if line == "" {
			if shown {
				fmt.Fprintln(w)
			}
			return
		}
		shown = true
		fmt.Fprintf(w, "\r\x1b[K%s", line)
	}
}
