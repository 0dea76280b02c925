package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// zip writes n zero bytes, packed.
func zip(to io.Writer, n int) {
	z, _ := gzip.NewWriterLevel(to, gzip.BestCompression)
	_, _ = z.Write(make([]byte, n))
	_ = z.Close()
}

// call is what an honest caller asks for.
type call struct{ name, method, url, target, body string }

func (p *program) calls() []call {
	put := `{"TableName":"Honest","Item":{"k":{"S":"a"},"v":{"S":"` + strings.Repeat("v", 1000) + `"}}}`
	return []call{
		{"home page", "GET", "http://" + p.pages + "/", "", ""},
		{"JSON", "GET", "http://" + p.pages + "/api/v1/blog/posts", "", ""},
		{"GetItem", "POST", "http://" + p.port + "/", "GetItem", `{"TableName":"Honest","Key":{"k":{"S":"a"}}}`},
		{"PutItem", "POST", "http://" + p.port + "/", "PutItem", put},
		{"PutObject", "PUT", "http://" + p.port + "/honest/key", "", strings.Repeat("o", 10_000)},
		{"GetObject", "GET", "http://" + p.port + "/honest/key", "", ""},
	}
}

// prepare makes what honest callers use.
func (p *program) prepare(ctx context.Context) error {
	for _, c := range append([]call{
		{"bucket", "PUT", "http://" + p.port + "/honest", "", ""},
		{"table", "POST", "http://" + p.port + "/", "CreateTable", `{"TableName":"Honest","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]}`},
	}, p.calls()[3:5]...) {
		if err := p.do(ctx, http.DefaultClient, c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// do sends one call and reads its answer.
func (p *program) do(ctx context.Context, client *http.Client, c call) error {
	r, err := http.NewRequestWithContext(ctx, c.method, c.url, strings.NewReader(c.body))
	if err != nil {
		return err
	}
	service := "s3"
	if c.target != "" {
		service = "dynamodb"
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+c.target)
		r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	}
	if p.credentials && strings.Contains(c.url, p.port) {
		sign(r, service, c.body)
	}
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %.300s", resp.Status, body)
	}
	return nil
}

// sign signs as "AWS Signature Version 4 for API requests" says.
func sign(r *http.Request, service, body string) {
	now := time.Now().UTC()
	date, day := now.Format("20060102T150405Z"), now.Format("20060102")
	sum := sha256.Sum256([]byte(body))
	hash := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Date", date)
	r.Header.Set("X-Amz-Content-Sha256", hash)
	names := []string{"host", "x-amz-content-sha256", "x-amz-date"}
	if service == "dynamodb" {
		names = append(names, "x-amz-target")
	}
	var headers strings.Builder
	for _, name := range names {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.URL.Host
		}
		headers.WriteString(name + ":" + value + "\n")
	}
	canonical := strings.Join([]string{r.Method, r.URL.Path, "", headers.String(), strings.Join(names, ";"), hash}, "\n")
	digest := sha256.Sum256([]byte(canonical))
	scope := day + "/us-east-1/" + service + "/aws4_request"
	key := []byte("AWS4" + secretKey)
	for _, part := range []string{day, "us-east-1", service, "aws4_request"} {
		key = mac(key, part)
	}
	signature := mac(key, "AWS4-HMAC-SHA256\n"+date+"\n"+scope+"\n"+hex.EncodeToString(digest[:]))
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+accessKey+"/"+scope+", SignedHeaders="+strings.Join(names, ";")+", Signature="+hex.EncodeToString(signature))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// times are how long calls of one kind took.
type times struct {
	times  []time.Duration
	failed int
	last   error
}

func (t *times) percentile(n int) time.Duration {
	if len(t.times) == 0 {
		return 0
	}
	slices.Sort(t.times)
	return t.times[min(len(t.times)-1, len(t.times)*n/100)].Round(10 * time.Microsecond)
}

type results map[string]*times

func (r results) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		t := r[name]
		parts = append(parts, fmt.Sprintf("%s p50 %v p99 %v (%d, %d failed)", name, t.percentile(50), t.percentile(99), len(t.times), t.failed))
	}
	return strings.Join(parts, "; ")
}

// measure calls honestly for so long: ten calls of each kind a second, on
// connections that are kept.
func (p *program) measure(ctx context.Context, lasting time.Duration) (results, error) {
	found := results{}
	var all sync.WaitGroup
	end := time.Now().Add(lasting)
	for _, c := range p.calls() {
		t := &times{}
		found[c.name] = t
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
			defer client.CloseIdleConnections()
			for time.Now().Before(end) && ctx.Err() == nil {
				began := time.Now()
				err := p.do(ctx, client, c)
				switch {
				case ctx.Err() != nil:
					return
				case err != nil:
					t.failed++
					t.last = err
				default:
					t.times = append(t.times, time.Since(began))
				}
				wait(ctx, 100*time.Millisecond)
			}
		})
	}
	all.Wait()
	return found, ctx.Err()
}

// tally counts by name.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func newTally() *tally { return &tally{n: map[string]int{}} }

func (t *tally) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n[name]++
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(t.n)) {
		fmt.Fprintf(&b, "%s %d, ", name, t.n[name])
	}
	return strings.TrimSuffix(b.String(), ", ")
}
