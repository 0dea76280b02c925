package web

import (
	"net/http"

	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/story"
)

// reporting is how often one address may report mistakes.
var reporting = front.Rate{PerSecond: 1.0 / 60, Burst: 5}

// mistake is the form that reports one.
type mistake struct {
	Story story.Story
	Text  string
	Sent  bool
}

// reported returns the story that a form is about, or errs.NotFound.
func (s *Site) reported(r *http.Request) (story.Story, error) {
	ref := story.Ref{Desk: r.FormValue("desk"), ID: r.FormValue("id")}
	none := errs.New(errs.NotFound, "There is nothing here.")
	if ref.Desk == "" || ref.ID == "" {
		return story.Story{}, none
	}
	cards, err := s.o.Stories.Get(r.Context(), ref)
	if err == nil && len(cards) == 0 {
		err = s.o.Stories.Missing(r.Context(), ref, none)
	}
	if err != nil {
		return story.Story{}, err
	}
	return cards[0], nil
}

func (s *Site) showReport(w http.ResponseWriter, r *http.Request) error {
	st, err := s.reported(r)
	if err != nil {
		return err
	}
	return s.reportPage(w, r, mistake{Story: st}, nil)
}

func (s *Site) reportPage(w http.ResponseWriter, r *http.Request, m mistake, problem error) error {
	page := Page{Title: s.T(r, "report.title"), NoIndex: true, Private: true, Problem: problem, Data: m}
	if problem != nil {
		page.Status = StatusOf(problem)
	}
	return s.Render(w, r, s.shell, "report", page)
}

// sendReport keeps a report. What was typed stays if it cannot be.
func (s *Site) sendReport(w http.ResponseWriter, r *http.Request) error {
	st, err := s.reported(r)
	if err != nil {
		return err
	}
	m := mistake{Story: st, Text: r.PostFormValue("text")}
	if r.PostFormValue("website") == "" { // programs that fill in everything are thanked, too
		err = s.o.Stories.ReportMistake(r.Context(), st.Ref, m.Text)
	}
	if err != nil {
		switch errs.KindOf(err) {
		case errs.Invalid, errs.RateLimited:
			return s.reportPage(w, r, m, err)
		}
		return err
	}
	s.Flash(w, r, Good, "report.sent")
	return s.Redirect(w, r, st.Path)
}
