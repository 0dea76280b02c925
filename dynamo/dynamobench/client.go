package dynamobench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// conn is a keep-alive connection that sends one request at a time with as
// little work as possible, so that the server is measured and not the client.
type conn struct {
	net.Conn
	r    *bufio.Reader
	host string
	buf  []byte
}

func dial(ctx context.Context, endpoint string) (*conn, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("endpoint %q: %w", endpoint, err)
	}
	if u.Scheme != "http" {
		return nil, fmt.Errorf("endpoint %q: only http:// can be measured", endpoint)
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		if err := c.SetDeadline(deadline); err != nil {
			return nil, err
		}
	}
	return &conn{Conn: c, r: bufio.NewReaderSize(c, 64<<10), host: u.Host}, nil
}

func (c *conn) close() { _ = c.Close() }

// authorization has the form that emulators want to see and do not verify.
const authorization = "AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=0000000000000000000000000000000000000000000000000000000000000000"

// call sends one operation and reads its answer, which must be a 200.
func (c *conn) call(op string, body []byte) error {
	b := append(c.buf[:0], "POST / HTTP/1.1\r\nHost: "...)
	b = append(b, c.host...)
	b = append(b, "\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810."...)
	b = append(b, op...)
	b = append(b, "\r\nX-Amz-Date: 20260101T000000Z\r\nAuthorization: "+authorization+"\r\nContent-Length: "...)
	b = strconv.AppendInt(b, int64(len(body)), 10)
	b = append(b, "\r\n\r\n"...)
	c.buf = append(b, body...)
	if _, err := c.Write(c.buf); err != nil {
		return err
	}
	status, size, err := c.head()
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		text := make([]byte, min(max(size, 0), 500))
		_, _ = io.ReadFull(c.r, text)
		return fmt.Errorf("%s answered %d: %s", op, status, text)
	}
	return c.skip(size)
}

// head reads the status and the headers of an answer; size is -1 for a body
// in chunks.
func (c *conn) head() (status, size int, err error) {
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, 0, fmt.Errorf("not HTTP: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, fmt.Errorf("not HTTP: %q", line)
	}
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return 0, 0, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return status, size, nil
		}
		if value, ok := field(line, "content-length:"); ok {
			if size, err = strconv.Atoi(value); err != nil {
				return 0, 0, fmt.Errorf("content length %q: %w", value, err)
			}
		} else if _, ok := field(line, "transfer-encoding:"); ok {
			size = -1
		}
	}
}

// field returns the value of a header line, if it is that of the name, which
// is in lower case and ends in a colon.
func field(line []byte, name string) (string, bool) {
	if len(line) < len(name) || line[len(name)-1] != ':' || !strings.EqualFold(string(line[:len(name)]), name) {
		return "", false
	}
	return strings.TrimSpace(string(line[len(name):])), true
}

// skip reads a body and forgets it.
func (c *conn) skip(size int) error {
	if size >= 0 {
		_, err := c.r.Discard(size)
		return err
	}
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return fmt.Errorf("size of a chunk %q: %w", line, err)
		}
		if _, err := c.r.Discard(int(n) + len("\r\n")); err != nil || n == 0 {
			return err
		}
	}
}

// retry tries for some seconds: servers start, tables become active.
func retry(ctx context.Context, fn func() error) error {
	var err error
	for range 40 {
		if err = fn(); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(250 * time.Millisecond):
		}
	}
	return err
}

// residentMB reads a process's resident memory where the system tells it.
func residentMB(pid int) float64 {
	if pid == 0 {
		return 0
	}
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				return 0
			}
			return kb / 1024
		}
	}
	return 0
}
