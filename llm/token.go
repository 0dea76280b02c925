package llm

import (
	"context"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// Counter counts the tokens of a text for one family of models.
type Counter struct {
	// Name says how it counts: the name of an encoding, or "estimate".
	Name string
	// Exact is true if the count is the model's own, false if it is an upper bound.
	Exact bool
	count func(string) int
}

// Count returns the number of tokens in text.
func (c Counter) Count(text string) int { return c.count(text) }

// Estimate is the counter for models whose tokenizer is not public. It does not
// claim to be near; it claims not to be below, for text as people write it and for
// codes between it.
//
// Letters of the Latin alphabet count a third of a token each, rounded up per word,
// and two thirds beyond the twelfth, since such words are codes rather than words. A
// capital after a small letter begins another word; words that begin so, or after a
// digit, count two thirds a letter. Other alphabets count half a token a letter;
// kana, kanji, hangul and every other script one and a half tokens a character;
// ASCII digits, punctuation and symbols one token each, beyond the Basic Multilingual
// Plane (emoji, rare kanji) one token a byte; one space before a word nothing, other
// white space one token each.
//
// Japanese comes out at about 1.5 tokens a character: tokenizers of 2023 need about
// 1.1, newer ones 0.8. English prose with its punctuation comes out at about 2.4
// tokens a word, against 1.5.
var Estimate = Counter{Name: "estimate", count: estimate}

var (
	o200k  = lazy("o200k_base", tokenizer.O200kBase)
	cl100k = lazy("cl100k_base", tokenizer.Cl100kBase)
)

// lazy makes a counter whose vocabulary, tens of megabytes, is loaded at the first
// count.
func lazy(name string, encoding tokenizer.Encoding) Counter {
	load := sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(encoding) })
	return Counter{Name: name, Exact: true, count: func(text string) int {
		codec, err := load()
		if err != nil {
			return estimate(text)
		}
		n, err := codec.Count(strings.ToValidUTF8(text, "\ufffd"))
		if err != nil {
			return estimate(text)
		}
		return n
	}}
}

// encodings lists the families of models whose encoding is public, longest prefix
// first where one is a prefix of another.
var encodings = []struct {
	prefix  string
	counter Counter
}{
	{"gpt-4o", o200k}, {"gpt-4.", o200k}, {"chatgpt-4o", o200k}, {"gpt-5", o200k}, {"gpt-oss", o200k},
	{"o1", o200k}, {"o3", o200k}, {"o4", o200k},
	{"gpt-4", cl100k}, {"gpt-3.5", cl100k}, {"gpt-35", cl100k},
}

// CounterFor returns the counter for a model: exact for OpenAI's, Estimate for all
// others. It loads nothing.
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
// passages, glossary and schema, and what the service puts around them. It is an
// upper bound for models without an exact counter. Callers cut prompts by it;
// budgets reserve by it.
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

// counted remembers the count of the request that is on its way through the
// wrappers, since an exact count takes about a second per megabyte.
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

// estimate implements Estimate. It counts in sixths of a token.
func estimate(text string) int {
	const token = 6
	sixths, latin, space := 0, 0, 0
	small, joined := false, false // The last letter is small; the word has no space before it.
	endWord := func() {
		thirds := latin + max(0, latin-12)
		if joined {
			thirds = 2 * latin
		}
		sixths += (thirds + 2) / 3 * token
		latin, small, joined = 0, false, false
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if isLatin(r) {
			capital := r <= 'Z'
			if capital && small {
				endWord()
				joined = true
			}
			latin, small, space = latin+1, !capital, 0
			continue
		}
		endWord()
		if unicode.IsSpace(r) {
			if space++; r != ' ' || space > 1 {
				sixths += token
			}
			continue
		}
		space, joined = 0, '0' <= r && r <= '9'
		sixths += weight(r, size)
	}
	endWord()
	return (sixths + token - 1) / token
}

func isLatin(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// weight returns sixths of a token for a character that is no Latin letter.
func weight(r rune, size int) int {
	switch {
	case size == 4:
		return 4 * 6
	case r < 0x80:
		return 6
	case unicode.In(r, unicode.Latin):
		return 6
	case unicode.In(r, unicode.Cyrillic, unicode.Greek):
		return 3
	}
	return 9
}
