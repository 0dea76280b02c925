package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/rights/erase"
)

var (
	foreignTables  = flag.String("endpoint", "", "share the DynamoDB at this URL instead of pressroom local")
	foreignObjects = flag.String("s3-endpoint", "", "share the S3 at this URL, with the credentials local and local-secret, instead of pressroom local")
)

// TestMain lets the test's own binary be the pressroom command, for tests that
// want several processes.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_AS_COMMAND") != "" {
		os.Exit(Main())
	}
	os.Exit(m.Run())
}

// shared is a store that processes share.
type shared struct {
	t               *testing.T
	tables, objects string
	guard           *guard // nil in front of servers of others
}

// openShared starts "pressroom local", or takes the servers that are named.
func openShared(t *testing.T) *shared {
	t.Helper()
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_REGION": "us-east-1"} {
		t.Setenv(name, value)
	}
	if *foreignTables != "" && *foreignObjects != "" {
		return &shared{t, *foreignTables, *foreignObjects, nil}
	}
	at, g := guarded(t, startLocal(t))
	return &shared{t, at, at, g}
}

// flags are those of a process with a role. Servers of others know one account.
func (s *shared) flags(role string) []string {
	if s.guard == nil {
		role = "local"
	}
	return []string{
		"--store=aws", "--dynamodb-endpoint=" + s.tables, "--s3-endpoint=" + s.objects,
		"--s3-access-key-id=" + role, "--s3-secret-access-key=local-secret",
	}
}

// run runs a command on the store, in this process.
func (s *shared) run(args ...string) string {
	s.t.Helper()
	return ok(s.t, append(args, s.flags("local")...)...)
}

// member is one process of the newsroom.
type member struct {
	cmd *exec.Cmd
	url string
	log output
}

// start starts a process and waits until it serves.
func (s *shared) start(duty string, args ...string) *member {
	s.t.Helper()
	m := &member{}
	args = append([]string{"serve", "--run=" + duty, "--addr=127.0.0.1:0", "--secret=a secret that all of them share", "--data=" + filepath.Join(s.t.TempDir(), "none")}, args...)
	m.cmd = exec.Command(os.Args[0], append(args, s.flags(duty)...)...)
	m.cmd.Env = append(os.Environ(), "TEST_AS_COMMAND=1", "AWS_ACCESS_KEY_ID="+duty)
	m.cmd.Stdout, m.cmd.Stderr = &m.log, &m.log
	if err := m.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- m.cmd.Wait() }()
	s.t.Cleanup(func() {
		_ = m.cmd.Process.Signal(os.Interrupt)
		if err := <-ended; err != nil {
			s.t.Errorf("%s: %v\n%s", duty, err, m.log.String())
		}
	})
	address := regexp.MustCompile(`msg=serving url=(http://[0-9.:]+)`)
	for deadline := time.Now().Add(10 * time.Minute); m.url == ""; time.Sleep(20 * time.Millisecond) {
		if found := address.FindStringSubmatch(m.log.String()); found != nil {
			m.url = found[1]
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s does not start: %s", duty, m.log.String())
		}
	}
	return m
}

// ask gets a path, and decodes the answer if it is JSON.
func (m *member) ask(t *testing.T, path string) (int, map[string]any) {
	t.Helper()
	resp, err := (&http.Client{Timeout: time.Minute}).Get(m.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	_ = json.Unmarshal(text, &answer) // what is no JSON is looked at by its status
	return resp.StatusCode, answer
}

func items(answer map[string]any) int {
	list, _ := answer["items"].([]any)
	return len(list)
}

// Web, worker and crawler are three processes without data of their own, on one
// store: what the crawler fetches the worker summarises and the web shows. Each may
// do no more than the role that the template has for it.
func TestProcesses(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShared(t)
	api, site := minutesAPI(t), paper(t)
	s.run("schema", "apply")
	s.run("collect", "--from=2026-11-01", "--until=2026-11-03", "--minutes-url="+api, "--minutes-pause=0s", "--prompt-tokens=4500")
	s.run("site", "add", "paper", "--url="+site.URL, "--interval=0", "--window=00:00-00:00", "--crawl-allow=127.0.0.1")

	web := s.start("web")
	other := s.start("web")
	worker := s.start("worker", "--minutes-collect=off", "--minutes-url="+api)
	crawler := s.start("crawler", "--crawl-allow=127.0.0.1")
	for _, m := range []*member{web, other, worker, crawler} {
		eventually(t, "it is ready", func() bool { status, _ := m.ask(t, "/readyz"); return status == http.StatusOK })
	}
	for _, m := range []*member{worker, crawler} {
		if status, _ := m.ask(t, "/"); status != http.StatusNotFound {
			t.Errorf("a process without pages answers %d", status)
		}
	}
	eventually(t, "meetings and news are on the pages", func() bool {
		_, minutes := web.ask(t, "/api/v1/minutes/articles")
		_, news := web.ask(t, "/api/v1/newswire/articles")
		return items(minutes) == 2 && items(news) >= 2
	})
	// A list that one process began goes on in another.
	_, first := web.ask(t, "/api/v1/minutes/articles?limit=1")
	if status, rest := other.ask(t, fmt.Sprint("/api/v1/minutes/articles?limit=1&cursor=", first["next_cursor"])); status != http.StatusOK || items(rest) != 1 {
		t.Errorf("the second page answers %d with %d items", status, items(rest))
	}
	owners := s.owners()
	for job, processes := range owners {
		want := worker
		if job == "newswire-crawl" || job == "newswire-retry" || job == "newswire-signals" { // which ask sites
			want = crawler
		}
		if mine := fmt.Sprintf("/%d/", want.cmd.Process.Pid); len(processes) != 1 || !strings.Contains(processes[0], mine) {
			t.Errorf("%s was run by %v, not by process %s", job, processes, mine)
		}
	}
	for _, job := range []string{"minutes-consume", "newswire-crawl", "newswire-summarise", "lexicon-validate"} {
		if owners[job] == nil {
			t.Errorf("%s was not run; there were runs of %v", job, slices.Sorted(maps.Keys(owners)))
		}
	}
	s.erase("佐藤次郎")
	// While they work on, what they keep is as they promise.
	if out := s.run("check"); out != "no findings\n" {
		t.Errorf("the check of the store they share: %s", out)
	}
}

// open opens the store for the test itself, which may do everything.
func (s *shared) open() *store {
	s.t.Helper()
	var set struct{ targetSettings }
	set.Store, set.AWSTimeout, set.DynamoDBEndpoint, set.S3Endpoint = "aws", 10*time.Second, serviceURL(s.tables), serviceURL(s.objects)
	set.S3AccessKeyID, set.S3SecretKey = "local", "local-secret"
	st, err := set.open(s.t.Context(), endpointSettings{}, quiet)
	if err != nil {
		s.t.Fatal(err)
	}
	return st
}

// dump is all items of the newsroom's tables.
func (s *shared) dump() string {
	s.t.Helper()
	db := s.open().db
	schemas, err := tableNames{}.schemas()
	if err != nil {
		s.t.Fatal(err)
	}
	var all strings.Builder
	for i := range schemas {
		for j := range schemas[i].Tables {
			pages := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{TableName: &schemas[i].Tables[j].Name})
			for pages.HasMorePages() {
				page, err := pages.NextPage(s.t.Context())
				if err != nil {
					s.t.Fatal(err)
				}
				for _, item := range page.Items {
					text, err := json.Marshal(item)
					if err != nil {
						s.t.Fatal(err)
					}
					all.Write(text)
				}
			}
		}
	}
	return all.String()
}

// erase has a name erased by whichever process does such things, within its role, and
// sees that no item has it any more.
func (s *shared) erase(name string) {
	s.t.Helper()
	if s.guard != nil {
		s.guard.erasing.Store(true)
		defer s.guard.erasing.Store(false)
	}
	if !strings.Contains(s.dump(), name) {
		s.t.Fatalf("nothing has the name %s", name)
	}
	ctx := s.t.Context()
	st := s.open()
	stories, err := tableNames{}.stories(st.db)
	if err != nil {
		s.t.Fatal(err)
	}
	all, err := tableNames{}.erasures(st.db, st.client, stories, erase.Options{Log: quiet})
	if err != nil {
		s.t.Fatal(err)
	}
	one, err := all.Begin(ctx, erase.Subject{Kind: erase.Person, Text: name}, "test", "asked for")
	if err != nil {
		s.t.Fatal(err)
	}
	eventually(s.t, "the name is erased", func() bool {
		now, err := all.Get(ctx, one.ID)
		return err == nil && now.State == erase.Done
	})
	if strings.Contains(s.dump(), name) {
		s.t.Errorf("an item still has the name %s", name)
	}
}

// owners tells which processes ran which jobs.
func (s *shared) owners() map[string][]string {
	s.t.Helper()
	st := s.open()
	found := map[string][]string{}
	for _, state := range []string{"RUN#done", "RUN#running", "RUN#failed"} {
		out, err := st.db.Query(s.t.Context(), &dynamodb.QueryInput{
			TableName: aws.String("Operations"), IndexName: aws.String("StateIndex"), KeyConditionExpression: aws.String("GSI1PK = :state"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":state": &types.AttributeValueMemberS{Value: state}},
		})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, run := range out.Items {
			job, owner := run["job"].(*types.AttributeValueMemberS).Value, run["owner"].(*types.AttributeValueMemberS).Value
			if !slices.Contains(found[job], owner) {
				found[job] = append(found[job], owner)
			}
		}
	}
	return found
}
