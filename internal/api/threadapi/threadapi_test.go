package threadapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"testing"

	"pressroom/internal/api/apitest"
	"pressroom/internal/api/threadapi"
	"pressroom/internal/auth"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/internal/thread"
)

const report = "Two people are missing after the River Wend burst its banks in Harrowmere on Friday night. The water rose by 3.4 metres in an hour. Mayor Ada Finch asked people to stay indoors."

func text(id, source, title, body string) story.Text {
	return story.Text{Story: story.Story{Ref: story.Ref{ID: id}, Title: title, Summary: body, Language: "en", Source: story.Source{Name: source}}, Body: body}
}

func TestThreads(t *testing.T) {
	h := apitest.Open(t, "/api/v1", story.Schema, thread.Schema)
	stories := storytest.On(t, h.DB)
	wire := stories.Desk("wire", text("a", "Meridian Wire", "Two missing as River Wend floods Harrowmere", report), text("b", "Northmoor Post", "River Wend floods Harrowmere", report))
	for i, w := range []string{"bakery", "chapel", "museum", "ferry", "orchard", "castle", "garden", "station"} {
		wire.Put(t, text(w, w, "The "+w+" opens", "The "+w+" of "+string(rune('A'+i))+"town opens again after the winter."))
	}
	threads, err := thread.New(h.DB, stories.Stories, nil)
	apitest.Check(t, err)
	threadapi.Register(h.API, threads)
	h.Doors(map[auth.Role]string{auth.Everyone: "GET /threads|GET /threads/{id}"})
	follower := thread.NewFollower(threads, &wire.Shelf)
	apitest.Check(t, stories.RelayOnce(t.Context()))
	apitest.Check(t, stories.CatchUp(t.Context(), follower.Consumer()))

	type list struct {
		Items []threadapi.Thread `json:"items"`
		Next  *string            `json:"next_cursor"`
	}
	all := apitest.Read[list](t, h.Ask(http.StatusOK, "GET", "/threads", ""))
	if len(all.Items) != 1 || all.Items[0].Count != 2 || all.Items[0].Name != "River Wend floods Harrowmere" && all.Items[0].Name != "Two missing as River Wend floods Harrowmere" {
		t.Fatalf("the list is %+v", all)
	}
	of := apitest.Read[list](t, h.Ask(http.StatusOK, "GET", "/threads?desk=wire&story=b", ""))
	if len(of.Items) != 1 || of.Items[0].ID != all.Items[0].ID {
		t.Errorf("the thread of b is %+v", of)
	}
	if alone := apitest.Read[list](t, h.Ask(http.StatusOK, "GET", "/threads?desk=wire&story=chapel", "")); len(alone.Items) != 0 {
		t.Errorf("the thread of a story that stands alone is %+v", alone)
	}
	path := "/threads/" + all.Items[0].ID
	full := apitest.Read[threadapi.Full](t, h.Ask(http.StatusOK, "GET", path, ""))
	if len(full.Stories) != 2 || full.Stories[0].SameAs+full.Stories[1].SameAs == "" || len(full.Shared) == 0 {
		t.Errorf("the thread is %+v", full)
	}
	for _, st := range full.Stories {
		if sum := sha256.Sum256([]byte(st.Summary)); st.Citation.SHA256 != hex.EncodeToString(sum[:]) || st.Citation.Address == "" {
			t.Errorf("the citation of %s does not fit its words", st.ID)
		}
	}
	h.Ask(http.StatusNotFound, "GET", "/threads/nobody", "")
	h.Ask(http.StatusUnprocessableEntity, "GET", "/threads?cursor=!", "")

	// An agent gets of a story whose source wants that title and address alone, and no
	// words that only this story and another share.
	reserved := text("b", "Northmoor Post", "River Wend floods Harrowmere", report)
	reserved.Unread = true
	wire.Put(t, reserved)
	apitest.Check(t, stories.RelayOnce(t.Context()))
	apitest.Check(t, stories.CatchUp(t.Context(), follower.Consumer()))
	for _, tool := range h.API.Tools() {
		if tool.Name != "read_thread" {
			continue
		}
		r, err := tool.Request(t.Context(), map[string]any{"id": all.Items[0].ID})
		apitest.Check(t, err)
		w := httptest.NewRecorder()
		h.Mux.ServeHTTP(w, r)
		given := apitest.Read[threadapi.Full](t, w)
		if len(given.Shared) != 0 || len(given.Stories) != 2 {
			t.Errorf("an agent is given %+v", given)
		}
		for _, st := range given.Stories {
			if st.ID == "b" && (!st.Withheld || st.Summary != "") {
				t.Errorf("an agent is given what its source withholds: %+v", st)
			}
		}
		return
	}
	t.Error("read_thread is no tool")
}
