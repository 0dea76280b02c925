package minutesweb

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// statuses are the tabs of the queue, those first that want someone to look.
var statuses = []minutes.Status{minutes.Review, minutes.Failed, minutes.Pending, minutes.Completed}

// queuePage is the tasks in one state.
type queuePage struct {
	Status minutes.Status
	Counts []count
	Most   int
	Tabs   []web.Tab
	Tasks  []taskRow
	Next   string
	Saves  []minutes.Unfinished
}

type count struct {
	Status minutes.Status
	N      int
}

type taskRow struct {
	minutes.Task
	Path string
}

// Waits reports whether the task's next attempt is still to come.
func (t taskRow) Waits() bool { return t.Status == minutes.Pending && t.NextAttemptAt != "" }

// mostCounted bounds what counting costs, and shownSaves what is shown of saves.
const (
	mostCounted = 10_000
	shownSaves  = 20
)

func (p *pages) showQueue(w http.ResponseWriter, r *http.Request) error {
	counts, err := p.desk.Counts(r.Context(), mostCounted)
	if err != nil {
		return err
	}
	status := minutes.Status(r.URL.Query().Get("status"))
	if status == "" {
		// What waits for a person, if anything does.
		status = minutes.Pending
		for _, s := range statuses[:2] {
			if counts[s] > 0 {
				status = s
				break
			}
		}
	}
	if !slices.Contains(statuses, status) && status != minutes.Other {
		return errs.New(errs.NotFound, "Tasks have no such state.")
	}
	page, err := p.desk.Tasks(r.Context(), status, 50, r.URL.Query().Get("cursor"))
	if err != nil {
		return err
	}
	data := queuePage{Status: status, Most: mostCounted, Next: page.Next}
	shown := statuses
	if counts[minutes.Other] > 0 || status == minutes.Other {
		shown = append(slices.Clip(statuses), minutes.Other)
	}
	for _, s := range shown {
		data.Counts = append(data.Counts, count{s, counts[s]})
		data.Tabs = append(data.Tabs, web.Tab{Title: p.site.T(r, "minutes.status."+string(s)), Path: "/office/minutes?status=" + string(s), Current: s == status})
	}
	for _, t := range page.Items {
		data.Tasks = append(data.Tasks, taskRow{t, taskPath(t.ID())})
	}
	if data.Saves, err = p.desk.UnfinishedSaves(r.Context(), shownSaves); err != nil {
		return err
	}
	return p.site.Render(w, r, p.views, "queue", web.Page{Title: p.site.T(r, "minutes.office.title"), NoIndex: true, Private: true, Block: "tasks", Data: data})
}

// taskPage is one task, with the answer that is in review.
type taskPage struct {
	minutes.Task
	Path    string
	Lang    string // of the meeting's name
	Draft   *minutes.Draft
	Article string // path of what is published; "" if nothing is
	Actions []action
}

// List is the list that has the task.
func (t *taskPage) List() minutes.Status {
	if !t.Status.Known() {
		return minutes.Other
	}
	return t.Status
}

// action is what an operator can do to a task in its state.
type action struct {
	Decision minutes.Decision
	Primary  bool
}

// actions are what can be done in each state.
var actions = map[minutes.Status][]action{
	minutes.Review:    {{minutes.DecidePublish, true}, {minutes.DecideRetry, false}, {minutes.DecideRebuild, false}},
	minutes.Failed:    {{minutes.DecideRetry, true}, {minutes.DecideRebuild, false}},
	minutes.Completed: {{minutes.DecideRebuild, false}},
}

func (p *pages) showTask(w http.ResponseWriter, r *http.Request) error {
	return p.renderTask(w, r, nil)
}

func (p *pages) renderTask(w http.ResponseWriter, r *http.Request, problem error) error {
	t, err := p.desk.GetTask(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	data := taskPage{Task: t, Path: taskPath(t.ID()), Lang: langOf(t.Meeting.Name), Actions: actions[t.Status]}
	if t.Status == minutes.Review || t.Status == minutes.Completed {
		draft, err := p.desk.GetDraft(r.Context(), t.ID())
		switch {
		case err == nil:
			data.Draft = &draft
		case !errors.Is(err, errs.NotFound):
			return err
		}
	}
	if err := p.published(r.Context(), &data); err != nil {
		return err
	}
	page := web.Page{Title: p.site.T(r, "minutes.task.title", t.ID()), NoIndex: true, Private: true, Data: &data}
	if problem != nil {
		page.Problem, page.Status = problem, web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "task", page)
}

// published finds out whether the meeting has an article.
func (p *pages) published(ctx context.Context, data *taskPage) error {
	_, err := p.desk.GetArticle(ctx, data.ID())
	if errors.Is(err, errs.NotFound) {
		return nil
	}
	data.Article = articlePath(data.ID())
	return err
}

// decideTask does what an operator decided. The form carries the state that was
// looked at, so that two operators do not decide about different answers.
func (p *pages) decideTask(w http.ResponseWriter, r *http.Request) error {
	id, decision := r.PathValue("id"), minutes.Decision(r.PostFormValue("decision"))
	t, err := p.desk.GetTask(r.Context(), id)
	if err != nil {
		return err
	}
	if seen := r.PostFormValue("seen"); seen != t.UpdatedAt {
		return p.renderTask(w, r, errs.New(errs.Conflict, "The task has changed since this page was loaded. Look again, and decide again."))
	}
	if err := p.record(r.Context(), string(decision), id, r.PostFormValue("why")); err != nil {
		return err
	}
	switch err := p.desk.Decide(r.Context(), id, decision, auth.NameOf(r.Context())); {
	case errors.Is(err, errs.Conflict):
		return p.renderTask(w, r, err)
	case err != nil:
		return err
	}
	p.site.Flash(w, r, web.Good, "minutes.decided."+string(decision))
	return p.site.Redirect(w, r, "/office/minutes?"+url.Values{"status": {string(t.Status)}}.Encode())
}
