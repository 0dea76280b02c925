package minutes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/model"
)

// Status is where a task stands.
type Status string

// The states of a task. A pending one becomes completed, or failed when its
// attempts are used up, or review when its answer does not stand up to the record;
// an operator puts the last two back to pending.
const (
	Pending   Status = "pending"
	Completed Status = "completed"
	Failed    Status = "failed"
	Review    Status = "review"
)

// Other stands for all states that nobody here knows. No task has it: each keeps its
// own.
const Other Status = "other"

// Known reports whether the desk knows what the state means.
func (s Status) Known() bool { return s == Pending || s == Completed || s == Failed || s == Review }

// The modes of a task: one prompt for the whole meeting, or chunks and a reduce.
const (
	SingleChunk = "single_chunk"
	Chunked     = "chunked"
)

// The states of a chunk.
const (
	NotReady = "notReady"
	Ready    = "ready"
)

// What a task waits for: its article, if that is not published; or that an operator
// looks at it, because its state is none that anyone here knows.
const (
	awaitingArticle  = "article"
	awaitingOperator = "operator"
)

// Task is one meeting to be summarised.
type Task struct {
	PK             string  `dynamodbav:"pk" json:"pk"`
	Status         Status  `dynamodbav:"status" json:"status"`
	LLM            string  `dynamodbav:"llm" json:"llm"`
	LLMModel       string  `dynamodbav:"llmModel" json:"llmModel"`
	RetryAttempts  int     `dynamodbav:"retryAttempts" json:"retryAttempts"`
	CreatedAt      string  `dynamodbav:"createdAt" json:"createdAt"`
	UpdatedAt      string  `dynamodbav:"updatedAt" json:"updatedAt"`
	ProcessingMode string  `dynamodbav:"processingMode" json:"processingMode"`
	PromptVersion  string  `dynamodbav:"prompt_version" json:"prompt_version,omitempty"`
	PromptURL      string  `dynamodbav:"prompt_url" json:"prompt_url"`
	ResultURL      string  `dynamodbav:"result_url" json:"result_url"`
	Meeting        Meeting `dynamodbav:"meeting" json:"meeting"`
	Chunks         []Chunk `dynamodbav:"chunks,omitempty" json:"chunks,omitempty"`

	IssueID       string `dynamodbav:"issueID" json:"issueID,omitempty"`
	LeaseOwner    string `dynamodbav:"leaseOwner" json:"leaseOwner,omitempty"`
	LeaseUntil    string `dynamodbav:"leaseUntil" json:"leaseUntil,omitempty"`
	NextAttemptAt string `dynamodbav:"nextAttemptAt" json:"nextAttemptAt,omitempty"`
	LastError     string `dynamodbav:"lastError" json:"lastError,omitempty"`
	FailureKind   string `dynamodbav:"failureKind" json:"failureKind,omitempty"` // of the last error: one of few
	Awaiting      string `dynamodbav:"awaiting" json:"-"`

	unread []string // attributes of a form that is not known
}

// Meeting is what a task knows of its meeting.
type Meeting struct {
	IssueID   string `dynamodbav:"issueID" json:"issueID"`
	House     string `dynamodbav:"nameOfHouse" json:"nameOfHouse"`
	Name      string `dynamodbav:"nameOfMeeting" json:"nameOfMeeting"`
	Date      string `dynamodbav:"date" json:"date"`
	Session   int    `dynamodbav:"session" json:"session"`
	Speeches  int    `dynamodbav:"numberOfSpeeches" json:"numberOfSpeeches"`
	ImageKind string `dynamodbav:"imageKind,omitempty" json:"imageKind,omitempty"`
	Issue     string `dynamodbav:"issue,omitempty" json:"issue,omitempty"`
	URL       string `dynamodbav:"meetingURL,omitempty" json:"meetingURL,omitempty"`
	// Language is the record's; "" is Japanese, as the Diet's are.
	Language string `dynamodbav:"language,omitempty" json:"language,omitempty"`
	// Digest is the SHA-256 of the record that the prompts were made from.
	Digest string `dynamodbav:"sha256,omitempty" json:"sha256,omitempty"`
}

// Chunk is a part of a task that fits one prompt.
type Chunk struct {
	ID            string `dynamodbav:"id" json:"id"`
	PromptKey     string `dynamodbav:"prompt_key" json:"prompt_key"`
	PromptURL     string `dynamodbav:"prompt_url" json:"prompt_url"`
	ResultURL     string `dynamodbav:"result_url" json:"result_url"`
	Status        string `dynamodbav:"status" json:"status"`
	BasedOnOrders []int  `dynamodbav:"based_on_orders,omitempty" json:"based_on_orders,omitempty"`
}

// ID returns the meeting's issueID, which older tasks have in the meeting alone.
func (t *Task) ID() string {
	switch {
	case t.IssueID != "":
		return t.IssueID
	case t.Meeting.IssueID != "":
		return t.Meeting.IssueID
	}
	return t.PK
}

// ReadyChunks returns how many chunks are done.
func (t *Task) ReadyChunks() int {
	n := 0
	for _, c := range t.Chunks {
		if c.Status == Ready {
			n++
		}
	}
	return n
}

func (t *Task) key() model.Values { return model.Values{"pk": t.PK} }

// houses are the short names of the houses in a task's key.
var houses = map[string]string{"衆議院": "shugi", "参議院": "sangi", "両院": "joint"}

// taskKey is the key of a meeting's task.
func taskKey(m Meeting) string {
	house, ok := houses[m.House]
	if !ok {
		house = m.House
	}
	sum := sha256.Sum256([]byte("session=" + strconv.Itoa(m.Session) + "|house=" + house + "|issueID=" + m.IssueID))
	return hex.EncodeToString(sum[:])
}

// newKey is the key under which a meeting's task is written.
func (d *Desk) newKey(m Meeting) string {
	if d.o.TaskContract == contract001 {
		return m.IssueID
	}
	return taskKey(m)
}

// single is what a new task says that one prompt is for the whole meeting.
func (d *Desk) single() string {
	if d.o.TaskContract == contract001 {
		return modeDirect
	}
	return SingleChunk
}

// contract001 is the older of the two documents that tasks are written by.
const contract001 = "001"

// GetTask returns the task of a meeting by its issueID, or errs.NotFound. Tasks of
// the older form, whose key is the issueID itself, are found as well.
func (d *Desk) GetTask(ctx context.Context, issueID string) (Task, error) {
	if issueID == "" {
		return Task{}, errs.Validation(errs.Field{Name: "issueID", Message: "is empty"})
	}
	v, err := d.tasks.View("GetTask")
	if err != nil {
		return Task{}, err
	}
	t, err := v.One(ctx, model.Values{"issueID": issueID})
	if err == nil {
		// The index may be a moment behind; the table is not.
		t, err = d.tasks.Get(ctx, t.key())
	} else if errors.Is(err, model.ErrNotFound) {
		t, err = d.taskAt(ctx, issueID, taskKey(meetingOf(issueID)))
	}
	return t, known(err, "task of meeting %s", issueID)
}

// taskAt returns the task under the first of the keys that has one.
func (d *Desk) taskAt(ctx context.Context, keys ...string) (Task, error) {
	for _, pk := range keys {
		t, err := d.tasks.Get(ctx, model.Values{"pk": pk})
		if errors.Is(err, model.ErrNotFound) || err == nil && t.isMark() {
			continue
		}
		return t, err
	}
	return Task{}, model.ErrNotFound
}

// known gives the errors of model the kinds of errs.
func known(err error, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, model.ErrNotFound):
		return errs.Wrap(err, errs.NotFound, "There is no %s.", what)
	case errors.Is(err, model.ErrCursor):
		e := errs.Wrap(err, errs.Malformed, "The cursor is none of this list's.")
		e.Fields = []errs.Field{{Name: "cursor", Message: "is none of this list's"}}
		return e
	case errors.Is(err, model.ErrStale):
		return errs.Wrap(err, errs.Stale, "The %s was changed in the meantime.", what)
	case errors.Is(err, model.ErrCondition), errors.Is(err, model.ErrConflict), errors.Is(err, model.ErrSaving), errors.Is(err, model.ErrGivenUp):
		return errs.Wrap(err, errs.Conflict, "The %s is in another state by now.", what)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Tasks returns a page of the tasks in a state, the oldest first; of [Other] by state.
func (d *Desk) Tasks(ctx context.Context, status Status, limit int, cursor string) (model.Page[Task], error) {
	pattern, ok := map[Status]string{Pending: "NextPending", Completed: "CompletedTasks", Failed: "FailedTasks", Review: "ReviewTasks", Other: "OtherTasks"}[status]
	if !ok {
		return model.Page[Task]{}, errs.Validation(errs.Field{Name: "status", Message: "is not pending, completed, failed, review or other"})
	}
	page, err := d.tasks.Page(ctx, pattern, nil, model.PageOptions{Limit: limit, Cursor: cursor})
	return page, known(err, "list of %s tasks", status)
}

// GetNextPending returns up to limit pending tasks, the oldest first, whoever works
// on them. Consumers that want a task for themselves use Claim.
func (d *Desk) GetNextPending(ctx context.Context, limit int) ([]Task, error) {
	var tasks []Task
	for t, err := range d.tasks.All(ctx, "NextPending", nil) {
		if err != nil {
			return nil, fmt.Errorf("next pending tasks: %w", err)
		}
		if tasks = append(tasks, t); len(tasks) >= limit {
			break
		}
	}
	return tasks, nil
}

// oneLine is an error as an operator reads it on a task.
func oneLine(err error) string {
	return cut(strings.Join(strings.Fields(err.Error()), " "), 4<<10-1)
}

// failure is why a task is not completed: the kind, one of few, that operators
// count by, and what happened, for people.
type failure struct{ kind, text string }

func failureOf(err error) failure {
	kind := string(llm.KindOf(err))
	if kind == "" {
		kind = errs.KindOf(err).Code()
	}
	return failure{kind, oneLine(err)}
}
