package cli

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/lexicon"
)

// searched is the wired product, with desks of another process beside it that
// write into the same tables.
type searched struct {
	t       *testing.T
	site    *site
	store   *store
	data    string
	blog    *blog.Desk
	lexicon *lexicon.Desk
	asks    int
	looked  time.Time // at the dashboard
}

func openSearched(t *testing.T) *searched {
	t.Helper()
	set, st := openTestStore(t)
	set.RateLimit = 0
	s := &searched{t: t, store: st, data: set.Data}
	var err error
	if s.site, err = openSite(t.Context(), set, true, st, quiet); err != nil {
		t.Fatal(err)
	}
	if s.blog, err = blog.New(st.db, st.client, &blog.Options{Stories: s.site.stories, Log: quiet}); err != nil {
		t.Fatal(err)
	}
	if s.lexicon, err = lexicon.New(st.db, nil, &lexicon.Options{Stories: s.site.stories, Log: quiet}); err != nil {
		t.Fatal(err)
	}
	return s
}

// get asks as a reader whom nobody has counted yet.
func (s *searched) get(path string) string {
	s.t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	s.asks++
	r.RemoteAddr = fmt.Sprintf("198.51.%d.%d:1", s.asks/250, s.asks%250+1)
	w := httptest.NewRecorder()
	s.site.mux.ServeHTTP(w, r)
	if w.Code != 200 {
		s.t.Fatalf("%s answers %d: %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// await asks until the page says so.
func (s *searched) await(path, want string) string {
	s.t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		page := s.get(path)
		if strings.Contains(page, want) {
			return page
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s never says %s:\n%s", path, want, page)
		}
	}
}

func (s *searched) post(title, text string, tags ...string) blog.Post {
	s.t.Helper()
	p, err := s.blog.Create(s.t.Context(), blog.Content{
		Facts: blog.Facts{Title: title, Summary: "summary of " + title, Author: "Ann"}, Tags: tags,
		Blocks: []blog.Block{{Type: blog.Text, Layout: blog.Full, Content: text}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *searched) published(title, text string, tags ...string) blog.Post {
	s.t.Helper()
	p, err := s.blog.Publish(s.t.Context(), s.post(title, text, tags...).ID, blog.AnyVersion)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *searched) term(term, gloss string) {
	s.t.Helper()
	if err := s.lexicon.SaveTerm(s.t.Context(), &lexicon.Term{Term: term, Gloss: gloss, Confidence: 1, Momentum: 1, Language: "ja"}); err != nil {
		s.t.Fatal(err)
	}
}

// sitemap is the one with the posts of this month.
func sitemap() string { return "/sitemaps/blog/" + time.Now().UTC().Format("2006-01") + ".xml" }

func query(path, q string, more ...string) string {
	return path + "?" + strings.Join(append([]string{"q=" + url.QueryEscape(q)}, more...), "&")
}

// Slang is found by its characters and verbs in all their forms, on pages, in JSON,
// as feeds and while one types.
func TestSearch(t *testing.T) {
	s := openSearched(t)
	s.term("エモい", "心が動かされるさま")
	s.published("秋の京都で", "紅葉のころに寺を訪れた。静かな庭だった。", "旅行")
	s.published("A walk along the river", "We walked to the harbour and back.", "walks")

	page := s.await(query("/search", "エモい"), "/lexicon/terms/")
	if !strings.Contains(page, "<mark>エモい</mark>") || !strings.Contains(page, `<time datetime=`) {
		t.Errorf("エモい is found as %s", page)
	}
	page = s.await(query("/search", "訪れる"), "秋の京都で")
	if !strings.Contains(page, "<mark>訪れ") { // the word; た is one of its own
		t.Errorf("訪れる does not mark 訪れた: %s", page)
	}
	s.await(query("/blog/search", "訪れる"), "秋の京都で")
	s.await(query("/search", "walk", "desk=blog", "language=en", "tag=walks"), "along the river")
	if page := s.get(query("/search", "walk", "desk=lexicon")); strings.Contains(page, "along the river") {
		t.Error("the desk's filter lets others through")
	}
	s.await(query("/search/suggest", "エモ"), "エモい")
	s.await(query("/search/feed.atom", "walk"), "<title>A walk along the river</title>")
	s.await(query("/search/feed.json", "訪れる"), "秋の京都で")
	s.await("/", "秋の京都で")
	s.await("/feed.atom?desk=blog&language=ja", "秋の京都で")
	s.await(sitemap(), "/blog/posts/")
	s.await("/sitemap.xml", sitemap())

	var found struct {
		Items []struct{ Desk, Kind, ID, Title, Path, Item, Language string }
		Total int
	}
	if err := json.Unmarshal([]byte(s.await(query("/api/v1/search", "訪れる"), "秋の京都で")), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Items) != 1 || found.Total != 1 || found.Items[0].Desk != "blog" || found.Items[0].Language != "ja" {
		t.Fatalf("JSON has %+v", found)
	}
	if item := s.get(found.Items[0].Item); !strings.Contains(item, "秋の京都で") {
		t.Errorf("%s is %s", found.Items[0].Item, item)
	}
	s.get(found.Items[0].Path)
	s.await(query("/api/v1/search/suggestions", "エモ"), "エモい")
}

// No word of a draft, of an archived post, of a proposal that waits or was rejected
// is ever found, and what is taken back is gone at once.
func TestSearchShowsNothingUnpublished(t *testing.T) {
	s := openSearched(t)
	const word = "zxqvword"
	ctx := t.Context()
	s.post(word+"draft", word+"draft text", word+"drafttag")
	archived := s.published(word+"archived", word+"archived text")
	if _, err := s.blog.Archive(ctx, archived.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if _, err := s.lexicon.Member(ctx, "ann", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.lexicon.SetTier(ctx, "ann", lexicon.Premium); err != nil {
		t.Fatal(err)
	}
	for _, term := range []string{word + "pending", word + "rejected"} {
		draft, err := s.lexicon.Submit(ctx, "ann", lexicon.Draft{Term: term, Meaning: "good", Example: "so " + term})
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(term, "pending") {
			continue
		}
		if _, err := s.lexicon.Validate(ctx, 5); err != nil {
			t.Fatal(err)
		}
		if _, err := s.lexicon.Reject(ctx, "max", draft.ID, "no"); err != nil {
			t.Fatal(err)
		}
	}
	s.published("The harbour", "It stays.")
	open := s.published(word+"open", word+"open text", "shared")
	// What came last is there, so all before it has been looked at.
	s.await(query("/search", word+"open"), "summary of")

	shows := func() (where []string) {
		for _, q := range []string{word, word + "draft", word + "archived", word + "pending", word + "rejected", word + "open", "text", "summary"} {
			for _, path := range []string{"/search", "/search/feed.atom", "/search/feed.json", "/search/suggest", "/api/v1/search", "/api/v1/search/suggestions", "/blog/search"} {
				page := s.get(query(path, q))
				for _, hidden := range []string{"draft", "archived", "pending", "rejected"} {
					// A page repeats what it was asked for.
					if rest := strings.ReplaceAll(page, q, ""); strings.Contains(rest, word+hidden) || strings.Contains(rest, hidden+" text") {
						t.Errorf("%s?q=%s shows what is %s", path, q, hidden)
					}
				}
				if strings.Contains(page, "/blog/posts/"+open.ID) {
					where = append(where, path)
				}
			}
		}
		for _, path := range []string{"/", "/feed.atom", "/feed.json", "/?desk=blog", "/?language=en", sitemap(), "/search?tag=" + word + "drafttag", "/search?desk=blog"} {
			page := s.get(path)
			for _, hidden := range []string{"draft", "archived", "pending", "rejected"} {
				if strings.Contains(strings.ReplaceAll(page, word+"drafttag", ""), word+hidden) {
					t.Errorf("%s shows what is %s", path, hidden)
				}
			}
			if strings.Contains(page, "/blog/posts/"+open.ID) {
				where = append(where, path)
			}
		}
		return where
	}
	if where := shows(); len(where) < 12 {
		t.Errorf("what is published shows on these alone: %v", where)
	}
	if _, err := s.blog.Unpublish(ctx, open.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if where := shows(); len(where) != 0 {
		t.Errorf("what was taken back still shows on %v", where)
	}
}
