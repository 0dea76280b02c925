package desk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"pressroom/internal/errs"
	"pressroom/internal/gold"
)

const evalHelp = `Hold what Pressroom writes without a language model against gold files: texts with the
answers that a careful person gives. docs/eval.md says how to make them.`

// Eval is a command "eval NAME DIR" that scores what a desk writes; things are what it
// counts. An error of score is the folder's.
func Eval(name, help, detail, things string, score func(dir string) (*gold.Table, error)) Command {
	return Command{Name: "eval", Help: "Score what is written without a language model.", Detail: evalHelp, Commands: []Command{
		{Name: name, Help: help, Detail: detail, Run: func() Runner { return &evalCmd{things: things, score: score} }},
	}}
}

type evalCmd struct {
	Dir    string             `arg:"" setting:"-" type:"existingdir" help:"The folder of gold files."`
	Bar    map[string]float64 `setting:"-" mapsep:"," placeholder:"MEASURE=SHARE" help:"The least that a measure must reach: its F1, or its precision or recall."`
	Faults bool               `setting:"-" help:"List what was wrong and what was missed."`
	JSON   bool               `setting:"-" name:"json" help:"Print JSON."`

	things string
	score  func(dir string) (*gold.Table, error)
}

// Run scores and prints.
func (c *evalCmd) Run(t *Terminal) error {
	table, err := c.score(c.Dir)
	if err != nil {
		return errs.Wrap(err, errs.Usage, "%v", err)
	}
	if !c.Faults {
		table.Faults = nil
	}
	if c.JSON {
		err = t.JSON(table)
	} else {
		err = c.print(t, table)
	}
	if err != nil {
		return err
	}
	return c.judge(table)
}

func (c *evalCmd) print(t *Terminal, table *gold.Table) error {
	for _, f := range table.Faults {
		what := "wrong"
		if f.Missed {
			what = "missed"
		}
		fmt.Fprintf(t.Out, "%s: %s %s: %s\n", f.Case, f.Measure, what, strings.TrimSpace(f.What))
	}
	w := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%d %s\tright\twrong\tmissed\tprecision\trecall\tF1\t\n", table.Cases, c.things)
	for _, r := range table.Rows {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.3f\t%.3f\t%.3f\t\n", r.Name, r.Right, r.Wrong, r.Missed, r.Precision, r.Recall, r.F1)
	}
	return w.Flush()
}

// judge fails if a measure is below its bar.
func (c *evalCmd) judge(table *gold.Table) error {
	var below []string
	for _, name := range slices.Sorted(maps.Keys(c.Bar)) {
		got, ok := table.Value(name)
		if !ok {
			return errs.New(errs.Usage, "--bar %s: there is no such measure", name)
		}
		if got < c.Bar[name] {
			below = append(below, fmt.Sprintf("%s is %.3f, below %g", name, got, c.Bar[name]))
		}
	}
	if below != nil {
		return errs.New(errs.Internal, "%s", strings.Join(below, "; "))
	}
	return nil
}
