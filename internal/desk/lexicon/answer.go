package lexicon

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// QuizDay is what a user did in quizzes on one day.
type QuizDay struct {
	UserID    string  `dynamodbav:"user_id" json:"-"`
	Day       string  `dynamodbav:"day" json:"day"`
	Questions int     `dynamodbav:"quiz_count" json:"quiz_count"` // asked
	Score     float64 `dynamodbav:"total_score,omitempty" json:"total_score"`
	Possible  float64 `dynamodbav:"total_possible,omitempty" json:"total_possible"`
}

// Outcome is what came of an answer.
type Outcome struct {
	Number  int     `json:"number"`
	Right   bool    `json:"right"`
	Correct int     `json:"correct"` // the right option, from 0
	Points  float64 `json:"points"`
	Term    string  `json:"term"`
	Slug    string  `json:"slug"`
	Gloss   string  `json:"gloss"`
	Example string  `json:"example,omitempty"`
	Quiz    Quiz    `json:"quiz"`
}

// Reviewed is a question after the quiz, with all that can be learnt from it.
type Reviewed struct {
	Question
	Slug    string  `json:"slug"`
	Gloss   string  `json:"gloss"`
	Example string  `json:"example,omitempty"`
	Correct int     `json:"correct"`
	Choice  int     `json:"choice"` // -1 if it was not answered
	Points  float64 `json:"points"`
}

// live says why a quiz cannot go on.
func (d *Desk) live(s *session) error {
	switch {
	case s.Status == QuizCompleted:
		return errs.New(errs.Conflict, "This quiz is over. Look at the result, or start another one.")
	case s.Status == QuizExpired, d.idle(s):
		return errs.New(errs.Conflict, "This quiz has expired after 15 minutes without an answer. Start another one.")
	}
	return nil
}

// turn reads a quiz, lets change change it, and writes it together with the day's
// statistics, all again if another request was faster.
func (d *Desk) turn(ctx context.Context, userID, id string, change func(*session) (*expression.UpdateBuilder, []expression.ConditionBuilder, error)) (session, error) {
	today := model.Values{"user_id": userID, "day": d.day(d.o.Now())}
	for try := 1; ; try++ {
		s, err := d.session(ctx, userID, id)
		if err != nil {
			return s, err
		}
		if err := d.live(&s); err != nil {
			return s, errors.Join(err, d.markExpired(ctx, &s))
		}
		statistics, conditions, err := change(&s)
		if err != nil || statistics == nil {
			return s, err
		}
		s.ActiveAt = d.now()
		pieces := []model.Piece{d.sessions.PutPiece(&s)}
		if !isGuest(userID) { // whose questions are counted, and who has no statistics
			count := expression.Name("quiz_count")
			if _, err := d.quizDays.Upsert(ctx, today, expression.Set(count, count.IfNotExists(expression.Value(0)))); err != nil {
				return s, failure(err)
			}
			pieces = append(pieces, d.quizDays.UpdatePiece(today, *statistics, conditions...))
		}
		err = d.transact(ctx, pieces...)
		switch {
		case err == nil:
			return s, nil
		case failedPiece(err, 0) && try < conflictTries:
			if err := pause(ctx, try); err != nil {
				return s, err
			}
		case failedPiece(err, 1):
			return s, d.spentToday("You have had all quiz questions of today.")
		default:
			return s, failure(err)
		}
	}
}

// markExpired writes down that a quiz is over, for those who read the table.
func (d *Desk) markExpired(ctx context.Context, s *session) error {
	if s.Status != QuizActive {
		return nil
	}
	s.Status = QuizExpired
	err := d.sessions.Put(ctx, s)
	if errors.Is(err, model.ErrStale) {
		return nil
	}
	return failure(err)
}

// Ask returns the quiz with its next question. The first time, the question's
// clock begins and it counts to the day's limit; asking again shows the same one,
// and the clock goes on. Errors are NotFound, Conflict for a quiz that is over or
// expired, and RateLimited.
func (d *Desk) Ask(ctx context.Context, userID, id string) (Quiz, error) {
	p, err := d.active(ctx, userID)
	if err != nil {
		return Quiz{}, err
	}
	limit := d.o.Tiers[p.Tier].QuizQuestions
	s, err := d.turn(ctx, userID, id, func(s *session) (*expression.UpdateBuilder, []expression.ConditionBuilder, error) {
		q := &s.Questions[s.current()]
		if q.AskedAt != "" {
			return nil, nil, nil
		}
		q.AskedAt = d.now()
		count := expression.Name("quiz_count")
		update := expression.Add(count, expression.Value(1))
		var conditions []expression.ConditionBuilder
		if limit > 0 {
			conditions = append(conditions, count.LessThan(expression.Value(limit)))
		}
		return &update, conditions, nil
	})
	if err != nil {
		return Quiz{}, err
	}
	return d.quizOf(&s), nil
}

// Answer takes the player's choice, from 0 to 3, for a question, and tells what is
// right. An answer counts once: for a question that is answered, or was not asked,
// the error is Conflict.
func (d *Desk) Answer(ctx context.Context, userID, id string, number, choice int) (Outcome, error) {
	if choice < 0 || choice >= quizOptions {
		return Outcome{}, invalid("choice", "must be 0 to %d", quizOptions-1)
	}
	if _, err := d.active(ctx, userID); err != nil {
		return Outcome{}, err
	}
	s, err := d.turn(ctx, userID, id, func(s *session) (*expression.UpdateBuilder, []expression.ConditionBuilder, error) {
		if err := s.answerable(number); err != nil {
			return nil, nil, err
		}
		q := &s.Questions[number-1]
		q.Choice, q.AnsweredAt = choice, d.now()
		if choice == q.Correct {
			q.Points = points(q.AnsweredAt.Time().Sub(q.AskedAt.Time()))
		}
		s.Score = math.Round((s.Score+q.Points)*100) / 100
		s.Possible += fullPoints
		if s.current() == len(s.Questions) {
			s.Status = QuizCompleted
		}
		update := expression.Add(expression.Name("total_score"), expression.Value(q.Points)).
			Add(expression.Name("total_possible"), expression.Value(fullPoints))
		return &update, nil, nil
	})
	if err != nil {
		return Outcome{}, err
	}
	q := s.Questions[number-1]
	return Outcome{
		Number: number, Right: q.Choice == q.Correct, Correct: q.Correct, Points: q.Points,
		Term: q.Term, Slug: q.Slug, Gloss: q.Gloss, Example: q.Example, Quiz: d.quizOf(&s),
	}, nil
}

// answerable says why a question cannot be answered now.
func (s *session) answerable(number int) error {
	switch current := s.current() + 1; {
	case number < 1 || number > len(s.Questions):
		return invalid("number", "must be 1 to %d", len(s.Questions))
	case number < current:
		return errs.New(errs.Conflict, "Question %d is answered already.", number)
	case number > current || s.Questions[number-1].AskedAt == "":
		return errs.New(errs.Conflict, "Question %d was not asked yet.", number)
	}
	return nil
}

// Review returns a quiz that is over with all questions that were asked, for the
// page that teaches. A quiz that goes on is a Conflict.
func (d *Desk) Review(ctx context.Context, userID, id string) (Quiz, []Reviewed, error) {
	s, err := d.session(ctx, userID, id)
	if err != nil {
		return Quiz{}, nil, err
	}
	if d.live(&s) == nil {
		return Quiz{}, nil, errs.New(errs.Conflict, "This quiz is not over yet.")
	}
	var all []Reviewed
	for i := range s.Questions {
		q := &s.Questions[i]
		if q.AskedAt != "" {
			all = append(all, Reviewed{Question: *q.shown(i), Slug: q.Slug, Gloss: q.Gloss, Example: q.Example, Correct: q.Correct, Choice: q.Choice, Points: q.Points})
		}
	}
	return d.quizOf(&s), all, nil
}

// QuizStats are a user's quizzes over all days.
type QuizStats struct {
	Today     QuizDay `json:"today"`
	Remaining int     `json:"remaining"` // questions of today; -1 for no limit
	Days      int     `json:"days"`      // with a question
	Questions int     `json:"questions"`
	Score     float64 `json:"total_score"`
	Possible  float64 `json:"total_possible"`
	Streak    int     `json:"streak"`  // days in a row up to today, or to yesterday
	Longest   int     `json:"longest"` // days in a row, ever
}

// QuizStats returns a user's statistics.
func (d *Desk) QuizStats(ctx context.Context, userID string) (QuizStats, error) {
	p, err := d.User(ctx, userID)
	if err != nil {
		return QuizStats{}, err
	}
	now := d.o.Now()
	stats := QuizStats{Today: QuizDay{Day: d.day(now)}, Remaining: -1}
	var days []string
	for day, err := range d.quizDays.All(ctx, "QuizDays", model.Values{"user_id": userID}) {
		if err != nil {
			return stats, failure(err)
		}
		if day.Day == stats.Today.Day {
			stats.Today = day
		}
		if day.Questions == 0 {
			continue
		}
		days = append(days, day.Day)
		stats.Questions += day.Questions
		stats.Score = math.Round((stats.Score+day.Score)*100) / 100
		stats.Possible += day.Possible
	}
	if limit := d.o.Tiers[p.Tier].QuizQuestions; limit > 0 {
		stats.Remaining = max(0, limit-stats.Today.Questions)
	}
	stats.Days = len(days)
	stats.Streak, stats.Longest = streaks(days, stats.Today.Day)
	return stats, nil
}

// QuizDays lists a user's days with quizzes, the newest first.
func (d *Desk) QuizDays(ctx context.Context, userID string, p PageOptions) (Page[QuizDay], error) {
	return listOf(ctx, d.quizDays, "QuizDays", model.Values{"user_id": userID}, p)
}

// streaks counts days in a row, of days sorted from the newest on: the row that
// reaches today or yesterday, and the longest.
func streaks(days []string, today string) (current, longest int) {
	run := 0
	for i, day := range days {
		if i == 0 || !follows(days[i-1], day) {
			run = 0
		}
		run++
		longest = max(longest, run)
		if run == i+1 && (days[0] == today || follows(today, days[0])) {
			current = run
		}
	}
	return current, longest
}

// follows reports whether a day is the one after another.
func follows(day, before string) bool {
	t, err := time.Parse(time.DateOnly, before)
	return err == nil && t.AddDate(0, 0, 1).Format(time.DateOnly) == day
}
