package lexiconapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/api/apitest"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/lexicon/lexiconapi"
)

// house is an API with the lexicon in it.
type house struct {
	*apitest.House
	desk *lexicon.Desk
	now  *time.Time
}

func open(t *testing.T) house {
	t.Helper()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	h := house{House: apitest.Open(t, "/api/v1/lexicon", lexicon.Schema), now: &now}
	var err error
	h.desk, err = lexicon.New(h.DB, nil, &lexicon.Options{Log: h.Log, Now: func() time.Time { return now }})
	apitest.Check(t, err)
	_, _, err = h.desk.Init(t.Context(), lexicon.ImportOptions{})
	apitest.Check(t, err)
	lexiconapi.Register(h.API, h.desk)
	return h
}

// person is someone with a role; "ann" on the premium tier.
func (h house) person(t *testing.T, name string, role auth.Role) *apitest.House {
	t.Helper()
	account := &auth.Account{ID: "id-" + name, Name: name, Role: role}
	_, err := h.desk.Member(t.Context(), account.ID, "")
	apitest.Check(t, err)
	if name == "ann" {
		_, err = h.desk.SetTier(t.Context(), account.ID, lexicon.Premium)
		apitest.Check(t, err)
	}
	return h.As(account)
}

func TestTerms(t *testing.T) {
	h := open(t)
	first := apitest.Read[api.List[lexicon.Listing]](t, h.Ask(200, "GET", "/terms?limit=100", ""))
	second := apitest.Read[api.List[lexicon.Listing]](t, h.Ask(200, "GET", "/terms?limit=100&cursor="+first.NextCursor, ""))
	if len(first.Items) != 100 || len(second.Items) < 50 || second.NextCursor != "" {
		t.Errorf("%d and %d terms", len(first.Items), len(second.Items))
	}
	if found := apitest.Read[api.List[lexicon.Listing]](t, h.Ask(200, "GET", "/terms?q=RIZZ", "")); len(found.Items) != 1 || found.Items[0].Slug != "rizz" {
		t.Errorf("found %+v", found)
	}
	h.Ask(422, "GET", "/terms?q=rizz&tag=x", "")
	h.Ask(422, "GET", "/terms?q=%E2%80%8Bx", "") // what cannot be seen
	h.Ask(400, "GET", "/terms?cursor=x", "")
	for _, facet := range []string{"tag", "region", "category", "initial"} {
		all := apitest.Read[lexiconapi.Facets](t, h.Ask(200, "GET", "/facets/"+facet, ""))
		value := all.Items[0]
		list := apitest.Read[api.List[lexicon.Listing]](t, h.Ask(200, "GET", "/terms?limit=100&"+facet+"="+value.Value, ""))
		if len(list.Items) != value.Terms {
			t.Errorf("%s %s: %d terms, not %d", facet, value.Value, len(list.Items), value.Terms)
		}
	}
	h.Ask(404, "GET", "/terms/nothing", "")
	w := h.Ask(200, "GET", "/terms/rizz", "")
	h.Ask(304, "GET", "/terms/rizz", "", "If-None-Match: "+w.Header().Get("ETag"))

	mod := h.person(t, "max", auth.Moderator)
	term := `{"term":"glorp","gloss":%q,"confidence":0.8,"momentum":0.5,"tags":["x"]}`
	made := mod.Ask(201, "POST", "/terms", fmt.Sprintf(term, "good"))
	mod.Ask(409, "POST", "/terms", fmt.Sprintf(term, "good"))
	mod.Ask(422, "POST", "/terms", fmt.Sprintf(term, "<script>"))
	mod.Ask(428, "PUT", "/terms/glorp", fmt.Sprintf(term, "better"))
	etag := made.Header().Get("ETag")
	mod.Ask(200, "PUT", "/terms/glorp", fmt.Sprintf(term, "better"), "If-Match: "+etag)
	mod.Ask(412, "PUT", "/terms/glorp", fmt.Sprintf(term, "best"), "If-Match: "+etag)
	mod.Ask(422, "PUT", "/terms/glorp", strings.Replace(fmt.Sprintf(term, "x"), "glorp", "other", 1), "If-Match: *")
	mod.Ask(204, "DELETE", "/terms/glorp", "", "If-Match: *")
	h.Ask(404, "GET", "/terms/glorp", "")
	mod.Ask(200, "PUT", "/quiz-pools/people", `{"wrong_answers":["a","b"]}`)
	mod.Ask(200, "GET", "/quiz-pools/people", "")
}

func TestTrending(t *testing.T) {
	h := open(t)
	h.Ask(200, "GET", "/terms?q=rizz", "")
	*h.now = h.now.Add(24 * time.Hour)
	_, err := h.desk.RunTrends(t.Context())
	apitest.Check(t, err)
	reader := h.person(t, "ann", auth.Reader) // who is signed in sees what is there now
	list := apitest.Read[api.List[lexicon.TrendRow]](t, reader.Ask(200, "GET", "/trending", ""))
	if len(list.Items) != 1 || list.Items[0].Slug != "rizz" {
		t.Fatalf("trending: %+v", list)
	}
	h.Ask(200, "GET", "/trending?category="+list.Items[0].Category, "")
}

const draft = `{"slang_term":"zorp","meaning":"very good","example_usage":"that is zorp"}`

func TestSubmissions(t *testing.T) {
	h := open(t)
	ann, bob, max := h.person(t, "ann", auth.Reader), h.person(t, "bob", auth.Reader), h.person(t, "max", auth.Moderator)
	bob.Ask(403, "POST", "/submissions", draft) // on the free tier
	w := ann.Ask(201, "POST", "/submissions", draft)
	s := apitest.Read[lexiconapi.Submission](t, w)
	path := "/submissions/" + s.ID
	if !s.Mine || s.Status != lexicon.Pending || !strings.HasSuffix(w.Header().Get("Location"), path) {
		t.Errorf("submitted: %+v", s)
	}
	ann.Ask(409, "POST", "/submissions", draft)
	bob.Ask(404, "GET", path, "")
	bob.Ask(404, "PUT", path+"/vote", "")
	_, err := h.desk.Validate(t.Context(), 5)
	apitest.Check(t, err)
	if seen := apitest.Read[lexiconapi.Submission](t, bob.Ask(200, "GET", path, "")); seen.UserID != "" || seen.Judgement != nil || seen.Mine {
		t.Errorf("others see %+v", seen)
	}
	bob.Ask(200, "PUT", path+"/vote", "")
	bob.Ask(409, "PUT", path+"/vote", "")
	ann.Ask(403, "PUT", path+"/vote", "")
	bob.Ask(204, "DELETE", path+"/vote", "")
	bob.Ask(200, "PUT", path+"/vote", "")
	if list := apitest.Read[api.List[lexiconapi.Submission]](t, bob.Ask(200, "GET", "/submissions", "")); len(list.Items) != 1 || list.Items[0].Upvotes != 1 {
		t.Errorf("to vote on: %+v", list)
	}
	bob.Ask(403, "GET", "/submissions?status=validated", "")
	max.Ask(200, "GET", "/submissions?status=validated", "")

	now := max.Ask(200, "GET", path, "")
	max.Ask(428, "PATCH", path, `{"meaning":"better"}`)
	max.Ask(200, "PATCH", path, `{"meaning":"better","reason":"shorter"}`, "If-Match: "+now.Header().Get("ETag"))
	max.Ask(412, "PATCH", path, `{"meaning":"best"}`, "If-Match: "+now.Header().Get("ETag"))
	max.Ask(422, "POST", path+"/decisions", `{"action":"reject"}`)
	max.Ask(200, "POST", path+"/decisions", `{"action":"approve","categories":["approval"]}`)
	max.Ask(409, "POST", path+"/decisions", `{"action":"reject","reason":"late"}`)
	h.Ask(200, "GET", "/terms/zorp", "")
	max.Ask(200, "POST", path+"/decisions", `{"action":"undo","reason":"hasty"}`)
	h.Ask(404, "GET", "/terms/zorp", "")
	max.Ask(200, "POST", path+"/decisions", `{"action":"reject","reason":"nobody says it"}`)
	bob.Ask(404, "GET", path, "")
	mine := apitest.Read[api.List[lexiconapi.Submission]](t, ann.Ask(200, "GET", "/submissions?mine=true", ""))
	if len(mine.Items) != 1 || mine.Items[0].Reason != "nobody says it" || mine.Items[0].ReviewedBy != "" {
		t.Errorf("mine: %+v", mine)
	}
	if audit := apitest.Read[api.List[lexicon.Audit]](t, max.Ask(200, "GET", path+"/audit", "")); len(audit.Items) != 6 {
		t.Errorf("audit: %+v", audit)
	}
}

func TestQuiz(t *testing.T) {
	h := open(t)
	ann, bob := h.person(t, "ann", auth.Reader), h.person(t, "bob", auth.Reader)
	ann.Ask(422, "POST", "/quizzes", `{"questions":-1}`)
	q := apitest.Read[lexicon.Quiz](t, ann.Ask(201, "POST", "/quizzes", `{"questions":2}`))
	path := "/quizzes/" + q.ID
	bob.Ask(404, "GET", path, "")
	ann.Ask(404, "GET", "/quizzes/forged", "")
	ann.Ask(409, "POST", path+"/answers", `{"number":1,"choice":0}`) // not asked
	for n := 1; n <= 2; n++ {
		asked := ann.Ask(200, "POST", path+"/questions", "")
		if strings.Contains(asked.Body.String(), "correct") {
			t.Errorf("the answer is told: %s", asked.Body)
		}
		body := fmt.Sprintf(`{"number":%d,"choice":0}`, n)
		ann.Ask(200, "POST", path+"/answers", body)
		ann.Ask(409, "POST", path+"/answers", body)
	}
	if r := apitest.Read[lexiconapi.Review](t, ann.Ask(200, "GET", path+"/review", "")); len(r.Questions) != 2 || r.Quiz.Status != lexicon.QuizCompleted {
		t.Errorf("review: %+v", r)
	}
	if list := apitest.Read[api.List[lexicon.Quiz]](t, ann.Ask(200, "GET", "/quizzes", "")); len(list.Items) != 1 {
		t.Errorf("quizzes: %+v", list)
	}
	if days := apitest.Read[api.List[lexicon.QuizDay]](t, ann.Ask(200, "GET", "/users/me/quiz-days", "")); len(days.Items) != 1 || days.Items[0].Questions != 2 {
		t.Errorf("days: %+v", days)
	}
}

func TestTranslations(t *testing.T) {
	h := open(t)
	ann, bob := h.person(t, "ann", auth.Reader), h.person(t, "bob", auth.Reader)
	done := apitest.Read[lexicon.Translated](t, ann.Ask(200, "POST", "/translations", `{"text":"He has rizz"}`))
	if !done.Kept || len(done.Applied) != 1 || done.Applied[0].Slug != "rizz" {
		t.Fatalf("translated: %+v", done)
	}
	ann.Ask(200, "GET", "/translations/"+done.ID, "")
	bob.Ask(404, "GET", "/translations/"+done.ID, "")
	bob.Ask(204, "DELETE", "/translations/"+done.ID, "")
	ann.Ask(200, "GET", "/translations/"+done.ID, "")
	ann.Ask(204, "DELETE", "/translations/"+done.ID, "")
	ann.Ask(404, "GET", "/translations/"+done.ID, "")
	ann.Ask(200, "POST", "/translations", `{"text":"rizz"}`)
	if made := apitest.Read[api.List[lexicon.ModelRow]](t, h.person(t, "eve", auth.Operator).Ask(200, "GET", "/models/builtin/translations", "")); len(made.Items) != 1 {
		t.Errorf("by model: %+v", made)
	}
	ann.Ask(204, "DELETE", "/translations", "")
	if list := apitest.Read[api.List[lexicon.Translation]](t, ann.Ask(200, "GET", "/translations", "")); len(list.Items) != 0 {
		t.Errorf("history: %+v", list)
	}
	for range 10 {
		bob.Ask(200, "POST", "/translations", `{"text":"rizz"}`)
	}
	if w := bob.Ask(429, "POST", "/translations", `{"text":"rizz"}`); w.Header().Get("Retry-After") == "" {
		t.Errorf("limited: %v", w.Header())
	}
	bob.Ask(422, "POST", "/translations", fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 51)))
}

// Without an account a quiz and a few translations can be tried, and nothing more.
func TestGuests(t *testing.T) {
	h := open(t)
	quiz := apitest.Read[lexicon.Quiz](t, h.Ask(201, "POST", "/quizzes", `{"questions":1}`))
	path := "/quizzes/" + quiz.ID
	if got := h.Ask(200, "GET", path, ""); got.Header().Get("Cache-Control") == "public" || quiz.Questions != 1 {
		t.Errorf("begun: %+v, %v", quiz, got.Header())
	}
	h.person(t, "bob", auth.Reader).Ask(404, "GET", path, "")
	h.Ask(409, "GET", path+"/review", "")
	h.Ask(200, "POST", path+"/questions", "")
	h.Ask(200, "POST", path+"/answers", `{"number":1,"choice":0}`)
	h.Ask(200, "GET", path+"/review", "")
	h.Ask(201, "POST", "/quizzes", `{"questions":9}`)
	if w := h.Ask(429, "POST", "/quizzes", `{"questions":1}`); w.Header().Get("Retry-After") == "" {
		t.Errorf("limited: %v", w.Header())
	}
	for range 5 {
		if done := apitest.Read[lexicon.Translated](t, h.Ask(200, "POST", "/translations", `{"text":"He has rizz"}`)); done.Kept || done.Model != lexicon.Builtin {
			t.Errorf("translated: %+v", done)
		}
	}
	h.Ask(429, "POST", "/translations", `{"text":"rizz"}`)
	h.Ask(401, "GET", "/quizzes", "")
	h.Ask(401, "GET", "/translations", "")
}

func TestUsers(t *testing.T) {
	h := open(t)
	bob, eve := h.person(t, "bob", auth.Reader), h.person(t, "eve", auth.Operator)
	me := apitest.Read[lexiconapi.Me](t, bob.Ask(200, "GET", "/users/me", ""))
	if me.Profile.Tier != lexicon.Free || me.Limits.Translations != 10 || me.Quizzes.Remaining != 10 {
		t.Errorf("me: %+v", me)
	}
	bob.Ask(404, "GET", "/users", "")
	w := eve.Ask(200, "GET", "/users/id-bob", "")
	eve.Ask(428, "PATCH", "/users/id-bob", `{"tier":"premium"}`)
	eve.Ask(422, "PATCH", "/users/id-bob", `{"tier":"gold"}`, "If-Match: *")
	eve.Ask(200, "PATCH", "/users/id-bob", `{"tier":"premium","status":"suspended"}`, "If-Match: "+w.Header().Get("ETag"))
	eve.Ask(412, "PATCH", "/users/id-bob", `{"tier":"free"}`, "If-Match: "+w.Header().Get("ETag"))
	bob.Ask(403, "POST", "/translations", `{"text":"rizz"}`)
	list := apitest.Read[api.List[lexicon.UserRow]](t, eve.Ask(200, "GET", "/users?tier=premium", ""))
	tiers := apitest.Read[lexiconapi.Tiers](t, eve.Ask(200, "GET", "/tiers", ""))
	if len(list.Items) != 1 || len(tiers.Items) != 2 || tiers.Items[1].Users != 1 || tiers.Items[1].Limits.Submissions != 10 {
		t.Errorf("tiers: %+v, %+v", list, tiers)
	}
	eve.Ask(204, "DELETE", "/users/id-bob", "")
	eve.Ask(404, "DELETE", "/users/id-bob", "")
	bob.Ask(204, "DELETE", "/users/me", "") // there is nothing any more
}

// Who may come in, written down a second time.
func TestDoors(t *testing.T) {
	open(t).Doors(map[auth.Role]string{
		auth.Everyone: `GET /terms|GET /terms/{slug}|GET /facets/{facet}|GET /trending|POST /quizzes|GET /quizzes/{id}|POST /quizzes/{id}/questions|POST /quizzes/{id}/answers|GET /quizzes/{id}/review|POST /translations`,
		auth.Reader: `POST /submissions|GET /submissions|GET /submissions/{id}|PUT /submissions/{id}/vote|DELETE /submissions/{id}/vote|` +
			`GET /quizzes|GET /translations|GET /translations/{id}|DELETE /translations/{id}|DELETE /translations|GET /users/me|DELETE /users/me|GET /users/me/quiz-days`,
		auth.Moderator: `POST /terms|PUT /terms/{slug}|DELETE /terms/{slug}|GET /quiz-pools/{category}|PUT /quiz-pools/{category}|PATCH /submissions/{id}|POST /submissions/{id}/decisions|GET /submissions/{id}/audit`,
		auth.Operator:  `GET /models/{model}/translations|GET /users|GET /users/{id}|PATCH /users/{id}|DELETE /users/{id}|GET /tiers`,
	})
}
