package follow

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/search"
	"pressroom/internal/search/embedded"
	"pressroom/internal/search/text"
	"pressroom/internal/story"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var someWords = []string{"国会", "予算", "消費税", "東京", "京都", "東京都", "訪れた", "訪れる", "エモい", "税", "vote", "voting", "budget", "the", "AI", "3.5", "don't", "こっかい", "ヨサン", "とうきょう", "おとずれた"}

func someText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(someWords[r.IntN(len(someWords))] + []string{"", "の", " ", "。", "\n", " "}[r.IntN(6)])
	}
	return b.String()
}

func someQuery(r *rand.Rand) string {
	var units []string
	for range 1 + r.IntN(3) {
		u := strings.TrimSpace(someText(r, 1+r.IntN(2)))
		switch r.IntN(6) {
		case 0:
			u = `"` + u + `"`
		case 1:
			u = "-" + u
		}
		units = append(units, u)
	}
	return strings.Join(units, " ")
}

// A story fits a saved search exactly if the search finds the story: the percolator and
// the index say the same, of random texts and random searches.
func TestSameAsSearch(t *testing.T) {
	must(t, text.Load(t.Context()))
	r := rand.New(rand.NewPCG(1, 2))
	x, err := embedded.Open(t.TempDir(), nil)
	must(t, err)
	t.Cleanup(func() { must(t, x.Close()) })
	var texts []story.Text
	var batch search.Batch
	for i := range 40 {
		st := story.Text{Body: someText(r, r.IntN(12)), Hidden: someText(r, r.IntN(2))}
		st.Ref = story.Ref{Desk: []string{"toys", "games"}[i%2], ID: fmt.Sprint(i)}
		st.Kind, st.Language, st.Title, st.Summary = "post", []string{"ja", "en"}[r.IntN(2)], someText(r, 1+r.IntN(2)), someText(r, r.IntN(3))
		st.Topics = someWords[r.IntN(3) : 3+r.IntN(2)]
		texts = append(texts, st)
		batch.Put = append(batch.Put, search.Document{
			Key: search.Key{Desk: st.Desk, ID: st.ID}, Kind: st.Kind, Language: st.Language, Title: st.Title, Summary: st.Summary, Body: st.Body, Hidden: st.Hidden, Tags: st.Topics,
		})
	}
	must(t, x.Apply(t.Context(), batch))
	var all []Search
	for range 600 {
		s := Search{Text: someQuery(r)}
		if len(text.Parse(s.Text)) == 0 {
			continue
		}
		if r.IntN(4) == 0 {
			s.Desks = []string{"games"}
		}
		if r.IntN(4) == 0 {
			s.Languages = []string{"ja", "en"}[r.IntN(2) : 1+r.IntN(2)]
			if len(s.Languages) == 0 {
				s.Languages = nil
			}
		}
		if r.IntN(4) == 0 {
			s.Topics = someWords[2:3]
		}
		all = append(all, s)
	}
	found := map[string][]string{} // by search, the stories
	p := newPercolator(all, nil)
	for round := range 2 { // the second with what the first has seen of the texts
		if round == 1 {
			p, found = newPercolator(all, p), map[string][]string{}
		}
		for i := range texts {
			ids, err := p.fitting(&texts[i])
			must(t, err)
			for _, id := range slices.Compact(ids) {
				found[id] = append(found[id], texts[i].ID)
			}
		}
		some, none := 0, 0
		for i := range all {
			s := &all[i]
			res, err := x.Search(t.Context(), search.Query{Text: s.Text, Desks: s.Desks, Languages: s.Languages, Tags: s.Topics, Limit: 100})
			must(t, err)
			var want []string
			for _, hit := range res.Hits {
				if !res.Relaxed {
					want = append(want, hit.ID)
				}
			}
			got := slices.Clone(found[s.ID()])
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q %v %v %v: %s", s.Text, s.Desks, s.Languages, s.Topics, diff)
			}
			if len(want) > 0 {
				some++
			} else {
				none++
			}
		}
		if some < 100 || none < 100 {
			t.Errorf("%d searches find something, %d nothing: the test says little", some, none)
		}
	}
}

// Searches are read with the dictionary also if the first story comes before anything else
// has asked for it.
func TestSavedBeforeDictionary(t *testing.T) {
	if text.Loaded() { // by another test: what a new process does is to be seen
		out, err := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSavedBeforeDictionary$").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	n := open(t)
	ann := n.reader("ann", Subject{Kind: Person, Name: "nobody"})
	must(t, n.Follow(t.Context(), ann.ID, Subject{}, "visits", &Search{Text: "訪れる"}))
	n.desk.Put(t, toy("1", "京都を訪れた"))
	n.want("ann@example.org New: 京都を訪れた")
}

// A text is held against few searches that it does not fit, however many there are.
func TestFewCandidates(t *testing.T) {
	var all []Search
	for i := range 5000 {
		all = append(all, Search{Text: fmt.Sprintf("the budget word%d", i)})
	}
	p := newPercolator(all, nil)
	for range 3 {
		st := story.Text{Body: "the budget of the harbour, word17 and word18"}
		ids, err := p.fitting(&st)
		must(t, err)
		if len(ids) != 2 {
			t.Fatalf("it fits %d", len(ids))
		}
		p = newPercolator(all, p)
	}
	st := story.Text{Body: "the budget of the harbour, word17 and word18"}
	_, err := p.fitting(&st)
	if must(t, err); p.tried > 10 {
		t.Errorf("held against %d searches of %d", p.tried, len(all))
	}
	st.Unfound = true
	if ids, err := p.fitting(&st); err != nil || len(ids) > 0 {
		t.Error("found what its source wants out of searches")
	}
}
