// Package gold counts how far what a program finds agrees with what a careful person
// found in the same text. docs/eval.md says how such answers are made.
//
// It promises that each thing counts once, and that what an answer marks as optional is
// neither missed nor wrong. Start with [NewTable] and [Table.Compare].
package gold

import (
	"slices"
	"strings"
)

// Row is one measure over all cases.
type Row struct {
	Name string `json:"name"`
	// Right were found and are in the answers, Wrong only found, Missed only in the
	// answers.
	Right  int `json:"right"`
	Wrong  int `json:"wrong"`
	Missed int `json:"missed"`
	// Precision, Recall and F1 are 1 where nothing was found, asked for, or both.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Fault is something found that is not in an answer, or the other way round.
type Fault struct {
	Case    string `json:"case"`
	Measure string `json:"measure"`
	Missed  bool   `json:"missed"`
	What    string `json:"what"`
}

// Table is the score of a set of cases.
type Table struct {
	Cases  int     `json:"cases"`
	Rows   []Row   `json:"rows"`
	Faults []Fault `json:"faults,omitempty"`
}

// NewTable returns an empty table of measures, in their order.
func NewTable(measures ...string) *Table {
	t := &Table{}
	for _, m := range measures {
		t.Rows = append(t.Rows, Row{Name: m})
	}
	return t
}

// Row is the row of a measure that the table has.
func (t *Table) Row(name string) *Row {
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Name == name })
	return &t.Rows[i]
}

// Compare counts what was found in a case and what is asked for, each as often as it is
// there.
func (t *Table) Compare(c, measure string, found, want []string, optional ...string) {
	row, left := t.Row(measure), slices.Clone(want)
	optional = slices.Clone(optional)
	for _, f := range found {
		if i := slices.Index(left, f); i >= 0 {
			left = slices.Delete(left, i, i+1)
			row.Right++
		} else if i := slices.Index(optional, f); i >= 0 {
			optional = slices.Delete(optional, i, i+1)
		} else {
			row.Wrong++
			t.Faults = append(t.Faults, Fault{c, measure, false, f})
		}
	}
	for _, w := range left {
		row.Missed++
		t.Faults = append(t.Faults, Fault{c, measure, true, w})
	}
}

// Finish computes the shares.
func (t *Table) Finish() {
	for i := range t.Rows {
		r := &t.Rows[i]
		r.Precision = share(r.Right, r.Right+r.Wrong)
		r.Recall = share(r.Right, r.Right+r.Missed)
		r.F1 = share(2*r.Right, 2*r.Right+r.Wrong+r.Missed)
	}
}

func share(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

// Value is a measure by its name: its F1, or with ".precision" or ".recall" behind it
// that share.
func (t *Table) Value(name string) (float64, bool) {
	measure, part, _ := strings.Cut(name, ".")
	measure = strings.ReplaceAll(measure, "-", " ")
	for _, r := range t.Rows {
		if r.Name == measure {
			switch part {
			case "":
				return r.F1, true
			case "precision":
				return r.Precision, true
			case "recall":
				return r.Recall, true
			}
		}
	}
	return 0, false
}
