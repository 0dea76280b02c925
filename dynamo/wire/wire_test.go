package wire_test

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pressroom/dynamo"
	"pressroom/dynamo/wire"
)

// endpoint is a database in memory, served.
type endpoint struct {
	t   testing.TB
	db  *dynamo.DB
	url string
}

func serve(t testing.TB, o *wire.Options) *endpoint {
	t.Helper()
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	h := wire.New(db, o)
	s := httptest.NewUnstartedServer(h)
	s.Listener = wire.NewLane(s.Listener, h)
	s.Start()
	t.Cleanup(func() {
		s.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &endpoint{t: t, db: db, url: s.URL}
}

// reply is an answer, read whole.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends a request with exactly the headers given and reads the answer. It
// checks what every answer must have.
func (e *endpoint) do(method, path, body string, header http.Header) reply {
	e.t.Helper()
	var from io.Reader
	if body != "" {
		from = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, e.url+path, from)
	if err != nil {
		e.t.Fatal(err)
	}
	if header != nil {
		req.Header = header
	}
	if req.Header.Get("Accept-Encoding") == "" {
		req.Header.Set("Accept-Encoding", "identity")
	}
	return e.send(req)
}

// send is do for a request that is there.
func (e *endpoint) send(req *http.Request) reply {
	e.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		e.checkHeader(resp, got)
	}
	return reply{resp.StatusCode, resp.Header, string(got)}
}

var requestID = regexp.MustCompile(`^[0-9A-Z]{52}$`)

func (e *endpoint) checkHeader(resp *http.Response, body []byte) {
	e.t.Helper()
	if id := resp.Header.Get("x-amzn-RequestId"); !requestID.MatchString(id) {
		e.t.Errorf("x-amzn-RequestId is %q", id)
	}
	if got, want := resp.Header.Get("Content-Length"), strconv.Itoa(len(body)); got != want {
		e.t.Errorf("Content-Length is %q of %s bytes", got, want)
	}
	if resp.Header.Get("Date") == "" {
		e.t.Error("Date is missing")
	}
	if resp.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "sandbox") {
		e.t.Errorf("a browser could run it: %v", resp.Header)
	}
	if resp.Request.Method == http.MethodOptions {
		return
	}
	if got, want := resp.Header.Get("x-amz-crc32"), strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10); got != want {
		e.t.Errorf("x-amz-crc32 is %q, want %s", got, want)
	}
}

// call performs an operation and returns its answer, whatever its status.
func (e *endpoint) call(operation, body string) reply {
	e.t.Helper()
	prefix := "DynamoDB_20120810."
	switch operation {
	case "ListStreams", "DescribeStream", "GetShardIterator", "GetRecords":
		prefix = "DynamoDBStreams_20120810."
	}
	return e.do("POST", "/", body, http.Header{
		"Content-Type": {"application/x-amz-json-1.0"},
		"X-Amz-Target": {prefix + operation},
	})
}

// must is call for what should succeed; into receives the answer unless nil.
func (e *endpoint) must(operation, body string, into any) {
	e.t.Helper()
	r := e.call(operation, body)
	if r.status != http.StatusOK {
		e.t.Fatalf("%s %s: %d %s", operation, body, r.status, r.body)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal([]byte(r.body), into); err != nil {
		e.t.Fatalf("%s: %v in %s", operation, err, r.body)
	}
}

// compact is a JSON text without white space and with sorted names.
func compact(t testing.TB, text string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var out bytes.Buffer
	w := json.NewEncoder(&out)
	w.SetEscapeHTML(false)
	if err := w.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}
