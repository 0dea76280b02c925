package reviewweb_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/proof"
	"pressroom/internal/review"
	"pressroom/internal/story"
	"pressroom/internal/web/reviewweb"
	"pressroom/internal/web/webtest"
)

const record = "図書館連携法案は賛成204、反対25で可決されました。"

// held is a queue of texts in memory, checked by the real rules.
type held struct {
	mu      sync.Mutex
	texts   map[string]string
	decided []string
}

func newHeld(n int) *held {
	h := &held{texts: map[string]string{}}
	for i := range n {
		h.texts[fmt.Sprintf("%03d", i)] = "図書館連携法案は賛成204、反対25で可決された。"
	}
	return h
}

func (h *held) item(id string) review.Item {
	return review.Item{ID: id, Title: "第" + id + "号の会議", Lang: "ja", Since: "2026-11-15T09:00:0" + id[2:] + ".000Z", Seen: "1", Can: []review.Verb{review.Approve, review.Edit, review.Back}}
}

func (h *held) queue() review.Queue {
	check := func(text string) []proof.Claim {
		claims, _ := proof.NewRecord("2026-04-16", "参議院本会議", []proof.Passage{{Order: 1, Speaker: "竹内信吾", Text: record}}).CheckAnswer(context.Background(), &proof.Answer{Summary: proof.Cited{BasedOnOrders: []int{1}, Summary: text}})
		return claims
	}
	return review.Queue{
		Name: "minutes",
		List: func(context.Context, int) ([]review.Item, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			var all []review.Item
			for _, id := range slices.Sorted(maps.Keys(h.texts)) {
				all = append(all, h.item(id))
			}
			return all, nil
		},
		Get: func(_ context.Context, id string) (review.Item, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			text, ok := h.texts[id]
			if !ok {
				return review.Item{}, errs.NotFound
			}
			item := h.item(id)
			item.Why = []string{"summary: <script>x</script>"}
			item.Texts = []review.Text{{Where: "summary.summary", Text: text, Was: "前の版", Long: true}}
			item.Passages, item.Claims = []proof.Passage{{Order: 1, Speaker: "竹内信吾", Text: record}}, check(text)
			return item, nil
		},
		Check: func(_ context.Context, _ string, texts map[string]string) ([]proof.Claim, error) {
			return check(texts["summary.summary"]), nil
		},
		Decide: func(_ context.Context, id string, d review.Decision) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			if d.Verb == review.Back && d.Reason == "" {
				return errs.Validation(errs.Field{Name: "reason", Message: "must not be empty"})
			}
			delete(h.texts, id)
			h.decided = append(h.decided, id+" "+string(d.Verb)+" "+d.By+" "+d.Texts["summary.summary"])
			return nil
		},
	}
}

func open(t *testing.T, n int) (*webtest.Site, *held) {
	t.Helper()
	s, h := webtest.Open(t), newHeld(n)
	if err := reviewweb.Register(s.Site, &review.Board{Stories: s.Stories.Stories, Queues: []review.Queue{h.queue()}}); err != nil {
		t.Fatal(err)
	}
	return s, h
}

// Without JavaScript: lists, items, decisions one by one and in bulk, and who may.
func TestReview(t *testing.T) {
	s, h := open(t, 6)
	for _, role := range []auth.Role{auth.Reader, auth.Author} {
		s.Get(t, role, "/office/review").Want(http.StatusForbidden)
	}
	list := s.Get(t, auth.Moderator, "/office/review").Want(http.StatusOK)
	if list.Count(".waiting > li") != 6 {
		t.Fatalf("%d items wait", list.Count(".waiting > li"))
	}
	s.Get(t, auth.Moderator, "/office/review?queue=none").Want(http.StatusNotFound)
	item := s.Get(t, auth.Moderator, "/office/review/item?queue=minutes&id=000").Want(http.StatusOK)
	if !strings.Contains(item.Text(".notice"), "<script>") || item.Count("textarea") != 1 || !strings.Contains(item.Text(".split"), record) || item.Text("del") != "前の版" {
		t.Errorf("the item is %s", item.Body)
	}
	post := func(values ...string) *webtest.Reply {
		form := url.Values{"queue": {"minutes"}, "seen": {"1"}}
		for i := 0; i < len(values); i += 2 {
			form.Set(values[i], values[i+1])
		}
		return s.Post(t, auth.Moderator, "/office/review/item", form)
	}
	post("id", "000", "decision", "approve", "seen", "0").Want(http.StatusPreconditionFailed)
	post("id", "000", "decision", "none").Want(http.StatusUnprocessableEntity)
	post("id", "000", "decision", "withdraw").Want(http.StatusConflict)
	post("id", "000", "decision", "back").Want(http.StatusUnprocessableEntity)
	post("id", "000", "decision", "approve", "next", "https://elsewhere.example/").Want(http.StatusSeeOther)
	post("id", "001", "decision", "edit", "text:summary.summary", "改めた。").Want(http.StatusSeeOther)
	if err := s.Stories.Take(t.Context(), "minutes/002", "somebody else"); err != nil {
		t.Fatal(err)
	}
	post("id", "002", "decision", "approve").Want(http.StatusConflict)
	post("id", "002", "decision", "take").Want(http.StatusSeeOther)
	post("id", "002", "decision", "approve").Want(http.StatusSeeOther)
	if taken, err := s.Stories.Taken(t.Context()); err != nil || len(taken) != 0 {
		t.Errorf("after the decision %v is taken, %v", taken, err)
	}
	bulk := url.Values{"decision": {"approve"}, "item": {"minutes\n003\n1", "minutes\n004\n1"}}
	s.Post(t, auth.Moderator, "/office/review", bulk).Want(http.StatusSeeOther)
	s.Post(t, auth.Moderator, "/office/review", url.Values{"decision": {"approve"}}).Want(http.StatusUnprocessableEntity)
	if len(h.decided) != 5 || !strings.HasSuffix(h.decided[1], "改めた。") || len(h.texts) != 1 {
		t.Errorf("decided: %q", h.decided)
	}
	claims := s.Post(t, auth.Moderator, "/office/review/check", url.Values{"queue": {"minutes"}, "id": {"005"}, "text:summary.summary": {"図書館連携法案は否決された。"}}).Want(http.StatusOK)
	if claims.Count(".claims .badge.bad") == 0 {
		t.Errorf("a lie is checked as %s", claims.Text("#claims"))
	}
}

// What readers report waits here, a story each, and is settled by a decision.
func TestReports(t *testing.T) {
	s, _ := open(t, 0)
	desk := s.Stories.Desk("toys", story.Text{Story: story.Story{Ref: story.Ref{ID: "a/1"}, Title: "Robot"}})
	_ = desk
	ref := story.Ref{Desk: "toys", ID: "a/1"}
	for range 2 {
		if err := s.Stories.ReportMistake(t.Context(), ref, "The year is wrong."); err != nil {
			t.Fatal(err)
		}
	}
	list := s.Get(t, auth.Moderator, "/office/review?queue=reports").Want(http.StatusOK)
	item := s.Get(t, auth.Moderator, list.Attr(".waiting a", "href")).Want(http.StatusOK)
	if !strings.Contains(item.Text(".notice"), "The year is wrong. (×2)") {
		t.Errorf("the report says %q", item.Text(".notice"))
	}
	s.Post(t, auth.Moderator, "/office/review", url.Values{"decision": {"approve"}, "item": {list.Attr(".waiting input", "value")}}).Want(http.StatusSeeOther)
	if _, err := s.Stories.GetReport(t.Context(), ref); errs.KindOf(err) != errs.NotFound {
		t.Errorf("it still waits: %v", err)
	}
}
