package xmldoc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Run is running text that is put together from pieces, with white space squeezed.
// The zero value is empty.
type Run struct {
	b     strings.Builder
	white bool // white space is due before what follows
	line  bool // a new line is
	gap   bool // something was taken out: words must not run together
}

// Add adds text as it stands in a document.
func (r *Run) Add(s string) {
	fields := strings.Fields(s)
	if s != "" && (len(fields) == 0 || !strings.HasPrefix(s, fields[0])) {
		r.Space()
	}
	for i, f := range fields {
		if i > 0 {
			r.Space()
		}
		r.write(f)
	}
	if len(fields) > 0 && !strings.HasSuffix(s, fields[len(fields)-1]) {
		r.Space()
	}
}

// Space asks for white space before what follows.
func (r *Run) Space() { r.white = r.b.Len() > 0 }

// Break asks for a new line before what follows.
func (r *Run) Break() { r.line = r.b.Len() > 0 }

// Gap marks a place where something was taken out. What follows without white space
// gets some if it is a word.
func (r *Run) Gap() { r.gap = r.b.Len() > 0 }

// Word adds a word; glued is one that joins what is before it.
func (r *Run) Word(s string, glued bool) {
	r.white = !glued && r.b.Len() > 0
	r.write(s)
}

func (r *Run) write(s string) {
	switch {
	case r.line:
		r.b.WriteByte('\n')
	case r.white || r.gap && wordly(s):
		r.b.WriteByte(' ')
	}
	r.white, r.line, r.gap = false, false, false
	r.b.WriteString(s)
}

// wordly tells whether a text begins with a word, not with a mark that belongs to
// the one before.
func wordly(s string) bool {
	c, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(c) || unicode.IsDigit(c)
}

// Len is the length of the text, in bytes.
func (r *Run) Len() int { return r.b.Len() }

func (r *Run) String() string { return r.b.String() }
