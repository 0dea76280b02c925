package llm

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Counter estimates the tokens of a text for one family of models, whose vocabularies
// would be a sixth of the program. For prose in English and Japanese, JSON and code of
// some hundred characters and more, it comes out between the model's own count and one
// and a half times it; for codes such as Base64 it may come out higher. .ci/tokens holds
// it against the vocabularies themselves.
type Counter struct {
	// Name says which encoding is estimated, or "estimate" if the model's is not public.
	Name    string
	weights weights
}

// weights are hundredths of a token, as they were fitted to a family and made larger by
// a margin, so that the sum is hardly ever below the truth.
type weights struct {
	word   int // a word of Latin letters
	long   int // each of its letters from the seventh on
	code   int // each from the thirteenth on, and every second of a word within a word: codes rather than words
	digits int // up to three digits
	run    int // a run of ASCII punctuation
	more   int // each further character of it, or of white space
	space  int // white space, but for one space before a word
	han    int
	hira   int
	kata   int
	symbol int // other punctuation and symbols
	accent int // a letter of the Latin alphabet that is not ASCII
}

var (
	newer = weights{word: 126, long: 24, code: 75, digits: 166, run: 90, more: 28, space: 30, han: 144, hira: 73, kata: 65, symbol: 60, accent: 150}
	older = weights{word: 126, long: 25, code: 80, digits: 172, run: 91, more: 28, space: 41, han: 206, hira: 91, kata: 80, symbol: 75, accent: 150}

	o200k  = Counter{"o200k_base", newer}
	cl100k = Counter{"cl100k_base", older}
)

// Estimate is the counter for models whose tokenizer is not public. It has a wider
// margin: Japanese comes out at about 1.5 tokens a character.
var Estimate = Counter{"estimate", weights{word: 150, long: 30, code: 90, digits: 200, run: 110, more: 60, space: 50, han: 240, hira: 107, kata: 94, symbol: 100, accent: 150}}

// encodings lists the families of models whose encoding is public, the longer prefix
// first where one is a prefix of another.
var encodings = []struct {
	prefix  string
	counter Counter
}{
	{"gpt-4o", o200k}, {"gpt-4.", o200k}, {"chatgpt-4o", o200k}, {"gpt-5", o200k}, {"gpt-oss", o200k},
	{"o1", o200k}, {"o3", o200k}, {"o4", o200k},
	{"gpt-4", cl100k}, {"gpt-3.5", cl100k}, {"gpt-35", cl100k},
}

// CounterFor returns the counter for a model.
func CounterFor(model string) Counter {
	model = strings.ToLower(model)
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:]
	}
	for _, e := range encodings {
		if strings.HasPrefix(model, e.prefix) {
			return e.counter
		}
	}
	return Estimate
}

// Overheads of what services put around the text, above what they are known to add.
const (
	requestOverhead = 16
	messageOverhead = 8
	schemaOverhead  = 400
)

// CountInput returns the tokens of a request's input for a model: system, messages,
// passages, glossary and schema, and what the service puts around them, by its
// [Counter]. Callers cut prompts by it; budgets reserve by it.
func CountInput(model string, req *Request) int {
	c := CounterFor(model)
	n := requestOverhead + c.Count(req.System)
	for _, m := range req.Conversation() {
		n += messageOverhead + c.Count(m.Text)
	}
	if req.Schema != nil {
		n += schemaOverhead + c.Count(string(req.Schema.raw))
	}
	return n
}

// counted remembers the count of the request that is on its way through the wrappers.
type counted struct {
	model string
	req   *Request
	n     int
}

type countedKey struct{}

// withCount returns a context in which countInput counts a request once, however
// many wrappers and attempts ask. It is for one goroutine.
func withCount(ctx context.Context) context.Context {
	return context.WithValue(ctx, countedKey{}, new(counted))
}

// countInput is CountInput, remembered.
func countInput(ctx context.Context, model string, req *Request) int {
	memo, ok := ctx.Value(countedKey{}).(*counted)
	if !ok {
		return CountInput(model, req)
	}
	if memo.req != req || memo.model != model {
		*memo = counted{model, req, CountInput(model, req)}
	}
	return memo.n
}

// Count returns the number of tokens in text.
func (c Counter) Count(text string) int {
	t := tally{w: c.weights}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		t.add(r, size)
	}
	t.end()
	return (t.sum + 99) / 100
}

// tally adds up a text. A run is of letters, digits, punctuation or white space.
type tally struct {
	w      weights
	sum    int
	kind   rune // of the run: 'a', '0', '.', '_' for white space, 0 for none
	length int
	small  bool // the last letter of the word is
	within bool // the word stands within another one, or after digits
}

func (t *tally) add(r rune, size int) {
	kind := kindOf(r, size)
	switch {
	case kind == 'a' && t.kind == 'a' && t.small && unicode.IsUpper(r):
		t.end()
		t.kind, t.within = 'a', true
	case kind != t.kind:
		after := kind == 'a' && t.kind == '0'
		t.end()
		if t.kind, t.within = kind, after; after {
			t.sum += t.w.code
		}
	}
	if kind == 0 {
		t.sum += t.w.alone(r, size)
		return
	}
	if kind == 'a' {
		t.small = !unicode.IsUpper(r)
		if r >= utf8.RuneSelf {
			t.sum += t.w.accent
		}
	}
	if kind == '_' && t.length == 0 && r != ' ' {
		t.sum += t.w.space // one space before a word costs nothing
	}
	t.length++
}

// end closes a run.
func (t *tally) end() {
	n := t.length
	switch t.kind {
	case 'a':
		t.sum += t.w.word + t.w.long*max(0, min(n, 12)-6) + t.w.code*max(0, n-12)
		if t.within {
			t.sum += t.w.code * max(0, n-4) / 2
		}
	case '0':
		t.sum += t.w.digits * ((n + 2) / 3)
	case '.':
		t.sum += t.w.run + t.w.more*(n-1)
	case '_':
		t.sum += t.w.more * (n - 1)
	}
	t.kind, t.length, t.small, t.within = 0, 0, false, false
}

func kindOf(r rune, size int) rune {
	switch {
	case r == utf8.RuneError && size == 1:
		return 0
	case unicode.IsSpace(r) && size < 3: // the ideographic space is a symbol
		return '_'
	case '0' <= r && r <= '9':
		return '0'
	case unicode.In(r, unicode.Latin) && size < 3:
		return 'a'
	case r < utf8.RuneSelf:
		return '.'
	}
	return 0
}

// alone weighs a character that is in no run.
func (w weights) alone(r rune, size int) int {
	switch {
	case size == 4 || size == 1: // emoji, rare kanji; bytes that are no text
		return 100 * size
	case unicode.Is(unicode.Han, r):
		return w.han
	case unicode.Is(unicode.Hiragana, r):
		return w.hira
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return w.kata
	case unicode.In(r, unicode.Cyrillic, unicode.Greek):
		return 60
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 150
	}
	return w.symbol
}
