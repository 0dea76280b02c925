package proof

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// citing is what a sentence cites, prepared once for all sentences that cite the same.
type citing struct {
	record  *Record
	sources []*source
	all     []*line                   // of all of them
	hay     stack                     // all that is cited, with who speaks
	before  stack                     // the passages before
	words   func() map[string]bool    // the bases of all words
	copies  func() map[string][]*line // the lines by what they say, without white space
	found   func() *postings
	agenda  func() []*source // what puts on the agenda what the passages treat
}

// cite prepares passages, in their order. The sentences of one speech cite the same, and many cite the whole record: both are
// kept.
func (r *Record) cite(sources []*source, withHead bool) *citing {
	var key strings.Builder
	fmt.Fprint(&key, withHead)
	whole := len(sources) == len(r.sources)
	for i := 0; i < len(sources) && !whole; i++ {
		fmt.Fprint(&key, " ", sources[i].Order)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.kept[key.String()]; c != nil {
		return c
	}
	c := r.newCiting(sources, withHead)
	for k := range r.kept {
		if strings.Contains(k, " ") { // the last that is not the whole record
			delete(r.kept, k)
		}
	}
	r.kept[key.String()] = c
	return c
}

func (r *Record) newCiting(sources []*source, withHead bool) *citing {
	c := &citing{record: r, sources: sources}
	for _, s := range sources {
		c.all = append(c.all, s.read().lines...)
		c.hay = append(c.hay, s.who, s.hay)
	}
	if withHead {
		c.all = append(c.all, r.head.read().lines...)
	}
	if len(sources) == len(r.sources) {
		c.hay = stack{r.texts(), r.speakers()}
	}
	c.hay = append(c.hay, &haystack{text: bare(r.meeting)})
	c.before = c.context()
	c.words, c.copies, c.found, c.agenda = sync.OnceValue(c.readWords), sync.OnceValue(c.readCopies), sync.OnceValue(c.post), sync.OnceValue(c.items)
	return c
}

func (c *citing) readWords() map[string]bool {
	words := map[string]bool{}
	for _, s := range c.sources {
		for _, part := range []string{s.Speaker, s.Party, s.Office, s.Role} {
			for _, w := range enWord.FindAllString(string(fold(part)), -1) {
				words[stem(w)] = true
			}
		}
	}
	for _, w := range enWord.FindAllString(c.record.meeting, -1) {
		words[stem(w)] = true
	}
	for _, l := range c.all {
		for i := range l.words {
			words[l.words[i].base] = true
		}
	}
	return words
}

func (c *citing) readCopies() map[string][]*line {
	copies := make(map[string][]*line, len(c.all))
	for _, l := range c.all {
		copies[l.bare] = append(copies[l.bare], l)
	}
	return copies
}

// contextSpan is how many passages before the cited ones tell what they speak of: a question, an item of the agenda.
const contextSpan = 6

func (c *citing) context() stack {
	var out stack
	r := c.record
	if h := r.head; h != nil && h != c.sources[0] {
		out = append(out, h.hay)
	}
	first := c.sources[0].Order
	reach := first - contextSpan
	if c.sources[0].Speaker == "" { // a page is read from its top
		reach = math.MinInt
	}
	for _, o := range r.orders {
		if o < first && o >= reach {
			out = append(out, r.sources[o].hay)
		}
	}
	return out
}

// itemSpan is how far before a passage the item of the agenda can stand that it treats.
const itemSpan = 40

// itemsBefore are the passages before one, up to the last that puts a matter on the agenda.
func (r *Record) itemsBefore(first int) []*source {
	var out []*source
	for o := first - 1; o >= first-itemSpan; o-- {
		if src, ok := r.sources[o]; ok {
			if out = append(out, src); src.opens() {
				break
			}
		}
	}
	return out
}

func (c *citing) items() []*source {
	seen := map[*source]bool{}
	var out []*source
	for _, s := range c.sources {
		for _, item := range c.record.itemsBefore(s.Order) {
			if !seen[item] {
				seen[item] = true
				out = append(out, item)
			}
		}
	}
	return out
}

// names tells whether passages name a bill, or have a short form of its name.
func names(sources []*source, text string) bool {
	text = bare(text)
	return slices.ContainsFunc(sources, func(s *source) bool { return s.hay.has(text) || stack{s.hay}.pieces(text) })
}

// postings say which lines have a word.
type postings struct {
	lines   map[string][]int32 // by the words' bases; a line as often as it has the word
	figures []int32            // how many figures and times each line has
}

func (c *citing) post() *postings {
	p := &postings{lines: map[string][]int32{}, figures: make([]int32, len(c.all))}
	for i, l := range c.all {
		for j := range l.words {
			base := l.words[j].base
			p.lines[base] = append(p.lines[base], int32(i)) //nolint:gosec // no record has so many lines
		}
		p.figures[i] = int32(len(l.quantities) + len(l.moments)) //nolint:gosec // likewise
	}
	return p
}

// manyLines is how many lines of passages are looked at closely. A sentence that cites a whole meeting is held against the
// lines that share most with it.
const manyLines = 150

// narrow returns the lines of what is cited that share most with a sentence, in their order.
func (c *citing) narrow(s *line) []*line {
	if len(c.all) <= manyLines {
		return c.all
	}
	found := c.found()
	score := slices.Clone(found.figures)
	seen := map[string]bool{}
	for i := range s.words {
		w := &s.words[i]
		if (w.kind == content || w.kind == name || w.kind == figure) && !seen[w.base] {
			seen[w.base] = true
			for _, at := range found.lines[w.base] {
				score[at] += 2
			}
		}
	}
	many := make([]int, slices.Max(score)+1) // lines by score
	for _, n := range score {
		many[n]++
	}
	least, room := int32(len(many)-1), manyLines //nolint:gosec // as above
	for ; many[least] < room; least-- {
		room -= many[least]
	}
	out := make([]*line, 0, manyLines)
	for i, n := range score {
		if n == least {
			room--
		}
		if n > least || n == least && room >= 0 {
			out = append(out, c.all[i])
		}
	}
	return out
}
