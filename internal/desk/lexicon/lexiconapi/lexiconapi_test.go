package lexiconapi_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pressroom/dynamo"
	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/lexicon/lexiconapi"
	"pressroom/internal/front"
	"pressroom/internal/front/fronttest"
	"pressroom/model/deploy"
)

// house is an API with the lexicon in it.
type house struct {
	t    *testing.T
	mux  *front.Mux
	desk *lexicon.Desk
	as   *auth.Account
	now  *time.Time
}

func open(t *testing.T) *house {
	t.Helper()
	db, err := dynamo.OpenMemory(nil)
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	check(t, deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, lexicon.Schema))
	log := slog.New(slog.DiscardHandler)
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	h := &house{t: t, now: &now}
	h.desk, err = lexicon.New(db, nil, &lexicon.Options{Log: log, Now: func() time.Time { return now }})
	check(t, err)
	_, _, err = h.desk.Init(t.Context(), lexicon.ImportOptions{})
	check(t, err)
	unlimited := front.Rate{PerSecond: -1}
	h.mux = front.New(&front.Options{Log: log, PerAddress: unlimited, PerAccount: unlimited})
	lexiconapi.Register(api.New(h.mux, &api.Options{Log: log}), h.desk)
	return h
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
	r := httptest.NewRequest(method, "/api/v1/lexicon"+path, strings.NewReader(body))
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

// person is someone with a role; "ann" on the premium tier.
func (h *house) person(name string, role auth.Role) *house {
	h.t.Helper()
	as := *h
	as.as = &auth.Account{ID: "id-" + name, Name: name, Role: role}
	_, err := h.desk.Member(h.t.Context(), as.as.ID, "")
	check(h.t, err)
	if name == "ann" {
		_, err = h.desk.SetTier(h.t.Context(), as.as.ID, lexicon.Premium)
		check(h.t, err)
	}
	return &as
}

func read[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	check(t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

func TestTerms(t *testing.T) {
	h := open(t)
	first := read[api.List[lexicon.Listing]](t, h.ask(200, "GET", "/terms?limit=100", ""))
	second := read[api.List[lexicon.Listing]](t, h.ask(200, "GET", "/terms?limit=100&cursor="+first.NextCursor, ""))
	if len(first.Items) != 100 || len(second.Items) < 50 || second.NextCursor != "" {
		t.Errorf("%d and %d terms", len(first.Items), len(second.Items))
	}
	if found := read[api.List[lexicon.Listing]](t, h.ask(200, "GET", "/terms?q=RIZZ", "")); len(found.Items) != 1 || found.Items[0].Slug != "rizz" {
		t.Errorf("found %+v", found)
	}
	h.ask(422, "GET", "/terms?q=rizz&tag=x", "")
	h.ask(422, "GET", "/terms?q=%E2%80%8Bx", "") // what cannot be seen
	h.ask(400, "GET", "/terms?cursor=x", "")
	for _, facet := range []string{"tag", "region", "category", "initial"} {
		all := read[lexiconapi.Facets](t, h.ask(200, "GET", "/facets/"+facet, ""))
		value := all.Items[0]
		list := read[api.List[lexicon.Listing]](t, h.ask(200, "GET", "/terms?limit=100&"+facet+"="+value.Value, ""))
		if len(list.Items) != value.Terms {
			t.Errorf("%s %s: %d terms, not %d", facet, value.Value, len(list.Items), value.Terms)
		}
	}
	h.ask(404, "GET", "/terms/nothing", "")
	w := h.ask(200, "GET", "/terms/rizz", "")
	h.ask(304, "GET", "/terms/rizz", "", "If-None-Match: "+w.Header().Get("ETag"))

	mod := h.person("max", auth.Moderator)
	term := `{"term":"glorp","gloss":%q,"confidence":0.8,"momentum":0.5,"tags":["x"]}`
	made := mod.ask(201, "POST", "/terms", fmt.Sprintf(term, "good"))
	mod.ask(409, "POST", "/terms", fmt.Sprintf(term, "good"))
	mod.ask(422, "POST", "/terms", fmt.Sprintf(term, "<script>"))
	mod.ask(428, "PUT", "/terms/glorp", fmt.Sprintf(term, "better"))
	etag := made.Header().Get("ETag")
	mod.ask(200, "PUT", "/terms/glorp", fmt.Sprintf(term, "better"), "If-Match: "+etag)
	mod.ask(412, "PUT", "/terms/glorp", fmt.Sprintf(term, "best"), "If-Match: "+etag)
	mod.ask(422, "PUT", "/terms/glorp", strings.Replace(fmt.Sprintf(term, "x"), "glorp", "other", 1), "If-Match: *")
	mod.ask(204, "DELETE", "/terms/glorp", "", "If-Match: *")
	h.ask(404, "GET", "/terms/glorp", "")
	mod.ask(200, "PUT", "/quiz-pools/people", `{"wrong_answers":["a","b"]}`)
	mod.ask(200, "GET", "/quiz-pools/people", "")
}

func TestTrending(t *testing.T) {
	h := open(t)
	h.ask(200, "GET", "/terms?q=rizz", "")
	*h.now = h.now.Add(24 * time.Hour)
	_, err := h.desk.RunTrends(t.Context())
	check(t, err)
	reader := h.person("ann", auth.Reader) // who is signed in sees what is there now
	list := read[api.List[lexicon.TrendRow]](t, reader.ask(200, "GET", "/trending", ""))
	if len(list.Items) != 1 || list.Items[0].Slug != "rizz" {
		t.Fatalf("trending: %+v", list)
	}
	h.ask(200, "GET", "/trending?category="+list.Items[0].Category, "")
}

const draft = `{"slang_term":"zorp","meaning":"very good","example_usage":"that is zorp"}`

func TestSubmissions(t *testing.T) {
	h := open(t)
	ann, bob, max := h.person("ann", auth.Reader), h.person("bob", auth.Reader), h.person("max", auth.Moderator)
	bob.ask(403, "POST", "/submissions", draft) // on the free tier
	w := ann.ask(201, "POST", "/submissions", draft)
	s := read[lexiconapi.Submission](t, w)
	path := "/submissions/" + s.ID
	if !s.Mine || s.Status != lexicon.Pending || !strings.HasSuffix(w.Header().Get("Location"), path) {
		t.Errorf("submitted: %+v", s)
	}
	ann.ask(409, "POST", "/submissions", draft)
	bob.ask(404, "GET", path, "")
	bob.ask(404, "PUT", path+"/vote", "")
	_, err := h.desk.Validate(t.Context(), 5)
	check(t, err)
	if seen := read[lexiconapi.Submission](t, bob.ask(200, "GET", path, "")); seen.UserID != "" || seen.Judgement != nil || seen.Mine {
		t.Errorf("others see %+v", seen)
	}
	bob.ask(200, "PUT", path+"/vote", "")
	bob.ask(409, "PUT", path+"/vote", "")
	ann.ask(403, "PUT", path+"/vote", "")
	bob.ask(204, "DELETE", path+"/vote", "")
	bob.ask(200, "PUT", path+"/vote", "")
	if list := read[api.List[lexiconapi.Submission]](t, bob.ask(200, "GET", "/submissions", "")); len(list.Items) != 1 || list.Items[0].Upvotes != 1 {
		t.Errorf("to vote on: %+v", list)
	}
	bob.ask(403, "GET", "/submissions?status=validated", "")
	max.ask(200, "GET", "/submissions?status=validated", "")

	now := max.ask(200, "GET", path, "")
	max.ask(428, "PATCH", path, `{"meaning":"better"}`)
	max.ask(200, "PATCH", path, `{"meaning":"better","reason":"shorter"}`, "If-Match: "+now.Header().Get("ETag"))
	max.ask(412, "PATCH", path, `{"meaning":"best"}`, "If-Match: "+now.Header().Get("ETag"))
	max.ask(422, "POST", path+"/decisions", `{"action":"reject"}`)
	max.ask(200, "POST", path+"/decisions", `{"action":"approve","categories":["approval"]}`)
	max.ask(409, "POST", path+"/decisions", `{"action":"reject","reason":"late"}`)
	h.ask(200, "GET", "/terms/zorp", "")
	max.ask(200, "POST", path+"/decisions", `{"action":"undo","reason":"hasty"}`)
	h.ask(404, "GET", "/terms/zorp", "")
	max.ask(200, "POST", path+"/decisions", `{"action":"reject","reason":"nobody says it"}`)
	bob.ask(404, "GET", path, "")
	mine := read[api.List[lexiconapi.Submission]](t, ann.ask(200, "GET", "/submissions?mine=true", ""))
	if len(mine.Items) != 1 || mine.Items[0].Reason != "nobody says it" || mine.Items[0].ReviewedBy != "" {
		t.Errorf("mine: %+v", mine)
	}
	if audit := read[api.List[lexicon.Audit]](t, max.ask(200, "GET", path+"/audit", "")); len(audit.Items) != 6 {
		t.Errorf("audit: %+v", audit)
	}
}

func TestQuiz(t *testing.T) {
	h := open(t)
	ann, bob := h.person("ann", auth.Reader), h.person("bob", auth.Reader)
	ann.ask(422, "POST", "/quizzes", `{"questions":-1}`)
	q := read[lexicon.Quiz](t, ann.ask(201, "POST", "/quizzes", `{"questions":2}`))
	path := "/quizzes/" + q.ID
	bob.ask(404, "GET", path, "")
	ann.ask(404, "GET", "/quizzes/forged", "")
	ann.ask(409, "POST", path+"/answers", `{"number":1,"choice":0}`) // not asked
	for n := 1; n <= 2; n++ {
		asked := ann.ask(200, "POST", path+"/questions", "")
		if strings.Contains(asked.Body.String(), "correct") {
			t.Errorf("the answer is told: %s", asked.Body)
		}
		body := fmt.Sprintf(`{"number":%d,"choice":0}`, n)
		ann.ask(200, "POST", path+"/answers", body)
		ann.ask(409, "POST", path+"/answers", body)
	}
	if r := read[lexiconapi.Review](t, ann.ask(200, "GET", path+"/review", "")); len(r.Questions) != 2 || r.Quiz.Status != lexicon.QuizCompleted {
		t.Errorf("review: %+v", r)
	}
	if list := read[api.List[lexicon.Quiz]](t, ann.ask(200, "GET", "/quizzes", "")); len(list.Items) != 1 {
		t.Errorf("quizzes: %+v", list)
	}
	if days := read[api.List[lexicon.QuizDay]](t, ann.ask(200, "GET", "/users/me/quiz-days", "")); len(days.Items) != 1 || days.Items[0].Questions != 2 {
		t.Errorf("days: %+v", days)
	}
}

func TestTranslations(t *testing.T) {
	h := open(t)
	ann, bob := h.person("ann", auth.Reader), h.person("bob", auth.Reader)
	done := read[lexicon.Translated](t, ann.ask(200, "POST", "/translations", `{"text":"He has rizz"}`))
	if !done.Kept || len(done.Applied) != 1 || done.Applied[0].Slug != "rizz" {
		t.Fatalf("translated: %+v", done)
	}
	ann.ask(200, "GET", "/translations/"+done.ID, "")
	bob.ask(404, "GET", "/translations/"+done.ID, "")
	bob.ask(204, "DELETE", "/translations/"+done.ID, "")
	ann.ask(200, "GET", "/translations/"+done.ID, "")
	ann.ask(204, "DELETE", "/translations/"+done.ID, "")
	ann.ask(404, "GET", "/translations/"+done.ID, "")
	ann.ask(200, "POST", "/translations", `{"text":"rizz"}`)
	if made := read[api.List[lexicon.ModelRow]](t, h.person("eve", auth.Operator).ask(200, "GET", "/models/builtin/translations", "")); len(made.Items) != 1 {
		t.Errorf("by model: %+v", made)
	}
	ann.ask(204, "DELETE", "/translations", "")
	if list := read[api.List[lexicon.Translation]](t, ann.ask(200, "GET", "/translations", "")); len(list.Items) != 0 {
		t.Errorf("history: %+v", list)
	}
	for range 10 {
		bob.ask(200, "POST", "/translations", `{"text":"rizz"}`)
	}
	if w := bob.ask(429, "POST", "/translations", `{"text":"rizz"}`); w.Header().Get("Retry-After") == "" {
		t.Errorf("limited: %v", w.Header())
	}
	bob.ask(422, "POST", "/translations", fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 51)))
}

func TestUsers(t *testing.T) {
	h := open(t)
	bob, eve := h.person("bob", auth.Reader), h.person("eve", auth.Operator)
	me := read[lexiconapi.Me](t, bob.ask(200, "GET", "/users/me", ""))
	if me.Profile.Tier != lexicon.Free || me.Limits.Translations != 10 || me.Quizzes.Remaining != 10 {
		t.Errorf("me: %+v", me)
	}
	bob.ask(404, "GET", "/users", "")
	w := eve.ask(200, "GET", "/users/id-bob", "")
	eve.ask(428, "PATCH", "/users/id-bob", `{"tier":"premium"}`)
	eve.ask(422, "PATCH", "/users/id-bob", `{"tier":"gold"}`, "If-Match: *")
	eve.ask(200, "PATCH", "/users/id-bob", `{"tier":"premium","status":"suspended"}`, "If-Match: "+w.Header().Get("ETag"))
	eve.ask(412, "PATCH", "/users/id-bob", `{"tier":"free"}`, "If-Match: "+w.Header().Get("ETag"))
	bob.ask(403, "POST", "/translations", `{"text":"rizz"}`)
	list := read[api.List[lexicon.UserRow]](t, eve.ask(200, "GET", "/users?tier=premium", ""))
	tiers := read[lexiconapi.Tiers](t, eve.ask(200, "GET", "/tiers", ""))
	if len(list.Items) != 1 || len(tiers.Items) != 2 || tiers.Items[1].Users != 1 || tiers.Items[1].Limits.Submissions != 10 {
		t.Errorf("tiers: %+v, %+v", list, tiers)
	}
	eve.ask(204, "DELETE", "/users/id-bob", "")
	eve.ask(404, "DELETE", "/users/id-bob", "")
	bob.ask(204, "DELETE", "/users/me", "") // there is nothing any more
}

// Who may come in, written down a second time.
func TestDoors(t *testing.T) {
	h := open(t)
	table := map[string]auth.Role{}
	for _, r := range h.mux.Routes() {
		if !strings.Contains(r.Pattern, "/lexicon/") {
			table[r.Pattern] = r.Access // the shell's own
		}
	}
	for role, patterns := range map[auth.Role]string{
		auth.Everyone: `GET terms|GET terms/{slug}|GET facets/{facet}|GET trending`,
		auth.Reader: `POST submissions|GET submissions|GET submissions/{id}|PUT submissions/{id}/vote|DELETE submissions/{id}/vote|` +
			`POST quizzes|GET quizzes|GET quizzes/{id}|POST quizzes/{id}/questions|POST quizzes/{id}/answers|GET quizzes/{id}/review|` +
			`POST translations|GET translations|GET translations/{id}|DELETE translations/{id}|DELETE translations|GET users/me|DELETE users/me|GET users/me/quiz-days`,
		auth.Moderator: `POST terms|PUT terms/{slug}|DELETE terms/{slug}|GET quiz-pools/{category}|PUT quiz-pools/{category}|PATCH submissions/{id}|POST submissions/{id}/decisions|GET submissions/{id}/audit`,
		auth.Operator:  `GET models/{model}/translations|GET users|GET users/{id}|PATCH users/{id}|DELETE users/{id}|GET tiers`,
	} {
		for pattern := range strings.SplitSeq(patterns, "|") {
			method, path, _ := strings.Cut(pattern, " ")
			table[method+" /api/v1/lexicon/"+path] = role
		}
	}
	fronttest.Matrix(t, h.mux, table)
}
