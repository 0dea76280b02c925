package cli

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// The steps of the first run are those of all desks, and a backup that somebody makes
// while the newsroom serves is seen.
func TestFirstRun(t *testing.T) {
	set, st := openTestStore(t)
	s, err := openSite(t.Context(), set, false, st, quiet)
	if err != nil {
		t.Fatal(err)
	}
	link, err := url.Parse(s.setup)
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"token": {link.Query().Get("token")}, "name": {"ann"}, "password": {"correct horse battery"}, "again": {"correct horse battery"}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/setup", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	w := httptest.NewRecorder()
	s.mux.ServeHTTP(w, r)
	if w.Code != http.StatusSeeOther {
		t.Fatalf("set-up answers %d", w.Code)
	}
	steps := func(of string) string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/office", nil)
		for _, cookie := range w.Result().Cookies() {
			r.AddCookie(cookie)
		}
		w := httptest.NewRecorder()
		s.mux.ServeHTTP(w, r)
		doc, err := goquery.NewDocumentFromReader(w.Body)
		if err != nil || w.Code != http.StatusOK {
			t.Fatal(w.Code, err)
		}
		return strings.Join(doc.Find(of).Map(func(_ int, n *goquery.Selection) string { return strings.TrimSpace(n.Text()) }), "|")
	}
	todo := "Set the name|Add people|Add a site|Add a parliament or council|Open the lexicon|See models and costs"
	if got := steps(".steps ol a"); got != todo+"|See what is stored" {
		t.Errorf("to do: %s", got)
	}
	if got := steps(".steps ol h3"); !strings.Contains(got, "Connect a mail server") {
		t.Errorf("to do: %s", got)
	}
	res, err := callControl(t.Context(), set.Data, "/checkpoint", struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	for deadline := time.Now().Add(time.Minute); steps(".steps ol a") != todo; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a backup was made; to do: %s; done: %s", steps(".steps ol a"), steps(".steps details li"))
		}
	}
}
