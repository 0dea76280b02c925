package newswiredesk

import (
	"context"
	"path"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/proof"
	"pressroom/internal/review"
	"pressroom/internal/rights"
	"pressroom/internal/story"
)

// summary is the place of an article's only text that is ours.
const summary = "summary.summary"

// editor changes summaries. The id of a story ends with that of its article.
func editor(d *newswire.Desk) *review.Editor {
	return &review.Editor{
		Desk: newswire.Schema.Name,
		Get: func(ctx context.Context, id string) (review.Item, error) {
			shown, err := d.ReadArticle(ctx, path.Base(id), rights.Staff)
			if err != nil {
				return review.Item{}, err
			}
			item := review.Item{Seen: shown.Article.SummaryID}
			if item.Passages, err = d.Passages(ctx, &shown.Article); err != nil || shown.Summary == nil {
				return item, err
			}
			item.Texts = []review.Text{{Where: summary, Text: shown.Summary.SummaryText, Long: true}}
			item.Claims, err = d.CheckSummary(ctx, shown.Article.ArticleID, shown.Summary.SummaryText)
			return item, err
		},
		Edit: func(ctx context.Context, id, seen string, texts map[string]string, w story.Word) error {
			text, ok := texts[summary]
			if !ok || len(texts) != 1 {
				return errs.Validation(errs.Field{Name: "texts", Message: "must be the summary"})
			}
			_, err := d.EditSummary(ctx, path.Base(id), seen, text, w)
			return err
		},
		Withdraw: func(ctx context.Context, id string, w story.Word) error { return d.Withdraw(ctx, path.Base(id), w) },
		Check: func(ctx context.Context, id string, texts map[string]string) ([]proof.Claim, error) {
			return d.CheckSummary(ctx, path.Base(id), texts[summary])
		},
	}
}
