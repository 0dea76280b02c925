// Package local is the stand-in for AWS: the tables and the objects, on one port, and
// nothing else. The command pressroom-local is this package, and so is "pressroom
// local".
//
// It promises that what it acknowledged stays in its data directory, which one process
// at a time has; that with --memory nothing is written to disk; and that it says where
// it is, on standard output, as soon as it answers there.
//
// Start with [Settings.Run], then stores.go for what is opened and endpoint.go for how
// it is served. datadir.go is the directory that all commands work on.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/setting"
)

// Settings are those of the stand-in.
type Settings struct {
	FileSettings
	Memory    bool     `help:"Keep everything in memory and nothing on disk, until it ends."`
	Template  []string `placeholder:"FILE" help:"Make the tables and buckets of these CloudFormation templates, JSON or YAML, that are not there yet."`
	Parameter []string `placeholder:"NAME=VALUE" help:"Parameters of those templates, where their defaults will not do."`
	Seed      []string `placeholder:"PATH" help:"Fill empty tables and buckets from these files and directories before serving."`
	EndpointSettings
	setting.Common
}

// Help is the text under the command's usage line.
func (Settings) Help() string {
	return `Point a program at it with AWS_ENDPOINT_URL=http://127.0.0.1:4566, or with the variable
that it uses for LocalStack; any credentials will do as long as none are set here.

Without credentials it serves programs on this machine and no web pages. With
--aws-access-key-id and --aws-secret-access-key it serves whoever signs with them, pages and other
machines included; --aws-tls-cert and --aws-tls-key keep what they send from being read on the way.

--template and --seed make and fill tables and buckets before it serves. With --memory, a POST to
/_pressroom/reset brings that state back, and one to /_pressroom/snapshot makes it the present one.

What is written stays in the data directory. Ctrl-C ends it.`
}

const (
	// RequestGrace is what running requests get once a server stops; the rest of
	// ShutdownLimit is the stores'.
	RequestGrace  = 8 * time.Second
	ShutdownLimit = 10 * time.Second
)

// Run serves until the context ends. Beside, if it is not nil, starts what else works
// on stores in a directory, and returns how that ends; it ends before the stores.
func (s *Settings) Run(ctx context.Context, p setting.Process, log *slog.Logger, beside func(*Stores) func() error) error {
	if err := s.check(); err != nil { // before anything is made
		return err
	}
	if s.Memory {
		st, err := openState(s.Credentials(), log)
		if err != nil {
			return err
		}
		return s.serve(ctx, p, log, st.stores, st, st.Close)
	}
	st, err := Open(s.StoreSettings, s.Credentials(), log)
	if err != nil {
		return err
	}
	ends := st.Close
	if beside != nil {
		also := beside(st)
		ends = func() error { return errors.Join(also(), st.Close()) }
	}
	return s.serve(ctx, p, log, st, nil, ends)
}

// serve fills the stores, serves them and ends them.
func (s *Settings) serve(ctx context.Context, p setting.Process, log *slog.Logger, st *Stores, memory *state, ends func() error) error {
	if err := s.fill(ctx, st, memory); err != nil {
		return errors.Join(err, ends())
	}
	end, err := serve(ctx, s.EndpointSettings, st, log, memory)
	if err != nil {
		return errors.Join(err, ends())
	}
	// The last line is what programs that start LocalStack wait for.
	fmt.Fprintf(p.Stdout, "DynamoDB and S3 on %s with data in %s. Ctrl-C stops it.\nReady.\n", end.URL(), s.where())
	var broken error
	select {
	case <-ctx.Done():
		log.Info("stopping; a second signal ends at once")
	case err := <-end.Failed():
		broken = fmt.Errorf("serve: %w", err)
	}
	return errors.Join(broken, Within(ShutdownLimit, func() error {
		return errors.Join(end.Stop(RequestGrace), ends())
	}))
}

// fill makes what the templates want, then puts the seeds in. What is in memory then is
// what a reset goes back to.
func (s *Settings) fill(ctx context.Context, st *Stores, memory *state) error {
	parameters := map[string]string{}
	for _, p := range s.Parameter {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return errs.New(errs.Usage, "--parameter is NAME=VALUE, not %q", p)
		}
		parameters[name] = value
	}
	for _, path := range s.Template {
		if err := st.applyTemplate(ctx, path, parameters); err != nil {
			return err
		}
	}
	for _, path := range s.Seed {
		if err := st.seed(ctx, path); err != nil {
			return err
		}
	}
	if memory != nil && len(s.Template)+len(s.Seed) > 0 {
		return memory.Snapshot()
	}
	return nil
}

func (s *Settings) where() string {
	if s.Memory {
		return "memory"
	}
	return s.Data
}

// Within returns after limit whatever fn does. What was acknowledged is on disk
// by then, so that leaving a store unclosed costs the next start some work and
// nothing else.
func Within(limit time.Duration, fn func() error) error {
	done := make(chan error, 1)
	go func() { done <- fn() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return fmt.Errorf("shutdown took longer than %s and was left unfinished; nothing acknowledged is lost", limit)
	}
}

// name is the program that is nothing else.
const name = "pressroom-local"

// program is the command line of it.
type program struct {
	Settings
	ShowHelp bool `name:"help" short:"h" setting:"-" help:"Show help."`
	Version  bool `setting:"-" help:"Print the version."`
}

// Main runs the program and returns its exit status.
func Main() int { return setting.Main(Run) }

// Run executes one command line and returns the exit status.
func Run(ctx context.Context, p setting.Process) int {
	var own program
	flags := setting.NewFlags(name, "DynamoDB and S3 on one port: a stand-in for AWS.\n\n"+own.Help(), &own, map[string]string{"data": "./pressroom-data"})
	return flags.Report(p.Stderr, own.run(ctx, p, flags))
}

func (own *program) run(ctx context.Context, p setting.Process, flags *setting.Flags) error {
	src := setting.NewSources(p.Environ)
	if err := flags.Parse(p.Args, src); err != nil {
		return err
	}
	switch {
	case own.ShowHelp:
		flags.Usage(p.Stdout)
		return nil
	case own.Version:
		_, err := fmt.Fprintln(p.Stdout, setting.ThisBuild())
		return err
	}
	log := own.Logger(p.Stderr)
	for _, warning := range src.Unknown(flags.Keys()) {
		log.Warn(warning)
	}
	return own.Settings.Run(ctx, p, log, nil)
}
