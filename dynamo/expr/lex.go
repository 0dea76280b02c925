package expr

import (
	"strings"
	"unicode/utf8"
)

// tokenKind says what a token is. One set of tokens serves all kinds of
// expression, so that SET is a keyword in a condition too.
type tokenKind uint8

const (
	tokEOF     tokenKind = iota
	tokUnknown           // a character that starts no token
	tokWord              // a name or the name of a function
	tokName              // #placeholder
	tokValue             // :placeholder
	tokIndex             // 0 or digits without a leading zero
	tokLeft              // (
	tokRight             // )
	tokOpen              // [
	tokClose             // ]
	tokDot
	tokComma
	tokPlus
	tokMinus
	tokEqual
	tokNotEqual
	tokLess
	tokLessEqual
	tokGreater
	tokGreaterEqual
	tokAnd
	tokOr
	tokNot
	tokBetween
	tokIn
	tokSet
	tokRemove
	tokAdd
	tokDelete
)

// lexeme is a piece of the source, src[pos:end]. For tokEOF both are len(src).
type lexeme struct {
	kind     tokenKind
	pos, end int
}

// lexer cuts a source into tokens. White space separates and is otherwise
// ignored.
type lexer struct {
	src string
	pos int
}

func (l *lexer) next() lexeme {
	for l.pos < len(l.src) && isSpace(l.src[l.pos]) {
		l.pos++
	}
	start := l.pos
	if start == len(l.src) {
		return lexeme{tokEOF, start, start}
	}
	kind := l.scan(l.src[start])
	return lexeme{kind, start, l.pos}
}

// scan moves past the token that starts with c and tells its kind.
func (l *lexer) scan(c byte) tokenKind {
	switch {
	case isLetter(c):
		start := l.pos
		l.skipWord()
		return keyword(l.src[start:l.pos])
	case c >= '1' && c <= '9':
		for l.pos < len(l.src) && isDigit(l.src[l.pos]) {
			l.pos++
		}
		return tokIndex
	case c == '#' || c == ':':
		return l.placeholder(c)
	case c >= utf8.RuneSelf:
		_, n := utf8.DecodeRuneInString(l.src[l.pos:])
		l.pos += n
		return tokUnknown
	}
	l.pos++
	return l.punctuation(c)
}

func (l *lexer) skipWord() {
	for l.pos < len(l.src) && isWord(l.src[l.pos]) {
		l.pos++
	}
}

func (l *lexer) placeholder(c byte) tokenKind {
	l.pos++
	start := l.pos
	l.skipWord()
	switch {
	case l.pos == start:
		return tokUnknown
	case c == '#':
		return tokName
	}
	return tokValue
}

// punctuation is the kind of the token that starts with c, which is consumed;
// it consumes the second character of an operator.
func (l *lexer) punctuation(c byte) tokenKind {
	switch c {
	case '0':
		return tokIndex
	case '(':
		return tokLeft
	case ')':
		return tokRight
	case '[':
		return tokOpen
	case ']':
		return tokClose
	case '.':
		return tokDot
	case ',':
		return tokComma
	case '+':
		return tokPlus
	case '-':
		return tokMinus
	case '=':
		return tokEqual
	case '<':
		switch l.follow() {
		case '>':
			return l.two(tokNotEqual)
		case '=':
			return l.two(tokLessEqual)
		}
		return tokLess
	case '>':
		if l.follow() == '=' {
			return l.two(tokGreaterEqual)
		}
		return tokGreater
	}
	return tokUnknown
}

// follow is the next character, 0 at the end.
func (l *lexer) follow() byte {
	if l.pos == len(l.src) {
		return 0
	}
	return l.src[l.pos]
}

func (l *lexer) two(kind tokenKind) tokenKind {
	l.pos++
	return kind
}

var keywords = [...]struct {
	word string
	kind tokenKind
}{
	{"AND", tokAnd}, {"OR", tokOr}, {"NOT", tokNot}, {"BETWEEN", tokBetween}, {"IN", tokIn},
	{"SET", tokSet}, {"REMOVE", tokRemove}, {"ADD", tokAdd}, {"DELETE", tokDelete},
}

// keyword is the kind of a word: keywords count in any case.
func keyword(word string) tokenKind {
	if len(word) > len("BETWEEN") {
		return tokWord
	}
	for _, k := range keywords {
		if len(k.word) == len(word) && strings.EqualFold(k.word, word) {
			return k.kind
		}
	}
	return tokWord
}

func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }
