package minutes

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/model"
)

// publish writes the article of an answer that stood up to the record. An article
// that is there already and says the same is left alone.
func (d *Desk) publish(ctx context.Context, t *Task, rec *record, result *Result) error {
	article, asset := rec.assemble(t, result)
	heavy, err := encode(asset)
	if err != nil {
		return err
	}
	light, err := encode(article)
	if err != nil {
		return err
	}
	// The version is the content, so that the same content has the same address.
	version := digest(append(light, heavy...))[:32]
	if article.AssetURL, err = place(d.objects.assets, "Asset", model.Values{"id": article.ID, "version": version}); err != nil {
		return err
	}
	old, err := d.articles.Get(ctx, article.key())
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return fmt.Errorf("publish: %w", err)
	}
	if old.AssetURL == article.AssetURL {
		return d.saver.Finish(ctx, old.ID, old.SaveID)
	}
	article.UpdatedAt = d.now()
	article.PublishedAt = old.PublishedAt
	if article.PublishedAt == "" {
		article.PublishedAt = article.UpdatedAt
	}
	if err := d.objects.writeNew(ctx, article.AssetURL, heavy); err != nil {
		return err
	}
	if err := d.save(ctx, &article); err != nil {
		return err
	}
	if old.AssetURL != "" {
		if err := d.objects.delete(ctx, old.AssetURL); err != nil {
			d.o.Log.Warn("an asset that is no longer used stays", "url", old.AssetURL, "error", err)
		}
	}
	return nil
}

// AdoptReport says what Adopt did.
type AdoptReport struct {
	Published, Review, Failed int
}

// Adopt publishes the articles of tasks that a foreign consumer completed. Results
// that do not stand up to the record go to review, those that cannot be read are
// failed.
func (d *Desk) Adopt(ctx context.Context) (AdoptReport, error) {
	var report AdoptReport
	for t, err := range d.tasks.All(ctx, "AwaitingArticles", nil) {
		if err != nil {
			return report, fmt.Errorf("adopt: %w", err)
		}
		err := d.adopt(ctx, &t)
		var wrong *falseIn
		switch {
		case err == nil:
			report.Published++
		case errors.Is(err, errs.Conflict):
			// Another process was faster, or is at it.
		case errors.As(err, &wrong):
			report.Review++
			err = d.review(ctx, &t, wrong)
		case ctx.Err() != nil:
			return report, ctx.Err()
		default:
			report.Failed++
			err = d.setStatus(ctx, &t, d.ended(Failed, failureOf(err)), expression.Name("status").Equal(expression.Value(Completed)))
		}
		if err != nil && !errors.Is(err, errs.Conflict) {
			return report, fmt.Errorf("adopt task %s: %w", t.ID(), err)
		}
	}
	return report, nil
}

func (d *Desk) adopt(ctx context.Context, t *Task) error {
	if !validDate(t.Meeting.Date) {
		return errs.New(errs.Invalid, "the date %.40q of the meeting is none", t.Meeting.Date)
	}
	var result Result
	if err := d.objects.get(ctx, t.ResultURL, &result); err != nil {
		return err
	}
	rec, err := d.wholeRecord(ctx, t)
	if err != nil {
		return err
	}
	if len(result.Dialogs) == 0 || len(result.MiddleSummary) == 0 {
		var chunks []Result
		for _, c := range t.Chunks {
			var one Result
			if err := d.objects.get(ctx, c.ResultURL, &one); err != nil {
				return err
			}
			chunks = append(chunks, one)
		}
		result = merge(result, chunks, t)
	}
	if found := rec.check(&result); len(found) > 0 {
		text, _ := encode(result)
		return &falseIn{text: string(text), FalseAnswer: &FalseAnswer{found}}
	}
	if err := d.publish(ctx, t, rec, &result); err != nil {
		return err
	}
	return d.complete(ctx, t)
}

// wholeRecord is everything that was said in a task's meeting.
func (d *Desk) wholeRecord(ctx context.Context, t *Task) (*record, error) {
	if t.ProcessingMode != Chunked {
		body, err := d.loadDirect(ctx, t)
		if err != nil {
			return nil, err
		}
		return body.shown(), nil
	}
	var speeches []diet.Speech
	for _, c := range t.Chunks {
		body, err := d.load(ctx, c.PromptURL)
		if err != nil {
			return nil, err
		}
		speeches = append(speeches, body.Speeches...)
	}
	return newRecord(speeches), nil
}
