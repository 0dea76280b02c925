package wire_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
	"pressroom/dynamo/wire"
)

// lanes serves one database twice: through a lane, and without.
func lanes(t testing.TB) (lane, plain string) {
	t.Helper()
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	h := wire.New(db, nil)
	fast := httptest.NewUnstartedServer(h)
	fast.Listener = wire.NewLane(fast.Listener, h)
	fast.Start()
	slow := httptest.NewServer(h)
	t.Cleanup(func() {
		fast.Close()
		slow.Close()
		_ = db.Close()
	})
	return fast.Listener.Addr().String(), slow.Listener.Addr().String()
}

// request is one of the lane's, with more headers.
func request(target, body string, headers ...string) string {
	head := "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n"
	for _, h := range headers {
		head += h + "\r\n"
	}
	return head + fmt.Sprintf("X-Amz-Target: DynamoDB_20120810.%s\r\nContent-Length: %d\r\n\r\n%s", target, len(body), body)
}

// exchange sends pieces over one connection, a moment apart, and reads n
// answers, or as many as come.
func exchange(t testing.TB, addr string, n int, pieces ...string) (answers []string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute)) // only a lane that hangs comes near it
	go func() {
		for i, piece := range pieces {
			if i > 0 {
				time.Sleep(2 * time.Millisecond)
			}
			if _, err := io.WriteString(conn, piece); err != nil {
				return
			}
		}
	}()
	r := bufio.NewReader(conn)
	for range n {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			return append(answers, "closed")
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return append(answers, "cut off")
		}
		for _, name := range []string{"Date", "X-Amzn-Requestid"} {
			if res.StatusCode == http.StatusOK && len(res.Header.Get(name)) < 20 {
				t.Errorf("%s: %q", name, res.Header.Get(name))
			}
			res.Header.Del(name)
		}
		answers = append(answers, fmt.Sprint(res.Status, res.Header, res.Close, string(body)))
	}
	return answers
}

// TestLaneIsNotNoticed sends the same bytes through a lane and without one.
func TestLaneIsNotNoticed(t *testing.T) {
	lane, plain := lanes(t)
	list := request("ListTables", "{}")
	probe := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	tests := []struct {
		name    string
		answers int
		pieces  []string
	}{
		{"one", 1, []string{list}},
		{"many on one connection", 3, []string{list, list, list}},
		{"many at once", 3, []string{list + list + list}},
		{"in pieces", 2, []string{list[:5], list[5:60], list[60:100], list[100 : len(list)-1], list[len(list)-1:] + list}},
		{"refused", 1, []string{request("GetItem", "{}")}},
		{"not JSON", 1, []string{request("GetItem", "nonsense")}},
		{"no body", 1, []string{request("ListTables", "")}},
		{"unknown operation", 2, []string{request("Nonsense", "{}") + list}},
		{"another request between", 3, []string{list + probe + list}},
		{"another request in pieces", 2, []string{list + probe[:3], probe[3:]}},
		{"closing", 2, []string{request("ListTables", "{}", "Connection: close") + list}},
		{"keeping", 2, []string{request("ListTables", "{}", "Connection: keep-alive") + list}},
		{"compressed answer", 1, []string{request("DescribeLimits", "{}", "Accept-Encoding: gzip")}},
		{"a web page", 1, []string{request("ListTables", "{}", "Origin: https://example.com")}},
		{"to be continued", 1, []string{request("ListTables", "{}", "Expect: nonsense")}},
		{"chunks", 2, []string{"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + list}},
		{"two lengths", 1, []string{request("ListTables", "{}", "Content-Length: 5")}},
		{"a negative length", 1, []string{strings.Replace(list, "Length: 2", "Length: -2", 1)}},
		{"no host", 1, []string{strings.Replace(list, "Host", "Most", 1)}},
		{"folded header", 1, []string{request("ListTables", "{}", "X-A: b", " c")}},
		{"space before the colon", 1, []string{request("ListTables", "{}", "X-A : b")}},
		{"a control character", 1, []string{request("ListTables", "{}", "X-A: b\x01")}},
		{"bare line feeds", 1, []string{strings.ReplaceAll(list, "\r\n", "\n")}},
		{"another version", 1, []string{strings.Replace(list, "HTTP/1.1", "HTTP/1.0", 1)}},
		{"another path", 1, []string{strings.Replace(list, "POST / ", "POST /x ", 1)}},
		{"a long head", 1, []string{request("ListTables", "{}", "X-A: "+strings.Repeat("a", 20<<10))}},
		{"a long body", 1, []string{request("ListTables", `{"x":"`+strings.Repeat("a", 300<<10)+`"}`)}},
		{"a body of many reads", 2, []string{request("ListTables", `{"x":"`+strings.Repeat("a", 100<<10)+`"}`) + list}},
		{"nonsense", 1, []string{"POST / HTTP/1.1\r\n\r\n"}},
		{"nothing like HTTP", 1, []string{"hello\r\n\r\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, want := exchange(t, lane, tt.answers, tt.pieces...), exchange(t, plain, tt.answers, tt.pieces...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("without and with a lane: %s", diff)
			}
		})
	}
}

// TestLaneLongAnswer reads an answer that is not sent in one piece.
func TestLaneLongAnswer(t *testing.T) {
	lane, plain := lanes(t)
	table := request("CreateTable", `{"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]}`)
	put := request("PutItem", `{"TableName":"Tab","Item":{"k":{"S":"a"},"v":{"S":"`+strings.Repeat("x", 200<<10)+`"}}}`)
	for _, req := range []string{table, put} {
		if got := exchange(t, lane, 1, req); !strings.HasPrefix(got[0], "200") {
			t.Fatal(got)
		}
	}
	scan := request("Scan", `{"TableName":"Tab"}`)
	got, want := exchange(t, lane, 2, scan, scan), exchange(t, plain, 2, scan, scan)
	if diff := cmp.Diff(want, got); diff != "" || len(got[0]) < 200<<10 {
		t.Errorf("%d bytes, without and with a lane: %s", len(got[0]), diff)
	}
}

// TestLaneShutdown ends a server while requests come: each that was begun is
// answered, and connections that wait do not hold it up.
func TestLaneShutdown(t *testing.T) {
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	h := wire.New(db, nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	lane := wire.NewLane(listener, h)
	server := &http.Server{Handler: h}
	served := make(chan error, 1)
	go func() { served <- server.Serve(lane) }()
	begun, cut := make(chan struct{}, 8), make(chan bool, 8)
	for range 8 {
		go func() { cut <- hammer(listener.Addr().String(), begun) }()
	}
	idle, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = idle.Close() }()
	for range 8 {
		<-begun
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := lane.Wait(ctx); err != nil {
		t.Error(err)
	}
	<-served
	for range 8 {
		if <-cut {
			t.Error("an answer was cut off, or a request refused that was right")
		}
	}
}

// TestLaneCloseTwice ends a lane with a connection that has just ended by itself.
func TestLaneCloseTwice(t *testing.T) {
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := &endedConns{Listener: listener}
	lane := wire.NewLane(ended, wire.New(db, nil))
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if _, err := lane.Accept(); err != nil {
		t.Fatal(err)
	}
	if err := lane.Close(); err != nil {
		t.Error(err)
	}
}

// endedConns accepts connections that end at once.
type endedConns struct{ net.Listener }

func (l *endedConns) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		_ = conn.Close()
	}
	return conn, err
}

// hammer sends requests until the connection ends, and reports whether that
// was in the middle of an answer. It tells when the first was answered.
func hammer(addr string, begun chan<- struct{}) (cut bool) {
	tell := sync.OnceFunc(func() { begun <- struct{}{} })
	defer tell()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	r := bufio.NewReader(conn)
	for {
		if _, err := io.WriteString(conn, request("ListTables", "{}")); err != nil {
			return false
		}
		if _, err := r.Peek(1); err != nil {
			return false
		}
		res, err := http.ReadResponse(r, nil)
		if err != nil || res.StatusCode != http.StatusOK {
			return true
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return true
		}
		tell()
	}
}

// TestLaneClosesWithoutAWord ends a lane in the middle of an answer: after that answer
// nothing comes, as a refusal would be taken for that of the next request.
func TestLaneClosesWithoutAWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane, client := throughLane(t)
		if _, err := io.WriteString(client, request("ListTables", "{}")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the answer waits to be taken
		if err := lane.Close(); err != nil {
			t.Error(err)
		}
		r := bufio.NewReader(client)
		res, err := http.ReadResponse(r, nil)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("got %v, %v", res, err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Error(err)
		}
		if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
			t.Errorf("after the answer came %q, %v", rest, err)
		}
	})
}
