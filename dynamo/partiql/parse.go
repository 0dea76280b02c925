package partiql

import (
	"slices"
	"strings"
)

// maxDepth bounds how deeply expressions may nest.
const maxDepth = 400

// parser is a recursive descent over the tokens of a statement, with precedence climbing
// for operators. Its refusals are worded as the service's parser words them, which is
// PartiQL's reference implementation; it asks for things in the same order.
type parser struct {
	tokens     []token
	pos        int
	depth      int
	parameters int
	misplaced  *token // a statement's keyword inside an expression
}

// parse returns the tree of a whole statement and the number of its parameters.
func parse(tokens []token) (*node, int, error) {
	p := &parser{tokens: tokens}
	root, err := p.expression(-1)
	if err != nil {
		return nil, 0, err
	}
	if !p.atEnd() {
		if p.head().kind == tokSemicolon {
			return nil, 0, syntax("Unexpected token after semicolon. (Only one query is allowed.)")
		}
		return nil, 0, syntax("Unexpected token after expression")
	}
	if p.misplaced != nil {
		return nil, 0, syntax("Keyword " + p.misplaced.text + " only expected at the top level in the query")
	}
	return root, p.parameters, nil
}

func (p *parser) head() *token { return &p.tokens[p.pos] }

// second is the token after the head.
func (p *parser) second() *token { return &p.tokens[min(p.pos+1, len(p.tokens)-1)] }

// take consumes the head, which is never the end: the end is no token that anything asks
// for.
func (p *parser) take() *token {
	t := p.head()
	if t.kind != tokEnd {
		p.pos++
	}
	return t
}

// atEnd tells whether nothing but a semicolon is left.
func (p *parser) atEnd() bool {
	rest := p.tokens[p.pos:]
	return len(rest) == 1 || len(rest) == 2 && rest[0].kind == tokSemicolon
}

func (p *parser) expect(kind tokenKind) error {
	if p.head().kind != kind {
		return syntax("Expected " + tokenNames[kind])
	}
	p.take()
	return nil
}

func (p *parser) expectWord(word string) error {
	if p.head().word() != word {
		return syntax("Expected " + strings.ToUpper(word) + " keyword")
	}
	p.take()
	return nil
}

// accept consumes the head if it is the word.
func (p *parser) accept(word string) bool {
	if p.head().word() != word {
		return false
	}
	p.take()
	return true
}

// expression reads a term and all infix operators after it that bind tighter than
// precedence.
func (p *parser) expression(precedence int) (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, syntax("Statement is nested too deeply")
	}
	defer func() { p.depth-- }()
	left, err := p.unary()
	for err == nil && p.head().infix() > max(precedence, 0) {
		left, err = p.infix(left)
	}
	return left, err
}

// infix reads an operator and what is right of it.
func (p *parser) infix(left *node) (*node, error) {
	op := p.head()
	switch op.text {
	case "is", "is_not":
		p.take()
		typ, err := p.typeName(op.text)
		if err != nil {
			return nil, err
		}
		return &node{kind: nodeIs, tok: op, kids: []*node{left, typ}}, nil
	case "in", "not_in":
		if right, ok, err := p.valueList(); ok || err != nil {
			return &node{kind: nodeBinary, tok: op, kids: []*node{left, right}}, err
		}
	}
	if len(p.tokens)-p.pos < 3 {
		return nil, syntax("Missing right-hand side expression of infix operator")
	}
	p.take()
	right, err := p.expression(op.infix())
	if err != nil {
		return nil, err
	}
	kids := []*node{left, right}
	switch op.text {
	case "between", "not_between":
		high, err := p.third("and", op)
		return &node{kind: nodeBetween, tok: op, kids: append(kids, high)}, err
	case "like", "not_like":
		if p.head().word() == "escape" {
			escape, err := p.third("escape", op)
			return &node{kind: nodeBinary, tok: op, kids: append(kids, escape)}, err
		}
	}
	return &node{kind: nodeBinary, tok: op, kids: kids}, nil
}

// valueList reads the parentheses after IN, in which even a single value is a list.
func (p *parser) valueList() (*node, bool, error) {
	if p.second().kind != tokLeftParen {
		return nil, false, nil
	}
	if after := p.tokens[min(p.pos+2, len(p.tokens)-1)]; after.word() == "select" || after.word() == "values" {
		return nil, false, nil
	}
	p.take()
	open := p.take()
	kids, err := p.arguments()
	if err != nil {
		return nil, false, err
	}
	return &node{kind: nodeList, tok: open, kids: kids}, true, p.expect(tokRightParen)
}

// third reads the last operand of a ternary operator, after its word.
func (p *parser) third(word string, op *token) (*node, error) {
	if err := p.expectWord(word); err != nil {
		return nil, err
	}
	if p.atEnd() {
		return nil, syntax("Expected expression after " + strings.ToUpper(word))
	}
	return p.expression(op.infix())
}

// typeName reads a type, after IS or in a CAST.
func (p *parser) typeName(operator string) (*node, error) {
	tok := p.head()
	arity, ok := typeArity[tok.word()]
	if !ok {
		return nil, syntax("Expected type name")
	}
	p.take()
	var parameters []*node
	if p.head().kind == tokLeftParen {
		p.take()
		var err error
		if parameters, err = p.arguments(); err != nil {
			return nil, err
		}
		if err := p.expect(tokRightParen); err != nil {
			return nil, err
		}
	}
	if len(parameters) > arity {
		return nil, syntax(operator + " type argument " + tok.word() + " must have arity of 0.." + string(rune('0'+arity)))
	}
	for _, n := range parameters {
		if n.kind != nodeLiteral || n.tok.kind != tokInteger || n.negative {
			return nil, syntax("Type parameter must be an unsigned integer literal")
		}
	}
	return &node{kind: nodeType, tok: tok}, nil
}

// unary reads prefix operators. A sign before a number is part of the number.
func (p *parser) unary() (*node, error) {
	op := p.head()
	if op.kind != tokOperator {
		return p.path()
	}
	switch op.text {
	case "not":
		p.take()
		operand, err := p.expression(precedenceNot)
		return &node{kind: nodeUnary, tok: op, kids: []*node{operand}}, err
	case "+", "-":
		p.take()
		if p.depth++; p.depth > maxDepth {
			return nil, syntax("Statement is nested too deeply")
		}
		defer func() { p.depth-- }()
		operand, err := p.unary()
		if err != nil {
			return nil, err
		}
		if operand.kind != nodeLiteral || !operand.tok.isNumber() {
			return &node{kind: nodeUnary, tok: op, kids: []*node{operand}}, nil
		}
		if op.text == "-" {
			operand.negative = !operand.negative
		}
		return operand, nil
	}
	return p.path()
}

// path reads a term and the steps into it.
func (p *parser) path() (*node, error) {
	root, err := p.term()
	if err != nil {
		return nil, err
	}
	return p.steps(root, false)
}

// simplePath reads the path of something that is written.
func (p *parser) simplePath() (*node, error) {
	if !p.head().isName() {
		return nil, syntax("Expected identifier for simple path")
	}
	return p.steps(&node{kind: nodeName, tok: p.take()}, true)
}

func (p *parser) steps(root *node, simple bool) (*node, error) {
	kids := []*node{root}
	for {
		var step *node
		var err error
		switch p.head().kind {
		case tokDot:
			step, err = p.field(simple)
		case tokLeftBracket:
			step, err = p.index(simple)
		default:
			if len(kids) == 1 {
				return root, nil
			}
			return &node{kind: nodePath, kids: kids}, nil
		}
		if err != nil {
			return nil, err
		}
		kids = append(kids, step)
	}
}

func (p *parser) field(simple bool) (*node, error) {
	p.take()
	name := p.head()
	switch {
	case name.isName():
		p.take()
		return &node{kind: nodeField, tok: name}, nil
	case name.kind == tokStar && simple:
		return nil, syntax("Invalid path dot component for simple path")
	case name.kind == tokStar:
		p.take()
		return &node{kind: nodeUnpivot, tok: name}, nil
	}
	return nil, syntax("Invalid path dot component")
}

func (p *parser) index(simple bool) (*node, error) {
	open := p.take()
	if star := p.head(); star.kind == tokStar {
		p.take()
		if err := p.expect(tokRightBracket); err != nil {
			return nil, err
		}
		if simple {
			return nil, syntax("Invalid path component for simple path")
		}
		return &node{kind: nodeWildcard, tok: star}, nil
	}
	at, err := p.expression(-1)
	if err != nil {
		return nil, err
	}
	if err := p.expect(tokRightBracket); err != nil {
		return nil, err
	}
	if simple && !slices.Contains([]nodeKind{nodeName, nodeLiteral, nodeNull, nodeMissing, nodeIon}, at.kind) {
		return nil, syntax("Invalid path component for simple path")
	}
	return &node{kind: nodeIndex, tok: open, kids: []*node{at}}, nil
}

// arguments reads one or more expressions between commas.
func (p *parser) arguments() ([]*node, error) {
	return p.list(func() (*node, error) { return p.expression(-1) })
}

func (p *parser) list(item func() (*node, error)) ([]*node, error) {
	var kids []*node
	for {
		kid, err := item()
		if err != nil {
			return nil, err
		}
		kids = append(kids, kid)
		if p.head().kind != tokComma {
			return kids, nil
		}
		p.take()
	}
}
