package wire

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"pressroom/caller"
	"pressroom/dynamo/internal/reqid"
	"pressroom/dynamo/token"
)

// Lane is a listener for an [http.Server] that answers DynamoDB's everyday
// requests on its connections by itself: a POST to the root with a known
// operation, a length and nothing unusual. The first request that is anything
// else goes to the server as it came, and all that follow on that connection
// too, so that a client cannot tell the two apart.
//
// Half the cost of a small read is net/http's care for what these requests do
// not have: trailers, chunks, upgrades, a client that may hang up.
type Lane struct {
	net.Listener
	h *handler

	mu    sync.Mutex
	conns map[*laneConn]struct{}
}

// NewLane wraps a listener; dynamo is what [New] returned. If that one checks
// signatures, which cover headers that the lane does not read, all requests go
// to the server. So do those of other machines, for other hosts and of browsers,
// which package caller judges there.
func NewLane(l net.Listener, dynamo http.Handler) *Lane {
	lane := &Lane{Listener: l, conns: map[*laneConn]struct{}{}}
	if h, ok := dynamo.(*handler); ok && !h.signed {
		lane.h = h
	}
	return lane
}

// Accept waits for the next connection.
func (l *Lane) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil || l.h == nil || !caller.Here(conn.RemoteAddr().String()) {
		return conn, err
	}
	c := &laneConn{Conn: conn, lane: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = struct{}{}
	return c, nil
}

// Close takes no more connections and ends those of the lane, each after the
// request that it is busy with. Those that the server has taken over are the
// server's to end.
func (l *Lane) Close() error {
	err := l.Listener.Close()
	for _, c := range l.open() {
		if c.passing.Load() {
			continue
		}
		// One that ends by itself just now is closed twice.
		if e := c.Close(); !errors.Is(e, net.ErrClosed) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// Wait returns when the requests that the lane was busy with are answered. An
// [http.Server] does not know of them: call it after the server's Shutdown.
func (l *Lane) Wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, c := range l.open() {
			c.busy.Lock()
			c.busy.Unlock() //nolint:staticcheck // to have had it is the point
		}
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Lane) open() []*laneConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]*laneConn, 0, len(l.conns))
	for c := range l.conns {
		all = append(all, c)
	}
	return all
}

// Limits of a connection in the lane.
const (
	laneIdle  = 2 * time.Minute
	laneWhole = time.Minute     // for an answer to be taken
	laneHead  = 5 * time.Second // for the rest of a request that has begun
	laneArm   = 10 * time.Second

	laneHeadBytes = 16 << 10
	laneBodyBytes = 40 << 10 // with the head, what a connection may hold without more ado
	laneKeep      = 64 << 10 // of a buffer, between requests
	laneCopy      = 16 << 10 // of an answer, to send it in one piece
)

// laneConn is a connection whose Read serves requests until there is one to
// hand on.
type laneConn struct {
	net.Conn
	lane *Lane

	in      []byte // what has been read; in[at:] is not used yet
	at      int
	out     []byte
	armed   time.Time   // when the deadlines were last moved
	passing atomic.Bool // all requests go to the server

	busy    sync.Mutex // held while a request is served
	closing atomic.Bool
}

// Read gives the server what is not the lane's.
func (c *laneConn) Read(p []byte) (int, error) {
	if !c.passing.Load() {
		if err := c.drive(); err != nil {
			return 0, err
		}
	}
	if c.at < len(c.in) {
		n := copy(p, c.in[c.at:])
		if c.at += n; c.at == len(c.in) {
			c.in, c.at = nil, 0
		}
		return n, nil
	}
	return c.Conn.Read(p)
}

// ReadFrom keeps the server's way of sending files without copying them.
func (c *laneConn) ReadFrom(r io.Reader) (int64, error) {
	if to, ok := c.Conn.(io.ReaderFrom); ok {
		return to.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}

// Close ends the connection, after the request that it is busy with.
func (c *laneConn) Close() error {
	c.closing.Store(true)
	if !c.busy.TryLock() {
		return nil // drive sees that it is closing, and the server closes again
	}
	defer c.busy.Unlock()
	c.lane.mu.Lock()
	delete(c.lane.conns, c)
	c.lane.mu.Unlock()
	return c.Conn.Close()
}

// drive serves requests until there is one for the server, or no more.
func (c *laneConn) drive() error {
	for {
		req, state := parseLane(c.in[c.at:])
		switch state {
		case laneOurs:
			c.at += req.size
			if err := c.serve(&req); err != nil {
				return err
			}
			if c.at == len(c.in) {
				c.rewind()
			}
		case laneTheirs:
			return c.pass()
		case lanePart:
			if err := c.fill(); err != nil {
				// The server has its own time for a body whose head is here.
				slow := errors.Is(err, os.ErrDeadlineExceeded) && bytes.Contains(c.in[c.at:], headEnd)
				if c.at < len(c.in) && (slow || errors.Is(err, io.EOF)) {
					return c.pass()
				}
				return err
			}
		}
		if c.closing.Load() {
			// To any other error the server answers 400, which a client takes for the
			// answer to what it has sent in the meantime.
			return io.EOF
		}
	}
}

// pass leaves the connection to the server, with the time to read a head.
func (c *laneConn) pass() error {
	c.passing.Store(true)
	c.out = nil
	return errors.Join(c.SetReadDeadline(time.Now().Add(laneHead)), c.SetWriteDeadline(time.Time{}))
}

// rewind makes room for the next request.
func (c *laneConn) rewind() {
	c.in, c.at = c.in[:0], 0
	if cap(c.in) > laneKeep {
		c.in = nil
	}
}

// fill reads more. Deadlines are moved rarely, as long as requests come whole.
func (c *laneConn) fill() error {
	whole := c.at == len(c.in)
	switch now := time.Now(); {
	case !whole && c.armed.IsZero(): // the rest of a part has its time already
	case !whole:
		c.armed = time.Time{}
		if err := c.SetReadDeadline(now.Add(laneHead)); err != nil {
			return err
		}
	case now.Sub(c.armed) > laneArm:
		c.armed = now
		if err := errors.Join(c.SetReadDeadline(now.Add(laneIdle)), c.SetWriteDeadline(now.Add(laneIdle+laneWhole))); err != nil {
			return err
		}
	}
	if c.at > 0 {
		c.in, c.at = append(c.in[:0], c.in[c.at:]...), 0
	}
	if len(c.in) == cap(c.in) {
		c.in = append(make([]byte, 0, max(4096, 2*cap(c.in))), c.in...)
	}
	n, err := c.Conn.Read(c.in[len(c.in):cap(c.in)])
	c.in = c.in[:len(c.in)+n]
	if n > 0 {
		return nil
	}
	return err
}

// serve answers one request.
func (c *laneConn) serve(req *laneRequest) error {
	c.busy.Lock()
	defer c.busy.Unlock()
	h := c.lane.h
	do := calls.Get().(*call)
	defer calls.Put(do)
	do.begin(h, context.Background(), "")
	defer do.end()
	id := reqid.New()
	// The engine may hold on to parts of a request.
	do.in = token.NewReader(append(make([]byte, 0, len(req.body)), req.body...))
	status := h.run(do, req.target, id, req.operation)
	if err := c.answer(status, req, id, do.out); err != nil {
		return err
	}
	if req.last {
		return io.EOF
	}
	return nil
}

// answer writes what write would have the server write.
func (c *laneConn) answer(status int, req *laneRequest, id string, body []byte) error {
	b := append(c.out[:0], "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(append(b, ' '), http.StatusText(status)...)
	b = append(append(b, "\r\nContent-Length: "...), strconv.Itoa(len(body))...)
	b = append(b, laneShield...)
	b = append(append(b, "\r\nContent-Type: "...), req.media...)
	b = append(b, "\r\nServer: Server\r\nX-Amz-Crc32: "...)
	b = strconv.AppendUint(b, uint64(crc32.ChecksumIEEE(body)), 10)
	b = append(append(b, "\r\nX-Amzn-Requestid: "...), id...)
	b = append(append(b, "\r\nDate: "...), date()...)
	if req.last {
		b = append(b, "\r\nConnection: close"...)
	}
	b = append(b, "\r\n\r\n"...)
	if len(body) <= laneCopy {
		c.out = append(b, body...)
		_, err := c.Conn.Write(c.out)
		return err
	}
	c.out = b
	parts := net.Buffers{b, body}
	_, err := parts.WriteTo(c.Conn)
	return err
}

// laneShield is what caller.Shield sets.
const laneShield = "\r\nContent-Security-Policy: " + caller.Sandbox +
	"\r\nCross-Origin-Resource-Policy: " + caller.SameOrigin +
	"\r\nX-Content-Type-Options: " + caller.NoSniff

// stamp is the text of a second.
type stamp struct {
	second int64
	text   string
}

var lastStamp atomic.Pointer[stamp]

// date returns the time in the form of the Date header.
func date() string {
	now := time.Now()
	if s := lastStamp.Load(); s != nil && s.second == now.Unix() {
		return s.text
	}
	s := &stamp{now.Unix(), now.UTC().Format(http.TimeFormat)}
	lastStamp.Store(s)
	return s.text
}
