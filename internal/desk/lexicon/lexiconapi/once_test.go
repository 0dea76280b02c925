package lexiconapi_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"pressroom/internal/api"
	"pressroom/internal/api/apitest"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/lexicon/lexiconapi"
)

// twice sends a request with a key two times, and wants the answer of the first
// again.
func twice(t *testing.T, who *apitest.House, status int, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	key := "Idempotency-Key: " + t.Name() + path + body
	first := who.Ask(status, "POST", path, body, key)
	again := who.Ask(status, "POST", path, body, key)
	if first.Body.String() != again.Body.String() || first.Header().Get("Location") != again.Header().Get("Location") {
		t.Errorf("POST %s answers %s, and then %s", path, first.Body, again.Body)
	}
	if first.Header().Get("Idempotency-Replayed") != "" || again.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("POST %s: %v, and then %v", path, first.Header(), again.Header())
	}
	return first
}

// Every POST of the desk, sent a second time with its key, does nothing more.
func TestOnce(t *testing.T) {
	h := open(t)
	ann, bob, max := h.person(t, "ann", auth.Reader), h.person(t, "bob", auth.Reader), h.person(t, "max", auth.Moderator)
	done := map[string]bool{}
	post := func(who *apitest.House, status int, operation, path, body string) *httptest.ResponseRecorder {
		t.Helper()
		done["POST /api/v1/lexicon"+operation] = true
		return twice(t, who, status, path, body)
	}

	post(max, 201, "/terms", "/terms", `{"term":"glorp","gloss":"good","confidence":0.8,"momentum":0.5}`)

	s := apitest.Read[lexiconapi.Submission](t, post(ann, 201, "/submissions", "/submissions", draft))
	if mine := apitest.Read[api.List[lexiconapi.Submission]](t, ann.Ask(200, "GET", "/submissions?mine=true", "")); len(mine.Items) != 1 {
		t.Errorf("%d proposals", len(mine.Items))
	}
	_, err := h.desk.Validate(t.Context(), 5)
	apitest.Check(t, err)
	decisions := "/submissions/" + s.ID + "/decisions"
	post(max, 200, "/submissions/{id}/decisions", decisions, `{"action":"approve"}`)
	if audit := apitest.Read[api.List[lexicon.Audit]](t, max.Ask(200, "GET", "/submissions/"+s.ID+"/audit", "")); len(audit.Items) != 3 {
		t.Errorf("audit: %+v", audit.Items)
	}

	post(bob, 200, "/translations", "/translations", `{"text":"rizz"}`)
	if me := apitest.Read[lexiconapi.Me](t, bob.Ask(200, "GET", "/users/me", "")); me.Usage.Used != 1 {
		t.Errorf("%d translations are charged", me.Usage.Used)
	}

	q := apitest.Read[lexicon.Quiz](t, post(ann, 201, "/quizzes", "/quizzes", `{"questions":2}`))
	path := "/quizzes/" + q.ID
	for n := 1; n <= 2; n++ {
		key := fmt.Sprintf("Idempotency-Key: question %d", n)
		first, again := ann.Ask(200, "POST", path+"/questions", "", key), ann.Ask(200, "POST", path+"/questions", "", key)
		if first.Body.String() != again.Body.String() {
			t.Errorf("question %d: %s, and then %s", n, first.Body, again.Body)
		}
		post(ann, 200, "/quizzes/{id}/answers", path+"/answers", fmt.Sprintf(`{"number":%d,"choice":0}`, n))
	}
	done["POST /api/v1/lexicon/quizzes/{id}/questions"] = true
	if list := apitest.Read[api.List[lexicon.Quiz]](t, ann.Ask(200, "GET", "/quizzes", "")); len(list.Items) != 1 || list.Items[0].Status != lexicon.QuizCompleted {
		t.Errorf("quizzes: %+v", list.Items)
	}

	for _, r := range h.Mux.Routes() {
		if strings.HasPrefix(r.Pattern, "POST ") && strings.Contains(r.Pattern, "/lexicon/") && !done[r.Pattern] {
			t.Errorf("%s is not sent twice here", r.Pattern)
		}
	}
}

// A key is of one caller, one operation and one request.
func TestOnceOnly(t *testing.T) {
	h := open(t)
	ann, bob := h.person(t, "ann", auth.Reader), h.person(t, "bob", auth.Reader)
	const key = "Idempotency-Key: k"
	ann.Ask(200, "POST", "/translations", `{"text":"rizz"}`, key)
	ann.Ask(422, "POST", "/translations", `{"text":"no rizz"}`, key)
	ann.Ask(201, "POST", "/quizzes", `{"questions":2}`, key)
	if w := bob.Ask(200, "POST", "/translations", `{"text":"rizz"}`, key); w.Header().Get("Idempotency-Replayed") != "" {
		t.Error("bob has ann's answer")
	}
	// What failed may be tried again with its key.
	ann.Ask(422, "POST", "/translations", `{"text":""}`, "Idempotency-Key: other")
	ann.Ask(200, "POST", "/translations", `{"text":"rizz"}`, "Idempotency-Key: other")
}

// Many at once with one key: one is done, the others are told to wait or have its
// answer.
func TestOnceTogether(t *testing.T) {
	h := open(t)
	bob := h.person(t, "bob", auth.Reader)
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			w := bob.Send("POST", "/translations", `{"text":"rizz"}`, "Idempotency-Key: k")
			if w.Code != 200 && w.Code != 409 {
				t.Errorf("%d: %s", w.Code, w.Body)
			}
		})
	}
	group.Wait()
	if me := apitest.Read[lexiconapi.Me](t, bob.Ask(200, "GET", "/users/me", "")); me.Usage.Used != 1 {
		t.Errorf("%d translations are charged", me.Usage.Used)
	}
}
