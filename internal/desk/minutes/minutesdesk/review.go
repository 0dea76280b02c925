package minutesdesk

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/internal/proof"
	"pressroom/internal/review"
	"pressroom/internal/story"
)

// held are the texts that wait for a person.
func held(d *minutes.Desk) review.Queue {
	verbs := []review.Verb{review.Approve, review.Edit, review.Back}
	return review.Queue{
		Name: "minutes",
		List: func(ctx context.Context, limit int) ([]review.Item, error) {
			page, err := d.Tasks(ctx, minutes.Review, limit, "")
			if err != nil {
				return nil, err
			}
			var all []review.Item
			for _, t := range page.Items {
				all = append(all, taskItem(&t, verbs))
			}
			return all, nil
		},
		Get: func(ctx context.Context, id string) (review.Item, error) {
			h, err := d.GetHeld(ctx, id)
			if err != nil {
				return review.Item{}, err
			}
			item := taskItem(&h.Task, verbs)
			for _, f := range h.Draft.Findings {
				item.Why = append(item.Why, f.Where+": "+f.Problem)
			}
			item.Passages = h.Passages
			item.Texts = textsOf(h.Answer.Texts(), h.Published)
			item.Claims, err = minutes.Claims(ctx, h.Record(), &h.Answer, nil)
			return item, err
		},
		Check: func(ctx context.Context, id string, texts map[string]string) ([]proof.Claim, error) {
			return d.CheckHeld(ctx, id, texts)
		},
		Decide: func(ctx context.Context, id string, dec review.Decision) error {
			switch dec.Verb {
			case review.Approve:
				return d.PublishReviewed(ctx, id, dec.By)
			case review.Edit:
				return d.PublishEdited(ctx, id, dec.Texts, dec.By)
			}
			return d.Requeue(ctx, id, true)
		},
	}
}

func taskItem(t *minutes.Task, verbs []review.Verb) review.Item {
	m := &t.Meeting
	return review.Item{
		ID: t.ID(), Title: fmt.Sprintf("%s %s %s", m.House, m.Name, m.Issue), Lang: story.LanguageOf(m.House, m.Name),
		Since: t.UpdatedAt, Seen: t.UpdatedAt, Path: "/office/minutes/tasks/" + t.ID(), Can: verbs,
	}
}

// textsOf are texts beside those that readers see, nil for none.
func textsOf(texts []minutes.Text, published *minutes.Result) []review.Text {
	was := map[string]string{}
	if published != nil {
		for _, t := range published.Texts() {
			was[t.Where] = t.Text
		}
	}
	var all []review.Text
	for _, t := range texts {
		one := review.Text{Where: t.Where, Text: t.Text, Long: len(t.Text) > 120}
		if was[t.Where] != t.Text {
			one.Was = was[t.Where]
		}
		all = append(all, one)
	}
	return all
}

// editor changes articles.
func editor(d *minutes.Desk) *review.Editor {
	return &review.Editor{
		Desk: minutes.Schema.Name,
		Get: func(ctx context.Context, id string) (review.Item, error) {
			full, err := d.GetFull(ctx, id)
			if err != nil {
				return review.Item{}, err
			}
			answer := full.Answer()
			item := review.Item{Seen: strconv.Itoa(full.Version), Passages: full.Passages(), Texts: textsOf(answer.Texts(), nil)}
			item.Claims, err = minutes.Claims(ctx, proof.NewRecord(full.Date, full.House+full.Meeting, item.Passages), answer, nil)
			// Those of the record itself are not to be read in thousands.
			item.Claims = slices.DeleteFunc(item.Claims, func(c proof.Claim) bool { return c.Verdict == proof.Supported && len(item.Claims) > 500 })
			return item, err
		},
		Edit: func(ctx context.Context, id, seen string, texts map[string]string, w story.Word) error {
			version, err := strconv.Atoi(seen)
			if err != nil {
				return errs.Stale
			}
			_, err = d.Edit(ctx, id, version, texts, w)
			return err
		},
		Withdraw: d.Withdraw, Check: d.CheckEdit,
	}
}
