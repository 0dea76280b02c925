// Command hostile proves that "pressroom serve" bears hostile connections. It
// starts the program, measures honest callers alone, then opens connections to the
// pages and to the port for AWS programs that do all that a caller should not, and
// measures honest callers beside them.
//
//	go build -o pressroom ./cmd/pressroom
//	go run ./.ci/hostile -pressroom ./pressroom -minutes 5 -connections 1000
//
// It fails if the program takes more memory than -memory, if an honest call fails,
// or if the 99th percentile of their times is more than -slower times that of
// before.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(log.Ltime)
	binary := flag.String("pressroom", "pressroom", "the program")
	minutes := flag.Float64("minutes", 5, "for how long")
	connections := flag.Int("connections", 1000, "how many hostile connections at a time")
	credentials := flag.Bool("credentials", false, "let the port ask for credentials")
	memory := flag.Int("memory", 300, "how many MB the program may take")
	slower := flag.Float64("slower", 3, "how many times as long honest callers may wait at the 99th percentile; 0 is not looked at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	lasting := time.Duration(*minutes * float64(time.Minute))
	if err := run(ctx, *binary, *credentials, *connections, lasting, *memory, *slower); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, binary string, credentials bool, connections int, lasting time.Duration, memory int, slower float64) error {
	dir, err := os.MkdirTemp("", "hostile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := start(ctx, binary, filepath.Join(dir, "data"), credentials)
	if err != nil {
		return err
	}
	defer p.stop()
	if err := p.prepare(ctx); err != nil {
		return err
	}
	calm, err := p.measure(ctx, min(lasting, 30*time.Second))
	if err != nil {
		return err
	}
	log.Printf("credentials %v; before: %s, %d MB", credentials, calm, p.memory())

	attack, end := context.WithTimeout(ctx, lasting)
	defer end()
	var attackers sync.WaitGroup
	tried := newTally()
	for i := range connections {
		attackers.Go(func() { p.attack(attack, i, tried) })
	}
	most := make(chan int, 1)
	go func() { most <- p.watch(attack) }()
	under, err := p.measure(attack, lasting)
	peak := <-most
	attackers.Wait()
	log.Printf("hostile connections: %s", tried)
	log.Printf("credentials %v; under attack: %s, %d MB at most", credentials, under, peak)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var faults []error
	if peak > memory {
		faults = append(faults, fmt.Errorf("it took %d MB, more than %d", peak, memory))
	}
	for name, t := range under {
		before := calm[name].percentile(99)
		// Less than a millisecond is the machine's, not the program's.
		if limit := time.Duration(slower * float64(max(before, time.Millisecond))); slower > 0 && t.percentile(99) > limit {
			faults = append(faults, fmt.Errorf("%s: p99 %v, before %v", name, t.percentile(99), before))
		}
		if t.failed > 0 {
			faults = append(faults, fmt.Errorf("%s: %d of %d honest calls failed, the last with %v", name, t.failed, len(t.times)+t.failed, t.last))
		}
	}
	return errors.Join(faults...)
}

// program is a running pressroom.
type program struct {
	cmd         *exec.Cmd
	pages, port string // host:port
	credentials bool
}

const accessKey, secretKey = "HOSTILEPROOF", "only for this proof"

func start(ctx context.Context, binary, dir string, credentials bool) (*program, error) {
	// Rates are of the pages' door, which honest callers share an address with the
	// hostile ones at.
	args := []string{"serve", "--addr=127.0.0.1:0", "--aws-addr=127.0.0.1:0", "--data=" + dir, "--config=" + os.DevNull, "--rate-limit=0", "--log-level=info"}
	cmd := exec.Command(binary, args...)
	cmd.Env = os.Environ()
	if credentials {
		cmd.Env = append(cmd.Env, "PRESSROOM_AWS_ACCESS_KEY_ID="+accessKey, "PRESSROOM_AWS_SECRET_ACCESS_KEY="+secretKey)
	}
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &program{cmd: cmd, credentials: credentials}
	found := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		at := regexp.MustCompile(`msg="?(serving[^"]*?)"? url=http://(\S+)`)
		for lines.Scan() {
			m := at.FindStringSubmatch(lines.Text())
			switch {
			case m == nil:
			case m[1] == "serving":
				p.pages = m[2]
				close(found)
			default:
				p.port = m[2]
			}
		}
	}()
	select {
	case <-found:
		return p, nil
	case <-time.After(2 * time.Minute):
		p.stop()
		return nil, errors.New("it does not start")
	case <-ctx.Done():
		p.stop()
		return nil, ctx.Err()
	}
}

func (p *program) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// memory is how many MB of memory the program has.
func (p *program) memory() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kb / 1024
		}
	}
	return 0
}

// watch returns the most memory that the program had until ctx ends.
func (p *program) watch(ctx context.Context) (most int) {
	for ctx.Err() == nil {
		most = max(most, p.memory())
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	return most
}

// attack opens hostile connections one after the other until ctx ends. Each
// attacker has a state, and a target, by its number.
func (p *program) attack(ctx context.Context, i int, tried *tally) {
	state := states[i%len(states)]
	addr := p.port
	if i/len(states)%2 == 1 {
		addr = p.pages
	}
	for ctx.Err() == nil {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err != nil {
			tried.add(state.name + ": refused")
			wait(ctx, 100*time.Millisecond)
			continue
		}
		tried.add(state.name)
		over := context.AfterFunc(ctx, func() { _ = conn.Close() })
		state.do(ctx, conn, addr == p.pages)
		over()
		_ = conn.Close()
		wait(ctx, time.Second)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// head is a request that announces a body.
func head(pages bool, length string, more ...string) string {
	line := "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\n"
	if pages {
		line = "POST /blog/contact HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
	}
	return line + length + "\r\n" + strings.Join(append(more, ""), "\r\n") + "\r\n"
}

// claims is a signature of the right form, by a key that exists, of now: it can
// only be found wrong with the body at hand.
func claims() string {
	now := time.Now().UTC()
	return "X-Amz-Date: " + now.Format("20060102T150405Z") + "\r\nAuthorization: AWS4-HMAC-SHA256 Credential=" + accessKey + "/" + now.Format("20060102") +
		"/us-east-1/dynamodb/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" + strings.Repeat("0", 64)
}

// drip sends a text byte by byte, one a second.
func drip(ctx context.Context, conn net.Conn, text string) {
	for i := range len(text) {
		if _, err := conn.Write([]byte{text[i]}); err != nil || ctx.Err() != nil {
			return
		}
		wait(ctx, time.Second)
	}
}

// send writes a text and then n bytes of nothing, and returns when the peer has
// had enough.
func send(conn net.Conn, text string, n int) {
	if _, err := io.WriteString(conn, text); err != nil {
		return
	}
	piece := make([]byte, 64<<10)
	for n > 0 {
		link.wait(min(n, len(piece)))
		m, err := conn.Write(piece[:min(n, len(piece))])
		if n -= m; err != nil {
			return
		}
	}
}

// link is the line that the hostile connections share: 100 MB a second, a gigabit.
// Without it they would measure how fast this machine speaks to itself.
var link = &line{perSecond: 100 << 20}

type line struct {
	mu        sync.Mutex
	perSecond float64
	free      time.Time // when all that was sent is through
}

// wait returns when n more bytes may be sent.
func (l *line) wait(n int) {
	l.mu.Lock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / l.perSecond * float64(time.Second)))
	until := l.free
	l.mu.Unlock()
	time.Sleep(time.Until(until))
}

// hold reads until the peer ends the connection.
func hold(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// states are all that a connection can be in.
var states = []struct {
	name string
	do   func(ctx context.Context, conn net.Conn, pages bool)
}{
	{"silent", func(_ context.Context, conn net.Conn, _ bool) { hold(conn) }},
	{"slow head", func(ctx context.Context, conn net.Conn, pages bool) {
		drip(ctx, conn, head(pages, "Content-Length: 10"))
	}},
	{"slow body", func(ctx context.Context, conn net.Conn, pages bool) {
		send(conn, head(pages, "Content-Length: 1000000"), 0)
		drip(ctx, conn, strings.Repeat("x", 1000))
	}},
	{"nearly whole form", func(_ context.Context, conn net.Conn, pages bool) {
		send(conn, head(pages, "Content-Length: 1000000"), 999_999)
		hold(conn)
	}},
	{"slow small body", func(ctx context.Context, conn net.Conn, pages bool) {
		send(conn, head(pages, "Content-Length: 40000"), 39000)
		drip(ctx, conn, strings.Repeat("x", 1000))
	}},
	{"nearly whole body", func(_ context.Context, conn net.Conn, pages bool) {
		send(conn, head(pages, "Content-Length: 16777216", claims()), 16777215)
		hold(conn)
	}},
	{"oversized", func(_ context.Context, conn net.Conn, pages bool) {
		send(conn, head(pages, "Content-Length: 1000000000", claims()), 64<<20)
		hold(conn)
	}},
	{"endless chunks", func(ctx context.Context, conn net.Conn, pages bool) {
		send(conn, head(pages, "Transfer-Encoding: chunked", claims()), 0)
		for ctx.Err() == nil {
			if _, err := io.WriteString(conn, "400\r\n"+strings.Repeat("x", 1024)+"\r\n"); err != nil {
				return
			}
			wait(ctx, 10*time.Millisecond)
		}
	}},
	{"unsigned", func(_ context.Context, conn net.Conn, pages bool) {
		send(conn, head(pages, "Content-Length: 16000000"), 16000000)
		hold(conn)
	}},
	{"gzip bomb", func(_ context.Context, conn net.Conn, pages bool) {
		send(conn, head(pages, fmt.Sprintf("Content-Length: %d", len(bomb)), "Content-Encoding: gzip", claims())+bomb, 0)
		_, _ = http1(conn)
	}},
	{"slow upload", func(ctx context.Context, conn net.Conn, _ bool) {
		send(conn, "PUT /honest/hostile HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n", 1000)
		drip(ctx, conn, strings.Repeat("x", 1000))
	}},
	{"slow form", func(ctx context.Context, conn net.Conn, _ bool) {
		send(conn, "POST /honest HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n"+
			"--b\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\n", 15000)
		drip(ctx, conn, strings.Repeat("x", 1000))
	}},
	{"asks and goes", func(_ context.Context, conn net.Conn, _ bool) {
		send(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 0)
	}},
}

// http1 reads one line of an answer.
func http1(conn net.Conn) (string, error) {
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	return bufio.NewReader(conn).ReadString('\n')
}

// bomb is small, and large when it is unpacked.
var bomb = func() string {
	var b bytes.Buffer
	zip(&b, 64<<20)
	return b.String()
}()
