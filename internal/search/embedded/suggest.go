package embedded

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// maxSuggestTerms is how many completions of a long prefix are looked at in a
// segment.
const maxSuggestTerms = 200

// Suggest completes what is being typed with titles of which a part begins so,
// the newest first.
func (x *Index) Suggest(ctx context.Context, prefix string, level search.Level, limit int) ([]search.Suggestion, error) {
	start := string(text.Fold(strings.TrimSpace(prefix)).Runes)
	if start == "" || limit < 1 {
		return nil, nil
	}
	if r := []rune(start); len(r) > startSize {
		start = string(r[:startSize])
	}
	var out []search.Suggestion
	err := x.use(func(g *generation) (err error) {
		v, err := g.view(level)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.close()) }()
		out, err = v.suggest(ctx, start, level, limit)
		return err
	})
	return out, err
}

func (v *view) suggest(ctx context.Context, start string, level search.Level, limit int) ([]search.Suggestion, error) {
	docs := make([]*roaring.Bitmap, len(v.segs))
	for i, s := range v.segs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if docs[i], err = s.starting(start, level); err != nil {
			return nil, err
		}
	}
	// Titles may be equal: then more of them are looked at.
	for n := 2 * limit; ; n *= 4 {
		sets, more, err := v.newest(docs, n, time.Time{})
		if err != nil {
			return nil, err
		}
		out, err := v.titles(sets, limit)
		if err != nil || len(out) == limit || !more || n > maxSuggestTerms*limit {
			return out, err
		}
	}
}

// titles returns different titles of documents, the newest first.
func (v *view) titles(sets []*roaring.Bitmap, limit int) ([]search.Suggestion, error) {
	list, err := v.dated(sets)
	if err != nil {
		return nil, err
	}
	if err := rank(list); err != nil {
		return nil, err
	}
	var out []search.Suggestion
	seen := map[string]bool{}
	for i := range list {
		if len(out) == limit {
			break
		}
		d, err := list[i].seg.shown(list[i].doc)
		if err != nil {
			return nil, err
		}
		if !seen[d.Title] {
			seen[d.Title] = true
			out = append(out, search.Suggestion{Key: search.Key{Desk: d.Desk, ID: d.ID}, Kind: d.Kind, Title: d.Title, URL: d.URL, Revision: d.Revision})
		}
	}
	return out, nil
}

// starting returns the documents that may be seen and have a part of their title
// that begins so; if it is long and there are very many ways to go on, some.
func (s *seg) starting(start string, level search.Level) (*roaring.Bitmap, error) {
	visible, err := s.visible(level)
	if err != nil {
		return nil, err
	}
	field, terms := fieldPrefixes, []string{start}
	if utf8.RuneCountInString(start) > prefixSize {
		field, terms = fieldStarts, nil
		if err := s.terms(fieldStarts, start, start+"\U0010FFFF", func(t string) bool {
			terms = append(terms, t)
			return len(terms) < maxSuggestTerms
		}); err != nil {
			return nil, err
		}
	}
	b, err := s.withAny(field, terms)
	if err != nil {
		return nil, err
	}
	return roaring.And(b, visible), nil
}

// correct proposes another spelling for words in Latin letters that no title
// has: the nearest word by letters, the most frequent of the nearest.
func (r *request) correct() error {
	changed := false
	words := strings.Fields(r.q.Text)
	for i, w := range words {
		folded := string(text.Fold(w).Runes)
		if len(text.Words(folded)) != 1 || text.Words(folded)[0] != folded {
			continue
		}
		better, err := r.nearest(folded)
		if err != nil {
			return err
		}
		if better != "" && better != folded {
			words[i], changed = better, true
		}
	}
	if changed {
		r.out.DidYouMean = strings.Join(words, " ")
	}
	return nil
}

// nearest returns the word of visible titles with the fewest letters different,
// at most two; the word itself if it is one, "" if none is near.
func (r *request) nearest(word string) (string, error) {
	type near struct{ distance, count int }
	found := map[string]near{}
	for _, reader := range r.readers {
		snap, ok := reader.(*scorch.IndexSnapshot)
		if !ok {
			continue
		}
		d, err := snap.FieldDictFuzzy(fieldWords, word, min(2, utf8.RuneCountInString(word)/3), string([]rune(word)[:1]))
		if err != nil {
			return "", err
		}
		for e, err := d.Next(); e != nil || err != nil; e, err = d.Next() {
			if err != nil {
				return "", errors.Join(err, d.Close())
			}
			if n, err := r.seenIn(e.Term); err != nil {
				return "", errors.Join(err, d.Close())
			} else if n > 0 {
				found[e.Term] = near{search.Distance(word, e.Term), n}
			}
		}
		if err := d.Close(); err != nil {
			return "", err
		}
	}
	var best string
	for w, n := range found {
		b := found[best]
		if best == "" || n.distance < b.distance || n.distance == b.distance && (n.count > b.count || n.count == b.count && w < best) {
			best = w
		}
	}
	return best, nil
}

// seenIn counts the titles with a word that the caller may see.
func (r *request) seenIn(word string) (int, error) {
	n := 0
	for _, s := range r.segs {
		visible, err := s.visible(r.q.Level)
		if err != nil {
			return 0, err
		}
		b, err := s.with(fieldWords, word)
		if err != nil {
			return 0, err
		}
		n += int(b.AndCardinality(visible)) //nolint:gosec // a count of documents
	}
	return n, nil
}
