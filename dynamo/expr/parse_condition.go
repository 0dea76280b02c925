package expr

// The grammar of conditions, loosest first: OR, AND, NOT, and comparisons. A
// parenthesis may open a condition or an operand, and which it was is known
// only after it closed; so these methods may return a bare operand, and the
// callers that want a condition check.

// condition is a whole condition.
func (p *parser) condition() (int32, bool) {
	n, _, ok := p.or()
	return n, ok && p.wantCondition(n)
}

// wantCondition fails at the current token if n is only an operand: there a
// comparison should have followed.
func (p *parser) wantCondition(n int32) bool {
	return p.tree.nodes[n].kind.isCondition() || p.unexpected()
}

func (p *parser) or() (int32, bool, bool) {
	n, grouped, ok := p.and()
	if !ok || p.cur.kind != tokOr {
		return n, grouped, ok
	}
	n, ok = p.chain(n, nodeOr, tokOr)
	return n, false, ok
}

func (p *parser) and() (int32, bool, bool) {
	n, grouped, ok := p.not()
	if !ok || p.cur.kind != tokAnd {
		return n, grouped, ok
	}
	n, ok = p.chain(n, nodeAnd, tokAnd)
	return n, false, ok
}

// chain reads conditions joined by one operator, OR or AND, into one node.
func (p *parser) chain(first int32, kind nodeKind, op tokenKind) (int32, bool) {
	if !p.wantCondition(first) {
		return 0, false
	}
	n := p.add(node{kind: kind})
	p.adopt(n, 0, first)
	last := first
	for p.accept(op) {
		c, _, ok := p.link(op)
		if !ok || !p.wantCondition(c) {
			return 0, false
		}
		p.adopt(n, last, c)
		last = c
	}
	return n, true
}

// link is one condition in a chain.
func (p *parser) link(op tokenKind) (int32, bool, bool) {
	if op == tokOr {
		return p.and()
	}
	return p.not()
}

func (p *parser) not() (int32, bool, bool) {
	if !p.accept(tokNot) {
		return p.comparison()
	}
	if !p.decide() {
		return 0, false, false
	}
	c, _, ok := p.not()
	if !ok || !p.wantCondition(c) {
		return 0, false, false
	}
	n := p.add(node{kind: nodeNot})
	p.adopt(n, 0, c)
	return n, false, true
}

// comparison is an operand, compared or not, or a condition in parentheses;
// grouped tells that it is nothing but something in parentheses.
func (p *parser) comparison() (n int32, grouped, ok bool) {
	p.ahead = true
	if p.cur.kind == tokLeft {
		n, ok = p.group(p.or)
		grouped = true
	} else {
		n, _, ok = p.operand()
	}
	if !ok || !p.tree.nodes[n].kind.isOperand() {
		return n, grouped, ok
	}
	switch p.cur.kind {
	case tokEqual, tokNotEqual, tokLess, tokLessEqual, tokGreater, tokGreaterEqual:
		n, ok = p.compare(n)
	case tokBetween:
		n, ok = p.between(n)
	case tokIn:
		n, ok = p.in(n)
	default:
		return n, grouped, !p.isPredicate(n) || p.decide()
	}
	return n, false, ok
}

// isPredicate tells whether the operand n is a call that now is known to be a
// condition of its own.
func (p *parser) isPredicate(n int32) bool {
	return p.tree.nodes[n].kind == nodeCall && (p.open == 0 || p.cur.kind == tokAnd || p.cur.kind == tokOr)
}

func (p *parser) compare(left int32) (int32, bool) {
	if !p.decide() {
		return 0, false
	}
	n := p.add(node{kind: nodeCompare, op: p.cur.kind})
	p.adopt(n, 0, left)
	p.advance()
	right, _, ok := p.operand()
	p.adopt(n, left, right)
	return n, ok
}

func (p *parser) between(left int32) (int32, bool) {
	if !p.decide() {
		return 0, false
	}
	n := p.add(node{kind: nodeBetween})
	p.adopt(n, 0, left)
	p.advance()
	low, _, ok := p.operand()
	if !ok || !p.expect(tokAnd) {
		return 0, false
	}
	p.adopt(n, left, low)
	high, _, ok := p.operand()
	p.adopt(n, low, high)
	return n, ok
}

func (p *parser) in(left int32) (int32, bool) {
	if !p.decide() {
		return 0, false
	}
	n := p.add(node{kind: nodeIn})
	p.adopt(n, 0, left)
	p.advance()
	return n, p.list(n, left)
}
