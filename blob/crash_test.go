package blob_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"pressroom/blob"
)

var (
	crashRounds = flag.Int("crash.rounds", 2, "how often the server is killed")
	crashPuts   = flag.Int("crash.puts", 1000, "how many concurrent puts each round has")
)

const crashDir = "PRESSROOM_BLOB_CRASH_DIR"

// TestMain is the server process too, if it is told so.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		serveUntilKilled(dir)
	}
	os.Exit(m.Run())
}

func serveUntilKilled(dir string) {
	s, err := blob.Open(dir, nil)
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println("http://" + l.Addr().String())
	err = http.Serve(l, s.Handler())
	fmt.Println("error:", err)
	os.Exit(1)
}

// server starts this test's own binary as a server on dir.
func server(t *testing.T, dir string) (client *s3.Client, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		cmd.Process.Kill() // SIGKILL
		cmd.Wait()
	})
	t.Cleanup(kill)
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "http://") {
		t.Fatalf("server: %q, %v", url, err)
	}
	client = s3.New(s3.Options{
		BaseEndpoint: aws.String(strings.TrimSpace(url)), Region: "us-east-1", UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("any", "any", ""),
		Retryer:     retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts = 1 }),
		HTTPClient:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: time.Minute},
	})
	return client, kill
}

// body is what the n-th put writes; its size is inline, a file, or in between.
func body(n int64) []byte {
	size := []int{100, 20_000, 64 << 10, 65<<10 + 1, 300_000}[n%5]
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16), 1}).Read(b)
	return b
}

// TestKill kills the server process in the middle of many concurrent puts, many
// times. Every put that was acknowledged is there, whole; none is there in
// half; and no temporary file is left.
//
// The long form: go test ./blob -run TestKill -crash.rounds 20 -crash.puts 10000
func TestKill(t *testing.T) {
	dir := t.TempDir()
	book := &ledger{acked: make(map[string]int64), begun: make(map[string]int64)}
	ctx := context.Background()
	for round := range *crashRounds {
		client, kill := server(t, dir)
		_, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("bucket")})
		if exists := new(types.BucketAlreadyOwnedByYou); err != nil && !errors.As(err, &exists) {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var begun, done atomic.Int64
		killAt := int64(*crashPuts) * int64(1+round%4) / 5 // some rounds end early, some late
		for w := range 64 {
			wg.Go(func() {
				for i := 0; begun.Add(1) <= int64(*crashPuts); i++ {
					key := fmt.Sprintf("%d/%d", w, i%20)
					n := book.begin(key)
					if putOne(ctx, client, key, n) != nil {
						return
					}
					book.ack(key, n)
					if done.Add(1) == killAt {
						go kill()
					}
				}
			})
		}
		wg.Wait()
		kill()
		t.Logf("killed after %d of %d puts", done.Load(), *crashPuts)
		verify(t, dir, book)
	}
}

// ledger numbers all puts, and remembers for each key the last one begun and
// the last one acknowledged. A key is written by one client at a time.
type ledger struct {
	mu           sync.Mutex
	last         int64
	begun, acked map[string]int64
}

func (l *ledger) begin(key string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.begun[key] = l.last
	return l.last
}

func (l *ledger) ack(key string, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acked[key] = n
}

func putOne(ctx context.Context, client *s3.Client, key string, n int64) error {
	b := body(n)
	sum := sha256.Sum256(b)
	_, err := client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String("bucket"), Key: &key, Body: bytes.NewReader(b),
		ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(sum[:])),
		Metadata:       map[string]string{"n": fmt.Sprint(n)},
	})
	return err
}

// verify opens the directory as the killed server left it.
func verify(t *testing.T, dir string, book *ledger) {
	t.Helper()
	s, err := blob.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := blob.Client(s)
	there := make(map[string]int64)
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: aws.String("bucket")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page.Contents {
			there[*o.Key] = readOne(t, client, *o.Key)
		}
	}
	for key, n := range book.acked {
		if got := there[key]; got < n || got > book.begun[key] {
			t.Errorf("%s: put %d was acknowledged, %d begun, there is %d", key, n, book.begun[key], got)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	noLeftovers(t, dir, len(there))
}

// readOne reads an object whole and returns which put it is from.
func readOne(t *testing.T, client *s3.Client, key string) (n int64) {
	t.Helper()
	out, err := client.GetObject(context.Background(), &s3.GetObjectInput{
		Bucket: aws.String("bucket"), Key: &key, ChecksumMode: types.ChecksumModeEnabled,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	b, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	fmt.Sscan(out.Metadata["n"], &n)
	if !bytes.Equal(b, body(n)) {
		t.Errorf("%s: is not what put %d wrote", key, n)
	}
	return n
}

// noLeftovers checks that no temporary files are left, and no more files than
// objects could have.
func noLeftovers(t *testing.T, dir string, objects int) {
	t.Helper()
	tmp, err := os.ReadDir(filepath.Join(dir, "tmp"))
	if err != nil || len(tmp) > 0 {
		t.Errorf("%d temporary files, %v", len(tmp), err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "*", "*"))
	if err != nil || len(files) > objects {
		t.Errorf("%d files for %d objects, %v", len(files), objects, err)
	}
}
