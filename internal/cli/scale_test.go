package cli

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/newswire"
	"pressroom/model"
	"pressroom/model/cost"
)

var rewriteScale = flag.Bool("rewrite", false, "write the model's figures into docs/scale.md")

// load is how often a newsroom does something in a day.
type load struct {
	desk, pattern string
	times         float64
	why           string
}

// oneNewsroom is the load that docs/scale.md calls 1×.
var oneNewsroom = []load{
	{"minutes", "LatestArticles", 4000, "the desk's front"},
	{"minutes", "GetArticle", 10000, "article pages"},
	{"minutes", "ArticlesByCategory", 2000, "lists; the other thin indexes cost the same"},
	{"minutes", "ArticlesByPerson", 2000, "pages of people"},
	{"minutes", "IssueTimeline", 1000, "pages of bills"},
	{"minutes", "NextPending", 1440, "a consumer looks every minute"},
	{"minutes", "MarkChunkReady", 200, "20 meetings in 10 chunks each"},
	{"minutes", "MarkTaskSucceeded", 20, ""},
	{"minutes", "PublishArticle", 20, ""},
	{"newswire", "GlobalFeed", 4000, "the desk's front"},
	{"newswire", "LatestOfSite", 2000, "pages of sites"},
	{"newswire", "CategoryFeed", 2000, ""},
	{"newswire", "GetArticle", 10000, "article pages"},
	{"newswire", "GetSummary", 10000, "the same pages"},
	{"newswire", "SameURL", 20000, "addresses met in 50 sites"},
	{"newswire", "SameContent", 2000, ""},
	{"newswire", "KeepArticle", 2000, "40 articles a site"},
	{"newswire", "KeepSummary", 2000, ""},
	{"blog", "Posts", 4000, "the desk's front"},
	{"blog", "PostPage", 10000, "posts"},
	{"blog", "PostsByTag", 2000, ""},
	{"blog", "EditPage", 50, ""},
	{"blog", "EditPost", 100, "saves"},
	{"lexicon", "GetTerm", 10000, "entries"},
	{"lexicon", "Browse", 4000, ""},
	{"lexicon", "Trending", 4000, ""},
	{"lexicon", "CastVote", 500, ""},
	{"lexicon", "Decide", 50, ""},
	{"lexicon", "QuizByDifficulty", 500, "quizzes begun"},
	{"lexicon", "GetQuizSession", 5000, "questions"},
	{"lexicon", "GetUsage", 6000, "questions and translations"},
	{"lexicon", "TranslationsOfUser", 1000, ""},
}

// The assumption of docs/scale.md, in dollars a unit.
const (
	readPrice  = 0.125e-6
	writePrice = 0.625e-6
)

// TestScale holds the figures of docs/scale.md to the model's.
func TestScale(t *testing.T) {
	const path = "../../docs/scale.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	loads, costs := renderScale(t)
	want := between(t, between(t, string(data), "load", loads), "cost", costs)
	if want == string(data) {
		return
	}
	if !*rewriteScale {
		t.Fatalf("%s is not what the model says; if the model is right, run the test again with -rewrite", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// between replaces what stands between the marks of that name.
func between(t *testing.T, text, name, with string) string {
	t.Helper()
	begin, end := "<!-- "+name+": rendered by a test; do not edit -->\n", "<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(text, begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("no marks %q and %q", begin, end)
	}
	return before + begin + with + end + after
}

func renderScale(t *testing.T) (loads, costs string) {
	t.Helper()
	unit := unitsOf(t)
	var day, month strings.Builder
	day.WriteString("| desk | pattern | a day | read units | write units | read units a day | write units a day | for |\n|---|---|--:|--:|--:|--:|--:|---|\n")
	month.WriteString("| desk | read units a day | write units a day | a month | 10× | 1,000× | 100,000× |\n|---|--:|--:|--:|--:|--:|--:|\n")
	desks := []string{"minutes", "newswire", "blog", "lexicon"}
	var read, write float64
	for _, desk := range desks {
		var r, w float64
		for _, l := range oneNewsroom {
			if l.desk != desk {
				continue
			}
			u, ok := unit[desk+"/"+l.pattern]
			if !ok {
				t.Fatalf("%s has no pattern %s", desk, l.pattern)
			}
			fmt.Fprintf(&day, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", desk, l.pattern, grouped(l.times), grouped(u.Read), grouped(u.Write),
				grouped(l.times*u.Read), grouped(l.times*u.Write), l.why)
			r, w = r+l.times*u.Read, w+l.times*u.Write
		}
		month.WriteString(costRow(desk, r, w))
		read, write = read+r, write+w
	}
	month.WriteString(costRow("all", read, write))
	return day.String(), month.String()
}

func unitsOf(t *testing.T) map[string]cost.Cost {
	t.Helper()
	unit := map[string]cost.Cost{}
	for _, s := range []model.Schema{minutes.Schema, newswire.Schema, blog.Schema, lexicon.Schema} {
		all, err := cost.All(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			unit[s.Name+"/"+c.Pattern] = c
		}
	}
	return unit
}

func costRow(desk string, read, write float64) string {
	month := 30 * (read*readPrice + write*writePrice)
	return fmt.Sprintf("| %s | %s | %s | $%.2f | $%s | $%s | $%s |\n", desk, grouped(read), grouped(write),
		month, grouped(float64(int(month*10+.5))), grouped(float64(int(month*1000+.5))), grouped(float64(int(month*100000+.5))))
}

// grouped writes a number with separators between thousands, and one decimal if
// it has any.
func grouped(f float64) string {
	s, part, _ := strings.Cut(fmt.Sprintf("%.1f", f), ".")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if part != "0" {
		s += "." + part
	}
	return s
}
