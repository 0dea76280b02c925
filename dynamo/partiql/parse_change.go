package partiql

// changeStatement reads a statement that writes.
func (p *parser) changeStatement() (*node, error) {
	c := &change{tok: p.head()}
	var err error
	switch c.tok.text {
	case "update":
		p.take()
		err = p.update(c)
	case "delete":
		p.take()
		err = p.delete(c)
	case "from":
		p.take()
		err = p.fromFirst(c)
	default:
		var op *node
		op, err = p.operation()
		c.operations = []*node{op}
	}
	if err != nil {
		return nil, err
	}
	return &node{kind: nodeChange, tok: c.tok, change: c}, nil
}

func (p *parser) update(c *change) error {
	if err := p.changed(c); err != nil {
		return err
	}
	if err := p.operations(c); err != nil {
		return err
	}
	return p.whereReturning(c)
}

func (p *parser) delete(c *change) error {
	if !p.accept("from") {
		return syntax("Expected FROM after DELETE")
	}
	if err := p.changed(c); err != nil {
		return err
	}
	c.operations = []*node{{kind: nodeDelete, tok: c.tok}}
	return p.whereReturning(c)
}

// fromFirst reads FROM table WHERE condition SET ... REMOVE ...
func (p *parser) fromFirst(c *change) error {
	var err error
	if c.from, err = p.fromSource(-1, true); err != nil {
		return err
	}
	if c.where, err = p.where(); err != nil {
		return err
	}
	if err := p.operations(c); err != nil {
		return err
	}
	c.returning, err = p.returning()
	return err
}

// changed reads the table of an UPDATE or DELETE.
func (p *parser) changed(c *change) error {
	var err error
	if c.from.term, err = p.simplePath(); err != nil {
		return err
	}
	for _, keyword := range []tokenKind{tokAs, tokAt, tokBy} {
		aliased, err := p.alias(keyword, keyword == tokAs)
		if err != nil {
			return err
		}
		c.from.aliased = c.from.aliased || aliased
	}
	return nil
}

func (p *parser) whereReturning(c *change) error {
	var err error
	if c.where, err = p.where(); err != nil {
		return err
	}
	c.returning, err = p.returning()
	return err
}

func (p *parser) where() (*node, error) {
	if !p.accept("where") {
		return nil, nil
	}
	return p.expression(-1)
}

// operations reads one or more SET, REMOVE and INSERT INTO clauses.
func (p *parser) operations(c *change) error {
	for {
		switch p.head().word() {
		case "set", "remove", "insert_into":
			op, err := p.operation()
			if err != nil {
				return err
			}
			c.operations = append(c.operations, op)
			continue
		}
		if len(c.operations) == 0 {
			return syntax("Expected data manipulation")
		}
		return nil
	}
}

func (p *parser) operation() (*node, error) {
	tok := p.take()
	switch tok.text {
	case "set":
		kids, err := p.list(p.assignment)
		return &node{kind: nodeSet, tok: tok, kids: kids}, err
	case "remove":
		path, err := p.simplePath()
		return &node{kind: nodeRemove, tok: tok, kids: []*node{path}}, err
	}
	return p.insertInto(tok)
}

func (p *parser) assignment() (*node, error) {
	path, err := p.simplePath()
	if err != nil {
		return nil, err
	}
	if p.head().word() != "=" {
		return nil, syntax("Expected '='")
	}
	p.take()
	value, err := p.expression(-1)
	return &node{kind: nodeAssign, kids: []*node{path, value}}, err
}

func (p *parser) insertInto(tok *token) (*node, error) {
	path, err := p.simplePath()
	if err != nil {
		return nil, err
	}
	if !p.accept("value") {
		values, err := p.expression(-1)
		return &node{kind: nodeInsertBag, tok: tok, kids: []*node{path, values}}, err
	}
	value, err := p.expression(-1)
	if err != nil {
		return nil, err
	}
	n := &node{kind: nodeInsert, tok: tok, kids: []*node{path, value}, clauses: &insertion{}}
	if p.accept("at") {
		n.clauses.at = true
		if _, err := p.expression(-1); err != nil {
			return nil, err
		}
	}
	if n.clauses.conflict, err = p.onConflict(); err != nil {
		return nil, err
	}
	returning, err := p.returning()
	n.clauses.returning = returning != nil
	return n, err
}

func (p *parser) onConflict() (bool, error) {
	if !p.accept("on_conflict") {
		return false, nil
	}
	if !p.accept("where") {
		return false, syntax("invalid ON CONFLICT syntax")
	}
	if _, err := p.expression(-1); err != nil {
		return false, err
	}
	if !p.accept("do_nothing") {
		return false, syntax("invalid ON CONFLICT syntax")
	}
	return true, nil
}

var returningWords = map[string]Returning{
	"all_old": ReturnAllOld, "all_new": ReturnAllNew,
	"modified_old": ReturnModifiedOld, "modified_new": ReturnModifiedNew,
}

func (p *parser) returning() ([]returned, error) {
	if !p.accept("returning") {
		return nil, nil
	}
	var elements []returned
	_, err := p.list(func() (*node, error) {
		form, ok := returningWords[p.head().word()]
		if !ok {
			return nil, syntax("Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.")
		}
		p.take()
		star, err := p.returnedColumn()
		elements = append(elements, returned{form: form, star: star})
		return nil, err
	})
	return elements, err
}

func (p *parser) returnedColumn() (star bool, err error) {
	if p.head().kind == tokStar {
		p.take()
		return true, nil
	}
	n, err := p.expression(-1)
	if err != nil {
		return false, err
	}
	switch n.kind {
	case nodePath:
		if len(n.kids) > 2 {
			return false, syntax("More than two paths in RETURNING columns.")
		}
	case nodeName, nodeLiteral, nodeNull, nodeMissing, nodeIon:
	default:
		return false, syntax("Unsupported syntax in RETURNING columns.")
	}
	return false, nil
}
