package wire_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo"
	"pressroom/dynamo/wire"
)

// Each benchmark sends the same requests, over 64 connections that are kept
// open, to the endpoint and to a bare server: net/http, encoding/json and
// Pebble, which makes the same durable write or read and nothing else. One run
// shows what DynamoDB's semantics cost:
//
//	go test -run - -bench . ./dynamo/wire

const (
	benchItems = 100_000 // more than the memory table holds
	benchPage  = 20
	clients    = 64
)

func benchKey(i int) (pk, sk string) {
	return fmt.Sprintf("p%05d", i/benchPage), fmt.Sprintf("s%02d", i%benchPage)
}

// benchItem is an item of about 1 KB.
func benchItem(i int) string {
	pk, sk := benchKey(i)
	return `{"pk":{"S":"` + pk + `"},"sk":{"S":"` + sk + `"},"title":{"S":"What the committee decided on Tuesday"},` +
		`"status":{"S":"published"},"createdAt":{"S":"2026-11-15T09:30:00.000Z"},"views":{"N":"1234567"},"pinned":{"BOOL":false},` +
		`"tags":{"SS":["budget","diet","tax"]},"body":{"S":"` + strings.Repeat("The quick brown fox jumps over the lazy dog. ", 18) + `"}}`
}

func putBody(i int) string { return `{"TableName":"posts","Item":` + benchItem(i) + `}` }

func getBody(i int) string {
	pk, sk := benchKey(i)
	return `{"TableName":"posts","Key":{"pk":{"S":"` + pk + `"},"sk":{"S":"` + sk + `"}}}`
}

func queryBody(i int) string {
	pk, _ := benchKey(i)
	return `{"TableName":"posts","KeyConditionExpression":"pk = :pk","ExpressionAttributeValues":{":pk":{"S":"` + pk + `"}}}`
}

func BenchmarkPutItem(b *testing.B) { compare(b, "PutItem", putBody) }

func BenchmarkGetItem(b *testing.B) { compare(b, "GetItem", getBody) }

func BenchmarkQuery20(b *testing.B) { compare(b, "Query", queryBody) }

func compare(b *testing.B, operation string, body func(i int) string) {
	bare, ours := openBare(b), openDynamo(b)
	b.Run("bare", func(b *testing.B) { load(b, bare, operation, body) })
	b.Run("dynamo", func(b *testing.B) { load(b, ours, operation, body) })
}

// openDynamo serves a database on disk and fills it.
func openDynamo(b *testing.B) http.Handler {
	b.Helper()
	db, err := dynamo.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	h := wire.New(db, nil)
	perform(b, h, "CreateTable", `{"TableName":"posts","BillingMode":"PAY_PER_REQUEST",`+
		`"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],`+
		`"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]}`)
	for i := 0; i < benchItems; i += 25 {
		var batch []string
		for j := i; j < i+25; j++ {
			batch = append(batch, `{"PutRequest":{"Item":`+benchItem(j)+`}}`)
		}
		perform(b, h, "BatchWriteItem", `{"RequestItems":{"posts":[`+strings.Join(batch, ",")+`]}}`)
	}
	return h
}

// perform makes a request without a socket.
func perform(b *testing.B, h http.Handler, operation, body string) {
	b.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://localhost/", strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.RemoteAddr = "127.0.0.1:1" // other machines need credentials
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	w := &discard{header: http.Header{}}
	h.ServeHTTP(w, req)
	if w.status != http.StatusOK {
		b.Fatalf("%s: status %d", operation, w.status)
	}
}

type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }

// bare is the server that the endpoint is measured by. It keeps items as the
// JSON they came in.
type bare struct{ db *pebble.DB }

type bareRequest struct {
	TableName                 string
	Item, Key                 map[string]map[string]any
	KeyConditionExpression    string
	ExpressionAttributeValues map[string]map[string]any
}

func openBare(b *testing.B) http.Handler {
	b.Helper()
	cache := pebble.NewCache(64 << 20)
	defer cache.Unref()
	db, err := pebble.Open(b.TempDir(), &pebble.Options{Cache: cache, MemTableSize: 32 << 20, FormatMajorVersion: pebble.FormatNewest, Logger: quiet{}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	for _, i := range rand.Perm(benchItems) { // the engine orders partitions by hash
		pk, sk := benchKey(i)
		if err := db.Set([]byte(pk+"\x00"+sk), []byte(benchItem(i)), pebble.NoSync); err != nil {
			b.Fatal(err)
		}
	}
	return &bare{db}
}

type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Errorf(string, ...any)             {}
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (s *bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var in bareRequest
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	var out []byte
	switch r.Header.Get("X-Amz-Target") {
	case "DynamoDB_20120810.PutItem":
		item := body[bytes.Index(body, []byte(`"Item":`))+7 : len(body)-1]
		out, err = []byte("{}"), errors.Join(err, s.db.Set(bareKey(in.Item), item, pebble.Sync))
	case "DynamoDB_20120810.GetItem":
		out, err = s.get(in.Key)
	case "DynamoDB_20120810.Query":
		out, err = s.query(in.ExpressionAttributeValues[":pk"]["S"].(string))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	_, _ = w.Write(out)
}

func bareKey(m map[string]map[string]any) []byte {
	return []byte(m["pk"]["S"].(string) + "\x00" + m["sk"]["S"].(string))
}

func (s *bare) get(key map[string]map[string]any) ([]byte, error) {
	v, closer, err := s.db.Get(bareKey(key))
	if err != nil {
		return nil, err
	}
	out := append([]byte(`{"Item":`), v...)
	return append(out, '}'), closer.Close()
}

func (s *bare) query(pk string) ([]byte, error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte(pk + "\x00"), UpperBound: []byte(pk + "\x01")})
	if err != nil {
		return nil, err
	}
	out, rows := []byte(`{"Items":[`), 0
	for ok := it.First(); ok; ok = it.Next() {
		if rows++; rows > 1 {
			out = append(out, ',')
		}
		out = append(out, it.Value()...)
	}
	out = append(out, `],"Count":`...)
	out = strconv.AppendInt(out, int64(rows), 10)
	return append(out, '}'), it.Close()
}

// load sends requests from 64 clients and reads the answers.
func load(b *testing.B, h http.Handler, operation string, body func(i int) string) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	requests := make([][]byte, benchItems)
	for i := range requests {
		text := body(i)
		requests[i] = []byte("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n" +
			"X-Amz-Target: DynamoDB_20120810." + operation + "\r\nContent-Length: " + strconv.Itoa(len(text)) + "\r\n\r\n" + text)
	}
	b.SetParallelism(max(1, clients/runtime.GOMAXPROCS(0)))
	settle(b)
	b.ResetTimer()
	before := cpuTime(b)
	b.RunParallel(func(p *testing.PB) {
		c, err := dial(listener.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer func() { _ = c.conn.Close() }()
		for p.Next() {
			if err := c.exchange(requests[rand.IntN(benchItems)]); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// settle waits until compactions have ended.
func settle(b *testing.B) {
	b.Helper()
	for range 100 {
		before := cpuTime(b)
		time.Sleep(100 * time.Millisecond)
		if cpuTime(b)-before < int64(5*time.Millisecond) {
			return
		}
	}
}

// cpuTime is what the process has used, clients included. Unlike the time on
// the clock it tells little of what else the machine does.
func cpuTime(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// client is as little of an HTTP client as will do, so that what is measured
// is the server.
type client struct {
	conn net.Conn
	r    *bufio.Reader
}

func dial(address string) (*client, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (c *client) exchange(request []byte) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	length := -1
	for line := 0; ; line++ {
		text, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if line == 0 && !bytes.HasPrefix(text, []byte("HTTP/1.1 200")) {
			return fmt.Errorf("answer %q", text)
		}
		if value, ok := bytes.CutPrefix(text, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
		if len(text) == 2 {
			break
		}
	}
	if length < 2 {
		return fmt.Errorf("an answer of %d bytes", length)
	}
	_, err := c.r.Discard(length)
	return err
}
