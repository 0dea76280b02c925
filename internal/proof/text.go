package proof

import (
	"strings"
	"time"
	"unicode"
)

// language is the language of a text: "ja" if it has kana or kanji, else "en".
func language(s string) string {
	for _, r := range s {
		if isJapanese(r) {
			return "ja"
		}
	}
	return "en"
}

func isJapanese(r rune) bool {
	return r >= 0x3041 && unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han)
}

func isKanji(r rune) bool { return unicode.Is(unicode.Han, r) && r != '々' && r != '〇' }

// fold writes each character in one form for all its widths and variants. Its result has as many characters, so that
// places in it are places in the text.
func fold(s string) []rune {
	runes := []rune(s)
	for i, r := range runes {
		runes[i] = foldRune(r)
	}
	return runes
}

func foldRune(r rune) rune {
	if r >= 'ぁ' && r <= 'ヿ' || r > ' ' && r < '\u007f' {
		return r
	}
	switch r {
	case '　', '\u00a0', '\t', '\n', '\r', '\u2009', '\u202f':
		return ' '
	case '髙':
		return '高'
	case '﨑':
		return '崎'
	case '邊', '邉':
		return '辺'
	case '齋':
		return '斎'
	case '齊':
		return '斉'
	case '澤':
		return '沢'
	case '濵', '濱':
		return '浜'
	case '廣':
		return '広'
	case '國':
		return '国'
	case '會':
		return '会'
	case '櫻':
		return '桜'
	case '德':
		return '徳'
	case '眞':
		return '真'
	case '’', '‘':
		return '\''
	case '“', '”':
		return '"'
	case '‐', '‑', '−', '–', '—':
		return '-'
	case '～':
		return '〜'
	case '･':
		return '・'
	}
	if r >= '！' && r <= '～' {
		return r - '！' + '!'
	}
	return r
}

// word is a word of a line with what the rules want to know of it.
type word struct {
	text, base string
	span       span
	kind       wordKind
	generic    bool  // any summary may add or drop it
	pred       bool  // it can say that something is so
	arg        bool  // it is what another verb is about, which carries what is denied
	negated    bool  // what it says is denied
	asked      bool  // what it says is asked
	force      force // how firmly it is said
	clause     int
	groups     []int
	axes       []axis
	form       int32 // in a passage, one number for all words that [match] treats alike; 0 if it has none
	seen       *seen // in a sentence, what was found of the forms of passages
}

type wordKind uint8

const (
	function wordKind = iota // particles, auxiliaries, signs
	content
	name
	figure
)

// line is a sentence, read.
type line struct {
	lang       string
	text       []rune // of the whole passage, folded
	span       span
	bare       string // all of it without white space and the full stop
	words      []word
	clauses    int
	quantities []quantity
	moments    []moment
	conditions []condition
	question   bool
	marks      []force // the force of each clause's end
	denies     []int   // the words that deny
	source     *source
}

// condition is a part of a line on which the rest depends.
type condition struct {
	from, to int // words
	mark     string
}

// contents are the words that mean something.
func (l *line) contents() []int {
	var out []int
	for i := range l.words {
		if k := l.words[i].kind; k == content || k == name {
			out = append(out, i)
		}
	}
	return out
}

func (l *line) string(s span) string { return string(l.text[s.from:s.to]) }

// longestLine bounds what is read at once, in characters; the cost grows with its square.
const longestLine = 400

// split cuts a text into sentences. Marks inside of quotes and brackets do not end one.
func split(text []rune, lang string) []span {
	var out []span
	depth, from := 0, 0
	flush := func(to int) {
		f := from
		for f < to && (text[f] == ' ' || text[f] == '○') {
			f++
		}
		if t := strings.TrimSpace(string(text[f:to])); t != "" {
			out = append(out, span{f, to})
		}
		from = to
	}
	for i, r := range text {
		switch r {
		case '「', '『', '(', '“':
			depth++
		case '」', '』', ')', '”':
			depth = max(0, depth-1)
		}
		switch {
		case lang == "ja" && (r == '〔' || r == '―' || r == '─') && i > from && text[i-1] != '―' && text[i-1] != '─': // notes and rules between what is said
			flush(i)
		case r == '〕':
			flush(i + 1)
		case lang == "ja" && (r == '。' || r == '?' || r == '!') && depth == 0:
			flush(i + 1)
		case lang == "en" && (r == '.' || r == '?' || r == '!') && endsEnglish(text, from, i):
			j := i + 1
			for j < len(text) && (text[j] == '"' || text[j] == ')' || text[j] == '\'') {
				j++
			}
			flush(j)
		case r == ' ' && i+1 < len(text) && text[i+1] == ' ' && lang == "ja" && i-from > 200:
			flush(i + 1)
		}
		if i+1-from >= longestLine { // no sentence is so long
			flush(i + 1)
			depth = 0
		}
	}
	flush(len(text))
	return out
}

var abbreviations = map[string]bool{"mr": true, "mrs": true, "ms": true, "dr": true, "hon": true, "st": true, "no": true, "prof": true, "rev": true, "sir": true, "gen": true, "col": true, "jr": true, "vs": true, "etc": true, "eg": true, "ie": true, "rt": true, "sen": true, "rep": true, "gov": true, "inc": true, "ltd": true, "co": true, "jan": true, "feb": true, "aug": true, "sept": true, "oct": true, "nov": true, "dec": true}

func endsEnglish(text []rune, from, i int) bool {
	if text[i] != '.' {
		return true
	}
	if i+1 < len(text) && text[i+1] != ' ' && text[i+1] != '"' && text[i+1] != '\'' && text[i+1] != ')' {
		return false
	}
	j := i
	for j > from && unicode.IsLetter(text[j-1]) {
		j--
	}
	last := strings.ToLower(string(text[j:i]))
	if abbreviations[last] || len(last) == 1 && last != "i" && unicode.IsUpper(text[j]) {
		return false
	}
	return true
}

// read analyses the sentences of a text.
func read(text string, ref time.Time) []*line {
	runes := fold(text)
	lang := language(text)
	var lines []*line
	for _, s := range split(runes, lang) {
		l := &line{lang: lang, text: runes, span: s, bare: strings.TrimRight(bare(string(runes[s.from:s.to])), "。.")}
		if lang == "ja" {
			l.readJapanese(ref)
		} else {
			l.readEnglish(ref)
		}
		lines = append(lines, l)
	}
	return lines
}
