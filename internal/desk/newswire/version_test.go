package newswire

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/rights"
)

// marked writes a difference with [-removed-] and {+added+} parts, a paragraph a line.
func marked(changes [][]Piece) string {
	var b strings.Builder
	for _, pieces := range changes {
		for _, p := range pieces {
			switch {
			case p.Removed:
				fmt.Fprintf(&b, "[-%s-]", p.Text)
			case p.Added:
				fmt.Fprintf(&b, "{+%s+}", p.Text)
			default:
				b.WriteString(p.Text)
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

func TestDifference(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"one\n\ntwo", "one\n\ntwo", ""},
		{"one\n\ntwo\n\nthree", "one\n\ntwo\n\nfour\n\nthree", "two\n{+four+}"},
		{"one\n\ntwo\n\nthree", "one\n\nthree", "one\n[-two-]"},
		{"The bridge costs 4 million, he said.", "The bridge costs 40 million, he said.", "The bridge costs [-4-]{+40+} million, he said."},
		{"橋は四月に開通します。", "橋は五月に開通します。", "橋は[-四-]{+五+}月に開通します。"},
		{"", "first", "{+first+}"},
		{"a\n\nb\n\nc\n\nd", "a\n\nx\n\nc\n\ny", "a\n[-b-]{+x+}\nc\n[-d-]{+y+}"},
	} {
		if got := marked(Difference(c.before, c.after)); got != c.want {
			t.Errorf("%q to %q:\n%s\nwant\n%s", c.before, c.after, got, c.want)
		}
	}
}

// A difference has all that changed, and its parts are whole characters.
func FuzzDifference(f *testing.F) {
	f.Add("one\n\ntwo", "two\n\nthree")
	f.Add("橋は四月に", "橋は五月に")
	f.Fuzz(func(t *testing.T, before, after string) {
		if !utf8.ValidString(before) || !utf8.ValidString(after) || len(before) > 2000 || len(after) > 2000 {
			return
		}
		changes := Difference(before, after)
		if (len(changes) == 0) != (before == after) {
			t.Errorf("%q to %q: %v", before, after, changes)
		}
		for _, pieces := range changes {
			for _, p := range pieces {
				if !utf8.ValidString(p.Text) || p.Removed && p.Added {
					t.Errorf("%+v", p)
				}
			}
		}
	})
}

// A page that changes keeps what it was, unless its source wants no copies.
func TestVersions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, st := newWorld(t), newStores(t)
		title := "First"
		p := &paper{}
		p.serve(w, "paper.example", "/news/1")
		d := st.desk(t, w, func(o *Options) { o.Recheck = 1000 * time.Hour })
		addSite(t, d, "paper", "paper.example", nil)
		visit := func(meta string) Article {
			t.Helper()
			p.meta = `<meta property="og:title" content="` + title + `">` + meta
			st.clock.forward(24 * time.Hour)
			crawlNow(t, d, "paper")
			check(t, d)
			return articlesOf(t, d, "paper")["/news/1"]
		}
		visit("")
		visit("") // the same again
		title = "Second"
		now := visit("")
		versions, err := d.Versions(t.Context(), now.ArticleID)
		if err != nil || len(versions) != 1 || versions[0].Title != "First" || versions[0].ReplacedAt != now.FetchedAt || versions[0].BodyPlain == "" {
			t.Fatalf("%+v, %v", versions, err)
		}
		title = "Third"
		visit(`<meta name="robots" content="noarchive">`)
		title = "Fourth"
		visit(`<meta name="robots" content="noarchive">`)
		versions, err = d.Versions(t.Context(), now.ArticleID)
		var titles []string
		for _, v := range versions {
			titles = append(titles, v.Title)
		}
		if diff := cmp.Diff([]string{"Second", "First"}, titles); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if s, err := d.ReadArticle(t.Context(), now.ArticleID, rights.Readers); err != nil || s.Article.Title != "Fourth" {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
