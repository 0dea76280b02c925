package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
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

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/desk/minutes"
	"pressroom/llm"
	"pressroom/llm/builtin"
)

// minutesAPI serves a short meeting and a long one.
func minutesAPI(t *testing.T) string {
	t.Helper()
	meeting := func(id string, speeches int) map[string]any {
		record := []any{map[string]any{"speechOrder": 0, "speaker": "会議録情報", "speech": "　本日の会議に付した案件\n○自転車道整備法案（内閣提出第五号）\n"}}
		for i := 1; i < speeches; i++ {
			text := fmt.Sprintf("○佐藤次郎君　%d番目の質問です。自転車道の整備費は%d億円と聞いております。財政力の弱い町村では整備が進まないのではありませんか。", i, i*10)
			record = append(record, map[string]any{"speechOrder": fmt.Sprint(i), "speaker": "佐藤次郎", "speech": strings.Repeat(text, 3)})
		}
		return map[string]any{"issueID": id, "imageKind": "会議録", "session": "219", "nameOfHouse": "衆議院", "nameOfMeeting": "国土交通委員会", "issue": "第三号", "date": "2026-11-02", "speechRecord": record}
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"numberOfRecords": 2, "nextRecordPosition": nil, "meetingRecord": []any{meeting("121900001X00320261102", 3), meeting("121900002X00420261102", 30)},
		})
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// output is a buffer that one goroutine writes and another reads.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// startLocal runs "pressroom local" and returns its address.
func startLocal(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context())) // it outlives what uses it
	var stdout, stderr output
	done := make(chan int)
	go func() {
		args = append([]string{"local", "--aws-addr=127.0.0.1:0", "--data=" + filepath.Join(t.TempDir(), "data")}, args...)
		done <- Run(ctx, Process{Args: args, Stdout: &stdout, Stderr: &stderr})
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-done; code != 0 {
			t.Errorf("local ended with %d: %s", code, stderr.String())
		}
	})
	address := regexp.MustCompile(`https?://[0-9.:]+`)
	eventually(t, "local says where it is", func() bool { return address.MatchString(stdout.String()) })
	return address.FindString(stdout.String())
}

// awsEnvironment points the SDK at the address.
func awsEnvironment(t *testing.T, at string) {
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": at, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local",
	} {
		t.Setenv(name, value)
	}
}

func minutesDesk(t *testing.T) *minutes.Desk {
	t.Helper()
	c, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d, err := minutes.New(dynamodb.NewFromConfig(c), s3.NewFromConfig(c, func(o *s3.Options) { o.UsePathStyle = true }), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func checkArticle(t *testing.T, d *minutes.Desk, id string, speeches int) {
	t.Helper()
	full, err := d.GetFull(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if len(full.Asset.Dialogs) != speeches || full.Title == "" || len(full.Asset.MiddleSummary) == 0 || len(full.Issues) == 0 {
		t.Errorf("article %+v with %d dialogs", full.Article, len(full.Asset.Dialogs))
	}
}

func TestCollectAndWork(t *testing.T) {
	t.Chdir(t.TempDir())
	api := minutesAPI(t)
	collect := []string{"collect", "--data=data", "--from=2026-11-01", "--until=2026-11-03", "--minutes-url=" + api, "--minutes-pause=0s", "--prompt-tokens=4500"}
	got := runIn(t, nil, collect...)
	if got.Code != 0 || !strings.Contains(got.Stdout, "2 meetings, 2 new") {
		t.Fatalf("collect: %+v", got)
	}
	if got := runIn(t, nil, append(collect, "--json")...); got.Code != 0 || !strings.Contains(got.Stdout, `"unchanged": 2`) {
		t.Errorf("collect again: %+v", got)
	}
	if got := runIn(t, nil, "work", "--data=data", "--once", "--prompt-tokens=4500"); got.Code != 0 || !strings.Contains(got.Stdout, "2 completed") {
		t.Errorf("work: %+v", got)
	}
	if got := runIn(t, nil, "work", "--data=data", "--once", "--json"); got.Code != 0 || !strings.Contains(got.Stdout, `"completed": 0`) {
		t.Errorf("work again: %+v", got)
	}
	for _, bad := range [][]string{
		{"collect", "--data=data", "--from=tomorrow"}, {"collect", "--data=data", "--until=2026-11-01"}, {"work", "--data=data", "--llm=oracle", "--llm-model=x"},
		{"work", "--data=data", "--llm=openai"}, {"work", "--data=data", "--llm=azure", "--llm-model=x"}, {"work", "--data=data", "--consumers=0"},
	} {
		if got := runIn(t, nil, bad...); got.Code == 0 || got.Stderr == "" {
			t.Errorf("%v: %+v", bad, got)
		}
	}
}

// The worker in JavaScript consumes tasks from "pressroom local" after the contract,
// and "pressroom work" publishes what it wrote.
func TestWorkerInJavaScript(t *testing.T) {
	worker := installWorker(t)
	t.Chdir(t.TempDir())
	awsEnvironment(t, startLocal(t))
	ok(t, "schema", "apply", "--store=aws", "--desk=minutes", "--desk=story", "--desk=rights", "--desk=requests", "--desk=ops")
	collect := runIn(t, nil, "collect", "--store=aws", "--from=2026-11-01", "--until=2026-11-03", "--minutes-url="+minutesAPI(t), "--minutes-pause=0s", "--prompt-tokens=4500")
	if collect.Code != 0 {
		t.Fatalf("collect: %+v", collect)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "worker.mjs")
	cmd.Dir = worker
	cmd.Env = append(os.Environ(), "LLM_BASE_URL="+offlineModel(t), "LLM_MODEL=extractive")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `{"done":2}`) {
		t.Fatalf("worker: %v\n%s", err, out)
	}
	if got := runIn(t, nil, "work", "--store=aws", "--once"); got.Code != 0 || !strings.Contains(got.Stdout, "2 published for others") {
		t.Fatalf("work: %+v", got)
	}
	d := minutesDesk(t)
	checkArticle(t, d, "121900001X00320261102", 3)
	checkArticle(t, d, "121900002X00420261102", 30)
}

// installWorker installs the worker's modules, once a machine.
func installWorker(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: the worker in JavaScript is not tested, because there is no %s", program)
		}
	}
	files := map[string][]byte{}
	var all []byte
	for _, name := range []string{"package.json", "package-lock.json", "worker.mjs", "producer.mjs"} {
		data, err := os.ReadFile(filepath.Join("..", "..", ".ci", "worker-js", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
		if filepath.Ext(name) != ".mjs" {
			all = append(all, data...)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "pressroom", fmt.Sprintf("worker-js-%x", sha256.Sum256(all)))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "installed")); err == nil {
		return dir
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: the worker in JavaScript is not tested, because its modules cannot be installed: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "installed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// offlineModel speaks OpenAI's protocol and answers with builtin.
func offlineModel(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := answerOffline(r)
		if err != nil {
			t.Error(err)
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": answer}}}})
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func answerOffline(r *http.Request) (string, error) {
	var asked struct {
		Messages []struct{ Role, Content string } `json:"messages"`
		Format   struct {
			Schema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return "", err
	}
	schema, err := llm.NewSchema("answer", asked.Format.Schema.Schema)
	if err != nil {
		return "", err
	}
	text, source, found := strings.Cut(asked.Messages[1].Content, "\n\nPassages:\n")
	if !found || asked.Messages[0].Role != "system" {
		return "", fmt.Errorf("the question is %v", asked.Messages)
	}
	req := &llm.Request{System: asked.Messages[0].Content, Messages: []llm.Message{{Role: llm.User, Text: text}}, Schema: schema, MaxOutputTokens: 50_000}
	for line := range strings.Lines(source) {
		var p llm.Passage
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			return "", err
		}
		req.Passages = append(req.Passages, p)
	}
	resp, err := builtin.New().Generate(r.Context(), req)
	if err != nil {
		return "", err
	}
	return resp.Text, nil
}
