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
	"time"

	"github.com/schollz/progressbar/v3"

	"pressroom/internal/errs"
	"pressroom/internal/local"
	"pressroom/internal/ops/backup"
)

// backupCmd makes and verifies backups.
type backupCmd struct {
	Create backupCreateCmd `cmd:"" default:"withargs" help:"Back up tables and objects as they are at one moment, also while they are being served."`
	Verify backupVerifyCmd `cmd:"" help:"Look whether a backup is whole and undamaged."`
}

// backupCreateCmd makes a backup.
type backupCreateCmd struct {
	To string `arg:"" name:"place" help:"A new directory, or a new file whose name ends in .tar."`
	fileSettings
	commonSettings
	JSON bool `name:"json" setting:"-" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (backupCreateCmd) Help() string {
	return `While a pressroom serves the data directory, it is asked to hold one moment fast, which
takes it some milliseconds; the files are then copied beside it. Otherwise the directory is
copied as it is. The copy holds the tables with their change logs and the objects; encrypted
data stay encrypted. It has its name only when it is whole.

Beside it comes erasures.jsonl, the register of what was erased, which a restore needs.`
}

// backedUp is what the command prints.
type backedUp struct {
	Place     string    `json:"place"`
	Taken     time.Time `json:"taken"`
	Files     int       `json:"files"`
	Bytes     int64     `json:"bytes"`
	Encrypted bool      `json:"encrypted"`
	Served    bool      `json:"served"` // whether the data were being served
}

// Run makes the backup.
func (c *backupCreateCmd) Run(r *run) error {
	r.logger(c.commonSettings)
	if _, err := os.Stat(c.Data); err != nil {
		return errs.Wrap(err, errs.NotFound, "there is no data directory %s; name one with --data", c.Data)
	}
	m, served, err := c.write(r)
	if err == nil {
		err = bringErasures(c.Data, c.To)
	}
	if err != nil {
		return err
	}
	out := backedUp{Place: c.To, Taken: m.Taken, Files: len(m.Files), Bytes: m.Bytes, Encrypted: m.Encrypted, Served: served}
	if c.JSON {
		return indented(r.Stdout, out)
	}
	_, err = fmt.Fprintf(r.Stdout, "%s holds %d files, %s, as of %s.\n", out.Place, out.Files, size(out.Bytes), out.Taken.Format(time.RFC3339))
	return err
}

// write takes the directory if nobody has it, and asks its owner otherwise.
func (c *backupCreateCmd) write(r *run) (m *backup.Manifest, served bool, err error) {
	dir, err := local.OpenDir(c.Data)
	if errors.Is(err, local.ErrHeld) {
		m, err := c.fromServer(r, err)
		return m, true, err
	}
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if err := backup.Ready(r.ctx, c.Data, r.readying(nil)); err != nil {
		return nil, false, err
	}
	about := backup.About{Program: local.Program(), Taken: time.Now(), Encrypted: backup.Encrypted(c.Data)}
	show := newProgress(r.Stderr)
	defer show.done()
	m, err = backup.Write(r.ctx, c.Data, c.To, about, show.tell)
	return m, false, err
}

// fromServer copies a checkpoint, which its maker removes when the answer is
// closed.
func (c *backupCreateCmd) fromServer(r *run, held error) (m *backup.Manifest, err error) {
	res, err := callControl(r.ctx, c.Data, "/checkpoint", struct{}{})
	if errors.Is(err, errs.NotFound) {
		return nil, errs.Wrap(errors.Join(err, held), errs.Unavailable, "%s, and it cannot be asked for a backup: %s", errs.Message(held), errs.Message(err))
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	var made checkpointed
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil {
		return nil, errs.Wrap(err, errs.Unavailable, "the serving pressroom ended before the backup began: %v", err)
	}
	if made.Error != "" {
		return nil, errs.New(errs.Unavailable, "the serving pressroom could not make a checkpoint: %s", made.Error)
	}
	show := newProgress(r.Stderr)
	defer show.done()
	return backup.Write(r.ctx, made.Dir, c.To, backup.About{Program: local.Program(), Taken: made.Taken, Encrypted: made.Encrypted}, show.tell)
}

func (r *run) readying(tell func(string)) *backup.Readying {
	return &backup.Readying{Program: local.Program(), Tell: tell}
}

// size prints bytes as people read them.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d bytes", n)
	}
	value, i := float64(n)/unit, 0
	for value >= unit && i < 4 {
		value, i = value/unit, i+1
	}
	return fmt.Sprintf("%.1f %s", value, []string{"KiB", "MiB", "GiB", "TiB", "PiB"}[i])
}

// copyProgress shows how far long work is, if somebody looks.
type copyProgress struct {
	bar  *progressbar.ProgressBar
	w    io.Writer
	show bool
}

func newProgress(w io.Writer) *copyProgress {
	f, ok := w.(*os.File)
	if !ok {
		return &copyProgress{w: w}
	}
	info, err := f.Stat()
	return &copyProgress{w: w, show: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

func (p *copyProgress) tell(state backup.Progress) {
	if !p.show {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(max(state.TotalBytes, 1), progressbar.OptionSetWriter(p.w), progressbar.OptionShowBytes(true),
			progressbar.OptionSetDescription(state.Doing), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	_ = p.bar.Set64(min(state.Bytes, max(state.TotalBytes, 1))) // it only fails to draw
}

func (p *copyProgress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// backupVerifyCmd verifies a backup.
type backupVerifyCmd struct {
	From       string `arg:"" name:"backup" help:"The backup's directory or .tar file."`
	KeyFile    string `placeholder:"FILE" help:"The keys of an encrypted backup, without which its content cannot be looked at."`
	HashesOnly bool   `setting:"-" help:"Only compare the files with their hashes; do not open a copy and look at every item and object."`
	Scratch    string `setting:"-" placeholder:"DIR" help:"Open the copy in a new directory in this one; default beside the backup."`
	commonSettings
	JSON bool `name:"json" setting:"-" help:"Print JSON."`
}

// verified is what the command prints.
type verified struct {
	Backup   string          `json:"backup"`
	Taken    time.Time       `json:"taken"`
	Files    int             `json:"files"`
	Bytes    int64           `json:"bytes"`
	Opened   bool            `json:"opened"`
	Damage   []backup.Damage `json:"damage"`
	Problems []string        `json:"problems"`
}

// Run verifies the backup; any damage is a failure.
func (c *backupVerifyCmd) Run(r *run) error {
	log := r.logger(c.commonSettings)
	keys, err := local.LoadKeys(c.KeyFile)
	if err != nil {
		return err
	}
	show := newProgress(r.Stderr)
	m, damage, err := backup.Verify(r.ctx, c.From, show.tell)
	show.done()
	if err != nil {
		return err
	}
	out := verified{Backup: c.From, Taken: m.Taken, Files: len(m.Files), Bytes: m.Bytes, Damage: append([]backup.Damage{}, damage...), Problems: []string{}}
	blind := m.Encrypted && keys == nil
	if len(damage) == 0 && !c.HashesOnly && !blind {
		out.Opened = true
		if out.Problems, err = verifyCopy(r.ctx, c.From, c.scratch(), keys, log); err != nil {
			return err
		}
	}
	if err := c.print(r.Stdout, out, blind && !c.HashesOnly); err != nil {
		return err
	}
	if n := len(out.Damage) + len(out.Problems); n > 0 {
		return errs.Wrap(backup.ErrDamaged, errs.Invalid, "the backup is damaged: %d findings; use another one", n)
	}
	return nil
}

func (c *backupVerifyCmd) scratch() string {
	if c.Scratch != "" {
		return c.Scratch
	}
	return filepath.Dir(filepath.Clean(c.From))
}

func (c *backupVerifyCmd) print(w io.Writer, v verified, blind bool) error {
	if c.JSON {
		return indented(w, v)
	}
	var b strings.Builder
	for _, d := range v.Damage {
		fmt.Fprintln(&b, d)
	}
	for _, p := range v.Problems {
		fmt.Fprintln(&b, p)
	}
	fmt.Fprintf(&b, "%d files, %s, as of %s", v.Files, size(v.Bytes), v.Taken.Format(time.RFC3339))
	switch {
	case len(v.Damage)+len(v.Problems) > 0:
		b.WriteString("." + v.sound() + "\n")
	case v.Opened:
		b.WriteString(": all are as they were written, and every item and object is sound.\n")
	case blind:
		b.WriteString(": all are as they were written. They are encrypted; with --key-file items and objects are looked at too.\n")
	default:
		b.WriteString(": all are as they were written.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sound says which parts of a damaged backup nothing was found in.
func (v verified) sound() string {
	var names []string
	for _, part := range backup.Parts {
		if !slices.ContainsFunc(v.Damage, func(d backup.Damage) bool { return strings.HasPrefix(d.File, part+"/") }) &&
			!slices.ContainsFunc(v.Problems, func(p string) bool { return strings.HasPrefix(p, part+":") }) {
			names = append(names, part)
		}
	}
	if names == nil {
		return ""
	}
	return " Nothing was found in the " + strings.Join(names, " and the ") + "."
}

var errNoScratch = errors.New("no room to open a copy")

// scratchDir makes a directory for a copy that is thrown away.
func scratchDir(beside string) (string, error) {
	dir, err := os.MkdirTemp(beside, ".pressroom-verify-*")
	if err != nil {
		dir, err = os.MkdirTemp("", "pressroom-verify-*")
	}
	if err != nil {
		return "", errs.Wrap(errors.Join(errNoScratch, err), errs.Unavailable, "cannot make a directory to open a copy in: %v; name one with --scratch", err)
	}
	return dir, nil
}

// unchanging reports files that opening a store never writes to, so that a copy
// may share them with the backup.
func unchanging(name string) bool {
	return strings.HasSuffix(name, ".sst") || strings.HasPrefix(name, backup.Objects+"/data/")
}

// ignoreCanceled is for work that ends because it was asked to.
func ignoreCanceled(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errs.Wrap(err, errs.Canceled, "interrupted")
	}
	return err
}
