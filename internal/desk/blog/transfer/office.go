package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

// maxUploads is how many of the latest uploads are looked through for work.
const maxUploads = 100

// Work previews and imports what was uploaded, the oldest first, and reports how many
// things it went through. It is called again and again; one that was cut off is begun
// again, and doubles nothing.
func (im *Importer) Work(ctx context.Context, progress func(done int)) error {
	page, err := im.Desk.Imports(ctx, blog.PageOptions{Limit: maxUploads})
	if err != nil {
		return err
	}
	for n := len(page.Items) - 1; n >= 0; n-- {
		i := page.Items[n]
		if i.State != blog.ImportWaiting && i.State != blog.ImportWanted {
			continue
		}
		if err := im.work(ctx, &i, progress); err != nil {
			return fmt.Errorf("import %s: %w", i.ID, err)
		}
	}
	return nil
}

// saveEvery is how often a page that shows an import is told how far it is.
const saveEvery = time.Second

func (im *Importer) work(ctx context.Context, i *blog.Import, progress func(int)) error {
	dir, err := os.MkdirTemp("", "pressroom-import-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system does so too
	file := filepath.Join(dir, "file")
	var report *Report
	if err = im.download(ctx, i.ID, file); err == nil {
		saved := time.Now()
		report, err = im.Run(ctx, Options{
			Format: i.Format, File: file, Name: i.Name, Base: i.Base, Overwrite: i.Overwrite, Preview: i.State == blog.ImportWaiting,
			Progress: func(done int) {
				progress(1)
				if time.Since(saved) < saveEvery {
					return
				}
				saved = time.Now()
				i.Seen = done
				_ = im.Desk.SaveImport(ctx, i) // it only shows how far it is; the end is saved below
			},
		})
	}
	if ctx.Err() != nil {
		return ctx.Err() // it goes on another time
	}
	now, wrong := im.Desk.GetImport(ctx, i.ID)
	if wrong != nil {
		return wrong
	}
	now.Problem = ""
	switch {
	case err != nil && errs.KindOf(err).Status() >= 500: // it may go better another time
		return err
	case err != nil:
		now.State, now.Problem = blog.ImportFailed, errs.Message(err)
	case i.State == blog.ImportWaiting:
		now.State = blog.ImportPreviewed
	default:
		now.State = blog.ImportDone
	}
	if report != nil {
		now.Seen = len(report.Entries)
		text, err := json.Marshal(report)
		if err == nil {
			err = im.Desk.KeepReport(ctx, i.ID, bytes.NewReader(text))
		}
		if err != nil {
			return err
		}
	}
	return im.Desk.SaveImport(ctx, &now)
}

func (im *Importer) download(ctx context.Context, id, to string) (err error) {
	in, err := im.Desk.OpenImport(ctx, id, "file")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// ReportOf returns what came of an uploaded import so far, nil if nothing did.
func ReportOf(ctx context.Context, d *blog.Desk, id string) (r *Report, err error) {
	in, err := d.OpenImport(ctx, id, "report")
	if errors.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	r = new(Report)
	return r, json.NewDecoder(in).Decode(r)
}
