package lexiconweb

import (
	"errors"
	"net/http"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// resultPage teaches what a quiz asked.
type resultPage struct {
	Quiz    lexicon.Quiz
	Right   int
	Percent int
	Missed  []lesson
	Known   []lesson
	Stats   lexicon.QuizStats
}

// lesson is a question after the quiz.
type lesson struct {
	lexicon.Reviewed
	Path   string
	Answer string // what the player chose; "" if nothing
}

func (p *pages) result(w http.ResponseWriter, r *http.Request) error {
	userID, err := p.player(r)
	if err != nil {
		return err
	}
	q, all, err := p.desk.Review(r.Context(), userID, r.PathValue("id"))
	if err != nil {
		if errors.Is(err, errs.Conflict) {
			return p.site.Redirect(w, r, quizPath(r.PathValue("id")))
		}
		return err
	}
	data := &resultPage{Quiz: q}
	for _, one := range all {
		l := lesson{Reviewed: one, Path: termPath(one.Slug)}
		if one.Choice == one.Correct {
			data.Right++
			data.Known = append(data.Known, l)
			continue
		}
		if one.Choice >= 0 && one.Choice < len(one.Options) {
			l.Answer = one.Options[one.Choice]
		}
		data.Missed = append(data.Missed, l)
	}
	if q.Possible > 0 {
		data.Percent = int(100*q.Score/q.Possible + 0.5)
	}
	if data.Stats, err = p.desk.QuizStats(r.Context(), userID); err != nil {
		return err
	}
	return p.site.Render(w, r, p.views, "result", web.Page{
		Title: p.site.T(r, "lexicon.result.title"), NoIndex: true, Private: true, Data: data,
	})
}
