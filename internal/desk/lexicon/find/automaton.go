package find

// automaton is an Aho-Corasick machine over runes. Its states are cells of a
// double array: from state s, rune code c leads to cell s.base+c, if that cell's
// check is s. So a step is one look at one place in memory, and a hundred
// thousand words take some ten megabytes.
type automaton struct {
	cells  []cell
	codes  [1 << 16]uint16 // of the basic plane; 0 for runes in no word
	beyond map[rune]uint16 // of the others
}

type cell struct {
	base  int32
	check int32 // the state that leads here; free if none
	fail  int32 // the state of the longest suffix that begins a word
	word  int32 // the word that ends here plus one; 0 for none
	short int32 // the next shorter suffix at which a word ends; 0 for none
}

const (
	free = -1
	root = 0
)

func (a *automaton) code(r rune) uint16 {
	if r < 1<<16 {
		return a.codes[r]
	}
	return a.beyond[r]
}

// build makes the machine of words that are sorted and all different.
func build(words []word) automaton {
	a := automaton{beyond: map[rune]uint16{}}
	keys := a.encode(words)
	b := builder{machine: &a, next: 1}
	b.reserve(1)
	a.cells[root].check = root
	level := []node{{state: root, to: len(keys)}}
	for depth := 0; len(level) > 0; depth++ {
		var deeper []node
		for _, n := range level {
			deeper = append(deeper, b.expand(keys, n, depth)...)
		}
		level = deeper
	}
	b.link()
	return a
}

// encode numbers the runes in the order in which they come, so that those of the
// words alone count, and returns the words in these numbers. Words that need more
// numbers than there are cannot be: Unicode's letters are fewer.
func (a *automaton) encode(words []word) [][]uint16 {
	var last uint16
	keys := make([][]uint16, len(words))
	for i, w := range words {
		key := make([]uint16, len(w.runes))
		for j, r := range w.runes {
			if a.code(r) == 0 && last < 1<<16-1 {
				last++
				a.number(r, last)
			}
			key[j] = a.code(r)
		}
		keys[i] = key
	}
	return keys
}

func (a *automaton) number(r rune, code uint16) {
	if r < 1<<16 {
		a.codes[r] = code
		return
	}
	a.beyond[r] = code
}

// node is a state and the words, of the sorted list, that begin with it.
type node struct {
	state    int32
	from, to int
}

type builder struct {
	machine *automaton
	next    int // cells before it are hardly free
	codes   []uint16
	made    []made // the states, those near the root first
}

// made is a new state and how it is reached.
type made struct {
	parent, state int32
	code          uint16
}

func (b *builder) reserve(n int) {
	for len(b.machine.cells) < n {
		b.machine.cells = append(b.machine.cells, cell{check: free})
	}
}

// expand makes the states one rune behind n, and returns them.
func (b *builder) expand(keys [][]uint16, n node, depth int) []node {
	var children []node
	b.codes = b.codes[:0]
	for i := n.from; i < n.to; i++ {
		if len(keys[i]) == depth {
			b.machine.cells[n.state].word = int32(i + 1)
			continue
		}
		if k := len(b.codes); k > 0 && b.codes[k-1] == keys[i][depth] {
			children[k-1].to = i + 1
			continue
		}
		b.codes = append(b.codes, keys[i][depth])
		children = append(children, node{from: i, to: i + 1})
	}
	if len(children) == 0 {
		return nil
	}
	base := b.place()
	b.machine.cells[n.state].base = base
	for i, code := range b.codes {
		state := base + int32(code)
		children[i].state = state
		b.machine.cells[state].check = n.state
		b.made = append(b.made, made{n.state, state, code})
	}
	return children
}

// place finds a base at which the cells of all codes are free.
func (b *builder) place() int32 {
	low, high := b.codes[0], b.codes[0]
	for _, c := range b.codes {
		low, high = min(low, c), max(high, c)
	}
	taken, first := 0, max(b.next, int(low)+1)
	for at := first; ; at++ {
		base := at - int(low)
		b.reserve(base + int(high) + 1)
		if b.machine.cells[at].check != free {
			taken++
			continue
		}
		if !b.fits(base) {
			continue
		}
		if taken*20 >= (at-first+1)*19 {
			b.next = at
		}
		return int32(base)
	}
}

func (b *builder) fits(base int) bool {
	for _, c := range b.codes {
		if b.machine.cells[base+int(c)].check != free {
			return false
		}
	}
	return true
}

// link sets where states go when no longer word fits, those near the root first,
// since each needs those of its parent.
func (b *builder) link() {
	a := b.machine
	for _, n := range b.made {
		if n.parent == root {
			continue // its fail is the root
		}
		fail := a.step(a.cells[n.parent].fail, n.code)
		c := &a.cells[n.state]
		c.fail, c.short = fail, fail
		if a.cells[fail].word == 0 {
			c.short = a.cells[fail].short
		}
	}
}

// step goes on from a state with a rune's code.
func (a *automaton) step(s int32, code uint16) int32 {
	for {
		if t := int(a.cells[s].base) + int(code); t < len(a.cells) && a.cells[t].check == s && t != root {
			return int32(t)
		}
		if s == root {
			return root
		}
		s = a.cells[s].fail
	}
}

// run reads the text and returns, for each of its runes, the longest word that
// begins there and is allowed, plus one; 0 for none.
func (a *automaton) run(text []rune, words []word, allow func(word int32, start, end int) bool) []int32 {
	longest := make([]int32, len(text))
	s := int32(root)
	for i, r := range text {
		code := a.code(r)
		if code == 0 {
			s = root
			continue
		}
		s = a.step(s, code)
		at := s
		if a.cells[at].word == 0 {
			at = a.cells[at].short
		}
		for ; at != root; at = a.cells[at].short {
			w := a.cells[at].word
			start := i + 1 - len(words[w-1].runes)
			// Words are met by their ends, so a later one at this start is longer.
			if allow(w-1, start, i+1) {
				longest[start] = w
			}
		}
	}
	return longest
}
