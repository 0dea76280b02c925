package minutesapi

import (
	"context"
	"strings"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
)

func (s *service) operators(a *api.API) {
	api.Get(a, "/minutes/tasks", auth.Operator, api.Op{ID: "listTasks", Summary: "Tasks in a state, the oldest first", Hidden: true}, s.tasks)
	api.Get(a, "/minutes/tasks/{id}", auth.Operator, api.Op{ID: "getTask", Summary: "The task of a meeting", Hidden: true}, s.task)
	api.Get(a, "/minutes/tasks/{id}/draft", auth.Operator, api.Op{
		ID: "getDraft", Summary: "The answer that is in review, and where it does not agree with the record", Hidden: true,
		Doc: "Nothing of it is published. A task that is not in review has none.",
	}, s.draft)
	api.Post(a, "/minutes/tasks/{id}/decisions", auth.Operator, api.Op{
		ID: "decideTask", Summary: "Decide about a task that failed or is in review", Hidden: true,
		Fails: []errs.Kind{errs.Conflict, errs.Stale, errs.Unversioned},
		Doc: "retry asks the model again, with what was finished; rebuild makes the prompts again from the archived record first, " +
			"also of a completed task; publish takes from an answer in review what stands up to the record, and leaves the rest out. " +
			"If-Match names the state that was looked at.",
	}, s.decide)
	api.Get(a, "/minutes/queue", auth.Operator, api.Op{ID: "getQueue", Summary: "How many tasks are in each state", Hidden: true}, s.queue)
}

type listTasks struct {
	api.Page
	Status string `query:"status" enum:"pending,completed,failed,review,other" default:"pending"`
}

func (s *service) tasks(ctx context.Context, in *listTasks) (*api.List[Task], error) {
	page, err := s.desk.Tasks(ctx, minutes.Status(in.Status), in.Limit, in.Cursor)
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, func(t minutes.Task) Task { return Task{t} }), nil
}

// Task is the task of one meeting.
type Task struct{ minutes.Task }

// Tag changes with the state and with every sign of life.
func (t *Task) Tag() string { return tagOf(&t.Task) }

func tagOf(t *minutes.Task) string {
	return string(t.Status) + "-" + strings.NewReplacer(":", "", ",", "").Replace(t.UpdatedAt)
}

func (s *service) task(ctx context.Context, in *byID) (*Task, error) {
	t, err := s.desk.GetTask(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &Task{t}, nil
}

func (s *service) draft(ctx context.Context, in *byID) (*minutes.Draft, error) {
	t, err := s.desk.GetTask(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if t.Status != minutes.Review && t.Status != minutes.Completed {
		return nil, errs.New(errs.NotFound, "The task of meeting %s is not in review.", in.ID)
	}
	d, err := s.desk.GetDraft(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// Decision is what an operator decided.
type Decision struct {
	Decision string `json:"decision" enum:"retry,rebuild,publish"`
	Why      string `json:"why,omitempty" max:"500" doc:"for the trail"`
}

func (s *service) decide(ctx context.Context, in *struct {
	api.Edit
	ID   string `path:"id" min:"1" max:"128" doc:"the meeting's issueID"`
	Body Decision
}) (*api.Accepted[Task], error) {
	t, err := s.desk.GetTask(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := in.Match(tagOf(&t)); err != nil {
		return nil, err
	}
	if err := s.record(ctx, in.Body.Decision, in.ID, in.Body.Why); err != nil {
		return nil, err
	}
	if err := s.desk.Decide(ctx, in.ID, minutes.Decision(in.Body.Decision), auth.NameOf(ctx)); err != nil {
		return nil, err
	}
	if t, err = s.desk.GetTask(ctx, in.ID); err != nil {
		return nil, err
	}
	return &api.Accepted[Task]{Location: "/minutes/tasks/" + in.ID, Body: Task{t}}, nil
}

// Queue is how many tasks are in each state.
type Queue struct {
	Pending   int `json:"pending"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Review    int `json:"review"`
	Other     int `json:"other" doc:"in states that other programs write and nobody here knows"`
	AtMost    int `json:"at_most" doc:"where counting ended: a number that equals it means that or more"`
}

// mostCounted bounds what counting costs.
const mostCounted = 10_000

func (s *service) queue(ctx context.Context, _ *struct{}) (*Queue, error) {
	counts, err := s.desk.Counts(ctx, mostCounted)
	if err != nil {
		return nil, err
	}
	return &Queue{counts[minutes.Pending], counts[minutes.Completed], counts[minutes.Failed], counts[minutes.Review], counts[minutes.Other], mostCounted}, nil
}
