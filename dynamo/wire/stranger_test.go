package wire_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pressroom/dynamo"
	"pressroom/dynamo/wire"
)

// TestStrangersBodiesAreNotRead announces bodies that never come: whoever cannot
// be a known caller is refused before.
func TestStrangersBodiesAreNotRead(t *testing.T) {
	e := serve(t, &wire.Options{Credentials: func(id string) (string, bool) { return "secret", id == "editor" }})
	auth := func(id string, at time.Time) string {
		return fmt.Sprintf("X-Amz-Date: %s\r\nAuthorization: AWS4-HMAC-SHA256 Credential=%s/%s/us-east-1/dynamodb/aws4_request, "+
			"SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=%064d\r\n", at.Format("20060102T150405Z"), id, at.Format("20060102"), 0)
	}
	now := time.Now().UTC()
	for _, tt := range []struct{ name, header, want string }{
		{"no signature", "", "MissingAuthenticationTokenException"},
		{"half a signature", "Authorization: AWS4-HMAC-SHA256 Credential=a\r\n", "IncompleteSignatureException"},
		{"an unknown key", auth("nobody", now), "UnrecognizedClientException"},
		{"a stale date", auth("editor", now.Add(-time.Hour)), "Signature expired"},
		{"a method of nobody", "", "MissingAuthenticationTokenException"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(e.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			method := "POST"
			if tt.name == "a method of nobody" {
				method = "PUT"
			}
			_, _ = io.WriteString(conn, method+" / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n"+
				"X-Amz-Target: DynamoDB_20120810.ListTables\r\n"+tt.header+"Content-Length: 16000000\r\n\r\n")
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("it waits for the body: %v", err)
			}
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != 400 || !strings.Contains(string(body), tt.want) {
				t.Errorf("answered %s %s", resp.Status, body)
			}
		})
	}
}

// TestGzipBombs sends bodies that unpack to more than is allowed, and to as much.
func TestGzipBombs(t *testing.T) {
	e := serve(t, nil)
	send := func(size int) reply {
		return e.do("POST", "/", gzipped(t, `{"x":"`+strings.Repeat("a", size-8)+`"}`), http.Header{
			"X-Amz-Target": {"DynamoDB_20120810.ListTables"}, "Content-Type": {"application/x-amz-json-1.0"}, "Content-Encoding": {"gzip"},
		})
	}
	if got := send(16 << 20); got.status != 200 {
		t.Errorf("16 MB: %d %s", got.status, got.body)
	}
	if got := send(16<<20 + 1); got.status != 413 {
		t.Errorf("more: %d %s", got.status, got.body)
	}
}

// pipes is a listener of connections in memory, for a clock of the test's own.
type pipes struct {
	conns chan net.Conn
	close func()
}

func newPipes() pipes {
	conns := make(chan net.Conn)
	return pipes{conns, sync.OnceFunc(func() { close(conns) })}
}

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { p.close(); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// throughLane returns a lane in front of a server in memory, and a connection to it.
func throughLane(t *testing.T) (*wire.Lane, net.Conn) {
	t.Helper()
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	h, listener := wire.New(db, nil), newPipes()
	lane := wire.NewLane(listener, h)
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute}
	go func() { _ = server.Serve(lane) }()
	t.Cleanup(func() { _, _ = server.Close(), db.Close() })
	client, end := net.Pipe()
	listener.conns <- fromHere{end}
	return lane, client
}

// fromHere gives a connection in memory an address of this machine.
type fromHere struct{ net.Conn }

func (fromHere) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// TestSlowHeads: a head has five seconds in the lane as in the server, whatever
// it begins with; a body has more. Who sends too slowly is told to try again.
func TestSlowHeads(t *testing.T) {
	list := request("ListTables", "{}")
	for _, tt := range []struct {
		name  string
		sent  string
		after time.Duration // until the connection ends
		rest  string        // sent after ten seconds
	}{
		{"nothing of the lane's", "GET /bucket HTTP/1.1\r\nHost:", 5 * time.Second, ""},
		{"a request of the lane's", list[:60], 5 * time.Second, ""},
		{"one letter", "P", 5 * time.Second, ""},
		{"a body", list[:len(list)-1], 0, list[len(list)-1:]},
		{"no end of a body", list[:len(list)-1], 0, "never"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, client := throughLane(t)
				began := time.Now()
				_, _ = io.WriteString(client, tt.sent)
				switch tt.rest {
				case "":
				case "never":
					time.Sleep(15 * time.Second)
				default:
					time.Sleep(10 * time.Second)
					_, _ = io.WriteString(client, tt.rest)
				}
				resp, err := http.ReadResponse(bufio.NewReader(client), nil)
				took := time.Since(began)
				if tt.rest == "never" {
					if err != nil {
						t.Fatal(err)
					}
					body, err := io.ReadAll(resp.Body)
					if err != nil || !strings.Contains(string(body), "ThrottlingException") {
						t.Errorf("got %d %s, %v", resp.StatusCode, body, err)
					}
					_ = client.Close()
					return
				}
				_ = client.Close()
				if tt.rest != "" {
					if err != nil || resp.StatusCode != 200 {
						t.Errorf("got %v, %v", resp, err)
					}
				} else if took > tt.after {
					t.Errorf("it was cut after %v, want %v", took, tt.after)
				}
			})
		})
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
