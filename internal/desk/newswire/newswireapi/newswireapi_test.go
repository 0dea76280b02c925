package newswireapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/desk/newswire/newswireapi"
	"pressroom/internal/front"
	"pressroom/internal/front/fronttest"
	"pressroom/llm/builtin"
	"pressroom/model/deploy"
)

// house is an API with the newswire in it, and a paper on loopback to crawl.
type house struct {
	t     *testing.T
	mux   *front.Mux
	desk  *newswire.Desk
	paper string
	as    *auth.Account
	notes *notes
}

// notes are what was put on record.
type notes struct {
	mu   sync.Mutex
	list []string
	fail error
}

func (h *house) note(_ context.Context, what, subject, _ string) error {
	h.notes.mu.Lock()
	defer h.notes.mu.Unlock()
	h.notes.list = append(h.notes.list, what+" "+subject)
	return h.notes.fail
}

func open(t *testing.T) *house {
	t.Helper()
	paper := httptest.NewServer(http.HandlerFunc(servePaper))
	t.Cleanup(paper.Close)
	db, err := dynamo.OpenMemory(nil)
	check(t, err)
	store, err := blob.Open("blobs", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1})
	check(t, err)
	t.Cleanup(func() { check(t, errors.Join(store.Close(), db.Close())) })
	objects := blob.Client(store)
	check(t, deploy.Apply(t.Context(), deploy.Store{Tables: db, Objects: objects}, nil, newswire.Schema))
	log := slog.New(slog.DiscardHandler)
	desk, err := newswire.New(db, objects, &newswire.Options{
		Log: log, Model: builtin.New(), Outbound: &newswire.Outbound{Allow: []string{strings.TrimPrefix(paper.URL, "http://")}},
	})
	check(t, err)
	t.Cleanup(desk.Close)
	unlimited := front.Rate{PerSecond: -1}
	h := &house{t: t, desk: desk, notes: &notes{}, paper: paper.URL, mux: front.New(&front.Options{Log: log, PerAddress: unlimited, PerAccount: unlimited})}
	newswireapi.Register(api.New(h.mux, &api.Options{Log: log}), desk, h.note)
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

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ask sends a request as whoever the house stands for, and wants the status;
// headers are "Name: value".
func (h *house) ask(status int, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	r := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	if h.as != nil {
		r = r.WithContext(auth.With(r.Context(), h.as))
	}
	w := httptest.NewRecorder()
	h.mux.ServeHTTP(w, r)
	if w.Code != status {
		h.t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, status, w.Body)
	}
	return w
}

func (h *house) role(r auth.Role) *house {
	as := *h
	as.as = &auth.Account{ID: "id-" + r.String(), Name: r.String(), Role: r}
	return &as
}

func read[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	check(t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

func (h *house) fields(rest string) string {
	return fmt.Sprintf(`"name":"Paper","category":"news","baseUrl":%q,"requestIntervalMs":0%s`, h.paper+"/", rest)
}

// crawled opens a house whose paper was crawled and summarised.
func crawled(t *testing.T) (h *house, run newswire.CrawlRun) {
	t.Helper()
	h = open(t)
	operator := h.role(auth.Operator)
	operator.ask(201, "POST", "/newswire/sites", `{"siteId":"paper",`+h.fields("")+`}`)
	w := operator.ask(202, "POST", "/crawls", `{"siteId":"paper"}`)
	location := strings.TrimPrefix(w.Header().Get("Location"), "/api/v1")
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		run = read[newswire.CrawlRun](t, operator.ask(200, "GET", location, ""))
		if run.Status != newswire.Running {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the run does not end")
		}
	}
	_, err := h.desk.Summarise(context.WithoutCancel(t.Context()), 10)
	check(t, err)
	return h, run
}

func TestSites(t *testing.T) {
	h := open(t)
	operator := h.role(auth.Operator)
	preview := read[newswireapi.Preview](t, operator.ask(200, "POST", "/newswire/previews", `{`+h.fields(`,"allowedPaths":["/","/secret"]`)+`}`))
	if !preview.Robots.Reachable || !preview.Robots.Paths["/"] || preview.Robots.Paths["/secret"] || preview.Article == nil || len(preview.Links) == 0 {
		t.Errorf("preview: %+v", preview)
	}
	w := operator.ask(201, "POST", "/newswire/sites", `{"siteId":"paper",`+h.fields(`,"crawlWindows":[{"start":"06:30","end":"07:15"}],"timezone":"Asia/Tokyo"`)+`}`)
	if w.Header().Get("Location") != "/api/v1/newswire/sites/paper" || w.Header().Get("ETag") != `"1"` {
		t.Errorf("created: %v", w.Header())
	}
	operator.ask(409, "POST", "/newswire/sites", `{"siteId":"paper",`+h.fields("")+`}`)
	w = operator.ask(422, "POST", "/newswire/sites", `{"siteId":"No",`+h.fields(`,"crawlWindows":[{"start":"6","end":"7"}]`)+`}`)
	for _, field := range []string{"siteId", "crawlWindows[0]"} {
		if !strings.Contains(w.Body.String(), field) {
			t.Errorf("no %s in %s", field, w.Body)
		}
	}
	operator.ask(422, "POST", "/newswire/sites", `{"siteId":"inside",`+strings.Replace(h.fields(""), h.paper, "http://169.254.169.254", 1)+`}`)
	operator.ask(428, "PUT", "/newswire/sites/paper", `{`+h.fields("")+`}`)
	operator.ask(412, "PUT", "/newswire/sites/paper", `{`+h.fields("")+`}`, `If-Match: "7"`)
	if s := read[newswireapi.Site](t, operator.ask(200, "PUT", "/newswire/sites/paper", `{`+h.fields(`,"paused":true`)+`}`, `If-Match: "1"`)); !s.Paused || len(s.CrawlWindows) != 0 {
		t.Errorf("edited: %+v", s)
	}
	for _, path := range []string{"/newswire/sites", "/newswire/sites?category=news"} {
		if list := read[api.List[newswireapi.Site]](t, operator.ask(200, "GET", path, "")); len(list.Items) != 1 || list.Items[0].SiteID != "paper" {
			t.Errorf("%s: %+v", path, list)
		}
	}
	operator.ask(400, "GET", "/newswire/sites?cursor=x", "")
	operator.ask(204, "DELETE", "/newswire/sites/paper", "", "If-Match: *")
	operator.ask(404, "GET", "/newswire/sites/paper", "")
	operator.ask(422, "POST", "/crawls", `{"siteId":"paper"}`)
}

func TestReading(t *testing.T) {
	h, _ := crawled(t)
	for _, path := range []string{"", "?site=paper", "?category=news", "?status=summarized"} {
		list := read[api.List[newswireapi.Article]](t, h.ask(200, "GET", "/newswire/articles"+path, ""))
		if len(list.Items) != 2 || list.Items[0].Summary == nil || list.Items[0].Source.Name != "Paper" {
			t.Errorf("%s: %+v", path, list)
		}
	}
	h.ask(422, "GET", "/newswire/articles?site=paper&topic=x", "")
	first := read[api.List[newswireapi.Article]](t, h.ask(200, "GET", "/newswire/articles?limit=1", ""))
	second := read[api.List[newswireapi.Article]](t, h.ask(200, "GET", "/newswire/articles?limit=1&cursor="+first.NextCursor, ""))
	if len(second.Items) != 1 || second.Items[0].ID == first.Items[0].ID || second.NextCursor != "" {
		t.Errorf("second page: %+v", second)
	}
	path := "/newswire/articles/" + first.Items[0].ID
	w := h.ask(200, "GET", path, "")
	a := read[newswireapi.Reading](t, w)
	if a.Body != "" || a.Summary == nil || !a.Summary.Cut || len(a.Summary.Text) > 120 || a.Summary.Notice["ja"] == "" || a.Summary.Confidence <= 0 || a.Source.URL == "" {
		t.Errorf("article: %s", w.Body)
	}
	// Where copies are kept is nobody's business.
	for _, secret := range []string{"raw-html/", "prompts/", "s3"} {
		if strings.Contains(w.Body.String(), secret) {
			t.Errorf("%s is told: %s", secret, w.Body)
		}
	}
	tag := w.Header().Get("ETag")
	h.ask(304, "GET", path, "", "If-None-Match: "+tag)
	h.role(auth.Reader).ask(304, "GET", path, "", "If-None-Match: "+tag)
	// Who works on it gets the whole, and not what a reader has kept.
	for _, role := range []auth.Role{auth.Author, auth.Moderator, auth.Operator} {
		w = h.role(role).ask(200, "GET", path, "", "If-None-Match: "+tag)
		if whole := read[newswireapi.Reading](t, w); !strings.Contains(whole.Body, "bridges, trams") || whole.Summary.Cut || len(whole.Summary.Text) <= len(a.Summary.Text) {
			t.Errorf("%s gets %s", role, w.Body)
		}
	}
	tag = w.Header().Get("ETag")
	moderator := h.role(auth.Moderator)
	moderator.ask(412, "PUT", path+"/topics", `{"topics":["Budget"]}`, `If-Match: "99"`)
	if a := read[newswireapi.Reading](t, moderator.ask(200, "PUT", path+"/topics", `{"topics":["Budget","budget"]}`, "If-Match: "+tag)); len(a.Topics) != 1 || a.Topics[0] != "budget" {
		t.Errorf("topics: %v", a.Topics)
	}
	if list := read[api.List[newswireapi.Article]](t, h.ask(200, "GET", "/newswire/articles?topic=BUDGET", "")); len(list.Items) != 1 {
		t.Errorf("by topic: %+v", list)
	}
	if all := read[newswireapi.Summaries](t, h.ask(200, "GET", path+"/summaries", "")); len(all.Items) != 1 {
		t.Errorf("summaries: %+v", all)
	}
	h.ask(404, "GET", "/newswire/articles/nobody", "")
}

func TestRunsAndRetries(t *testing.T) {
	h, run := crawled(t)
	operator := h.role(auth.Operator)
	if run.Status != newswire.Partial || run.NewArticles != 2 || run.TriggerType != newswire.Manual {
		t.Errorf("run: %+v", run)
	}
	for _, path := range []string{"", "?site=paper", "?status=partial"} {
		if list := read[api.List[newswire.CrawlRun]](t, operator.ask(200, "GET", "/newswire/runs"+path, "")); len(list.Items) != 1 {
			t.Errorf("runs%s: %+v", path, list)
		}
	}
	operator.ask(422, "GET", "/newswire/runs?site=paper&status=failed", "")
	if met := read[api.List[newswire.RunArticle]](t, operator.ask(200, "GET", "/newswire/runs/"+run.RunID+"/articles", "")); len(met.Items) != 3 {
		t.Errorf("met: %+v", met)
	}
	var lines int
	for path, cursor := "/newswire/runs/"+run.RunID+"/log?limit=3", ""; ; {
		page := read[api.List[newswire.LogLine]](t, operator.ask(200, "GET", path+"&cursor="+cursor, ""))
		if lines += len(page.Items); page.NextCursor == "" {
			break
		}
		cursor = page.NextCursor
	}
	text, err := h.desk.RunLog(t.Context(), run.RunID)
	if check(t, err); lines != strings.Count(string(text), "\n") || lines < 5 {
		t.Errorf("%d lines of %q", lines, text)
	}
	operator.ask(400, "GET", "/newswire/runs/"+run.RunID+"/log?cursor=-1", "")

	list := read[api.List[newswire.Retry]](t, operator.ask(200, "GET", "/newswire/retries", ""))
	if len(list.Items) != 1 || list.Items[0].FailureType != newswire.FailedFetch || list.Items[0].AttemptCount != 1 {
		t.Fatalf("retries: %+v", list)
	}
	path := "/newswire/retries/fetch/" + list.Items[0].ArticleID
	operator.ask(204, "POST", path+"/requeue", "")
	if list := read[api.List[newswire.Retry]](t, operator.ask(200, "GET", "/newswire/retries?kind=fetch", "")); list.Items[0].AttemptCount != 0 {
		t.Errorf("requeued: %+v", list)
	}
	operator.ask(204, "DELETE", path, "")
	operator.ask(404, "DELETE", path, "")
	operator.ask(422, "DELETE", "/newswire/retries/other/x", "")
}

// What cannot be put on record is not done.
func TestRecord(t *testing.T) {
	h, _ := crawled(t)
	operator := h.role(auth.Operator)
	if got := strings.Join(h.notes.list, ", "); got != "add site paper, crawl site paper" {
		t.Errorf("on record: %s", got)
	}
	h.notes.fail = errors.New("the record is full")
	retries, err := h.desk.RetryBacklog(t.Context(), "", newswire.PageOptions{})
	check(t, err)
	retry := "/newswire/retries/fetch/" + retries.Items[0].ArticleID
	operator.ask(500, "POST", "/newswire/sites", `{"siteId":"other",`+h.fields("")+`}`)
	operator.ask(500, "PUT", "/newswire/sites/paper", `{`+h.fields(`,"paused":true`)+`}`, "If-Match: *")
	operator.ask(500, "DELETE", "/newswire/sites/paper", "", "If-Match: *")
	operator.ask(500, "POST", "/crawls", `{"siteId":"paper"}`)
	operator.ask(500, "POST", retry+"/requeue", "")
	operator.ask(500, "DELETE", retry, "")
	s, err := h.desk.GetSite(t.Context(), "paper")
	if check(t, err); s.Version != 1 {
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
	h := open(t)
	table := map[string]auth.Role{
		"GET /api/v1/newswire/articles":                     auth.Everyone,
		"GET /api/v1/newswire/articles/{id}":                auth.Everyone,
		"GET /api/v1/newswire/articles/{id}/summaries":      auth.Everyone,
		"PUT /api/v1/newswire/articles/{id}/topics":         auth.Moderator,
		"GET /api/v1/newswire/sites":                        auth.Operator,
		"POST /api/v1/newswire/sites":                       auth.Operator,
		"GET /api/v1/newswire/sites/{id}":                   auth.Operator,
		"PUT /api/v1/newswire/sites/{id}":                   auth.Operator,
		"DELETE /api/v1/newswire/sites/{id}":                auth.Operator,
		"POST /api/v1/newswire/previews":                    auth.Operator,
		"POST /api/v1/crawls":                               auth.Operator,
		"GET /api/v1/newswire/runs":                         auth.Operator,
		"GET /api/v1/newswire/runs/{id}":                    auth.Operator,
		"GET /api/v1/newswire/runs/{id}/articles":           auth.Operator,
		"GET /api/v1/newswire/runs/{id}/log":                auth.Operator,
		"GET /api/v1/newswire/retries":                      auth.Operator,
		"POST /api/v1/newswire/retries/{kind}/{id}/requeue": auth.Operator,
		"DELETE /api/v1/newswire/retries/{kind}/{id}":       auth.Operator,
	}
	for _, r := range h.mux.Routes() {
		if !strings.Contains(r.Pattern, "/newswire/") && !strings.Contains(r.Pattern, "/crawls") {
			table[r.Pattern] = r.Access // the shell's own
		}
	}
	fronttest.Matrix(t, h.mux, table)
}
