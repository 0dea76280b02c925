package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/blob"
	"pressroom/blob/wire"
)

func open(t *testing.T, dir string, opt *blob.Options) *blob.Store {
	t.Helper()
	s, err := blob.Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func withBucket(t *testing.T, s *blob.Store) *s3.Client {
	t.Helper()
	client := blob.Client(s)
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("bucket")}); err != nil {
		t.Fatal(err)
	}
	return client
}

func put(t *testing.T, client *s3.Client, key string, body []byte) {
	t.Helper()
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("bucket"), Key: &key, Body: bytes.NewReader(body)})
	if err != nil {
		t.Fatal(err)
	}
}

// Without credentials the handler serves this machine alone.
func TestOnlyLoopbackWithoutCredentials(t *testing.T) {
	s := open(t, "store", &blob.Options{FS: vfs.NewMem()})
	if !s.NeedsLoopback() {
		t.Error("a store without credentials needs loopback")
	}
	for peer, want := range map[string]int{
		"127.0.0.1:1234": 200, "[::1]:1234": 200, "192.168.1.7:1234": 403, "10.0.0.1:80": 403, "": 403, "@": 403,
	} {
		r := httptest.NewRequest("GET", "http://127.0.0.1/", nil)
		r.RemoteAddr = peer
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("peer %q: %d, want %d", peer, w.Code, want)
		}
	}
	signed := open(t, "signed", &blob.Options{FS: vfs.NewMem(), Credentials: map[string]string{"id": "secret"}})
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	signed.Handler().ServeHTTP(w, r)
	if w.Code != 403 || signed.NeedsLoopback() {
		t.Errorf("with credentials, a loopback peer without signature gets %d", w.Code)
	}
}

func TestVirtualHostStyle(t *testing.T) {
	s := open(t, "store", &blob.Options{FS: vfs.NewMem(), Domains: []string{"localhost", "s3.example.com"}})
	client := withBucket(t, s)
	put(t, client, "dir//key", []byte("v"))
	for host, path := range map[string]string{
		"bucket.localhost:4566":             "/dir//key",
		"bucket.s3.example.com":             "/dir//key",
		"BUCKET.S3.Example.com.":            "/dir//key",
		"bucket.s3.eu-west-1.amazonaws.com": "/dir//key",
		"localhost":                         "/bucket/dir//key",
		"s3.example.com:80":                 "/bucket/dir//key",
		"127.0.0.1":                         "/bucket/dir//key",
		"[::1]:4566":                        "/bucket/dir//key",
		"unknown.host":                      "/bucket/dir//key",
	} {
		// Trusted, as names of other machines are not served without credentials.
		r := httptest.NewRequestWithContext(wire.Trusted(t.Context()), "GET", path, nil)
		r.Host = host
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Body.String() != "v" {
			t.Errorf("%s%s: %d %s", host, path, w.Code, w.Body)
		}
	}
}

// Nothing of an object's name, metadata or bytes is in the files of an
// encrypted store, and it does not open without its key.
func TestEncryption(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	keys, err := atrest.NewKeys([]byte("a key of thirty-two bytes, as is"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := blob.Open(dir, &blob.Options{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	client := withBucket(t, s)
	small, large := bytes.Repeat([]byte("secret words "), 100), bytes.Repeat([]byte("secret words "), 20_000)
	put(t, client, "secret words key", small)
	put(t, client, "large", large)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		n += len(b)
		if bytes.Contains(b, []byte("secret words")) {
			t.Errorf("%s is readable", path)
		}
		return err
	})
	if err != nil || n < len(large) {
		t.Fatalf("looked at %d bytes, %v", n, err)
	}
	if _, err := blob.Open(dir, nil); !errors.Is(err, atrest.ErrEncrypted) {
		t.Errorf("without key: %v", err)
	}
	s = open(t, dir, &blob.Options{Keys: keys})
	for key, want := range map[string][]byte{"secret words key": small, "large": large} {
		out, err := blob.Client(s).GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("bucket"), Key: &key})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(out.Body); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", key, len(got), err)
		}
		if out.ServerSideEncryption != types.ServerSideEncryptionAes256 {
			t.Errorf("%s: encryption is %q", key, out.ServerSideEncryption)
		}
		out.Body.Close()
	}
}

// zeros is a body that never ends until its n bytes are read.
type zeros struct{ n int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.n == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.n)
	clear(p[:n])
	z.n -= n
	return int(n), nil
}

// In process, bodies are streamed both ways: memory stays flat, also for a
// body that cannot seek.
func TestInProcessStreams(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "store"), nil)
	client := withBucket(t, s)
	const size = 256 << 20
	peak := watchHeap(t)
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String("bucket"), Key: aws.String("k"), Body: &zeros{size}, ContentLength: aws.Int64(size),
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k")})
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, out.Body)
	out.Body.Close()
	if err != nil || n != size {
		t.Errorf("%d bytes, %v", n, err)
	}
	if got := peak(); got > 64<<20 {
		t.Errorf("%d MB of memory for %d MB of body", got>>20, size>>20)
	}
}

// watchHeap returns a function that says by how much the heap grew at most.
func watchHeap(t *testing.T) func() uint64 {
	t.Helper()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	base, most := heap(), uint64(0)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-done
		return most - min(most, base)
	}
}

// stalling is a body that stops after n bytes, says so, and then waits for its
// context, as a network connection would.
type stalling struct {
	ctx     context.Context
	n       int
	stalled func()
}

func (s *stalling) Read(p []byte) (int, error) {
	if s.n <= 0 {
		s.stalled()
		<-s.ctx.Done()
		return 0, s.ctx.Err()
	}
	s.n -= len(p)
	return len(p), nil
}

// A cancelled context ends a put and a get, and nothing of the put is kept.
func TestInProcessCancel(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "store"), nil)
	client := withBucket(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	body := &stalling{ctx: ctx, n: 1 << 20, stalled: cancel}
	_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k"), Body: body, ContentLength: aws.Int64(8 << 20)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	_, err = client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k")})
	if nf := new(types.NotFound); !errors.As(err, &nf) {
		t.Errorf("after a cancelled put: %v", err)
	}

	put(t, client, "k", make([]byte, 8<<20))
	ctx, cancel = context.WithCancel(t.Context())
	out, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k")})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, out.Body); err == nil {
		t.Error("a cancelled get was read to its end")
	}
	out.Body.Close()

	out, err = client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k")})
	if err != nil {
		t.Fatal(err)
	}
	out.Body.Close() // unread: the handler must not wait for ever, or Close of the store would
}

// A handler that breaks off its answer is an error to the reader, not an end.
func TestInProcessBrokenAnswer(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, "store", &blob.Options{FS: mem})
	client := withBucket(t, s)
	put(t, client, "k", make([]byte, 1<<20))
	truncateData(t, mem)
	out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k")})
	if err == nil {
		_, err = io.Copy(io.Discard, out.Body)
		out.Body.Close()
	}
	if err == nil {
		t.Error("a damaged object was read as if it were whole")
	}
}

// truncateData replaces every object file by an empty one.
func truncateData(t *testing.T, mem vfs.FS) {
	t.Helper()
	dirs, err := mem.List("store/data")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		names, err := mem.List("store/data/" + d)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			f, err := mem.Create("store/data/"+d+"/"+name, vfs.WriteCategoryUnspecified)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
	}
}

// Two processes cannot have one directory open.
func TestOneOwner(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, nil)
	if s, err := blob.Open(dir, nil); err == nil {
		s.Close()
		t.Error("opened twice")
	}
}

// 100-continue: a client that asks first does not send a body that is refused.
func TestExpectContinue(t *testing.T) {
	s := open(t, "store", &blob.Options{FS: vfs.NewMem()})
	srv := httptest.NewServer(s.Handler())
	defer srv.Close()
	sent := false
	body := readerFunc(func(p []byte) (int, error) { sent = true; return 0, io.EOF })
	req, err := http.NewRequestWithContext(t.Context(), "PUT", srv.URL+"/no-such-bucket/k", body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 10
	req.Header.Set("Expect", "100-continue")
	tr := &http.Transport{ExpectContinueTimeout: time.Hour}
	defer tr.CloseIdleConnections()
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != 404 || !strings.Contains(string(b), "NoSuchBucket") || sent {
		t.Errorf("%d %s, body sent: %v", resp.StatusCode, b, sent)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
