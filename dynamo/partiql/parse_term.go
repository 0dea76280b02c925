package partiql

// atoms are the kinds of terms that consist of one token.
var atoms = map[tokenKind]nodeKind{
	tokString: nodeLiteral, tokInteger: nodeLiteral, tokDecimal: nodeLiteral,
	tokBool: nodeLiteral, tokNull: nodeNull, tokMissing: nodeMissing, tokIon: nodeIon,
}

// term reads what is no operator and has no steps yet.
func (p *parser) term() (*node, error) {
	tok := p.head()
	if kind, ok := atoms[tok.kind]; ok {
		p.take()
		return &node{kind: kind, tok: tok}, nil
	}
	switch tok.kind {
	case tokIdentifier, tokQuoted:
		p.take()
		if p.head().kind == tokLeftParen {
			return p.call(tok)
		}
		return &node{kind: nodeName, tok: tok}, nil
	case tokParameter:
		p.take()
		p.parameters++
		return &node{kind: nodeParameter, tok: tok, ordinal: p.parameters - 1}, nil
	case tokOperator:
		return p.scoped()
	case tokKeyword:
		return p.keywordTerm()
	case tokLeftParen:
		return p.group()
	case tokLeftBracket:
		return p.collection(nodeList, tokRightBracket)
	case tokLeftAngles:
		return p.collection(nodeBag, tokRightAngles)
	case tokLeftCurly:
		return p.tuple()
	}
	return nil, syntax("Unexpected term")
}

// scoped reads @name, which means the same as name.
func (p *parser) scoped() (*node, error) {
	if p.head().text != "@" {
		return nil, syntax("Unexpected operator")
	}
	p.take()
	if !p.head().isName() {
		return nil, syntax("Identifier must follow @-operator")
	}
	return &node{kind: nodeName, tok: p.take()}, nil
}

// group reads parentheses: an expression, or a list of several.
func (p *parser) group() (*node, error) {
	open := p.take()
	kids, err := p.arguments()
	if err != nil {
		return nil, err
	}
	if err := p.expect(tokRightParen); err != nil {
		return nil, err
	}
	if len(kids) == 1 {
		return kids[0], nil
	}
	return &node{kind: nodeList, tok: open, kids: kids}, nil
}

func (p *parser) collection(kind nodeKind, end tokenKind) (*node, error) {
	n := &node{kind: kind, tok: p.take()}
	if p.head().kind == end {
		p.take()
		return n, nil
	}
	var err error
	if n.kids, err = p.arguments(); err != nil {
		return nil, err
	}
	return n, p.expect(end)
}

func (p *parser) tuple() (*node, error) {
	n := &node{kind: nodeTuple, tok: p.take()}
	if p.head().kind == tokRightCurly {
		p.take()
		return n, nil
	}
	for {
		name, err := p.expression(-1)
		if err != nil {
			return nil, err
		}
		if err := p.expect(tokColon); err != nil {
			return nil, err
		}
		value, err := p.expression(-1)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, name, value)
		if p.head().kind != tokComma {
			return n, p.expect(tokRightCurly)
		}
		p.take()
	}
}

// call reads the parentheses of a function call.
func (p *parser) call(name *token) (*node, error) {
	p.take()
	if name.kind == tokKeyword && aggregates[name.text] {
		return p.aggregate(name)
	}
	n := &node{kind: nodeCall, tok: name}
	switch p.head().kind {
	case tokStar:
		return nil, syntax(name.text + "(*) is not allowed")
	case tokRightParen:
		p.take()
		return n, nil
	}
	var err error
	if n.kids, err = p.arguments(); err != nil {
		return nil, err
	}
	return n, p.expect(tokRightParen)
}

// aggregate reads COUNT(*), SUM(DISTINCT x) and the like.
func (p *parser) aggregate(name *token) (*node, error) {
	n := &node{kind: nodeAggregate, tok: name}
	if p.head().kind == tokStar && name.text == "count" {
		p.take()
		return n, p.expect(tokRightParen)
	}
	if word := p.head().word(); word == "distinct" || word == "all" {
		p.take()
	}
	switch p.head().kind {
	case tokStar:
		return nil, syntax(name.text + "(*) is not allowed")
	case tokRightParen:
		return nil, syntax("Aggregate functions are always unary")
	}
	var err error
	if n.kids, err = p.arguments(); err != nil {
		return nil, err
	}
	if len(n.kids) != 1 && name.text != "count" {
		return nil, syntax("Aggregate functions are always unary")
	}
	return n, p.expect(tokRightParen)
}

// keywordTerm reads a term that begins with a keyword: a statement, a function, or one of
// the forms that the service knows but does not execute.
func (p *parser) keywordTerm() (*node, error) {
	tok := p.head()
	switch tok.text {
	case "insert_into", "set", "remove", "update", "delete", "from":
		if p.depth > 1 && p.misplaced == nil {
			p.misplaced = tok
		}
		return p.changeStatement()
	case "select":
		p.take()
		return p.selectStatement(tok)
	case "pivot":
		return p.pivot()
	case "values":
		return p.values()
	case "case":
		return p.caseTerm()
	case "cast", "can_cast", "can_lossless_cast":
		return p.cast()
	case "create", "drop", "exec":
		return nil, refuse("Unsupported operation: %s", p.otherStatement(tok))
	case "substring", "trim", "extract", "date_add", "date_diff", "date", "time", "nullif", "coalesce":
		return nil, refuse("Unsupported token in expression: %s at %s", tok.text, tok.span)
	}
	if functionWords[tok.text] && p.second().kind == tokLeftParen {
		p.take()
		return p.call(tok)
	}
	return nil, syntax("Unexpected keyword")
}

// otherStatement is the name of a statement that the service does not execute.
func (p *parser) otherStatement(tok *token) string {
	object := "Table"
	if p.second().word() == "index" {
		object = "Index"
	}
	switch tok.text {
	case "create":
		return "Create" + object
	case "drop":
		return "Drop" + object
	}
	return "Exec"
}

func (p *parser) values() (*node, error) {
	n := &node{kind: nodeBag, tok: p.take()}
	var err error
	n.kids, err = p.list(func() (*node, error) {
		open := p.head()
		if open.kind != tokLeftParen {
			return nil, syntax("Expected LEFT_PAREN for row value constructor")
		}
		p.take()
		kids, err := p.arguments()
		if err != nil {
			return nil, err
		}
		return &node{kind: nodeList, tok: open, kids: kids}, p.expect(tokRightParen)
	})
	return n, err
}

func (p *parser) caseTerm() (*node, error) {
	n := &node{kind: nodeExotic, tok: p.take()}
	if p.head().word() != "when" {
		if _, err := p.expression(-1); err != nil {
			return nil, err
		}
	}
	if p.head().word() != "when" {
		return nil, syntax("Expected a WHEN clause in CASE")
	}
	for p.accept("when") {
		if _, err := p.expression(-1); err != nil {
			return nil, err
		}
		if err := p.expectWord("then"); err != nil {
			return nil, err
		}
		if _, err := p.expression(-1); err != nil {
			return nil, err
		}
	}
	if p.accept("else") {
		if _, err := p.expression(-1); err != nil {
			return nil, err
		}
	}
	return n, p.expectWord("end")
}

func (p *parser) cast() (*node, error) {
	n := &node{kind: nodeExotic, tok: p.take()}
	if p.head().kind != tokLeftParen {
		return nil, syntax("Missing left parenthesis after " + n.tok.text)
	}
	p.take()
	if _, err := p.expression(-1); err != nil {
		return nil, err
	}
	if err := p.expect(tokAs); err != nil {
		return nil, err
	}
	if _, err := p.typeName(n.tok.text); err != nil {
		return nil, err
	}
	return n, p.expect(tokRightParen)
}
