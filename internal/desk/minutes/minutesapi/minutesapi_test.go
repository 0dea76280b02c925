package minutesapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/minutesapi"
	"pressroom/internal/desk/minutes/minutestest"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/front/fronttest"
	"pressroom/llm"
	"pressroom/model/deploy"
)

// house is an API with the minutes desk in it.
type house struct {
	t     *testing.T
	mux   *front.Mux
	desk  *minutes.Desk
	as    *auth.Account
	trail *trail
}

// trail is what operators did, or why it cannot be told.
type trail struct {
	did    []string
	broken error
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, writer *minutestest.Writer, meetings ...diet.Meeting) *house {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := dynamo.OpenMemory(nil)
	check(t, err)
	store, err := blob.Open("objects", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1, Log: log, Reserve: -1})
	check(t, err)
	t.Cleanup(func() { check(t, errors.Join(store.Close(), db.Close())) })
	objects := blob.Client(store)
	check(t, deploy.Apply(t.Context(), deploy.Store{Tables: db, Objects: objects}, nil, minutes.Schema))
	library := httptest.NewServer(minutestest.Library(meetings...))
	t.Cleanup(library.Close)
	desk, err := minutes.New(db, objects, llm.Validated(writer), &minutes.Options{SourceURL: library.URL, Pause: -1, Log: log})
	check(t, err)
	if len(meetings) > 0 {
		_, err = desk.Collect(t.Context(), "2026-10-01", "2026-11-30", nil)
		check(t, err)
		_, err = desk.Work(t.Context(), minutes.WorkOptions{Once: true})
		check(t, err)
	}
	unlimited := front.Rate{PerSecond: -1}
	h := &house{t: t, desk: desk, trail: &trail{}, mux: front.New(&front.Options{Log: log, PerAddress: unlimited, PerAccount: unlimited})}
	minutesapi.Register(api.New(h.mux, &api.Options{Log: log}), desk, func(_ context.Context, what, id, why string) error {
		h.trail.did = append(h.trail.did, what+" "+id+" "+why)
		return h.trail.broken
	})
	return h
}

// ask sends a request as whoever the house stands for, and wants the status;
// headers are "Name: value".
func (h *house) ask(status int, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	r := httptest.NewRequest(method, "/api/v1/minutes"+path, strings.NewReader(body))
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

func sittings(n int) []diet.Meeting {
	var out []diet.Meeting
	for i := range n {
		out = append(out, minutestest.Sitting(i, fmt.Sprintf("2026-%d-%02d", 10+i%2, i%28+1)))
	}
	return out
}

func TestReading(t *testing.T) {
	meetings := sittings(12)
	h := open(t, &minutestest.Writer{}, meetings...)
	for query, want := range map[string]int{
		"": 12, "month=2026-10": 6, "house=参議院": 6, "meeting=予算委員会&house=参議院": 2, "person=田中花子&from=2026-11-05&until=2026-11-30": 4,
		"keyword=自転車&category=国土交通&session=219&image_kind=会議録": 12, "issue=" + minutestest.Bill: 12, "person=だれか": 0,
	} {
		values, err := url.ParseQuery(query)
		check(t, err)
		if got := read[api.List[minutes.Light]](t, h.ask(200, "GET", "/articles?"+values.Encode(), "")); len(got.Items) != want {
			t.Errorf("%s: %d articles, want %d", query, len(got.Items), want)
		}
	}
	seen := map[string]bool{}
	for cursor := ""; ; {
		page := read[api.List[minutes.Light]](t, h.ask(200, "GET", "/articles?limit=5&house="+url.QueryEscape("参議院")+"&cursor="+cursor, ""))
		for _, l := range page.Items {
			seen[l.ID] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 6 {
		t.Errorf("pages have %d articles", len(seen))
	}
	for _, query := range []string{"month=x", "from=2026-13-01", "until=yesterday", "session=x", "limit=0", "limit=101", "unknown=1", "from=2026-11-02&until=2026-11-01"} {
		h.ask(422, "GET", "/articles?"+query, "")
	}
	h.ask(400, "GET", "/articles?cursor=x", "")

	w := h.ask(200, "GET", "/articles/"+meetings[0].IssueID, "")
	a := read[minutes.Full](t, w)
	if len(a.Asset.Dialogs) != 7 || a.Asset.GeneratedBy.Model != "writer-1" || len(a.Asset.Summary.BasedOnOrders) == 0 || w.Header().Get("ETag") != `"1"` {
		t.Errorf("article: %v %s", w.Header(), w.Body)
	}
	h.ask(304, "GET", "/articles/"+meetings[0].IssueID, "", `If-None-Match: "1"`)
	h.ask(404, "GET", "/articles/none", "")

	p := read[minutesapi.Person](t, h.ask(200, "GET", "/persons/"+url.PathEscape("高橋三郎")+"?limit=3", ""))
	if p.Position != "国土交通大臣" || len(p.Items) != 3 || p.NextCursor == "" || p.Items[0].As.Group != "公道の会" {
		t.Errorf("person: %+v", p)
	}
	h.ask(404, "GET", "/persons/nobody", "")
	timeline := read[api.List[minutes.Light]](t, h.ask(200, "GET", "/issues/"+url.PathEscape(minutestest.Bill), ""))
	if len(timeline.Items) != 12 || timeline.Items[0].Date > timeline.Items[11].Date {
		t.Errorf("timeline: %+v", timeline)
	}
	if f := read[minutesapi.AllFacets](t, h.ask(200, "GET", "/facets", "")); len(f.Houses) != 2 || len(f.Persons) != 3 || f.Categories[0].Count != 12 {
		t.Errorf("facets: %+v", f)
	}
	for _, path := range []string{"/persons", "/issues"} {
		if f := read[minutesapi.Facets](t, h.ask(200, "GET", path, "")); len(f.Items) == 0 {
			t.Errorf("%s is empty", path)
		}
	}
}

// What did not stand up to the record is the operators' alone, until they decide.
func TestDecisions(t *testing.T) {
	m := minutestest.Sitting(1, "2026-11-01")
	failed := minutestest.Sitting(2, "2026-11-02")
	failed.Speeches = nil
	h := open(t, &minutestest.Writer{Change: func(_ string, answer map[string]any) {
		answer["summary"].(map[string]any)["based_on_orders"] = []int{99}
		answer["summary"].(map[string]any)["summary"] = "hidden"
	}}, m, failed)
	for _, who := range []*house{h, h.role(auth.Reader), h.role(auth.Moderator)} {
		for _, path := range []string{"/tasks", "/tasks?status=review", "/tasks/" + m.IssueID, "/tasks/" + m.IssueID + "/draft", "/queue", "/articles/" + m.IssueID} {
			who.ask(404, "GET", path, "")
		}
		who.ask(404, "POST", "/tasks/"+m.IssueID+"/decisions", `{"decision":"publish"}`, "If-Match: *")
		for _, path := range []string{"/articles", "/facets", "/persons", "/issues"} {
			if w := who.ask(200, "GET", path, ""); strings.Contains(w.Body.String(), "hidden") || strings.Contains(w.Body.String(), m.IssueID) {
				t.Errorf("%s: %s", path, w.Body)
			}
		}
	}
	operator := h.role(auth.Operator)
	if q := read[minutesapi.Queue](t, operator.ask(200, "GET", "/queue", "")); q.Review != 1 || q.Failed != 1 || q.Pending+q.Completed != 0 {
		t.Errorf("queue: %+v", q)
	}
	for _, status := range []string{"review", "failed"} {
		list := read[api.List[minutes.Task]](t, operator.ask(200, "GET", "/tasks?status="+status, ""))
		if len(list.Items) != 1 || list.Items[0].LastError == "" {
			t.Errorf("%s: %+v", status, list)
		}
	}
	operator.ask(422, "GET", "/tasks?status=lost", "")
	draft := read[minutes.Draft](t, operator.ask(200, "GET", "/tasks/"+m.IssueID+"/draft", ""))
	if len(draft.Findings) != 1 || !strings.Contains(draft.Answer, "hidden") {
		t.Errorf("draft: %+v", draft)
	}
	operator.ask(404, "GET", "/tasks/"+failed.IssueID+"/draft", "")

	decide := "/tasks/" + m.IssueID + "/decisions"
	tag := operator.ask(200, "GET", "/tasks/"+m.IssueID, "").Header().Get("ETag")
	operator.ask(428, "POST", decide, `{"decision":"publish"}`)
	operator.ask(412, "POST", decide, `{"decision":"publish"}`, `If-Match: "pending-1"`)
	operator.ask(422, "POST", decide, `{"decision":"burn"}`, "If-Match: "+tag)
	operator.ask(404, "POST", "/tasks/none/decisions", `{"decision":"retry"}`, "If-Match: *")

	h.trail.broken = errs.Unavailable
	operator.ask(503, "POST", decide, `{"decision":"publish"}`, "If-Match: "+tag)
	h.ask(404, "GET", "/articles/"+m.IssueID, "")
	h.trail.broken, h.trail.did = nil, nil

	w := operator.ask(202, "POST", decide, `{"decision":"publish","why":"the rest is right"}`, "If-Match: "+tag)
	if task := read[minutes.Task](t, w); task.Status != minutes.Completed || !strings.HasSuffix(w.Header().Get("Location"), "/minutes/tasks/"+m.IssueID) {
		t.Errorf("decided: %v %s", w.Header(), w.Body)
	}
	if diff := cmp.Diff([]string{"publish " + m.IssueID + " the rest is right"}, h.trail.did); diff != "" {
		t.Error(diff)
	}
	if w := h.ask(200, "GET", "/articles/"+m.IssueID, ""); strings.Contains(w.Body.String(), "hidden") {
		t.Error("what does not stand up to the record is published")
	}
	operator.ask(409, "POST", decide, `{"decision":"publish"}`, "If-Match: *")
	operator.ask(202, "POST", decide, `{"decision":"rebuild"}`, "If-Match: *")
}

// Who may come in, written down a second time.
func TestDoors(t *testing.T) {
	h := open(t, &minutestest.Writer{})
	table := map[string]auth.Role{}
	for _, r := range h.mux.Routes() {
		if !strings.Contains(r.Pattern, "/minutes/") {
			table[r.Pattern] = r.Access // the shell's own
		}
	}
	for role, patterns := range map[auth.Role]string{
		auth.Everyone: `GET articles|GET articles/{id}|GET persons|GET persons/{name}|GET issues|GET issues/{issue}|GET facets`,
		auth.Operator: `GET tasks|GET tasks/{id}|GET tasks/{id}/draft|POST tasks/{id}/decisions|GET queue`,
	} {
		for pattern := range strings.SplitSeq(patterns, "|") {
			method, path, _ := strings.Cut(pattern, " ")
			table[method+" /api/v1/minutes/"+path] = role
		}
	}
	fronttest.Matrix(t, h.mux, table)
}
