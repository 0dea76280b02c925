// Package score holds what the minutes desk makes of records against gold files: what a
// careful person says that each record states. docs/eval.md says how to make them.
//
// It promises that white space does not count, that each thing is counted once, and that
// a gold answer marked as optional is neither missed nor wrong. Start with [Load] and
// [Table.Add].
package score

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/proceedings"
)

// Gold is the answer to a record.
type Gold struct {
	Opening *struct {
		Order int
		Time  string
	}
	Closing *struct {
		Order      int
		Time, Kind string
	}
	Items []struct {
		proceedings.Item
		Optional bool
	}
	Amendments []struct {
		To, By, Outcome string
		Order           int
	}
	Questions []struct {
		Asker, Answerer string
		Asked, Answered []int
	}
	Debate []struct {
		Speaker, Group, Item, Stance string
		Order                        int
	}
	Witnesses []struct {
		Name, Office string
		Order        int
	}
	Resolutions []struct {
		Item, Outcome string
		Order         int
		Vote          *proceedings.Vote
	}
	Corrections []struct {
		Order        int
		Wrong, Right string
	}
	Procedural []int
	Headline   struct{ Must, May []string }
	Keywords   []string
	People     []struct{ Name, Group, Office string }
}

// Case is a record with its answer.
type Case struct {
	Name   string
	Record diet.Meeting
	Gold   Gold
}

// Load reads the cases of a folder: NAME.record.json beside NAME.gold.json.
func Load(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.gold.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no NAME.gold.json: %w", dir, os.ErrNotExist)
	}
	var out []Case
	for _, file := range files {
		base := strings.TrimSuffix(file, ".gold.json")
		c := Case{Name: filepath.Base(base)}
		raw, err := os.ReadFile(base + ".record.json")
		if err != nil {
			return nil, err
		}
		c.Record = diet.ParseMeeting(raw)
		if len(c.Record.Problems) > 0 {
			return nil, fmt.Errorf("%s.record.json: %s", c.Name, c.Record.Problems[0])
		}
		answer, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(answer, &c.Gold); err != nil {
			return nil, fmt.Errorf("%s.gold.json: %w", c.Name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

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

// The measures, in the order of the table. Events is all of those from items to
// closing together.
var measures = []string{
	"events", "items", "bills", "stages", "outcomes", "votes", "amendments", "questions", "debate", "witnesses",
	"resolutions", "corrections", "opening", "closing", "procedural", "people", "headline", "headline kind", "keywords", "repetition",
}

// events are the measures that count as events.
var events = []string{"items", "outcomes", "votes", "amendments", "questions", "debate", "witnesses", "resolutions", "corrections", "opening", "closing"}

// NewTable returns an empty table.
func NewTable() *Table {
	t := &Table{}
	for _, m := range measures {
		t.Rows = append(t.Rows, Row{Name: m})
	}
	return t
}

func (t *Table) row(name string) *Row {
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Name == name })
	return &t.Rows[i]
}

// compare counts what was found and what is asked for, each as often as it is there.
func (t *Table) compare(c, measure string, found, want []string, optional ...string) {
	names := []string{measure}
	if slices.Contains(events, measure) {
		names = append(names, "events")
	}
	left := slices.Clone(want)
	for _, f := range found {
		right := slices.Index(left, f)
		if right >= 0 {
			left = slices.Delete(left, right, right+1)
		} else if i := slices.Index(optional, f); i >= 0 {
			optional = slices.Delete(slices.Clone(optional), i, i+1)
			continue
		}
		for _, n := range names {
			if right >= 0 {
				t.row(n).Right++
			} else {
				t.row(n).Wrong++
			}
		}
		if right < 0 {
			t.Faults = append(t.Faults, Fault{c, measure, false, f})
		}
	}
	for _, w := range left {
		for _, n := range names {
			t.row(n).Missed++
		}
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

// key is text without white space.
func key(parts ...any) string {
	text := fmt.Sprintln(parts...)
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) && r != ' ' || r == '　' {
			return -1
		}
		return r
	}, text)
}

// bare is text without any white space.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
