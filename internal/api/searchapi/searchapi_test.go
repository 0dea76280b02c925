package searchapi_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/api"
	"pressroom/internal/api/searchapi"
	"pressroom/internal/auth"
	"pressroom/internal/front"
	"pressroom/internal/search"
	"pressroom/internal/search/searchtest"
)

// asker asks the API, as an account or as nobody.
type asker struct {
	t    *testing.T
	mux  *front.Mux
	as   *auth.Account
	desk *searchtest.Desk
}

func doc(id, title, body string) search.Document {
	return search.Document{Key: search.Key{ID: id}, Kind: "post", Language: "en", Title: title, Body: body}
}

func open(t *testing.T) *asker {
	t.Helper()
	documents := []search.Document{
		doc("kyoto", "秋の京都で", "紅葉のころに寺を訪れた。"), doc("emoi", "エモいという言葉", "心が動かされるさま。"),
		doc("river", "A walk along the river", "We walked <script>alert(1)</script> & talked."), doc("draft", "A walk nobody knows of", "walk"),
	}
	documents[0].Language, documents[1].Language, documents[1].Kind = "ja", "ja", "term"
	documents[2].Tags, documents[3].Level = []string{"walks"}, search.Level(auth.Author)
	for i := range 30 {
		documents = append(documents, doc(fmt.Sprintf("n%02d", i), fmt.Sprintf("Harbour number %d", i), "ships"))
	}
	quiet := slog.New(slog.DiscardHandler)
	a := &asker{t: t, desk: searchtest.Open(t, "blog", documents...)}
	a.mux = front.New(&front.Options{
		Authenticate: func(http.ResponseWriter, *http.Request) (*auth.Account, error) { return a.as, nil },
		Fail:         func(w http.ResponseWriter, _ *http.Request, err error) { http.Error(w, err.Error(), http.StatusTeapot) },
		PerAddress:   front.Rate{PerSecond: -1}, PerAccount: front.Rate{PerSecond: -1}, Timeout: time.Hour, Log: quiet,
	})
	searchapi.Register(api.New(a.mux, &api.Options{Version: "test", Log: quiet}), a.desk.Service)
	return a
}

// ask returns the answer's body.
func (a *asker) ask(status int, path string, query ...string) string {
	a.t.Helper()
	values := url.Values{}
	for i := 0; i < len(query); i += 2 {
		values.Set(query[i], query[i+1])
	}
	r := httptest.NewRequestWithContext(a.t.Context(), http.MethodGet, "/api/v1"+path+"?"+values.Encode(), nil)
	r.RemoteAddr = fmt.Sprintf("198.51.100.%d:1", len(values.Encode())%250+1) // searches are limited by address
	w := httptest.NewRecorder()
	a.mux.ServeHTTP(w, r)
	if w.Code != status {
		a.t.Fatalf("%s %v is %d, want %d: %s", path, values, w.Code, status, w.Body)
	}
	return w.Body.String()
}

func (a *asker) find(query ...string) searchapi.Results {
	a.t.Helper()
	var found searchapi.Results
	if err := json.Unmarshal([]byte(a.ask(200, "/search", query...)), &found); err != nil {
		a.t.Fatal(err)
	}
	return found
}

func ids(found searchapi.Results) []string {
	var out []string
	for _, h := range found.Items {
		out = append(out, h.ID)
	}
	return out
}

func TestFinds(t *testing.T) {
	a := open(t)
	tests := []struct {
		name  string
		query []string
		want  []string
	}{
		{"slang", []string{"q", "エモい"}, []string{"emoi"}},
		{"another form of a verb", []string{"q", "訪れる"}, []string{"kyoto"}},
		{"another form of a word", []string{"q", "walking"}, []string{"river"}},
		{"a phrase", []string{"q", `"along the river"`}, []string{"river"}},
		{"an exclusion", []string{"q", "walk -river"}, nil},
		{"kind", []string{"kind", "term"}, []string{"emoi"}},
		{"language", []string{"language", "ja"}, []string{"kyoto", "emoi"}},
		{"tag", []string{"tag", "walks"}, []string{"river"}},
		{"desk", []string{"q", "walk", "desk", "blog"}, []string{"river"}},
		{"days", []string{"q", "walk", "from", "2026-11-16"}, nil},
		{"both days are in", []string{"q", "walk", "from", "2026-11-15", "to", "2026-11-15"}, []string{"river"}},
		{"nothing asked is the newest", []string{"limit", "3"}, []string{"kyoto", "emoi", "river"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ids(a.find(tt.query...))); diff != "" {
				t.Error(diff)
			}
		})
	}
	found := a.find("q", "talked").Items[0]
	if found.Path != "/blog/posts/river" || found.Item != "/api/v1/blog/posts/river" || found.Desk != "blog" || !slices.Equal(found.Tags, []string{"walks"}) {
		t.Errorf("it is %+v", found)
	}
}

// What a text has of HTML stays text; only what was looked for is marked.
func TestMarksAreSafe(t *testing.T) {
	a := open(t)
	found := a.find("q", "talked").Items[0]
	if !strings.Contains(found.ExcerptHTML, "&lt;script&gt;") || !strings.Contains(found.ExcerptHTML, "<mark>talked</mark>") || strings.Contains(found.ExcerptHTML, "<script") {
		t.Errorf("the excerpt is %s", found.ExcerptHTML)
	}
	if found := a.find("q", "<script>"); strings.Contains(found.DidYouMean, "<") {
		t.Errorf("it suggests %s", found.DidYouMean)
	}
}

// Pages follow each other without a gap or a repetition, and end.
func TestPages(t *testing.T) {
	a := open(t)
	for _, sort := range []string{"newest", "relevance"} {
		var all []string
		cursor := ""
		for range 10 {
			page := a.find("q", "harbour", "sort", sort, "limit", "7", "cursor", cursor)
			all = append(all, ids(page)...)
			if page.Total != 30 {
				t.Errorf("%s: total %d", sort, page.Total)
			}
			if page.NextCursor == "" {
				break
			}
			cursor = page.NextCursor
		}
		if slices.Sort(all); len(slices.Compact(all)) != 30 {
			t.Errorf("%s: %d of 30 on all pages: %v", sort, len(all), all)
		}
		a.ask(400, "/search", "q", "other", "sort", sort, "cursor", cursor)
	}
	a.ask(400, "/search", "q", "harbour", "cursor", "nonsense")
}

func TestRefusals(t *testing.T) {
	a := open(t)
	for _, query := range [][]string{
		{"q", strings.Repeat("x", 501)}, {"limit", "0"}, {"limit", "101"}, {"sort", "oldest"}, {"desk", "sports"}, {"kind", "draft"}, {"language", "fr"},
		{"from", "yesterday"}, {"from", "2026-11-15", "to", "2026-11-01"},
	} {
		if body := a.ask(422, "/search", query...); !strings.Contains(body, query[0]) && !strings.Contains(body, query[len(query)-2]) {
			t.Errorf("%v: the answer names no field: %s", query, body)
		}
	}
	a.ask(422, "/search/suggestions")
	a.ask(422, "/search/suggestions", "q", "a", "limit", "21")
}

// Everyone, an operator too, is given what everyone may read: these answers are
// shared between callers.
func TestNobodyFindsDrafts(t *testing.T) {
	a := open(t)
	for _, as := range []*auth.Account{nil, {ID: "1", Name: "ann", Role: auth.Operator}} {
		a.as = as
		for _, q := range []string{"nobody knows", "walk", ""} {
			if got := ids(a.find("q", q, "limit", "100")); slices.Contains(got, "draft") {
				t.Errorf("%v finds the draft by %q", as, q)
			}
		}
		if body := a.ask(200, "/search/suggestions", "q", "A walk"); strings.Contains(body, "nobody") || !strings.Contains(body, "along the river") {
			t.Errorf("%v is suggested %s", as, body)
		}
	}
	a.desk.TakeBack("emoi")
	if got := ids(a.find("q", "エモい", "limit", "5")); got != nil {
		t.Errorf("what was taken back is found: %v", got)
	}
}

func TestSuggests(t *testing.T) {
	a := open(t)
	var found searchapi.Suggestions
	if err := json.Unmarshal([]byte(a.ask(200, "/search/suggestions", "q", "harbour n", "limit", "5")), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Items) != 5 || !strings.HasPrefix(found.Items[0].Title, "Harbour number") || !strings.HasPrefix(found.Items[0].Path, "/blog/posts/n") {
		t.Errorf("suggested %+v", found.Items)
	}
	if body := a.ask(200, "/search/suggestions", "q", "エモ"); !strings.Contains(body, "エモいという言葉") {
		t.Errorf("suggested %s", body)
	}
	if body := a.ask(200, "/search/suggestions", "q", "zzz"); !strings.Contains(body, `"items":[]`) {
		t.Errorf("nothing is %s", body)
	}
}
