package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
)

// lexiconFile is content/lexicon/lexicon.json.
type lexiconFile struct {
	// Members are users who propose and vote, and have no account.
	Members []string `json:"members"`
	// Searches are how often a term was looked up on the busiest of seven days.
	Searches     map[string]int `json:"searches"`
	Translations []translated   `json:"translations"`
	Proposals    []proposal     `json:"proposals"`
}

type translated struct {
	Text      string `json:"text"`
	Direction string `json:"direction"`
	Language  string `json:"language"`
	Days      int    `json:"days"`
}

// proposal is a term that somebody proposed, and how far it came.
type proposal struct {
	lexicon.Draft
	By    string `json:"by"` // an account or a member
	Days  int    `json:"days"`
	Votes int    `json:"votes"`
	// Decision is approved or rejected, by the moderator; "" for none. One that is
	// "pending" nobody has looked at.
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

func readLexicon() (*lexiconFile, error) {
	data, err := embedded.ReadFile("content/lexicon/lexicon.json")
	if err != nil {
		return nil, err
	}
	var f lexiconFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("lexicon.json: %w", err)
	}
	return &f, nil
}

// loadTerms brings in the starter lexicon, and a week in which its terms were
// looked up: the week before last, so that no day is counted that somebody has
// counted already.
func (d *Demo) loadTerms(ctx context.Context) error {
	f, err := readLexicon()
	if err != nil {
		return err
	}
	now, err := d.lexiconAt(d.stage.Now)
	if err != nil {
		return err
	}
	if _, _, err := now.Init(ctx, lexicon.ImportOptions{}); err != nil {
		return err
	}
	for ago := 14; ago >= 8; ago-- {
		if err := d.countDay(ctx, f, ago); err != nil {
			return err
		}
	}
	// Up to today, so that no desk whose terms in memory are older than these has a
	// day left to count.
	for _, clock := range []func() time.Time{func() time.Time { return d.ago(7, 0) }, d.stage.Now} {
		desk, err := d.lexiconAt(clock)
		if err != nil {
			return err
		}
		if _, err := desk.RunTrends(ctx); err != nil {
			return err
		}
	}
	return nil
}

// countDay counts searches of one day; they rise towards the end of the week.
func (d *Demo) countDay(ctx context.Context, f *lexiconFile, ago int) error {
	part := fmt.Sprint("searches ", ago)
	if d.mark.Done(part) {
		return nil
	}
	desk, err := d.lexiconAt(func() time.Time { return d.ago(ago, 0) })
	if err != nil {
		return err
	}
	for slug, most := range f.Searches {
		for range most * (15 - ago) / 7 {
			desk.CountSearch(slug)
		}
	}
	if err := desk.FlushCounts(ctx); err != nil {
		return err
	}
	return d.mark.Finish(part)
}

// loadProposals is what readers did: proposals in several states, votes, a history
// of translations, a quiz half done.
func (d *Demo) loadProposals(ctx context.Context) error {
	f, err := readLexicon()
	if err != nil {
		return err
	}
	people, err := d.people(ctx, f)
	if err != nil {
		return err
	}
	for _, p := range f.Proposals {
		if err := d.propose(ctx, p, people, f.Members); err != nil {
			return fmt.Errorf("proposal %s: %w", p.Term, err)
		}
	}
	if err := d.translate(ctx, f, people["reader"]); err != nil {
		return err
	}
	return d.quiz(ctx, people["reader"])
}

// people makes profiles of accounts and members, and returns their ids by name.
func (d *Demo) people(ctx context.Context, f *lexiconFile) (map[string]string, error) {
	desk, err := d.lexiconAt(func() time.Time { return d.ago(30, 0) })
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for _, name := range f.Members {
		ids[name] = "demo-" + name
	}
	for _, a := range cast {
		if ids[a.Name], err = d.accountID(ctx, a.Name); err != nil {
			return nil, err
		}
	}
	for name, id := range ids {
		if _, err := desk.EnsureUser(ctx, id, name+"@pressroom.example"); err != nil {
			return nil, fmt.Errorf("profile of %s: %w", name, err)
		}
		if _, err := desk.SetTier(ctx, id, lexicon.Premium); err != nil {
			return nil, fmt.Errorf("profile of %s: %w", name, err)
		}
	}
	return ids, nil
}

// propose brings a proposal as far as its file says.
func (d *Demo) propose(ctx context.Context, p proposal, people map[string]string, members []string) error {
	at := d.ago(p.Days, 2)
	desk, err := d.lexiconAt(func() time.Time { return at })
	if err != nil {
		return err
	}
	// That a term was proposed is remembered for seven days only, which have passed
	// for most of these.
	earlier, err := desk.SubmissionsOf(ctx, people[p.By], lexicon.PageOptions{Limit: 100})
	if err != nil {
		return err
	}
	for _, e := range earlier.Items {
		if e.Term == p.Term {
			return nil
		}
	}
	s, err := desk.Submit(ctx, people[p.By], p.Draft)
	if errors.Is(err, errs.Duplicate) {
		return nil // it was there, or has become a term
	}
	if err != nil {
		return err
	}
	at = at.Add(time.Minute)
	if p.Decision == lexicon.Pending {
		return nil
	}
	if err := d.vote(ctx, desk, s.ID, p, people, members); err != nil {
		return err
	}
	if _, err := desk.Validate(ctx, 100); err != nil {
		return err
	}
	at = at.Add(20 * time.Hour)
	switch p.Decision {
	case "approved":
		_, err = desk.Approve(ctx, people["moderator"], s.ID, lexicon.Approval{Reason: p.Reason, Categories: []string{"community"}})
	case "rejected":
		_, err = desk.Reject(ctx, people["moderator"], s.ID, p.Reason)
	}
	return err
}

func (d *Demo) vote(ctx context.Context, desk *lexicon.Desk, id string, p proposal, people map[string]string, members []string) error {
	voters := slices.DeleteFunc(slices.Clone(members), func(m string) bool { return m == p.By })
	for _, m := range voters[:min(p.Votes, len(voters))] {
		if _, err := desk.Vote(ctx, people[m], id); err != nil {
			return fmt.Errorf("vote of %s: %w", m, err)
		}
	}
	return nil
}

func (d *Demo) translate(ctx context.Context, f *lexiconFile, reader string) error {
	now, err := d.lexiconAt(d.stage.Now)
	if err != nil {
		return err
	}
	there, err := now.History(ctx, reader, lexicon.PageOptions{})
	if err != nil || len(there.Items) > 0 {
		return err
	}
	for i, t := range f.Translations {
		desk, err := d.lexiconAt(func() time.Time { return d.ago(t.Days, i+1) })
		if err != nil {
			return err
		}
		if _, err := desk.Translate(ctx, reader, lexicon.TranslateRequest{Text: t.Text, Direction: t.Direction, Language: t.Language}); err != nil {
			return fmt.Errorf("translate %q: %w", t.Text, err)
		}
	}
	return nil
}

// halfDone is how many of a quiz's questions are answered.
const halfDone = 5

// quiz leaves a quiz half done.
func (d *Demo) quiz(ctx context.Context, reader string) error {
	desk, err := d.lexiconAt(d.stage.Now)
	if err != nil {
		return err
	}
	there, err := desk.Quizzes(ctx, reader, lexicon.PageOptions{})
	if err != nil || len(there.Items) > 0 {
		return err
	}
	q, err := desk.StartQuiz(ctx, reader, lexicon.QuizRequest{Questions: 2 * halfDone})
	if err != nil {
		return err
	}
	for number := 1; number <= min(halfDone, q.Questions-1); number++ {
		if _, err := desk.Ask(ctx, reader, q.ID); err != nil {
			return err
		}
		if _, err := desk.Answer(ctx, reader, q.ID, number, number%4); err != nil {
			return err
		}
	}
	return nil
}
