package newswireapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/api/apitest"
	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/desk/newswire/newswireapi"
	"pressroom/internal/rights"
	"pressroom/llm/builtin"
)

// house is an API with the newswire in it, and a paper on loopback to crawl.
type house struct {
	*apitest.House
	desk  *newswire.Desk
	paper string
	notes *notes
}

// notes are what was put on record.
type notes struct {
	mu   sync.Mutex
	list []string
	fail error
}

func (n *notes) note(_ context.Context, what, subject, _ string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, what+" "+subject)
	return n.fail
}

func open(t *testing.T) house {
	t.Helper()
	paper := httptest.NewServer(http.HandlerFunc(servePaper))
	t.Cleanup(paper.Close)
	h := house{House: apitest.Open(t, "/api/v1/newswire", newswire.Schema), paper: paper.URL, notes: &notes{}}
	var err error
	h.desk, err = newswire.New(h.DB, h.Objects, &newswire.Options{
		Log: h.Log, Model: builtin.New(), Outbound: &newswire.Outbound{Allow: []string{strings.TrimPrefix(paper.URL, "http://")}},
	})
	apitest.Check(t, err)
	t.Cleanup(h.desk.Close)
	newswireapi.Register(h.API, h.desk, h.notes.note)
	return h
}

// servePaper is a paper with two articles, a page that fails and a robots.txt.
func servePaper(w http.ResponseWriter, r *http.Request) {
	article := func(title string) {
		body := strings.Repeat("<p>The council of "+title+" agreed on a budget for roads, schools and the harbour after a long debate. Members spoke about bridges, trams and the library.</p>", 6)
		fmt.Fprintf(w, `<html><head><title>%[1]s</title><meta property="og:type" content="article"><meta property="article:published_time" content="2026-11-01T00:00:00Z"></head><body><article><h1>%[1]s</h1>%[2]s</article></body></html>`, title, body)
	}
	w.Header().Set("Content-Type", "text/html")
	switch r.URL.Path {
	case "/":
		_, _ = io.WriteString(w, `<html><title>Paper</title><a href="/a">A</a> <a href="/b">B</a> <a href="/broken">C</a>`)
	case "/a":
		article("Alpha")
	case "/b":
		article("Beta")
	case "/broken":
		http.Error(w, "broken", http.StatusInternalServerError)
	case "/robots.txt":
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /secret\n")
	default:
		http.NotFound(w, r)
	}
}

func (h house) fields(rest string) string {
	return fmt.Sprintf(`"name":"Paper","category":"news","baseUrl":%q,"requestIntervalMs":0%s`, h.paper+"/", rest)
}

// crawled opens a house whose paper was crawled and summarised.
func crawled(t *testing.T) (h house, run newswire.CrawlRun) {
	t.Helper()
	h = open(t)
	operator := h.Role(auth.Operator)
	operator.Ask(201, "POST", "/sites", `{"siteId":"paper",`+h.fields("")+`}`)
	w := operator.Ask(202, "POST", "/api/v1/crawls", `{"siteId":"paper"}`)
	location := w.Header().Get("Location")
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		run = apitest.Read[newswire.CrawlRun](t, operator.Ask(200, "GET", location, ""))
		if run.Status != newswire.Running {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the run does not end")
		}
	}
	_, err := h.desk.Summarise(context.WithoutCancel(t.Context()), 10)
	apitest.Check(t, err)
	return h, run
}

func TestSites(t *testing.T) {
	h := open(t)
	operator := h.Role(auth.Operator)
	preview := apitest.Read[newswireapi.Preview](t, operator.Ask(200, "POST", "/previews", `{`+h.fields(`,"allowedPaths":["/","/secret"]`)+`}`))
	if !preview.Robots.Reachable || !preview.Robots.Paths["/"] || preview.Robots.Paths["/secret"] || preview.Article == nil || len(preview.Links) == 0 {
		t.Errorf("preview: %+v", preview)
	}
	w := operator.Ask(201, "POST", "/sites", `{"siteId":"paper",`+h.fields(`,"crawlWindows":[{"start":"06:30","end":"07:15"}],"timezone":"Asia/Tokyo"`)+`}`)
	if w.Header().Get("Location") != "/api/v1/newswire/sites/paper" || w.Header().Get("ETag") != `"1"` {
		t.Errorf("created: %v", w.Header())
	}
	operator.Ask(409, "POST", "/sites", `{"siteId":"paper",`+h.fields("")+`}`)
	w = operator.Ask(422, "POST", "/sites", `{"siteId":"No",`+h.fields(`,"crawlWindows":[{"start":"6","end":"7"}]`)+`}`)
	for _, field := range []string{"siteId", "crawlWindows[0]"} {
		if !strings.Contains(w.Body.String(), field) {
			t.Errorf("no %s in %s", field, w.Body)
		}
	}
	operator.Ask(422, "POST", "/sites", `{"siteId":"inside",`+strings.Replace(h.fields(""), h.paper, "http://169.254.169.254", 1)+`}`)
	operator.Ask(428, "PUT", "/sites/paper", `{`+h.fields("")+`}`)
	operator.Ask(412, "PUT", "/sites/paper", `{`+h.fields("")+`}`, `If-Match: "7"`)
	if s := apitest.Read[newswireapi.Site](t, operator.Ask(200, "PUT", "/sites/paper", `{`+h.fields(`,"paused":true`)+`}`, `If-Match: "1"`)); !s.Paused || len(s.CrawlWindows) != 0 {
		t.Errorf("edited: %+v", s)
	}
	if s := apitest.Read[newswireapi.Site](t, operator.Ask(200, "PUT", "/sites/paper", `{`+h.fields(`,"basis":{"kind":"permission","from":"The Paper","until":"2027-03-31","scope":["text"]}`)+`}`, `If-Match: "2"`)); s.Basis.From != "The Paper" {
		t.Errorf("edited: %+v", s.Basis)
	}
	if s := apitest.Read[newswireapi.Site](t, operator.Ask(200, "PUT", "/sites/paper", `{`+h.fields("")+`}`, `If-Match: "3"`)); s.Basis.Kind != rights.Permission {
		t.Errorf("an edit that says nothing of the basis changes it: %+v", s.Basis)
	}
	if w := operator.Ask(422, "PUT", "/sites/paper", `{`+h.fields(`,"basis":{"kind":"licence"}`)+`}`, `If-Match: "4"`); !strings.Contains(w.Body.String(), "basis.licence") {
		t.Errorf("half a basis: %s", w.Body)
	}
	before := apitest.Read[newswireapi.Signals](t, operator.Ask(200, "GET", "/sites/paper/signals", ""))
	if len(before.Said) != 0 || !before.ReadAt.IsZero() || len(before.Rulings) != len(rights.Uses()) || !before.Rulings[3].Allowed || before.Rulings[3].Because.Basis != rights.Permission {
		t.Errorf("signals of a site that was not asked: %+v", before)
	}
	_, err := h.desk.ReadSignals(t.Context(), "paper")
	if apitest.Check(t, err); apitest.Read[newswireapi.Signals](t, operator.Ask(200, "GET", "/sites/paper/signals", "")).ReadAt.IsZero() {
		t.Error("it is not said when the site was asked")
	}
	for _, path := range []string{"/sites", "/sites?category=news"} {
		if list := apitest.Read[api.List[newswireapi.Site]](t, operator.Ask(200, "GET", path, "")); len(list.Items) != 1 || list.Items[0].SiteID != "paper" {
			t.Errorf("%s: %+v", path, list)
		}
	}
	operator.Ask(400, "GET", "/sites?cursor=x", "")
	operator.Ask(204, "DELETE", "/sites/paper", "", "If-Match: *")
	operator.Ask(404, "GET", "/sites/paper", "")
	operator.Ask(422, "POST", "/api/v1/crawls", `{"siteId":"paper"}`)
}

func TestReading(t *testing.T) {
	h, _ := crawled(t)
	for _, path := range []string{"", "?site=paper", "?category=news", "?status=summarized"} {
		list := apitest.Read[api.List[newswireapi.Article]](t, h.Ask(200, "GET", "/articles"+path, ""))
		if len(list.Items) != 2 || list.Items[0].Summary == nil || list.Items[0].Source.Name != "Paper" {
			t.Errorf("%s: %+v", path, list)
		}
	}
	h.Ask(422, "GET", "/articles?site=paper&topic=x", "")
	first := apitest.Read[api.List[newswireapi.Article]](t, h.Ask(200, "GET", "/articles?limit=1", ""))
	second := apitest.Read[api.List[newswireapi.Article]](t, h.Ask(200, "GET", "/articles?limit=1&cursor="+first.NextCursor, ""))
	if len(second.Items) != 1 || second.Items[0].ID == first.Items[0].ID || second.NextCursor != "" {
		t.Errorf("second page: %+v", second)
	}
	path := "/articles/" + first.Items[0].ID
	w := h.Ask(200, "GET", path, "")
	a := apitest.Read[newswireapi.Reading](t, w)
	if a.Body != "" || a.Summary == nil || !a.Summary.Cut || len(a.Summary.Text) > 120 || a.Summary.Notice["ja"] == "" || a.Summary.Confidence != nil || a.Summary.Reasons != nil || len(a.Summary.Keywords) == 0 || a.Source.URL == "" {
		t.Errorf("article: %s", w.Body)
	}
	// Where copies are kept is nobody's business.
	for _, secret := range []string{"raw-html/", "prompts/", "s3"} {
		if strings.Contains(w.Body.String(), secret) {
			t.Errorf("%s is told: %s", secret, w.Body)
		}
	}
	tag := w.Header().Get("ETag")
	h.Ask(304, "GET", path, "", "If-None-Match: "+tag)
	h.Role(auth.Reader).Ask(304, "GET", path, "", "If-None-Match: "+tag)
	// Who works on it gets the whole, and not what a reader has kept.
	for _, role := range []auth.Role{auth.Author, auth.Moderator, auth.Operator} {
		w = h.Role(role).Ask(200, "GET", path, "", "If-None-Match: "+tag)
		if whole := apitest.Read[newswireapi.Reading](t, w); !strings.Contains(whole.Body, "bridges, trams") || whole.Summary.Cut || len(whole.Summary.Text) <= len(a.Summary.Text) {
			t.Errorf("%s gets %s", role, w.Body)
		}
	}
	tag = w.Header().Get("ETag")
	moderator := h.Role(auth.Moderator)
	moderator.Ask(412, "PUT", path+"/topics", `{"topics":["Budget"]}`, `If-Match: "99"`)
	if a := apitest.Read[newswireapi.Reading](t, moderator.Ask(200, "PUT", path+"/topics", `{"topics":["Budget","budget"]}`, "If-Match: "+tag)); len(a.Topics) != 1 || a.Topics[0] != "budget" {
		t.Errorf("topics: %v", a.Topics)
	}
	if list := apitest.Read[api.List[newswireapi.Article]](t, h.Ask(200, "GET", "/articles?topic=BUDGET", "")); len(list.Items) != 1 {
		t.Errorf("by topic: %+v", list)
	}
	if all := apitest.Read[newswireapi.Summaries](t, h.Ask(200, "GET", path+"/summaries", "")); len(all.Items) != 1 {
		t.Errorf("summaries: %+v", all)
	}
	h.Ask(404, "GET", "/articles/nobody", "")
}

func TestRunsAndRetries(t *testing.T) {
	h, run := crawled(t)
	operator := h.Role(auth.Operator)
	if run.Status != newswire.Partial || run.NewArticles != 2 || run.TriggerType != newswire.Manual {
		t.Errorf("run: %+v", run)
	}
	for _, path := range []string{"", "?site=paper", "?status=partial"} {
		if list := apitest.Read[api.List[newswire.CrawlRun]](t, operator.Ask(200, "GET", "/runs"+path, "")); len(list.Items) != 1 {
			t.Errorf("runs%s: %+v", path, list)
		}
	}
	operator.Ask(422, "GET", "/runs?site=paper&status=failed", "")
	if met := apitest.Read[api.List[newswire.RunArticle]](t, operator.Ask(200, "GET", "/runs/"+run.RunID+"/articles", "")); len(met.Items) != 3 {
		t.Errorf("met: %+v", met)
	}
	var lines int
	for path, cursor := "/runs/"+run.RunID+"/log?limit=3", ""; ; {
		page := apitest.Read[api.List[newswire.LogLine]](t, operator.Ask(200, "GET", path+"&cursor="+cursor, ""))
		if lines += len(page.Items); page.NextCursor == "" {
			break
		}
		cursor = page.NextCursor
	}
	text, err := h.desk.RunLog(t.Context(), run.RunID)
	if apitest.Check(t, err); lines != strings.Count(string(text), "\n") || lines < 5 {
		t.Errorf("%d lines of %q", lines, text)
	}
	operator.Ask(400, "GET", "/runs/"+run.RunID+"/log?cursor=-1", "")

	list := apitest.Read[api.List[newswire.Retry]](t, operator.Ask(200, "GET", "/retries", ""))
	if len(list.Items) != 1 || list.Items[0].FailureType != newswire.FailedFetch || list.Items[0].AttemptCount != 1 {
		t.Fatalf("retries: %+v", list)
	}
	path := "/retries/fetch/" + list.Items[0].ArticleID
	operator.Ask(204, "POST", path+"/requeue", "")
	if list := apitest.Read[api.List[newswire.Retry]](t, operator.Ask(200, "GET", "/retries?kind=fetch", "")); list.Items[0].AttemptCount != 0 {
		t.Errorf("requeued: %+v", list)
	}
	operator.Ask(204, "DELETE", path, "")
	operator.Ask(404, "DELETE", path, "")
	operator.Ask(422, "DELETE", "/retries/other/x", "")
}

// What cannot be put on record is not done.
func TestRecord(t *testing.T) {
	h, _ := crawled(t)
	operator := h.Role(auth.Operator)
	if got := strings.Join(h.notes.list, ", "); got != "add site paper, crawl site paper" {
		t.Errorf("on record: %s", got)
	}
	h.notes.fail = errors.New("the record is full")
	retries, err := h.desk.RetryBacklog(t.Context(), "", newswire.PageOptions{})
	apitest.Check(t, err)
	retry := "/retries/fetch/" + retries.Items[0].ArticleID
	operator.Ask(500, "POST", "/sites", `{"siteId":"other",`+h.fields("")+`}`)
	operator.Ask(500, "PUT", "/sites/paper", `{`+h.fields(`,"paused":true`)+`}`, "If-Match: *")
	operator.Ask(500, "DELETE", "/sites/paper", "", "If-Match: *")
	operator.Ask(500, "POST", "/api/v1/crawls", `{"siteId":"paper"}`)
	operator.Ask(500, "POST", retry+"/requeue", "")
	operator.Ask(500, "DELETE", retry, "")
	s, err := h.desk.GetSite(t.Context(), "paper")
	if apitest.Check(t, err); s.Version != 1 {
		t.Errorf("the site was changed: %+v", s)
	}
	if after, err := h.desk.RetryBacklog(t.Context(), "", newswire.PageOptions{}); err != nil || len(after.Items) != 1 || after.Items[0].AttemptCount != 1 {
		t.Errorf("retries: %+v, %v", after, err)
	}
	if runs, err := h.desk.Runs(t.Context(), newswire.PageOptions{}); err != nil || len(runs.Items) != 1 {
		t.Errorf("runs: %+v, %v", runs, err)
	}
}

// Who may come in, written down a second time.
func TestDoors(t *testing.T) {
	open(t).Doors(map[auth.Role]string{
		auth.Everyone:  `GET /articles|GET /articles/{id}|GET /articles/{id}/summaries`,
		auth.Moderator: `PUT /articles/{id}/topics`,
		auth.Operator: `GET /sites|POST /sites|GET /sites/{id}|GET /sites/{id}/signals|PUT /sites/{id}|DELETE /sites/{id}|POST /previews|POST /api/v1/crawls|GET /runs|` +
			`GET /runs/{id}|GET /runs/{id}/articles|GET /runs/{id}/log|GET /retries|POST /retries/{kind}/{id}/requeue|` +
			`DELETE /retries/{kind}/{id}`,
	})
}
