package blogweb

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/transfer"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// maxImport is how many bytes a file that is uploaded may have. What is larger is
// imported on the command line.
const maxImport = 1 << 30

// importTime is how long an upload may take.
const importTime = 30 * time.Minute

// importsPage is where files with posts are uploaded.
type importsPage struct {
	Format, Base string
	Formats      []web.Choice
	Imports      []importLine
	Next         string
}

// importLine is an import in a list.
type importLine struct {
	blog.Import
	Path string
	At   time.Time
	Live bool // it is being previewed or done
}

func lineOf(i blog.Import) importLine {
	at, _ := time.Parse(time.RFC3339Nano, i.CreatedAt)
	return importLine{i, "/office/import/" + url.PathEscape(i.ID), at, i.State == blog.ImportWaiting || i.State == blog.ImportWanted}
}

func (p *pages) showImports(w http.ResponseWriter, r *http.Request) error {
	return p.importsPage(w, r, importsPage{Format: "ghost"}, nil)
}

func (p *pages) importsPage(w http.ResponseWriter, r *http.Request, data importsPage, problem error) error {
	page, err := p.desk.Imports(r.Context(), blog.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	data.Next = page.Next
	for _, f := range transfer.Formats {
		data.Formats = append(data.Formats, web.Choice{Value: f, Label: p.site.T(r, "blog.import.format."+f)})
	}
	for _, i := range page.Items {
		data.Imports = append(data.Imports, lineOf(i))
	}
	out := web.Page{Title: p.site.T(r, "blog.import"), NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		out.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.office, "imports", out)
}

// takeImport takes an uploaded file.
func (p *pages) takeImport(w http.ResponseWriter, r *http.Request) error {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(importTime)) // a large file takes its time
	i, err := p.keepImport(r)
	if errors.Is(err, errs.Invalid) || errors.Is(err, errs.TooLarge) {
		return p.importsPage(w, r, importsPage{Format: i.Format, Base: i.Base}, err)
	}
	if err != nil {
		return err
	}
	return p.site.Redirect(w, r, lineOf(i).Path)
}

// keepImport reads the form as it comes: the file goes to a file of its own, and from
// there to the store.
func (p *pages) keepImport(r *http.Request) (i blog.Import, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return i, unread(err)
	}
	var file *os.File
	defer func() {
		if file != nil {
			err = errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
	}()
	for {
		part, wrong := parts.NextPart()
		if errors.Is(wrong, io.EOF) {
			break
		}
		if wrong != nil {
			return i, unread(wrong)
		}
		if part.FormName() == "file" && file == nil {
			if file, err = os.CreateTemp("", "pressroom-import-"); err == nil {
				i.Name = baseName(part)
				_, err = io.Copy(file, part)
			}
		} else {
			err = field(&i, part)
		}
		if err != nil {
			return i, unread(err)
		}
	}
	var problems []errs.Field
	if file == nil || i.Name == "" {
		problems = append(problems, errs.Field{Name: "file", Message: "is missing"})
	}
	if !slices.Contains(transfer.Formats, i.Format) {
		problems = append(problems, errs.Field{Name: "format", Message: "must be one of " + strings.Join(transfer.Formats, ", ")})
	}
	if u, err := url.Parse(i.Base); i.Base != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		problems = append(problems, errs.Field{Name: "base", Message: "must be a web address that begins with https:// or http://"})
	}
	if problems != nil {
		return i, errs.Validation(problems...)
	}
	if account := auth.From(r.Context()); account != nil {
		i.By = account.Name
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return i, err
	}
	return i, p.desk.AddImport(r.Context(), &i, file, size)
}

// baseName is the name of a file as the browser has it, short and without folders.
func baseName(part *multipart.Part) string {
	if part.FileName() == "" {
		return ""
	}
	name := []rune(path.Base(strings.ReplaceAll(strings.ToValidUTF8(part.FileName(), ""), `\`, "/")))
	return string(name[max(len(name)-60, 0):])
}

func field(i *blog.Import, part *multipart.Part) error {
	text, err := io.ReadAll(io.LimitReader(part, 2000))
	switch value := strings.TrimSpace(strings.ToValidUTF8(string(text), "")); part.FormName() {
	case "format":
		i.Format = value
	case "base":
		i.Base = value
	}
	return err
}

// importPage is one import: what it would do, or did.
type importPage struct {
	importLine
	Counts  *transfer.Counts
	Preview bool
	Entries []transfer.Entry
	More    int // entries that are not shown
}

// shownEntries is how many things of an import are listed.
const shownEntries = 500

func (p *pages) showImport(w http.ResponseWriter, r *http.Request) error {
	i, err := p.desk.GetImport(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	data := importPage{importLine: lineOf(i)}
	if !data.Live || i.State == blog.ImportWanted {
		if err := data.read(r.Context(), p.desk); err != nil {
			return err
		}
	}
	return p.site.Render(w, r, p.office, "import", web.Page{Title: i.Name, NoIndex: true, Private: true, Block: "progress", Data: data})
}

func (d *importPage) read(ctx context.Context, desk *blog.Desk) error {
	report, err := transfer.ReportOf(ctx, desk, d.ID)
	if err != nil || report == nil {
		return err
	}
	d.Counts, d.Preview = &report.Counts, report.Preview
	for _, e := range report.Entries {
		switch {
		case e.What == transfer.Same && len(e.Losses) == 0:
		case len(d.Entries) < shownEntries:
			d.Entries = append(d.Entries, e)
		default:
			d.More++
		}
	}
	return nil
}

// startImport begins an import that was looked at, or does it again.
func (p *pages) startImport(w http.ResponseWriter, r *http.Request) error {
	i, err := p.desk.GetImport(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if !lineOf(i).Live {
		i.State, i.Seen, i.Problem = blog.ImportWanted, 0, ""
		i.Overwrite = r.PostFormValue("overwrite") == "true"
		if err := p.desk.SaveImport(r.Context(), &i); err != nil {
			return err
		}
	}
	return p.site.Redirect(w, r, lineOf(i).Path)
}

// moved leads from an address that an imported post had elsewhere to the post.
func (p *pages) moved(ctx context.Context, path string) (string, error) {
	id, err := p.public.Redirected(ctx, path)
	if errors.Is(err, errs.NotFound) {
		return "", nil
	}
	return postPath(id), err
}
