package ndl

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/assemblytest"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/minutestest"
)

func TestGolden(t *testing.T) { assemblytest.Golden(t, Format{}) }

// The orders are the record's, right or wrong; the rest is as in all formats.
func FuzzMeetings(f *testing.F) {
	page, err := os.ReadFile("testdata/page/answer.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(page)
	f.Add([]byte(`{"issueID":"1","speechRecord":[{"speechOrder":7},{"speechOrder":7}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for m, err := range (Format{}).Meetings(assembly.NewFile("x.json", bytes.NewReader(data))) {
			if err != nil && !strings.HasPrefix(err.Error(), "x.json: ") {
				t.Error(err)
			}
			if m != nil {
				if _, err := m.JSON(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// Ids, orders and texts are those of the record, to the letter.
func TestUnchanged(t *testing.T) {
	for n := range 6 {
		d := minutestest.Sitting(n, "2026-03-02")
		m, err := Meeting(&d)
		if err != nil {
			t.Fatal(err)
		}
		if m.ID != d.IssueID || m.House != d.House || m.Body != d.Name || m.Session != "219" || m.Date != d.Date {
			t.Errorf("%+v", m)
		}
		speeches := m.Speeches()
		if len(speeches) != len(d.Speeches) {
			t.Fatalf("%d speeches of %d", len(speeches), len(d.Speeches))
		}
		for i, s := range d.Speeches {
			if got := speeches[i]; got.Order != s.Order || got.Text() != s.Text || got.Name != s.Speaker || got.ID != s.ID {
				t.Errorf("speech %d: %+v", i, got)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	for body, want := range map[string]string{
		`{"numberOfRecords":1,"meetingRecord":[{"issue`: diet.ErrTruncated.Error(),
		`<html>`: "no JSON object",
		``:       diet.ErrTruncated.Error(),
	} {
		for m, err := range (Format{}).Meetings(assembly.NewFile("x.json", strings.NewReader(body))) {
			if m != nil || err == nil || !strings.HasPrefix(err.Error(), "x.json: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, %v", body, m, err)
			}
		}
	}
}
