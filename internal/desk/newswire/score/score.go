// Package score holds the newswire's excerpts against gold files: news texts with what a
// careful person says that an excerpt must keep and may not do. docs/eval.md says how to
// make them.
//
// It promises that white space does not count. Start with [Load] and [Table.Add].
package score

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pressroom/internal/desk/newswire/excerpt"
	"pressroom/internal/gold"
)

// Case is a news text with its answer.
type Case struct {
	Name  string `json:"-"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Gold  struct {
		// Must is what the headline promises, with | between alternatives.
		Must []string `json:"must"`
		// Dangling are sentences that turn on what stands before them.
		Dangling []string `json:"dangling"`
		// Noise are lines that are no part of the article.
		Noise    []string `json:"noise"`
		Keywords []string `json:"keywords"`
	} `json:"gold"`
}

// Load reads the cases of a folder, one NAME.json each.
func Load(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var out []Case
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c := Case{Name: strings.TrimSuffix(filepath.Base(file), ".json")}
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		if c.Text == "" || len(c.Gold.Must) == 0 {
			return nil, fmt.Errorf("%s is no gold file of a news text", filepath.Base(file))
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no NAME.json: %w", dir, os.ErrNotExist)
	}
	return out, nil
}

// Table is the score of a set of excerpts.
type Table struct{ *gold.Table }

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{gold.NewTable("headline", "references", "noise", "verbatim", "repetition", "length", "keywords")}
}

// Add scores an excerpt.
func (t *Table) Add(c Case, e excerpt.Excerpt) {
	t.Cases++
	var kept []string
	for _, must := range c.Gold.Must {
		if slices.ContainsFunc(e.Sentences, func(s string) bool { return holds(s, must) }) {
			kept = append(kept, must)
		}
	}
	t.Compare(c.Name, "headline", kept, c.Gold.Must)
	t.sentences(c, e)

	length := "an excerpt"
	if n := utf8.RuneCountInString(e.Text()); n < 20 || 2*n > utf8.RuneCountInString(c.Text) {
		length = fmt.Sprintf("%d of %d characters", n, utf8.RuneCountInString(c.Text))
	}
	t.Compare(c.Name, "length", []string{length}, []string{"an excerpt"})

	var found, accepted []string
	for _, k := range e.Keywords {
		found = append(found, strings.ToLower(bare(k)))
	}
	for _, k := range c.Gold.Keywords {
		if k = strings.ToLower(bare(k)); slices.Contains(found, k) { // an editor's list is what may be found, not what must be
			accepted = append(accepted, k)
		}
	}
	t.Compare(c.Name, "keywords", found, accepted)
}

// sentences scores each sentence by itself: each measure counts those that are right.
func (t *Table) sentences(c Case, e excerpt.Excerpt) {
	var article []string // its lines, without those that are none of it
	for line := range strings.Lines(c.Text) {
		if !slices.ContainsFunc(c.Gold.Noise, func(n string) bool { return bare(n) == bare(line) }) {
			article = append(article, bare(line))
		}
	}
	text := strings.Join(article, "")
	seen := map[string]bool{}
	before := ""
	for _, s := range e.Sentences {
		one := bare(s)
		t.judge(c, "references", s, !dangles(c, text, before, one))
		t.judge(c, "noise", s, slices.ContainsFunc(article, func(p string) bool { return strings.Contains(p, one) }))
		t.judge(c, "verbatim", s, strings.Contains(bare(c.Text), one) && balanced(one))
		t.judge(c, "repetition", s, !seen[one])
		seen[one], before = true, one
	}
}

func (t *Table) judge(c Case, measure, sentence string, right bool) {
	if right {
		t.Compare(c.Name, measure, []string{sentence}, []string{sentence})
	} else {
		t.Compare(c.Name, measure, []string{sentence}, nil)
	}
}

// dangles tells whether a sentence has, or is part of, one that needs the sentence before
// it in the article's text, and stands after another.
func dangles(c Case, text, before, one string) bool {
	return slices.ContainsFunc(c.Gold.Dangling, func(d string) bool {
		d = bare(d)
		if !strings.HasPrefix(one, d) && !strings.HasPrefix(d, one) {
			return false
		}
		return before == "" || !strings.Contains(text, before+one)
	})
}

// balanced tells whether every quotation that a sentence opens ends in it.
func balanced(s string) bool {
	for _, pair := range []string{"「」", "『』", "“”", "（）", "()"} {
		open, shut := []rune(pair)[0], []rune(pair)[1]
		if strings.Count(s, string(open)) != strings.Count(s, string(shut)) {
			return false
		}
	}
	return strings.Count(s, `"`)%2 == 0
}

// holds tells whether a text has one of the alternatives.
func holds(text, must string) bool {
	return slices.ContainsFunc(strings.Split(must, "|"), func(one string) bool { return strings.Contains(bare(text), bare(one)) })
}

// bare is text without white space.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
