package local

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/setting"
)

var quiet = slog.New(slog.DiscardHandler)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// lines is an output that tests may look at while it is written to.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// running is a program that serves.
type running struct {
	url            string
	stdout, stderr lines
	end            func() int // interrupts it and returns its exit status
}

// start runs the program and waits until it says where it is.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan int, 1)
	go func() {
		done <- Run(ctx, setting.Process{Args: append([]string{"--aws-addr=127.0.0.1:0"}, args...), Stdout: &r.stdout, Stderr: &r.stderr})
	}()
	r.end = sync.OnceValue(func() int { cancel(); return <-done })
	t.Cleanup(func() {
		if code := r.end(); code != 0 {
			t.Errorf("ended with %d: %s", code, r.stderr.String())
		}
	})
	address := regexp.MustCompile(`https?://[0-9.:]+[0-9]`)
	for began := time.Now(); !strings.Contains(r.stdout.String(), "Ready."); time.Sleep(time.Millisecond) {
		select {
		case code := <-done:
			done <- code
			t.Fatalf("ended with %d: %s", code, r.stderr.String())
		default:
		}
		if time.Since(began) > 5*time.Minute {
			t.Fatalf("does not start: %s", r.stderr.String())
		}
	}
	r.url = address.FindString(r.stdout.String())
	return r
}

// clients are the SDK's, for an endpoint.
func clients(url string) (*dynamodb.Client, *s3.Client) {
	c := aws.Config{Region: "us-east-1", BaseEndpoint: &url, Credentials: credentials.NewStaticCredentialsProvider("any", "thing", "")}
	return dynamodb.NewFromConfig(c), s3.NewFromConfig(c, func(o *s3.Options) { o.UsePathStyle = true })
}

func makeTable(t *testing.T, tables *dynamodb.Client, name string) {
	t.Helper()
	if _, err := tables.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	}); err != nil {
		t.Fatal(err)
	}
}

func putItem(t *testing.T, tables *dynamodb.Client, table, pk string) {
	t.Helper()
	if _, err := tables.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: pk}}}); err != nil {
		t.Fatal(err)
	}
}

// count is how many items the table has; -1 if there is no such table.
func count(t *testing.T, tables *dynamodb.Client, table string) int {
	t.Helper()
	out, err := tables.Scan(t.Context(), &dynamodb.ScanInput{TableName: &table})
	if err != nil {
		if strings.Contains(err.Error(), "ResourceNotFoundException") {
			return -1
		}
		t.Fatal(err)
	}
	return int(out.Count)
}

func putObject(t *testing.T, objects *s3.Client, bucket, key, body string) {
	t.Helper()
	if _, err := objects.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader(body)}); err != nil {
		t.Fatal(err)
	}
}

// object is what the object holds, "" if it is not there.
func object(t *testing.T, objects *s3.Client, bucket, key string) string {
	t.Helper()
	out, err := objects.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		if strings.Contains(err.Error(), "NoSuchKey") || strings.Contains(err.Error(), "NoSuchBucket") {
			return ""
		}
		t.Fatal(err)
	}
	defer func() { _ = out.Body.Close() }()
	body, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestKeeps: what was written to a directory is there when it is served again.
func TestKeeps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := start(t, "--data="+dir)
	tables, objects := clients(first.url)
	makeTable(t, tables, "posts")
	putItem(t, tables, "posts", "1")
	if _, err := objects.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("media")}); err != nil {
		t.Fatal(err)
	}
	putObject(t, objects, "media", "a//b", "text")
	if code := first.end(); code != 0 {
		t.Fatal(first.stderr.String())
	}
	second := start(t, "--data", dir)
	tables, objects = clients(second.url)
	if n := count(t, tables, "posts"); n != 1 {
		t.Errorf("%d items", n)
	}
	if got := object(t, objects, "media", "a//b"); got != "text" {
		t.Errorf("the object holds %q", got)
	}
}

// TestMemory: nothing is written where it runs or where the data would be.
func TestMemory(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	r := start(t, "--memory")
	tables, objects := clients(r.url)
	makeTable(t, tables, "posts")
	putItem(t, tables, "posts", "1")
	if n := count(t, tables, "posts"); n != 1 {
		t.Errorf("%d items", n)
	}
	if _, err := objects.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("media")}); err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 300_000)
	putObject(t, objects, "media", "large", large)
	if object(t, objects, "media", "large") != large {
		t.Error("the large object is another")
	}
	if found, err := os.ReadDir(here); err != nil || len(found) != 0 {
		t.Errorf("written: %v, %v", found, err)
	}
	if !strings.Contains(r.stdout.String(), "with data in memory") {
		t.Errorf("it says %q", r.stdout.String())
	}
}

// finish runs the program to its end.
func finish(t *testing.T, environ []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what would serve ends
	return finishWith(ctx, environ, args...)
}

// finishLive runs a program that is to end by itself.
func finishLive(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	return finishWith(ctx, nil, args...)
}

func finishWith(ctx context.Context, environ []string, args ...string) (stdout, stderr string, code int) {
	var out, errOut lines
	code = Run(ctx, setting.Process{Args: args, Environ: environ, Stdout: &out, Stderr: &errOut})
	return out.String(), errOut.String(), code
}

func TestProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		name    string
		environ []string
		args    []string
		code    int
		want    string // on either output
	}{
		{"help", nil, []string{"--help"}, 0, "--aws-secret-access-key=SECRET"},
		{"help in short", nil, []string{"-h"}, 0, "Usage: pressroom-local [flags]"},
		{"version", nil, []string{"--version"}, 0, "pressroom "},
		{"an unknown flag", nil, []string{"--dat=x"}, 2, `pressroom-local: unknown flag --dat, did you mean --data? See "pressroom-local --help"`},
		{"an argument", nil, []string{"serve"}, 2, "unexpected argument serve; see"},
		{"no value", nil, []string{"--data"}, 2, "--data: expected a value"},
		{"no address", nil, []string{"--aws-addr=x"}, 2, `--aws-addr: "x" is not an address`},
		{"no address in the environment", []string{"PRESSROOM_AWS_ADDR=x"}, nil, 2, `PRESSROOM_AWS_ADDR: "x" is not an address`},
		{"half a truth", []string{"PRESSROOM_MEMORY=perhaps"}, nil, 2, `PRESSROOM_MEMORY: "perhaps" is neither true nor false`},
		{"half a credential", nil, []string{"--memory", "--aws-access-key-id=x"}, 2, "an access key needs its secret"},
		{"other machines", nil, []string{"--memory", "--aws-addr=0.0.0.0:0"}, 2, "without credentials"},
		{"another store", []string{"PRESSROOM_STORE=aws"}, nil, 2, "works on the files of a data directory alone"},
		{"memory by the environment", []string{"PRESSROOM_MEMORY=true", "PRESSROOM_AWS_ADDR=127.0.0.1:0"}, nil, 0, "with data in memory"},
		{"a typing error in the environment", []string{"PRESSROOM_MEMRY=true"}, []string{"--memory", "--aws-addr=127.0.0.1:0"}, 0, "unknown environment variable PRESSROOM_MEMRY, did you mean PRESSROOM_MEMORY?"},
		{"no settings file", nil, []string{"--config=none.toml"}, 2, "settings file: open none.toml"},
	} {
		stdout, stderr, code := finish(t, tt.environ, tt.args...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q", tt.name, code, stdout, stderr)
		}
	}
}

// TestSettingsFile: a flag wins over the environment, that over the file.
func TestSettingsFile(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "pressroom.toml", "aws-addr = \"127.0.0.1:0\"\nmemory = true\nlog-level = \"error\"\ntemplat = \"x\"\n")
	stdout, stderr, code := finish(t, []string{"PRESSROOM_LOG_LEVEL=warn"})
	if code != 0 || !strings.Contains(stdout, "with data in memory") || !strings.Contains(stderr, "pressroom.toml:4: unknown setting") {
		t.Errorf("exit status %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	_, stderr, _ = finish(t, []string{"PRESSROOM_LOG_LEVEL=warn"}, "--log-level=error")
	if stderr != "" {
		t.Errorf("logged: %s", stderr)
	}
}

// certificates are refused by halves.
func TestHalfACertificate(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if _, err := (EndpointSettings{AWSTLSCert: cert, AWSTLSKey: key, AWSTLSMake: true, AWSAddr: "127.0.0.1:0"}).tls(); err != nil {
		t.Fatal(err)
	}
	for _, set := range []EndpointSettings{
		{AWSTLSMake: true}, {AWSTLSCert: cert}, {AWSTLSKey: key}, {AWSTLSCert: key, AWSTLSKey: cert}, {AWSTLSCert: cert, AWSTLSKey: filepath.Join(dir, "none")},
	} {
		if _, err := set.tls(); err == nil {
			t.Errorf("%+v is accepted", set)
		}
	}
}
