package minutes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/internal/proof"
	"pressroom/model"
)

// review keeps a false answer for people, and puts its task aside.
func (d *Desk) review(ctx context.Context, t *Task, wrong *falseIn) error {
	at, err := place(d.objects.prompts, "ReviewDraft", model.Values{"issueID": t.ID()})
	if err != nil {
		return err
	}
	draft := Draft{IssueID: t.ID(), Chunk: wrong.chunk, Findings: wrong.Findings, Answer: wrong.text, At: d.now()}
	if err := d.objects.put(ctx, at, draft); err != nil {
		return err
	}
	u := d.ended(Review, failure{"not as in the record", oneLine(wrong)}).Remove(expression.Name("nextAttemptAt"))
	return d.setStatus(ctx, t, u, expression.Name("status").Equal(expression.Value(t.Status)).And(same("leaseOwner", t.LeaseOwner)))
}

// GetDraft returns the answer for which a meeting's task is in review, with what is
// wrong with it, or errs.NotFound.
func (d *Desk) GetDraft(ctx context.Context, issueID string) (Draft, error) {
	at, err := place(d.objects.prompts, "ReviewDraft", model.Values{"issueID": issueID})
	if err != nil {
		return Draft{}, errs.Wrap(err, errs.NotFound, "There is no draft of meeting %s.", issueID)
	}
	var draft Draft
	return draft, d.objects.get(ctx, at, &draft)
}

// Requeue puts a failed task, or one in review, back to be tried from its first
// attempt; chunks that are ready stay so. With rebuild, its prompts are made again
// from the archived record, and everything is asked again that was not asked in these
// words; then also a completed task may be requeued. A task in another state, or one
// that somebody works on, is errs.Conflict.
func (d *Desk) Requeue(ctx context.Context, issueID string, rebuild bool) error {
	t, err := d.GetTask(ctx, issueID)
	if err != nil {
		return err
	}
	allowed := t.Status == Failed || t.Status == Review || rebuild && t.Status == Completed
	if !allowed {
		return errs.New(errs.Conflict, "The task of meeting %s is %s; only failed tasks and those in review are put back.", issueID, t.Status)
	}
	defer d.skip.reset()
	if _, err := d.load(ctx, t.PromptURL); err != nil || rebuild {
		p, err := d.rebuild(ctx, &t)
		if err != nil {
			return err
		}
		if err := d.writePayloads(ctx, p); err != nil {
			return err
		}
		return known(d.replaceTask(ctx, p, &t), "task of meeting %s", issueID)
	}
	u := d.ended(Pending, failure{}).Remove(expression.Name("nextAttemptAt")).
		Set(expression.Name("retryAttempts"), expression.Value(0)).
		Set(expression.Name("awaiting"), expression.Value(awaitingArticle))
	return d.setStatus(ctx, &t, u, expression.Name("status").Equal(expression.Value(t.Status)))
}

// Held is a draft in review with the record that it is held against, and the version
// that readers see.
type Held struct {
	Task      Task
	Draft     Draft
	Answer    Result
	Passages  []proof.Passage
	Published *Result // nil if there is none
}

// Record is what the draft is held against.
func (h *Held) Record() *proof.Record {
	return proof.NewRecord(h.Task.Meeting.Date, h.Task.Meeting.House+h.Task.Meeting.Name, h.Passages)
}

// GetHeld returns what is in review of a meeting, or errs.NotFound.
func (d *Desk) GetHeld(ctx context.Context, issueID string) (Held, error) {
	t, err := d.GetTask(ctx, issueID)
	if err != nil {
		return Held{}, err
	}
	if t.Status != Review {
		return Held{}, errs.New(errs.NotFound, "Nothing of meeting %s is in review.", issueID)
	}
	h := Held{Task: t}
	if h.Draft, err = d.GetDraft(ctx, issueID); err != nil {
		return h, err
	}
	_ = json.Unmarshal([]byte(h.Draft.Answer), &h.Answer) // what cannot be read has no texts
	rec, err := d.draftRecord(ctx, &t, h.Draft.Chunk)
	if err != nil {
		return h, err
	}
	h.Passages = passagesOf(rec.speeches)
	full, err := d.GetFull(ctx, issueID)
	if errors.Is(err, errs.NotFound) {
		return h, nil
	}
	h.Published = full.Answer()
	return h, err
}

// draftRecord is the record of a draft: of one chunk, or of the whole.
func (d *Desk) draftRecord(ctx context.Context, t *Task, chunk string) (*record, error) {
	for _, c := range t.Chunks {
		if chunk != "" && c.ID == chunk {
			body, err := d.load(ctx, c.PromptURL)
			if err != nil {
				return nil, err
			}
			return body.shown(), nil
		}
	}
	return d.wholeRecord(ctx, t)
}

// PublishEdited is PublishReviewed with texts of the answer changed, by their places.
// What the record contradicts of those is an errs.Validation.
func (d *Desk) PublishEdited(ctx context.Context, issueID string, texts map[string]string, reviewer string) error {
	h, err := d.GetHeld(ctx, issueID)
	if err != nil {
		return err
	}
	changed, err := h.Answer.change(texts)
	if err != nil {
		return err
	}
	claims, err := Claims(ctx, h.Record(), &h.Answer, append([]string{}, changed...))
	if err == nil {
		err = contradicted(claims)
	}
	if err != nil {
		return err
	}
	h.Answer.tidy()
	if h.Draft.Chunk != "" {
		return d.acceptChunk(ctx, &h.Task, h.Draft.Chunk, h.Answer)
	}
	return d.acceptWhole(ctx, &h.Task, h.Answer, reviewer, len(changed) > 0)
}

// PublishReviewed ends a review by publishing what of the answer stands up to the
// record, without the rest. If the answer is about one chunk, the chunk becomes ready
// so, and the task goes on. The article names the reviewer. A task that is not in review is errs.Conflict.
func (d *Desk) PublishReviewed(ctx context.Context, issueID, reviewer string) error {
	t, err := d.GetTask(ctx, issueID)
	if err != nil {
		return err
	}
	if t.Status != Review {
		return errs.New(errs.Conflict, "The task of meeting %s is %s, not in review.", issueID, t.Status)
	}
	draft, err := d.GetDraft(ctx, issueID)
	if err != nil {
		return err
	}
	var answer Result
	if err := json.Unmarshal([]byte(draft.Answer), &answer); err != nil {
		return errs.Wrap(err, errs.Conflict, "Nothing of the answer can be read. Put the task back instead.")
	}
	if draft.Chunk != "" {
		return d.acceptChunk(ctx, &t, draft.Chunk, answer)
	}
	return d.acceptWhole(ctx, &t, answer, reviewer, false)
}

func (d *Desk) acceptChunk(ctx context.Context, t *Task, id string, answer Result) error {
	for i, c := range t.Chunks {
		if c.ID != id {
			continue
		}
		body, err := d.load(ctx, c.PromptURL)
		if err != nil {
			return err
		}
		if err := d.objects.put(ctx, c.ResultURL, body.shown().without(answer)); err != nil {
			return err
		}
		if err := d.markReady(ctx, t, i); err != nil {
			return err
		}
		return d.Requeue(ctx, t.ID(), false)
	}
	return fmt.Errorf("the task of meeting %s has no %s: %w", t.ID(), id, errs.Conflict)
}

func (d *Desk) acceptWhole(ctx context.Context, t *Task, answer Result, reviewer string, edited bool) error {
	rec, err := d.wholeRecord(ctx, t)
	if err != nil {
		return err
	}
	if t.ProcessingMode == Chunked && len(answer.Dialogs) == 0 {
		chunks := make([]Result, len(t.Chunks))
		for i, c := range t.Chunks {
			if err := d.objects.get(ctx, c.ResultURL, &chunks[i]); err != nil {
				return err
			}
		}
		answer = merge(answer, chunks, t)
	}
	answer = rec.without(answer)
	answer.Date = t.Meeting.Date
	shown, err := d.prove(ctx, t, rec, answer, true)
	if err != nil {
		return errs.Wrap(err, errs.Conflict, "Nothing of the answer can be published. Put the task back instead.")
	}
	shown.edited = edited
	if err := d.objects.put(ctx, t.ResultURL, answer); err != nil {
		return err
	}
	if err := d.publish(ctx, t, rec, &shown, reviewer); err != nil {
		return err
	}
	return d.complete(ctx, t)
}

// Unfinished is a save that was interrupted, for an operator to see.
type Unfinished struct {
	ArticleID string
	Since     time.Time
}

// UnfinishedSaves returns up to limit saves that are under way or were interrupted,
// the oldest first. Recover ends those that were.
func (d *Desk) UnfinishedSaves(ctx context.Context, limit int) ([]Unfinished, error) {
	parts, err := d.saver.Open(ctx, limit)
	var out []Unfinished
	for _, p := range parts {
		since, err := model.ParseTime(p.CreatedAt)
		if err != nil {
			return nil, err
		}
		out = append(out, Unfinished{p.ID, since})
	}
	return out, err
}
