package minutes

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/errs"
	"pressroom/model"
)

// skip is the beginning of the queue that a Claim found to be taken. Until the
// first of those tasks can be free again, the next Claim begins behind them, so that
// tasks which wait do not slow down those which do not.
type skip struct {
	mu     sync.Mutex
	cursor string
	until  time.Time
}

// reset makes the next Claim begin at the beginning, where a task became free.
func (s *skip) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cursor = ""
}

// leased are the attributes by which a consumer has a task.
var leased = model.Lease{Owner: "leaseOwner", Until: "leaseUntil", After: []string{"nextAttemptAt"}}

// claimPage is how many tasks a Claim looks at in one query.
const claimPage = 20

// Claim takes the oldest pending task that nobody has and whose time has come, for
// the options' Lease. It returns errs.NotFound if there is none. Whoever claims must
// Extend before the lease ends, and in the end Complete, Fail or Release.
//
// A task whose last consumer died without a word has used up an attempt. One with
// no attempts left is failed on the way.
func (d *Desk) Claim(ctx context.Context) (Task, error) {
	// One at a time in this process: consumers would only race for the same task.
	d.skip.mu.Lock()
	defer d.skip.mu.Unlock()
	now := d.o.Now()
	if !now.Before(d.skip.until) {
		d.skip.cursor = ""
	}
	first := d.skip.until
	if d.skip.cursor == "" {
		first = now.Add(d.o.Lease)
	}
	o := model.PageOptions{Limit: claimPage, Cursor: d.skip.cursor}
	for {
		page, err := d.tasks.Page(ctx, "NextPending", nil, o)
		if err != nil {
			return Task{}, fmt.Errorf("claim: %w", err)
		}
		for _, t := range page.Items {
			if due := t.due(); due.After(now) {
				if due.Before(first) {
					first = due
				}
				continue
			}
			claimed, err := d.claim(ctx, t, now)
			if err == nil {
				return claimed, nil
			}
			if !errors.Is(err, errs.Conflict) {
				return Task{}, err
			}
		}
		if page.Next == "" {
			return Task{}, fmt.Errorf("claim: no task is due: %w", errs.NotFound)
		}
		d.skip.cursor, d.skip.until = page.Next, first
		o.Cursor = page.Next
	}
}

// due is when a pending task may be taken.
func (t *Task) due() time.Time {
	due := time.Time{}
	for _, text := range []string{t.LeaseUntil, t.NextAttemptAt} {
		if at, err := model.ParseTime(text); err == nil && at.After(due) {
			due = at
		}
	}
	return due
}

// claim takes one task, or answers errs.Conflict if someone else was faster or it
// has no attempts left.
func (d *Desk) claim(ctx context.Context, t Task, now time.Time) (Task, error) {
	attempts := t.RetryAttempts
	if t.LeaseOwner != "" {
		attempts++ // the last owner neither finished nor gave it back
	}
	if attempts >= d.o.MaxAttempts {
		why := failure{"its consumer died", fmt.Sprintf("its consumer died, for the %s time", ordinal(attempts))}
		err := d.transition(ctx, &t, Failed, why, attempts, time.Time{})
		return Task{}, errors.Join(err, errs.Conflict)
	}
	update := leased.Take(d.o.Owner, now.Add(d.o.Lease)).
		Set(expression.Name("retryAttempts"), expression.Value(attempts)).
		Set(expression.Name("updatedAt"), expression.Value(model.FormatTime(now)))
	claimed, err := d.tasks.Update(ctx, t.key(), update, pending(), same("leaseOwner", t.LeaseOwner), same("leaseUntil", t.LeaseUntil))
	if err != nil {
		return Task{}, known(err, "claim of task %s", t.ID())
	}
	return claimed, nil
}

func ordinal(n int) string {
	suffix := "th"
	switch {
	case n%10 == 1 && n%100 != 11:
		suffix = "st"
	case n%10 == 2 && n%100 != 12:
		suffix = "nd"
	case n%10 == 3 && n%100 != 13:
		suffix = "rd"
	}
	return strconv.Itoa(n) + suffix
}

func pending() expression.ConditionBuilder {
	return expression.Name("status").Equal(expression.Value(Pending))
}

// same is the condition that an attribute still has the value that was read; "" is
// none.
func same(name, value string) expression.ConditionBuilder {
	if value == "" {
		return expression.AttributeNotExists(expression.Name(name))
	}
	return expression.Name(name).Equal(expression.Value(value))
}

// Extend keeps a claimed task for another Lease. If somebody else has it by now, the
// answer is errs.Conflict, and the caller must stop.
func (d *Desk) Extend(ctx context.Context, t *Task) error {
	_, err := d.tasks.Update(ctx, t.key(), leased.Extend(d.o.Now().Add(d.o.Lease)), pending(), leased.Mine(t.LeaseOwner))
	return known(err, "lease of task %s", t.ID())
}

// Release gives a claimed task back as it is, for a consumer that stops. It costs no
// attempt. at is when it may be taken again; zero means at once.
func (d *Desk) Release(ctx context.Context, t *Task, at time.Time, why failure) error {
	return d.transition(ctx, t, Pending, why, t.RetryAttempts, at)
}

// Fail gives a claimed task back after a failure: to be tried again after a wait that
// doubles each time, or, when its attempts are used up or the failure is permanent,
// as failed, for an operator to look at.
func (d *Desk) Fail(ctx context.Context, t *Task, cause error, permanent bool) error {
	attempts := t.RetryAttempts + 1
	if permanent || attempts >= d.o.MaxAttempts {
		return d.transition(ctx, t, Failed, failureOf(cause), attempts, time.Time{})
	}
	return d.transition(ctx, t, Pending, failureOf(cause), attempts, d.o.Now().Add(d.backoff(attempts)))
}

// backoff doubles with each attempt; half of it is random, so that tasks which
// failed together do not come back together.
func (d *Desk) backoff(attempts int) time.Duration {
	wait := d.o.Backoff << min(attempts-1, 20)
	if wait > d.o.MaxBackoff || wait <= 0 {
		wait = d.o.MaxBackoff
	}
	return wait/2 + rand.N(wait/2+1)
}

// transition ends a claim: the task gets its next state, if it is still the caller's.
func (d *Desk) transition(ctx context.Context, t *Task, to Status, why failure, attempts int, at time.Time) error {
	u := d.ended(to, why).Set(expression.Name("retryAttempts"), expression.Value(attempts))
	if at.IsZero() {
		u = u.Remove(expression.Name("nextAttemptAt"))
	} else {
		u = u.Set(expression.Name("nextAttemptAt"), expression.Value(model.FormatTime(at)))
	}
	err := d.setStatus(ctx, t, u, pending().And(same("leaseOwner", t.LeaseOwner)))
	if to == Pending {
		d.skip.reset()
	}
	return err
}

// ended is what every end of a claim writes.
func (d *Desk) ended(to Status, why failure) expression.UpdateBuilder {
	u := leased.End(expression.Set(expression.Name("status"), expression.Value(to)).
		Set(expression.Name("updatedAt"), expression.Value(d.now())))
	if why.text == "" {
		return u.Remove(expression.Name("lastError")).Remove(expression.Name("failureKind"))
	}
	return u.Set(expression.Name("lastError"), expression.Value(cut(why.text, 4<<10-1))).
		Set(expression.Name("failureKind"), expression.Value(why.kind))
}

// setStatus updates a task together with its status. A Repo refuses that, because
// keys are written from the status; here the status is the key itself, so that
// nothing has to follow.
func (d *Desk) setStatus(ctx context.Context, t *Task, u expression.UpdateBuilder, condition expression.ConditionBuilder) error {
	expr, err := expression.NewBuilder().WithUpdate(u).WithCondition(condition).Build()
	if err != nil {
		return err
	}
	_, err = d.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &d.schema.Tables[0].Name, Key: model.Raw{"pk": &types.AttributeValueMemberS{Value: t.PK}},
		UpdateExpression: expr.Update(), ConditionExpression: expr.Condition(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	})
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		err = model.ErrCondition
	}
	return known(err, "task %s", t.ID())
}

// MarkChunkReady marks a chunk of a meeting's task as done; doing so again changes
// nothing. A task or chunk that is not there is errs.NotFound.
func (d *Desk) MarkChunkReady(ctx context.Context, issueID, chunkID string) error {
	t, err := d.GetTask(ctx, issueID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(t.Chunks, func(c Chunk) bool { return c.ID == chunkID })
	if i < 0 {
		return errs.New(errs.NotFound, "There is no chunk %s in the task of meeting %s.", chunkID, t.ID())
	}
	return d.markReady(ctx, &t, i)
}

// markReady marks a chunk by its position, if it is still the same one. Its place in the
// bucket names it: not every producer gives chunks an id.
func (d *Desk) markReady(ctx context.Context, t *Task, i int) error {
	at := "chunks[" + strconv.Itoa(i) + "]"
	u := expression.Set(expression.Name(at+".status"), expression.Value(Ready)).
		Set(expression.Name("updatedAt"), expression.Value(d.now()))
	_, err := d.tasks.Update(ctx, t.key(), u, expression.Name(at+".result_url").Equal(expression.Value(t.Chunks[i].ResultURL)))
	return known(err, "chunk %s of task %s", t.Chunks[i].ID, t.ID())
}

// MarkTaskSucceeded marks the task of a meeting as completed; doing so again changes
// nothing. A task with a chunk that is not ready, or that is failed or in review, is
// errs.Conflict. Its article is published by the next Adopt, if it is not yet.
func (d *Desk) MarkTaskSucceeded(ctx context.Context, issueID string) error {
	t, err := d.GetTask(ctx, issueID)
	if err != nil {
		return err
	}
	if t.ReadyChunks() < len(t.Chunks) {
		return errs.New(errs.Conflict, "%d of %d chunks of meeting %s are not ready.", len(t.Chunks)-t.ReadyChunks(), len(t.Chunks), t.ID())
	}
	return d.succeeded(ctx, &t)
}

// succeeded completes a task whose article is still to be published.
func (d *Desk) succeeded(ctx context.Context, t *Task) error {
	u := d.ended(Completed, failure{}).Remove(expression.Name("nextAttemptAt"))
	return d.setStatus(ctx, t, u, expression.Name("status").In(expression.Value(Pending), expression.Value(Completed)))
}

// complete ends a task whose article is published.
func (d *Desk) complete(ctx context.Context, t *Task) error {
	u := d.ended(Completed, failure{}).Remove(expression.Name("nextAttemptAt")).Remove(expression.Name("awaiting"))
	return d.setStatus(ctx, t, u, expression.Name("status").Equal(expression.Value(t.Status)).And(same("leaseOwner", t.LeaseOwner)))
}

// Counts returns how many tasks are in each state, counting no further than most:
// a number that equals most means that or more.
func (d *Desk) Counts(ctx context.Context, most int) (map[Status]int, error) {
	counts := map[Status]int{}
	for _, status := range []Status{Pending, Completed, Failed, Review, Other} {
		n, err := d.count(ctx, status, most)
		if err != nil {
			return nil, fmt.Errorf("count %s tasks: %w", status, err)
		}
		counts[status] = n
	}
	return counts, nil
}

func (d *Desk) count(ctx context.Context, status Status, most int) (int, error) {
	index, of := "StatusIndex", expression.Key("status").Equal(expression.Value(status))
	if status == Other {
		index, of = "AwaitingIndex", expression.Key("awaiting").Equal(expression.Value(awaitingOperator))
	}
	expr, err := expression.NewBuilder().WithKeyCondition(of).Build()
	if err != nil {
		return 0, err
	}
	q := &dynamodb.QueryInput{
		TableName: &d.schema.Tables[0].Name, IndexName: &index, Select: types.SelectCount,
		KeyConditionExpression: expr.KeyCondition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}
	total := 0
	for total < most {
		q.Limit = aws.Int32(int32(min(most-total, 1000)))
		out, err := d.db.Query(ctx, q)
		if err != nil {
			return 0, err
		}
		total += int(out.Count)
		if out.LastEvaluatedKey == nil {
			break
		}
		q.ExclusiveStartKey = out.LastEvaluatedKey
	}
	return total, nil
}
