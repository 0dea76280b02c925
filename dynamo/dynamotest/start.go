package dynamotest

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/dynamo"
	"pressroom/dynamo/wire"
)

// Server is an empty DynamoDB of a test's own, which ends with the test.
type Server struct {
	// URL is its endpoint.
	URL string
	// Config is that of the SDK, with the endpoint, a region and credentials.
	Config aws.Config
	// Client and Streams call it over HTTP.
	Client  *dynamodb.Client
	Streams *dynamodbstreams.Client

	handler http.Handler // in process; nil for a program

	mu    sync.Mutex
	fs    vfs.FS
	db    *dynamo.DB
	saved vfs.FS
}

// Start serves a DynamoDB in this process, in memory. It takes a few milliseconds, so
// that each test can have one.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	if err := s.open(nil); err != nil {
		t.Fatal(err)
	}
	s.handler = wire.New(s.db, nil)
	h := httptest.NewUnstartedServer(s.handler)
	h.Listener = wire.NewLane(h.Listener, s.handler)
	h.Start()
	t.Cleanup(func() {
		h.Close()
		if err := s.db.Close(); err != nil {
			t.Error(err)
		}
	})
	s.connect(h.URL)
	return s
}

// StartProgram starts pressroom-local, or "pressroom" with "local" as the first
// argument, as a process in memory on a port of its own: DynamoDB, and S3 on the same
// port. A relative path without a slash is looked up as a shell does.
func StartProgram(t testing.TB, program string, args ...string) *Server {
	t.Helper()
	ctx, kill := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, append(args, "--memory", "--aws-addr=127.0.0.1:0")...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		kill()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kill()
		_ = cmd.Wait() // it was killed, which is an error
	})
	url := ""
	for lines := bufio.NewScanner(stdout); lines.Scan() && lines.Text() != "Ready."; {
		if found := address.FindString(lines.Text()); found != "" {
			url = found
		}
	}
	if url == "" {
		kill()
		_ = cmd.Wait()
		t.Fatalf("%s does not serve: %s", program, stderr.String())
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	s := &Server{}
	s.connect(url)
	return s
}

var address = regexp.MustCompile(`https?://[0-9a-z.:\[\]]+[0-9]`)

func (s *Server) connect(url string) {
	s.URL = url
	s.Config = aws.Config{Region: "us-east-1", BaseEndpoint: &url, Credentials: aws.CredentialsProviderFunc(
		func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		})}
	s.Client, s.Streams = dynamodb.NewFromConfig(s.Config), dynamodbstreams.NewFromConfig(s.Config)
}

// Environ returns the environment of this process with that in which programs of any
// language find the server.
func (s *Server) Environ() []string {
	return append(os.Environ(), "AWS_ENDPOINT_URL="+s.URL, "AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test")
}

// DB is the database without HTTP; nil if the server is a program. After Reset it is
// another one.
func (s *Server) DB() *dynamo.DB {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.db
}

// Snapshot remembers what the tables hold now, and Reset goes back to that, or to
// nothing if nothing was remembered. No request may be under way.
func (s *Server) Snapshot(t testing.TB) {
	t.Helper()
	if err := s.change("/_pressroom/snapshot", s.snapshot); err != nil {
		t.Fatal(err)
	}
}

// Reset is described at Snapshot.
func (s *Server) Reset(t testing.TB) {
	t.Helper()
	if err := s.change("/_pressroom/reset", s.reset); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) change(path string, inside func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handler != nil {
		return inside()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		return &answerError{resp.Status + " " + string(body)}
	}
	return nil
}

// answerError is an answer that is not what was asked for.
type answerError struct{ text string }

func (e *answerError) Error() string { return "the server answers " + e.text }

// dir is where a database is in its file system.
const dir = "tables"

// open opens a database on a copy of a file system; nil for an empty one.
func (s *Server) open(from vfs.FS) error {
	s.fs = vfs.NewMem()
	if from != nil {
		if _, err := vfs.Clone(from, s.fs, dir, dir); err != nil {
			return err
		}
	}
	var err error
	s.db, err = dynamo.Open(dir, &dynamo.Options{FS: s.fs, Logger: slog.New(slog.DiscardHandler)})
	return err
}

func (s *Server) snapshot() error {
	const checkpoint = "checkpoint"
	if err := s.db.Checkpoint(checkpoint); err != nil {
		return err
	}
	saved := vfs.NewMem()
	if _, err := vfs.Clone(s.fs, saved, checkpoint, dir); err != nil {
		return err
	}
	s.saved = saved
	return s.fs.RemoveAll(checkpoint)
}

func (s *Server) reset() error {
	before := s.db
	if err := s.open(s.saved); err != nil {
		return err
	}
	wire.Swap(s.handler, s.db)
	return before.Close()
}
