package partiql

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// lexer cuts a statement into tokens. Outside quotes and comments a statement is ASCII.
type lexer struct {
	src    string
	pos    int // of the next character
	line   int
	column int // of the last character read
	cr     bool

	start  span // of the token being read, without its length
	from   int
	tokens []token
}

// lex returns the tokens of src; the last is tokEnd. What is no token is refused without
// a detail, as the service does.
func lex(src string) ([]token, error) {
	l := &lexer{src: src, line: 1, tokens: make([]token, 0, min(len(src)/4+2, 64))}
	for {
		l.skipSpace()
		if l.pos == len(l.src) {
			break
		}
		l.begin()
		if !l.token() {
			return nil, syntax("")
		}
	}
	return append(l.tokens, token{kind: tokEnd, text: "EOF", span: span{l.line, l.column, 0}}), nil
}

// peek is the character at the given distance, 0 at the end.
func (l *lexer) peek(distance int) byte {
	if l.pos+distance < len(l.src) {
		return l.src[l.pos+distance]
	}
	return 0
}

// advance reads one character and counts lines and columns. A carriage return ends a
// line, alone or before a line feed.
func (l *lexer) advance() {
	c, size := l.src[l.pos], 1
	if c >= utf8.RuneSelf {
		_, size = utf8.DecodeRuneInString(l.src[l.pos:])
	}
	l.pos += size
	switch c {
	case '\r':
		if l.cr {
			l.line, l.column = l.line+1, 0
		}
		l.cr = true
	case '\n':
		l.line, l.column, l.cr = l.line+1, 0, false
	default:
		if l.cr {
			l.line, l.column, l.cr = l.line+1, 0, false
		}
		l.column++
	}
}

func (l *lexer) skip(n int) {
	for range n {
		l.advance()
	}
}

// skipSpace passes over white space and comments. A block comment without an end is left
// to be refused as a token.
func (l *lexer) skipSpace() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			l.advance()
		case c == '-' && l.peek(1) == '-':
			for l.pos < len(l.src) && l.src[l.pos] != '\n' && l.src[l.pos] != '\r' {
				l.advance()
			}
		case c == '/' && l.peek(1) == '*':
			end := strings.Index(l.src[l.pos+2:], "*/")
			if end < 0 {
				return
			}
			for stop := l.pos + 2 + end + 2; l.pos < stop; {
				l.advance()
			}
		default:
			return
		}
	}
}

// begin notes where the next token starts.
func (l *lexer) begin() {
	column, line := l.column+1, l.line
	if l.cr {
		column, line = 1, line+1
	}
	l.start, l.from = span{line: line, column: column}, l.pos
}

// add appends the token that began at begin and ends here.
func (l *lexer) add(t token) {
	t.span = l.start
	t.span.length = utf8.RuneCountInString(l.src[l.from:l.pos])
	for n := len(l.tokens); n > 0 && t.word() != ""; n-- {
		last := &l.tokens[n-1]
		pair, ok := pairs[[2]string{last.word(), t.word()}]
		if !ok {
			break
		}
		pair.span = last.span
		t, l.tokens = pair, l.tokens[:n-1]
	}
	l.tokens = append(l.tokens, t)
}

var punctuation = [utf8.RuneSelf]tokenKind{
	'(': tokLeftParen, ')': tokRightParen, '[': tokLeftBracket, ']': tokRightBracket,
	'{': tokLeftCurly, '}': tokRightCurly, ':': tokColon, ',': tokComma, '*': tokStar,
	';': tokSemicolon, '?': tokParameter,
}

// token reads one token; false if there is none here.
func (l *lexer) token() bool {
	c := l.src[l.pos]
	if c < utf8.RuneSelf && punctuation[c] != 0 {
		l.advance()
		l.add(token{kind: punctuation[c], text: l.src[l.from:l.pos]})
		return true
	}
	switch {
	case isLetter(c):
		l.word()
		return true
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		return l.number()
	case c == '.':
		l.advance()
		l.add(token{kind: tokDot, text: "."})
		return true
	case c == '\'':
		return l.quoted(tokString)
	case c == '"':
		return l.quoted(tokQuoted)
	case c == '`':
		return l.ion()
	}
	return l.operator()
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) word() {
	for isLetter(l.peek(0)) || isDigit(l.peek(0)) {
		l.advance()
	}
	l.add(classify(l.src[l.from:l.pos]))
}

// quoted reads a string or quoted identifier; a doubled quote stands for one.
func (l *lexer) quoted(kind tokenKind) bool {
	quote := l.src[l.pos]
	l.advance()
	for l.pos < len(l.src) {
		if l.src[l.pos] != quote {
			l.advance()
			continue
		}
		l.advance()
		if l.peek(0) == quote {
			l.advance()
			continue
		}
		q := string(quote)
		l.add(token{kind: kind, text: strings.ReplaceAll(l.src[l.from+1:l.pos-1], q+q, q)})
		return true
	}
	return false
}

// ion reads an Ion literal between backticks, which is refused later.
func (l *lexer) ion() bool {
	end := strings.IndexByte(l.src[l.pos+1:], '`')
	if end < 0 {
		return false
	}
	for stop := l.pos + 1 + end + 1; l.pos < stop; {
		l.advance()
	}
	l.add(token{kind: tokIon, text: l.src[l.from+1 : l.pos-1]})
	return true
}

// number reads digits, a point, more digits and an exponent. Sign and number are two
// tokens.
func (l *lexer) number() bool {
	kind := tokInteger
	l.digits()
	if l.peek(0) == '.' {
		kind = tokDecimal
		l.advance()
		l.digits()
	}
	if c := l.peek(0); c == 'e' || c == 'E' {
		kind = tokDecimal
		l.advance()
		if c := l.peek(0); c == '+' || c == '-' {
			l.advance()
		}
		if !isDigit(l.peek(0)) {
			return false
		}
		l.digits()
	}
	text := l.src[l.from:l.pos]
	if kind == tokDecimal && !scaleFits(text) {
		return false
	}
	l.add(token{kind: kind, text: text})
	return true
}

func (l *lexer) digits() {
	for isDigit(l.peek(0)) {
		l.advance()
	}
}

// scaleFits tells whether exponent and scale of a decimal fit into 32 bits each, beyond
// which the service cannot hold the number even for refusing it.
func scaleFits(text string) bool {
	fraction, exponent := decimalParts(text)
	scale := int64(fraction) - exponent
	return fits32(exponent) && fits32(scale)
}

func fits32(n int64) bool { return n >= math.MinInt32 && n <= math.MaxInt32 }

// decimalParts is how many digits follow the point, and the exponent (clamped).
func decimalParts(text string) (fraction int, exponent int64) {
	digits, exp, found := strings.Cut(strings.ToLower(text), "e")
	if point := strings.IndexByte(digits, '.'); point >= 0 {
		fraction = len(digits) - point - 1
	}
	if found {
		exponent, _ = strconv.ParseInt(exp, 10, 64) // clamped to 64 bits when out of range
		exponent = max(min(exponent, math.MaxInt32+1), math.MinInt32-1)
	}
	return fraction, exponent
}

var operators = []string{"<<", ">>", "<=", ">=", "<>", "!=", "||", "=", "<", ">", "+", "-", "/", "%", "@"}

func (l *lexer) operator() bool {
	rest := l.src[l.pos:]
	if strings.HasPrefix(rest, "/*") { // skipSpace found no end
		return false
	}
	for _, op := range operators {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		l.skip(len(op))
		switch op {
		case "<<":
			l.add(token{kind: tokLeftAngles, text: op})
		case ">>":
			l.add(token{kind: tokRightAngles, text: op})
		case "!=":
			l.add(token{kind: tokOperator, text: "<>"})
		default:
			l.add(token{kind: tokOperator, text: op})
		}
		return true
	}
	return false
}
