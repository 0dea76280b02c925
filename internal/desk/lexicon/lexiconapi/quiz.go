package lexiconapi

import (
	"context"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
)

func (s *service) quizzes(a *api.API) {
	refusals := []errs.Kind{errs.Conflict, errs.RateLimited}
	api.Post(a, "/lexicon/quizzes", auth.Everyone, api.Op{
		ID: "startQuiz", Summary: "Begin a quiz",
		Doc: "Ask for its first question next. A quiz ends with its last answer, or after 15 minutes without one.\n\n" +
			"It can be tried without signing in, a few questions a day: such a quiz may be shorter than asked for, whoever knows its id plays it, and nothing of it is kept as anyone's.",
		Fails: []errs.Kind{errs.RateLimited}, Rate: trying,
	}, s.startQuiz)
	api.Get(a, "/lexicon/quizzes", auth.Reader, api.Op{ID: "listQuizzes", Summary: "Your quizzes of the last two days, the newest first"}, s.listQuizzes)
	api.Get(a, "/lexicon/quizzes/{id}", auth.Everyone, api.Op{ID: "getQuiz", Summary: "One of your quizzes, or one that was begun without signing in"}, s.quiz)
	api.Post(a, "/lexicon/quizzes/{id}/questions", auth.Everyone, api.Op{
		ID: "askQuestion", Summary: "The next question", Fails: refusals,
		Doc: "The first time its clock begins, on the server, and it counts to the day's limit; asking again shows the same one.",
	}, s.ask)
	api.Post(a, "/lexicon/quizzes/{id}/answers", auth.Everyone, api.Op{ID: "answerQuestion", Summary: "Answer a question, once", Fails: refusals}, s.answer)
	api.Get(a, "/lexicon/quizzes/{id}/review", auth.Everyone, api.Op{ID: "reviewQuiz", Summary: "A quiz that is over, with what can be learnt from it", Fails: []errs.Kind{errs.Conflict}}, s.review)
}

// QuizInput says what a quiz is to be about.
type QuizInput struct {
	Difficulty string `json:"difficulty,omitempty" enum:"beginner,intermediate,advanced"`
	Category   string `json:"category,omitempty" max:"128"`
	Questions  int    `json:"questions,omitempty" min:"1" max:"20" doc:"10 if it is not there"`
	Language   string `json:"language,omitempty" enum:"en,ja" doc:"of the answers; each term's own if it is not there"`
}

func (s *service) startQuiz(ctx context.Context, in *struct{ Body QuizInput }) (*api.Created[lexicon.Quiz], error) {
	q, err := asPlayer(ctx, s, func(id string) (lexicon.Quiz, error) {
		return s.desk.StartQuiz(ctx, id, lexicon.QuizRequest(in.Body))
	})
	if err != nil {
		return nil, err
	}
	return &api.Created[lexicon.Quiz]{Location: "/lexicon/quizzes/" + q.ID, Body: *q}, nil
}

func (s *service) listQuizzes(ctx context.Context, in *struct{ api.Page }) (*api.List[lexicon.Quiz], error) {
	p, err := s.member(ctx)
	if err != nil {
		return nil, err
	}
	return list(s.desk.Quizzes(ctx, p.UserID, page(in.Page)))
}

func (s *service) quiz(ctx context.Context, in *byID) (*lexicon.Quiz, error) {
	return asPlayer(ctx, s, func(id string) (lexicon.Quiz, error) { return s.desk.Quiz(ctx, id, in.ID) })
}

func (s *service) ask(ctx context.Context, in *byID) (*lexicon.Quiz, error) {
	return asPlayer(ctx, s, func(id string) (lexicon.Quiz, error) { return s.desk.Ask(ctx, id, in.ID) })
}

// AnswerInput is what a player chooses.
type AnswerInput struct {
	Number int `json:"number" min:"1" max:"20" doc:"of the question, from 1"`
	Choice int `json:"choice" min:"0" max:"3" doc:"of the options, from 0"`
}

func (s *service) answer(ctx context.Context, in *struct {
	byID
	Body AnswerInput
}) (*lexicon.Outcome, error) {
	return asPlayer(ctx, s, func(id string) (lexicon.Outcome, error) {
		return s.desk.Answer(ctx, id, in.ID, in.Body.Number, in.Body.Choice)
	})
}

// Review is a quiz that is over.
type Review struct {
	Quiz      lexicon.Quiz       `json:"quiz"`
	Questions []lexicon.Reviewed `json:"questions"`
}

func (s *service) review(ctx context.Context, in *byID) (*Review, error) {
	return asPlayer(ctx, s, func(id string) (Review, error) {
		q, all, err := s.desk.Review(ctx, id, in.ID)
		return Review{q, append([]lexicon.Reviewed{}, all...)}, err
	})
}
