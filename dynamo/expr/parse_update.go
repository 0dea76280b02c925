package expr

// update is one or more sections, each a keyword and actions.
func (p *parser) update() bool {
	for {
		verb := verbOf(p.cur.kind)
		if verb == 0 {
			return p.unexpected()
		}
		p.advance()
		if !p.section(verb) {
			return false
		}
		if p.cur.kind == tokEOF {
			return true
		}
	}
}

// verbOf is the verb of a section's keyword, 0 for any other token.
func verbOf(kind tokenKind) Verb {
	switch kind {
	case tokSet:
		return Set
	case tokRemove:
		return Remove
	case tokAdd:
		return Add
	case tokDelete:
		return Delete
	}
	return 0
}

func (p *parser) section(verb Verb) bool {
	for opens := true; ; opens = false {
		path, ok := p.path()
		if !ok {
			return false
		}
		c := clause{verb: verb, opens: opens, path: path}
		switch verb {
		case Set:
			if !p.expect(tokEqual) {
				return false
			}
			if c.value, _, ok = p.setValue(); !ok {
				return false
			}
		case Add, Delete:
			c.value = p.add(node{kind: nodeValue, text: p.text()})
			if !p.expect(tokValue) {
				return false
			}
		}
		p.tree.actions = append(p.tree.actions, c)
		if !p.accept(tokComma) {
			return true
		}
	}
}

// setValue is the right side of a SET: an operand, a sum or a difference of two,
// or one of these in parentheses; grouped tells the last.
func (p *parser) setValue() (n int32, grouped, ok bool) {
	p.ahead = true
	if p.cur.kind == tokLeft {
		n, ok = p.group(p.setValue)
		grouped = true
	} else {
		n, _, ok = p.operand()
	}
	if !ok {
		return 0, false, false
	}
	if p.tree.nodes[n].kind.isOperand() && (p.cur.kind == tokPlus || p.cur.kind == tokMinus) {
		n, ok = p.arithmetic(n)
		return n, false, ok
	}
	return n, grouped, p.open > 0 || p.decide()
}

func (p *parser) arithmetic(left int32) (int32, bool) {
	if !p.decide() {
		return 0, false
	}
	n := p.add(node{kind: nodeArithmetic, op: p.cur.kind})
	p.adopt(n, 0, left)
	p.advance()
	right, _, ok := p.operand()
	p.adopt(n, left, right)
	return n, ok
}
