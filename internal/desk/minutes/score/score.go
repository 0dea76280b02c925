// Package score holds what the minutes desk makes of records against gold files: what a
// careful person says that each record states. docs/eval.md says how to make them.
//
// It promises that white space does not count. Start with [Load] and
// [Table.Add].
package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/proceedings"
	"pressroom/internal/gold"
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
		Vote            *proceedings.Vote
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
	// English is the record, if it is in the form in which other assemblies' are archived.
	English *assembly.Meeting
	Gold    Gold
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
		if err := c.read(raw); err != nil {
			return nil, fmt.Errorf("%s.record.json: %w", c.Name, err)
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

// read reads a record: one with parts is of another assembly, any other the Diet's.
func (c *Case) read(raw []byte) error {
	var m assembly.Meeting
	if err := json.Unmarshal(raw, &m); err == nil && len(m.Parts) > 0 {
		c.English = &m
		return nil
	}
	c.Record = diet.ParseMeeting(raw)
	if len(c.Record.Problems) > 0 {
		return errors.New(c.Record.Problems[0])
	}
	return nil
}

// The measures, in the order of the table. Events is all of those from items to
// closing together.
var measures = []string{
	"events", "items", "bills", "stages", "outcomes", "votes", "amendments", "questions", "debate", "witnesses",
	"resolutions", "corrections", "opening", "closing", "procedural", "people", "headline", "headline kind", "keywords", "repetition",
}

// events are the measures that are events.
var events = []string{"items", "outcomes", "votes", "amendments", "questions", "debate", "witnesses", "resolutions", "corrections", "opening", "closing"}

// Table is the score of a set of records.
type Table struct{ *gold.Table }

// NewTable returns an empty table.
func NewTable() *Table { return &Table{gold.NewTable(measures...)} }

// Finish puts events together and computes the shares.
func (t *Table) Finish() {
	all := t.Row("events")
	for _, name := range events {
		r := t.Row(name)
		all.Right, all.Wrong, all.Missed = all.Right+r.Right, all.Wrong+r.Wrong, all.Missed+r.Missed
	}
	t.Table.Finish()
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
