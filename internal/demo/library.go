package demo

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/desk/minutes/diet"
)

// meeting is a meeting of the demo's parliament: its record, and nothing made of it.
type meeting struct {
	file
	diet.Meeting
	after int // minutes after which the library has it; 0 for always
}

// japan is where the parliament sits.
var japan = time.FixedZone("JST", 9*60*60)

func readMeetings(mark *Mark) ([]meeting, error) {
	files, err := readAll("minutes")
	if err != nil {
		return nil, err
	}
	var all []meeting
	for _, f := range files {
		m, err := newMeeting(f, mark)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		all = append(all, m)
	}
	return all, nil
}

func newMeeting(f file, mark *Mark) (meeting, error) {
	m := meeting{file: f}
	n, err := f.numbers("days", "session", "after")
	if err != nil {
		return m, err
	}
	m.after = n["after"]
	m.Meeting = diet.Meeting{
		IssueID: f.get("id"), ImageKind: "会議録", Session: n["session"], House: f.get("house"), Name: f.get("meeting"), Issue: f.get("issue"),
		Date: mark.ago(n["days"], 0).In(japan).Format(time.DateOnly),
	}
	for i, text := range strings.Split("\n"+f.text, "\n## ")[1:] {
		m.speech(i, text)
	}
	return m, nil
}

// speech adds a speech: a line with the speaker, and what was said.
func (m *meeting) speech(order int, text string) {
	head, body, _ := strings.Cut(text, "\n")
	who := strings.Split(head, "|")
	for i := range who {
		who[i] = strings.TrimSpace(who[i])
	}
	m.Speeches = append(m.Speeches, diet.Speech{
		ID: fmt.Sprintf("%s_%03d", m.IssueID, order), Order: order, Speaker: part(who, 0), Yomi: part(who, 1), Group: part(who, 2),
		Position: part(who, 3), Role: part(who, 4), Text: strings.TrimSpace(body),
	})
}

// mistake is who is said, falsely, to have spoken in a meeting; "" for all but one.
func (o *Outside) mistake(id string) string {
	i := slices.IndexFunc(o.meetings, func(m meeting) bool { return m.IssueID == id })
	if i < 0 {
		return ""
	}
	return o.meetings[i].get("false")
}

// record is the meeting as the API writes it.
func (m *meeting) record(base string) map[string]any {
	var speeches []diet.Speech
	for _, s := range m.Speeches {
		s.URL = fmt.Sprintf("%s#%d", m.address(base), s.Order)
		speeches = append(speeches, s)
	}
	return map[string]any{
		"issueID": m.IssueID, "imageKind": m.ImageKind, "session": m.Session, "nameOfHouse": m.House, "nameOfMeeting": m.Name,
		"issue": m.Issue, "date": m.Date, "meetingURL": m.address(base), "speechRecord": speeches,
	}
}

func (m *meeting) address(base string) string { return base + "meetings/" + m.IssueID }

// libraryHandler is the minutes API, and pages with the records, which articles
// lead to.
func (o *Outside) libraryHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/meeting", o.serveMeetings)
	mux.HandleFunc("GET /meetings/{id}", o.serveRecord)
	return mux
}

func (o *Outside) serveMeetings(w http.ResponseWriter, r *http.Request) {
	from, until := r.FormValue("from"), r.FormValue("until")
	var found []map[string]any
	for _, m := range o.meetings {
		if m.Date >= from && m.Date <= until && o.shown(m.after) {
			found = append(found, m.record(o.URL(library)))
		}
	}
	start, most := formNumber(r, "startRecord", 1), min(formNumber(r, "maximumRecords", diet.MaxRecords), diet.MaxRecords)
	first := min(start-1, len(found))
	page := found[first:min(first+most, len(found))]
	answer := map[string]any{
		"numberOfRecords": len(found), "numberOfReturn": len(page), "startRecord": start, "nextRecordPosition": nil, "meetingRecord": page,
	}
	if next := first + len(page); next < len(found) {
		answer["nextRecordPosition"] = next + 1
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the caller has gone
}

func formNumber(r *http.Request, name string, otherwise int) int {
	n, err := strconv.Atoi(r.FormValue(name))
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}

var recordPage = template.Must(template.New("record").Parse(`<!doctype html>
<html lang="ja"><meta charset="utf-8"><title>{{.House}} {{.Name}} {{.Issue}}</title>
<style>body{font:1rem/1.9 serif;max-width:42rem;margin:2rem auto;padding:0 1rem}section{white-space:pre-wrap}:target{background:#fff3bf}</style>
<h1>{{.House}} {{.Name}} {{.Issue}}</h1><p>第{{.Session}}回国会　{{.Date}}　（実演用の架空の会議録です。 A fictional record, made for the demo.）</p>
{{range .Speeches}}<section id="{{.Order}}">{{.Text}}</section>
{{end}}`))

func (o *Outside) serveRecord(w http.ResponseWriter, r *http.Request) {
	i := slices.IndexFunc(o.meetings, func(m meeting) bool { return m.IssueID == r.PathValue("id") && o.shown(m.after) })
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = recordPage.Execute(w, &o.meetings[i]) // the caller has gone
}
