package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/pipetest"

	"pressroom/internal/ops"
)

// What is wrong with --store aws is one sentence that says what to do.
func TestRemoteRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	empty := startLocal(t)
	awsEnvironment(t, empty)
	tests := []struct {
		environ []string
		args    string
		code    int
		want    string
	}{
		{nil, "serve --store=aws --addr=127.0.0.1:0", 2, "--store aws needs --secret, the same in every process"},
		{nil, "serve --store=aws --addr=127.0.0.1:0 --secret=short", 2, "--secret must have at least 16 characters"},
		{nil, "serve --store=aws --addr=127.0.0.1:0 --secret=0123456789abcdef", 1, `make them with "pressroom schema apply --store aws"`},
		{nil, "serve --store=elsewhere", 2, "embedded"},
		{nil, "serve --run=web,cook", 2, `"cook" is not web, worker, crawler or all`},
		{nil, "work --store=aws --once", 1, "missing in the store: table PoliTopics-llm-tasks"},
		{nil, "schema apply --store=aws --s3-access-key-id=x", 2, "an access key needs its secret"},
		{nil, "schema apply --store=aws --dynamodb-endpoint=nowhere", 2, "is not an address such as http://127.0.0.1:4566"},
		{nil, "schema apply --store=aws --aws-timeout=0s", 2, "--aws-timeout must be more than nothing"},
		{nil, "demo --store=aws", 2, "the demo keeps its data in a directory"},
		{[]string{"PRESSROOM_STORE=aws"}, "local", 2, "the files of a data directory alone"},
		{[]string{"PRESSROOM_STORE=aws"}, "backup there", 2, "the files of a data directory alone"},
		{[]string{"PRESSROOM_STORE=aws"}, "restore here", 2, "the files of a data directory alone"},
		{nil, "check --store=aws", 1, "the store has no table of the newsroom"},
	}
	for _, tt := range tests {
		got := runIn(t, tt.environ, strings.Fields(tt.args)...)
		if got.Code != tt.code || !strings.Contains(got.Stderr, tt.want) {
			t.Errorf("%s: %d %s", tt.args, got.Code, got.Stderr)
		}
	}
}

// remoteAt is a store at a server, whose calls may take so long.
func remoteAt(t *testing.T, url string, limit time.Duration) *store {
	t.Helper()
	awsEnvironment(t, "")
	set := remoteSettings{DynamoDBEndpoint: serviceURL(url), S3Endpoint: serviceURL(url), AWSTimeout: limit, S3PathStyle: "auto"}
	st, err := set.open(t.Context(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A service that does not answer does not hold a caller for ever.
func TestRemoteSilence(t *testing.T) {
	stuck := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stuck }))
	defer server.Close()
	defer close(stuck)
	st := remoteAt(t, server.URL, 50*time.Millisecond)
	_, err := st.db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("t"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}},
		func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
	if err == nil {
		t.Error("tables that say nothing have answered")
	}
	_, err = st.client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("b"), Key: aws.String("k")}, func(o *s3.Options) { o.RetryMaxAttempts = 1 })
	if err == nil {
		t.Error("objects that say nothing have answered")
	}
}

// A service may take its time for an object, as long as something comes; one that
// stops in the middle is given up.
func TestRemoteStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = time.Second
		stuck := make(chan struct{})
		defer close(stuck)
		l := pipetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			for _, part := range []string{"the ", "begin ", "of"} {
				time.Sleep(2 * limit)
				_, _ = io.WriteString(w, part)
				_ = http.NewResponseController(w).Flush()
			}
			<-stuck
		}))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://s3/b/k", nil)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		resp, err := steadyClient(limit, l.Dial).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if took := time.Since(begin); err == nil || string(text) != "the begin of" || took != (3*2+3)*limit {
			t.Errorf("half an object: %q after %s, %v", text, took, err)
		}
	})
}

func TestDuties(t *testing.T) {
	for text, want := range map[string]string{"all": "all", "web": "web", "crawler, web": "web,crawler", "worker,worker": "worker", "web,all": "all"} {
		var d duties
		if err := d.UnmarshalText([]byte(text)); err != nil || d.String() != want {
			t.Errorf("%q is %s, %v", text, d, err)
		}
	}
	var d duties
	if d.UnmarshalText([]byte("")) == nil {
		t.Error("nothing is a duty")
	}
	if d = (duties{webDuty}); d.runs(&ops.Job{}) || d.runs(&ops.Job{Outside: true}) {
		t.Error("a process for pages runs jobs")
	}
	if d = (duties{crawlerDuty}); d.runs(&ops.Job{}) || !d.runs(&ops.Job{Outside: true}) {
		t.Error("a crawler does another's work")
	}
}
