package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"pressroom/internal/errs"
	"pressroom/internal/search/embedded"
	"pressroom/internal/search/searchbench"
)

// benchSearchCmd measures the embedded search index.
type benchSearchCmd struct {
	Docs    int    `setting:"-" default:"100000" help:"Documents in the index."`
	Queries int    `setting:"-" default:"200" help:"Queries of each kind."`
	Dir     string `setting:"-" placeholder:"DIR" help:"Keep the index below this directory while measuring; default a temporary one."`
	JSON    bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (benchSearchCmd) Help() string {
	return `The documents are made up, the same ones every time: Japanese and English, some 300
letters each, words as unequal as in real text. A million takes a few gigabytes.`
}

// Run builds an index, measures searches, and removes it.
func (c *benchSearchCmd) Run(r *run) (err error) {
	if c.Docs < 1 || c.Queries < 1 {
		return errs.New(errs.Usage, "--docs and --queries must be at least 1")
	}
	dir, err := os.MkdirTemp(c.Dir, "pressroom-bench-")
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot make a directory for the index: %v", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	x, err := embedded.Open(dir, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	report, err := searchbench.Run(r.ctx, x, searchbench.Options{
		Docs: c.Docs, Queries: c.Queries,
		Progress: func(format string, args ...any) { fmt.Fprintf(r.Stderr, format+"\n", args...) },
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(r.Stdout).Encode(report)
	}
	return report.Print(r.Stdout)
}
