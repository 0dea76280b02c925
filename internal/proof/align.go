package proof

import (
	"slices"
	"strings"
)

// How well a word stands for another.
const (
	exact   = 1.0
	synonym = 0.8
	kindred = 0.5 // they share a character or a stem
)

// match tells how well v says what w says; opposed tells that they are the two sides of one thing. A word of a sentence
// meets the same words of its passages again and again, so what was found is kept with it.
func match(w, v *word) (strength float64, opposed bool) {
	if v.form == 0 || w.seen == nil {
		return compare(w, v)
	}
	if w.seen.codes == nil {
		w.seen.codes = make([]uint8, w.seen.forms)
	}
	if int(v.form) >= len(w.seen.codes) {
		return compare(w, v)
	}
	code := &w.seen.codes[v.form]
	if *code == 0 {
		strength, opposed = compare(w, v)
		*code = 1 + uint8(10*strength)
		if opposed {
			*code |= 0x80
		}
		return strength, opposed
	}
	return float64(*code&0x7f-1) / 10, *code >= 0x80
}

// seen is what [match] found: by form, 0 if it was not asked, else ten times the strength and one, and 0x80 if opposed.
type seen struct {
	forms int
	codes []uint8
}

// form is all of a word that [match] asks of it.
type form struct {
	base, lang string
	kind       wordKind
	axes       bool
}

// number gives the words of lines the numbers of their forms.
func (r *Record) number(lines []*line) {
	r.formsMu.Lock()
	defer r.formsMu.Unlock()
	for _, l := range lines {
		for i := range l.words {
			w := &l.words[i]
			key := form{w.base, l.lang, w.kind, w.axes != nil}
			n, ok := r.forms[key]
			if !ok {
				n = int32(len(r.forms) + 1) //nolint:gosec // no language has so many words
				r.forms[key] = n
			}
			w.form = n
		}
	}
}

// remember lets the words of a sentence keep what [match] finds.
func (r *Record) remember(l *line) {
	r.formsMu.Lock()
	n := len(r.forms) + 1
	r.formsMu.Unlock()
	for i := range l.words {
		l.words[i].seen = &seen{forms: n}
	}
}

func compare(w, v *word) (strength float64, opposed bool) {
	if w.base == v.base {
		return exact, false
	}
	if w.kind == name || v.kind == name {
		if strings.HasPrefix(v.base, w.base) && len(w.base) > 4 || strings.HasPrefix(w.base, v.base) && len(v.base) > 4 {
			return synonym, false
		}
		return 0, false
	}
	if v.kind != content && v.axes == nil && v.groups == nil {
		return 0, false
	}
	for _, a := range w.axes {
		for _, b := range v.axes {
			if a.id != b.id {
				continue
			}
			if a.negative == b.negative {
				return synonym, false
			}
			opposed = true
		}
	}
	if opposed {
		return synonym, true
	}
	for _, g := range w.groups {
		if slices.Contains(v.groups, g) {
			return synonym, false
		}
	}
	if v.kind == content && alike(w.base, v.base) {
		return kindred, false
	}
	return 0, false
}

// alike tells whether two words share a part that carries meaning.
func alike(a, b string) bool {
	if len(a) > 0 && a[0] < 0x80 {
		n := commonPrefix(a, b)
		return n >= 5 || n >= 4 && n >= min(len(a), len(b))-1
	}
	for _, r := range a {
		if isKanji(r) && !commonKanji[r] && strings.ContainsRune(b, r) {
			return true
		}
	}
	if katakana(a) && katakana(b) {
		return strings.Contains(a, b) || strings.Contains(b, a)
	}
	return false
}

func katakana(s string) bool {
	for _, r := range s {
		if r < 0x30a0 || r > 0x30ff {
			return false
		}
	}
	return s != ""
}

// commonKanji say too little to make words kin.
var commonKanji = func() map[rune]bool {
	m := map[rune]bool{}
	for _, r := range "的性化者人大小中上下前後新同本第事会議国民市県区町村年月日時分一二三四五六七八九十百千万不無非未最全各両出入行来見所長部員生地合成力動発" {
		m[r] = true
	}
	return m
}()

// part is what of a sentence is looked for in the passages: words that mean something, figures and times.
type part struct {
	l          *line
	words      []int
	quantities []quantity
	moments    []moment
}

func (p *part) size() int { return len(p.words) + len(p.quantities) + len(p.moments) }

// atomWeight is how much more a figure or a time says than a word.
const atomWeight = 1.5

// strength is how well the k-th of its parts stands in a line, or in one of its clauses if clause is not negative.
func (p *part) strength(k int, other *line, clause int) float64 {
	best := 0.0
	switch {
	case k < len(p.words):
		w := &p.l.words[p.words[k]]
		for j := range other.words {
			if v := &other.words[j]; clause < 0 || v.clause == clause {
				s, opposed := match(w, v)
				if opposed {
					s = kindred
				}
				best = max(best, s)
			}
		}
		if w.generic {
			best *= 0.4
		}
	case k < len(p.words)+len(p.quantities):
		q := p.quantities[k-len(p.words)]
		for _, v := range other.quantities {
			if q.same(v) && agree(q.unit, v.unit) && (clause < 0 || other.clauseAt(v.span.from) == clause) {
				return atomWeight
			}
		}
	default:
		d := p.moments[k-len(p.words)-len(p.quantities)]
		for _, v := range other.moments {
			if d.within(v, other.source.record.day) && (clause < 0 || other.clauseAt(v.span.from) == clause) {
				return atomWeight
			}
		}
	}
	return best
}

// clauseAt is the clause that a character belongs to.
func (l *line) clauseAt(at int) int {
	for i := range l.words {
		if l.words[i].span.to > at {
			return l.words[i].clause
		}
	}
	return max(0, l.clauses-1)
}

// most is the greatest strength that its parts can have.
func (p *part) most() float64 {
	sum := atomWeight * float64(len(p.quantities)+len(p.moments))
	for _, wi := range p.words {
		if p.l.words[wi].generic {
			sum += 0.4
		} else {
			sum++
		}
	}
	return sum
}

// alignment is how the parts of a sentence stand in the lines of passages.
type alignment struct {
	part  *part
	lines []*line
	best  [][]float64 // by line, by part
	total []float64   // by line
}

func align(p *part, lines []*line) *alignment {
	a := &alignment{part: p, lines: lines, best: make([][]float64, len(lines)), total: make([]float64, len(lines))}
	for i, other := range lines {
		row := make([]float64, p.size())
		for k := range row {
			row[k] = p.strength(k, other, -1)
			a.total[i] += row[k]
		}
		a.best[i] = row
	}
	return a
}

// cover is how well a part is found anywhere.
func (a *alignment) cover(k int) float64 {
	best := 0.0
	for i := range a.best {
		best = max(best, a.best[i][k])
	}
	return best
}

// found is how much of the part is found, each piece where it stands best.
func (a *alignment) found() float64 {
	sum := 0.0
	for k := range a.part.size() {
		sum += a.cover(k)
	}
	return sum
}

// near is the total of a line with a part of its neighbours': what one sentence says is often told in two.
func (a *alignment) near(i int) float64 {
	sum := a.total[i]
	for k := range a.best[i] {
		extra := 0.0
		if i > 0 && a.lines[i-1].source == a.lines[i].source {
			extra = max(extra, a.best[i-1][k]-a.best[i][k])
		}
		if i+1 < len(a.lines) && a.lines[i+1].source == a.lines[i].source {
			extra = max(extra, a.best[i+1][k]-a.best[i][k])
		}
		sum += 0.3 * extra
	}
	return sum
}

// top is the line that says most, -1 if none says anything.
func (a *alignment) top() int {
	best, most := -1, 0.0
	for i := range a.lines {
		if a.total[i] > 0 {
			if near := a.near(i); best < 0 || near > most {
				best, most = i, near
			}
		}
	}
	return best
}

// topScore is what the best line says.
func (a *alignment) topScore() float64 {
	if i := a.top(); i >= 0 {
		return a.near(i)
	}
	return 0
}

// inClause is how much of a part one clause says.
func (p *part) inClause(l *line, clause int) float64 {
	sum := 0.0
	for k := range p.size() {
		sum += p.strength(k, l, clause)
	}
	return sum
}

// clauseOf is the clause of a line that says most of a part.
func (p *part) clauseOf(l *line) (clause int, score float64) {
	for c := range l.clauses {
		if s := p.inClause(l, c); s > score || c == 0 {
			clause, score = c, s
		}
	}
	return clause, score
}
