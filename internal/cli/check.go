package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/internal/local"
	"pressroom/internal/ops"
	"pressroom/internal/ops/backup"
	"pressroom/internal/search/embedded"
	"pressroom/model"
	"pressroom/model/deploy"
)

// checkCmd verifies everything that must always hold.
type checkCmd struct {
	targetSettings
	commonSettings
	nameSettings
	JSON bool `name:"json" setting:"-" help:"Print JSON, one finding a line."`
}

// Help is the text under the command's usage line.
func (checkCmd) Help() string {
	return `Every row, index entry, change record and object is read, and every file of the tables, the
objects and the search index: whether it can be decoded, is where it belongs and has the
content that was written; whether tables, indexes and buckets are those of the design; and
what each desk promises of its data. A part that cannot be opened does not keep the others
from being read. A pressroom that serves the directory makes the checks itself, while it
serves. Nothing is changed.

With --store aws the design and the desks' promises are checked: what tables and buckets are
made of is the services' own business. The credentials must allow to scan the tables.

Items that another program wrote, and that nobody has taken over yet, are named and are no
damage.

The exit status is 1 if anything is wrong.`
}

// checkLine is one line of a check that another process makes.
type checkLine struct {
	Finding *ops.Finding `json:"finding,omitempty"`
	// Progress is how far it is.
	Progress *checkProgress `json:"progress,omitempty"`
	Done     bool           `json:"done,omitempty"`
	Error    string         `json:"error,omitempty"`
}

// Run makes the checks and prints the findings as they come.
func (c *checkCmd) Run(r *run) error {
	found, foreign := 0, 0
	damaged := map[string]bool{}
	var made []string // the checks
	show := newLineProgress(r.Stderr)
	err := c.check(r, func(f ops.Finding) {
		if f.Foreign {
			foreign++
		} else {
			found++
			damaged[f.Check] = true
		}
		show.clear()
		c.print(r.Stdout, f)
	}, func(p checkProgress) {
		if !slices.Contains(made, p.Check) {
			made = append(made, p.Check)
		}
		show.tell(p)
	})
	show.clear()
	if err != nil {
		return ignoreCanceled(r.ctx, err)
	}
	if foreign > 0 {
		fmt.Fprintf(r.Stderr, "%d items of other programs wait to be taken over; they are not damaged.\n", foreign)
	}
	if found > 0 {
		sound := slices.DeleteFunc(made, func(name string) bool { return damaged[name] })
		if len(sound) > 0 {
			fmt.Fprintf(r.Stderr, "Nothing was found in: %s.\n", strings.Join(sound, ", "))
		}
		return errs.New(errs.Invalid, "%d findings", found)
	}
	if !c.JSON && foreign == 0 {
		fmt.Fprintln(r.Stdout, "no findings")
	}
	return nil
}

// check makes the checks where the data are.
func (c *checkCmd) check(r *run, report func(ops.Finding), tell func(checkProgress)) error {
	log := r.logger(c.commonSettings)
	if !c.remote() {
		if _, err := os.Stat(c.Data); err != nil {
			return errs.Wrap(err, errs.NotFound, "there is no data directory %s; name one with --data", c.Data)
		}
	}
	st, err := c.open(r.ctx, endpointSettings{}, log)
	if errors.Is(err, local.ErrHeld) {
		return checkByServer(r.ctx, c.Data, c.names(), report, tell)
	}
	if err != nil && !c.remote() {
		return c.checkParts(r, err, log, report, tell)
	}
	if err != nil {
		return err
	}
	if st.remote() {
		fmt.Fprintln(r.Stderr, "The services' own storage is not checked, only what is kept in it.")
	}
	return errors.Join(st.check(r.ctx, c.names(), report, tell), st.Close())
}

// restoreFix is what to do about a part that cannot be opened.
const restoreFix = "keep a copy of the data directory, then restore the last backup that verifies: pressroom restore"

// checkParts makes the checks of a directory that cannot be opened as a whole: each
// part by itself, as far as that goes. If all parts can be opened, whole is the
// error.
func (c *checkCmd) checkParts(r *run, whole error, log *slog.Logger, report func(ops.Finding), tell func(checkProgress)) error {
	keys, err := local.LoadKeys(c.KeyFile)
	if err != nil {
		return err
	}
	dir, err := local.OpenDir(c.Data)
	if err != nil {
		return err
	}
	// What a newer version wrote, or a restore has not finished, is not touched.
	err = backup.Ready(r.ctx, c.Data, r.readying(nil))
	if errors.Is(err, errs.Unavailable) || errors.Is(err, errs.Conflict) {
		return errors.Join(err, dir.Close())
	}
	st := &store{log: log, searchDir: searchDirOf(c.storeSettings)}
	broken := false
	var checkers []ops.NamedChecker
	add := func(part string, open func() error, check ops.CheckFunc) {
		err := open()
		if broken = broken || err != nil; err != nil {
			check = func(_ context.Context, report func(ops.Finding)) error {
				report(ops.Finding{What: oneLine(errs.Message(err)), Fix: restoreFix})
				return nil
			}
		}
		checkers = append(checkers, ops.NamedChecker{Name: part, Checker: check})
	}
	add(backup.Tables, func() error { return st.openTables(c.Data, &dynamo.Options{Keys: keys, Logger: log, SweepEvery: -1}) }, st.checkTables)
	add(backup.Objects, func() error { return st.openObjects(c.Data, &blob.Options{Keys: keys, Log: log, SweepEvery: -1}) }, st.checkObjects)
	if !broken {
		return errors.Join(whole, st.Close(), dir.Close())
	}
	checkers = append(checkers, ops.NamedChecker{Name: "search", Checker: ops.CheckFunc(st.checkIndex)})
	return errors.Join(ops.Check(r.ctx, report, (&watched{tell: tell}).watch(checkers)...), st.Close(), dir.Close())
}

// oneLine is the first line of a message.
func oneLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func (c *checkCmd) print(w io.Writer, f ops.Finding) {
	if !c.JSON {
		fmt.Fprintln(w, f)
		return
	}
	_ = json.NewEncoder(w).Encode(f) // a closed stdout is noticed nowhere else either
}

// checkByServer lets the process that has the directory open make the checks.
func checkByServer(ctx context.Context, data string, names tableNames, report func(ops.Finding), tell func(checkProgress)) (err error) {
	res, err := callControl(ctx, data, "/check", names)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	in := json.NewDecoder(res.Body)
	for {
		var line checkLine
		if err := in.Decode(&line); err != nil {
			return errs.Wrap(err, errs.Unavailable, "the serving pressroom ended before the check did")
		}
		switch {
		case line.Finding != nil:
			report(*line.Finding)
		case line.Progress != nil:
			tell(*line.Progress)
		case line.Error != "":
			return errs.New(errs.Unavailable, "the check could not be made to its end: %s", line.Error)
		case line.Done:
			return nil
		}
	}
}

// check makes all checks of an open store, and tells how far it is. Those of the
// desks are made if the store is theirs, which one elsewhere has to be.
func (s *store) check(ctx context.Context, names tableNames, report func(ops.Finding), tell func(checkProgress)) error {
	schemas, err := names.schemas()
	if err != nil {
		return err
	}
	ours, err := s.anyTable(ctx, schemas)
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot look for the tables: %v", err)
	}
	if s.remote() && !ours {
		return errs.New(errs.NotFound, "the store has no table of the newsroom; make them with \"pressroom schema apply --store aws\"")
	}
	db := &watched{DB: s.db, tell: tell}
	var checkers []ops.NamedChecker
	if !s.remote() {
		checkers = append(checkers,
			ops.NamedChecker{Name: backup.Tables, Checker: ops.CheckFunc(s.checkTables)},
			ops.NamedChecker{Name: backup.Objects, Checker: ops.CheckFunc(s.checkObjects)},
			ops.NamedChecker{Name: "search", Checker: ops.CheckFunc(s.checkIndex)})
	}
	if ours {
		desks, err := deskCheckers(ctx, db, s.client, names, s.log)
		if err != nil {
			return err
		}
		checkers = append(checkers,
			ops.NamedChecker{Name: "schema", Checker: ops.CheckFunc(func(ctx context.Context, report func(ops.Finding)) error {
				return s.checkSchema(ctx, schemas, report)
			})},
			ops.NamedChecker{Name: "items", Checker: ops.SchemaChecker(db, schemas...)})
		checkers = append(checkers, desks...)
	}
	if s.remote() {
		for i := range checkers {
			checkers[i].Checker = confirmed{checkers[i].Checker, indexLag}
		}
	}
	return ops.Check(ctx, report, db.watch(checkers)...)
}

func (s *store) checkTables(ctx context.Context, report func(ops.Finding)) error {
	return s.tables.Verify(ctx, func(p dynamo.Problem) { report(ops.Finding{Where: p.Table, What: p.String(), Fix: p.Fix}) })
}

func (s *store) checkObjects(ctx context.Context, report func(ops.Finding)) error {
	return s.objects.Verify(ctx, func(p blob.Problem) {
		report(ops.Finding{Where: p.Bucket, What: p.String(), Fix: p.Fix})
	})
}

// checkIndex reads the search index: the one that is in use, or its files.
func (s *store) checkIndex(ctx context.Context, report func(ops.Finding)) error {
	tell := func(err error) {
		report(ops.Finding{What: oneLine(err.Error()), Fix: "nothing is lost: it is made again when the data are served, or with pressroom search rebuild"})
	}
	if verify := s.verifyIndex.Load(); verify != nil {
		return (*verify)(ctx, tell)
	}
	if s.searchDir == "" {
		return nil
	}
	return embedded.VerifyDir(s.searchDir, tell)
}

// checkSchema compares the tables and buckets that are there with the design.
func (s *store) checkSchema(ctx context.Context, schemas []model.Schema, report func(ops.Finding)) error {
	plan, err := deploy.Prepare(ctx, s.deploys(), schemas...)
	if err != nil {
		return err
	}
	for _, p := range plan.Problems {
		report(ops.Finding{What: p})
	}
	for _, step := range plan.Steps {
		report(ops.Finding{What: "not done yet: " + step.What, Fix: "pressroom schema apply"})
	}
	return nil
}

// anyTable reports whether a table of the schemas is there. A store that has none
// of them is new, or serves other programs.
func (s *store) anyTable(ctx context.Context, schemas []model.Schema) (bool, error) {
	pages := dynamodb.NewListTablesPaginator(s.db, &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return false, err
		}
		for i := range schemas {
			if slices.ContainsFunc(page.TableNames, func(name string) bool { _, ok := schemas[i].Table(name); return ok }) {
				return true, nil
			}
		}
	}
	return false, nil
}
