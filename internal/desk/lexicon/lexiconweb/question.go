package lexiconweb

import (
	"errors"
	"net/http"
	"strconv"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// questionPage is a question, or what came of its answer.
type questionPage struct {
	Quiz     lexicon.Quiz
	Path     string
	Question *lexicon.Question
	Outcome  *lexicon.Outcome
	Choice   int // of the answer
	Over     bool
	Entry    string // the page of the term that was asked for
}

// question shows the next question; its clock begins when it is shown first. A
// quiz that is over leads to its result.
func (p *pages) question(w http.ResponseWriter, r *http.Request) error {
	userID, err := p.player(r)
	if err != nil {
		return err
	}
	q, err := p.desk.Ask(r.Context(), userID, r.PathValue("id"))
	if err != nil {
		if errors.Is(err, errs.Conflict) {
			return p.site.Redirect(w, r, quizPath(r.PathValue("id"))+"/result")
		}
		return err
	}
	return p.questionPage(w, r, &questionPage{Quiz: q, Question: q.Current})
}

func (p *pages) questionPage(w http.ResponseWriter, r *http.Request, data *questionPage) error {
	data.Path = quizPath(data.Quiz.ID)
	return p.site.Render(w, r, p.views, "question", web.Page{
		Title: p.site.T(r, "lexicon.quiz.title"), NoIndex: true, Private: true, Block: "quiz", Data: data,
	})
}

// answer takes a choice and tells what is right. What was answered already, by a
// second click or on another device, leads to where the quiz is.
func (p *pages) answer(w http.ResponseWriter, r *http.Request) error {
	userID, err := p.player(r)
	if err != nil {
		return err
	}
	number, badNumber := strconv.Atoi(r.PostFormValue("number"))
	choice, badChoice := strconv.Atoi(r.PostFormValue("choice"))
	if badNumber != nil || badChoice != nil {
		return errs.Validation(errs.Field{Name: "choice", Message: "must be 0 to 3"})
	}
	before, err := p.desk.Quiz(r.Context(), userID, r.PathValue("id"))
	if err != nil {
		return err
	}
	out, err := p.desk.Answer(r.Context(), userID, r.PathValue("id"), number, choice)
	if err != nil {
		if errors.Is(err, errs.Conflict) {
			return p.site.Redirect(w, r, quizPath(r.PathValue("id")))
		}
		return err
	}
	return p.questionPage(w, r, &questionPage{
		Quiz: out.Quiz, Question: before.Current, Outcome: &out, Choice: choice, Entry: termPath(out.Slug),
		Over: out.Quiz.Status != lexicon.QuizActive,
	})
}
