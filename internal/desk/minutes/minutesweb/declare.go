package minutesweb

import (
	"context"
	"net/http"
	"slices"
	"time"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// declarePage is the assemblies that are declared, and one that is being declared.
type declarePage struct {
	Declared []declaredRow
	Text     string // the declaration in the form
	Preview  *assembly.Preview
	Name     string // of what is previewed
}

type declaredRow struct {
	Code, Name, From, Formats, Licence string
	Path                               string // of its front, if anything of it is kept
	Collected                          string
	Report                             *minutes.AssemblyReport
}

func (p *pages) showDeclared(w http.ResponseWriter, r *http.Request) error {
	return p.renderDeclared(w, r, declarePage{}, nil)
}

func (p *pages) renderDeclared(w http.ResponseWriter, r *http.Request, page declarePage, wrong error) error {
	all, err := p.desk.Assemblies(r.Context())
	if err != nil {
		return err
	}
	for _, one := range all {
		row := declaredRow{Code: one.Code, Name: one.Name.In(p.site.Lang(r), "en"), From: p.site.T(r, "assemblies.from."+one.From), Licence: one.Licence.Name}
		if len(one.Sources) > 0 {
			row.Formats = one.Sources[0].Format
		}
		if one.Kept != nil {
			row.Path, row.Collected, row.Report = home(one.Code), one.Kept.CollectedAt, one.Kept.Report
		}
		page.Declared = append(page.Declared, row)
	}
	slices.SortStableFunc(page.Declared, func(a, b declaredRow) int { // those that are kept first
		switch {
		case (a.Path == "") == (b.Path == ""):
			return 0
		case a.Path != "":
			return -1
		}
		return 1
	})
	view := web.Page{Title: p.site.T(r, "assemblies.title"), NoIndex: true, Data: page}
	if wrong != nil {
		view.Problem, view.Status = wrong, web.StatusOf(wrong)
	}
	return p.site.Render(w, r, p.views, "declare", view)
}

// Bounds of a preview on a page, for which somebody waits.
const (
	pageMeetings = 20
	pageFiles    = 2
	pageWait     = 25 * time.Second
)

// declare previews or adds what an operator wrote, or one that comes with the program.
func (p *pages) declare(w http.ResponseWriter, r *http.Request) error {
	page := declarePage{Text: r.PostFormValue("declaration")}
	one, err := p.declaredIn(r, page.Text)
	if err != nil {
		return p.renderDeclared(w, r, page, err)
	}
	if r.PostFormValue("do") != "add" {
		ctx, cancel := context.WithTimeout(r.Context(), pageWait)
		defer cancel()
		preview, err := p.desk.PreviewAssembly(ctx, one, pageMeetings, pageFiles)
		if err != nil {
			return p.renderDeclared(w, r, page, errs.Wrap(err, errs.Unavailable, "The records cannot be read: %v", err))
		}
		page.Preview, page.Name = &preview, one.Name.In(p.site.Lang(r), "en")
		return p.renderDeclared(w, r, page, nil)
	}
	if err := p.record(r.Context(), "add assembly", one.Code, ""); err != nil {
		return err
	}
	if _, err := p.desk.AddAssembly(r.Context(), one); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "assemblies.added", one.Code)
	return p.site.Redirect(w, r, "/office/assemblies")
}

// declaredIn is the assembly of a form. A page can name no folder of the server's disk.
func (p *pages) declaredIn(r *http.Request, text string) (minutes.Declared, error) {
	if code := r.PostFormValue("code"); code != "" {
		return p.desk.GetAssembly(r.Context(), code)
	}
	one, err := minutes.Declare("declaration", []byte(text), "")
	if err != nil {
		return one, err
	}
	if slices.ContainsFunc(one.Sources, func(s assembly.SourceOf) bool { return s.Folder != "" }) {
		return one, errs.New(errs.Invalid, "A declaration on this page has an address or a bucket. One with a folder is a file on the server.")
	}
	return one, nil
}
