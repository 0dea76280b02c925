package partiql

import "fmt"

// kind is the lexical kind of a token.
type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokIdentifier
	tokQuoted
	tokKeyword
	tokOperator
	tokString
	tokInteger
	tokDecimal
	tokBool
	tokNull
	tokMissing
	tokIon
	tokParameter
	tokAs
	tokAt
	tokBy
	tokFor
	tokAscending
	tokDescending
	tokLeftParen
	tokRightParen
	tokLeftBracket
	tokRightBracket
	tokLeftCurly
	tokRightCurly
	tokLeftAngles
	tokRightAngles
	tokColon
	tokComma
	tokStar
	tokSemicolon
	tokDot
)

// The names under which "Expected ..." knows tokens.
var tokenNames = map[tokenKind]string{
	tokAs:           "AS",
	tokAt:           "AT",
	tokBy:           "BY",
	tokRightParen:   "RIGHT_PAREN",
	tokRightBracket: "RIGHT_BRACKET",
	tokRightCurly:   "RIGHT_CURLY",
	tokRightAngles:  "RIGHT_DOUBLE_ANGLE_BRACKET",
	tokColon:        "COLON",
}

// span is where a token lies: the line and the column of its first character, counted
// from 1, and its length in characters.
type span struct{ line, column, length int }

// String is the form in which messages name a place.
func (s span) String() string { return fmt.Sprintf("%d:%d:%d", s.line, s.column, s.length) }

// token is one word of a statement. The text of a keyword or operator is in lower case,
// aliases resolved; that of a string or quoted identifier is without quotes.
type token struct {
	kind tokenKind
	text string
	span span
}

// word is the keyword that the token stands for in the grammar, "" for none.
func (t *token) word() string {
	switch t.kind {
	case tokKeyword, tokOperator, tokAs, tokAt:
		return t.text
	case tokMissing:
		return "missing"
	case tokNull:
		return "null"
	}
	return ""
}

func (t *token) isName() bool { return t.kind == tokIdentifier || t.kind == tokQuoted }

func (t *token) isNumber() bool { return t.kind == tokInteger || t.kind == tokDecimal }

func (t *token) isLiteral() bool {
	return t.kind == tokString || t.kind == tokBool || t.isNumber()
}

// precedence of infix operators; what is not here is none.
var precedence = map[string]int{
	"union": 5, "except": 5, "intersect": 5,
	"or":  10,
	"and": 20,
	"=":   40, "<>": 40, "is": 40, "is_not": 40, "in": 40, "not_in": 40,
	"<": 50, "<=": 50, ">": 50, ">=": 50,
	"between": 50, "not_between": 50, "like": 50, "not_like": 50,
	"+": 60, "-": 60, "||": 60,
	"*": 70, "/": 70, "%": 70,
}

const (
	precedenceSelect = 6
	precedenceNot    = 30
)

// infix is the token's precedence as an infix operator, 0 for none.
func (t *token) infix() int {
	if t.kind == tokOperator || t.kind == tokStar {
		return precedence[t.text]
	}
	return 0
}
