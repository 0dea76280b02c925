package minutes

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/dynamo/wire"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/llm/llmtest"
	"pressroom/model"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

// A process with this variable is a consumer, not a test.
const consumerVariable = "PRESSROOM_TEST_CONSUMER"

func TestMain(m *testing.M) {
	if at := os.Getenv(consumerVariable); at != "" {
		consumer(at)
		return
	}
	os.Exit(m.Run())
}

// endpoints are the servers that the parent and its consumers share. Where others
// share them too, tables and buckets have names of their own, with a prefix.
type endpoints struct{ Tables, Objects, Asked, Prefix string }

func (e endpoints) clients() (*dynamodb.Client, *s3.Client) {
	credentials := credentials.NewStaticCredentialsProvider("local", "local-secret", "")
	return dynamodb.New(dynamodb.Options{Region: "us-east-1", BaseEndpoint: &e.Tables, Credentials: credentials}),
		s3.New(s3.Options{Region: "us-east-1", BaseEndpoint: &e.Objects, Credentials: credentials, UsePathStyle: true})
}

func (e endpoints) schema() *model.Schema {
	s := Schema.Named(func(env string) string {
		if e.Prefix == "" {
			return ""
		}
		return e.Prefix + strings.ToLower(strings.ReplaceAll(env, "_", "-"))
	})
	return &s
}

func (e endpoints) desk(provider llm.Provider, o Options) (*Desk, error) {
	tables, objects := e.clients()
	o.Schema, o.Log, o.Pause = e.schema(), slog.New(slog.DiscardHandler), -1
	return New(tables, objects, provider, &o)
}

// killable are the options of consumers that come and go. A lease is longer than a
// process waits for its turn on a busy machine: one that sleeps through its lease
// asks what another was answered meanwhile, and no clock of its own can tell it. The
// leases of those that are killed are made to end.
var killable = Options{
	PromptTokens: 4500, Lease: time.Minute, MaxAttempts: 1000, Backoff: 5 * time.Millisecond, MaxBackoff: 20 * time.Millisecond,
	Parallel: 3, SaveAge: 300 * time.Millisecond,
}

// consumer is the whole life of a consumer process: it works until it is killed, or
// until its parent has gone.
func consumer(at string) {
	var e endpoints
	if err := json.Unmarshal([]byte(at), &e); err != nil {
		panic(err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
		os.Exit(0)
	}()
	scripted := llmtest.NewScripted(nil)
	scripted.Script = func(_ int, req *llm.Request) llmtest.Reply {
		if len(req.Messages) == 1 { // the question, not a repair of its answer
			tell(e.Asked, llm.Key(scripted.Info(), req))
		}
		text := truthful(req)
		if rand.IntN(25) == 0 && strings.Contains(text, `"dialogs"`) {
			text = spoil(text, func(a map[string]any) { dialog(a, 0)["speaker"] = "架空太郎" })
		}
		return llmtest.Reply{Text: text, Delay: rand.N(5 * time.Millisecond)}
	}
	provider := llm.New(llmtest.Unreliable(scripted, 0.25, rand.Uint64()), llm.Options{
		Retry: llm.Retry{Attempts: 2, Base: time.Millisecond, Cap: time.Millisecond, MaxRetryAfter: time.Millisecond}, Breaker: llm.Breaker{Failures: 1 << 20},
	})
	o := killable
	o.Owner = strconv.Itoa(os.Getpid())
	d, err := e.desk(provider, o)
	if err != nil {
		panic(err)
	}
	_, err = d.Work(context.Background(), WorkOptions{Consumers: 3, Poll: 20 * time.Millisecond, Halt: time.Millisecond})
	panic(fmt.Sprint("the work ended: ", err))
}

// tell reports a question to the parent.
func tell(at, key string) {
	resp, err := http.Get(fmt.Sprintf("%s/?key=%s&owner=%d", at, key, os.Getpid()))
	if err == nil {
		resp.Body.Close()
	}
}

// newsroom is a store behind servers.
type newsroom struct {
	endpoints
	desk *Desk
}

func openNewsroom(t *testing.T, asked http.Handler, source string) *newsroom {
	t.Helper()
	n := newsroom{}
	n.Asked = served(t, asked)
	if modeltest.Foreign() {
		n.Tables, n.Objects = flag.Lookup("endpoint").Value.String(), flag.Lookup("s3-endpoint").Value.String()
		n.Prefix = fmt.Sprintf("kills-%d-", time.Now().UnixNano())
	} else {
		n.embedded(t)
	}
	tables, objects := n.clients()
	noErr(t, deploy.Apply(t.Context(), deploy.Store{Tables: tables, Objects: objects}, nil, *n.schema()))
	o := killable
	o.SourceURL, o.WindowDays = source, 20
	var err error
	n.desk, err = n.endpoints.desk(llmtest.NewScripted(nil), o)
	noErr(t, err)
	return &n
}

// embedded puts stores in memory behind servers.
func (n *newsroom) embedded(t *testing.T) {
	t.Helper()
	db, err := dynamo.OpenMemory(nil)
	noErr(t, err)
	objects, err := blob.Open("objects", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1, Reserve: -1, Log: slog.New(slog.DiscardHandler)})
	noErr(t, err)
	t.Cleanup(func() { noErr(t, errors.Join(objects.Close(), db.Close())) })
	n.Tables, n.Objects = served(t, wire.New(db, nil)), served(t, objects.Handler())
}

func served(t *testing.T, h http.Handler) string {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// printed is everything that the library has: several hundred meetings.
func printed() []diet.Meeting {
	var all []diet.Meeting
	for i := range 300 {
		speeches, sentences := 2+i%3, 2
		switch {
		case i%30 == 7:
			speeches, sentences = 14, 6 // chunked
		case i == 100:
			speeches, sentences = 3, 120 // a speech over budget
		case i == 101: // hundreds of people: more index items than a transaction takes
			speeches, sentences = 2, 1
		}
		m := sample(i, fakeDate(i%45), speeches, sentences)
		if i == 101 {
			for j := 2; j < 130; j++ {
				m.Speeches = append(m.Speeches, diet.Speech{Order: j, Speaker: fmt.Sprintf("議員%d", j), Text: "賛成です。"})
			}
			m.Raw = rawOf(m)
		}
		all = append(all, m)
		if i%50 == 0 {
			all = append(all, m) // the library gives some twice
		}
	}
	empty := sample(900, fakeDate(3), 2, 1)
	empty.Speeches = nil
	empty.Raw = rawOf(empty)
	never := sample(901, "someday", 2, 1)
	return append(all, empty, never)
}

// From the library's answers to articles, with consumers that are killed at random
// points and a model that fails in every way.
func TestEndToEndUnderKills(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts and kills processes for some seconds")
	}
	t.Parallel()
	watch := &watcher{t: t, dead: map[string]bool{}}
	meetings := printed()
	lib, source := newLibrary(t, meetings...)
	n := openNewsroom(t, watch, source)
	watch.d = n.desk
	collectInterrupted(t, n.desk)
	for _, fault := range []string{"busy", "cut", "short"} {
		if lib.broken[fault] == 0 {
			t.Errorf("the library never was %s", fault)
		}
	}
	checkTasks(t, n.desk, meetings)
	kills := killUntilDone(t, n, watch)
	t.Logf("%d consumers were killed; %d questions, %d calls of the library", kills, watch.questions, lib.calls)
	if kills < 5 {
		t.Errorf("only %d consumers were killed", kills)
	}
	checkArticles(t, n.desk, meetings)
}

// collectInterrupted collects with interruptions.
func collectInterrupted(t *testing.T, d *Desk) {
	t.Helper()
	resumed := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		report, err := d.Collect(ctx, "2026-10-01", "2026-11-14", func(r CollectReport) {
			if calls++; calls == 9 && resumed < 2 {
				cancel()
			}
			if r.Resumed && calls == 1 {
				resumed++
			}
		})
		cancel()
		if errors.Is(err, context.Canceled) {
			continue
		}
		noErr(t, err)
		if !report.Done || resumed < 2 || report.New != 300 || report.Unusable != 2 {
			t.Fatalf("resumed %d times: %s", resumed, asJSON(report))
		}
		break
	}
	again, err := d.Collect(t.Context(), "2026-10-01", "2026-11-14", nil)
	noErr(t, err)
	if again.New != 0 || again.Changed != 0 || again.Unusable != 0 || again.Unchanged != again.Meetings {
		t.Errorf("a second collection: %s", asJSON(again))
	}
}

func checkTasks(t *testing.T, d *Desk, meetings []diet.Meeting) {
	t.Helper()
	modes := map[string]int{}
	for _, m := range meetings {
		task, err := d.GetTask(t.Context(), m.IssueID)
		noErr(t, err)
		modes[task.ProcessingMode]++
		if task.Status == Failed && task.LastError == "" {
			t.Errorf("%s failed without a reason", m.IssueID)
		}
		if raw, err := d.objects.read(t.Context(), inPrompts(d, "raw/"+m.IssueID+".json")); err != nil || string(raw) != string(m.Raw) {
			t.Errorf("%s is not archived as it came: %v", m.IssueID, err)
		}
	}
	if modes[Chunked] < 10 {
		t.Errorf("modes: %v", modes)
	}
}

func inPrompts(d *Desk, key string) string { return url(d.schema.Buckets[0].Name, key) }

// watcher is told of every question before it is asked, and knows which of them were
// answered before.
type watcher struct {
	t      *testing.T
	d      *Desk
	ration modeltest.Ration

	mu        sync.Mutex
	questions int
	dead      map[string]bool // consumers that were killed, whose questions count no more
}

func (w *watcher) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	key, owner := r.URL.Query().Get("key"), r.URL.Query().Get("owner")
	w.ration.Take(func() bool { return w.isDead(owner) })
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead[owner] {
		return
	}
	w.questions++
	if _, err := w.d.objects.read(r.Context(), inPrompts(w.d, "answers/"+key+".json")); err == nil {
		w.t.Errorf("question %s is asked again although its answer is there", key)
	}
}

func (w *watcher) isDead(owner string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dead[owner]
}

// bury is called when a consumer was killed: its questions count no more, and its
// leases end.
func (w *watcher) bury(owner string) {
	w.mu.Lock()
	w.dead[owner] = true
	w.mu.Unlock()
	over := expression.Set(expression.Name("leaseUntil"), expression.Value(model.FormatTime(w.d.o.Now().Add(-time.Second))))
	for task, err := range w.d.tasks.All(w.t.Context(), "NextPending", nil) {
		noErr(w.t, err)
		if task.LeaseOwner == owner {
			_, err := w.d.tasks.Update(w.t.Context(), task.key(), over, pending(), same("leaseOwner", owner))
			if !errors.Is(err, model.ErrCondition) { // the last that it asked of the store may be done now
				noErr(w.t, err)
			}
		}
	}
}

// killUntilDone runs consumers and kills them, each time after some questions, until
// all tasks are completed. What lands in review is put back, as an operator would.
func killUntilDone(t *testing.T, n *newsroom, w *watcher) (kills int) {
	t.Helper()
	var running [3]*exec.Cmd
	for i := range running {
		running[i] = n.start(t)
	}
	defer func() {
		for _, cmd := range running {
			end(cmd)
		}
	}()
	// Those who wait for an answer when the test ends wait for nothing.
	defer w.ration.Add(1 << 30)
	enough := w.ration.Add(1 + rand.IntN(40))
	done, moved := 0, time.Now()
	for {
		select {
		case <-enough:
			time.Sleep(rand.N(50 * time.Millisecond)) // before, during or after what they do with the answers
			i := rand.IntN(len(running))
			end(running[i])
			kills++
			w.bury(strconv.Itoa(running[i].Process.Pid))
			running[i] = n.start(t)
			enough = w.ration.Add(1 + rand.IntN(40))
		case <-time.After(50 * time.Millisecond):
		}
		counts, err := n.desk.Counts(t.Context(), 1000)
		noErr(t, err)
		review, err := n.desk.Tasks(t.Context(), Review, 100, "")
		noErr(t, err)
		for _, task := range review.Items {
			if err := n.desk.Requeue(t.Context(), task.IssueID, false); err != nil && !errors.Is(err, errs.Conflict) {
				t.Error(err)
			}
		}
		if counts[Pending] == 0 && counts[Review] == 0 && counts[Completed] == 300 {
			return kills
		}
		if counts[Completed] != done {
			done, moved = counts[Completed], time.Now()
		}
		if time.Since(moved) > 10*time.Minute {
			t.Fatalf("stuck: %v", counts)
		}
	}
}

func (n *newsroom) start(t *testing.T) *exec.Cmd {
	t.Helper()
	at, err := json.Marshal(n.endpoints)
	noErr(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), consumerVariable+"="+string(at))
	cmd.Stderr = os.Stderr
	_, err = cmd.StdinPipe() // which closes when this process ends
	noErr(t, err)
	noErr(t, cmd.Start())
	return cmd
}

// end kills a consumer the hard way.
func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func checkArticles(t *testing.T, d *Desk, meetings []diet.Meeting) {
	t.Helper()
	time.Sleep(killable.SaveAge)
	_, err := d.Recover(t.Context())
	noErr(t, err)
	var all []Article
	got := map[string]bool{}
	for _, m := range meetings {
		if got[m.IssueID] || len(m.Speeches) == 0 || m.Date == "someday" {
			continue
		}
		got[m.IssueID] = true
		full, err := d.GetFull(t.Context(), m.IssueID)
		noErr(t, err)
		if full.Version != 1 {
			t.Errorf("%s was published %d times", m.IssueID, full.Version)
		}
		if len(full.Asset.Dialogs) != len(m.Speeches) {
			t.Errorf("%s has %d dialogs of %d speeches", m.IssueID, len(full.Asset.Dialogs), len(m.Speeches))
		}
		for i, one := range full.Asset.Dialogs {
			if one.OriginalText != m.Speeches[i].Text || one.Speaker != m.Speeches[i].Speaker {
				t.Errorf("%s, speech %d is %s: %.60q", m.IssueID, i, one.Speaker, one.OriginalText)
			}
		}
		all = append(all, full.Article)
	}
	checkRows(t, d, all...)
	if n := strconv.Itoa(len(all)); n != "300" {
		t.Errorf("%s articles", n)
	}
}
