package ops

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Options adjust a Scheduler. The zero value, and nil, are usable.
type Options struct {
	// Table is the name of the table; "Operations" if empty.
	Table string
	// Owner names this process in leases; host and process id if empty.
	Owner string
	// Look is the time between two looks for work that is due; 2 seconds if
	// zero. A job may begin that much late.
	Look time.Duration
	// Keep is how long runs stay in the history; 90 days if zero.
	Keep time.Duration
	// Runs says which jobs this process runs; all if nil. The others are listed,
	// paused and asked for here, and run elsewhere.
	Runs func(*Job) bool
	// CursorKey makes the cursors of lists: at least 16 bytes, the same in all
	// processes that serve the same lists. Random if nil.
	CursorKey []byte
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// Log hears of runs that fail and leases that are lost; slog.Default if nil.
	Log *slog.Logger
}

func (o *Options) defaults() {
	if o.Owner == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "unknown"
		}
		o.Owner = cutText(fmt.Sprintf("%s/%d/%s", host, os.Getpid(), new(model.IDs).New()[16:]), ownerMax)
	}
	if o.Look == 0 {
		o.Look = 2 * time.Second
	}
	if o.Keep == 0 {
		o.Keep = 90 * 24 * time.Hour
	}
	if o.CursorKey == nil {
		o.CursorKey = randomKey()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
}

func randomKey() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails, see crypto/rand
	return key
}

// Scheduler runs jobs, and keeps their history. Any number of processes may have
// one on the same table, with the same jobs or with different ones. Its methods
// may be called from many goroutines.
type Scheduler struct {
	db    model.DB
	o     Options
	ids   model.IDs
	state *model.Repo[jobState]
	runs  *model.Repo[Run]
	acts  *model.Repo[Action]

	mu   sync.Mutex
	jobs []*Job
}

// New returns a scheduler without jobs on the tables in db.
func New(db model.DB, o *Options) (*Scheduler, error) {
	s := &Scheduler{db: db}
	if o != nil {
		s.o = *o
	}
	s.o.defaults()
	s.ids.Now = s.o.Now
	t := table
	if s.o.Table != "" {
		t.Name = s.o.Table
	}
	lists := &model.Options{CursorKey: s.o.CursorKey}
	var err error
	if s.state, err = model.NewRepo[jobState](db, &t, "Job", nil); err != nil {
		return nil, err
	}
	if s.runs, err = model.NewRepo[Run](db, &t, "Run", lists); err != nil {
		return nil, err
	}
	s.acts, err = model.NewRepo[Action](db, &t, "Action", lists)
	return s, err
}

// jobState is what is stored of a job.
type jobState struct {
	Job      string `dynamodbav:"job"`
	Owner    string `dynamodbav:"owner,omitempty"`
	Until    string `dynamodbav:"until,omitempty"`
	Run      string `dynamodbav:"run,omitempty"`
	Last     string `dynamodbav:"last,omitempty"`
	Paused   bool   `dynamodbav:"paused"`
	Asked    string `dynamodbav:"asked,omitempty"`
	Next     string `dynamodbav:"next,omitempty"`
	Failures int    `dynamodbav:"failures"`
	Version  int    `dynamodbav:"version"`
}

// Add declares jobs. It is an error if one makes no sense or has a name that
// another has.
func (s *Scheduler) Add(jobs ...Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range jobs {
		if err := j.prepare(); err != nil {
			return fmt.Errorf("job %s: %w", j.Name, err)
		}
		if slices.ContainsFunc(s.jobs, func(k *Job) bool { return k.Name == j.Name }) {
			return fmt.Errorf("job %s is declared twice", j.Name)
		}
		s.jobs = append(s.jobs, &j)
	}
	slices.SortFunc(s.jobs, func(a, b *Job) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

func (s *Scheduler) declared() []*Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.jobs)
}

func (s *Scheduler) find(name string) (*Job, error) {
	for _, j := range s.declared() {
		if j.Name == name {
			return j, nil
		}
	}
	return nil, fmt.Errorf("job %s: %w", name, errs.NotFound)
}

// Run looks for due jobs of this process and runs them until ctx ends. It returns
// when the last run has ended, whose lease was given back, and always with nil.
func (s *Scheduler) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	for _, j := range s.declared() {
		if s.o.Runs == nil || s.o.Runs(j) {
			all.Go(func() { s.follow(ctx, j) })
		}
	}
	return nil
}

// follow runs one job whenever it is due. Each job has a loop of its own, so
// that a long one keeps no other waiting.
func (s *Scheduler) follow(ctx context.Context, j *Job) {
	for {
		ran, err := s.try(ctx, j)
		if err != nil && ctx.Err() == nil {
			s.o.Log.Error("look for work", "job", j.Name, "error", err)
		}
		if ran && err == nil {
			continue // it may be due again, or an operator may have asked
		}
		timer := time.NewTimer(s.o.Look)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// try runs the job if it is due and free, and reports whether it did.
func (s *Scheduler) try(ctx context.Context, j *Job) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	c, err := s.claim(ctx, j)
	if c == nil || err != nil {
		return false, err
	}
	return true, s.carryOut(ctx, j, c)
}

// load returns the stored state of a job, a new one if there is none.
func (s *Scheduler) load(ctx context.Context, j *Job) (jobState, error) {
	state, err := s.state.Get(ctx, model.Values{"job": j.Name})
	if errors.Is(err, model.ErrNotFound) {
		return jobState{Job: j.Name, Next: formatTime(j.first(s.o.Now()))}, nil
	}
	return state, err
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return model.FormatTime(t)
}

// reached reports whether a stored time has come. An empty one never does.
func reached(text string, now time.Time) bool {
	t, err := model.ParseTime(text)
	return err == nil && !t.After(now)
}

// held reports whether somebody has the job: they have not given it back, and
// their lease is not over.
func (st *jobState) held(now time.Time) bool { return st.Owner != "" && !reached(st.Until, now) }

func (st *jobState) due(now time.Time) bool {
	switch {
	case st.held(now):
		return false
	case st.Asked != "":
		return true
	}
	return !st.Paused && (st.Owner != "" || reached(st.Next, now))
}
