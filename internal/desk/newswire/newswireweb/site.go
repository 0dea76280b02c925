package newswireweb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/internal/web"
)

// siteForm is a site as it is typed.
type siteForm struct {
	SiteID, Name, Category, BaseURL string
	Paths, Feeds, Windows           string // one a line
	Interval, Timezone              string
	Paused                          bool
	Version                         int
	Seen                            string // what of it was looked at, see print
	Basis                           rights.Basis
}

// For reports whether the permission is for a use.
func (f siteForm) For(use string) bool { return slices.Contains(f.Basis.Scope, rights.Use(use)) }

// defaultInterval is the pause between two requests that a new site begins with.
const defaultInterval = "1000"

func newForm() siteForm {
	return siteForm{Category: newswire.Categories()[0], Interval: defaultInterval, Timezone: "Asia/Tokyo", Paths: "/"}
}

func formOf(s *newswire.Site) siteForm {
	windows := make([]string, len(s.CrawlWindows))
	for i, w := range s.CrawlWindows {
		windows[i] = w.Start + "-" + w.End
	}
	return siteForm{
		SiteID: s.SiteID, Name: s.Name, Category: s.Category, BaseURL: s.BaseURL, Paths: strings.Join(s.AllowedPaths, "\n"),
		Feeds: strings.Join(s.FeedURLs, "\n"), Windows: strings.Join(windows, "\n"), Interval: strconv.Itoa(s.RequestIntervalMs),
		Timezone: s.Timezone, Paused: s.Paused, Version: s.Version, Basis: s.Basis,
	}
}

func readForm(r *http.Request) siteForm {
	version, _ := strconv.Atoi(r.PostFormValue("version")) // 0 is of no site
	return siteForm{
		SiteID: strings.TrimSpace(r.PostFormValue("siteId")), Name: r.PostFormValue("name"), Category: r.PostFormValue("category"),
		BaseURL: strings.TrimSpace(r.PostFormValue("baseUrl")), Paths: r.PostFormValue("allowedPaths"), Feeds: r.PostFormValue("feedUrls"),
		Windows: r.PostFormValue("crawlWindows"), Interval: strings.TrimSpace(r.PostFormValue("requestIntervalMs")),
		Timezone: strings.TrimSpace(r.PostFormValue("timezone")), Paused: r.PostFormValue("paused") == "true",
		Version: version, Seen: r.PostFormValue("seen"), Basis: readBasis(r),
	}
}

// site reads the form. What cannot be read at all is wrong in the error; the rest
// is for the desk to judge.
func (f *siteForm) site() (newswire.Site, error) {
	s := newswire.Site{
		SiteID: f.SiteID, Name: f.Name, Category: f.Category, BaseURL: f.BaseURL, AllowedPaths: split(f.Paths), FeedURLs: split(f.Feeds),
		Timezone: f.Timezone, Paused: f.Paused, Version: f.Version, Basis: f.Basis,
	}
	var wrong []errs.Field
	interval, err := strconv.Atoi(f.Interval)
	if err != nil {
		wrong = append(wrong, errs.Field{Name: "requestIntervalMs", Message: "must be a whole number"})
	}
	s.RequestIntervalMs = interval
	for _, line := range split(f.Windows) {
		start, end, _ := strings.Cut(strings.NewReplacer("–", "-", "〜", "-", "～", "-", "：", ":").Replace(line), "-")
		s.CrawlWindows = append(s.CrawlWindows, newswire.Window{Start: strings.TrimSpace(start), End: strings.TrimSpace(end)})
	}
	if err := s.Validate(); err != nil {
		wrong = append(wrong, errs.Fields(err)...)
	}
	if wrong != nil {
		return s, errs.Validation(wrong...)
	}
	return s, nil
}

// split returns the lines of a field that are not empty.
func split(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

var element = regexp.MustCompile(`^([A-Za-z]+)\[(\d+)\]$`)

// lines says of a list's wrong element in which line of its field it is.
func lines(err error) error {
	fields := errs.Fields(err)
	if fields == nil || errs.KindOf(err) != errs.Invalid {
		return err
	}
	fields = slices.Clone(fields)
	for i, f := range fields {
		if m := element.FindStringSubmatch(f.Name); m != nil {
			n, _ := strconv.Atoi(m[2]) // they are digits
			fields[i] = errs.Field{Name: m[1], Message: "line " + strconv.Itoa(n+1) + ": " + f.Message}
		}
	}
	return errs.Validation(fields...)
}

// print is of all that a look at a site depends on: if it changes, a new site is
// looked at again before it is saved.
func (f *siteForm) print() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.BaseURL, strings.Join(split(f.Paths), "\n"), strings.Join(split(f.Feeds), "\n")}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// sitePage is the form of a site, new or known.
type sitePage struct {
	New        bool
	Name       string // of a known site
	Form       siteForm
	Categories []web.Choice
	Preview    *newswire.Preview
	Robots     []robotsPath
	Again      bool // the addresses changed since the site was looked at
	Busy       bool // it is being crawled
	Next       string
	Runs       []runRow
	Tabs       []web.Tab

	Basis   basisChoices
	Said    []saidRow // by the site, as it was looked at or asked last
	AskedAt string    // when it was asked; "" if it was not
	Rules   []ruleRow // what follows from it
}

type robotsPath struct {
	Path    string
	Allowed bool
}

func (p *pages) siteView(w http.ResponseWriter, r *http.Request, data sitePage, problem error) error {
	for _, c := range newswire.Categories() {
		data.Categories = append(data.Categories, web.Choice{Value: c, Label: p.site.T(r, "newswire.category."+c)})
	}
	data.Tabs = p.officeTabs(r, "sites")
	data.Basis = p.basisChoices(r)
	if data.Preview != nil {
		for path, allowed := range data.Preview.Robots.Paths {
			data.Robots = append(data.Robots, robotsPath{path, allowed})
		}
		data.Said, data.Rules, data.AskedAt = p.saidRows(r, data.Preview.Signals), p.ruleRows(r, data.Preview.Rulings), ""
		slices.SortFunc(data.Robots, func(a, b robotsPath) int { return strings.Compare(a.Path, b.Path) })
	}
	page := web.Page{Title: p.site.T(r, "newswire.add.title"), NoIndex: true, Private: true, Problem: problem, Data: data}
	if !data.New {
		page.Title = p.site.T(r, "newswire.edit.title", data.Name)
	}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "site", page)
}

func (p *pages) showAdd(w http.ResponseWriter, r *http.Request) error {
	return p.siteView(w, r, sitePage{New: true, Form: newForm()}, nil)
}

// addSite looks at a new site, and saves one that was looked at.
func (p *pages) addSite(w http.ResponseWriter, r *http.Request) error {
	data := sitePage{New: true, Form: readForm(r)}
	s, err := data.Form.site()
	save := r.PostFormValue("do") == "save"
	if err == nil && save && data.Form.Seen == data.Form.print() {
		if err := p.record(r, "add", "site "+s.SiteID); err != nil {
			return err
		}
		if err = p.desk.CreateSite(r.Context(), &s); err == nil {
			p.site.Flash(w, r, web.Good, "newswire.added", s.Name)
			return p.site.Redirect(w, r, officePath(s.SiteID))
		}
	} else if err == nil {
		data.Again = save
		err = p.look(r.Context(), s, &data)
	}
	if err == nil || formError(err) {
		return p.siteView(w, r, data, lines(err))
	}
	return err
}

// formError reports whether what went wrong is shown on the form that was sent.
func formError(err error) bool {
	switch errs.KindOf(err) {
	case errs.Invalid, errs.Duplicate, errs.Conflict, errs.Stale:
		return true
	}
	return false
}

// look fills in what a crawl of the site would find.
func (p *pages) look(ctx context.Context, s newswire.Site, data *sitePage) error {
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	found, err := p.desk.Preview(ctx, s)
	if err != nil {
		return err
	}
	data.Preview, data.Form.Seen = &found, data.Form.print()
	return nil
}

func (p *pages) showEdit(w http.ResponseWriter, r *http.Request) error {
	s, err := p.desk.GetSite(r.Context(), r.PathValue("site"))
	if err != nil {
		return err
	}
	return p.editView(w, r, s, formOf(&s), nil, nil)
}

func (p *pages) editView(w http.ResponseWriter, r *http.Request, s newswire.Site, form siteForm, found *newswire.Preview, problem error) error {
	data := sitePage{Name: s.Name, Form: form, Preview: found, Next: p.nextCrawl(r, &s)}
	runs, err := p.desk.RunsOfSite(r.Context(), s.SiteID, newswire.PageOptions{Limit: 5})
	if err != nil {
		return err
	}
	signals, err := p.desk.SignalsOf(r.Context(), s.SiteID)
	if err != nil {
		return err
	}
	data.Said, data.Rules, data.AskedAt = p.saidRows(r, signals.Said), p.ruleRows(r, p.desk.Rulings(&s, &signals)), signals.ReadAt
	data.Runs = rowsOf(runs.Items, map[string]string{s.SiteID: s.Name})
	data.Busy = len(runs.Items) > 0 && runs.Items[0].Status == newswire.Running
	return p.siteView(w, r, data, problem)
}

// editSite saves what was typed, or looks at the site as it would be.
func (p *pages) editSite(w http.ResponseWriter, r *http.Request) error {
	known, err := p.desk.GetSite(r.Context(), r.PathValue("site"))
	if err != nil {
		return err
	}
	form := readForm(r)
	form.SiteID = known.SiteID
	data := sitePage{Form: form}
	s, err := form.site()
	if err == nil && r.PostFormValue("do") == "save" {
		if err := p.record(r, "edit", "site "+s.SiteID); err != nil {
			return err
		}
		if err = p.desk.UpdateSite(r.Context(), &s); err == nil {
			p.site.Flash(w, r, web.Good, "newswire.saved", s.Name)
			return p.site.Redirect(w, r, officePath(s.SiteID))
		}
	} else if err == nil {
		err = p.look(r.Context(), s, &data)
	}
	if err == nil || formError(err) {
		return p.editView(w, r, known, data.Form, data.Preview, lines(err))
	}
	return err
}

func (p *pages) pauseSite(w http.ResponseWriter, r *http.Request) error {
	paused, id := r.PostFormValue("paused") == "true", r.PathValue("site")
	what, key := "resume", "newswire.resumed"
	if paused {
		what, key = "pause", "newswire.paused"
	}
	if err := p.record(r, what, "site "+id); err != nil {
		return err
	}
	s, err := p.desk.PauseSite(r.Context(), id, paused)
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, key, s.Name)
	return p.site.Redirect(w, r, "/office/newswire")
}

func (p *pages) deleteSite(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("site")
	s, err := p.desk.GetSite(r.Context(), id)
	if err != nil {
		return err
	}
	if r.PostFormValue("sure") != "true" {
		err = errs.Validation(errs.Field{Name: "sure", Message: "must be ticked"})
	} else if err := p.record(r, "delete", "site "+id); err != nil {
		return err
	} else if err = p.desk.DeleteSite(r.Context(), id); err == nil {
		p.site.Flash(w, r, web.Good, "newswire.deleted", s.Name)
		return p.site.Redirect(w, r, "/office/newswire")
	}
	if formError(err) {
		return p.editView(w, r, s, formOf(&s), nil, err)
	}
	return err
}

// crawlSite begins a run and leads to its page. If one is under way already, it
// leads there.
func (p *pages) crawlSite(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("site")
	if err := p.record(r, "crawl", "site "+id); err != nil {
		return err
	}
	run, err := p.desk.Start(r.Context(), id, newswire.CrawlOptions{Trigger: newswire.Manual})
	if err == nil {
		return p.site.Redirect(w, r, runPath(run.RunID))
	}
	if errs.KindOf(err) != errs.Conflict {
		return err
	}
	runs, listErr := p.desk.RunsOfSite(r.Context(), id, newswire.PageOptions{Limit: 1})
	if listErr != nil {
		return errors.Join(err, listErr)
	}
	p.site.Flash(w, r, web.Note, "newswire.busy")
	if len(runs.Items) == 0 || runs.Items[0].Status != newswire.Running {
		return p.site.Redirect(w, r, "/office/newswire") // pages of it are being retried
	}
	return p.site.Redirect(w, r, runPath(runs.Items[0].RunID))
}

// nextCrawl says in words when the schedule takes the site.
func (p *pages) nextCrawl(r *http.Request, s *newswire.Site) string {
	now := p.now()
	if s.Paused {
		return p.site.T(r, "newswire.next.paused")
	}
	if _, to, open := s.OpenWindow(now); open {
		return p.site.T(r, "newswire.next.open", to.Format("15:04 MST"))
	}
	next, ok := s.NextWindow(now)
	if !ok {
		return p.site.T(r, "newswire.next.hand")
	}
	if next.Sub(now) < 20*time.Hour {
		return p.site.T(r, "newswire.next.at", next.Format("15:04 MST"))
	}
	return p.site.T(r, "newswire.next.at", next.Format("2006-01-02 15:04 MST"))
}
