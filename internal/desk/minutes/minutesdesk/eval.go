package minutesdesk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"pressroom/internal/desk"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/score"
	"pressroom/internal/errs"
)

const (
	evalHelp = `Hold what Pressroom writes without a language model against gold files: texts with the
answers that a careful person gives. docs/eval.md says how to make them.`

	evalMinutesHelp = `Reads each NAME.record.json of the folder, tells it by rules, and compares the events and
texts with NAME.gold.json. It prints for each measure what was right, wrong and missed. A bar
is the least that a measure must reach, by the name in the table, with - for spaces:
--bar votes=1 --bar questions=0.9 --bar keywords.precision=0.9. The exit status is 1 if one
does not.`
)

// evalCmd scores the minutes.
type evalCmd struct {
	Dir    string             `arg:"" setting:"-" type:"existingdir" help:"The folder of gold files."`
	Bar    map[string]float64 `setting:"-" mapsep:"," placeholder:"MEASURE=SHARE" help:"The least that a measure must reach: its F1, or its precision or recall."`
	Faults bool               `setting:"-" help:"List what was wrong and what was missed."`
	JSON   bool               `setting:"-" name:"json" help:"Print JSON."`
}

// Run scores and prints.
func (c *evalCmd) Run(t *desk.Terminal) error {
	cases, err := score.Load(c.Dir)
	if err != nil {
		return errs.Wrap(err, errs.Usage, "%v", err)
	}
	table := score.NewTable()
	for _, one := range cases {
		m := one.Record
		p := minutes.Proceedings(minutes.Meeting{House: m.House, Name: m.Name, Date: m.Date}, m.Speeches)
		table.Add(one, p, p.Tell(nil))
	}
	table.Finish()
	if !c.Faults {
		defer func(all []score.Fault) { table.Faults = all }(table.Faults)
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

func (c *evalCmd) print(t *desk.Terminal, table *score.Table) error {
	for _, f := range table.Faults {
		what := "wrong"
		if f.Missed {
			what = "missed"
		}
		fmt.Fprintf(t.Out, "%s: %s %s: %s\n", f.Case, f.Measure, what, strings.TrimSpace(f.What))
	}
	w := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%d meetings\tright\twrong\tmissed\tprecision\trecall\tF1\t\n", table.Cases)
	for _, r := range table.Rows {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.3f\t%.3f\t%.3f\t\n", r.Name, r.Right, r.Wrong, r.Missed, r.Precision, r.Recall, r.F1)
	}
	return w.Flush()
}

// judge fails if a measure is below its bar.
func (c *evalCmd) judge(table *score.Table) error {
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
