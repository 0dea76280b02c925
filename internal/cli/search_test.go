package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/ops"
	"pressroom/internal/search"
	"pressroom/internal/search/embedded"
)

// The process that serves the directory makes its index again itself, while it is
// searched; without one, the command does. What is in it is what was published.
func TestSearchRebuild(t *testing.T) {
	t.Run("served", func(t *testing.T) {
		s := openSearched(t)
		s.published("A walk along the river", "We walked.")
		s.post("A draft", "Nobody has read it.")
		s.await(query("/search", "walk"), "along the river")
		before := s.searchState()
		var made rebuilt
		if err := json.Unmarshal([]byte(ok(t, "search", "rebuild", "--json", "--data", s.data)), &made); err != nil {
			t.Fatal(err)
		}
		if made.Documents != 1 || !made.Server {
			t.Errorf("the server made %+v", made)
		}
		if after := s.searchState(); !after.Built.After(before.Built) || after.Documents != 1 || after.Problem != "" {
			t.Errorf("the dashboard tells %+v, before %+v", after, before)
		}
		s.published("Another walk", "Uphill.")
		s.await(query("/search", "walk"), "Another <mark>")
	})
	t.Run("not served", func(t *testing.T) {
		set, st := openPreparedStore(t)
		stories, err := set.names().stories(st.db)
		if err != nil {
			t.Fatal(err)
		}
		posts, err := blog.New(st.db, st.client, &blog.Options{Stories: stories, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		p, err := posts.Create(t.Context(), blog.Content{Facts: blog.Facts{Title: "A lighthouse", Summary: "s", Author: "Ann"}, Blocks: []blog.Block{{Type: blog.Text, Layout: blog.Full, Content: "t"}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := posts.Publish(t.Context(), p.ID, blog.AnyVersion); err != nil {
			t.Fatal(err)
		}
		words, err := lexicon.New(st.db, nil, &lexicon.Options{Stories: stories, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		if err := words.SaveTerm(t.Context(), &lexicon.Term{Term: "エモい", Gloss: "心が動かされるさま", Confidence: 1, Momentum: 1}); err != nil {
			t.Fatal(err)
		}
		// It has the directory and no index: as "pressroom local" has it.
		fails(t, "it has no search index", "search", "rebuild", "--data", set.Data)
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		if out := ok(t, "search", "rebuild", "--data", set.Data); !strings.Contains(out, "of 2 documents in ") {
			t.Errorf("it says %s", out)
		}
		index, err := embedded.Open(filepath.Join(set.Data, "search"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer index.Close()
		for _, q := range []string{"lighthouse", "エモい"} {
			if found, err := index.Search(t.Context(), search.Query{Text: q, Limit: 5}); err != nil || len(found.Hits) != 1 {
				t.Errorf("%s finds %+v, %v", q, found, err)
			}
		}
	})
}

// searchState is what the dashboard tells of the index, which is asked anew.
func (s *searched) searchState() ops.SearchIndex {
	s.t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		// Numbers are kept for some seconds.
		if all := s.site.ops.dashboard.Read(s.t.Context()).Indexes; len(all) == 1 && all[0].Checked.After(s.looked) {
			s.looked = time.Now()
			return all[0]
		}
	}
	s.t.Fatal("the dashboard never tells of the index")
	return ops.SearchIndex{}
}

func TestSearchRebuildRefusals(t *testing.T) {
	dir := t.TempDir()
	fails(t, "there is no data directory", "search", "rebuild", "--data", filepath.Join(dir, "missing"))
	fails(t, "name the cluster that all share with --search-url", "search", "rebuild", "--store=aws")
	keys := filepath.Join(dir, "keys")
	write(t, keys, "CzFRc4/dzT9zCRnbV0XV116m7KR6qtBFydNjEQhk8lY=\n")
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	fails(t, "is in memory alone", "search", "rebuild", "--data", data, "--key-file", keys)
	fails(t, "cannot reach the search cluster", "search", "rebuild", "--data", t.TempDir(), "--search-url=http://127.0.0.1:1")
}
