package embedded

import (
	"slices"
	"strconv"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// found is what fits a query in one segment.
type found struct {
	*seg
	base    *roaring.Bitmap   // what has the words and may be seen
	filters []*roaring.Bitmap // by filter, in the order of the filter constants; nil for none
	hits    *roaring.Bitmap   // base under all filters
	checks  []check           // whose words must still be seen to follow each other
}

// check is a unit of more than one term: so far it is known only that the
// documents have the terms.
type check struct {
	unit *text.Unit
	docs *roaring.Bitmap // those to look at
}

const (
	filterDesk = iota
	filterKind
	filterLanguage
	filterOther // sources, tags and dates
	filterCount
)

// match decides which documents of a segment fit.
func (s *seg) match(q *search.Query, units []text.Unit) (*found, error) {
	visible, err := s.visible(q.Level)
	if err != nil {
		return nil, err
	}
	f := &found{seg: s, base: visible, filters: make([]*roaring.Bitmap, filterCount)}
	for i := range units {
		if err := f.narrow(&units[i]); err != nil {
			return nil, err
		}
	}
	if err := f.filter(q); err != nil {
		return nil, err
	}
	f.hits = f.under(-1)
	return f, nil
}

// visible returns what somebody of a level may see.
func (s *seg) visible(level search.Level) (*roaring.Bitmap, error) {
	var levels []string
	for l := search.Public; l <= min(level, search.MaxLevel); l++ {
		levels = append(levels, strconv.Itoa(int(l)))
	}
	return s.withAny(fieldLevel, levels)
}

// narrow leaves what has one unit more, or has it not.
func (f *found) narrow(u *text.Unit) error {
	if f.base.IsEmpty() {
		return nil
	}
	phrase, err := f.phrase(u)
	if err != nil {
		return err
	}
	loose, err := f.loose(u)
	if err != nil {
		return err
	}
	unsure := roaring.And(roaring.AndNot(phrase, loose), f.base)
	fits := roaring.Or(phrase, loose)
	for i := range u.Also {
		if fits, err = f.also(&u.Also[i], fits, unsure); err != nil {
			return err
		}
	}
	switch {
	case u.Not && len(follow(u)) < 2:
		f.base = roaring.AndNot(f.base, phrase)
		return nil
	case !u.Not:
		f.base = roaring.And(f.base, fits)
	}
	if len(follow(u)) > 1 && !unsure.IsEmpty() {
		f.checks = append(f.checks, check{u, unsure})
	}
	return nil
}

// also adds to what fits what has something else in the place of a unit. What may fit by
// the unit's own terms fits by single terms and by sounds for certain: it is taken out of
// unsure.
func (f *found) also(other *text.Also, fits, unsure *roaring.Bitmap) (*roaring.Bitmap, error) {
	docs, err := f.instead(other)
	if err != nil {
		return nil, err
	}
	unit := &text.Unit{Text: other.Text, Terms: other.Terms}
	if other.Sound || len(follow(unit)) < 2 {
		unsure.AndNot(docs)
		return roaring.Or(fits, docs), nil
	}
	if only := roaring.And(roaring.AndNot(docs, fits), f.base); !only.IsEmpty() {
		f.checks = append(f.checks, check{unit, only})
	}
	return roaring.Or(fits, docs), nil
}

// instead returns what has all terms of something else somewhere.
func (s *seg) instead(other *text.Also) (*roaring.Bitmap, error) {
	if !other.Sound {
		return s.phrase(&text.Unit{Terms: other.Terms})
	}
	terms := make([]string, len(other.Terms))
	for i, t := range other.Terms {
		terms[i] = t.Text
	}
	return s.withAll(fieldSounds, terms)
}

// why tells how a document fits, for the units that it has something else for.
func (s *seg) why(doc uint32, units []text.Unit) ([]search.Why, error) {
	var out []search.Why
	for i := range units {
		u := &units[i]
		if u.Not || len(u.Also) == 0 {
			continue
		}
		own, err := s.phrase(u)
		if err != nil {
			return nil, err
		}
		loose, err := s.loose(u)
		if err != nil {
			return nil, err
		}
		if own.Contains(doc) || loose.Contains(doc) {
			continue
		}
		for k := range u.Also {
			docs, err := s.instead(&u.Also[k])
			if err != nil {
				return nil, err
			}
			if docs.Contains(doc) {
				w := search.Why{Kind: u.Also[k].Why, Asked: u.Text, Found: u.Also[k].Text}
				if u.Also[k].Sound {
					w.Found = ""
				}
				out = append(out, w)
				break
			}
		}
	}
	return out, nil
}

// phrase returns what has all terms of a unit somewhere.
func (s *seg) phrase(u *text.Unit) (*roaring.Bitmap, error) {
	var all []*roaring.Bitmap
	for _, t := range u.Terms {
		field := fieldText
		if text.IsLetter(t.Text) {
			field = fieldLetters
		}
		b, err := s.with(field, t.Text)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return intersect(all), nil
}

// follow returns the terms of a unit that must follow each other: a single
// letter may be part of a bigram in the text and is only looked for.
func follow(u *text.Unit) []text.Token {
	var out []text.Token
	for _, t := range u.Terms {
		if !text.IsLetter(t.Text) {
			out = append(out, t)
		}
	}
	return out
}

// loose returns what has all the dictionary forms of a unit.
func (s *seg) loose(u *text.Unit) (*roaring.Bitmap, error) {
	if len(u.Loose) == 0 {
		return roaring.New(), nil
	}
	var all []*roaring.Bitmap
	for _, l := range u.Loose {
		b, err := s.with(readingOf(l).text, l.Text)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return intersect(all), nil
}

// relax finds what has at least half of the terms that the units are made of, and all
// their numbers, if nothing has all of them.
func (s *seg) relax(q *search.Query, units []text.Unit) (*found, error) {
	f, err := s.match(q, nil)
	if err != nil {
		return nil, err
	}
	var parts []*roaring.Bitmap
	for i := range units {
		u := &units[i]
		for _, t := range u.Terms {
			if text.IsNumber(t.Text) && !u.Not { // another number is another thing
				b, err := s.with(fieldText, t.Text)
				if err != nil {
					return nil, err
				}
				f.base = roaring.And(f.base, b)
			}
		}
		if u.Not {
			b, err := s.phrase(u)
			if err != nil {
				return nil, err
			}
			f.base = roaring.AndNot(f.base, b)
			continue
		}
		for _, l := range atoms(u) {
			b, err := s.with(readingOf(l).text, l.Text)
			if err != nil {
				return nil, err
			}
			parts = append(parts, b)
		}
	}
	f.base = roaring.And(f.base, atLeast(parts, (len(parts)+1)/2))
	f.hits = f.under(-1)
	return f, nil
}

// atoms are the parts of a unit that can be found by themselves.
func atoms(u *text.Unit) []text.Loose {
	if len(u.Loose) > 0 {
		return u.Loose
	}
	var out []text.Loose
	for _, t := range u.Terms {
		out = append(out, text.Loose{Text: t.Text})
	}
	return out
}

// atLeast returns what is in n of the bitmaps or more.
func atLeast(parts []*roaring.Bitmap, n int) *roaring.Bitmap {
	if n == 0 {
		return roaring.New()
	}
	in := make([]*roaring.Bitmap, n) // in[i]: in more than i of those so far
	for i := range in {
		in[i] = roaring.New()
	}
	for _, p := range parts {
		for i := n - 1; i > 0; i-- {
			in[i].Or(roaring.And(in[i-1], p))
		}
		in[0].Or(p)
	}
	return in[n-1]
}

// filter prepares the query's filters.
func (f *found) filter(q *search.Query) error {
	for i, want := range []struct {
		field  string
		values []string
	}{{fieldDesk, q.Desks}, {fieldKind, q.Kinds}, {fieldLanguage, q.Languages}} {
		if len(want.values) == 0 {
			continue
		}
		b, err := f.withAny(want.field, want.values)
		if err != nil {
			return err
		}
		f.filters[i] = b
	}
	var other []*roaring.Bitmap
	if len(q.Sources) > 0 {
		b, err := f.withAny(fieldSource, folded(q.Sources))
		if err != nil {
			return err
		}
		other = append(other, b)
	}
	if len(q.Tags) > 0 {
		b, err := f.withAll(fieldTag, folded(q.Tags))
		if err != nil {
			return err
		}
		other = append(other, b)
	}
	if !q.From.IsZero() || !q.To.IsZero() {
		b, err := f.between(q.From, q.To)
		if err != nil {
			return err
		}
		other = append(other, b)
	}
	if other != nil {
		f.filters[filterOther] = intersect(other)
	}
	return nil
}

// between returns the documents of some days: whole months where it can. Days that do not
// begin with those of the index are looked at one document after the other.
func (s *seg) between(from, to time.Time) (*roaring.Bitmap, error) {
	first, last := "0000-00-00", "9999-99-99"
	var edges []string
	if !from.IsZero() {
		if first = from.UTC().Format(time.DateOnly); !from.Equal(from.Truncate(search.Day)) {
			edges = append(edges, first)
		}
	}
	end := to.Add(search.Day)
	if !to.IsZero() {
		if last = end.Add(-1).UTC().Format(time.DateOnly); !end.Equal(end.Truncate(search.Day)) {
			edges = append(edges, last)
		}
	}
	var months []string
	if err := s.terms(fieldMonth, first[:7], last[:7]+"~", func(m string) bool {
		months = append(months, m)
		return true
	}); err != nil {
		return nil, err
	}
	var days, whole []string
	for _, m := range months {
		if m > first[:7] && m < last[:7] {
			whole = append(whole, m)
			continue
		}
		if err := s.terms(fieldDay, max(first, m), min(last, m+"-99")+"~", func(d string) bool {
			if !slices.Contains(edges, d) {
				days = append(days, d)
			}
			return true
		}); err != nil {
			return nil, err
		}
	}
	a, err := s.withAny(fieldMonth, whole)
	if err != nil {
		return nil, err
	}
	b, err := s.withAny(fieldDay, days)
	if err != nil {
		return nil, err
	}
	out := roaring.Or(a, b)
	if edges == nil {
		return out, nil
	}
	some, err := s.withAny(fieldDay, edges)
	if err != nil {
		return nil, err
	}
	for it := some.Iterator(); it.HasNext(); {
		doc := it.Next()
		date, err := s.date(doc)
		if err != nil {
			return nil, err
		}
		if (from.IsZero() || date >= from.UnixMilli()) && (to.IsZero() || date < end.UnixMilli()) {
			out.Add(doc)
		}
	}
	return out, nil
}

// under returns what fits under all filters but one.
func (f *found) under(except int) *roaring.Bitmap {
	out := f.base
	for i, b := range f.filters {
		if b != nil && i != except {
			out = roaring.And(out, b)
		}
	}
	return out
}
