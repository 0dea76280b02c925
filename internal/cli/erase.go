package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/internal/thread"
	"pressroom/model"
)

// rightsSettings say where the register of erasures has a copy, and how long backups live.
type rightsSettings struct {
	ErasureRegister string `name:"erasure-register" hidden:"" placeholder:"FILE" help:"Keep a copy of the register of erasures in this file, beside the backups; there is always one in the data directory, and each backup brings it along."`
	BackupDays      int    `name:"backup-days" hidden:"" default:"35" placeholder:"N" help:"How many days you keep backups. The receipt of an erasure says when the last one that holds it is gone."`
}

// registers are the files that have a copy of every erasure. data is the data directory,
// "" if there is none.
func (s *rightsSettings) registers(data string) []string {
	var files []string
	if data != "" {
		files = append(files, filepath.Join(data, erase.RegisterName))
	}
	if s.ErasureRegister != "" {
		files = append(files, s.ErasureRegister)
	}
	return files
}

// erasures returns what was erased in a store. Desks are added to it.
func (n tableNames) erasures(db model.DB, objects *s3.Client, stories *story.Stories, o erase.Options) (*erase.Erasures, error) {
	var err error
	if o.Schemas, err = n.schemas(); err != nil {
		return nil, err
	}
	o.Table, o.Objects, o.Stories = n.table(erase.Schema), objects, stories
	ledger, err := deliver.New(db, &deliver.Options{Table: n.table(deliver.Schema)})
	if err != nil {
		return nil, err
	}
	o.Forget = func(ctx context.Context, ref story.Ref) error { return ledger.Forget(ctx, ref, erase.Sign) }
	accounts := auth.Schema.Named(n.of).Tables[0]
	// Who has an account here deletes it, and who they are goes with it.
	o.Leave = func(table string, item model.Raw) bool {
		if table != accounts.Name {
			return false
		}
		_, own := accounts.Identify(item)
		return own
	}
	return erase.New(db, o)
}

// mountErasures lets things be forgotten, before the desks that must not bring them back.
func mountErasures(_ context.Context, w *wiring) error {
	data := w.set.Data
	if w.store.remote() {
		data = ""
	}
	var err error
	w.erasures, err = w.set.names().erasures(w.tables, w.objects, w.stories, erase.Options{
		Registers: w.set.registers(data), BackupDays: w.set.BackupDays, Settle: w.settled, Log: w.log,
	})
	if err != nil {
		return err
	}
	w.site.erasures = w.erasures
	return w.ops.scheduler.Add(ops.Job{
		Name: "rights-erase", Doc: "Scrubs what is being erased from tables, objects and the search index.", Every: 15 * time.Second,
		Run: func(ctx context.Context, p *ops.Progress) error {
			done, found := 0, 0
			return w.erasures.Run(ctx, func(items, changed int) {
				p.Add(max(items-done, 0))
				p.Count("changed", changed-found)
				done, found = items, changed
			})
		},
	})
}

// settled returns when everybody who follows stories has heard of what was scrubbed. The
// index of this process is then made again: what it once held is in none of its files.
func (w *wiring) settled(ctx context.Context) error {
	for {
		waiting, _, err := w.stories.Backlog(ctx, 1)
		if err != nil {
			return err
		}
		heard := true
		if w.set.Run.has(workerDuty) { // it finds threads, or waits to
			if heard, err = w.stories.Heard(ctx, thread.ConsumerName); err != nil {
				return err
			}
		}
		if waiting == 0 && heard && (w.finding.feed == nil || w.finding.current(ctx)) {
			break
		}
		if err := model.Sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	if w.finding.feed != nil {
		w.finding.feed.Rebuild()
	}
	return nil
}

// eraseCmd forgets.
type eraseCmd struct {
	Story  eraseOneCmd  `cmd:"" help:"Erase a story, such as blog/01J8Z3."`
	Page   eraseOneCmd  `cmd:"" help:"Erase a page of another site, which is not kept again."`
	Site   eraseOneCmd  `cmd:"" help:"Erase a site with all its articles, and do not crawl it again."`
	Person eraseOneCmd  `cmd:"" help:"Erase a person's name, wherever it is written."`
	List   eraseListCmd `cmd:"" help:"List what was erased."`
}

// eraseOneCmd erases one thing. Which command it is says what.
type eraseOneCmd struct {
	What string `arg:"" help:"What to erase."`
	targetSettings
	nameSettings
	commonSettings
	rightsSettings
	Why  string `setting:"-" required:"" help:"Why; it is on record."`
	Yes  bool   `setting:"-" help:"It cannot be undone; without this, nothing is done."`
	JSON bool   `name:"json" setting:"-" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (eraseOneCmd) Help() string {
	return `It is scrubbed from tables and objects at once. Recovery and backups hold it until the dates
that are printed. The register of erasures, of which a copy belongs beside the backups, has
keys and digests, and no name. See docs/rights.md.

A pressroom that serves the data directory erases by its own pages and JSON.`
}

// Run erases, and prints the receipt.
func (c *eraseOneCmd) Run(r *run) error {
	kind := erase.Kind(r.parsed.Selected().Name)
	if !c.Yes {
		return errs.New(errs.Usage, "erase %s %q for good? Say --yes", kind, c.What)
	}
	log := r.logger(c.commonSettings)
	st, err := c.open(r.ctx, endpointSettings{}, log)
	if err != nil {
		return err
	}
	e, err := c.erasures(r, st)
	if err != nil {
		return errors.Join(err, st.Close())
	}
	one, err := e.Begin(r.ctx, erase.Subject{Kind: kind, Text: c.What}, "command line", c.Why)
	if err == nil {
		err = e.Run(r.ctx, nil)
	}
	if err == nil {
		one, err = e.Get(r.ctx, one.ID)
	}
	if err := errors.Join(err, st.Close()); err != nil {
		return ignoreCanceled(r.ctx, err)
	}
	if c.JSON {
		return indented(r.Stdout, one)
	}
	_, err = fmt.Fprintf(r.Stdout, "Erased: %d items and objects were changed. Receipt %s.\nRecovery holds it until %s, backups until %s at the latest.\n",
		one.Changed, one.ID, day(one.Recovery), day(one.Backups))
	return err
}

func day(stamp string) string { return strings.SplitN(stamp, "T", 2)[0] }

func (c *eraseOneCmd) erasures(r *run, st *store) (*erase.Erasures, error) {
	log, data := r.logger(c.commonSettings), c.Data
	if st.remote() {
		data = ""
	}
	return openErasures(r.ctx, st, c.names(), erase.Options{Registers: c.registers(data), BackupDays: c.BackupDays, Log: log})
}

// openErasures returns the erasures of a store with all desks, for somebody who only
// erases.
func openErasures(ctx context.Context, st *store, names tableNames, o erase.Options) (*erase.Erasures, error) {
	schemas, err := names.schemas()
	if err != nil {
		return nil, err
	}
	if err := st.prepare(ctx, schemas...); err != nil {
		return nil, err
	}
	stories, err := names.stories(st.db)
	if err != nil {
		return nil, err
	}
	e, err := names.erasures(st.db, st.client, stories, o)
	if err != nil {
		return nil, err
	}
	all, err := askedAlone(ctx, st.db, st.client, names, o.Log)
	for _, parts := range all {
		if parts.Traces != nil {
			e.Add(parts.Traces)
		}
	}
	return e, err
}

// eraseListCmd lists erasures.
type eraseListCmd struct {
	targetSettings
	nameSettings
	commonSettings
	JSON bool `name:"json" setting:"-" help:"Print JSON, one a line."`
}

// Run prints them, the newest first.
func (c *eraseListCmd) Run(r *run) error {
	log := r.logger(c.commonSettings)
	st, err := c.open(r.ctx, endpointSettings{}, log)
	if err != nil {
		return err
	}
	err = c.print(r, st)
	return errors.Join(err, st.Close())
}

func (c *eraseListCmd) print(r *run, st *store) error {
	if err := st.prepare(r.ctx, erase.Schema.Named(c.names().of)); err != nil {
		return err
	}
	e, err := c.names().erasures(st.db, st.client, nil, erase.Options{})
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(r.Stdout, 0, 0, 2, ' ', 0)
	for one, err := range e.All(r.ctx) {
		switch {
		case err != nil:
			return err
		case c.JSON:
			err = json.NewEncoder(r.Stdout).Encode(one)
		default:
			_, err = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", one.ID, day(one.At), one.Kind, one.State, one.Why)
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// erasuresBeside returns the register beside a backup, or the one that is named.
func erasuresBeside(backup, named string) ([]erase.Entry, error) {
	path := named
	if path == "" {
		path = filepath.Join(filepath.Dir(filepath.Clean(backup)), erase.RegisterName)
	}
	entries, err := erase.ReadRegister(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errs.Wrap(err, errs.Usage,
			"there is no register of erasures at %s, so that what was erased since the backup would come back; name it with --erasures, or say --without-erasures if nothing ever was", path)
	}
	return entries, err
}

// bringErasures puts a copy of a data directory's register beside a backup of it.
func bringErasures(data, backup string) error {
	entries, err := erase.ReadRegister(filepath.Join(data, erase.RegisterName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return erase.MergeRegister(filepath.Join(filepath.Dir(filepath.Clean(backup)), erase.RegisterName), entries)
}
