package minutesapi_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/api"
	"pressroom/internal/api/apitest"
	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/minutesapi"
	"pressroom/internal/desk/minutes/minutestest"
	"pressroom/internal/errs"
	"pressroom/llm"
)

// house is an API with the minutes desk in it.
type house struct {
	*apitest.House
	desk  *minutes.Desk
	trail *trail
}

// trail is what operators did, or why it cannot be told.
type trail struct {
	did    []string
	broken error
}

func open(t *testing.T, writer *minutestest.Writer, meetings ...diet.Meeting) house {
	t.Helper()
	h := house{House: apitest.Open(t, "/api/v1/minutes", minutes.Schema), trail: &trail{}}
	library := httptest.NewServer(minutestest.Library(meetings...))
	t.Cleanup(library.Close)
	var err error
	h.desk, err = minutes.New(h.DB, h.Objects, llm.Validated(writer), &minutes.Options{SourceURL: library.URL, Pause: -1, Log: h.Log})
	apitest.Check(t, err)
	if len(meetings) > 0 {
		_, err = h.desk.Collect(t.Context(), "2026-10-01", "2026-11-30", nil)
		apitest.Check(t, err)
		_, err = h.desk.Work(t.Context(), minutes.WorkOptions{Once: true})
		apitest.Check(t, err)
	}
	minutesapi.Register(h.API, h.desk, func(_ context.Context, what, id, why string) error {
		h.trail.did = append(h.trail.did, what+" "+id+" "+why)
		return h.trail.broken
	})
	return h
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
		apitest.Check(t, err)
		if got := apitest.Read[api.List[minutes.Light]](t, h.Ask(200, "GET", "/articles?"+values.Encode(), "")); len(got.Items) != want {
			t.Errorf("%s: %d articles, want %d", query, len(got.Items), want)
		}
	}
	seen := map[string]bool{}
	for cursor := ""; ; {
		page := apitest.Read[api.List[minutes.Light]](t, h.Ask(200, "GET", "/articles?limit=5&house="+url.QueryEscape("参議院")+"&cursor="+cursor, ""))
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
		h.Ask(422, "GET", "/articles?"+query, "")
	}
	h.Ask(400, "GET", "/articles?cursor=x", "")

	w := h.Ask(200, "GET", "/articles/"+meetings[0].IssueID, "")
	a := apitest.Read[minutes.Full](t, w)
	if len(a.Asset.Dialogs) != 7 || a.Asset.GeneratedBy.Model != "writer-1" || len(a.Asset.Summary.BasedOnOrders) == 0 || w.Header().Get("ETag") != `"1"` {
		t.Errorf("article: %v %s", w.Header(), w.Body)
	}
	h.Ask(304, "GET", "/articles/"+meetings[0].IssueID, "", `If-None-Match: "1"`)
	h.Ask(404, "GET", "/articles/none", "")

	p := apitest.Read[minutesapi.Person](t, h.Ask(200, "GET", "/persons/"+url.PathEscape("高橋三郎")+"?limit=3", ""))
	if p.Position != "国土交通大臣" || len(p.Items) != 3 || p.NextCursor == "" || p.Items[0].As.Group != "公道の会" {
		t.Errorf("person: %+v", p)
	}
	h.Ask(404, "GET", "/persons/nobody", "")
	timeline := apitest.Read[api.List[minutes.Light]](t, h.Ask(200, "GET", "/issues/"+url.PathEscape(minutestest.Bill), ""))
	if len(timeline.Items) != 12 || timeline.Items[0].Date > timeline.Items[11].Date {
		t.Errorf("timeline: %+v", timeline)
	}
	if f := apitest.Read[minutesapi.AllFacets](t, h.Ask(200, "GET", "/facets", "")); len(f.Houses) != 2 || len(f.Persons) != 3 || f.Categories[0].Count != 12 {
		t.Errorf("facets: %+v", f)
	}
	for _, path := range []string{"/persons", "/issues"} {
		if f := apitest.Read[minutesapi.Facets](t, h.Ask(200, "GET", path, "")); len(f.Items) == 0 {
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
	for _, who := range []*apitest.House{h.House, h.Role(auth.Reader), h.Role(auth.Moderator)} {
		for _, path := range []string{"/tasks", "/tasks?status=review", "/tasks/" + m.IssueID, "/tasks/" + m.IssueID + "/draft", "/queue", "/articles/" + m.IssueID} {
			who.Ask(404, "GET", path, "")
		}
		who.Ask(404, "POST", "/tasks/"+m.IssueID+"/decisions", `{"decision":"publish"}`, "If-Match: *")
		for _, path := range []string{"/articles", "/facets", "/persons", "/issues"} {
			if w := who.Ask(200, "GET", path, ""); strings.Contains(w.Body.String(), "hidden") || strings.Contains(w.Body.String(), m.IssueID) {
				t.Errorf("%s: %s", path, w.Body)
			}
		}
	}
	operator := h.Role(auth.Operator)
	if q := apitest.Read[minutesapi.Queue](t, operator.Ask(200, "GET", "/queue", "")); q.Review != 1 || q.Failed != 1 || q.Pending+q.Completed != 0 {
		t.Errorf("queue: %+v", q)
	}
	for _, status := range []string{"review", "failed"} {
		list := apitest.Read[api.List[minutes.Task]](t, operator.Ask(200, "GET", "/tasks?status="+status, ""))
		if len(list.Items) != 1 || list.Items[0].LastError == "" {
			t.Errorf("%s: %+v", status, list)
		}
	}
	operator.Ask(422, "GET", "/tasks?status=lost", "")
	draft := apitest.Read[minutes.Draft](t, operator.Ask(200, "GET", "/tasks/"+m.IssueID+"/draft", ""))
	if len(draft.Findings) != 1 || !strings.Contains(draft.Answer, "hidden") {
		t.Errorf("draft: %+v", draft)
	}
	operator.Ask(404, "GET", "/tasks/"+failed.IssueID+"/draft", "")

	decide := "/tasks/" + m.IssueID + "/decisions"
	tag := operator.Ask(200, "GET", "/tasks/"+m.IssueID, "").Header().Get("ETag")
	operator.Ask(428, "POST", decide, `{"decision":"publish"}`)
	operator.Ask(412, "POST", decide, `{"decision":"publish"}`, `If-Match: "pending-1"`)
	operator.Ask(422, "POST", decide, `{"decision":"burn"}`, "If-Match: "+tag)
	operator.Ask(404, "POST", "/tasks/none/decisions", `{"decision":"retry"}`, "If-Match: *")

	h.trail.broken = errs.Unavailable
	operator.Ask(503, "POST", decide, `{"decision":"publish"}`, "If-Match: "+tag)
	h.Ask(404, "GET", "/articles/"+m.IssueID, "")
	h.trail.broken, h.trail.did = nil, nil

	w := operator.Ask(202, "POST", decide, `{"decision":"publish","why":"the rest is right"}`, "If-Match: "+tag)
	if task := apitest.Read[minutes.Task](t, w); task.Status != minutes.Completed || !strings.HasSuffix(w.Header().Get("Location"), "/minutes/tasks/"+m.IssueID) {
		t.Errorf("decided: %v %s", w.Header(), w.Body)
	}
	if diff := cmp.Diff([]string{"publish " + m.IssueID + " the rest is right"}, h.trail.did); diff != "" {
		t.Error(diff)
	}
	if w := h.Ask(200, "GET", "/articles/"+m.IssueID, ""); strings.Contains(w.Body.String(), "hidden") {
		t.Error("what does not stand up to the record is published")
	}
	operator.Ask(409, "POST", decide, `{"decision":"publish"}`, "If-Match: *")
	operator.Ask(202, "POST", decide, `{"decision":"rebuild"}`, "If-Match: *")
}

// Who may come in, written down a second time.
func TestDoors(t *testing.T) {
	open(t, &minutestest.Writer{}).Doors(map[auth.Role]string{
		auth.Everyone: `GET /articles|GET /articles/{id}|GET /persons|GET /persons/{name}|GET /issues|GET /issues/{issue}|GET /facets|GET /assemblies|GET /assemblies/{code}|GET /assemblies/{code}/members|GET /assemblies/{code}/votes`,
		auth.Operator: `GET /tasks|GET /tasks/{id}|GET /tasks/{id}/draft|POST /tasks/{id}/decisions|GET /queue`,
	})
}
