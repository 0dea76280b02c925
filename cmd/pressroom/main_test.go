//go:build unix

package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These tests run the program as a process, as its users do. By default the
// process is this test binary, which then behaves as pressroom; -binary points
// them at a built one.
var binary = flag.String("binary", "", "test this pressroom binary instead of the package under test")

// actAsPressroom is set for a child that should be pressroom and not a test.
const actAsPressroom = "ACT_AS_PRESSROOM"

func TestMain(m *testing.M) {
	if os.Getenv(actAsPressroom) != "" {
		main()
	}
	flag.Parse()
	os.Exit(m.Run())
}

// limit is how long anything may take before a test gives up; only a broken
// program comes near it.
const limit = 5 * time.Minute

// command returns the program, ready to start in an empty directory.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path := *binary
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		path = self
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = t.TempDir()
	// What the person who runs the tests has set is not what is tested.
	foreign := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PRESSROOM_") })
	cmd.Env = append(foreign, actAsPressroom+"=1")
	return cmd
}

// finish runs cmd to its end.
func finish(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	timer := time.AfterFunc(limit, func() {
		if cmd.Process != nil {
			cmd.Process.Kill()
		}
	})
	defer timer.Stop()
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// process is a running pressroom demo.
type process struct {
	*exec.Cmd
	url    string
	banner string
	stderr *bytes.Buffer
	done   chan error
}

// start runs "pressroom demo" on a free port and waits until it says that it
// runs.
func start(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: cmd, stderr: new(bytes.Buffer), done: make(chan error, 1)}
	cmd.Stderr = p.stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	banner := make(chan string, 1)
	go func() {
		defer close(banner)
		var text strings.Builder
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			fmt.Fprintln(&text, lines.Text())
			if strings.Contains(lines.Text(), "Ctrl-C") {
				banner <- text.String()
			}
		}
		p.done <- cmd.Wait()
	}()
	select {
	case p.banner = <-banner:
	case <-time.After(limit):
		t.Fatal("pressroom did not start in time")
	}
	for field := range strings.FieldsSeq(p.banner) {
		if strings.HasPrefix(field, "http://") {
			p.url = strings.TrimSuffix(field, "/")
			return p
		}
	}
	t.Fatalf("pressroom does not say where to look: %q, stderr %s", p.banner, p.stderr)
	return nil
}

func startDemo(t *testing.T, args ...string) *process {
	t.Helper()
	return start(t, command(t, append([]string{"demo", "--addr=127.0.0.1:0", "--aws-addr=127.0.0.1:0"}, args...)...))
}

// wait returns how the process ended.
func (p *process) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(limit):
		t.Fatal("pressroom did not end")
	}
	return nil
}

func (p *process) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := p.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

func status(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestDemo(t *testing.T) {
	t.Parallel()
	p := startDemo(t)
	for path, want := range map[string]string{"/healthz": `"ok"`, "/readyz": `"ready"`, "/": "Pressroom"} {
		if code, body := status(t, p.url+path); code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s answers %d %s", path, code, body)
		}
		if !strings.Contains(p.banner, p.url+path) {
			t.Errorf("the banner does not mention %s:\n%s", path, p.banner)
		}
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "pressroom-demo")); err != nil {
		t.Errorf("demo keeps its data elsewhere: %v", err)
	}
	p.signal(t, syscall.SIGTERM)
	if err := p.wait(t); err != nil {
		t.Errorf("ended with %v; stderr %s", err, p.stderr)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://")); err == nil {
		t.Error("the port is still open")
	}
}

func TestInterruptEndsIt(t *testing.T) {
	t.Parallel()
	p := startDemo(t)
	p.signal(t, os.Interrupt)
	if err := p.wait(t); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// drain sends a first signal to a demo with the longest drain there is, and returns
// when /readyz says that it stops.
func drain(t *testing.T) *process {
	t.Helper()
	p := startDemo(t, "--drain=5s")
	p.signal(t, syscall.SIGTERM)
	for {
		code, body := status(t, p.url+"/readyz")
		if code == 503 && strings.Contains(body, "stopping") {
			return p
		}
		if code != 200 {
			t.Fatalf("/readyz answers %d %s", code, body)
		}
	}
}

func TestNotReadyWhileDraining(t *testing.T) {
	t.Parallel()
	p := drain(t)
	if code, _ := status(t, p.url+"/healthz"); code != 200 {
		t.Errorf("/healthz answers %d while draining", code)
	}
	if err := p.wait(t); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	p := drain(t)
	p.signal(t, syscall.SIGTERM)
	if err := p.wait(t); err == nil {
		t.Error("it ended as if there had been one signal")
	}
}

func TestNonsense(t *testing.T) {
	stdout, stderr, code := finish(t, command(t, "nonsense"))
	if code != 2 || stdout != "" || !strings.Contains(stderr, "did you mean") {
		t.Errorf("exit status %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// sentence fails the test unless the run ended with status 1 and exactly the
// sentence on stderr.
func sentence(t *testing.T, cmd *exec.Cmd, want string) {
	t.Helper()
	stdout, stderr, code := finish(t, cmd)
	if code != 1 || stdout != "" || stderr != "pressroom: "+want+"\n" {
		t.Errorf("exit status %d, stdout %q, stderr\n got %swant pressroom: %s", code, stdout, stderr, want)
	}
}

func TestPortInUse(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	addr := listener.Addr().String()
	sentence(t, command(t, "serve", "--addr="+addr),
		"address "+addr+" is in use by another program; stop that one, or choose another address with --addr")
}

func TestDataDirectoryInUse(t *testing.T) {
	p := startDemo(t)
	dir := filepath.Join(p.Dir, "pressroom-demo")
	sentence(t, command(t, "serve", "--addr=127.0.0.1:0", "--data="+dir),
		fmt.Sprintf("data directory %s is in use by another pressroom (process %d); stop that one, or choose another directory with --data", dir, p.Process.Pid))
	// A killed holder holds nothing.
	p.signal(t, os.Kill)
	if err := p.wait(t); err == nil {
		t.Error("a killed process ended well")
	}
	second := start(t, command(t, "demo", "--addr=127.0.0.1:0", "--aws-addr=127.0.0.1:0", "--data="+dir))
	second.signal(t, syscall.SIGTERM)
	if err := second.wait(t); err != nil {
		t.Errorf("after a kill: %v", err)
	}
}

func TestDataDirectoryUnreadable(t *testing.T) {
	for _, mode := range []os.FileMode{0, 0o500, 0o300} {
		cmd := command(t, "serve", "--addr=127.0.0.1:0", "--data=data")
		if err := os.Mkdir(filepath.Join(cmd.Dir, "data"), mode); err != nil {
			t.Fatal(err)
		}
		asOrdinaryUser(t, cmd)
		sentence(t, cmd, "data directory data cannot be read and written by this user; change its permissions, or choose another with --data")
	}
}
