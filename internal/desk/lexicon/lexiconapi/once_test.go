package lexiconapi_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"pressroom/dynamo"
	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/lexicon/lexiconapi"
	"pressroom/internal/front"
	"pressroom/internal/ops/replay"
	"pressroom/model/deploy"
)

// openOnce is a house that keeps its answers.
func openOnce(t *testing.T) *house {
	t.Helper()
	h := open(t)
	db, err := dynamo.OpenMemory(nil)
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	check(t, deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, replay.Schema))
	replays, err := replay.New(db, nil)
	check(t, err)
	log := slog.New(slog.DiscardHandler)
	unlimited := front.Rate{PerSecond: -1}
	h.mux = front.New(&front.Options{Log: log, PerAddress: unlimited, PerAccount: unlimited})
	lexiconapi.Register(api.New(h.mux, &api.Options{Log: log, Replays: replays}), h.desk)
	return h
}

// twice sends a request with a key two times, and wants the answer of the first
// again.
func (h *house) twice(status int, path, body string) *httptest.ResponseRecorder {
	h.t.Helper()
	key := "Idempotency-Key: " + h.t.Name() + path + body
	first := h.ask(status, "POST", path, body, key)
	again := h.ask(status, "POST", path, body, key)
	if first.Body.String() != again.Body.String() || first.Header().Get("Location") != again.Header().Get("Location") {
		h.t.Errorf("POST %s answers %s, and then %s", path, first.Body, again.Body)
	}
	if first.Header().Get("Idempotency-Replayed") != "" || again.Header().Get("Idempotency-Replayed") != "true" {
		h.t.Errorf("POST %s: %v, and then %v", path, first.Header(), again.Header())
	}
	return first
}

// Every POST of the desk, sent a second time with its key, does nothing more.
func TestOnce(t *testing.T) {
	h := openOnce(t)
	ann, bob, max := h.person("ann", auth.Reader), h.person("bob", auth.Reader), h.person("max", auth.Moderator)
	done := map[string]bool{}
	post := func(who *house, status int, operation, path, body string) *httptest.ResponseRecorder {
		t.Helper()
		done["POST /api/v1/lexicon"+operation] = true
		return who.twice(status, path, body)
	}

	post(max, 201, "/terms", "/terms", `{"term":"glorp","gloss":"good","confidence":0.8,"momentum":0.5}`)

	s := read[lexiconapi.Submission](t, post(ann, 201, "/submissions", "/submissions", draft))
	if mine := read[api.List[lexiconapi.Submission]](t, ann.ask(200, "GET", "/submissions?mine=true", "")); len(mine.Items) != 1 {
		t.Errorf("%d proposals", len(mine.Items))
	}
	_, err := h.desk.Validate(t.Context(), 5)
	check(t, err)
	decisions := "/submissions/" + s.ID + "/decisions"
	post(max, 200, "/submissions/{id}/decisions", decisions, `{"action":"approve"}`)
	if audit := read[api.List[lexicon.Audit]](t, max.ask(200, "GET", "/submissions/"+s.ID+"/audit", "")); len(audit.Items) != 3 {
		t.Errorf("audit: %+v", audit.Items)
	}

	post(bob, 200, "/translations", "/translations", `{"text":"rizz"}`)
	if me := read[lexiconapi.Me](t, bob.ask(200, "GET", "/users/me", "")); me.Usage.Used != 1 {
		t.Errorf("%d translations are charged", me.Usage.Used)
	}

	q := read[lexicon.Quiz](t, post(ann, 201, "/quizzes", "/quizzes", `{"questions":2}`))
	path := "/quizzes/" + q.ID
	for n := 1; n <= 2; n++ {
		key := fmt.Sprintf("Idempotency-Key: question %d", n)
		first, again := ann.ask(200, "POST", path+"/questions", "", key), ann.ask(200, "POST", path+"/questions", "", key)
		if first.Body.String() != again.Body.String() {
			t.Errorf("question %d: %s, and then %s", n, first.Body, again.Body)
		}
		post(ann, 200, "/quizzes/{id}/answers", path+"/answers", fmt.Sprintf(`{"number":%d,"choice":0}`, n))
	}
	done["POST /api/v1/lexicon/quizzes/{id}/questions"] = true
	if list := read[api.List[lexicon.Quiz]](t, ann.ask(200, "GET", "/quizzes", "")); len(list.Items) != 1 || list.Items[0].Status != lexicon.QuizCompleted {
		t.Errorf("quizzes: %+v", list.Items)
	}

	for _, r := range h.mux.Routes() {
		if strings.HasPrefix(r.Pattern, "POST ") && strings.Contains(r.Pattern, "/lexicon/") && !done[r.Pattern] {
			t.Errorf("%s is not sent twice here", r.Pattern)
		}
	}
}

// A key is of one caller, one operation and one request.
func TestOnceOnly(t *testing.T) {
	h := openOnce(t)
	ann, bob := h.person("ann", auth.Reader), h.person("bob", auth.Reader)
	const key = "Idempotency-Key: k"
	ann.ask(200, "POST", "/translations", `{"text":"rizz"}`, key)
	ann.ask(422, "POST", "/translations", `{"text":"no rizz"}`, key)
	ann.ask(201, "POST", "/quizzes", `{"questions":2}`, key)
	if w := bob.ask(200, "POST", "/translations", `{"text":"rizz"}`, key); w.Header().Get("Idempotency-Replayed") != "" {
		t.Error("bob has ann's answer")
	}
	// What failed may be tried again with its key.
	ann.ask(422, "POST", "/translations", `{"text":""}`, "Idempotency-Key: other")
	ann.ask(200, "POST", "/translations", `{"text":"rizz"}`, "Idempotency-Key: other")
}

// Many at once with one key: one is done, the others are told to wait or have its
// answer.
func TestOnceTogether(t *testing.T) {
	h := openOnce(t)
	bob := h.person("bob", auth.Reader)
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			r := httptest.NewRequest("POST", "/api/v1/lexicon/translations", strings.NewReader(`{"text":"rizz"}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", "k")
			w := httptest.NewRecorder()
			h.mux.ServeHTTP(w, r.WithContext(auth.With(r.Context(), bob.as)))
			if w.Code != 200 && w.Code != 409 {
				t.Errorf("%d: %s", w.Code, w.Body)
			}
		})
	}
	group.Wait()
	if me := read[lexiconapi.Me](t, bob.ask(200, "GET", "/users/me", "")); me.Usage.Used != 1 {
		t.Errorf("%d translations are charged", me.Usage.Used)
	}
}
