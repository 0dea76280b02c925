package lexicondesk

import (
	"context"
	"strconv"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/review"
	"pressroom/internal/story"
)

// proposed are the terms that wait for a moderator.
func proposed(d *lexicon.Desk) review.Queue {
	itemOf := func(s *lexicon.Submission) review.Item {
		return review.Item{
			ID: s.ID, Title: s.Term, Lang: story.LanguageOf(s.Term, s.Meaning), Since: string(s.CreatedAt), Seen: strconv.Itoa(s.Version),
			Path: "/lexicon/moderation/" + s.ID, Can: []review.Verb{review.Approve, review.Edit, review.Back},
		}
	}
	get := func(ctx context.Context, id string) (lexicon.Submission, error) {
		s, err := d.Submission(ctx, id)
		if err == nil && s.Status != lexicon.Validated {
			err = errs.New(errs.NotFound, "This proposal does not wait for anyone.")
		}
		return s, err
	}
	return review.Queue{
		Name: "lexicon",
		List: func(ctx context.Context, limit int) ([]review.Item, error) {
			page, err := d.Queue(ctx, lexicon.PageOptions{Limit: limit})
			if err != nil {
				return nil, err
			}
			var all []review.Item
			for i := range page.Items {
				all = append(all, itemOf(&page.Items[i]))
			}
			return all, nil
		},
		Get: func(ctx context.Context, id string) (review.Item, error) {
			s, err := get(ctx, id)
			if err != nil {
				return review.Item{}, err
			}
			item := itemOf(&s)
			item.Texts = []review.Text{
				{Where: "slang_term", Text: s.Term}, {Where: "meaning", Text: s.Meaning, Long: true},
				{Where: "example_usage", Text: s.Example, Long: true}, {Where: "context", Text: s.Context},
			}
			if j := s.Judgement; j != nil && !j.ByHand && j.Reason != "" {
				item.Why = []string{j.Reason}
			}
			return item, nil
		},
		Decide: func(ctx context.Context, id string, dec review.Decision) error {
			var err error
			switch dec.Verb {
			case review.Back:
				_, err = d.Reject(ctx, dec.Person, id, dec.Reason)
			case review.Edit:
				_, err = d.Approve(ctx, dec.Person, id, lexicon.Approval{Reason: dec.Reason, Edit: lexicon.Edit{
					Term: dec.Texts["slang_term"], Meaning: dec.Texts["meaning"], Example: dec.Texts["example_usage"], Context: dec.Texts["context"],
				}})
			default:
				_, err = d.Approve(ctx, dec.Person, id, lexicon.Approval{Reason: dec.Reason})
			}
			return err
		},
	}
}
