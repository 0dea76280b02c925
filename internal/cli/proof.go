package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"pressroom/internal/errs"
	"pressroom/internal/proof"
)

// proofCmd checks texts against the record that they are about.
type proofCmd struct {
	Check proofCheckCmd `cmd:"" help:"Check a text, claim by claim, against the record that it cites."`
	Bench proofBenchCmd `cmd:"" help:"Measure the rules on true sentences and on lies made of them."`
}

// proofCheckCmd checks one answer.
type proofCheckCmd struct {
	Record string `setting:"-" required:"" placeholder:"FILE" help:"The record: a meeting in the form of the minutes API."`
	Answer string `setting:"-" required:"" placeholder:"FILE" help:"The text: a result, with title, summary, dialogs and the rest."`
	JSON   bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (proofCheckCmd) Help() string {
	return `Each claim is supported, not found, or contradicted by the passages that its sentence cites.
No language model is asked. The exit status is 1 if anything is contradicted.`
}

// errContradicted ends a check that found a contradiction.
var errContradicted = errors.New("the record contradicts the text")

// proofReport is what the check prints as JSON.
type proofReport struct {
	Verdict proof.Verdict `json:"verdict"`
	Claims  []proof.Claim `json:"claims"`
}

// Run checks and prints.
func (c *proofCheckCmd) Run(r *run) error {
	record, err := readProof(c.Record, proof.ReadRecord)
	if err != nil {
		return err
	}
	answer, err := readProof(c.Answer, proof.ReadAnswer)
	if err != nil {
		return err
	}
	claims, err := record.CheckAnswer(r.ctx, answer)
	if err != nil {
		return ignoreCanceled(r.ctx, err)
	}
	report := proofReport{proof.Overall(claims), claims}
	if c.JSON {
		err = indented(r.Stdout, report)
	} else {
		printClaims(r.Stdout, claims)
	}
	if err == nil && report.Verdict == proof.Contradicted {
		err = errContradicted
	}
	return err
}

func readProof[T any](path string, read func([]byte) (T, error)) (T, error) {
	var none T
	data, err := os.ReadFile(path)
	if err != nil {
		return none, errs.Wrap(err, errs.Usage, "cannot read %s: %v", path, err)
	}
	out, err := read(data)
	if err != nil {
		fields := errs.Fields(err)
		if len(fields) == 0 {
			return none, err
		}
		return none, errs.New(errs.Usage, "%s: %s %s", path, fields[0].Name, fields[0].Message)
	}
	return out, nil
}

// printClaims prints claims under their sentences, the verdict first, and a count of them.
func printClaims(w io.Writer, claims []proof.Claim) {
	last := "\x00"
	count := map[proof.Verdict]int{}
	for _, c := range claims {
		if c.Where+c.Sentence != last {
			last = c.Where + c.Sentence
			fmt.Fprintf(w, "%s %s\n  %s\n", c.Where, ordersText(c.Orders), c.Sentence)
		}
		count[c.Verdict]++
		reason := c.Reason.En
		if strings.ContainsFunc(c.Sentence, func(r rune) bool { return r >= 0x3041 && r <= 0x9fff }) {
			reason = c.Reason.Ja
		}
		fmt.Fprintf(w, "    %-12s %-9s %s: %s", c.Verdict, c.Class, c.Text, reason)
		if c.Passage != nil {
			fmt.Fprintf(w, " [%d, %d–%d]", c.Passage.Order, c.Passage.From, c.Passage.To)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d claims: %d supported, %d not found, %d contradicted\n",
		len(claims), count[proof.Supported], count[proof.NotFound], count[proof.Contradicted])
}

func ordersText(orders []int) string {
	if len(orders) == 0 {
		return "[all]"
	}
	text := make([]string, len(orders))
	for i, o := range orders {
		text[i] = strconv.Itoa(o)
	}
	return "[" + strings.Join(text, ", ") + "]"
}

// proofBenchCmd measures the rules.
type proofBenchCmd struct {
	Dir    string `arg:"" optional:"" setting:"-" help:"Directory of samples; default the set that comes with the program."`
	Detail bool   `setting:"-" help:"List what was judged wrongly."`
	JSON   bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (proofBenchCmd) Help() string {
	return `A sample is a file of passages and of sentences that are true of them, with lies that somebody
made of them if there are any; docs/proof.md has the form. Of each true sentence more lies are
made by rule. A lie is caught if it is contradicted or not found.`
}

// Run measures and prints one table.
func (c *proofBenchCmd) Run(r *run) error {
	set := proof.Set()
	if c.Dir != "" {
		set = os.DirFS(c.Dir)
	}
	samples, err := proof.ReadSet(set)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errs.Wrap(err, errs.Usage, "cannot read %s: %v", c.Dir, err)
	case err != nil:
		return errs.Wrap(err, errs.Usage, "%v", err)
	case len(samples) == 0:
		return errs.New(errs.Usage, "%s has no samples", c.Dir)
	}
	result := proof.Bench(samples, c.Detail)
	if c.JSON {
		return indented(r.Stdout, result)
	}
	printBench(r.Stdout, result)
	return nil
}

func printBench(w io.Writer, result proof.Result) {
	fmt.Fprintf(w, "%-10s %-4s %-11s %9s %13s %10s\n", "group", "true", "style", "sentences", "contradicted", "not found")
	for _, t := range result.True {
		fmt.Fprintf(w, "%-10s %-4s %-11s %9d %5d %6.1f%% %4d %5.1f%%\n", t.Group, t.Lang, t.Style, t.Sentences, t.Contradicted, 100*t.ContraRate, t.NotFound, 100*t.MissRate)
	}
	fmt.Fprintf(w, "\n%-10s %-4s %-5s %-10s %6s %14s %22s\n", "group", "lies", "by", "class", "lies", "caught", "of supported sentences")
	for _, l := range result.Lies {
		fmt.Fprintf(w, "%-10s %-4s %-5s %-10s %6d %6d %6.1f%% %8d of %4d %5.1f%%\n", l.Group, l.Lang, l.By, l.Class, l.Lies, l.Caught, 100*l.Rate, l.CaughtSupported, l.OfSupported, 100*l.SupportedRate)
	}
	for _, f := range slices.Concat(result.Alarms, result.Missed) {
		kind := "false alarm"
		if f.Class != "" {
			kind = "missed " + string(f.Class)
		}
		fmt.Fprintf(w, "\n%s, %s %s\n  %s\n", kind, f.File, ordersText(f.Orders), f.Text)
		for _, c := range f.Claims {
			if c.Verdict != proof.Supported {
				fmt.Fprintf(w, "    %s %s %s: %s\n", c.Verdict, c.Class, c.Text, c.Reason.En)
			}
		}
	}
}
