package lexicon

import (
	"context"
	"errors"

	"pressroom/internal/errs"
)

// Kept is all that the desk keeps of a user.
type Kept struct {
	Profile      *Profile      `json:"profile"` // nil for who was never here
	Submissions  []Submission  `json:"submissions"`
	Votes        []string      `json:"votes"` // ids of submissions
	Translations []Translation `json:"translations"`
	Quizzes      []Quiz        `json:"quizzes"`
	QuizDays     []QuizDay     `json:"quiz_days"`
}

// Kept returns all that DeleteAccount would remove and that says something of the user.
func (d *Desk) Kept(ctx context.Context, userID string) (*Kept, error) {
	k := &Kept{}
	p, err := d.User(ctx, userID)
	if err == nil {
		k.Profile = &p
	} else if !errors.Is(err, errs.NotFound) {
		return nil, err
	}
	var all [5]error
	k.Submissions, all[0] = wholeList(ctx, userID, d.SubmissionsOf)
	k.Votes, all[1] = wholeList(ctx, userID, d.VotesOf)
	k.Translations, all[2] = wholeList(ctx, userID, d.History)
	k.Quizzes, all[3] = wholeList(ctx, userID, d.Quizzes)
	k.QuizDays, all[4] = wholeList(ctx, userID, d.QuizDays)
	return k, errors.Join(all[:]...)
}

// wholeList reads a list to its end.
func wholeList[T any](ctx context.Context, userID string, list func(context.Context, string, PageOptions) (Page[T], error)) ([]T, error) {
	found, next := []T{}, PageOptions{Limit: 100}
	for {
		page, err := list(ctx, userID, next)
		if err != nil {
			return nil, err
		}
		if found = append(found, page.Items...); page.Next == "" {
			return found, nil
		}
		next.Cursor = page.Next
	}
}
