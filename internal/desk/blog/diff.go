package blog

import (
	"slices"
	"strings"
	"unicode"
)

// Mark says where something stands: in both versions, or in one of them.
type Mark string

// The marks. Changed is a block that both versions have, with other words.
const (
	Same    Mark = "same"
	Gone    Mark = "gone"
	Fresh   Mark = "new"
	Changed Mark = "changed"
)

// Run is some words of a text.
type Run struct {
	Mark Mark   `json:"mark" enum:"same,gone,new"`
	Text string `json:"text"`
}

// FactChange is a fact, or the tags, as they changed.
type FactChange struct {
	Name  string `json:"name"`
	Words []Run  `json:"words"`
}

// BlockChange is a block as it changed.
type BlockChange struct {
	Mark  Mark   `json:"mark" enum:"same,gone,new,changed"`
	Was   *Block `json:"was,omitempty" doc:"missing if it is new"`
	Is    *Block `json:"is,omitempty" doc:"missing if it is gone"`
	Words []Run  `json:"words,omitempty" doc:"of the content, if it changed"`
}

// Difference leads from one version of a post to another.
type Difference struct {
	Facts  []FactChange  `json:"facts" doc:"those that changed, and the tags"`
	Blocks []BlockChange `json:"blocks" doc:"all, in their order"`
}

// Compare tells how a post changed from was to is: fact by fact and block by block,
// with the words that changed.
func Compare(was, is Content) Difference {
	d := Difference{Facts: []FactChange{}, Blocks: []BlockChange{}}
	before := map[string]string{"tags": strings.Join(was.Tags, ", ")}
	for fact, text := range was.Facts.All {
		before[fact.Name] = *text
	}
	add := func(name, text string) {
		if text != before[name] {
			d.Facts = append(d.Facts, FactChange{name, words(before[name], text)})
		}
	}
	for fact, text := range is.Facts.All {
		add(fact.Name, *text)
	}
	add("tags", strings.Join(is.Tags, ", "))
	next := 0
	fresh := func(to int) {
		for ; next < to; next++ {
			d.Blocks = append(d.Blocks, BlockChange{Mark: Fresh, Is: &is.Blocks[next]})
		}
	}
	for i, at := range match(was.Blocks, is.Blocks) {
		a := &was.Blocks[i]
		if at < 0 {
			d.Blocks = append(d.Blocks, BlockChange{Mark: Gone, Was: a})
			continue
		}
		fresh(at)
		b := &is.Blocks[at]
		one := BlockChange{Mark: Same, Was: a, Is: b}
		if *a != *b {
			one.Mark, one.Words = Changed, words(a.Content, b.Content)
		}
		d.Blocks = append(d.Blocks, one)
		next = at + 1
	}
	fresh(len(is.Blocks))
	return d
}

// Unchanged reports whether the versions are the same.
func (d *Difference) Unchanged() bool {
	return len(d.Facts) == 0 && !slices.ContainsFunc(d.Blocks, func(b BlockChange) bool { return b.Mark != Same })
}

// words marks the words of two texts.
func words(was, is string) []Run {
	a, b := tokens(was), tokens(is)
	var runs []Run
	add := func(m Mark, text string) {
		if n := len(runs); n > 0 && runs[n-1].Mark == m {
			runs[n-1].Text += text
		} else {
			runs = append(runs, Run{m, text})
		}
	}
	next := 0
	var gone []string
	flush := func(to int) { // what is gone stands before what came
		for _, text := range gone {
			add(Gone, text)
		}
		gone = nil
		for ; next < to; next++ {
			add(Fresh, b[next])
		}
	}
	for i, at := range align(a, b) {
		if at < 0 {
			gone = append(gone, a[i])
			continue
		}
		flush(at)
		add(Same, a[i])
		next = at + 1
	}
	flush(len(b))
	return runs
}

// tokens cuts a text into words, the space between them and single signs. Scripts that
// are written without spaces are cut into characters.
func tokens(s string) []string {
	var all []string
	begin, kind := 0, 0
	for i, r := range s {
		k := 0 // a token of its own
		switch {
		case unicode.IsSpace(r):
			k = 1
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			k = 2
		}
		if i > begin && (k != kind || k == 0) {
			all = append(all, s[begin:i])
			begin = i
		}
		kind = k
	}
	if begin < len(s) {
		all = append(all, s[begin:])
	}
	return all
}

// alignCells is how large a table is made to find the longest common part. Beyond it
// a common part is found that may be shorter.
const alignCells = 4 << 20

// align pairs equal members of a and b in their order: for each of a its place in b,
// or -1.
func align[T comparable](a, b []T) []int {
	at := make([]int, len(a))
	for i := range at {
		at[i] = -1
	}
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		at[from] = from
		from++
	}
	aEnd, bEnd := len(a), len(b)
	for aEnd > from && bEnd > from && a[aEnd-1] == b[bEnd-1] {
		aEnd, bEnd = aEnd-1, bEnd-1
		at[aEnd] = bEnd
	}
	x, y := a[from:aEnd], b[from:bEnd]
	if len(x) == 0 || len(y) == 0 {
		return at
	}
	if len(x)*len(y) > alignCells {
		places := map[T][]int{}
		for j, v := range y {
			places[v] = append(places[v], j)
		}
		next := 0
		for i, v := range x {
			where := places[v]
			if k, _ := slices.BinarySearch(where, next); k < len(where) {
				at[from+i], next = from+where[k], where[k]+1
			}
		}
		return at
	}
	longest := pairs(len(x), len(y), func(i, j int) int {
		if x[i] == y[j] {
			return 1
		}
		return 0
	})
	longest.walk(func(i, j int) { at[from+i] = from + j })
	return at
}

// pairing is the best sum of scores over pairs that keep the order.
type pairing struct {
	best  [][]int32
	score func(i, j int) int
}

func pairs(n, m int, score func(i, j int) int) *pairing {
	p := &pairing{best: make([][]int32, n+1), score: score}
	cells := make([]int32, (n+1)*(m+1))
	for i := range p.best {
		p.best[i] = cells[i*(m+1) : (i+1)*(m+1)]
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best := max(p.best[i+1][j], p.best[i][j+1])
			if s := score(i, j); s > 0 {
				best = max(best, p.best[i+1][j+1]+int32(s))
			}
			p.best[i][j] = best
		}
	}
	return p
}

func (p *pairing) walk(pair func(i, j int)) {
	i, j := 0, 0
	for i+1 < len(p.best) && j+1 < len(p.best[0]) {
		s := p.score(i, j)
		switch {
		case s > 0 && p.best[i][j] == p.best[i+1][j+1]+int32(s):
			pair(i, j)
			i, j = i+1, j+1
		case p.best[i][j] == p.best[i+1][j]:
			i++
		default:
			j++
		}
	}
}

// match pairs the blocks of two versions in their order: those that are the same, and
// between these those that are alike. It returns for each of a its place in b, or -1.
func match(a, b []Block) []int {
	at := align(a, b)
	for i := 0; i < len(a); i++ {
		if at[i] >= 0 {
			continue
		}
		end, from, to := i, 0, len(b)
		for end < len(a) && at[end] < 0 {
			end++
		}
		if i > 0 {
			from = at[i-1] + 1
		}
		if end < len(a) {
			to = at[end]
		}
		for k, place := range alike(a[i:end], b[from:to]) {
			if place >= 0 {
				at[i+k] = from + place
			}
		}
		i = end
	}
	return at
}

// alike pairs blocks that are not the same. As many as there were are taken for the
// same ones, one by one.
func alike(a, b []Block) []int {
	at := make([]int, len(a))
	for i := range at {
		at[i] = -1
		if len(a) == len(b) && a[i].Type == b[i].Type {
			at[i] = i
		}
	}
	const most = 60 // blocks of a gap that are compared with each other
	if len(a) == len(b) || len(a) > most || len(b) > most {
		return at
	}
	bags := make([]map[string]int, len(b))
	for j := range b {
		bags[j] = bag(b[j].Content)
	}
	scores := make([][]int, len(a))
	for i := range a {
		mine := bag(a[i].Content)
		scores[i] = make([]int, len(b))
		for j := range b {
			if a[i].Type == b[j].Type {
				scores[i][j] = likeness(mine, bags[j])
			}
		}
	}
	pairs(len(a), len(b), func(i, j int) int { return scores[i][j] }).walk(func(i, j int) { at[i] = j })
	return at
}

func bag(s string) map[string]int {
	found := map[string]int{}
	for _, t := range tokens(s) {
		if strings.TrimSpace(t) != "" {
			found[t]++
		}
	}
	return found
}

// likeness is how much of two texts is the same, in percent, and 0 if that is little.
func likeness(a, b map[string]int) int {
	common, all := 0, 0
	for t, n := range a {
		common += min(n, b[t])
		all += n
	}
	for _, n := range b {
		all += n
	}
	if all == 0 || 200*common < 40*all {
		return 0
	}
	return 200 * common / all
}
