package newswire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"pressroom/internal/desk/newswire/page"
	"pressroom/internal/errs"
	"pressroom/internal/proof"
	"pressroom/internal/story"
	"pressroom/model"
)

// Passages returns the text of an article in the parts that a model is given and claims
// are held against.
func (d *Desk) Passages(ctx context.Context, a *Article) ([]proof.Passage, error) {
	text, err := d.Body(ctx, a)
	if err != nil {
		return nil, err
	}
	all := []proof.Passage{{Order: 0, Text: a.Title}}
	for i, part := range passages(page.Cut(text, maxSource)) {
		all = append(all, proof.Passage{Order: i + 1, Text: part})
	}
	return all, nil
}

// CheckSummary says how a text would stand as the summary of an article. Nothing is
// saved.
func (d *Desk) CheckSummary(ctx context.Context, id, text string) ([]proof.Claim, error) {
	a, err := d.GetArticle(ctx, id)
	if err != nil {
		return nil, err
	}
	return d.claims(ctx, &a, safe(text))
}

func (d *Desk) claims(ctx context.Context, a *Article, text string) ([]proof.Claim, error) {
	all, err := d.Passages(ctx, a)
	if err != nil {
		return nil, err
	}
	day, _, _ := strings.Cut(a.PublishedAt, "T")
	answer := &proof.Answer{Summary: proof.Cited{Summary: text}}
	return proof.NewRecord(day, a.Title, all).CheckAnswer(ctx, answer)
}

// EditSummary puts a person's text in the place of an article's summary, as a summary of
// its own, with the name and a reason that readers see. The summary that the person
// read is named; if it is another one by now, the answer is errs.Stale. What the source
// contradicts is refused as an errs.Validation. The machine leaves the text alone until
// its source changes.
func (d *Desk) EditSummary(ctx context.Context, id, summaryID, text string, w story.Word) (Summary, error) {
	if err := spoken(&w); err != nil {
		return Summary{}, err
	}
	text = safe(text)
	if n := utf8.RuneCountInString(text); n == 0 || n > maxSummary {
		return Summary{}, errs.Validation(errs.Field{Name: "summary", Message: fmt.Sprintf("must have 1 to %d characters", maxSummary)})
	}
	a, err := d.GetArticle(ctx, id)
	if err != nil {
		return Summary{}, err
	}
	if a, err = d.articles.Get(ctx, a.key()); err != nil {
		return Summary{}, told(err, "get article %s", id)
	}
	s, has, err := d.summaryOf(ctx, &a)
	switch {
	case err != nil:
		return Summary{}, err
	case !has || s.SummaryID != summaryID || a.Withdrawn != nil:
		return Summary{}, fmt.Errorf("edit summary of %s: %w", id, errs.Stale)
	case s.SummaryText == text:
		return Summary{}, errs.Validation(errs.Field{Name: "summary", Message: "is the one that is there"})
	}
	claims, err := d.claims(ctx, &a, text)
	if err != nil {
		return Summary{}, err
	}
	for _, c := range claims {
		if c.Verdict == proof.Contradicted {
			return Summary{}, errs.Validation(errs.Field{Name: "summary", Message: c.Reason.En})
		}
	}
	s.SummaryID, s.SummaryText, s.Extractive, s.Disclaimer = d.ids.New(), text, false, DisclaimerEdited
	s.EditedBy, s.EditedAt, s.EditedOf = w.By, stamp(d.now()), a.BodyHash
	pieces, err := d.summaryPieces(ctx, &a, &s, isCopy)
	if err != nil {
		return Summary{}, err
	}
	return s, d.byPerson(ctx, pieces, &a, &s, w)
}

// Withdraw takes an article back, by a person, with the reason that its page shows from
// then on. The item stays, so that the next crawl does not find it anew.
func (d *Desk) Withdraw(ctx context.Context, id string, w story.Word) error {
	return d.standing(ctx, id, w, &Withdrawal{By: w.By, Reason: strings.TrimSpace(w.Reason), At: stamp(d.now())})
}

// Restore brings back what a person withdrew.
func (d *Desk) Restore(ctx context.Context, id string, w story.Word) error {
	return d.standing(ctx, id, w, nil)
}

func (d *Desk) standing(ctx context.Context, id string, w story.Word, to *Withdrawal) error {
	if err := spoken(&w); err != nil {
		return err
	}
	a, err := d.GetArticle(ctx, id)
	if err != nil {
		return err
	}
	if a, err = d.articles.Get(ctx, a.key()); err != nil {
		return told(err, "get article %s", id)
	}
	if (a.Withdrawn == nil) == (to == nil) {
		return nil // it is so already
	}
	s, has, err := d.summaryOf(ctx, &a)
	if err != nil {
		return err
	}
	a.Withdrawn = to
	summary := &s
	if !has {
		summary = nil
	}
	return d.byPerson(ctx, []model.Piece{d.articles.PutPiece(&a)}, &a, summary, w)
}

// byPerson writes what a person changed together with their word on it.
func (d *Desk) byPerson(ctx context.Context, pieces []model.Piece, a *Article, s *Summary, w story.Word) error {
	err := story.Transact(ctx, d.db, pieces, func() ([]model.Piece, error) { return d.tellBy(ctx, a, s, &w) })
	if errors.Is(err, model.ErrStale) || errors.Is(err, model.ErrExists) {
		return errs.Wrap(err, errs.Stale, "%s", errs.Stale.Message())
	}
	return told(err, "change article %s", a.ArticleID)
}

// spoken refuses a word without a reason.
func spoken(w *story.Word) error {
	if w.Reason = strings.TrimSpace(w.Reason); w.Reason == "" {
		return errs.Validation(errs.Field{Name: "reason", Message: "must not be empty: readers see it"})
	}
	return nil
}
