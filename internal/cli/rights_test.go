package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pressroom/guard/guardtest"
	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/front"
	"pressroom/internal/rights"
	"pressroom/llm"
	"pressroom/llm/builtin"
)

// crawledArticle is an article of another's: its text is made of marks, one in every 20
// characters, so that an answer tells how much of it is shown.
type crawledArticle struct {
	name     string
	japanese bool
	marks    []string
	text     string
	id       string
	said     string // in X-Robots-Tag
	brief    bool   // one of many: it is asked for on its own routes alone
	// summaries are what models say of it, one after the other; "builtin" for the one that copies.
	summaries []string
}

// markSize is how many characters of a text a mark stands for.
const markSize = 20

func (a *crawledArticle) path() string  { return "/news/" + a.name }
func (a *crawledArticle) title() string { return "Headline of " + a.name }

// most is how many characters of the text readers may see.
func (a *crawledArticle) most() int {
	if a.said == "nosnippet" {
		return 0
	}
	return rights.Cap(utf8.RuneCountInString(a.text))
}

// word is the text at its i-th mark, to be searched for.
func (a *crawledArticle) word(i int) string {
	from := strings.Index(a.text, a.marks[i])
	return string([]rune(a.text[from : from+60])[:markSize-1])
}

// own is a summary in words of our own, of what the text says in others.
func (a *crawledArticle) own() string {
	if a.japanese {
		return "出来事が別の言葉で伝えられ、Ownword " + a.name + " と呼ばれた。"
	}
	return "Ownword " + a.name + ": something happened, and somebody told of it in other words."
}

// taken is a summary that copies n marks of the text from the i-th on.
func (a *crawledArticle) taken(i, n int) string {
	from := strings.Index(a.text, a.marks[i])
	return a.own() + " " + strings.Join(strings.Fields(a.text[from:strings.Index(a.text, a.marks[i+n])]), " ")
}

func (a *crawledArticle) page() string {
	var b strings.Builder
	for part := range strings.SplitSeq(a.text, "\n\n") {
		b.WriteString("<p>" + part + "</p>\n")
	}
	published := time.Now()
	if a.brief {
		published = published.Add(-time.Hour) // the others are first in lists
	}
	return fmt.Sprintf(`<html><head><title>%[1]s</title><meta property="og:type" content="article"><meta property="article:published_time" content="%[3]s"></head><body><article><h1>%[1]s</h1>%[2]s</article></body></html>`,
		a.title(), b.String(), published.UTC().Format(time.RFC3339))
}

// newCrawled makes an article of n marks.
func newCrawled(name string, letter int, japanese bool, n int) *crawledArticle {
	a := &crawledArticle{name: name, japanese: japanese}
	var b strings.Builder
	for i := range n {
		mark, rest, stop := fmt.Sprintf("zq%c%c%03d", 'a'+letter/10, 'a'+letter%10, i), "harbourboard ", "harbourboard. "
		if japanese {
			stems := []rune("甲乙丙丁戊己庚辛壬癸")
			mark = string([]rune{stems[letter/10], stems[letter%10]})
			for _, digit := range fmt.Sprintf("%03d", i) {
				mark += string([]rune("あかさたなはまやらわ")[digit-'0'])
			}
			rest, stop = "の港では人々が長く語り継いで、", "の港では人々が長く語り継いだ。"
		}
		if a.marks = append(a.marks, mark); i%6 == 5 || i == n-1 {
			rest = stop
		}
		b.WriteString(mark + rest)
		if i%30 == 29 && i < n-1 {
			b.WriteString("\n\n")
		}
	}
	last := "Somebody told, in other words, of something that happened: Ownword " + name + "."
	if japanese {
		last = "別の言葉で出来事が伝えられ、Ownword " + name + " と呼ばれた。"
	}
	a.text = strings.TrimSpace(b.String()) + "\n\n" + last
	return a
}

// markForm is how a mark looks.
var markForm = regexp.MustCompile(`zq[a-j]{2}\d{3}|[甲乙丙丁戊己庚辛壬癸]{2}[あかさたなはまやらわ]{3}`)

// crawledArticles are 200 texts (fewer under the race detector) of all lengths in both scripts, with every kind of
// summary, of a source that allows a quotation. Some of them say that they want less.
func crawledArticles() []*crawledArticle {
	var all []*crawledArticle
	for i, japanese := range []bool{false, true} {
		script := []string{"latin", "kana"}[i]
		add := func(letter int, kind string, marks int) *crawledArticle {
			a := newCrawled(script+kind, letter, japanese, marks)
			all = append(all, a)
			return a
		}
		add(0, "waiting", 90)
		add(1, "short", 9)
		add(2, "copied", 120).summaries = []string{"builtin"}
		add(3, "longcopied", 700).summaries = []string{"builtin"} // longer than the table keeps
		own := add(4, "own", 60)
		own.summaries = []string{own.own()}
		mixed := add(5, "mixed", 100)
		mixed.summaries = []string{mixed.taken(60, 12)}
		deep := add(6, "deep", 700)
		deep.summaries = []string{deep.taken(600, 30)} // from where the table has nothing
		again := add(7, "again", 100)
		again.summaries = []string{again.taken(70, 15), again.taken(10, 15), again.taken(40, 15)}
		silent := add(8, "nosnippet", 100)
		silent.said = "nosnippet"
		human := add(9, "noai", 100)
		human.said = "noai"
		for letter := 10; letter < 10+guardtest.Few(90); letter++ {
			one := add(letter, fmt.Sprint("many", letter), 20+letter)
			one.brief = true
			switch letter % 3 {
			case 1:
				one.summaries = []string{"builtin"}
			case 2:
				one.summaries = []string{one.taken(letter/10, 12)}
			}
		}
	}
	return all
}

// scripted is a model that says what the article's test wants.
type scripted struct {
	*builtin.Provider
	round    int
	articles map[string]*crawledArticle // by title
}

func (s *scripted) Info() llm.Info {
	return llm.Info{Provider: "scripted", Model: fmt.Sprint("round-", s.round)}
}

func (s *scripted) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	for title, a := range s.articles {
		if !strings.Contains(req.Messages[0].Text, fmt.Sprintf("%q", title)) {
			continue
		}
		if text := a.summaries[s.round]; text != "builtin" {
			var all []int
			for _, p := range req.Passages {
				all = append(all, p.Order)
			}
			answer, err := json.Marshal(map[string]any{"summary": text, "based_on_orders": all})
			return &llm.Response{Text: string(answer), Provider: "scripted", Model: s.Info().Model, Finish: llm.Stop}, err
		}
	}
	return s.Provider.Generate(ctx, req)
}

// publishCrawled crawls a paper with the articles and summarises them. The paper has a
// robots.txt if there is one.
func publishCrawled(t *testing.T, st *store, articles []*crawledArticle, robots *string) *newswire.Desk {
	t.Helper()
	byPath, byTitle := map[string]*crawledArticle{}, map[string]*crawledArticle{}
	var front strings.Builder
	for _, a := range articles {
		byPath[a.path()], byTitle[a.title()] = a, a
		fmt.Fprintf(&front, `<a href="%s">%s</a> `, a.path(), a.title())
	}
	paper := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch a := byPath[r.URL.Path]; {
		case a != nil:
			if a.said != "" {
				w.Header().Set("X-Robots-Tag", a.said)
			}
			_, _ = io.WriteString(w, a.page())
		case r.URL.Path == "/robots.txt" && robots != nil:
			_, _ = io.WriteString(w, *robots)
		case r.URL.Path == "/":
			_, _ = io.WriteString(w, "<title>Paper</title>"+front.String())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(paper.Close)
	stories, err := tableNames{}.stories(st.db)
	if err != nil {
		t.Fatal(err)
	}
	model := &scripted{Provider: builtin.New(), articles: byTitle}
	desk, err := newswire.New(st.db, st.client, &newswire.Options{Stories: stories, Log: quiet, Model: model, Outbound: &newswire.Outbound{Allow: []string{strings.TrimPrefix(paper.URL, "http://")}}})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	t.Cleanup(desk.Close)
	must(desk.CreateSite(t.Context(), &newswire.Site{SiteID: "paper", Name: "The Paper", Category: "news", BaseURL: paper.URL + "/"}))
	_, err = desk.Crawl(t.Context(), "paper", newswire.CrawlOptions{})
	must(err)
	var kept []newswire.Article
	for o := (newswire.PageOptions{Limit: 100}); ; {
		page, err := desk.Feed(t.Context(), o)
		must(err)
		kept = append(kept, page.Items...)
		if o.Cursor = page.Next; o.Cursor == "" {
			break
		}
	}
	if len(kept) != len(articles) {
		t.Fatalf("%d of %d articles were kept", len(kept), len(articles))
	}
	for i := range kept {
		a := byTitle[kept[i].Title]
		a.id = kept[i].ArticleID
		body, err := desk.Body(t.Context(), &kept[i])
		must(err)
		if strings.Join(strings.Fields(body), "") != strings.Join(strings.Fields(a.text), "") {
			t.Fatalf("%s is kept as %.200s", a.name, body)
		}
		for model.round = range a.summaries {
			must(desk.SummariseArticle(t.Context(), a.id))
		}
		if a.brief {
			continue
		}
		_, err = desk.SetTopics(t.Context(), a.id, 0, []string{"harbours"})
		must(err)
	}
	return desk
}

// copyWalk asks the whole product for everything, as one caller, and notes what of
// each article it is shown.
type copyWalk struct {
	*searched
	articles []*crawledArticle
	as       *asker // nil for nobody in particular
	role     auth.Role
	only     string // a part of the routes to ask; "" for all
	where    map[*crawledArticle]map[string][]string
}

var tags = regexp.MustCompile(`<[^>]*>`)

// legibly is an answer as its reader has it, with and without its tags.
type legibly struct{ plain, bare string }

func legible(answer string) legibly {
	plain := html.UnescapeString(html.UnescapeString(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(answer)))
	return legibly{plain, tags.ReplaceAllString(plain, "")}
}

// shown are the marks of an article in an answer, with and without what stands
// between its words, except those that the question itself has.
func (a *crawledArticle) shown(question, answer string) []string {
	return a.among(question, legible(answer).marks())
}

// marks are the marks in an answer.
func (text legibly) marks() map[string]bool {
	found := map[string]bool{}
	for _, part := range []string{text.plain, text.bare} {
		for _, mark := range markForm.FindAllString(part, -1) {
			found[mark] = true
		}
	}
	return found
}

// among are the marks of an article among those of an answer.
func (a *crawledArticle) among(question string, found map[string]bool) []string {
	if len(found) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.marks), func(mark string) bool { return !found[mark] || strings.Contains(question, mark) })
}

func (w *copyWalk) ask(path string, headers ...string) (status int, body string) {
	w.t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	w.asks++
	r.RemoteAddr = fmt.Sprintf("198.51.%d.%d:1", w.asks/250%250, w.asks%250+1)
	if w.as != nil {
		r.Header.Set("Authorization", "Bearer "+w.as.token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.site.mux.ServeHTTP(rec, r)
	return rec.Code, fmt.Sprint(rec.Header()) + rec.Body.String()
}

// paths are the addresses of all routes that the caller may ask for, with every
// article, list and filter, and searches for words from everywhere in every text.
func (w *copyWalk) paths() []string {
	w.t.Helper()
	values := map[string][]string{
		"{site}": {"paper"}, "{category}": {"news"}, "{topic}": {"harbours"}, "{month}": {time.Now().UTC().Format("2006-01")},
	}
	var questions, paths []string
	for _, a := range w.articles {
		if a.brief {
			paths = append(paths, "/newswire/articles/"+a.id, "/api/v1/newswire/articles/"+a.id, "/api/v1/newswire/articles/"+a.id+"/summaries", "/search?q="+url.QueryEscape(a.word(len(a.marks)/2)))
			continue
		}
		values["{id}"] = append(values["{id}"], a.id)
		questions = append(questions, url.QueryEscape(a.title()))
		n := len(a.marks)
		questions = append(questions, url.QueryEscape(a.word(n/4)), url.QueryEscape(`"`+a.word(n/2)+`"`), url.QueryEscape(a.word(n-4)+" "+a.marks[n/3]))
	}
	if w.only != "" { // every article, on the routes that are asked
		paths = nil
		for _, a := range w.articles {
			if a.brief {
				values["{id}"] = append(values["{id}"], a.id)
			}
		}
	}
	for _, route := range w.site.mux.Routes() {
		if !w.role.Allows(route.Access) || route.Unsafe() || !strings.Contains(route.Path(), w.only) {
			continue
		}
		for _, path := range fill(route.Path(), values) {
			paths = append(paths, path)
			switch path {
			case "/search", "/search/feed.atom", "/search/feed.json", "/search/suggest", "/api/v1/search", "/api/v1/search/suggestions":
				for _, q := range append(questions, "harbourboard", "語り継いだ") {
					paths = append(paths, path+"?q="+q)
				}
				paths = append(paths, path+"?desk=newswire", path+"?q=harbourboard&sort=newest&limit=100")
			case "/", "/feed.atom", "/feed.json":
				paths = append(paths, path+"?desk=newswire", path+"?language=ja")
			case "/api/v1/newswire/articles":
				paths = append(paths, path+"?site=paper", path+"?topic=harbours", path+"?category=news", path+"?status=summarized", path+"?status=pending_summary", path+"?limit=100")
			}
		}
	}
	if w.only == "" {
		_, index := w.ask("/sitemap.xml")
		for _, found := range location.FindAllStringSubmatch(index, -1) {
			paths = append(paths, found[1])
		}
	}
	return paths
}

// look asks every path, as a browser and as a page's script does.
func (w *copyWalk) look() {
	w.t.Helper()
	w.where = map[*crawledArticle]map[string][]string{}
	for _, path := range w.paths() {
		question, err := url.QueryUnescape(path)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, script := range []string{"false", "true"} {
			if script == "true" && (strings.Contains(path, "feed.") || strings.HasPrefix(path, "/api/")) {
				continue
			}
			_, answer := w.ask(path, "HX-Request", script)
			found := legible(answer).marks()
			for _, a := range w.articles {
				if marks := a.among(question, found); len(marks) > 0 {
					if w.where[a] == nil {
						w.where[a] = map[string][]string{}
					}
					w.where[a][path] = append(w.where[a][path], marks...)
				}
			}
		}
	}
}

// excess are the addresses that show more of an article than its cap, and, if none
// does alone, all that do together.
func (w *copyWalk) excess() []string {
	var bad []string
	for _, a := range w.articles {
		union := map[string]bool{}
		alone := false
		for path, marks := range w.where[a] {
			slices.Sort(marks)
			if n := markSize * len(slices.Compact(slices.Clone(marks))); n > a.most() {
				bad, alone = append(bad, fmt.Sprintf("%s shows %d characters of %s, of which %d may be shown", path, n, a.name, a.most())), true
			}
			for _, mark := range marks {
				union[mark] = true
			}
		}
		if n := markSize * len(union); n > a.most() && !alone {
			bad = append(bad, fmt.Sprintf("all answers together show %d characters of %s, of which %d may be shown", n, a.name, a.most()))
		}
	}
	return bad
}

// No route shows readers more of a crawled article than its cap, in one answer or in
// all of them together, in whatever format, whatever they search for, and whoever
// wrote the summary. Those who work on it see the whole. A route that shows more is found.
func TestOthersTextsAreCapped(t *testing.T) {
	s := openSearched(t)
	articles := crawledArticles()
	robots := "User-agent: *\nAllow: /"
	crawler := publishCrawled(t, s.store, articles, &robots)
	for _, a := range articles { // the index has them all, with their texts
		s.await(query("/search", a.word(min(len(a.marks), 400)/2)), "/newswire/articles/"+a.id)
	}
	for _, role := range []auth.Role{auth.Everyone, auth.Reader} {
		w := &copyWalk{searched: s, articles: articles, role: role}
		if role != auth.Everyone {
			w.as = newCaller(t, s.site, role.String(), role)
		}
		w.look()
		for _, line := range w.excess() {
			t.Errorf("to %s: %s", role, line)
		}
		if role == auth.Everyone {
			for _, line := range w.missing() {
				t.Error(line)
			}
		}
		t.Logf("%s: %d requests", role, s.asks)
	}

	for _, role := range []auth.Role{auth.Author, auth.Moderator, auth.Operator} {
		w := &copyWalk{searched: s, articles: articles, as: newCaller(t, s.site, role.String(), role), role: role}
		for _, a := range articles {
			for _, path := range []string{"/newswire/articles/" + a.id, "/api/v1/newswire/articles/" + a.id} {
				if _, body := w.ask(path); len(a.shown("", body)) < len(a.marks) {
					t.Errorf("%s shows %d of %d marks of %s to %s", path, len(a.shown("", body)), len(a.marks), a.name, role)
				}
			}
		}
	}

	s.site.mux.Handle(front.Route{Pattern: "GET /planted/{id}", Access: auth.Everyone, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, err := crawler.GetArticle(r.Context(), r.PathValue("id"))
		if err == nil {
			_, err = io.WriteString(w, a.BodyPlain)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
		}
	}), Fail: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusInternalServerError) }})
	w := &copyWalk{searched: s, articles: articles, only: "/planted"}
	w.look()
	if found := w.excess(); len(found) != len(articles) {
		t.Errorf("of %d leaks the walk finds %v", len(articles), found)
	}

	// The paper opts out: no answer has so much as a title.
	robots = "User-agent: *\nDisallow: /news/"
	if _, err := crawler.ReadSignals(t.Context(), "paper"); err != nil {
		t.Fatal(err)
	}
	gone := &copyWalk{searched: s, articles: articles}
	for _, path := range gone.paths() {
		question, err := url.QueryUnescape(path)
		if err != nil {
			t.Fatal(err)
		}
		_, answer := gone.ask(path)
		if bare := legible(answer).bare; strings.Contains(bare, "Headline of ") && !strings.Contains(question, "Headline of ") {
			t.Errorf("%s still has %.60s", path, bare[strings.Index(bare, "Headline of "):])
		}
	}
}

// missing are the places that do not show of an article what they may.
func (w *copyWalk) missing() []string {
	var none []string
	for _, a := range w.articles {
		if a.brief {
			continue // lists have the newest alone
		}
		for _, path := range []string{
			"/?desk=newswire", "/feed.atom", // on the front page a thread has one place "/feed.json", "/newswire", "/newswire/feed.atom", "/newswire/feed.json", "/newswire/sites/paper", "/newswire/topics/harbours",
			"/newswire/articles/" + a.id, "/api/v1/newswire/articles/" + a.id, "/api/v1/newswire/articles", "/search?q=" + url.QueryEscape(a.title()), "/api/v1/search?q=" + url.QueryEscape(a.title()),
		} {
			_, body := w.ask(path)
			bare := legible(body).bare
			if !strings.Contains(bare, a.title()) {
				none = append(none, path+" does not have the title of "+a.name)
			}
			switch own := len(a.summaries) > 0 && a.summaries[0] != "builtin"; {
			case own && !strings.Contains(path, "/search") && !strings.Contains(bare, "Ownword "+a.name): // a hit shows another part of it
				none = append(none, path+" does not have our own words about "+a.name)
			case !own && a.most() >= 2*markSize && len(a.shown("", body)) == 0:
				none = append(none, path+" has no excerpt of "+a.name)
			}
		}
	}
	return none
}
