package minutes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// publish writes the article of an answer that stood up to the record. An article
// that is there already and says the same is left alone. Without a reviewer, what a
// person edited or withdrew is left to people: the answer goes to review.
func (d *Desk) publish(ctx context.Context, t *Task, rec *record, shown *proved, reviewer string) error {
	article, asset := rec.assemble(t, &shown.Result)
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
	at, err := place(d.objects.assets, "Asset", model.Values{"id": article.ID, "version": version})
	if err != nil {
		return err
	}
	_, key, err := d.objects.split(at)
	if err != nil {
		return err
	}
	article.AssetURL = d.assetURL(key)
	old, err := d.articles.Get(ctx, article.key())
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return fmt.Errorf("publish: %w", err)
	}
	if was := d.ownAsset(&old); was == key && !old.foreign() {
		if err := d.saver.Finish(ctx, old.ID, old.SaveID); err != nil {
			return err
		}
		return d.errata(ctx, t.Meeting, rec.proceedings(t.Meeting).Corrections)
	}
	gone, how, err := d.deciding(ctx, &old, article.ID, &shown.Result, reviewer)
	if err != nil {
		return err
	}
	article.UpdatedAt = d.now()
	made := asset.GeneratedBy.provenance(article.UpdatedAt)
	if reviewer != "" {
		made.Reviewer, made.Reviewed, made.Version, made.Edited = reviewer, article.UpdatedAt, old.Version+1, shown.edited
	}
	article.Provenance, article.Shares = &made, asset.shares()
	article.PublishedAt = old.PublishedAt
	if article.PublishedAt == "" {
		article.PublishedAt = article.UpdatedAt
	}
	if old.AssetURL != "" {
		// What is new about it is no part of its version: the next look finds nothing new.
		if heavy, err = d.correct(ctx, &old, &article, asset); err != nil {
			return err
		}
	}
	if err := d.objects.writeNew(ctx, at, heavy); err != nil {
		return err
	}
	if gone {
		how.tell = func(ctx context.Context, st story.Story) ([]model.Piece, error) {
			return d.o.Stories.Correct(ctx, st, story.Word{By: reviewer, Reason: "reviewed and published again"})
		}
	}
	if err := d.save(ctx, &article, how); err != nil {
		return err
	}
	if was := d.ownAsset(&old); was != "" && was != key {
		if err := d.objects.delete(ctx, url(d.objects.assets.Name, was)); err != nil {
			d.o.Log.Warn("an asset that is no longer used stays", "key", was, "error", err)
		}
	}
	return d.errata(ctx, t.Meeting, rec.proceedings(t.Meeting).Corrections)
}

// deciding finds out whether a person withdrew an article, and how it may be saved by
// somebody. Without a reviewer, what a person edited or withdrew is a falseIn.
func (d *Desk) deciding(ctx context.Context, old *Article, id string, result *Result, reviewer string) (gone bool, how saving, err error) {
	note, gone, err := d.o.Stories.Gone(ctx, refOf(id))
	if err != nil || reviewer != "" {
		return gone, how, err
	}
	held := func(why string) error {
		text, _ := encode(result)
		return &falseIn{text: string(text), FalseAnswer: &FalseAnswer{[]Finding{{"article", why}}}}
	}
	if gone {
		return gone, how, held(fmt.Sprintf("%s withdrew it: %s", note.By, note.Reason))
	}
	how.over = func(old *Article) error {
		if made := old.made(); made.Edited {
			return held(fmt.Sprintf("%s edited it, and this would take its place", made.Reviewer))
		}
		return nil
	}
	return gone, how, how.over(old)
}

// made says who wrote an article and who looked at it; zero if nobody noted it.
func (a *Article) made() story.Provenance {
	if a.Provenance == nil {
		return story.Provenance{}
	}
	return *a.Provenance
}

// provenance says who wrote an article, for its card.
func (o *Origin) provenance(at string) story.Provenance {
	return story.Provenance{Model: strings.Trim(o.Provider+"/"+o.Model, "/"), Prompt: o.PromptVersion, Made: at, Extractive: o.Extractive}
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
	if err := d.understand(ctx, t); err != nil {
		return err
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
	shown, err := d.prove(ctx, t, rec, result, false)
	if err != nil {
		return err
	}
	if err := d.publish(ctx, t, rec, &shown, ""); err != nil {
		return err
	}
	return d.complete(ctx, t)
}

// wholeRecord is everything that was said in a task's meeting.
func (d *Desk) wholeRecord(ctx context.Context, t *Task) (*record, error) {
	if AssemblyOf(t.ID()) != "" {
		return d.structuredRecord(ctx, t)
	}
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
