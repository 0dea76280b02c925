package thread

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Index holds stories and their threads in memory. It is for one goroutine at a time.
type Index struct {
	docs    []*doc
	numbers map[string]int32 // of the stories, by id
	ids     map[Term]uint32
	terms   []term
	links   [][]link // of each story
	of      []int32  // the thread of each story
	members map[int32][]int32
	threads int32 // the last thread
	stories int
	log     float64                    // of how many stories there are
	said    map[string]map[string]bool // what an editor said of two stories: together, or apart
	touched map[int32]bool             // threads that changed since somebody took note
	gone    map[string]bool            // stories that left since then
}

type term struct {
	term  Term
	count int
	seen  []int32 // the last stories with it
}

// link is that two stories may belong together.
type link struct {
	to    int32
	score float64
	at    int // how many stories there were when it was scored
	said  int // by an editor: 1 together, -1 apart
}

const (
	rare       = 64  // a term of more stories leads to none
	candidates = 48  // how many stories one is compared with
	loose      = -2  // a lower score is no link
	component  = 128 // how many stories are put together anew at once
)

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{numbers: map[string]int32{}, ids: map[Term]uint32{}, said: map[string]map[string]bool{}, members: map[int32][]int32{}, touched: map[int32]bool{}, gone: map[string]bool{}, log: math.Log(2)}
}

// roundup is the headline of a story on several matters.
var roundup = regexp.MustCompile(`(?i)\bin brief\b|\bin review\b|^the (week|month|year) in\b|^(this|last) week in\b|\bround-?up\b|you read most|most read|^what.s on\b|^around the|` +
	`よく読まれた|数字で見る|ニュース一覧|今週の|先週の|この一週間|[0-9０-９]+月を振り返|まとめ読み|短信`)

// Add takes a story in and puts it into its thread. A story of the same id is replaced.
func (x *Index) Add(s *Story) {
	x.Remove(s.ID)
	d := x.doc(s)
	near := x.near(d)
	n := x.insert(d)
	for _, o := range near {
		if s := x.score(d, x.docs[o]); s > loose {
			x.link(n, o, s)
		}
	}
	for other := range x.said[s.ID] {
		x.obey(s.ID, other)
	}
	x.settle(n)
}

// doc reads a story.
func (x *Index) doc(s *Story) *doc {
	d := &doc{
		id: s.ID, desk: s.Desk, source: s.Source, order: s.Order, mark: s.Mark, japanese: s.Language == "ja", published: s.Published, text: sentences(s.Text, s.Published),
		alone: len(s.Bills) > 1 || roundup.MatchString(s.Title),
	}
	if s.Entry {
		d.entry = strings.ToLower(s.Title)
	}
	for t, at := range termsOf(s) {
		if t.Kind == Title {
			d.quotes = append(d.quotes, t.Text)
		}
		d.terms = append(d.terms, use{x.id(t), t.Kind, at})
	}
	slices.SortFunc(d.terms, func(a, b use) int { return cmp.Compare(a.id, b.id) })
	return d
}

func (x *Index) id(t Term) uint32 {
	id, ok := x.ids[t]
	if !ok {
		id = uint32(len(x.terms)) //nolint:gosec // 4 billion terms do not fit into memory
		x.ids[t] = id
		x.terms = append(x.terms, term{term: t})
	}
	return id
}

func (x *Index) insert(d *doc) int32 {
	n := int32(len(x.docs)) //nolint:gosec // nor do 2 billion stories
	x.docs, x.links, x.of = append(x.docs, d), append(x.links, nil), append(x.of, x.fresh())
	x.members[x.threads] = []int32{n}
	x.touched[x.threads] = true
	x.numbers[d.id] = n
	delete(x.gone, d.id)
	x.resize(1)
	for _, u := range d.terms {
		t := &x.terms[u.id]
		t.count++
		if len(t.seen) == 2*rare {
			t.seen = append(t.seen[:0], t.seen[rare:]...)
		}
		t.seen = append(t.seen, n)
	}
	return n
}

func (x *Index) resize(by int) {
	x.stories += by
	x.log = math.Log(float64(x.stories + 1))
}

// near returns the stories that share the most rare terms with one.
func (x *Index) near(d *doc) []int32 {
	sums := map[int32]float64{}
	for _, u := range d.terms {
		if t := &x.terms[u.id]; t.count <= rare {
			for _, o := range t.seen {
				sums[o] += x.weight(u.id)
			}
		}
	}
	out := make([]int32, 0, len(sums))
	for o := range sums {
		if !x.docs[o].gone {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b int32) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(x.docs[a].id, x.docs[b].id))
	})
	return out[:min(len(out), candidates)]
}

// score is the rule for two stories: printings of one report belong together, whatever else
// there is.
func (x *Index) score(a, b *doc) float64 {
	e := x.compare(a, b)
	if printings(a, b, &e) {
		return most
	}
	return e.score()
}

// printings tells whether two stories are one report of two sources.
func printings(a, b *doc, e *evidence) bool {
	return !e.source && e.words > 0.25 && samePrinting(a.text, b.text)
}

func (x *Index) link(a, b int32, score float64) {
	x.links[a] = append(x.links[a], link{to: b, score: score, at: x.stories})
	x.links[b] = append(x.links[b], link{to: a, score: score, at: x.stories})
}

// Remove takes a story out and puts those that it held together into threads anew.
func (x *Index) Remove(id string) {
	n, ok := x.numbers[id]
	if !ok {
		return
	}
	delete(x.numbers, id)
	x.gone[id] = true
	x.docs[n].gone = true
	x.leave(n)
	x.resize(-1)
	for _, u := range x.docs[n].terms {
		x.terms[u.id].count--
	}
	x.docs[n].terms, x.docs[n].text = nil, nil // its number stays, its words go
	left := x.links[n]
	x.links[n] = nil
	for _, l := range left {
		x.links[l.to] = slices.DeleteFunc(x.links[l.to], func(b link) bool { return b.to == n })
	}
	for _, l := range left {
		x.settle(l.to)
	}
}

// fresh returns a thread that no story is in.
func (x *Index) fresh() int32 {
	x.threads++
	return x.threads
}

// settle puts everything that hangs together with a story into threads anew. A thread stays
// what it was where most of its stories are.
func (x *Index) settle(n int32) {
	taken := map[int32]bool{}
	groups := x.cluster(x.hang(n))
	slices.SortStableFunc(groups, func(a, b []int32) int { return cmp.Compare(len(b), len(a)) })
	for _, group := range groups {
		count, name := map[int32]int{}, int32(-1)
		for _, m := range group {
			if t := x.of[m]; !taken[t] {
				count[t]++
				if name < 0 || count[t] > count[name] {
					name = t
				}
			}
		}
		if name < 0 {
			name = x.fresh()
		}
		taken[name] = true
		for _, m := range group {
			x.move(m, name)
		}
	}
}

// move puts a story into a thread.
func (x *Index) move(n, thread int32) {
	if x.of[n] == thread {
		return
	}
	x.leave(n)
	x.of[n] = thread
	x.touched[thread] = true
	x.members[thread] = append(x.members[thread], n)
}

func (x *Index) leave(n int32) {
	t := x.of[n]
	x.touched[t] = true
	if x.members[t] = slices.DeleteFunc(x.members[t], func(m int32) bool { return m == n }); len(x.members[t]) == 0 {
		delete(x.members, t)
	}
}

// hang returns the stories that hang together with one, or did.
func (x *Index) hang(n int32) []int32 {
	group, seen := []int32{n}, map[int32]bool{n: true}
	add := func(m int32) {
		if !seen[m] && len(group) < component {
			seen[m] = true
			group = append(group, m)
		}
	}
	for i := 0; i < len(group); i++ {
		x.refresh(group[i])
		for _, l := range x.links[group[i]] {
			if l.score > 0 || l.said > 0 {
				add(l.to)
			}
		}
		for _, m := range x.members[x.of[group[i]]] {
			add(m)
		}
	}
	slices.SortFunc(group, func(a, b int32) int { return cmp.Compare(x.docs[a].id, x.docs[b].id) })
	return group
}

// refresh scores the links of a story again that were made when there were far fewer stories, and
// which terms are rare was known less well.
func (x *Index) refresh(n int32) {
	for i := range x.links[n] {
		l := &x.links[n][i]
		if x.stories <= l.at+l.at/5 {
			continue
		}
		l.score, l.at = x.score(x.docs[n], x.docs[l.to]), x.stories
		back := x.linked(l.to, n)
		back.score, back.at = l.score, l.at
	}
}

// linked returns the link from one story to another; nil if there is none.
func (x *Index) linked(from, to int32) *link {
	if i := slices.IndexFunc(x.links[from], func(l link) bool { return l.to == to }); i >= 0 {
		return &x.links[from][i]
	}
	return nil
}

// Threads returns the ids of the stories of each thread, in order.
func (x *Index) Threads() [][]string {
	out := make([][]string, 0, len(x.members))
	for _, members := range x.members {
		ids := make([]string, len(members))
		for i, n := range members {
			ids[i] = x.docs[n].id
		}
		slices.Sort(ids)
		out = append(out, ids)
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

// Printings returns the groups of stories among some that are one report, the first of each
// group being the one that was first.
func (x *Index) Printings(ids []string) [][]string {
	docs := make([]*doc, 0, len(ids))
	for _, id := range ids {
		if n, ok := x.numbers[id]; ok {
			docs = append(docs, x.docs[n])
		}
	}
	slices.SortFunc(docs, func(a, b *doc) int { return cmp.Or(a.published.Compare(b.published), cmp.Compare(a.id, b.id)) })
	var groups [][]*doc
	for _, d := range docs {
		same := func(g []*doc) bool {
			return !slices.ContainsFunc(g, func(o *doc) bool { return o.source == d.source || !samePrinting(o.text, d.text) })
		}
		if at := slices.IndexFunc(groups, same); at >= 0 {
			groups[at] = append(groups[at], d)
		} else {
			groups = append(groups, []*doc{d})
		}
	}
	var out [][]string
	for _, g := range groups {
		if len(g) > 1 {
			var ids []string
			for _, d := range g {
				ids = append(ids, d.id)
			}
			out = append(out, ids)
		}
	}
	return out
}
