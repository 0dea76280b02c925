package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/minutestest"
	"pressroom/llm"
	"pressroom/llm/builtin"
)

var togetherTasks = flag.Int("tasks", 20, "how many tasks the workers of TestWorkersTogether share")

// language is another language in which a worker and a producer are kept.
type language struct {
	name    string
	install func(*testing.T) string // returns the folder
	run     []string                // the program that takes a script
	ext     string
}

var languages = []language{
	{"JavaScript", installWorker, []string{"node"}, ".mjs"},
	{"Python", installPython, []string{"python3"}, ".py"},
}

// command runs one of the language's scripts.
func (l language) command(ctx context.Context, dir, script string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.run[0], append([]string{script + l.ext}, args...)...)
	cmd.Dir, cmd.Env = dir, os.Environ()
	if l.name == "Python" {
		cmd.Env = append(cmd.Env, "PYTHONPATH="+filepath.Join(dir, "lib"), "PYTHONDONTWRITEBYTECODE=1")
	}
	return cmd
}

// installPython finds boto3, or installs it once a machine.
func installPython(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: the worker in Python is not tested, because there is no python3")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	source := filepath.Join("..", "..", ".ci", "worker-py")
	wanted, err := os.ReadFile(filepath.Join(source, "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "pressroom", fmt.Sprintf("worker-py-%x", sha256.Sum256(wanted)))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"requirements.txt", "worker.py", "producer.py"} {
		data, err := os.ReadFile(filepath.Join(source, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	check := exec.CommandContext(ctx, "python3", "-c", "import boto3")
	check.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(dir, "lib"))
	if check.Run() == nil {
		return dir
	}
	install := exec.CommandContext(ctx, "python3", "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "20", "--target", "lib", "-r", "requirements.txt")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: the worker in Python is not tested, because boto3 cannot be installed: %v\n%s", err, out)
	}
	return dir
}

// Producers in other languages that know the documents alone make tasks of which
// "pressroom work" makes articles.
func TestProducersInOtherLanguages(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			dir := l.install(t)
			t.Chdir(t.TempDir())
			awsEnvironment(t, startLocal(t))
			ok(t, "schema", "apply", "--store=aws", "--desk=minutes", "--desk=story", "--desk=rights", "--desk=requests", "--desk=ops")
			for i, contract := range []string{"000", "001"} {
				m := minutestest.Sitting(i+1, "2025-09-19")
				m.IssueID, m.Session, m.House = fmt.Sprintf("121805261X%03d20250919", i+1), 218, "衆議院"
				line, err := json.Marshal(map[string]any{"issueID": m.IssueID, "session": m.Session, "nameOfHouse": m.House, "nameOfMeeting": m.Name, "date": m.Date, "speechRecord": m.Speeches})
				if err != nil {
					t.Fatal(err)
				}
				cmd := l.command(t.Context(), dir, "producer", contract)
				cmd.Stdin = bytes.NewReader(line)
				if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(strings.ReplaceAll(string(out), " ", ""), `{"made":1}`) {
					t.Fatalf("producer: %v\n%s", err, out)
				}
			}
			if got := runIn(t, nil, "work", "--store=aws", "--once"); got.Code != 0 || !strings.Contains(got.Stdout, "2 completed") {
				t.Fatalf("work: %+v", got)
			}
			d := minutesDesk(t)
			for i := range 2 {
				a, err := d.GetFull(t.Context(), fmt.Sprintf("121805261X%03d20250919", i+1))
				if err != nil {
					t.Fatal(err)
				}
				if a.Session != 218 || a.House != "衆議院" || a.Date != "2025-09-19" || len(a.Asset.Dialogs) != 7 {
					t.Errorf("%+v with %d dialogs", a.Article, len(a.Asset.Dialogs))
				}
			}
		})
	}
}

// The worker in Python consumes tasks after the contract, as that in JavaScript does.
func TestWorkerInPython(t *testing.T) {
	l := languages[1]
	dir := l.install(t)
	t.Chdir(t.TempDir())
	awsEnvironment(t, startLocal(t))
	ok(t, "schema", "apply", "--store=aws", "--desk=minutes", "--desk=story", "--desk=rights", "--desk=requests", "--desk=ops")
	collect := runIn(t, nil, "collect", "--store=aws", "--from=2026-11-01", "--until=2026-11-03", "--minutes-url="+minutesAPI(t), "--minutes-pause=0s", "--prompt-tokens=4500")
	if collect.Code != 0 {
		t.Fatalf("collect: %+v", collect)
	}
	cmd := l.command(t.Context(), dir, "worker")
	cmd.Env = append(cmd.Env, "LLM_BASE_URL="+offlineModel(t), "LLM_MODEL=extractive")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `{"done": 2}`) {
		t.Fatalf("worker: %v\n%s", err, out)
	}
	if got := runIn(t, nil, "work", "--store=aws", "--once"); got.Code != 0 || !strings.Contains(got.Stdout, "2 published for others") {
		t.Fatalf("work: %+v", got)
	}
	d := minutesDesk(t)
	checkArticle(t, d, "121900001X00320261102", 3)
	checkArticle(t, d, "121900002X00420261102", 30)
}

// Workers in two other languages and "pressroom work" share a queue, and are killed
// whenever they ask: every meeting becomes one article, and no answer that was stored is
// paid for again.
func TestWorkersTogether(t *testing.T) {
	var dirs []string
	for _, l := range languages {
		dirs = append(dirs, l.install(t))
	}
	t.Chdir(t.TempDir())
	awsEnvironment(t, startLocal(t))
	ok(t, "schema", "apply", "--store=aws", "--desk=minutes", "--desk=story", "--desk=rights", "--desk=requests", "--desk=ops")
	var meetings []diet.Meeting
	for n := range *togetherTasks {
		m := minutestest.Sitting(n, fmt.Sprintf("2026-11-%02d", 1+n%28))
		m.Speeches[2].Text += fmt.Sprintf("私の整理番号は%05d番であります。", n)
		if n%10 == 9 { // more than one prompt takes
			for range 12 {
				s := m.Speeches[3]
				s.Order = len(m.Speeches)
				s.Text += fmt.Sprintf("整理番号は%05d番の%d号であります。", n, s.Order)
				m.Speeches = append(m.Speeches, s)
			}
		}
		meetings = append(meetings, m)
	}
	library := httptest.NewServer(minutestest.Library(meetings...))
	t.Cleanup(library.Close)
	ok(t, "collect", "--store=aws", "--from=2026-11-01", "--until=2026-11-28", "--minutes-url="+library.URL, "--minutes-pause=0s", "--prompt-tokens=4500")

	c := newCrew(t)
	for i, l := range languages {
		c.join(l.name, func(name string) *exec.Cmd {
			cmd := l.command(context.Background(), dirs[i], "worker")
			cmd.Env = append(cmd.Env, "LLM_BASE_URL="+c.model.URL, "LLM_MODEL=extractive", "LLM_API_KEY="+name, "WORKER_NAME="+name)
			return cmd
		})
	}
	c.join("pressroom", func(name string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "work", "--store=aws", "--llm=openai", "--llm-url="+c.model.URL, "--llm-model=extractive", "--llm-key="+name,
			"--consumers=1", "--parallel=1", "--poll=100ms", "--prompt-tokens=4500")
		cmd.Env = append(os.Environ(), "TEST_AS_COMMAND=1")
		return cmd
	})
	d := minutesDesk(t)
	c.until(func() bool {
		counts, err := d.Counts(t.Context(), 10_000)
		if err != nil {
			t.Fatal(err)
		}
		return counts[minutes.Pending] == 0
	})
	if got := runIn(t, nil, "work", "--store=aws", "--once"); got.Code != 0 {
		t.Fatalf("work: %+v", got)
	}
	counts, err := d.Counts(t.Context(), 10_000)
	if err != nil || counts[minutes.Completed] != len(meetings) {
		t.Errorf("%v, %v", counts, err)
	}
	published := map[string]int{}
	for a, err := range d.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		published[a.ID]++
	}
	for _, m := range meetings {
		if published[m.IssueID] != 1 {
			t.Errorf("meeting %s has %d articles", m.IssueID, published[m.IssueID])
		}
	}
	if err := d.Check(t.Context(), func(where, what string) { t.Errorf("%s: %s", where, what) }); err != nil {
		t.Error(err)
	}
	t.Logf("%d tasks, %d questions, %d workers killed, %d answers that died with them asked for again; asked by %v", len(meetings), c.calls, c.kills, c.again, c.by)
	if c.again > c.kills {
		t.Errorf("%d questions were asked again, although only %d workers were killed", c.again, c.kills)
	}
}

// crew are workers that come and go, and the model that they ask.
type crew struct {
	t      *testing.T
	model  *httptest.Server
	tables *dynamodb.Client
	files  *s3.Client
	group  sync.WaitGroup
	ended  chan struct{}

	mu    sync.Mutex
	live  map[string]*exec.Cmd // by name
	asked map[string]string    // by question, who asked last
	by    map[string]int       // questions by kind of worker
	calls int
	kills int
	again int
}

func newCrew(t *testing.T) *crew {
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &crew{
		t: t, tables: dynamodb.NewFromConfig(cfg), files: s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true }), ended: make(chan struct{}),
		live: map[string]*exec.Cmd{}, asked: map[string]string{}, by: map[string]int{},
	}
	c.model = httptest.NewServer(http.HandlerFunc(c.answer))
	t.Cleanup(c.model.Close)
	return c
}

// join keeps one worker of a kind at work: whenever it ends, another one begins.
func (c *crew) join(kind string, command func(name string) *exec.Cmd) {
	c.group.Go(func() {
		for n := 0; ; n++ {
			name := fmt.Sprintf("%s-%d", kind, n)
			cmd := command(name)
			var log bytes.Buffer
			cmd.Stdout, cmd.Stderr = &log, &log
			c.mu.Lock()
			err := cmd.Start()
			c.live[name] = cmd
			c.mu.Unlock()
			if err != nil {
				c.t.Error(err)
				return
			}
			stop := make(chan struct{})
			go func() {
				select {
				case <-c.ended:
					_ = cmd.Process.Kill() // it may have ended by itself
				case <-stop:
				}
			}()
			err = cmd.Wait()
			close(stop)
			c.mu.Lock()
			delete(c.live, name)
			c.mu.Unlock()
			if err := c.release(name, cmd.Process.Pid); err != nil {
				c.t.Error(err)
				return
			}
			select {
			case <-c.ended:
				return
			case <-time.After(50 * time.Millisecond):
			}
			if err != nil && cmd.ProcessState.ExitCode() > 0 {
				c.t.Logf("%s: %v\n%s", name, err, log.String())
			}
		}
	})
}

// until lets the crew work until something holds.
func (c *crew) until(done func() bool) {
	for deadline := time.Now().Add(2 * time.Hour); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Error("the work does not end")
			break
		}
	}
	close(c.ended)
	c.group.Wait()
}

// release ends the lease of a worker that is gone, for which others would wait minutes.
func (c *crew) release(name string, pid int) error {
	table := aws.String("PoliTopics-llm-tasks")
	var from map[string]types.AttributeValue
	for {
		page, err := c.tables.Scan(context.Background(), &dynamodb.ScanInput{TableName: table, ExclusiveStartKey: from, FilterExpression: aws.String("attribute_exists(leaseOwner)")})
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			owner, _ := item["leaseOwner"].(*types.AttributeValueMemberS)
			if owner == nil || owner.Value != name && !strings.Contains(owner.Value, fmt.Sprintf("-%d-", pid)) {
				continue
			}
			_, err := c.tables.UpdateItem(context.Background(), &dynamodb.UpdateItemInput{
				TableName: table, Key: map[string]types.AttributeValue{"pk": item["pk"]}, UpdateExpression: aws.String("SET leaseUntil = :past"), ConditionExpression: aws.String("leaseOwner = :o"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":past": &types.AttributeValueMemberS{Value: "2000-01-01T00:00:00.000Z"}, ":o": owner},
			})
			if err != nil {
				return err
			}
		}
		if from = page.LastEvaluatedKey; from == nil {
			return nil
		}
	}
}

var numberedMeeting = regexp.MustCompile(`整理番号は(\d{5})番`)

// answer answers as a model does, and now and then has its asker killed: before it is
// answered, just after, or while it stores what it was told.
func (c *crew) answer(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	req, err := questionOf(r)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return // it died while it asked
	}
	if err != nil {
		c.t.Error(err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.note(name, req)
	resp, err := builtin.New().Generate(r.Context(), req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	moment := rand.IntN(40)
	if moment == 0 {
		c.kill(name)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": resp.Text}, "finish_reason": "stop"}},
		"usage":   map[string]any{"prompt_tokens": 1, "completion_tokens": 1},
	})
	if moment == 1 || moment == 2 {
		time.AfterFunc(rand.N(40*time.Millisecond), func() { c.kill(name) })
	}
}

// note counts a question. One that was asked before is excused if who asked it is dead,
// and its answer is not stored.
func (c *crew) note(name string, req *llm.Request) {
	h := sha256.New()
	number := ""
	whole := strings.Contains(string(req.Schema.JSON()), `"dialogs"`) && strings.Contains(string(req.Schema.JSON()), `"title"`)
	fmt.Fprint(h, strings.Contains(string(req.Schema.JSON()), `"dialogs"`))
	for _, p := range req.Passages {
		fmt.Fprintln(h, p.Order, p.Text)
		if found := numberedMeeting.FindStringSubmatch(p.Text); found != nil {
			number = found[1]
		}
	}
	question := string(h.Sum(nil))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	kind, _, _ := strings.Cut(name, "-")
	c.by[kind]++
	last, twice := c.asked[question]
	c.asked[question] = name
	if !twice {
		return
	}
	c.again++
	if _, alive := c.live[last]; alive {
		c.t.Errorf("%s asks what %s, which lives, was answered", name, last)
	}
	if !whole || number == "" {
		return
	}
	var n int
	_, _ = fmt.Sscan(strings.TrimLeft(number, "0")+" ", &n)
	key := "results/" + minutestest.Sitting(n, "2026-11-01").IssueID + "_reduce.json"
	if _, err := c.files.HeadObject(context.Background(), &s3.HeadObjectInput{Bucket: aws.String("politopics-prompts"), Key: &key}); err == nil {
		c.t.Errorf("%s asks what is stored as %s", name, key)
	}
}

func (c *crew) kill(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cmd, alive := c.live[name]; alive && cmd.Process.Kill() == nil {
		c.kills++
	}
}

// questionOf reads a question in OpenAI's protocol, whoever wrote it: the lines that are
// JSON objects are its passages.
func questionOf(r *http.Request) (*llm.Request, error) {
	var asked struct {
		Messages []struct{ Role, Content string } `json:"messages"`
		Format   struct {
			Schema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	schema, err := llm.NewSchema("answer", asked.Format.Schema.Schema)
	if err != nil || len(asked.Messages) < 2 {
		return nil, fmt.Errorf("the question has %d messages: %w", len(asked.Messages), err)
	}
	req := &llm.Request{System: asked.Messages[0].Content, Schema: schema, MaxOutputTokens: 50_000}
	var text strings.Builder
	for line := range strings.Lines(asked.Messages[1].Content) {
		var p llm.Passage
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &p) == nil {
			req.Passages = append(req.Passages, p)
			continue
		}
		text.WriteString(line)
	}
	req.Messages = []llm.Message{{Role: llm.User, Text: text.String()}}
	return req, nil
}
