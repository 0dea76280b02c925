package blog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Plan says when a post is published, and when it is archived again. It is carried out
// by the server's clock, never early, and once, whichever process dies.
type Plan struct {
	PublishAt  time.Time `json:"publish_at,omitzero" doc:"when readers see it"`
	WithdrawAt time.Time `json:"withdraw_at,omitzero" doc:"when it is archived"`
	By         string    `json:"by,omitempty" doc:"who planned it"`
	Problem    string    `json:"problem,omitempty" doc:"why it could not be carried out; it is not tried again"`
}

// planItem is a plan. Due is the next of its times.
type planItem struct {
	ID         string `dynamodbav:"id"`
	State      string `dynamodbav:"state"`
	Due        string `dynamodbav:"due"`
	PublishAt  string `dynamodbav:"publishAt,omitempty"`
	WithdrawAt string `dynamodbav:"withdrawAt,omitempty"`
	By         string `dynamodbav:"by,omitempty"`
	Problem    string `dynamodbav:"problem,omitempty"`
	Version    int    `dynamodbav:"version"`
}

const (
	planWaiting = "waiting"
	planFailed  = "failed"
)

// maxAhead is how far ahead plans are made.
const maxAhead = 5 * 365 * 24 * time.Hour

// SetPlan plans the publication or withdrawal of a post over what was planned before;
// a plan without times is none. Times that have passed, or a post without blocks, are an
// errs.Validation.
func (d *Desk) SetPlan(ctx context.Context, id string, p Plan) error {
	post, err := d.Get(ctx, id)
	if err != nil {
		return err
	}
	if p.PublishAt.IsZero() && p.WithdrawAt.IsZero() {
		return d.plans.Delete(ctx, key(id))
	}
	if err := p.check(d.now(), &post); err != nil {
		return err
	}
	item := planItem{ID: id, State: planWaiting, By: d.opt.Who(ctx)}
	if !p.PublishAt.IsZero() {
		item.PublishAt = model.FormatTime(p.PublishAt)
	}
	if !p.WithdrawAt.IsZero() {
		item.WithdrawAt = model.FormatTime(p.WithdrawAt)
	}
	if item.Due = item.PublishAt; item.Due == "" {
		item.Due = item.WithdrawAt
	}
	for try := 1; ; try++ {
		was, err := d.plans.Get(ctx, key(id))
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return err
		}
		piece := d.plans.CreatePiece(&item)
		if err == nil {
			item.Version = was.Version
			piece = d.plans.PutPiece(&item)
		}
		err = model.Transact(ctx, d.db, piece, d.posts.CheckPiece(key(id)))
		var refused *model.TransactionError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &refused) && slices.Contains(refused.Pieces, 1):
			return noPost(id)
		case !errors.As(err, &refused) && !errors.Is(err, model.ErrConflict), try == anyTries:
			return fmt.Errorf("plan post %s: %w", id, err)
		}
	}
}

func (p *Plan) check(now time.Time, post *Post) error {
	var wrong problems
	for _, at := range []struct {
		name string
		time.Time
	}{{"publish_at", p.PublishAt}, {"withdraw_at", p.WithdrawAt}} {
		switch {
		case at.IsZero():
		case !at.After(now):
			wrong.add(at.name, "must lie in the future")
		case at.After(now.Add(maxAhead)):
			wrong.add(at.name, "must lie within five years")
		}
	}
	if !p.WithdrawAt.IsZero() && !p.WithdrawAt.After(p.PublishAt) {
		wrong.add("withdraw_at", "must come after the publication")
	}
	if !p.PublishAt.IsZero() && len(post.Blocks) == 0 {
		wrong.add(needsBlock.Name, "%s", needsBlock.Message)
	}
	if p.PublishAt.IsZero() && post.Status != Published {
		wrong.add("publish_at", "is missing; the post is not published")
	}
	return wrong.err()
}

// PlanOf returns what is planned for a post; nothing is the zero Plan.
func (d *Desk) PlanOf(ctx context.Context, id string) (Plan, error) {
	if !plausible(id) {
		return Plan{}, noPost(id)
	}
	item, err := d.plans.Get(ctx, key(id))
	if errors.Is(err, model.ErrNotFound) {
		return Plan{}, nil
	}
	if err != nil {
		return Plan{}, err
	}
	times, err := parseTimes(item.PublishAt, item.WithdrawAt)
	if err != nil {
		return Plan{}, fmt.Errorf("plan of post %s: %w", id, err)
	}
	return Plan{times[0], times[1], item.By, item.Problem}, nil
}

// dutyItem is the lease by which one process carries out plans.
type dutyItem struct {
	Duty  string `dynamodbav:"duty"`
	Owner string `dynamodbav:"owner,omitempty"`
	Until string `dynamodbav:"until,omitempty"`
}

var (
	duty    = model.Lease{Owner: "owner", Until: "until"}
	planKey = model.Values{"duty": "plans"}
)

const (
	// planLook is the time between two looks for plans that are due.
	planLook = 500 * time.Millisecond
	// planLease is how long a process that died keeps others from the plans.
	planLease = time.Second
)

// FollowPlans carries out plans as they fall due, until ctx ends. All processes may
// run it: one at a time does the work, for as long as there is any.
func (d *Desk) FollowPlans(ctx context.Context) {
	owner := d.ids.New()
	for {
		if err := d.turnPlans(ctx, owner); err != nil && ctx.Err() == nil {
			d.opt.Log.Error("blog: plans are not carried out", "err", err)
		}
		if wait(ctx, planLook) != nil {
			return
		}
	}
}

func (d *Desk) turnPlans(ctx context.Context, owner string) error {
	due, err := d.anyDue(ctx)
	if err != nil || !due {
		return err
	}
	now := d.now()
	_, err = d.duties.Upsert(ctx, planKey, duty.Take(owner, now.Add(planLease)), duty.Free(now))
	if errors.Is(err, model.ErrCondition) {
		return nil // another process is at it
	}
	if err != nil {
		return err
	}
	h := model.Holding{For: planLease, Left: planLease - d.now().Sub(now), Extend: func(ctx context.Context) error {
		_, err := d.duties.Update(ctx, planKey, duty.Extend(d.now().Add(planLease)), duty.Mine(owner))
		return err
	}}
	err = model.Hold(ctx, h, func(ctx context.Context) error { return second(d.RunPlans(ctx)) })
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), planLease)
	defer cancel()
	_, ended := d.duties.Update(ending, planKey, duty.End(expression.UpdateBuilder{}), duty.Mine(owner))
	if errors.Is(ended, model.ErrCondition) || errors.Is(err, model.ErrLost) {
		return nil
	}
	return errors.Join(err, ended)
}

func (d *Desk) anyDue(ctx context.Context) (bool, error) {
	for _, err := range d.views.duePlans.All(ctx, nil, model.Window{To: d.stamp()}) {
		return err == nil, err
	}
	return false, nil
}

// planners is how many posts are published at once.
const planners = 4

// RunPlans carries out all plans that are due, and returns how many. Each happens once
// even if several processes do this at the same time.
func (d *Desk) RunPlans(ctx context.Context) (int, error) {
	var ids []string
	for p, err := range d.views.duePlans.All(ctx, nil, model.Window{To: d.stamp()}) {
		if err != nil {
			return 0, fmt.Errorf("due plans: %w", err)
		}
		ids = append(ids, p.ID)
	}
	done := make(chan error)
	next := make(chan string)
	for range planners {
		go func() {
			var all error
			for id := range next {
				all = errors.Join(all, d.carryOut(ctx, id))
			}
			done <- all
		}()
	}
	for _, id := range ids {
		next <- id
	}
	close(next)
	var all error
	for range planners {
		all = errors.Join(all, <-done)
	}
	return len(ids), all
}

// carryOut does what is due of a post's plan.
func (d *Desk) carryOut(ctx context.Context, id string) error {
	for try := 1; ; try++ {
		err := d.carryOutOnce(ctx, id)
		if try == anyTries || !errors.Is(err, errs.Stale) {
			return err
		}
		if err := wait(ctx, jitter(try)); err != nil {
			return err
		}
	}
}

func (d *Desk) carryOutOnce(ctx context.Context, id string) error {
	plan, err := d.plans.Get(ctx, key(id))
	now := d.stamp()
	if errors.Is(err, model.ErrNotFound) || err == nil && (plan.State != planWaiting || plan.Due > now) {
		return nil // somebody else did it, or changed the plan
	}
	if err != nil {
		return err
	}
	old, err := d.settled(ctx, id)
	if errors.Is(err, errs.NotFound) {
		return d.plans.Delete(ctx, key(id))
	}
	if err != nil {
		return err
	}
	to := Published
	if plan.WithdrawAt != "" && plan.WithdrawAt <= now {
		to = Archived
	}
	if to == Published && len(old.blocks) == 0 {
		plan.State, plan.Problem = planFailed, needsBlock.Name+" "+needsBlock.Message
		return d.plans.Put(ctx, &plan)
	}
	due, piece := plan.Due, d.plans.RemovePiece(&plan)
	if to == Published && plan.WithdrawAt != "" {
		later := plan
		later.PublishAt, later.Due = "", plan.WithdrawAt
		piece = d.plans.PutPiece(&later)
	}
	if old.item.Status == to {
		return staleIfRefused(id, model.Transact(ctx, d.db, piece))
	}
	next := old
	next.item.Status, next.item.UpdatedAt = to, d.stamp()
	next.act, next.with = act{what: Act(to), by: plan.By}, []guarded{{piece, stale(id)}}
	if to == Published && next.item.PublishedAt == "" {
		next.item.PublishedAt = due
	}
	if err := d.replace(ctx, &old, &next); err != nil {
		return fmt.Errorf("carry out the plan of post %s: %w", id, err)
	}
	return nil
}

func staleIfRefused(id string, err error) error {
	var refused *model.TransactionError
	if errors.As(err, &refused) || errors.Is(err, model.ErrConflict) {
		return stale(id)
	}
	return err
}
