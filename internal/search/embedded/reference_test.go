package embedded

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// reference is a search that looks at every document, one by one.
type reference map[search.Key]*search.Document

// read is a document as the reference looks at it.
type read struct {
	*search.Document
	terms, bases           []text.Token
	restTerms              []text.Token
	titleTerms, titleBases []text.Token
	score                  float64
}

func readDocument(d *search.Document) *read {
	rest := strings.Join([]string{d.Summary, strings.Join(d.Tags, "\n"), d.Body}, "\n")
	r := &read{Document: d, terms: text.Terms(d.Title + "\n" + rest), titleTerms: text.Terms(d.Title), restTerms: text.Terms(rest)}
	r.titleBases, _ = text.Bases(d.Title)
	r.bases, _ = text.Bases(d.Title + "\n" + rest)
	return r
}

func has(tokens []text.Token, term string) bool {
	return slices.ContainsFunc(tokens, func(t text.Token) bool { return t.Text == term })
}

// somewhere tells whether all terms of a unit are there.
func (r *read) somewhere(u *text.Unit) bool {
	for _, t := range u.Terms {
		if text.IsLetter(t.Text) {
			if !slices.ContainsFunc(r.terms, func(own text.Token) bool { return strings.Contains(own.Text, t.Text) }) {
				return false
			}
		} else if !has(r.terms, t.Text) {
			return false
		}
	}
	return true
}

// phrase tells whether the terms follow each other, in the title or in the rest.
func (r *read) phrase(u *text.Unit) bool {
	want := follow(u)
	if !r.somewhere(u) || len(want) < 2 {
		return r.somewhere(u)
	}
	return follows(r.titleTerms, want) || follows(r.restTerms, want)
}

func follows(tokens, want []text.Token) bool {
	at := map[int]string{}
	for _, t := range tokens {
		at[t.Pos] = t.Text
	}
	for pos := range at {
		if !slices.ContainsFunc(want, func(t text.Token) bool { return at[pos+t.Pos-want[0].Pos] != t.Text }) {
			return true
		}
	}
	return false
}

func (r *read) loose(l text.Loose) bool {
	if l.Base {
		return has(r.bases, l.Text)
	}
	return has(r.terms, l.Text)
}

func (r *read) fits(u *text.Unit) bool {
	if u.Not {
		return !r.phrase(u)
	}
	return r.phrase(u) || len(u.Loose) > 0 && !slices.ContainsFunc(u.Loose, func(l text.Loose) bool { return !r.loose(l) })
}

// fitsHalf is what is asked for if nothing fits.
func (r *read) fitsHalf(units []text.Unit) bool {
	have, all := 0, 0
	for i := range units {
		u := &units[i]
		if u.Not {
			if r.somewhere(u) {
				return false
			}
			continue
		}
		for _, t := range u.Terms {
			if text.IsNumber(t.Text) && !has(r.terms, t.Text) {
				return false
			}
		}
		for _, l := range atoms(u) {
			all++
			if r.loose(l) {
				have++
			}
		}
	}
	return all > 0 && have >= (all+1)/2
}

func (r *read) passes(q *search.Query) bool {
	in := func(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }
	day := r.Date.UTC().Format(time.DateOnly)
	tags := folded(r.Tags)
	return r.Level <= q.Level && in(q.Desks, r.Desk) && in(q.Kinds, r.Kind) && in(q.Languages, r.Language) &&
		(q.From.IsZero() || day >= q.From.UTC().Format(time.DateOnly)) && (q.To.IsZero() || day <= q.To.UTC().Format(time.DateOnly)) &&
		!slices.ContainsFunc(folded(q.Tags), func(t string) bool { return !slices.Contains(tags, t) })
}

// search returns everything that fits, in order.
func (f reference) search(q search.Query, now time.Time) (list []*read, relaxed bool) {
	if err := q.Check(); err != nil {
		panic(err)
	}
	var all []*read
	for _, d := range f {
		if d.Level == search.Public || q.Level > search.Public {
			all = append(all, readDocument(d))
		}
	}
	units := text.Parse(q.Text)
	for _, r := range all {
		if r.passes(&q) && !slices.ContainsFunc(units, func(u text.Unit) bool { return !r.fits(&u) }) {
			list = append(list, r)
		}
	}
	if list == nil && len(units) > 0 {
		for _, r := range all {
			if r.passes(&q) && r.fitsHalf(units) {
				list, relaxed = append(list, r), true
			}
		}
	}
	if q.Sort == search.Relevance {
		rate(all, list, units, now)
	}
	slices.SortFunc(list, func(a, b *read) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.Date.Compare(a.Date), strings.Compare(a.String(), b.String()))
	})
	return list, relaxed
}

// rate scores documents, adding up in the same order as the index.
func rate(all, list []*read, units []text.Unit, now time.Time) {
	for _, t := range scoring(units) {
		tokens := func(r *read) (text, title []text.Token) { return r.terms, r.titleTerms }
		if t.reading == readBases {
			tokens = func(r *read) (text, title []text.Token) { return r.bases, r.titleBases }
		}
		n := 0
		for _, r := range all {
			if text, _ := tokens(r); has(text, t.text) {
				n++
			}
		}
		idf := math.Log(1 + (float64(len(all))-float64(n)+0.5)/(float64(n)+0.5))
		for _, r := range list {
			body, title := tokens(r)
			freq := 0
			for _, own := range body {
				if own.Text == t.text {
					freq++
				}
			}
			for _, impact := range gains(freq, len(r.terms), has(title, t.text)) {
				r.score += t.weight * idf * impact
			}
		}
	}
	for _, r := range list {
		r.score *= freshness(r.Date.UnixMilli(), now)
	}
}

func gains(freq, length int, title bool) []float64 {
	if freq == 0 {
		return nil
	}
	class := usual
	switch {
	case length <= shortTo:
		class = short
	case length >= longFrom:
		class = long
	}
	out := []float64{once[class]}
	if freq >= oftenFrom {
		out = append(out, gain[class])
	}
	if title {
		out = append(out, inTitle[class])
	}
	return out
}
