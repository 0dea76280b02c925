package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// paper is a site with two articles.
func paper(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			_, _ = fmt.Fprint(w, `<title>Paper</title><a href="/a">A</a> <a href="/b">B</a> <a href="/c">C</a>`)
		case "/a", "/b":
			_, _ = fmt.Fprintf(w, `<meta property="og:type" content="article"><title>Story %s</title><article><h1>Story %s</h1>%s</article>`, r.URL.Path, r.URL.Path,
				strings.Repeat("<p>The council voted on the budget for roads and schools, and the mayor thanked all members for their work.</p>", 6))
		case "/c":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestCrawl(t *testing.T) {
	t.Chdir(t.TempDir())
	server := paper(t)
	allow := "--crawl-allow=127.0.0.1"
	tests := []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{[]string{"site", "add", "paper", "--url=" + server.URL}, 1, "", "a loopback address"},
		{[]string{"site", "preview", "--url=" + server.URL, "--interval=0", allow}, 0, "robots.txt allows /", ""},
		{[]string{"site", "preview", "--url=" + server.URL, "--interval=0", allow}, 0, "summarise: allowed (quotation)", ""},
		{[]string{"site", "add", "paper", "--url=" + server.URL, "--interval=0", "--window=6-7", allow}, 1, "", "crawlWindows[0] must have a start and an end as 06:30"},
		{[]string{"site", "add", "paper", "--url=" + server.URL, "--interval=0", allow}, 0, "paper added", ""},
		{[]string{"site", "add", "paper", "--url=" + server.URL, allow}, 1, "", "there is a site paper already"},
		{[]string{"site", "edit", "paper", "--name=The Paper", allow}, 0, "", ""},
		{[]string{"site", "edit", "paper", "--basis=licence", allow}, 1, "", "basis.licence must be an open licence"},
		{[]string{"site", "signals", "paper"}, 0, "the site was not asked yet", ""},
		{[]string{"site", "signals", "paper", "--ask", allow}, 0, "text: not allowed (quotation)", ""},
		{[]string{"site", "list"}, 0, "The Paper", ""},
		{[]string{"site", "show", "paper"}, 0, `"version": 2`, ""},
		{[]string{"crawl", "--site=nobody"}, 1, "", "there is no site nobody"},
		{[]string{"crawl", "--site=x", "--loop"}, 2, "", "leave out --site"},
		{[]string{"crawl", "--site=paper", allow}, 0, "paper: partial, 3 articles, 2 new, 0 updated, 1 failed", "2 articles summarised"},
		{[]string{"crawl"}, 0, "", ""},
		{[]string{"site", "runs", "paper"}, 0, "partial", ""},
		{[]string{"site", "retries"}, 0, "attempt 1", ""},
		{[]string{"site", "retries", "--json"}, 0, `"failureType":"fetch"`, ""},
		{[]string{"site", "drop", "fetch", "nobody"}, 1, "", "there is nothing of that name"},
		{[]string{"site", "pause", "paper"}, 0, "", ""},
		{[]string{"site", "list"}, 0, "paused", ""},
		{[]string{"site", "resume", "paper"}, 0, "", ""},
		{[]string{"site", "delete", "paper"}, 2, "", "say --yes"},
		{[]string{"site", "delete", "paper", "--yes"}, 0, "", ""},
		{[]string{"site", "show", "paper"}, 1, "", "there is nothing of that name"},
	}
	for _, tt := range tests {
		got := runIn(t, nil, tt.args...)
		if got.Code != tt.code || !strings.Contains(got.Stdout, tt.stdout) || !strings.Contains(got.Stderr, tt.stderr) {
			t.Errorf("%v: %d, %.500s, %.500s", tt.args, got.Code, got.Stdout, got.Stderr)
		}
	}
}
