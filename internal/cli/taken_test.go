package cli

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/minutestest"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/story"
	"pressroom/llm"
	"pressroom/llm/builtin"
)

// takenRoom is the wired product with something of every desk, and desks beside it
// that write into the same store, as jobs and commands of the same process do.
type takenRoom struct {
	*reader
	newswire *newswire.Desk
	minutes  *minutes.Desk
	writer   *minutestest.Writer
	reworded atomic.Bool // the record of a meeting was corrected, and is told in other words
	values   map[string][]string
	words    []string // to search for
	asked    atomic.Int64
}

// taken is something published, and how it is taken back.
type taken struct {
	name   string
	traces []string // that must be gone: words of its own, in lower case, or its address
	shows  []string // beginnings of addresses, one of which must have shown it each
	back   func()   // returns when it is acknowledged
}

func openTaken(t *testing.T) *takenRoom {
	t.Helper()
	r := &takenRoom{reader: &reader{searched: openSearched(t)}, writer: &minutestest.Writer{}, values: map[string][]string{}}
	r.author = newCaller(t, r.site, "ann", auth.Author)
	r.openNewswire()
	r.openMinutes()
	return r
}

func (r *takenRoom) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// openNewswire crawls two papers, with an article for each mark. One report stands in both, so
// that it is a thread, whose place in lists is that of the newer printing.
func (r *takenRoom) openNewswire() {
	r.t.Helper()
	const budget = "The council agreed on a %sbody budget for roads and schools, after a debate of six hours about the bridges over the river."
	marks := map[string][]string{"paper": {"zqdropped", "zqexpired"}, "gazette": {"zqtopical"}}
	reports := map[string]string{
		"zqdropped": "Fishermen in the northern harbour found a %sbody whale, which swam back to sea when the tide rose on Sunday morning.",
		"zqexpired": budget, "zqtopical": budget,
	}
	now := time.Now().UTC()
	at := map[string]time.Time{"zqdropped": now, "zqexpired": now, "zqtopical": now.Add(-time.Hour)}
	paper := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		site, mark, _ := strings.Cut(req.URL.Path[1:], "/")
		switch {
		case slices.Contains(marks[site], mark):
			text := strings.Repeat("<p>"+fmt.Sprintf(reports[mark], mark)+"</p>", 6)
			fmt.Fprintf(w, `<head><title>%[1]stitle</title><meta property="og:type" content="article"><meta property="article:published_time" content="%[3]s"></head><article><h1>%[1]stitle</h1>%[2]s</article>`, mark, text, at[mark].Format(time.RFC3339))
		case mark == "":
			for _, m := range marks[site] {
				fmt.Fprintf(w, `<a href="/%[2]s/%[1]s">%[1]s</a>`, m, site)
			}
		default:
			http.NotFound(w, req)
		}
	}))
	r.t.Cleanup(paper.Close)
	var err error
	r.newswire, err = newswire.New(r.store.db, r.store.client, &newswire.Options{
		Stories: r.site.stories, Log: quiet, Model: builtin.New(), Outbound: &newswire.Outbound{Allow: []string{strings.TrimPrefix(paper.URL, "http://")}},
	})
	r.check(err)
	r.t.Cleanup(r.newswire.Close)
	for site := range marks {
		s := newswire.Site{SiteID: site, Name: "The " + site, Category: "news", BaseURL: paper.URL + "/" + site + "/", AllowedPaths: []string{"/" + site + "/"}}
		r.check(r.newswire.CreateSite(r.t.Context(), &s))
		_, err = r.newswire.Crawl(r.t.Context(), site, newswire.CrawlOptions{})
		r.check(err)
	}
	_, err = r.newswire.Summarise(r.t.Context(), 50)
	r.check(err)
}

// wired is the article of a mark.
func (r *takenRoom) wired(mark string) newswire.Article {
	r.t.Helper()
	for _, site := range []string{"paper", "gazette"} {
		page, err := r.newswire.Latest(r.t.Context(), site, newswire.PageOptions{})
		r.check(err)
		for _, a := range page.Items {
			if strings.HasPrefix(a.Title, mark) {
				return a
			}
		}
	}
	r.t.Fatalf("no paper has %s", mark)
	return newswire.Article{}
}

// openMinutes has two meetings summarised, in words with a mark for each.
func (r *takenRoom) openMinutes() {
	r.t.Helper()
	r.writer.Change = func(passages string, answer map[string]any) {
		mark := "zqdeleted"
		if strings.Contains(passages, "2026-11-10") {
			mark = "zqreplaced"
			if r.reworded.Load() {
				mark = "zqreworded"
			}
		}
		answer["title"], answer["description"] = mark+"title of the meeting", "A description with "+mark+"description in it."
		answer["keywords"] = []string{mark + "keyword"}
	}
	library := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		first, second := minutestest.Sitting(1, "2026-11-10"), minutestest.Sitting(2, "2026-11-12")
		second.Speeches[2].Text += saidAs("zqdeleted")
		mark := "zqreplaced"
		if r.reworded.Load() {
			mark = "zqreworded"
			first.Speeches[2].Text += "\n　なお、この発言は訂正されたものです。"
		}
		first.Speeches[2].Text += saidAs(mark)
		minutestest.Library(first, second).ServeHTTP(w, req)
	}))
	r.t.Cleanup(library.Close)
	var err error
	r.minutes, err = minutes.New(r.store.db, r.store.client, llm.Validated(r.writer), &minutes.Options{SourceURL: library.URL, Pause: -1, Stories: r.site.stories, Log: quiet})
	r.check(err)
	r.collect()
}

// saidAs are the words with a mark as they are said in the meeting, since nothing else is published.
func saidAs(mark string) string {
	return "\n　" + mark + "title of the meeting。A description with " + mark + "description in it。"
}

// collect reads what the library has, and has what is new or changed summarised.
func (r *takenRoom) collect() {
	r.t.Helper()
	_, err := r.minutes.Collect(context.Background(), "2026-11-01", "2026-11-15", nil)
	r.check(err)
	_, err = r.minutes.Work(context.Background(), minutes.WorkOptions{Once: true})
	r.check(err)
}

// remove deletes every item of all tables in which a text stands, or lets each of
// them expire, as another program on the same tables would.
func (r *takenRoom) remove(text string, expire bool) {
	r.t.Helper()
	tables, err := r.store.db.ListTables(r.t.Context(), &dynamodb.ListTablesInput{})
	r.check(err)
	n := 0
	for _, table := range tables.TableNames {
		if table == story.Schema.Tables[0].Name {
			continue // no other program knows it
		}
		d, err := r.store.db.DescribeTable(r.t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
		r.check(err)
		out, err := r.store.db.Scan(r.t.Context(), &dynamodb.ScanInput{TableName: &table})
		r.check(err)
		for _, item := range out.Items {
			if !strings.Contains(strings.ToLower(fmt.Sprintf("%+v", flat(item))), text) {
				continue
			}
			key := map[string]types.AttributeValue{}
			for _, k := range d.Table.KeySchema {
				key[*k.AttributeName] = item[*k.AttributeName]
			}
			n++
			if expire {
				item["ttl"] = &types.AttributeValueMemberN{Value: fmt.Sprint(time.Now().Add(-time.Hour).Unix())}
				_, err = r.store.db.PutItem(r.t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item})
			} else {
				_, err = r.store.db.DeleteItem(r.t.Context(), &dynamodb.DeleteItemInput{TableName: &table, Key: key})
			}
			r.check(err)
		}
	}
	if n == 0 {
		r.t.Fatalf("no item has %s", text)
	}
	r.check(r.store.tables.Engine().Sweep())
}

// flat is all texts of an item.
func flat(v any) (all []string) {
	switch v := v.(type) {
	case map[string]types.AttributeValue:
		for _, member := range v {
			all = append(all, flat(member)...)
		}
	case *types.AttributeValueMemberM:
		return flat(v.Value)
	case *types.AttributeValueMemberL:
		for _, member := range v.Value {
			all = append(all, flat(member)...)
		}
	case *types.AttributeValueMemberSS:
		return v.Value
	case *types.AttributeValueMemberS:
		return []string{v.Value}
	}
	return all
}

// saveTerm publishes a term with words of its own in every field.
func (r *takenRoom) saveTerm(mark, slug string) lexicon.Term {
	r.t.Helper()
	t := lexicon.Term{
		Slug: slug, Term: mark + "term", Gloss: mark + "gloss", Examples: []string{"so " + mark + "example"}, Tags: []string{mark + "tag"},
		Regions: []string{mark + "region"}, Categories: []string{mark + "category"}, Confidence: 1, Momentum: 1, Language: "en",
	}
	r.check(r.lexicon.SaveTerm(r.t.Context(), &t))
	return t
}

// marks are the words of a mark.
func marks(mark string, fields ...string) []string {
	var all []string
	for _, f := range fields {
		all = append(all, mark+f)
	}
	return all
}

// things publishes something of every kind, and says how each is taken back.
func (r *takenRoom) things() []taken {
	t, ctx := r.t, r.t.Context()
	t.Helper()
	var all []taken
	value := func(desk, name string, values ...string) {
		r.values[desk+name] = append(r.values[desk+name], values...)
	}
	search := []string{"/search?q=", "/api/v1/search?q=", "/search/feed.atom?q=", "/search/suggest?q=", "/api/v1/search/suggestions?q="}
	posts := map[string]func(m *marked){
		"zqunpublished": func(m *marked) { r.set(m, blog.Draft) },
		"zqarchived":    func(m *marked) { r.set(m, blog.Archived) },
		"zqerased":      func(m *marked) { r.author.ask(204, "DELETE", "/blog/posts/"+m.id, "", "If-Match", "*") },
		"zqedited": func(m *marked) {
			r.author.ask(200, "PUT", "/blog/posts/"+m.id, `{"title":"Plain","summary":"Nothing of before.","author":"ann","blocks":[{"type":"text","content":"Other words."}]}`, "If-Match", "*")
		},
	}
	for mark, back := range posts {
		m := r.create(mark)
		r.set(m, blog.Published)
		value("blog", "{id}", m.id)
		value("blog", "{tag}", m.tags...)
		r.words = append(r.words, mark, mark+"title", mark+"text")
		thing := taken{name: "a post, " + mark, traces: m.words(), back: func() { back(m) }}
		thing.shows = append([]string{"/", "/feed.atom", "/blog", "/blog/feed.json", "/blog/posts/" + m.id, "/blog/tags", "/blog/tags/" + mark, "/blog/archive/", "/api/v1/blog/posts", "/blog/search?q="}, search...)
		if mark != "zqedited" {
			thing.traces = append(thing.traces, m.path())
			thing.shows = append(thing.shows, "/sitemaps/blog/")
		}
		all = append(all, thing)
	}
	untagged := r.create("zquntagged")
	r.set(untagged, blog.Published)
	value("blog", "{tag}", untagged.tags...)
	value("blog", "{id}", untagged.id)
	all = append(all, taken{
		name: "a tag of a post", traces: slices.Clone(untagged.tags), shows: []string{"/blog/tags", "/api/v1/blog/tags", "/blog/posts/" + untagged.id, "/search?q=", "/api/v1/search?q="},
		back: func() {
			m := *untagged
			m.tags = nil
			r.author.ask(200, "PUT", "/blog/posts/"+m.id, m.body(), "If-Match", "*")
		},
	})

	// Terms, which a post and the news explain.
	terms := []string{"zqforgotten", "zqchanged", "zqundone"}
	r.published("About words", "It has "+strings.Join([]string{"zqforgottenterm", "zqchangedterm", "zqundoneterm"}, ", ")+" and more words.")
	page, err := r.blog.Public().Latest(ctx, blog.PageOptions{Limit: 1})
	r.check(err)
	value("blog", "{id}", page.Items[0].ID)
	fields := []string{"gloss", "example", "tag", "region", "category"}
	for _, mark := range terms {
		r.words = append(r.words, mark, mark+"term", mark+"gloss")
	}
	value("lexicon", "{value}", "z")
	value("lexicon", "{facet}", "tags", "tag", "regions", "region", "categories", "category", "initials", "initial")
	lexical := []string{"/lexicon", "/lexicon/terms/", "/api/v1/lexicon/terms/", "/api/v1/lexicon/facets/", "/blog/posts/", "/search?q=", "/api/v1/search?q="}
	for mark, back := range map[string]func(lexicon.Term){
		"zqforgotten": func(t lexicon.Term) { r.check(r.lexicon.DeleteTerm(context.Background(), t.Slug)) },
		"zqchanged": func(t lexicon.Term) {
			t.Gloss, t.Examples, t.Tags, t.Regions, t.Categories = "another meaning", nil, nil, nil, nil
			r.check(r.lexicon.SaveTerm(context.Background(), &t))
		},
	} {
		term := r.saveTerm(mark, "")
		value("lexicon", "{slug}", term.Slug)
		value("lexicon", "{value}", mark+"tag", mark+"region", mark+"category")
		value("lexicon", "{category}", mark+"category")
		thing := taken{name: "a term, " + mark, traces: marks(mark, fields...), shows: lexical, back: func() { back(term) }}
		if mark == "zqforgotten" {
			thing.traces = append(thing.traces, strings.ToLower("/lexicon/terms/"+term.Slug))
			thing.shows = slices.Concat(lexical, search, []string{"/", "/sitemaps/lexicon/"})
		}
		all = append(all, thing)
	}
	_, err = r.lexicon.Member(ctx, "max", "")
	r.check(err)
	_, err = r.lexicon.SetTier(ctx, "max", lexicon.Premium)
	r.check(err)
	draft, err := r.lexicon.Submit(ctx, "max", lexicon.Draft{Term: "zqundoneterm", Meaning: "zqundonegloss", Example: "so zqundoneterm, a zqundoneexample"})
	r.check(err)
	_, err = r.lexicon.Validate(ctx, 5)
	r.check(err)
	approved, err := r.lexicon.Approve(ctx, "mod", draft.ID, lexicon.Approval{Tags: []string{"zqundonetag"}})
	r.check(err)
	value("lexicon", "{slug}", approved.Slug)
	all = append(all, taken{
		name: "an approval", traces: marks("zqundone", "gloss", "example", "tag"), shows: lexical,
		back: func() { _, err := r.lexicon.Undo(context.Background(), "mod", draft.ID, "no"); r.check(err) },
	})

	// News.
	value("newswire", "{site}", "paper", "gazette")
	value("newswire", "{category}", "news")
	wire := append([]string{"/", "/newswire", "/newswire/feed.atom", "/newswire/articles/", "/newswire/sites/", "/newswire/categories/", "/api/v1/newswire/articles", "/sitemaps/newswire/"}, search...)
	for mark, expire := range map[string]bool{"zqdropped": false, "zqexpired": true} {
		a := r.wired(mark)
		value("newswire", "{id}", a.ArticleID)
		r.words = append(r.words, mark, mark+"title", mark+"body")
		shows := wire
		if expire {
			page := r.await("/newswire/articles/"+a.ArticleID, `"/threads/`)
			id, _, _ := strings.Cut(strings.SplitN(page, `"/threads/`, 2)[1], `"`)
			value("threads", "{id}", id)
			shows = slices.Concat(wire, []string{"/threads", "/threads/", "/api/v1/threads", "/api/v1/threads/"})
		}
		all = append(all, taken{
			name: "an article of the wire, " + mark, traces: append(marks(mark, "title", "body"), strings.ToLower("/newswire/articles/"+a.ArticleID)), shows: shows,
			back: func() { r.remove(mark, expire) },
		})
	}
	topical := r.wired("zqtopical")
	_, err = r.newswire.SetTopics(ctx, topical.ArticleID, topical.Version, []string{"zqsubject"})
	r.check(err)
	value("newswire", "{id}", topical.ArticleID)
	value("newswire", "{topic}", "zqsubject")
	all = append(all, taken{
		name: "a topic", traces: []string{"zqsubject"}, shows: []string{"/newswire", "/newswire/articles/", "/api/v1/newswire/articles", "/api/v1/search"},
		back: func() {
			a, err := r.newswire.GetArticle(context.Background(), topical.ArticleID)
			r.check(err)
			_, err = r.newswire.SetTopics(context.Background(), a.ArticleID, a.Version, nil)
			r.check(err)
		},
	})

	// Meetings.
	replaced, deleted := minutestest.Sitting(1, "").IssueID, minutestest.Sitting(2, "").IssueID
	value("minutes", "{id}", replaced, deleted)
	value("minutes", "{order}", "2")
	for _, mark := range []string{"zqreplaced", "zqdeleted"} {
		r.words = append(r.words, mark, mark+"title", mark+"description")
		value("minutes", "{value}", mark+"keyword", "2026-11")
	}
	value("minutes", "{name}", "田中花子")
	value("minutes", "{issue}", minutestest.Bill)
	meeting := append([]string{"/", "/minutes", "/minutes/feed.atom", "/minutes/articles/", "/api/v1/minutes/articles", "/api/v1/minutes/facets"}, search...)
	all = append(all, taken{
		name: "an account of a meeting, told anew", traces: marks("zqreplaced", "title", "description", "keyword"), shows: meeting,
		back: func() {
			r.reworded.Store(true)
			r.collect()
		},
	}, taken{
		name: "an account of a meeting, deleted", traces: append(marks("zqdeleted", "title", "description", "keyword"), strings.ToLower("/minutes/articles/"+deleted)), shows: append(slices.Clone(meeting), "/sitemaps/minutes/"),
		back: func() { r.remove("zqdeleted", false) },
	})
	return all
}

// addresses are all public ones: every route of the door with everything in the
// place of its wildcards, every search for every word, and what the sitemap names.
func (r *takenRoom) addresses() []string {
	r.t.Helper()
	month := time.Now().UTC().Format("2006-01")
	var paths []string
	for _, route := range r.site.mux.Routes() {
		if route.Access != auth.Everyone || route.Unsafe() {
			continue
		}
		desk, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(route.Path(), "/api/v1"), "/"), "/")
		places := map[string][]string{"{month}": {month}}
		for name, values := range r.values {
			if own, ok := strings.CutPrefix(name, desk); ok {
				places[own] = values
			}
		}
		for _, path := range fill(route.Path(), places) {
			paths = append(paths, path)
			for _, q := range queries(path, r.words, []string{"shared", "zquntaggedtag", "zqsubject", "zqchangedtag"}) {
				paths = append(paths, path+"?"+q)
			}
		}
	}
	for _, q := range []string{"/lexicon/terms", "/api/v1/lexicon/terms"} {
		for _, w := range r.words {
			paths = append(paths, query(q, w))
		}
	}
	for _, found := range location.FindAllStringSubmatch(r.see("/sitemap.xml"), -1) {
		paths = append(paths, found[1])
	}
	return paths
}

// see asks as a reader whom nobody has counted, and returns all of the answer.
func (r *takenRoom) see(path string) string {
	req := httptest.NewRequest("GET", path, nil)
	n := r.asked.Add(1)
	req.RemoteAddr = fmt.Sprintf("198.18.%d.%d:1", n/250%250, n%250+1)
	w := httptest.NewRecorder()
	r.site.mux.ServeHTTP(w, req)
	if w.Code >= 500 {
		r.t.Errorf("%s answers %d: %s", path, w.Code, w.Body)
	}
	return strings.ToLower(fmt.Sprint(w.Header()) + w.Body.String())
}

// showing is the first trace that an answer has, and the address has not.
func showing(path, answer string, traces []string) string {
	plain, err := url.QueryUnescape(path)
	if err != nil {
		panic(err) // made by us
	}
	plain = strings.ToLower(plain)
	for _, trace := range traces {
		if !strings.Contains(plain, trace) && strings.Contains(answer, trace) {
			return trace
		}
	}
	return ""
}

// What is taken back, of whatever desk and however, is gone from every public address
// with the first request after the answer to whoever took it back, while others ask
// for the same all the time and have every answer kept.
func TestTakenBackIsGone(t *testing.T) {
	r := openTaken(t)
	things := r.things()
	r.await(query("/search", "zquntaggedtext"), "<mark>zquntaggedtext</mark>") // the index has been built
	paths := r.addresses()
	before := make([]map[string]bool, len(things))
	for i := range things {
		before[i] = map[string]bool{}
	}
	for _, path := range paths {
		answer := r.see(path)
		for i, thing := range things {
			if showing(path, answer, thing.traces) != "" {
				before[i][path] = true
			}
		}
	}
	for i, thing := range things {
		t.Run(thing.name, func(t *testing.T) {
			shown := slices.Sorted(maps.Keys(before[i]))
			for _, want := range thing.shows {
				if !slices.ContainsFunc(shown, func(path string) bool { return path == want || len(want) > 1 && strings.HasPrefix(path, want) }) {
					t.Errorf("it never showed on %s; it does on %v", want, shown)
				}
			}
			stop := make(chan struct{})
			var readers, warm sync.WaitGroup
			for range 2 {
				warm.Add(1)
				readers.Go(func() {
					for round := 0; ; round++ {
						for _, path := range shown {
							select {
							case <-stop:
								if round == 0 {
									warm.Done()
								}
								return
							default:
								r.see(path)
							}
						}
						if round == 0 {
							warm.Done()
						}
					}
				})
			}
			warm.Wait()
			thing.back()
			for _, path := range shown {
				if trace := showing(path, r.see(path), thing.traces); trace != "" {
					t.Errorf("%s still shows %s", path, trace)
				}
			}
			close(stop)
			readers.Wait()
		})
	}
	for _, path := range paths {
		answer := r.see(path)
		for _, thing := range things {
			if trace := showing(path, answer, thing.traces); trace != "" {
				t.Errorf("%s: %s shows %s in the end", thing.name, path, trace)
			}
		}
	}
	t.Logf("%d requests for %d addresses", r.asked.Load(), len(paths))
}
