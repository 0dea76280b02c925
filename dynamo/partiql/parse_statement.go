package partiql

// selectStatement reads a SELECT after its keyword.
func (p *parser) selectStatement(tok *token) (*node, error) {
	s := &selection{}
	switch p.head().word() {
	case "distinct":
		p.take()
		s.distinct = true
	case "all":
		p.take()
	}
	if p.accept("value") {
		s.value = true
		if _, err := p.expression(-1); err != nil {
			return nil, err
		}
	} else if err := p.selectList(s); err != nil {
		return nil, err
	}
	return p.afterProjection(tok, s)
}

func (p *parser) pivot() (*node, error) {
	tok := p.take()
	if _, err := p.expression(-1); err != nil {
		return nil, err
	}
	if err := p.expectWord("at"); err != nil {
		return nil, err
	}
	if _, err := p.expression(-1); err != nil {
		return nil, err
	}
	return p.afterProjection(tok, &selection{value: true})
}

// reserved are the keywords that the select list names in its refusal.
var reserved = set("insert_into set remove update delete select from where")

func (p *parser) selectList(s *selection) error {
	items := 1
	for ; ; items++ {
		if p.head().kind == tokStar {
			p.take()
			s.all = true
		} else if err := p.selectColumn(s); err != nil {
			return err
		}
		if p.head().kind != tokComma {
			break
		}
		p.take()
	}
	if s.all && items > 1 {
		return syntax("Other expressions may not be present in the select list when '*' is used without dot notation.")
	}
	return nil
}

func (p *parser) selectColumn(s *selection) error {
	if word := p.head().word(); reserved[word] {
		return syntax("Expected identifier or an expression but found unexpected keyword '" + word + "' in a select list.")
	}
	n, err := p.expression(-1)
	if err != nil {
		return err
	}
	if n.kind == nodePath {
		nested, err := inspectColumn(n)
		if err != nil {
			return err
		}
		s.nested = s.nested || nested
	}
	aliased, err := p.alias(tokAs, true)
	if err != nil {
		return err
	}
	s.aliased = s.aliased || aliased
	s.columns = append(s.columns, n)
	return nil
}

// inspectColumn refuses stars inside a column's path; true for one that ends in .* alone.
func inspectColumn(n *node) (bool, error) {
	last := len(n.kids) - 1
	indexed := false
	for i, kid := range n.kids {
		switch {
		case kid.kind == nodeWildcard, kid.kind == nodeUnpivot && i < last:
			return false, syntax("Invalid use of * in select list")
		case kid.kind == nodeIndex:
			indexed = true
		}
	}
	if n.kids[last].kind != nodeUnpivot {
		return false, nil
	}
	if indexed {
		return false, syntax("Cannot use [] and * together in SELECT list expression")
	}
	return true, nil
}

// alias reads an alias after the keyword, or without it where that is optional.
func (p *parser) alias(keyword tokenKind, optional bool) (bool, error) {
	if p.head().kind == keyword {
		p.take()
		if !p.head().isName() {
			return false, syntax("Expected identifier for " + tokenNames[keyword] + "-alias")
		}
		p.take()
		return true, nil
	}
	if optional && p.head().isName() {
		p.take()
		return true, nil
	}
	return false, nil
}

// afterProjection reads everything after the select list.
func (p *parser) afterProjection(tok *token, s *selection) (*node, error) {
	if !p.accept("from") {
		return nil, syntax("Expected FROM after SELECT list")
	}
	var err error
	if s.from, err = p.fromSource(precedenceSelect, true); err != nil {
		return nil, err
	}
	if s.let, err = p.let(); err != nil {
		return nil, err
	}
	if s.where, err = p.clause("where"); err != nil {
		return nil, err
	}
	if s.group, err = p.groupBy(); err != nil {
		return nil, err
	}
	if s.having, err = p.clause("having"); err != nil {
		return nil, err
	}
	if s.order, err = p.orderBy(); err != nil {
		return nil, err
	}
	if s.limit, err = p.clause("limit"); err != nil {
		return nil, err
	}
	if s.offset, err = p.clause("offset"); err != nil {
		return nil, err
	}
	return &node{kind: nodeSelect, tok: tok, selection: s}, nil
}

// clause reads an optional clause of one expression.
func (p *parser) clause(word string) (*node, error) {
	if !p.accept(word) {
		return nil, nil
	}
	return p.expression(precedenceSelect)
}

func (p *parser) let() (bool, error) {
	if !p.accept("let") {
		return false, nil
	}
	_, err := p.list(func() (*node, error) {
		n, err := p.expression(-1)
		if err != nil {
			return nil, err
		}
		if p.head().kind != tokAs {
			return nil, syntax("Expected AS following LET expr")
		}
		_, err = p.alias(tokAs, false)
		return n, err
	})
	return true, err
}

func (p *parser) groupBy() (bool, error) {
	if !p.accept("group") {
		return false, nil
	}
	p.accept("partial")
	if err := p.expect(tokBy); err != nil {
		return false, err
	}
	keys, err := p.list(func() (*node, error) {
		n, err := p.expression(precedenceSelect)
		if err == nil {
			_, err = p.alias(tokAs, true)
		}
		return n, err
	})
	if err != nil {
		return false, err
	}
	for _, n := range keys {
		if n.kind == nodeLiteral {
			return false, syntax("Literals (including ordinals) not supported in GROUP BY")
		}
	}
	return true, nil
}

func (p *parser) orderBy() ([]ordering, error) {
	if !p.accept("order") {
		return nil, nil
	}
	if err := p.expect(tokBy); err != nil {
		return nil, err
	}
	var keys []ordering
	_, err := p.list(func() (*node, error) {
		n, err := p.expression(-1)
		if err != nil {
			return nil, err
		}
		key := ordering{key: n}
		switch p.head().kind {
		case tokAscending:
			p.take()
		case tokDescending:
			p.take()
			key.descending = true
		}
		keys = append(keys, key)
		return n, nil
	})
	return keys, err
}

// fromSource reads what a statement reads from, with its aliases and joins.
func (p *parser) fromSource(precedence int, joins bool) (source, error) {
	if p.depth++; p.depth > maxDepth {
		return source{}, syntax("Statement is nested too deeply")
	}
	defer func() { p.depth-- }()
	s, err := p.fromTerm(precedence)
	if err != nil {
		return s, err
	}
	for _, keyword := range []tokenKind{tokAs, tokAt, tokBy} {
		aliased, err := p.alias(keyword, keyword == tokAs)
		if err != nil {
			return s, err
		}
		s.aliased = s.aliased || aliased
	}
	for joins {
		on := false
		switch head := p.head(); {
		case head.kind == tokComma, head.word() == "cross_join":
		case head.word() == "join", head.word() == "outer_join":
			on = true
		default:
			return s, nil
		}
		p.take()
		s.many = true
		if err := p.joined(precedence, on); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (p *parser) fromTerm(precedence int) (source, error) {
	if p.accept("unpivot") {
		n, err := p.expression(precedence)
		return source{term: n, many: true}, err
	}
	second := p.second()
	if p.head().kind == tokLeftParen && !second.isLiteral() && second.word() != "select" {
		p.take()
		s, err := p.fromSource(precedence, true)
		if err != nil {
			return s, err
		}
		return s, p.expect(tokRightParen)
	}
	n, err := p.expression(precedence)
	return source{term: n}, err
}

func (p *parser) joined(precedence int, on bool) error {
	if _, err := p.fromSource(precedence, false); err != nil || !on {
		return err
	}
	if !p.accept("on") {
		return syntax("Expected 'ON'")
	}
	_, err := p.expression(precedence)
	return err
}
