package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aws/smithy-go"

	"pressroom/internal/errs"
	"pressroom/internal/ops/backup"
	"pressroom/model"
	"pressroom/model/cost"
	"pressroom/model/deploy"
	"pressroom/model/doc"
	"pressroom/model/lint"
)

// schemaCmd is everything about the desks' tables and buckets.
type schemaCmd struct {
	Print          schemaPrintCmd          `cmd:"" help:"Print tables, indexes, entities and access patterns."`
	Check          schemaCheckCmd          `cmd:"" help:"Look for faults in the design."`
	Apply          schemaApplyCmd          `cmd:"" help:"Create what is missing in the store; drop nothing."`
	CloudFormation schemaCloudFormationCmd `cmd:"" name:"cloudformation" help:"Print a CloudFormation template of the same, with a role for each kind of process."`
	Migrate        schemaMigrateCmd        `cmd:"" help:"Bring stored items to the present schema version."`
}

// chosenSettings choose desks and name their tables.
type chosenSettings struct {
	Desk []string `setting:"-" placeholder:"NAME" help:"Only this desk, or auth, replay or ops; may be repeated."`
	nameSettings
	commonSettings
}

// schemas returns the chosen desks' schemas with the configured names.
func (s chosenSettings) schemas() ([]model.Schema, error) {
	var known []string
	for _, schema := range allSchemas() {
		known = append(known, schema.Name)
	}
	for _, desk := range s.Desk {
		if !slices.Contains(known, desk) {
			return nil, errs.New(errs.Usage, "no desk is called %s; there are %s", desk, strings.Join(known, ", "))
		}
	}
	return s.names().schemas(s.Desk...)
}

type schemaPrintCmd struct {
	chosenSettings
	Cost bool `setting:"-" help:"Print the read and write units of each access pattern instead."`
	JSON bool `setting:"-" name:"json" help:"Print JSON."`
}

// Run prints the design, or what it costs.
func (c *schemaPrintCmd) Run(r *run) error {
	r.logger(c.commonSettings)
	schemas, err := c.schemas()
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		return c.printJSON(r.Stdout, schemas)
	case c.Cost:
		return cost.Print(r.Stdout, schemas...)
	}
	for i, s := range schemas {
		if i > 0 {
			fmt.Fprintln(r.Stdout)
		}
		if err := doc.Print(r.Stdout, s); err != nil {
			return err
		}
	}
	return nil
}

func (c *schemaPrintCmd) printJSON(w io.Writer, schemas []model.Schema) error {
	byDesk := map[string]any{}
	for _, s := range schemas {
		byDesk[s.Name] = doc.Rows(s)
		if c.Cost {
			costs, err := cost.All(s)
			if err != nil {
				return err
			}
			byDesk[s.Name] = costs
		}
	}
	return indented(w, byDesk)
}

func indented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

type schemaCheckCmd struct {
	chosenSettings
	JSON bool `setting:"-" name:"json" help:"Print JSON."`
}

// Run prints the findings; any is a failure.
func (c *schemaCheckCmd) Run(r *run) error {
	r.logger(c.commonSettings)
	schemas, err := c.schemas()
	if err != nil {
		return err
	}
	found := lint.Check(schemas...)
	for i := range schemas {
		if err := schemas[i].Validate(); err != nil {
			return errs.Wrap(err, errs.Invalid, "the %s schema cannot be used: %v", schemas[i].Name, err)
		}
	}
	if c.JSON {
		if err := indented(r.Stdout, append([]lint.Finding{}, found...)); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			fmt.Fprintln(r.Stdout, f)
		}
	}
	if len(found) > 0 {
		return errs.New(errs.Invalid, "%d findings", len(found))
	}
	if !c.JSON {
		fmt.Fprintln(r.Stdout, "no findings")
	}
	return nil
}

type schemaCloudFormationCmd struct{ chosenSettings }

// Run prints the template.
func (c *schemaCloudFormationCmd) Run(r *run) error {
	r.logger(c.commonSettings)
	schemas, err := c.schemas()
	if err != nil {
		return err
	}
	return deploy.CloudFormation(r.Stdout, &deploy.StackOptions{Roles: allDuties.roles(), VersionDays: recoveryDays}, schemas...)
}

type schemaApplyCmd struct {
	chosenSettings
	targetSettings
	DryRun       bool `setting:"-" help:"Only show what would be done."`
	ReplaceIndex bool `setting:"-" help:"Make indexes anew whose keys or attributes have changed; lists that need them are slow meanwhile."`
}

// Run shows the plan and carries it out.
func (c *schemaApplyCmd) Run(r *run) (err error) {
	schemas, err := c.schemas()
	if err != nil {
		return err
	}
	st, err := c.open(r.ctx, endpointSettings{}, r.logger(c.commonSettings))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	to := st.deploys()
	to.ReplaceIndexes = c.ReplaceIndex
	plan, err := deploy.Prepare(r.ctx, to, schemas...)
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot compare the schema with the store: %v", err)
	}
	if err := plan.Print(r.Stdout); err != nil {
		return err
	}
	if len(plan.Problems) > 0 {
		return errs.New(errs.Conflict, "the store differs in %d ways that adding cannot mend; nothing was done. Indexes are made anew with --replace-index", len(plan.Problems))
	}
	if c.DryRun {
		return nil
	}
	told := len(plan.Notes)
	if err := plan.Apply(r.ctx, r.Stderr); err != nil {
		return errs.Wrap(err, errs.Unavailable, "the plan was not carried out to its end: %v; run it again to go on", err)
	}
	for _, note := range plan.Notes[told:] {
		fmt.Fprintf(r.Stderr, "  %s\n", note)
	}
	return keepVersions(r, st, schemas)
}

// keepVersions lets the buckets keep what is replaced, as far as the store knows
// of versions. It is done here because processes that serve may not do it.
func keepVersions(r *run, st *store, schemas []model.Schema) error {
	err := backup.KeepVersions(r.ctx, st.client, recoveryDays, bucketNames(schemas)...)
	var api smithy.APIError
	if errors.As(err, &api) && (api.ErrorCode() == "NotImplemented" || api.ErrorCode() == "VersioningNotConfigured") {
		fmt.Fprintf(r.Stderr, "  old versions of objects are not kept, or not ended after %d days: the store does not know how\n", recoveryDays)
		return nil
	}
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot let the buckets keep versions: %v", err)
	}
	return nil
}

type schemaMigrateCmd struct {
	chosenSettings
	targetSettings
	Yes   bool   `setting:"-" help:"Change the items; without it, they are only counted."`
	State string `setting:"-" placeholder:"FILE" help:"Remember in this file how far the migration came; default migrate.json in the data directory."`
	JSON  bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (schemaMigrateCmd) Help() string {
	return `Items are also brought up to date one by one as they are read and written, so this can
run at any time, beside everything else, and be interrupted: with --yes it goes on where it
was. Without --yes it only counts.`
}

// Run migrates table after table.
func (c *schemaMigrateCmd) Run(r *run) (err error) {
	schemas, err := c.schemas()
	if err != nil {
		return err
	}
	st, err := c.open(r.ctx, endpointSettings{}, r.logger(c.commonSettings))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	state := &migrationState{path: c.State}
	switch {
	case state.path == "" && st.remote() && c.Yes:
		return errs.New(errs.Usage, "name a file with --state, in which the migration remembers how far it came")
	case state.path == "":
		state.path = filepath.Join(c.Data, "migrate.json")
	}
	if c.Yes {
		if err := state.load(); err != nil {
			return err
		}
	}
	adopt, err := c.adoption(r, st)
	if err != nil {
		return err
	}
	var done []deploy.Progress
	for _, s := range schemas {
		for i := range s.Tables {
			p, err := c.table(r, st, &s.Tables[i], adopt, state)
			if err != nil {
				return errs.Wrap(err, errs.Unavailable, "%v", err)
			}
			done = append(done, p)
		}
	}
	if c.Yes {
		if err := state.remove(); err != nil {
			return err
		}
	}
	return c.report(r.Stdout, done)
}

// adoption adds what lies beside an item that another program wrote, by its key.
type adoption func(ctx context.Context, table string, key model.Raw) error

// adoption asks the desks whose tables the item may be in.
func (c *schemaMigrateCmd) adoption(r *run, st *store) (adoption, error) {
	if !c.Yes {
		return nil, nil
	}
	all, err := askedAlone(r.ctx, st.db, st.client, c.names(), r.logger(c.commonSettings))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, table string, key model.Raw) error {
		for _, parts := range all {
			if shelf := parts.Shelf; shelf != nil && slices.Contains(shelf.Tables, table) {
				if err := shelf.AdoptAt(ctx, table, key); err != nil {
					return err
				}
			}
		}
		return nil
	}, nil
}

func (c *schemaMigrateCmd) table(r *run, st *store, t *model.Table, adopt adoption, state *migrationState) (deploy.Progress, error) {
	m := deploy.Migration{DB: st.db, Table: t, DryRun: !c.Yes, Adopt: func(ctx context.Context, key model.Raw) error { return adopt(ctx, t.Name, key) }}
	if next, begun := state.Next[t.Name]; begun && next == nil {
		return deploy.Progress{Table: t.Name}, nil // finished before an interruption
	} else if begun {
		m.From = next
	}
	m.Report = func(p deploy.Progress) error {
		fmt.Fprintf(r.Stderr, "\r%s: %d of about %d, %d to change", p.Table, p.Seen, max(p.About, int64(p.Seen)), p.Changed)
		if p.Next == nil {
			fmt.Fprintln(r.Stderr)
		}
		if !c.Yes {
			return r.ctx.Err()
		}
		return errors.Join(state.save(p), r.ctx.Err())
	}
	return m.Migrate(r.ctx)
}

func (c *schemaMigrateCmd) report(w io.Writer, done []deploy.Progress) error {
	failed := 0
	for _, p := range done {
		failed += len(p.Failed)
	}
	if c.JSON {
		if err := indented(w, done); err != nil {
			return err
		}
	} else {
		verb := "to change; say --yes to change them"
		if c.Yes {
			verb = "changed"
		}
		for _, p := range done {
			fmt.Fprintf(w, "%s: %d items, %d %s, %d of them of other programs, %d unknown\n", p.Table, p.Seen, p.Changed, verb, p.Adopted, p.Unknown)
			if len(p.Failed) > 0 {
				fmt.Fprintf(w, "  cannot be migrated:\n    %s\n", strings.Join(p.Failed, "\n    "))
			}
		}
	}
	if failed > 0 {
		return errs.New(errs.Invalid, "%d items cannot be migrated and were left as they are", failed)
	}
	return nil
}

// migrationState is how far each table came, on disk.
type migrationState struct {
	path string
	Next map[string]deploy.Position `json:"next"` // nil for tables that are done
}

func (s *migrationState) load() error {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err != nil {
		return errs.Wrap(err, errs.Usage, "cannot read how far the migration came, in %s: %v; delete the file to begin again", s.path, err)
	}
	return nil
}

// save replaces the file in one step, so that an interruption leaves the old one
// or the new one.
func (s *migrationState) save(p deploy.Progress) error {
	if s.Next == nil {
		s.Next = map[string]deploy.Position{}
	}
	s.Next[p.Table] = p.Next
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(s.path+".new", s.path)
}

func (s *migrationState) remove() error {
	if err := os.Remove(s.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
