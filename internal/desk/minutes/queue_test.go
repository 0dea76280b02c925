package minutes

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/model"
)

// seeded puts n pending tasks into the queue, created a second apart.
func seeded(t testing.TB, d *Desk, n int) {
	t.Helper()
	start := d.o.Now().Add(-time.Duration(n) * time.Second)
	batch := make([]Task, n)
	for i := range n {
		id := fmt.Sprintf("issue%05d", i)
		at := model.FormatTime(start.Add(time.Duration(i) * time.Second))
		batch[i] = Task{
			PK: taskKey(Meeting{IssueID: id}), Status: Pending, LLM: "x", LLMModel: "y", CreatedAt: at, UpdatedAt: at, ProcessingMode: SingleChunk,
			PromptURL: "s3://politopics-prompts/p", ResultURL: "s3://politopics-prompts/r", IssueID: id, Meeting: Meeting{IssueID: id, Date: "2026-11-01"},
		}
	}
	noErr(t, d.tasks.BatchPut(t.Context(), batch))
}

func TestClaimInOrderAndAlone(t *testing.T) {
	t.Parallel()
	now := newClock()
	d := newDesk(t, nil, Options{Now: now.now})
	const n = 60
	seeded(t, d, n)
	first, err := d.GetNextPending(t.Context(), 3)
	noErr(t, err)
	if len(first) != 3 || first[0].IssueID != "issue00000" || first[2].IssueID != "issue00002" {
		t.Errorf("next pending: %v", first)
	}
	// A consumer alone gets them in their order.
	owners := map[string]string{}
	for i := range 5 {
		task, err := d.Claim(t.Context())
		noErr(t, err)
		if want := fmt.Sprintf("issue%05d", i); task.IssueID != want {
			t.Errorf("claim %d is of %s, want %s", i, task.IssueID, want)
		}
		owners[task.IssueID] = task.LeaseOwner
	}
	// Ten consumers in three processes share the rest without one task twice. Who
	// is told first of a claim says nothing of who made it first.
	var mu sync.Mutex
	var group sync.WaitGroup
	for p := range 3 {
		desk, err := New(d.db, nil, nil, &Options{Now: now.now, Owner: fmt.Sprint("process", p)})
		noErr(t, err)
		for range 10 {
			group.Go(func() {
				for {
					task, err := desk.Claim(t.Context())
					if errors.Is(err, errs.NotFound) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if other, twice := owners[task.IssueID]; twice {
						t.Errorf("%s belongs to %s and %s", task.IssueID, other, task.LeaseOwner)
					}
					owners[task.IssueID] = task.LeaseOwner
					mu.Unlock()
				}
			})
		}
	}
	group.Wait()
	if len(owners) != n {
		t.Errorf("%d of %d tasks were claimed", len(owners), n)
	}
}

func TestLeaseLife(t *testing.T) {
	t.Parallel()
	now := newClock()
	d := newDesk(t, nil, Options{Now: now.now, Owner: "one", Lease: time.Minute, MaxAttempts: 3, Backoff: 10 * time.Second})
	other, err := New(d.db, nil, nil, &Options{Now: now.now, Owner: "two", Lease: time.Minute, MaxAttempts: 3})
	noErr(t, err)
	ctx := t.Context()
	seeded(t, d, 1)
	mine, err := d.Claim(ctx)
	noErr(t, err)
	none := func(d *Desk) {
		t.Helper()
		if _, err := d.Claim(ctx); !errors.Is(err, errs.NotFound) {
			t.Fatalf("claimed although nothing is due: %v", err)
		}
	}
	none(other)
	now.t = now.t.Add(50 * time.Second)
	noErr(t, d.Extend(ctx, &mine))
	now.t = now.t.Add(50 * time.Second)
	none(other) // it lives on
	now.t = now.t.Add(11 * time.Second)
	theirs, err := other.Claim(ctx) // its owner did not say a word
	noErr(t, err)
	if theirs.RetryAttempts != 1 {
		t.Errorf("a consumer's death counts %d attempts", theirs.RetryAttempts)
	}
	for what, err := range map[string]error{
		"extend": d.Extend(ctx, &mine), "fail": d.Fail(ctx, &mine, errors.New("x"), false), "release": d.Release(ctx, &mine, time.Time{}, failure{}), "complete": d.complete(ctx, &mine),
	} {
		if !errors.Is(err, errs.Conflict) {
			t.Errorf("%s by the old owner: %v", what, err)
		}
	}
	noErr(t, other.Release(ctx, &theirs, time.Time{}, failure{}))
	mine, err = d.Claim(ctx)
	noErr(t, err)
	if mine.RetryAttempts != 1 {
		t.Errorf("giving a task back counts as an attempt: %d", mine.RetryAttempts)
	}
	noErr(t, d.Fail(ctx, &mine, errors.New("the model is\nout of order"), false))
	none(d)
	now.t = now.t.Add(20 * time.Second)
	mine, err = d.Claim(ctx)
	noErr(t, err)
	if mine.LastError != "the model is out of order" || mine.RetryAttempts != 2 {
		t.Errorf("after a failure: %+v", mine)
	}
	noErr(t, d.Fail(ctx, &mine, errors.New("again"), false))
	now.t = now.t.Add(24 * time.Hour)
	none(d)
	page, err := d.Tasks(ctx, Failed, 10, "")
	noErr(t, err)
	if len(page.Items) != 1 || page.Items[0].LastError != "again" {
		t.Fatalf("failed tasks: %+v", page.Items)
	}
	counts, err := d.Counts(ctx, 100)
	noErr(t, err)
	if diff := cmp.Diff(map[Status]int{Pending: 0, Completed: 0, Failed: 1, Review: 0, Other: 0}, counts); diff != "" {
		t.Error(diff)
	}
}

// A task whose consumers die each time comes to an end, too.
func TestDeadlyTask(t *testing.T) {
	t.Parallel()
	now := newClock()
	d := newDesk(t, nil, Options{Now: now.now, Lease: time.Minute, MaxAttempts: 3})
	seeded(t, d, 1)
	for range 3 {
		_, err := d.Claim(t.Context())
		noErr(t, err)
		now.t = now.t.Add(2 * time.Minute)
	}
	if _, err := d.Claim(t.Context()); !errors.Is(err, errs.NotFound) {
		t.Fatalf("claimed a fourth time: %v", err)
	}
	task, err := d.GetTask(t.Context(), "issue00000")
	noErr(t, err)
	if task.Status != Failed || task.LastError != "its consumer died, for the 3rd time" {
		t.Errorf("%+v", task)
	}
}

// Tasks that wait at the head of the queue are not looked at again and again.
func TestClaimSkipsWhatWaits(t *testing.T) {
	t.Parallel()
	now := newClock()
	d := newDesk(t, nil, Options{Now: now.now, Lease: time.Minute})
	counting := &counted{DB: d.db}
	d2, err := New(counting, nil, nil, &Options{Now: now.now, Lease: time.Minute})
	noErr(t, err)
	seeded(t, d, 200)
	for range 150 {
		_, err := d2.Claim(t.Context())
		noErr(t, err)
	}
	counting.queries = 0
	for range 10 {
		_, err := d2.Claim(t.Context())
		noErr(t, err)
	}
	if counting.queries > 25 {
		t.Errorf("10 claims behind 150 took %d queries", counting.queries)
	}
	// What becomes free is found, the oldest first.
	now.t = now.t.Add(61 * time.Second)
	task, err := d2.Claim(t.Context())
	noErr(t, err)
	if task.IssueID != "issue00000" {
		t.Errorf("claimed %s", task.IssueID)
	}
}

func TestMarking(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Validated(honest()), Options{PromptTokens: 4000})
	ctx := t.Context()
	m := sample(1, "2026-11-02", 12, 6)
	take(t, d, m)
	if err := d.MarkTaskSucceeded(ctx, m.IssueID); !errors.Is(err, errs.Conflict) {
		t.Errorf("succeeded with chunks that are not ready: %v", err)
	}
	if err := d.MarkChunkReady(ctx, m.IssueID, "CHUNK#99"); !errors.Is(err, errs.NotFound) {
		t.Errorf("a chunk that is not there: %v", err)
	}
	if err := d.MarkChunkReady(ctx, "nobody", "CHUNK#0"); !errors.Is(err, errs.NotFound) {
		t.Errorf("a task that is not there: %v", err)
	}
	task, err := d.GetTask(ctx, m.IssueID)
	noErr(t, err)
	for range 2 {
		for _, c := range task.Chunks {
			noErr(t, d.MarkChunkReady(ctx, m.IssueID, c.ID))
		}
	}
	for range 2 {
		noErr(t, d.MarkTaskSucceeded(ctx, m.IssueID))
	}
	task, err = d.GetTask(ctx, m.IssueID)
	noErr(t, err)
	if task.Status != Completed || task.ReadyChunks() != len(task.Chunks) {
		t.Errorf("%+v", task)
	}
}

// Tasks of the older form are consumed just the same: their key is the issueID,
// their mode is direct, and they know nothing of leases.
func TestOlderTasks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Validated(honest()), Options{PromptTokens: 4000})
	ctx := t.Context()
	for n, size := range map[int]int{1: 2, 2: 12} {
		m := sample(n, "2026-11-02", size, 6)
		take(t, d, m)
		task, err := d.GetTask(ctx, m.IssueID)
		noErr(t, err)
		noErr(t, d.tasks.Delete(ctx, task.key()))
		item, err := attributevalue.MarshalMap(task)
		noErr(t, err)
		for _, name := range []string{"issueID", "awaiting", "leaseOwner", "leaseUntil", "nextAttemptAt", "lastError", "prompt_version"} {
			delete(item, name)
		}
		mode := "direct"
		if size > 2 {
			mode = "chunked"
		}
		for name, text := range map[string]string{"pk": m.IssueID, "processingMode": mode, "createdAt": "2026-11-01T00:00:00Z"} {
			item[name], err = attributevalue.Marshal(text)
			noErr(t, err)
		}
		_, err = d.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &d.schema.Tables[0].Name, Item: item})
		noErr(t, err)
		if _, err := d.GetTask(ctx, m.IssueID); err != nil {
			t.Error(err)
		}
	}
	if r := work(t, d); r.Completed != 2 {
		t.Errorf("%+v", r)
	}
	for _, n := range []int{1, 2} {
		if _, err := d.GetFull(ctx, sample(n, "2026-11-02", 2, 1).IssueID); err != nil {
			t.Error(err)
		}
	}
}
