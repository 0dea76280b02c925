package blob_test

import (
	"context"
	"flag"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pressroom/blob"
)

var foreign = flag.Bool("foreign", false, "run other people's S3 clients, fetched from the module proxy and from npm")

// endpoint serves a store over HTTP to the clients of others.
func endpoint(t *testing.T) string {
	t.Helper()
	if !*foreign {
		t.Skip("clients of others are only run with -foreign, which fetches them")
	}
	s := open(t, t.TempDir(), &blob.Options{Credentials: map[string]string{"user": "password"}})
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(srv.Close)
	return srv.URL
}

// run runs a command in dir and returns what it printed.
func run(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// fetch runs a command that fetches something. Without network the test is
// skipped, loudly.
func fetch(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	var out string
	var err error
	for range 3 { // the registries answer 429 under load
		if out, err = run(t, dir, nil, name, args...); err == nil {
			return
		}
		time.Sleep(2 * time.Second)
	}
	t.Skipf("CANNOT BE FETCHED, NOT TESTED: %s %s: %v\n%s", name, strings.Join(args, " "), err, out)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "foreign", from))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestForeignMinIO(t *testing.T) {
	url := endpoint(t)
	dir := t.TempDir()
	copyFile(t, "minio.go.txt", filepath.Join(dir, "main.go"))
	fetch(t, dir, "go", "mod", "init", "foreign")
	fetch(t, dir, "go", "get", "github.com/minio/minio-go/v7@latest")
	fetch(t, dir, "go", "build", "-o", "client", ".")
	out, err := run(t, dir, nil, filepath.Join(dir, "client"), strings.TrimPrefix(url, "http://"))
	if err != nil || !strings.HasSuffix(out, "ok\n") {
		t.Errorf("%s %v", out, err)
	}
}

func TestForeignJavaScript(t *testing.T) {
	url := endpoint(t)
	dir := t.TempDir()
	copyFile(t, "sdk.mjs", filepath.Join(dir, "sdk.mjs"))
	fetch(t, dir, "npm", "install", "--no-audit", "--no-fund", "@aws-sdk/client-s3", "@aws-sdk/lib-storage", "@aws-sdk/s3-request-presigner")
	env := []string{"AWS_ENDPOINT_URL=" + url, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=user", "AWS_SECRET_ACCESS_KEY=password"}
	out, err := run(t, dir, env, "node", "sdk.mjs")
	if err != nil || !strings.HasSuffix(out, "ok\n") {
		t.Errorf("%s %v", out, err)
	}
}
