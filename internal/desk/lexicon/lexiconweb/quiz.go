package lexiconweb

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// quizPage is where quizzes begin.
type quizPage struct {
	Stats        *lexicon.QuizStats
	Running      []lexicon.Quiz
	Over         []lexicon.Quiz
	Difficulties []web.Choice
	Categories   []web.Choice
	Lengths      []web.Choice
	Form         quizForm
	Terms        int
	Guest        int // questions a day without an account
}

type quizForm struct{ Difficulty, Category, Questions string }

func (p *pages) quizzes(w http.ResponseWriter, r *http.Request) error {
	return p.quizStart(w, r, quizForm{Difficulty: lexicon.Beginner, Questions: usual(r)}, nil)
}

func (p *pages) quizStart(w http.ResponseWriter, r *http.Request, form quizForm, problem error) error {
	book, err := p.desk.Book(r.Context())
	if err != nil {
		return err
	}
	guest := p.desk.Limits(lexicon.Guest).QuizQuestions
	data := &quizPage{Form: form, Terms: book.Len(), Guest: guest, Categories: []web.Choice{{Label: p.site.T(r, "lexicon.quiz.category.any")}}}
	for _, d := range []string{lexicon.Beginner, lexicon.Intermediate, lexicon.Advanced} {
		data.Difficulties = append(data.Difficulties, web.Choice{Value: d, Label: p.site.T(r, "lexicon.quiz."+d)})
	}
	for _, f := range book.Facets(lexicon.ByCategory) {
		data.Categories = append(data.Categories, web.Choice{Value: f.Value, Label: f.Value})
	}
	for _, n := range []int{5, 10, 20} {
		if auth.From(r.Context()) != nil || n <= max(guest, 5) {
			length := strconv.Itoa(n)
			data.Lengths = append(data.Lengths, web.Choice{Value: length, Label: p.site.T(r, "lexicon.quiz.length", length)})
		}
	}
	if auth.From(r.Context()) != nil {
		if err := p.addPlayer(r, data); err != nil {
			return err
		}
	}
	page := web.Page{Title: p.site.T(r, "lexicon.quiz.title"), Description: p.site.T(r, "lexicon.quiz.description"), Problem: problem, Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "quiz", page)
}

// addPlayer adds what the player did before.
func (p *pages) addPlayer(r *http.Request, data *quizPage) error {
	m, err := p.member(r)
	if err != nil {
		return err
	}
	stats, err := p.desk.QuizStats(r.Context(), m.UserID)
	if err != nil {
		return err
	}
	data.Stats = &stats
	list, err := p.desk.Quizzes(r.Context(), m.UserID, lexicon.PageOptions{Limit: 10})
	if err != nil {
		return err
	}
	for _, q := range list.Items {
		switch {
		case q.Status == lexicon.QuizActive:
			data.Running = append(data.Running, q)
		case q.Answered > 0:
			data.Over = append(data.Over, q)
		}
	}
	return nil
}

func (p *pages) startQuiz(w http.ResponseWriter, r *http.Request) error {
	userID, err := p.player(r)
	if err != nil {
		return err
	}
	form := quizForm{r.PostFormValue("difficulty"), r.PostFormValue("category"), r.PostFormValue("questions")}
	n, err := strconv.Atoi(form.Questions)
	if err != nil {
		n = -1 // which the desk refuses by name
	}
	q, err := p.desk.StartQuiz(r.Context(), userID, lexicon.QuizRequest{
		Difficulty: form.Difficulty, Category: form.Category, Questions: n, Language: p.site.Lang(r),
	})
	if err != nil {
		if formError(err) || errors.Is(err, errs.NotFound) {
			return p.quizStart(w, r, form, err)
		}
		return err
	}
	return p.site.Redirect(w, r, quizPath(q.ID))
}

// usual is how long a quiz is that nobody chose a length for: who only tries one has
// another one left.
func usual(r *http.Request) string {
	if auth.From(r.Context()) == nil {
		return "5"
	}
	return "10"
}

func quizPath(id string) string { return "/lexicon/quiz/" + url.PathEscape(id) }
