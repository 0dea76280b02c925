package expr

import "strconv"

// maxSource is the longest expression, in bytes of its source. It bounds the
// depth of recursion too.
const maxSource = 4096

// parse makes the tree of an expression and refuses what is wrong with it
// whatever the names and values are.
func parse(kind Kind, src string) (*tree, error) {
	if src == "" {
		return nil, kind.invalid("The expression can not be empty;")
	}
	if len(src) > maxSource {
		message := "Expression size has exceeded the maximum allowed size;"
		if kind != UpdateExpression {
			message += " expression size: " + strconv.Itoa(len(src))
		}
		return nil, kind.invalid(message)
	}
	p := newParser(kind, src)
	if !p.expression() {
		return nil, p.err
	}
	if err := p.tree.check(); err != nil {
		return nil, err
	}
	return p.tree, nil
}

// parser is a recursive descent parser. Its methods return false after an
// error, which is then in err. As in the service, a syntax error names the first
// token with which no expression could go on.
//
// The service reads ahead where a parenthesis or a name can begin several things,
// until it knows which. A syntax error on that stretch comes before redundant
// parentheses, anywhere else the first of the two does.
type parser struct {
	lex  lexer
	prev lexeme // the token before cur; at first the empty one before the source
	cur  lexeme
	tree *tree
	err  error

	ahead   bool // on such a stretch
	open    int  // parentheses opened on it that are open yet
	pending bool // it has redundant parentheses
}

func newParser(kind Kind, src string) *parser {
	p := &parser{lex: lexer{src: src}}
	p.tree = &tree{kind: kind, src: src, nodes: make([]node, 1, 2+len(src)/4), steps: make([]step, 0, 1+len(src)/8)}
	p.cur = p.lex.next()
	return p
}

func (p *parser) advance() {
	p.prev, p.cur = p.cur, p.lex.next()
}

// accept moves past a token of the kind.
func (p *parser) accept(kind tokenKind) bool {
	if p.cur.kind != kind {
		return false
	}
	p.advance()
	return true
}

// expect is accept, or a syntax error.
func (p *parser) expect(kind tokenKind) bool {
	return p.accept(kind) || p.unexpected()
}

func (p *parser) text() string { return p.lex.src[p.cur.pos:p.cur.end] }

// unexpected fails at the current token. The message shows the tokens around it
// as they stand in the source.
func (p *parser) unexpected() bool {
	text, to := p.text(), p.cur.end
	if p.cur.kind == tokEOF {
		text = "<EOF>"
	} else {
		to = p.lex.next().end
	}
	p.err = p.tree.kind.invalid(`Syntax error; token: "` + text + `", near: "` + p.lex.src[p.prev.pos:to] + `"`)
	return false
}

// redundant notes parentheses around what is in parentheses already.
func (p *parser) redundant() bool {
	p.pending = true
	return p.ahead || p.decide()
}

// decide ends a stretch of reading ahead.
func (p *parser) decide() bool {
	p.ahead, p.open = false, 0
	if p.pending {
		p.err = p.tree.kind.invalid("The expression has redundant parentheses;")
	}
	return !p.pending
}

// group reads something in parentheses that may turn out to be this or that.
func (p *parser) group(inside func() (int32, bool, bool)) (int32, bool) {
	p.open++
	p.advance()
	n, grouped, ok := inside()
	if !ok || !p.expect(tokRight) {
		return 0, false
	}
	p.open = max(0, p.open-1)
	return n, !grouped || p.redundant()
}

// add appends a node and returns its number.
func (p *parser) add(n node) int32 {
	p.tree.nodes = append(p.tree.nodes, n)
	return int32(len(p.tree.nodes) - 1)
}

// adopt makes child the last child of parent; last is the last one so far, 0 if
// there is none.
func (p *parser) adopt(parent, last, child int32) {
	if last == 0 {
		p.tree.nodes[parent].first = child
	} else {
		p.tree.nodes[last].next = child
	}
	p.tree.nodes[parent].count++
}

func (p *parser) expression() bool {
	var ok bool
	switch p.tree.kind {
	case UpdateExpression:
		ok = p.update()
	case ProjectionExpression:
		ok = p.projection()
	default:
		p.tree.root, ok = p.condition()
	}
	return ok && (p.cur.kind == tokEOF || p.unexpected()) && p.decide()
}

func (p *parser) projection() bool {
	for {
		path, ok := p.path()
		if !ok {
			return false
		}
		p.tree.paths = append(p.tree.paths, path)
		if !p.accept(tokComma) {
			return true
		}
	}
}

// path is a name followed by names and indexes.
func (p *parser) path() (int32, bool) {
	lo := int32(len(p.tree.steps))
	if !p.name() {
		return 0, false
	}
	return p.pathFrom(lo)
}

// pathFrom reads the steps after the first, which is read already.
func (p *parser) pathFrom(lo int32) (int32, bool) {
	for {
		switch {
		case p.accept(tokDot):
			if !p.name() {
				return 0, false
			}
		case p.accept(tokOpen):
			text := p.text()
			if !p.expect(tokIndex) || !p.expect(tokClose) {
				return 0, false
			}
			p.tree.steps = append(p.tree.steps, step{tokIndex, text})
		default:
			return p.add(node{kind: nodePath, lo: lo, count: int32(len(p.tree.steps)) - lo}), true
		}
	}
}

func (p *parser) name() bool {
	if p.cur.kind != tokWord && p.cur.kind != tokName {
		return p.unexpected()
	}
	p.tree.steps = append(p.tree.steps, step{p.cur.kind, p.text()})
	p.advance()
	return true
}

// operand is a path, a value, a call, or one of them in parentheses; grouped
// tells the last.
func (p *parser) operand() (n int32, grouped, ok bool) {
	switch p.cur.kind {
	case tokLeft:
		p.advance()
		n, inner, ok := p.operand()
		if !ok || !p.expect(tokRight) {
			return 0, false, false
		}
		return n, true, !inner || p.redundant()
	case tokValue:
		n = p.add(node{kind: nodeValue, text: p.text()})
		p.advance()
		return n, false, true
	case tokWord:
		n, ok = p.wordOperand()
	default:
		n, ok = p.path()
	}
	return n, false, ok
}

// wordOperand is a path or, if a parenthesis follows the word, a call.
func (p *parser) wordOperand() (int32, bool) {
	word, lo := p.text(), int32(len(p.tree.steps))
	p.advance()
	if p.cur.kind == tokLeft {
		return p.call(word)
	}
	p.tree.steps = append(p.tree.steps, step{tokWord, word})
	return p.pathFrom(lo)
}

func (p *parser) call(name string) (int32, bool) {
	n := p.add(node{kind: nodeCall, text: name})
	return n, p.list(n, 0)
}

// list reads operands in parentheses as children of n, after last.
func (p *parser) list(n, last int32) bool {
	if !p.expect(tokLeft) {
		return false
	}
	for {
		arg, _, ok := p.operand()
		if !ok {
			return false
		}
		p.adopt(n, last, arg)
		last = arg
		if !p.accept(tokComma) {
			return p.expect(tokRight)
		}
	}
}
