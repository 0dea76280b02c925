package newswireweb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// runRow is a run in a list.
type runRow struct {
	newswire.CrawlRun
	Path, SiteName string
	Tone           web.Tone
}

// Took is how long the run took; "" while it runs.
func (r runRow) Took() string {
	if r.CompletedAt == "" {
		return ""
	}
	took := timeOf(r.CompletedAt).Sub(timeOf(r.StartedAt))
	if took < 10*time.Second {
		return took.Round(100 * time.Millisecond).String()
	}
	return took.Round(time.Second).String()
}

// Live reports whether the run is under way.
func (r runRow) Live() bool { return r.Status == newswire.Running }

// Total is how many pages are known to be visited, at least those that were.
func (r runRow) Total() int { return max(r.PagesQueued, r.PagesDone, 1) }

var tones = map[string]web.Tone{newswire.Running: web.Note, newswire.Success: web.Good, newswire.Partial: web.Warn, newswire.Failed: web.Bad}

func rowsOf(runs []newswire.CrawlRun, names map[string]string) []runRow {
	rows := make([]runRow, len(runs))
	for i, run := range runs {
		rows[i] = runRow{CrawlRun: run, Path: runPath(run.RunID), SiteName: nameOr(names, run.SiteID), Tone: tones[run.Status]}
	}
	return rows
}

// runsPage is a list of runs.
type runsPage struct {
	Runs     []runRow
	Next     string
	Tabs     []web.Tab
	Filters  []web.Tab
	Site     string // of which all are, if it is one
	SiteName string
}

func (p *pages) showRuns(w http.ResponseWriter, r *http.Request) error {
	status, site := r.URL.Query().Get("status"), r.URL.Query().Get("site")
	var found newswire.Page[newswire.CrawlRun]
	var err error
	switch o := pageOf(r); {
	case site != "":
		found, err = p.desk.RunsOfSite(r.Context(), site, o)
	case status != "":
		found, err = p.desk.RunsByStatus(r.Context(), status, o)
	default:
		found, err = p.desk.Runs(r.Context(), o)
	}
	if err != nil {
		return err
	}
	names, err := p.desk.RunSiteNames(r.Context(), found.Items)
	if err != nil {
		return err
	}
	data := runsPage{Runs: rowsOf(found.Items, names), Next: found.Next, Tabs: p.officeTabs(r, "runs"), Site: site, SiteName: nameOr(names, site)}
	data.Filters = []web.Tab{{Title: p.site.T(r, "newswire.runs.all"), Path: "/office/newswire/runs", Current: status == "" && site == ""}}
	for _, s := range []string{newswire.Running, newswire.Success, newswire.Partial, newswire.Failed} {
		data.Filters = append(data.Filters, web.Tab{Title: p.site.T(r, "newswire.run."+s), Path: "/office/newswire/runs?status=" + s, Current: status == s})
	}
	return p.site.Render(w, r, p.views, "runs", web.Page{Title: p.site.T(r, "newswire.runs.title"), NoIndex: true, Private: true, Data: data})
}

// runPageData is a run with what it met and what it wrote down.
type runPageData struct {
	Run      runRow
	Met      []metRow
	MetNext  string
	Lines    []logRow
	LinesAll int  // of the log
	Problems bool // only these are shown
	LineNext string
	Tabs     []web.Tab
	Elapsed  string
}

// logRow is a line of the log.
type logRow struct{ newswire.LogLine }

// Clock is when it was written, to the second, which is what matters in a log.
func (l logRow) Clock() string { return timeOf(l.Time).UTC().Format("15:04:05") }

type metRow struct {
	newswire.RunArticle
	Title, Path string
}

// linesShown is how many lines of the log are on a page.
const linesShown = 200

// metShown is how many articles are on a page.
const metShown = 25

func (p *pages) showRun(w http.ResponseWriter, r *http.Request) error {
	run, err := p.desk.GetRun(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	names, err := p.desk.RunSiteNames(r.Context(), []newswire.CrawlRun{run})
	if err != nil {
		return err
	}
	data := runPageData{Run: rowsOf([]newswire.CrawlRun{run}, names)[0], Tabs: p.officeTabs(r, "runs"), Problems: r.URL.Query().Get("log") == "problems"}
	if data.Run.Live() {
		data.Elapsed = p.now().Sub(timeOf(run.StartedAt)).Round(time.Second).String()
	} else if r.Header.Get("HX-Request") == "true" {
		w.Header().Set("HX-Refresh", "true") // it is over: the whole page is new
	}
	if err := p.met(r, &data); err != nil {
		return err
	}
	if err := p.log(r, &data); err != nil {
		return err
	}
	return p.site.Render(w, r, p.views, "run", web.Page{
		Title: p.site.T(r, "newswire.run.title", data.Run.SiteName), NoIndex: true, Private: true, Block: "progress", Data: data,
	})
}

// met fills in what the run met.
func (p *pages) met(r *http.Request, data *runPageData) error {
	found, err := p.desk.ArticlesOfRun(r.Context(), data.Run.RunID, newswire.PageOptions{Limit: metShown, Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	articles, err := p.desk.Met(r.Context(), found.Items)
	if err != nil {
		return err
	}
	data.MetNext = found.Next
	for _, m := range found.Items {
		row := metRow{RunArticle: m}
		if a, ok := articles[m.ArticleID]; ok {
			row.Title, row.Path = a.Title, articlePath(a.ArticleID)
		}
		data.Met = append(data.Met, row)
	}
	return nil
}

// log fills in a part of the log.
func (p *pages) log(r *http.Request, data *runPageData) error {
	from, err := strconv.Atoi(r.URL.Query().Get("line"))
	if err != nil || from < 0 {
		from = 0
	}
	text, err := p.desk.RunLog(r.Context(), data.Run.RunID)
	if err != nil {
		if errors.Is(err, errs.NotFound) {
			return nil
		}
		return err
	}
	for raw := range bytes.Lines(text) {
		var line newswire.LogLine
		if err := json.Unmarshal(raw, &line); err != nil {
			return fmt.Errorf("log of run %s: %w", data.Run.RunID, err)
		}
		if data.Problems && line.Level != "error" {
			continue
		}
		data.LinesAll++
		switch {
		case data.LinesAll <= from:
		case len(data.Lines) < linesShown:
			data.Lines = append(data.Lines, logRow{line})
		case data.LineNext == "":
			data.LineNext = strconv.Itoa(from + linesShown)
		}
	}
	return nil
}

// downloadLog answers with the log as it is kept.
func (p *pages) downloadLog(w http.ResponseWriter, r *http.Request) error {
	run, err := p.desk.GetRun(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	text, err := p.desk.RunLog(r.Context(), run.RunID)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Content-Disposition", `attachment; filename="`+fileName(run.SiteID+"-"+run.RunID)+`.ndjson"`)
	h.Set("Cache-Control", "private, no-store")
	_, _ = w.Write(text) // the client may be gone
	return nil
}

// fileName keeps of a text what is harmless in the name of a file.
func fileName(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '_'
	}, text)
}

// outcomes are what can come of an article in a run, the most telling first.
var outcomes = []string{"failed", "new", "updated", "unchanged"}

// Tone is what to think of what came of an article.
func (m metRow) Tone() web.Tone {
	switch slices.Index(outcomes, m.Outcome) {
	case 0:
		return web.Bad
	case 1:
		return web.Good
	case 2:
		return web.Note
	}
	return ""
}
