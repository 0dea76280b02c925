package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/internal/local"
	"pressroom/internal/ops/backup"
	"pressroom/internal/rights/erase"
)

// restoreCmd brings a backup into a data directory.
type restoreCmd struct {
	From string `arg:"" name:"backup" help:"The backup's directory or .tar file."`
	fileSettings
	nameSettings
	commonSettings
	Erasures        string `setting:"-" placeholder:"FILE" help:"The register of erasures; default erasures.jsonl beside the backup."`
	WithoutErasures bool   `setting:"-" help:"Restore without a register: what was erased since the backup comes back."`
	At              moment `setting:"-" placeholder:"TIME" help:"Set everything back to the end of this second, as 2026-11-15T09:30:00Z or with another zone."`
	Partial         bool   `setting:"-" help:"With --at, leave tables that cannot be set back as they are in the backup, instead of refusing."`
	JSON            bool   `name:"json" setting:"-" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (restoreCmd) Help() string {
	return `The data directory must be empty or not exist: nothing is ever overwritten. Every file is
compared with its hash; if anything is wrong, the directory is left empty.

With --at, tables are set back by their change logs, which reach 35 days back from the
backup, and buckets by the versions that they keep. A plain backup with --key-file becomes
an encrypted directory; an encrypted one stays so.

What the register of erasures names is erased before the directory can be used.`
}

// moment is a time on the command line.
type moment time.Time

// UnmarshalText accepts RFC 3339.
func (m *moment) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time such as 2026-11-15T09:30:00Z", text)
	}
	*m = moment(t.UTC())
	return nil
}

func (m moment) String() string {
	if time.Time(m).IsZero() {
		return ""
	}
	return time.Time(m).Format(time.RFC3339)
}

// restored is what the command prints.
type restored struct {
	Data      string           `json:"data"`
	Taken     time.Time        `json:"taken"`
	At        *time.Time       `json:"at,omitempty"`
	Files     int              `json:"files"`
	Bytes     int64            `json:"bytes"`
	Encrypted bool             `json:"encrypted"`
	Tables    []dynamo.Rewound `json:"tables,omitempty"`
	Buckets   []blob.Rewound   `json:"buckets,omitempty"`
	Erasures  int              `json:"erasures,omitempty"` // that were applied
}

// Run restores the backup.
func (c *restoreCmd) Run(r *run) error {
	log := r.logger(c.commonSettings)
	keys, err := local.LoadKeys(c.KeyFile)
	if err != nil {
		return err
	}
	create, err := c.creator(r.ctx, keys)
	if err != nil {
		return err
	}
	erased, err := c.register(r.ctx, keys)
	if err != nil {
		return err
	}
	show := newProgress(r.Stderr)
	at := time.Time(c.At)
	m, err := backup.Restore(r.ctx, c.From, c.Data, &backup.Restoring{Create: create, Progress: show.tell, Keep: true})
	show.done()
	if err != nil {
		return err
	}
	out := restored{Data: c.Data, Taken: m.Taken, Files: len(m.Files), Bytes: m.Bytes, Encrypted: m.Encrypted || keys != nil}
	if !at.IsZero() {
		err = c.rewind(r.ctx, at, m, keys, &out, log)
	}
	if err == nil && len(erased) > 0 {
		err = c.erase(r.ctx, erased, keys, &out, log)
	}
	if err == nil {
		err = backup.Finish(c.Data)
	}
	if err != nil {
		return errors.Join(err, backup.Abandon(c.Data))
	}
	if c.JSON {
		return indented(r.Stdout, out)
	}
	return out.print(r.Stdout)
}

// creator returns what makes the files: nil for ordinary ones, and for a plain
// backup with keys one that encrypts them.
func (c *restoreCmd) creator(ctx context.Context, keys *atrest.Keys) (func(string) (backup.Created, error), error) {
	if keys == nil {
		return nil, nil
	}
	m, err := backup.Inspect(ctx, c.From)
	if err != nil || m.Encrypted {
		return nil, err
	}
	parts := map[string]vfs.FS{}
	return func(path string) (backup.Created, error) {
		rel, err := filepath.Rel(c.Data, path)
		if err != nil {
			return nil, err
		}
		part, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		if parts[part] == nil {
			// The directories above the first file are there already; an
			// encrypted part begins as one that holds no file.
			if parts[part], err = atrest.Open(vfs.Default, filepath.Join(c.Data, part), keys); err != nil {
				return nil, err
			}
		}
		return parts[part].Create(path, vfs.WriteCategoryUnspecified)
	}, nil
}

// rewind sets the restored directory back and lets it be used.
func (c *restoreCmd) rewind(ctx context.Context, at time.Time, m *backup.Manifest, keys *atrest.Keys, out *restored, log *slog.Logger) (err error) {
	if at.After(m.Taken) {
		return errs.New(errs.Usage, "the backup holds the state of %s, and nothing later; --at %s is after that",
			m.Taken.Format(time.RFC3339), at.Format(time.RFC3339))
	}
	st, err := openCopy(c.Data, keys, log)
	if err != nil {
		return err
	}
	err = errors.Join(st.rewind(ctx, at, c.Partial, out), st.Close())
	if err != nil {
		return ignoreCanceled(ctx, err)
	}
	out.At = &at
	return nil
}

// register returns what was erased.
func (c *restoreCmd) register(ctx context.Context, keys *atrest.Keys) ([]erase.Entry, error) {
	if c.WithoutErasures {
		return nil, nil
	}
	entries, err := erasuresBeside(c.From, c.Erasures)
	if err != nil || len(entries) == 0 || keys != nil {
		return entries, err
	}
	m, err := backup.Inspect(ctx, c.From)
	if err == nil && m.Encrypted {
		err = errs.New(errs.Usage, "%d erasures are to be applied to the backup, which is encrypted; name its keys with --key-file", len(entries))
	}
	return entries, err
}

// erase applies the register to the restored directory.
func (c *restoreCmd) erase(ctx context.Context, entries []erase.Entry, keys *atrest.Keys, out *restored, log *slog.Logger) error {
	st, err := openCopy(c.Data, keys, log)
	if err != nil {
		return err
	}
	e, err := openErasures(ctx, st, c.names(), erase.Options{Registers: []string{filepath.Join(c.Data, erase.RegisterName)}, Log: log})
	if err == nil {
		_, err = e.Apply(ctx, entries, nil)
	}
	if err == nil {
		err = e.Adopt(ctx, entries)
	}
	out.Erasures = len(entries)
	return ignoreCanceled(ctx, errors.Join(err, st.Close()))
}

// openCopy opens a directory that only this command knows of. Nothing expires
// in it.
func openCopy(dir string, keys *atrest.Keys, log *slog.Logger) (*store, error) {
	s := &store{log: log}
	quiet := slog.New(slog.DiscardHandler)
	if err := s.openTables(dir, &dynamo.Options{Keys: keys, Logger: quiet, SweepEvery: -1}); err != nil {
		return nil, err
	}
	if err := s.openObjects(dir, &blob.Options{Keys: keys, Log: quiet, SweepEvery: -1}); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *store) rewind(ctx context.Context, at time.Time, partial bool, out *restored) error {
	err := s.tables.Rewind(ctx, at, partial, func(r dynamo.Rewound) { out.Tables = append(out.Tables, r) })
	if err != nil {
		return errs.Wrap(err, errs.Conflict, "%v", err)
	}
	err = s.objects.Rewind(ctx, at, func(r blob.Rewound) { out.Buckets = append(out.Buckets, r) })
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "%v", err)
	}
	return nil
}

func (o restored) print(w io.Writer) error {
	var b strings.Builder
	as := o.Taken
	if o.At != nil {
		as = *o.At
	}
	fmt.Fprintf(&b, "%s holds %d files, %s, with everything as of %s.\n", o.Data, o.Files, size(o.Bytes), as.Format(time.RFC3339))
	if o.Erasures > 0 {
		fmt.Fprintf(&b, "  %d erasures were applied\n", o.Erasures)
	}
	for _, t := range o.Tables {
		switch {
		case t.Left != "":
			fmt.Fprintf(&b, "  table %s %s; it is as it was backed up\n", t.Table, t.Left)
		case t.Dropped:
			fmt.Fprintf(&b, "  table %s was made later and is gone\n", t.Table)
		case t.Items > 0:
			fmt.Fprintf(&b, "  table %s: %d items set back\n", t.Table, t.Items)
		}
	}
	for _, k := range o.Buckets {
		switch {
		case k.Dropped:
			fmt.Fprintf(&b, "  bucket %s was made later and is gone\n", k.Bucket)
		case k.Newer > 0:
			fmt.Fprintf(&b, "  bucket %s keeps no versions: %d objects are newer and were left\n", k.Bucket, k.Newer)
		case k.Removed > 0:
			fmt.Fprintf(&b, "  bucket %s: %d later versions removed\n", k.Bucket, k.Removed)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// verifyCopy opens a copy of a backup and looks at every item and object. The
// copy shares with the backup what opening does not change, and is removed.
func verifyCopy(ctx context.Context, from, beside string, keys *atrest.Keys, log *slog.Logger) (problems []string, err error) {
	dir, err := scratchDir(beside)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if _, err := backup.Restore(ctx, from, dir, &backup.Restoring{Link: unchanging}); err != nil {
		return nil, err
	}
	problems = []string{}
	note := func(part, what string) { problems = append(problems, part+": "+oneLine(what)) }
	st, quiet := &store{log: log}, slog.New(slog.DiscardHandler)
	// Each part by itself: damage in one says nothing of the other.
	if err := st.openTables(dir, &dynamo.Options{Keys: keys, Logger: quiet, SweepEvery: -1}); err != nil {
		note(backup.Tables, errs.Message(err))
	} else if err := st.tables.Verify(ctx, func(p dynamo.Problem) { note(backup.Tables, p.String()) }); err != nil {
		note(backup.Tables, err.Error())
	}
	if err := st.openObjects(dir, &blob.Options{Keys: keys, Log: quiet, SweepEvery: -1}); err != nil {
		note(backup.Objects, errs.Message(err))
	} else if err := st.objects.Verify(ctx, func(p blob.Problem) { note(backup.Objects, p.String()) }); err != nil {
		note(backup.Objects, err.Error())
	}
	if err := ctx.Err(); err != nil {
		return nil, ignoreCanceled(ctx, errors.Join(err, st.Close()))
	}
	return problems, st.Close()
}
