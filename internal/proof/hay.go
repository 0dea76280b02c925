package proof

import (
	"index/suffixarray"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// haystack is a text in which words are looked for. A long one that is searched often gets an index, so that a search costs
// no more in it than in a short one.
type haystack struct {
	text    string
	sources []*source // whose bare texts it consists of; none if it has no places to show
	starts  []int     // where each begins

	mu      sync.Mutex
	scanned int // bytes
	index   *suffixarray.Index
}

// indexAfter is how often a text is read from end to end before it gets an index, which costs as much.
const indexAfter = 32

// shortText is the length of texts, in bytes, that need no index.
const shortText = 4096

// lookup returns the text's index, nil as long as it is cheaper to do without.
func (h *haystack) lookup() *suffixarray.Index {
	if len(h.text) <= shortText {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.index == nil && h.scanned > indexAfter*len(h.text) {
		h.index = suffixarray.New([]byte(h.text))
	}
	return h.index
}

// first returns where a text has a word first, -1 if nowhere.
func (h *haystack) first(s string) int {
	if index := h.lookup(); index != nil && s != "" {
		if all := index.Lookup([]byte(s), -1); len(all) > 0 {
			return slices.Min(all)
		}
		return -1
	}
	return h.scan(s)
}

func (h *haystack) has(s string) bool {
	if index := h.lookup(); index != nil && s != "" {
		return len(index.Lookup([]byte(s), 1)) > 0
	}
	return h.scan(s) >= 0
}

func (h *haystack) scan(s string) int {
	i := strings.Index(h.text, s)
	if len(h.text) > shortText {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.scanned += i; i < 0 {
			h.scanned += len(h.text)
		}
	}
	return i
}

// place is the place of n bytes at i.
func (h *haystack) place(i, n int) *Place {
	k := sort.SearchInts(h.starts, i+1) - 1
	if k < 0 {
		return nil
	}
	return h.sources[k].place(i-h.starts[k], n)
}

// pieces tells whether all characters of a short form stand in the text near each other.
func (h *haystack) pieces(short []rune) bool {
	for i := 0; ; {
		at := strings.IndexRune(h.text[i:], short[0])
		if at < 0 {
			return false
		}
		i += at
		if begins(h.text[i:], short, 4*len(short)+4) {
			return true
		}
		i += utf8.RuneLen(short[0])
	}
}

// begins tells whether the first characters of a text, as many as told, have those of a short form in their order.
func begins(text string, short []rune, many int) bool {
	n := 0
	for _, r := range text {
		if many--; many < 0 {
			return false
		}
		if r == short[n] {
			if n++; n == len(short) {
				return true
			}
		}
	}
	return false
}

// stack is several texts that are searched as one.
type stack []*haystack

func (s stack) has(text string) bool {
	return slices.ContainsFunc(s, func(h *haystack) bool { return h.has(text) })
}

// find returns the first of the texts with a word, and where in it. One that has places to show goes before one that has
// none. It returns nil if there is neither.
func (s stack) find(text string) (in *haystack, at int) {
	for _, h := range s {
		if in != nil && h.sources == nil {
			continue
		}
		if i := h.first(text); i >= 0 {
			if in, at = h, i; h.sources != nil {
				break
			}
		}
	}
	return in, at
}

// mostPieces is how long texts may be, in bytes, in which short forms are looked for; in longer ones any would be found.
const mostPieces = 100_000

// pieces tells whether all characters of a short form stand in one of the texts near each other.
func (s stack) pieces(text string) bool {
	short := []rune(bare(text))
	if len(short) < 2 || len(short) > 14 {
		return false
	}
	n := 0
	for _, h := range s {
		n += len(h.text)
	}
	return n <= mostPieces && slices.ContainsFunc(s, func(h *haystack) bool { return h.pieces(short) })
}
