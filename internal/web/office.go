package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"

	"pressroom/internal/auth"
)

// Step is something that the first operator of a paper does once. Its words are
// step.<Key>, step.<Key>.text and, with a Path, step.<Key>.action.
type Step struct {
	Key   string
	Path  string // of the page where it is done; "" if it is not done on a page
	Order int
	// Optional says that a paper can do without.
	Optional bool
	// Done looks whether it is done.
	Done func(ctx context.Context) (bool, error)
}

// Step adds a step to the first run.
func (s *Site) Step(step Step) {
	s.steps = append(s.steps, step)
	slices.SortStableFunc(s.steps, func(a, b Step) int { return cmp.Compare(a.Order, b.Order) })
}

// office is what its page shows.
type office struct {
	Settled        bool // the steps were put away
	ToDo, Finished []Step
}

// officeRoutes registers the office, and the steps that are the shell's own.
func (s *Site) officeRoutes() {
	s.Nav(NavItem{Path: "/office", Key: "office.nav", Order: 1, Access: auth.Author, Office: true, Exact: true})
	s.Get("/office", auth.Author, s.showOffice)
	if s.o.Stories == nil {
		return
	}
	s.Post("/office/steps", auth.Operator, s.settleSteps)
	s.Step(Step{Key: "paper", Path: "/office/paper", Order: 10, Done: func(ctx context.Context) (bool, error) {
		p, err := s.o.Stories.Paper(ctx)
		return p.Name != "", err
	}})
	s.Step(Step{Key: "people", Path: "/office/users", Order: 20, Done: func(ctx context.Context) (bool, error) {
		page, err := s.o.Auth.Accounts(ctx, auth.List{Limit: 2})
		return len(page.Items) > 1, err
	}})
}

// showOffice is where those who work here begin.
func (s *Site) showOffice(w http.ResponseWriter, r *http.Request) error {
	data := office{Settled: s.look.Load().Settled}
	if auth.RoleOf(r.Context()).Allows(auth.Operator) && !data.Settled {
		if err := s.lookAtSteps(r.Context(), &data); err != nil {
			return err
		}
	}
	return s.Render(w, r, s.shell, "office", Page{Title: s.T(r, "office.title"), NoIndex: true, Private: true, Data: data})
}

// lookAtSteps asks for all steps at once whether they are done.
func (s *Site) lookAtSteps(ctx context.Context, data *office) error {
	done, failed := make([]bool, len(s.steps)), make([]error, len(s.steps))
	var all sync.WaitGroup
	for i, step := range s.steps {
		all.Go(func() { done[i], failed[i] = step.Done(ctx) })
	}
	all.Wait()
	for i, step := range s.steps {
		switch {
		case failed[i] != nil:
			return failed[i]
		case done[i]:
			data.Finished = append(data.Finished, step)
		default:
			data.ToDo = append(data.ToDo, step)
		}
	}
	return nil
}

// settleSteps puts the steps away, or brings them back.
func (s *Site) settleSteps(w http.ResponseWriter, r *http.Request) error {
	p, err := s.o.Stories.Paper(r.Context())
	if err != nil {
		return err
	}
	p.Settled = r.PostFormValue("away") == "true"
	if err := s.o.Stories.SetPaper(r.Context(), &p, nil); err != nil {
		return err
	}
	return s.Redirect(w, r, "/office")
}
