package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"pressroom/dynamo"
	"pressroom/dynamo/dynamobench"
	"pressroom/dynamo/wire"
	"pressroom/internal/errs"
)

// benchCmd measures the stores.
type benchCmd struct {
	Dynamo benchDynamoCmd `cmd:"" help:"Measure DynamoDB endpoints over HTTP."`
	Scale  benchScaleCmd  `cmd:"" help:"Measure what tables of different sizes cost to open and read, in process."`
	Blob   benchBlobCmd   `cmd:"" help:"Measure an S3 store: puts, gets, lists."`
	Search benchSearchCmd `cmd:"" help:"Measure the search index: building it, and the usual queries."`
	Serve  benchServeCmd  `cmd:"" hidden:"" help:"Serve one of the targets; run by bench itself."`
}

// benchDynamoCmd compares DynamoDB endpoints.
type benchDynamoCmd struct {
	Target  []string      `setting:"-" default:"pressroom,bare" placeholder:"NAME[=URL]" help:"What to measure: pressroom, bare (net/http, encoding/json and Pebble with nothing around them), or NAME=URL of a running server."`
	Clients []int         `setting:"-" default:"1,16,64" help:"Numbers of concurrent connections."`
	For     time.Duration `setting:"-" default:"2s" help:"How long each cell is measured."`
	Items   int           `setting:"-" default:"10000" help:"Items in the table before."`
	Only    []string      `setting:"-" sep:"none" help:"Only the workload of this name; may be repeated."`
	Dir     string        `setting:"-" placeholder:"DIR" help:"Keep the measured stores below this directory while measuring; default a temporary one."`
	JSON    bool          `setting:"-" name:"json" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (benchDynamoCmd) Help() string {
	return `Each target does the same requests over the same connections; writes are on disk when
they are answered. Compare targets within one run only: machines differ and have moods.

  pressroom bench dynamo --target pressroom --target bare --target local=http://127.0.0.1:8000`
}

// Run starts what it is to measure, measures, and prints one table.
func (c *benchDynamoCmd) Run(r *run) (err error) {
	dir, err := os.MkdirTemp(c.Dir, "pressroom-bench-")
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot make a directory for the measured stores: %v", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var targets []dynamobench.Target
	for _, name := range c.Target {
		t, stop, err := startTarget(r.ctx, name, dir, r.Stderr)
		if err != nil {
			return err
		}
		defer stop()
		targets = append(targets, t)
	}
	results, err := dynamobench.Run(r.ctx, targets, dynamobench.Options{
		Clients: c.Clients, For: c.For, Items: c.Items, Only: c.Only, Progress: r.Stderr,
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(r.Stdout).Encode(results)
	}
	return dynamobench.Print(r.Stdout, results)
}

// benchScaleCmd compares tables of different sizes.
type benchScaleCmd struct {
	Items []int  `setting:"-" default:"1000,1000000" help:"Sizes of the tables."`
	Dir   string `setting:"-" placeholder:"DIR" help:"Keep the tables below this directory while measuring; default a temporary one."`
	JSON  bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Run fills and measures one table after the other.
func (c *benchScaleCmd) Run(r *run) (err error) {
	dir, err := os.MkdirTemp(c.Dir, "pressroom-bench-")
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot make a directory for the tables: %v", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	results, err := dynamobench.Scale(r.ctx, dir, c.Items, r.Stderr)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(r.Stdout).Encode(results)
	}
	return dynamobench.PrintScale(r.Stdout, results)
}

// startTarget resolves NAME=URL, or runs this program again as the server, so
// that client and server share no memory.
func startTarget(ctx context.Context, name, dir string, stderr io.Writer) (dynamobench.Target, func(), error) {
	if name, url, ok := strings.Cut(name, "="); ok {
		return dynamobench.Target{Name: name, Endpoint: url}, func() {}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return dynamobench.Target{}, nil, errs.Wrap(err, errs.Unavailable, "cannot find this program to run it again: %v", err)
	}
	store, err := os.MkdirTemp(dir, name+"-")
	if err != nil {
		return dynamobench.Target{}, nil, err
	}
	cmd := exec.CommandContext(ctx, self, "bench", "serve", name, store)
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return dynamobench.Target{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return dynamobench.Target{}, nil, errs.Wrap(err, errs.Unavailable, "cannot start %s: %v", name, err)
	}
	stop := func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	var url string
	if _, err := fmt.Fscanln(out, &url); err != nil {
		stop()
		return dynamobench.Target{}, nil, errs.Wrap(err, errs.Unavailable, "the server to measure, %s, did not start; known are pressroom and bare, others are given as NAME=URL", name)
	}
	return dynamobench.Target{Name: name, Endpoint: url, PID: cmd.Process.Pid}, stop, nil
}

// benchServeCmd is the process that startTarget runs.
type benchServeCmd struct {
	Name string `arg:""`
	Dir  string `arg:""`
}

// Run serves until it is killed; its first line of output is its address.
func (c *benchServeCmd) Run(r *run) error {
	var h http.Handler
	switch c.Name {
	case "pressroom":
		db, err := dynamo.Open(c.Dir, nil)
		if err != nil {
			return err
		}
		h = wire.New(db, nil)
	case "bare":
		bare, err := dynamobench.OpenBare(c.Dir)
		if err != nil {
			return err
		}
		h = bare
	default:
		return errs.New(errs.Usage, "no server is called %s", c.Name)
	}
	listener, err := new(net.ListenConfig).Listen(r.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout, "http://%s\n", listener.Addr())
	srv := &http.Server{Handler: h, ReadHeaderTimeout: readHeaderTimeout}
	return srv.Serve(wire.NewLane(listener, h))
}
