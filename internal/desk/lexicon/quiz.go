package lexicon

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// The difficulties of quizzes.
const (
	Beginner     = "beginner"
	Intermediate = "intermediate"
	Advanced     = "advanced"
)

// scores are the quiz scores of each difficulty, as bounds of an index.
var scores = map[string]model.Window{
	Beginner: {From: "0.85"}, Intermediate: {From: "0.65", To: "0.8499"}, Advanced: {To: "0.6499"},
}

// The states of a quiz.
const (
	QuizActive    = "active"
	QuizCompleted = "completed"
	QuizExpired   = "expired"
)

const (
	quizOptions = 4
	quizIdle    = 900 * time.Second
	quizKept    = 48 * time.Hour
	quizMost    = 20 // questions
	quizUsual   = 10
	quizDraw    = 200 // terms to draw from
	maxPool     = 100 // wrong answers of a category

	fullPoints = 10.0
	slowest    = 30 * time.Second // after which a right answer has one point
)

// QuizPool are wrong answers for a category. Those in Japanese are under the
// category with "@ja" behind it.
type QuizPool struct {
	Category     string   `dynamodbav:"category" json:"category"`
	WrongAnswers []string `dynamodbav:"wrong_answers" json:"wrong_answers"`
	LastUpdated  Stamp    `dynamodbav:"last_updated" json:"last_updated"`
}

// QuizPool returns the wrong answers of a category, or NotFound.
func (d *Desk) QuizPool(ctx context.Context, category string) (QuizPool, error) {
	pool, err := d.pools.Get(ctx, model.Values{"category": category})
	return pool, failure(err)
}

// PutQuizPool replaces the wrong answers of a category.
func (d *Desk) PutQuizPool(ctx context.Context, pool QuizPool) error {
	var p problems
	pool.Category = label(p.text("category", pool.Category, maxTerm, true))
	pool.WrongAnswers = p.texts("wrong_answers", pool.WrongAnswers, maxPool, maxGloss)
	if err := p.err(); err != nil {
		return err
	}
	pool.LastUpdated = d.now()
	return failure(d.pools.Put(ctx, &pool))
}

// QuizTerm is what the quiz's indexes have of a term.
type QuizTerm struct {
	Slug     string   `dynamodbav:"slug" json:"slug"`
	Term     string   `dynamodbav:"term" json:"term"`
	Gloss    string   `dynamodbav:"gloss" json:"gloss"`
	Examples []string `dynamodbav:"examples" json:"examples"`
	Tags     []string `dynamodbav:"tags" json:"tags"`
	Score    float64  `dynamodbav:"quiz_score" json:"quiz_score"`
}

// QuizTerms lists the terms of a difficulty, of a category, or of both, the best
// for a quiz first.
func (d *Desk) QuizTerms(ctx context.Context, difficulty, category string, p PageOptions) (Page[QuizTerm], error) {
	v, args, w, err := d.quizTerms(difficulty, category)
	if err != nil {
		return Page[QuizTerm]{}, err
	}
	return list(ctx, v, args, p, w)
}

// quizTerms chooses the index. A difficulty within a category is a range of
// scores.
func (d *Desk) quizTerms(difficulty, category string) (*model.View[QuizTerm], model.Values, model.Window, error) {
	if difficulty != "" && !slices.Contains(difficulties, difficulty) {
		return nil, nil, model.Window{}, invalid("difficulty", "must be beginner, intermediate or advanced")
	}
	category = label(category)
	switch {
	case len(category) > idMax:
		return nil, nil, model.Window{}, invalid("category", "is too long")
	case category != "":
		return d.views.category, model.Values{"quiz_category": category}, scores[difficulty], nil
	case difficulty != "":
		return d.views.difficulty, model.Values{"quiz_difficulty": difficulty}, model.Window{}, nil
	}
	return d.views.difficulty, model.Values{"quiz_difficulty": Beginner}, model.Window{}, nil
}

// session is a quiz as it is stored.
type session struct {
	UserID     string     `dynamodbav:"user_id"`
	ID         string     `dynamodbav:"session_id"`
	Status     string     `dynamodbav:"session_status"`
	Score      float64    `dynamodbav:"total_score"`
	Possible   float64    `dynamodbav:"total_possible"`
	Questions  []question `dynamodbav:"questions"`
	Difficulty string     `dynamodbav:"difficulty,omitempty"`
	Category   string     `dynamodbav:"category,omitempty"`
	StartedAt  Stamp      `dynamodbav:"started_at"`
	ActiveAt   Stamp      `dynamodbav:"active_at"`
	TTL        int64      `dynamodbav:"ttl"`
	Version    int        `dynamodbav:"version"`
}

type question struct {
	Slug       string   `dynamodbav:"slug"`
	Term       string   `dynamodbav:"term"`
	Gloss      string   `dynamodbav:"gloss"`
	Example    string   `dynamodbav:"example,omitempty"`
	Options    []string `dynamodbav:"options"`
	Correct    int      `dynamodbav:"correct"`
	AskedAt    Stamp    `dynamodbav:"asked_at,omitempty"`
	AnsweredAt Stamp    `dynamodbav:"answered_at,omitempty"`
	Choice     int      `dynamodbav:"choice"`
	Points     float64  `dynamodbav:"points"`
}

// QuizRequest says what a quiz is to be about. The zero value is ten questions
// for beginners.
type QuizRequest struct {
	Difficulty string `json:"difficulty,omitempty"`
	Category   string `json:"category,omitempty"`
	Questions  int    `json:"questions,omitempty"` // 1 to 20; 0 means 10
	Language   string `json:"language,omitempty"`  // of the answers: en or ja; "" for each term's own
}

// Quiz is a quiz as its player may see it.
type Quiz struct {
	ID         string    `json:"session_id"`
	Status     string    `json:"session_status"`
	Difficulty string    `json:"difficulty,omitempty"`
	Category   string    `json:"category,omitempty"`
	Questions  int       `json:"questions"`
	Answered   int       `json:"answered"`
	Score      float64   `json:"total_score"`
	Possible   float64   `json:"total_possible"`
	StartedAt  Stamp     `json:"started_at"`
	IdleAt     Stamp     `json:"idle_at"` // when it expires if nothing happens
	Current    *Question `json:"current,omitempty"`
}

// Question is what a player is asked.
type Question struct {
	Number  int      `json:"number"` // from 1
	Term    string   `json:"term"`
	Options []string `json:"options"`
	AskedAt Stamp    `json:"asked_at"` // the server's clock; points go by it
	Seconds float64  `json:"seconds"`  // since then
}

// StartQuiz draws a quiz: different terms, each with one right and three wrong
// meanings in random order. Fewer terms than asked for, or fewer questions than a
// guest has in a day, make a shorter quiz; no terms at all are NotFound.
func (d *Desk) StartQuiz(ctx context.Context, userID string, r QuizRequest) (Quiz, error) {
	if r.Questions == 0 {
		r.Questions = quizUsual
	}
	if r.Questions < 1 || r.Questions > quizMost {
		return Quiz{}, invalid("questions", "must be 1 to %d", quizMost)
	}
	if r.Language != "" && !slices.Contains(languages, r.Language) {
		return Quiz{}, invalid("language", "must be en or ja")
	}
	p, err := d.active(ctx, userID)
	if err != nil {
		return Quiz{}, err
	}
	if p.Tier == Guest {
		most := d.o.Tiers[Guest].QuizQuestions
		if most == 0 {
			return Quiz{}, needAccount()
		}
		r.Questions = min(r.Questions, most)
	}
	questions, err := d.draw(ctx, r)
	if err != nil {
		return Quiz{}, err
	}
	if p.Tier == Guest {
		if err := d.countGuestQuiz(ctx, userID, len(questions)); err != nil {
			return Quiz{}, err
		}
	}
	now, id := d.now(), d.ids.New()
	s := session{
		UserID: quizOwner(userID, id), ID: id, Status: QuizActive, Questions: questions, Difficulty: r.Difficulty, Category: label(r.Category),
		StartedAt: now, ActiveAt: now, TTL: d.o.Now().Add(quizKept).Unix(),
	}
	if err := d.sessions.Create(ctx, &s); err != nil {
		return Quiz{}, failure(err)
	}
	return d.quizOf(&s), nil
}

// draw makes the questions.
func (d *Desk) draw(ctx context.Context, r QuizRequest) ([]question, error) {
	v, args, w, err := d.quizTerms(r.Difficulty, r.Category)
	if err != nil {
		return nil, err
	}
	var from []QuizTerm
	for t, err := range v.All(ctx, args, w) {
		if err != nil {
			return nil, failure(err)
		}
		if from = append(from, t); len(from) == quizDraw {
			break
		}
	}
	if len(from) == 0 {
		return nil, errs.New(errs.NotFound, "There are no terms for such a quiz.")
	}
	book, err := d.Book(ctx)
	if err != nil {
		return nil, err
	}
	shuffle(from)
	wrong := &distractors{desk: d, book: book, lang: r.Language, pools: map[string][]string{}}
	var questions []question
	for _, t := range from[:min(r.Questions, len(from))] {
		q, err := wrong.question(ctx, t)
		if err != nil {
			return nil, err
		}
		questions = append(questions, q)
	}
	return questions, nil
}

func shuffle[T any](list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := randomBelow(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// distractors finds wrong answers.
type distractors struct {
	desk  *Desk
	book  *Book
	lang  string
	pools map[string][]string
}

func (w *distractors) question(ctx context.Context, t QuizTerm) (question, error) {
	q := question{Slug: t.Slug, Term: t.Term, Gloss: t.Gloss, Choice: -1}
	category, lang := generalGroup, w.lang
	if term, ok := w.book.Term(t.Slug); ok {
		q.Gloss, category = term.GlossIn(w.lang), term.category()
	}
	if len(t.Examples) > 0 {
		q.Example = t.Examples[0]
	}
	if lang == "" {
		lang = languageOf(q.Gloss)
	}
	pool, err := w.pool(ctx, category, lang)
	if err != nil {
		return q, err
	}
	q.Options = []string{q.Gloss}
	for _, text := range pool {
		if len(q.Options) < quizOptions && !slices.Contains(q.Options, text) {
			q.Options = append(q.Options, text)
		}
	}
	if len(q.Options) < quizOptions {
		return q, errs.New(errs.NotFound, "There are not enough wrong answers for a quiz.")
	}
	shuffle(q.Options)
	q.Correct = slices.Index(q.Options, q.Gloss)
	return q, nil
}

// pool returns wrong answers in random order, those of the category's pool before
// the meanings of other terms.
func (w *distractors) pool(ctx context.Context, category, lang string) ([]string, error) {
	key := category
	if lang != "en" {
		key += "@" + lang
	}
	curated, ok := w.pools[key]
	if !ok {
		p, err := w.desk.QuizPool(ctx, key)
		if err != nil && !errors.Is(err, errs.NotFound) {
			return nil, err
		}
		curated = p.WrongAnswers
		w.pools[key] = curated
	}
	answers := slices.Clone(curated)
	shuffle(answers)
	if len(answers) >= quizOptions {
		return answers, nil
	}
	others := w.book.glosses(lang)
	shuffle(others)
	return append(answers, others...), nil
}

// glosses returns the meanings of all terms that have one in the language.
func (b *Book) glosses(lang string) []string {
	var all []string
	for i := range b.terms {
		if text := b.terms[i].GlossIn(lang); languageOf(text) == lang {
			all = append(all, text)
		}
	}
	return all
}

// quizOf is what the player may see: never the right answer of an open question.
func (d *Desk) quizOf(s *session) Quiz {
	q := Quiz{
		ID: s.ID, Status: s.Status, Difficulty: s.Difficulty, Category: s.Category, Questions: len(s.Questions), Score: s.Score,
		Possible: s.Possible, StartedAt: s.StartedAt,
	}
	if s.ActiveAt == "" {
		return q // another program asks the questions
	}
	q.IdleAt = stampOf(s.ActiveAt.Time().Add(quizIdle))
	if s.Status == QuizActive && d.idle(s) {
		q.Status = QuizExpired
	}
	current := s.current()
	q.Answered = current
	if q.Status == QuizActive && current < len(s.Questions) && s.Questions[current].AskedAt != "" {
		q.Current = s.Questions[current].shown(current)
		q.Current.Seconds = max(0, d.o.Now().Sub(q.Current.AskedAt.Time()).Seconds())
	}
	return q
}

func (q *question) shown(position int) *Question {
	return &Question{Number: position + 1, Term: q.Term, Options: slices.Clone(q.Options), AskedAt: q.AskedAt}
}

// current is the position of the first question without an answer.
func (s *session) current() int {
	i := slices.IndexFunc(s.Questions, func(q question) bool { return q.AnsweredAt == "" })
	if i < 0 {
		return len(s.Questions)
	}
	return i
}

func (d *Desk) idle(s *session) bool { return d.o.Now().Sub(s.ActiveAt.Time()) > quizIdle }

// session returns a user's quiz. One user's id never leads to another's quiz.
func (d *Desk) session(ctx context.Context, userID, id string) (session, error) {
	if id == "" || len(id) > idMax || userID == "" || len(userID) > idMax {
		return session{}, errs.New(errs.NotFound, "There is no such quiz.")
	}
	s, err := d.sessions.Get(ctx, model.Values{"user_id": quizOwner(userID, id), "session_id": id})
	if errors.Is(err, model.ErrNotFound) || err == nil && s.TTL <= d.o.Now().Unix() {
		return session{}, errs.New(errs.NotFound, "There is no such quiz.")
	}
	return s, failure(err)
}

// Quiz returns a user's quiz, or NotFound.
func (d *Desk) Quiz(ctx context.Context, userID, id string) (Quiz, error) {
	s, err := d.session(ctx, userID, id)
	if err != nil {
		return Quiz{}, err
	}
	return d.quizOf(&s), nil
}

// Quizzes lists a user's quizzes of the last two days, the newest first.
func (d *Desk) Quizzes(ctx context.Context, userID string, p PageOptions) (Page[Quiz], error) {
	page, err := listOf(ctx, d.sessions, "QuizSessions", model.Values{"user_id": userID}, p)
	out := Page[Quiz]{Next: page.Next}
	for i := range page.Items {
		out.Items = append(out.Items, d.quizOf(&page.Items[i]))
	}
	return out, err
}

// points are what a right answer after so long is worth: ten at once, one from 30
// seconds on. A clock that went back counts as no time.
func points(after time.Duration) float64 {
	share := min(max(after.Seconds(), 0)/slowest.Seconds(), 1)
	return max(1, math.Round(100*fullPoints*(1-0.9*share))/100)
}
