// Package ndl gives the minutes of the National Diet Library, as package diet reads
// them, the form of all assemblies: pages of the API's answers, or single records as
// they are archived.
//
// It promises that the ids, the orders and the texts are the Diet's own, unchanged.
//
// Start with [Meeting].
package ndl

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path"
	"strconv"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/diet"
)

// MaxPage bounds an answer, in bytes: ten meetings.
const MaxPage = 64 << 20

// Format reads answers of the library's API from files.
type Format struct{}

var _ assembly.Format = Format{}

// Takes tells whether the format reads a file.
func (Format) Takes(name string) bool { return path.Ext(name) == ".json" }

// People reads nothing: a record names people as they speak.
func (Format) People(assembly.File, *assembly.Register) error { return nil }

// Meetings yields the meetings of an answer, or the one of a record.
func (Format) Meetings(file assembly.File) iter.Seq2[*assembly.Meeting, error] {
	return func(yield func(*assembly.Meeting, error) bool) {
		records, err := read(file)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range records {
			m, err := Meeting(&records[i])
			if err != nil {
				m, err = nil, &assembly.FileError{File: file.Name, Err: err}
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

func read(file assembly.File) ([]diet.Meeting, error) {
	in, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	fault := func(err error) error { return &assembly.FileError{File: file.Name, Err: err} }
	body, err := io.ReadAll(io.LimitReader(in, MaxPage+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > MaxPage:
		return nil, fault(fmt.Errorf("the answer has more than %d MB: %w", MaxPage>>20, assembly.ErrTooLarge))
	}
	var record struct {
		IssueID json.RawMessage `json:"issueID"`
	}
	if json.Unmarshal(body, &record) == nil && record.IssueID != nil {
		return []diet.Meeting{diet.ParseMeeting(body)}, nil
	}
	page, err := diet.Parse(body)
	if err != nil {
		return nil, fault(err)
	}
	return page.Meetings, nil
}

// Meeting returns a record in the form of all assemblies. The head of a record
// (会議録情報) is a speech of nobody, with the order 0 that the Diet gives it.
func Meeting(d *diet.Meeting) (*assembly.Meeting, error) {
	var b assembly.Builder
	b.Meeting = assembly.Meeting{
		ID: d.IssueID, House: d.House, Body: d.Name, Number: d.Issue, Title: strings.TrimSpace(d.House + " " + d.Name + " " + d.Issue), Date: d.Date,
		Language: "ja", URL: d.URL, Attrs: assembly.Attrs(nil).Put("imageKind", d.ImageKind),
	}
	if d.Session > 0 {
		b.Meeting.Session = strconv.Itoa(d.Session)
	}
	for _, s := range d.Speeches {
		role := assembly.Role("")
		switch {
		case strings.HasSuffix(s.Position, "議長") || strings.HasSuffix(s.Position, "委員長") || strings.HasSuffix(s.Position, "会長"):
			role = assembly.Chair
		case strings.Contains(s.Role, "参考人") || strings.Contains(s.Role, "公述人") || strings.Contains(s.Role, "証人"):
			role = assembly.Guest
		}
		b.Speech(assembly.Speech{
			ID: s.ID, Name: s.Speaker, Reading: s.Yomi, Party: s.Group, Office: s.Position, Role: role, URL: s.URL,
			Attrs: assembly.Attrs(nil).Put("speakerRole", s.Role),
		}).Order = s.Order
		b.Paragraph(assembly.Paragraph{Text: s.Text})
		b.End()
	}
	for _, problem := range d.Problems {
		b.Warn("%s", problem)
	}
	return b.Done()
}
