package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk"
	"pressroom/internal/desk/desktest"
)

// A line in the list of desks, and everything has the desk: commands, settings, tables
// and their names, check, template and roles, pages, front page, feed, sitemap, search,
// JSON with its specification, job, dashboard, scopes, backup and restore.
func TestDeskIsOneLine(t *testing.T) {
	defer func(before []*desk.Desk) { desks = before }(desks)
	desks = append(slices.Clone(desks), &desktest.Toy)
	dir := filepath.Join(t.TempDir(), "data")
	at := []string{"--data=" + dir, "--config=" + os.DevNull}

	ok(t, append([]string{"note", "first", "words of a note", "--notes-by=Ann", "--notes-table=MyNotes"}, at...)...)
	for _, args := range [][]string{{"config"}, {"schema", "print", "--desk=notes"}, {"schema", "cloudformation"}} {
		if out := ok(t, args...); !strings.Contains(out, "Notes") {
			t.Errorf("%v does not know the desk", args)
		}
	}

	serve := append([]string{"serve", "--addr=127.0.0.1:0", "--aws-addr=127.0.0.1:0", "--notes-table=MyNotes"}, at...)
	d := startRun(t, serve...)
	d.await(t, "it serves", func() bool { return strings.Contains(d.stderr.String(), "/setup?token=") })
	d.url = regexp.MustCompile(`http://[0-9.:]+`).FindString(regexp.MustCompile(`http://[0-9.:]+/setup`).FindString(d.stderr.String()))
	for path, want := range map[string]string{
		"/notes/first": "<p>words of a note</p>", "/": "words of a note", "/feed.atom": "words of a note", "/?desk=notes": "words of a note",
		"/sitemaps/notes/" + time.Now().UTC().Format("2006-01") + ".xml": "/notes/first", "/search?q=words": "/notes/first", "/search?desk=notes&q=words": "/notes/first", "/api/v1/search?desk=notes": "/notes/first",
		"/api/v1/notes/notes": `"by":"Ann"`, "/api/openapi.json": "listNotes", "/notes/greeting": "a greeting from the job",
	} {
		d.await(t, path+" shows "+want, func() bool {
			if strings.Contains(path, "/search") {
				time.Sleep(300 * time.Millisecond) // more often is refused
			}
			resp, err := http.Get(d.url + path) //nolint:gosec,noctx // it is our own
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Contains(string(body), want)
		})
	}
	backup := filepath.Join(t.TempDir(), "backup.tar")
	ok(t, "backup", "create", backup, "--data="+dir, "--config="+os.DevNull)
	if code := d.stop(); code != 0 {
		t.Fatalf("it ended with %d: %s", code, d.stderr.String())
	}
	if out := ok(t, append([]string{"check", "--notes-table=MyNotes"}, at...)...); out != "no findings\n" {
		t.Errorf("the check says %s", out)
	}
	again := filepath.Join(t.TempDir(), "again")
	ok(t, "restore", backup, "--data="+again, "--config="+os.DevNull)
	st, err := openStore(storeSettings{Data: again}, endpointSettings{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if left := traces(t, st.tables, "words of a note"); len(left) != 2 { // the note, and the card of its story
		t.Errorf("restored: %v", left)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// What a desk names for operators has words in both languages, which the desk brings.
func TestDesksHaveWords(t *testing.T) {
	set, st := openTestStore(t)
	s, err := openSite(t.Context(), set, false, st, quiet)
	if err != nil {
		t.Fatal(err)
	}
	account, err := s.auth.Add(t.Context(), auth.NewAccount{Name: "op", Password: "correct horse battery", Role: auth.Operator})
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := s.auth.AddToken(t.Context(), account.ID, auth.NewToken{Name: "test", Scopes: []auth.Scope{"admin"}})
	if err != nil {
		t.Fatal(err)
	}
	for lang, words := range map[string][]string{
		"en": {"Minutes: summaries", "Newswire: pages to fetch again", "Lexicon: moderation", "Blog: readers’ messages", "Finishes saves and deletions of posts"},
		"ja": {"議事録：要約", "ニュース：再取得", "用語集：審査", "ブログ：読者の便り", "障害で途切れた記事の保存"},
	} {
		r := httptest.NewRequest("GET", "/office/operations?lang="+lang, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		s.mux.ServeHTTP(w, r)
		for _, word := range words {
			if !strings.Contains(w.Body.String(), word) {
				t.Errorf("%s: %q is not on the page (%d)", lang, word, w.Code)
			}
		}
	}
}
