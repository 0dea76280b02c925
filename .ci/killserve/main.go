// Command killserve proves that "pressroom serve" loses nothing that it has
// acknowledged. It puts load from all desks through the JSON API, remembers every
// answer, kills the process with SIGKILL at random moments, has "pressroom check"
// look at what is left, starts it again, and asks for all that was acknowledged.
//
//	go build -o pressroom ./cmd/pressroom
//	go run ./.ci/killserve -pressroom ./pressroom -rounds 100
//
// With -steady it kills nothing, and watches the memory of the program under an even load
// of all kinds instead; see steady.go.
//
// What was asked for and not answered when the process died may have happened or
// not; what is asked for a second time with the same Idempotency-Key happens once.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"time"
)

func main() {
	log.SetFlags(log.Ltime)
	binary := flag.String("pressroom", "pressroom", "the program")
	rounds := flag.Int("rounds", 100, "how often it is killed")
	least := flag.Duration("least", 200*time.Millisecond, "the least time under load")
	most := flag.Duration("most", 2500*time.Millisecond, "the most time under load")
	dir := flag.String("data", "", "a new data directory; a temporary one by default")
	lasting := flag.Duration("steady", 0, "instead of killing it, watch its memory this long under even load")
	rate := flag.Int("rate", 30, "requests a second of the even load")
	flag.Parse()
	addr, awsAddr = freeAddr(), freeAddr()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	w := newWorld()
	defer w.close()
	err := inDirectory(*dir, func(dir string) error {
		p := &program{binary: *binary, dir: dir, world: w}
		if *lasting > 0 {
			return steady(ctx, p, *lasting, *rate)
		}
		return run(ctx, p, *rounds, *least, *most)
	})
	if err != nil {
		log.Fatal(err)
	}
}

// freeAddr is an address that nobody serves on: the same all the time, so that the
// program can come back to it.
func freeAddr() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// inDirectory calls do with a directory, which is removed then if it is a temporary one.
func inDirectory(dir string, do func(dir string) error) error {
	if dir != "" {
		return do(dir)
	}
	scratch, err := os.MkdirTemp("", "killserve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	return do(filepath.Join(scratch, "data"))
}

func run(ctx context.Context, p *program, rounds int, least, most time.Duration) error {
	l, err := prepare(ctx, p)
	if err != nil {
		return err
	}
	for round := 1; round <= rounds; round++ {
		if err := killOnce(ctx, p, l, least+rand.N(most-least+1)); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		log.Printf("round %d of %d: %s", round, rounds, l)
	}
	if err := p.start(ctx); err != nil {
		return err
	}
	defer p.kill()
	if err := l.verify(ctx, true); err != nil {
		return fmt.Errorf("at the end: %w", err)
	}
	if err := l.settle(ctx); err != nil {
		return err
	}
	if err := p.check(ctx); err != nil { // by the process that serves
		return fmt.Errorf("at the end: %w", err)
	}
	log.Printf("killed %d times; nothing acknowledged was lost: %s", rounds, l)
	return nil
}

// killOnce starts the program, asks for what it acknowledged, puts load on it,
// kills it and checks what is left.
func killOnce(ctx context.Context, p *program, l *load, under time.Duration) error {
	if err := p.start(ctx); err != nil {
		return err
	}
	if err := l.verify(ctx, false); err != nil {
		p.kill()
		return err
	}
	loaded, end := context.WithCancel(ctx)
	var workers sync.WaitGroup
	failed := make(chan error, len(l.desks))
	for _, d := range l.desks {
		workers.Go(func() {
			if err := d.work(loaded, l); err != nil {
				failed <- err
			}
		})
	}
	time.Sleep(under)
	l.dying.Store(true)
	p.kill()
	end()
	workers.Wait()
	l.dying.Store(false)
	select {
	case err := <-failed:
		return err
	default:
	}
	return p.check(ctx)
}

// program is the pressroom under test.
type program struct {
	binary, dir string
	world       *world
	cmd         *exec.Cmd
	stderr      bytes.Buffer
}

// addr and awsAddr are where it serves.
var addr, awsAddr string

func (p *program) flags(args ...string) []string {
	return append(args, "--data="+p.dir, "--config="+os.DevNull)
}

// start begins to serve and waits until it is ready.
func (p *program) start(ctx context.Context) error {
	p.stderr.Reset()
	p.cmd = exec.CommandContext(ctx, p.binary, p.flags("serve", "--addr="+addr, "--aws-addr="+awsAddr, "--rate-limit=0", "--log-level=warn",
		"--minutes-url="+p.world.url, "--minutes-pause=1ms", "--minutes-consumers=2", "--prompt-tokens=4000",
		"--crawl-allow="+p.world.host, "--crawl-contact=mailto:desk@example.org")...)
	p.cmd.Stderr = &p.stderr
	if err := p.cmd.Start(); err != nil {
		return err
	}
	return until(ctx, 2*time.Minute, "the program is ready", func() bool { return get("/readyz", "") == 200 })
}

// kill is kill -9.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
}

// command runs another command of the program, which must succeed.
func (p *program) command(ctx context.Context, input string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.binary, p.flags(args...)...)
	cmd.Stdin = bytes.NewBufferString(input)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("pressroom %s: %w\n%s%s", args[0], err, out.String(), problems.String())
	}
	return out.String(), nil
}

// check lets the program verify its data.
func (p *program) check(ctx context.Context) error {
	_, err := p.command(ctx, "", "check")
	return err
}

func until(ctx context.Context, limit time.Duration, what string, holds func() bool) error {
	for deadline := time.Now().Add(limit); ; time.Sleep(10 * time.Millisecond) {
		switch {
		case holds():
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Now().After(deadline):
			return fmt.Errorf("it never came to be that %s", what)
		}
	}
}
