package minutes

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/llm"
)

// piece is a speech, or a part of one that is too long for a prompt.
type piece struct {
	index  int // of the speech in the meeting
	part   int // from 1; 0 for a whole speech
	speech diet.Speech
	tokens int
}

// packed is what goes into one prompt.
type packed struct {
	own           []piece
	before, after []diet.Speech // context
}

// contextSpeeches is how many speeches of context a chunk has on each side.
const contextSpeeches = 2

// passageTokens is what a passage costs beside its text: numbering and syntax.
const passageTokens = 24

// leastRoom is the least room for speeches that a prompt must have to make sense.
const leastRoom = 400

// packer cuts meetings by a budget of tokens.
type packer struct {
	count func(string) int
	room  int // the tokens for all passages of a prompt
}

// newPacker returns a packer for prompts of so many tokens, of which the form's
// instructions need their part.
func newPacker(model string, budget int, f form, m Meeting) (*packer, error) {
	base := llm.CountInput(model, &llm.Request{
		System:   f.prompt,
		Messages: []llm.Message{{Role: llm.User, Text: heading(m, strings.Repeat("0", 200))}},
		Schema:   f.schema,
	})
	// Counts of sentences add up to a little less than the count of their text.
	room := (budget - base) * 19 / 20
	if room < leastRoom {
		return nil, errs.New(errs.Usage, "A prompt of %d tokens leaves %d for speeches, beside %d for instructions; allow more.", budget, max(room, 0), base)
	}
	return &packer{count: llm.CounterFor(model).Count, room: room}, nil
}

func (p *packer) cost(s diet.Speech) int {
	return p.count(s.Text) + p.count(s.Speaker) + passageTokens
}

// pack distributes speeches over prompts, in their order. One prompt means that all
// fit; otherwise each has its context, for which a quarter of the room is kept.
func (p *packer) pack(speeches []diet.Speech) []packed {
	var whole packed
	total := 0
	for i, s := range speeches {
		tokens := p.cost(s)
		total += tokens
		whole.own = append(whole.own, piece{index: i, speech: s, tokens: tokens})
	}
	if total <= p.room {
		return []packed{whole}
	}
	limit := p.room * 3 / 4
	var pieces []piece
	for _, one := range whole.own {
		pieces = append(pieces, p.split(one, limit)...)
	}
	var out []packed
	used, from := 0, 0
	for i, one := range pieces {
		if used > 0 && used+one.tokens > limit {
			out = append(out, p.withContext(pieces, from, i))
			used, from = 0, i
		}
		used += one.tokens
	}
	return append(out, p.withContext(pieces, from, len(pieces)))
}

// withContext is the pieces from and up to others, with what was said around them.
func (p *packer) withContext(pieces []piece, from, to int) packed {
	out := packed{own: pieces[from:to]}
	each := p.room / 4 / (2 * contextSpeeches)
	for _, one := range pieces[max(0, from-contextSpeeches):from] {
		out.before = append(out.before, p.clip(one.speech, each, true))
	}
	for _, one := range pieces[to:min(len(pieces), to+contextSpeeches)] {
		out.after = append(out.after, p.clip(one.speech, each, false))
	}
	return out
}

// clip shortens a speech to whole sentences of so many tokens: its end, or its
// beginning.
func (p *packer) clip(s diet.Speech, tokens int, end bool) diet.Speech {
	room := max(tokens-p.count(s.Speaker)-passageTokens, 1)
	if p.count(s.Text) <= room {
		return s
	}
	parts := p.parts(s.Text, room)
	if end {
		s.Text = parts[len(parts)-1]
	} else {
		s.Text = parts[0]
	}
	return s
}

// split cuts a speech that is longer than the limit at sentences.
func (p *packer) split(one piece, limit int) []piece {
	if one.tokens <= limit {
		return []piece{one}
	}
	room := max(limit-p.count(one.speech.Speaker)-passageTokens, 1)
	var out []piece
	for i, text := range p.parts(one.speech.Text, room) {
		s := one.speech
		s.Text = text
		out = append(out, piece{index: one.index, part: i + 1, speech: s, tokens: p.cost(s)})
	}
	return out
}

// parts cuts text at sentences into parts of at most so many tokens. A sentence that
// is longer by itself is cut between characters. Joined they are the text again.
func (p *packer) parts(text string, limit int) []string {
	var out []string
	start, used, at := 0, 0, 0
	flush := func() {
		if at > start {
			out = append(out, text[start:at])
		}
		start, used = at, 0
	}
	for _, sentence := range sentences(text) {
		tokens := p.count(sentence)
		if used > 0 && used+tokens > limit {
			flush()
		}
		for tokens > limit {
			head := p.head(sentence, limit, tokens)
			at += len(head)
			flush()
			// Counting what is left each time would take quadratic time.
			tokens = tokens * (len(sentence) - len(head)) / len(sentence)
			sentence = sentence[len(head):]
			if tokens <= 2*limit {
				tokens = p.count(sentence)
			}
		}
		at += len(sentence)
		used += tokens
	}
	flush()
	return out
}

// head is a beginning of a text of so many tokens that has at most limit.
func (p *packer) head(text string, limit, tokens int) string {
	size := len(text) * limit / tokens
	for {
		size = max(size, 1)
		for size < len(text) && !utf8.RuneStart(text[size]) {
			size++
		}
		if size >= len(text) {
			_, size = utf8.DecodeRuneInString(text)
			return text[:size]
		}
		if size <= utf8.UTFMax || p.count(text[:size]) <= limit {
			return text[:size]
		}
		size = size * 9 / 10
	}
}

// indices names the speeches of a prompt as in object keys: "0-1-2", a part of a
// speech as "7.2", a list that would be too long for a key as "0..99".
func (c packed) indices() string {
	names := make([]string, len(c.own))
	for i, one := range c.own {
		names[i] = strconv.Itoa(one.index)
		if one.part > 0 {
			names[i] += "." + strconv.Itoa(one.part)
		}
	}
	if text := strings.Join(names, "-"); len(text) <= 200 {
		return text
	}
	return names[0] + ".." + names[len(names)-1]
}

// orders lists the orders of the speeches, each once.
func (c packed) orders() []int {
	var out []int
	for _, one := range c.own {
		if n := len(out); n == 0 || out[n-1] != one.speech.Order {
			out = append(out, one.speech.Order)
		}
	}
	return out
}

// span writes orders as ranges: "3-7, 9".
func span(orders []int) string {
	var out []string
	for i := 0; i < len(orders); {
		j := i
		for j+1 < len(orders) && orders[j+1] == orders[j]+1 {
			j++
		}
		if i == j {
			out = append(out, strconv.Itoa(orders[i]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", orders[i], orders[j]))
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}
