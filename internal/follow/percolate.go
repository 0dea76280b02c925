package follow

import (
	"cmp"
	"slices"
	"strings"

	"pressroom/internal/search/text"
	"pressroom/internal/story"
)

// percolator holds searches against a text, the other way round from an index: it finds
// the searches that a text fits. Each search waits under terms of which every text that
// fits it has one, the rarest that it has, so that a text is held against few searches
// that it does not fit. It may be used by one goroutine at a time.
type percolator struct {
	waiting map[term][]*saved
	plain   []*saved     // of which no term is required: filters alone, or what must not be there
	seen    map[term]int // how many texts had a term, to know which are rare
	tried   int          // searches that were held against a text, for tests
}

// saved is a search that waits.
type saved struct {
	id    string
	s     *Search
	units []text.Unit
}

// term is what a text has: a term, a letter, a dictionary form or sounds of it.
type term struct {
	kind byte // 't', 'l', 'b' or 's'
	text string
}

// seenMax bounds what is remembered of texts; the words of a language are fewer.
const seenMax = 500_000

// newPercolator takes searches in. What another one saw of texts helps to choose.
func newPercolator(all []Search, before *percolator) *percolator {
	p := &percolator{waiting: map[term][]*saved{}, seen: map[term]int{}}
	if before != nil {
		p.seen = before.seen
	}
	for i := range all {
		p.add(&saved{id: all[i].ID(), s: &all[i], units: text.Parse(all[i].Text)})
	}
	return p
}

// add lets a search wait.
func (p *percolator) add(q *saved) {
	var best []term
	for i := range q.units {
		if u := &q.units[i]; !u.Not {
			if some := p.needed(u); best == nil || p.compare(some, best) < 0 {
				best = some
			}
		}
	}
	if best == nil {
		p.plain = append(p.plain, q)
		return
	}
	for _, t := range best {
		p.waiting[t] = append(p.waiting[t], q)
	}
}

// needed returns terms of which every text that fits the unit has at least one: a text
// fits by its letters, by its dictionary forms, or by how it is read.
func (p *percolator) needed(u *text.Unit) []term {
	var some []term
	rarest := func(all []term) {
		if len(all) > 0 {
			some = append(some, slices.MinFunc(all, func(a, b term) int { return p.compare([]term{a}, []term{b}) }))
		}
	}
	rarest(termsOf(u.Terms, false))
	var loose []term
	for _, l := range u.Loose {
		loose = append(loose, looseOf(l))
	}
	rarest(loose)
	for i := range u.Also {
		rarest(termsOf(u.Also[i].Terms, u.Also[i].Sound))
	}
	return some
}

func termsOf(tokens []text.Token, sound bool) []term {
	all := make([]term, len(tokens))
	for i, t := range tokens {
		if all[i] = termOf(t.Text); sound {
			all[i] = term{'s', t.Text}
		}
	}
	return all
}

// compare orders terms by how many texts have them, then by how many searches wait
// there, then the longest first.
func (p *percolator) compare(a, b []term) int {
	sum := func(all []term, of func(term) int) (n int) {
		for _, t := range all {
			n += of(t)
		}
		return n
	}
	texts := func(t term) int { return p.seen[t] }
	searches := func(t term) int { return len(p.waiting[t]) }
	length := func(t term) int { return len(t.text) }
	return cmp.Or(cmp.Compare(sum(a, texts), sum(b, texts)), cmp.Compare(sum(a, searches), sum(b, searches)), cmp.Compare(sum(b, length), sum(a, length)))
}

func termOf(s string) term {
	if text.IsLetter(s) {
		return term{'l', s}
	}
	return term{'t', s}
}

func looseOf(l text.Loose) term {
	if l.Base {
		return term{'b', l.Text}
	}
	return termOf(l.Text)
}

// fitting returns the ids of the searches that a story fits, each once.
func (p *percolator) fitting(st *story.Text) ([]string, error) {
	if st.Unfound || len(p.waiting)+len(p.plain) == 0 {
		return nil, nil // its source wants it out of searches
	}
	r, err := read(st)
	if err != nil {
		return nil, err
	}
	met := map[*saved]bool{}
	var ids []string
	try := func(all []*saved) {
		for _, q := range all {
			if met[q] {
				continue
			}
			met[q] = true
			p.tried++
			if q.fits(st, r) {
				ids = append(ids, q.id)
			}
		}
	}
	try(p.plain)
	for t := range r.has {
		try(p.waiting[t])
		if _, known := p.seen[t]; known || len(p.seen) < seenMax {
			p.seen[t]++
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// reading is a text as it is looked up: what it has, and where its terms stand.
type reading struct {
	has map[term]bool
	at  map[string][]int
}

// maxRead is how much of a body and of what is hidden is looked at, as in the index.
const maxRead = 256 << 10

func read(st *story.Text) (*reading, error) {
	r := &reading{has: map[term]bool{}, at: map[string][]int{}}
	rest := strings.Join([]string{st.Summary, strings.Join(st.Topics, "\n"), clip(st.Body), clip(st.Hidden)}, "\n")
	last := 0
	for _, part := range []string{st.Title, rest} {
		begin := last
		for _, t := range text.Terms(part) {
			r.has[term{'t', t.Text}] = true
			last = begin + t.Pos
			r.at[t.Text] = append(r.at[t.Text], last)
		}
		last += 1000 // no phrase goes on from the title
		for _, l := range text.Letters(part) {
			r.has[term{'l', l}] = true
		}
		bases, err := text.Bases(part)
		if err != nil {
			return nil, err
		}
		for _, b := range bases {
			r.has[term{'b', b.Text}] = true
		}
	}
	sounds, err := text.Sounds(st.Title + "\n" + st.Summary) // as in the index
	for _, s := range sounds {
		r.has[term{'s', s.Text}] = true
	}
	return r, err
}

func clip(s string) string {
	if len(s) <= maxRead {
		return s
	}
	return strings.ToValidUTF8(s[:maxRead], "")
}

func (q *saved) fits(st *story.Text, r *reading) bool {
	if !q.s.admits(&st.Story) {
		return false
	}
	for i := range q.units {
		u := &q.units[i]
		if (r.exactly(u.Terms) || r.loosely(u) || slices.ContainsFunc(u.Also, r.instead)) == u.Not {
			return false
		}
	}
	return true
}

// instead reports whether the text has something in the place of a unit.
func (r *reading) instead(other text.Also) bool {
	if !other.Sound {
		return r.exactly(other.Terms)
	}
	return !slices.ContainsFunc(termsOf(other.Terms, true), func(t term) bool { return !r.has[t] })
}

// exactly reports whether terms follow each other in the text. A single letter may be part
// of a bigram there, and is only looked for.
func (r *reading) exactly(terms []text.Token) bool {
	var follow []text.Token
	for _, t := range terms {
		if !r.has[termOf(t.Text)] {
			return false
		}
		if !text.IsLetter(t.Text) {
			follow = append(follow, t)
		}
	}
	if len(follow) < 2 {
		return true
	}
	return slices.ContainsFunc(r.at[follow[0].Text], func(begin int) bool {
		return !slices.ContainsFunc(follow[1:], func(t text.Token) bool {
			_, there := slices.BinarySearch(r.at[t.Text], begin+t.Pos-follow[0].Pos)
			return !there
		})
	})
}

// loosely reports whether the text has the dictionary forms of a unit, anywhere.
func (r *reading) loosely(u *text.Unit) bool {
	return len(u.Loose) > 0 && !slices.ContainsFunc(u.Loose, func(l text.Loose) bool { return !r.has[looseOf(l)] })
}
