package newswire

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pressroom/internal/desk/newswire/excerpt"
	"pressroom/internal/rights"
	"pressroom/llm"
	"pressroom/llm/llmtest"
)

// Excerpts consist of sentences of their page: nothing of them is cut.
func TestExcerptsAreProved(t *testing.T) {
	files, err := filepath.Glob("testdata/gold/*.json")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var page struct{ Title, Text string }
		if err := json.Unmarshal(data, &page); err != nil {
			t.Fatal(f, err)
		}
		e := excerpt.Make(page.Title, page.Text)
		req := request(page.Title, page.Text)
		if len(e.Sentences) == 0 {
			continue
		}
		left, cut, err := prove(t.Context(), &Article{Title: page.Title, PublishedAt: "2026-11-10T00:00:00.000Z"}, req.Passages, safe(e.Text()), ordersOf(e.Sentences, req.Passages))
		if err != nil || len(cut) > 0 || left != safe(e.Text()) {
			t.Errorf("%s: %+v, %v", filepath.Base(f), cut, err)
		}
	}
}

// What the page contradicts or does not prove is cut; with reviewers the whole waits; of a lie alone nothing is published.
func TestUnprovedIsCut(t *testing.T) {
	const good, wrong = "The council voted on a budget for roads, schools and the harbour.", "The council of Paris spent 9,000 million pounds on zebras."
	for _, tt := range []struct {
		name, answer string
		review       bool
		want         string
	}{
		{"cut", good + " " + wrong, false, good},
		{"review", good + " " + wrong, true, ""},
		{"nothing left", wrong, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.host("site.example", map[string]any{"/": list("/a"), "/a": newsPage("A", "2026-11-10T09:00:00Z")})
			s := newStores(t)
			provider := llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply { return reply(tt.answer, 1) })
			d := s.desk(t, w, func(o *Options) { o.Model, o.ReviewUnproved = provider, tt.review })
			addSite(t, d, "site", "site.example", nil)
			crawlNow(t, d, "site")
			if _, err := d.Summarise(t.Context(), 10); err != nil {
				t.Fatal(err)
			}
			read, err := d.ReadArticle(t.Context(), only(t, d, "/a").ArticleID, rights.Staff)
			switch {
			case err != nil:
				t.Fatal(err)
			case tt.want == "" && (read.Summary != nil || read.Article.Status != SummaryFailed || !strings.Contains(read.Article.Note, "zebras")):
				t.Errorf("%s, %q, %+v", read.Article.Status, read.Article.Note, read.Summary)
			case tt.want != "" && (read.Summary == nil || read.Summary.SummaryText != tt.want):
				t.Errorf("%+v", read.Summary)
			case tt.want != "":
				body, err := d.get(t.Context(), read.Summary.S3ResponseKey)
				if err != nil || !strings.Contains(string(body), `"cut"`) || !strings.Contains(string(body), "not_found") {
					t.Errorf("%s, %v", body, err)
				}
			}
		})
	}
}
