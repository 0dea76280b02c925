package rightsweb_test

import (
	"context"
	"net/http/httptest"
	"net/mail"
	"net/url"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/rights/erase"
	"pressroom/internal/rights/request"
	"pressroom/internal/web/rightsweb"
	"pressroom/internal/web/webtest"
	"pressroom/model"
)

type room struct {
	*webtest.Site
	t        *testing.T
	requests *request.Requests
	letters  []string
	taken    []string
	recorded []string
}

func open(t *testing.T) *room {
	t.Helper()
	merged, err := model.Merge(erase.Schema, request.Schema)
	if err != nil {
		t.Fatal(err)
	}
	r := &room{Site: webtest.Open(t, merged...), t: t}
	erasures, err := erase.New(r.DB, erase.Options{})
	if err != nil {
		t.Fatal(err)
	}
	erasures.Add(&erase.Traces{Desk: "blog", Take: func(_ context.Context, id string) error {
		r.taken = append(r.taken, id)
		return nil
	}})
	r.requests, err = request.From(r.DB, request.Options{Key: []byte("0123456789abcdef"), Erasures: erasures, Address: "http://news.example",
		Mail: func(_ context.Context, _ mail.Address, _, body string) error {
			r.letters = append(r.letters, body)
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	record := func(_ context.Context, what, subject, _ string) error {
		r.recorded = append(r.recorded, what+" "+subject)
		return nil
	}
	if err := rightsweb.Register(r.Site.Site, rightsweb.Options{Requests: r.requests, Erasures: erasures, Record: record}); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *room) post(role auth.Role, path string, pairs ...string) *webtest.Reply {
	r.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	req := httptest.NewRequest("POST", path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r.Do(r.t, role, req)
}

func (r *room) get(role auth.Role, path string) *webtest.Reply {
	r.t.Helper()
	return r.Do(r.t, role, httptest.NewRequest("GET", path, nil))
}

// From the form over the link in the mail to the decision that takes a story away.
func TestFlow(t *testing.T) {
	r := open(t)
	r.get(auth.Everyone, "/rights?about=https%3A%2F%2Fnews.example%2Fblog%2Fposts%2F1").Want(200)
	form := []string{"kind", "takedown", "name", "Hanako <b>", "email", "hanako@mail.example", "about", "https://paper.example/a", "text", "Take it <script>down."}
	if wrong := r.post(auth.Everyone, "/rights", append(form, "email", "nobody")...).Want(422); !strings.Contains(wrong.Body, "Take it &lt;script&gt;down.") {
		t.Error("what was typed is lost")
	}
	taken := r.post(auth.Everyone, "/rights", form...).Want(200)
	if !strings.Contains(taken.Body, "pressroom-request=") || len(r.letters) != 1 {
		t.Fatalf("%s, %v", taken.Body, r.letters)
	}
	link := strings.Fields(r.letters[0][strings.Index(r.letters[0], "http://news.example"):])[0]
	link = strings.TrimPrefix(link, "http://news.example")
	r.get(auth.Everyone, link).Want(200)
	page, err := r.requests.List(t.Context(), request.Unproven, model.PageOptions{Limit: 9})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("opening the link was enough: %+v, %v", page, err)
	}
	path := "/office/rights/requests/" + page.Items[0].ID
	r.get(auth.Operator, "/office/rights?state=unproven").Want(200)
	r.get(auth.Operator, path).Want(200)
	code := strings.TrimPrefix(link, "/rights/confirm?link=")
	r.post(auth.Everyone, "/rights/confirm", "link", code).Want(303)
	r.post(auth.Everyone, "/rights/confirm", "link", code).Want(404)
	if queue := r.get(auth.Operator, "/office/rights").Want(200); queue.Count("tbody tr") != 1 {
		t.Errorf("the queue is %s", queue.Body)
	}
	r.post(auth.Operator, path+"/grant", "reasons", "").Want(422)
	r.post(auth.Operator, path+"/grant", "reasons", "You own it.", "erase", "story", "what", "blog/1").Want(303)
	if len(r.taken) != 1 || len(r.recorded) != 2 {
		t.Errorf("%v, %v", r.taken, r.recorded)
	}
	if decided := r.get(auth.Operator, path).Want(200); !strings.Contains(decided.Text("pre"), "You own it.") {
		t.Errorf("the letter is %s", decided.Text("pre"))
	}
	r.get(auth.Operator, "/office/rights/erasures").Want(200)
	r.post(auth.Operator, "/office/rights/erasures", "erase", "person", "what", "x", "why", "asked").Want(422)
	for _, path := range []string{"/office/rights", path, "/office/rights/erasures"} {
		if got := r.get(auth.Moderator, path); got.StatusCode == 200 {
			t.Errorf("a moderator sees %s", path)
		}
	}
}

func TestBrowser(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	for _, size := range []func(){b.Desktop, b.Phone} {
		size()
		b.Go("/rights")
		b.Axe("form")
		b.Go("/rights/confirm?link=x")
		b.Axe("confirm")
	}
	b.Go("/rights?about=paper.example")
	b.Type("#text", "Please.")
	b.Type("#name", "花子")
	b.Type("#email", "hanako@mail.example")
	b.Follow("main button[type=submit]")
	b.Axe("taken")
}
