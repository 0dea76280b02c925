package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/search/embedded"
	"pressroom/internal/search/searchbench"
)

// benchSearchCmd measures the embedded search index.
type benchSearchCmd struct {
	Docs    int      `setting:"-" default:"100000" help:"Documents in the index."`
	Queries int      `setting:"-" default:"200" help:"Queries of each kind."`
	Only    []string `setting:"-" sep:"none" help:"Only the kind of query of this name; may be repeated."`
	Dir     string   `setting:"-" placeholder:"DIR" help:"Make the index below this directory; default a temporary one."`
	Keep    bool     `setting:"-" help:"Keep the index in --dir itself, and take it from there if it is there."`
	Profile string   `setting:"-" placeholder:"FILE" help:"Write a processor profile."`
	JSON    bool     `setting:"-" name:"json" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (benchSearchCmd) Help() string {
	return `The documents are made up, the same ones every time: Japanese and English, some 300
letters each, words as unequal as in real text. A million takes a few gigabytes.

Queries are asked one after the other. Beside the time by the clock there is what they used of
a processor, which is the same whatever else the machine does.

  pressroom bench search --docs 1000000 --dir DIR --keep`
}

// Run builds an index, measures searches, and removes it.
func (c *benchSearchCmd) Run(r *run) (err error) {
	if c.Docs < 1 || c.Queries < 1 {
		return errs.New(errs.Usage, "--docs and --queries must be at least 1")
	}
	if c.Keep && c.Dir == "" {
		return errs.New(errs.Usage, "--keep needs --dir")
	}
	dir := c.Dir
	if !c.Keep {
		if dir, err = os.MkdirTemp(c.Dir, "pressroom-bench-"); err != nil {
			return errs.Wrap(err, errs.Unavailable, "cannot make a directory for the index: %v", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	begun := time.Now()
	x, err := embedded.Open(dir, nil)
	if err != nil {
		return err
	}
	opened := time.Since(begun)
	defer func() { err = errors.Join(err, x.Close()) }()
	stop, err := profile(c.Profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	report, err := searchbench.Run(r.ctx, x, searchbench.Options{
		Docs: c.Docs, Queries: c.Queries, Only: c.Only,
		Progress: func(format string, args ...any) { fmt.Fprintf(r.Stderr, format+"\n", args...) },
	})
	if err != nil {
		return err
	}
	report.Open = opened
	if c.JSON {
		return json.NewEncoder(r.Stdout).Encode(report)
	}
	return report.Print(r.Stdout)
}

// profile writes a processor profile until it is stopped; none without a name.
func profile(name string) (stop func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(name) //nolint:gosec // the file that was asked for
	if err != nil {
		return nil, errs.Wrap(err, errs.Unavailable, "cannot write the profile: %v", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}
