package partiql

// newStatement is what a tree means as a statement. What is refused here is refused
// before the table is looked up.
func newStatement(root *node) (*Statement, error) {
	switch root.kind {
	case nodeSelect:
		return newSelect(root.selection, Select)
	case nodeChange:
		return newChange(root.change)
	case nodeCall:
		if root.tok.text == "exists" && len(root.kids) == 1 && root.kids[0].kind == nodeSelect {
			return newSelect(root.kids[0].selection, Exists)
		}
		return &Statement{Kind: Exists, malformed: true}, nil
	}
	return nil, refuse("Unsupported operation: %s", root.class())
}

func newSelect(s *selection, kind Kind) (*Statement, error) {
	if err := checkClauses(s); err != nil {
		return nil, err
	}
	table, index, err := s.from.names()
	if err != nil {
		return nil, err
	}
	return &Statement{Kind: kind, Table: table, Index: index, selection: s, where: s.where}, nil
}

func newChange(c *change) (*Statement, error) {
	first := c.operations[0]
	if c.from.term == nil && (first.kind == nodeInsert || first.kind == nodeInsertBag) {
		return newInsert(first)
	}
	for _, op := range c.operations {
		if op.kind == nodeInsert || op.kind == nodeInsertBag {
			return nil, refuse("Unsupported FROM ... WHERE ... clause in INSERT statement. at %s", c.tok.span)
		}
	}
	table, index, err := c.from.names()
	if err != nil {
		return nil, err
	}
	if index != "" {
		return nil, refuse("This operation is not supported on an index")
	}
	st := &Statement{Kind: Update, Table: table, where: c.where}
	if first.kind == nodeDelete {
		st.Kind = Delete
	} else {
		for _, op := range c.operations {
			if op.kind == nodeRemove {
				st.actions = append(st.actions, op)
				continue
			}
			st.actions = append(st.actions, op.kids...)
		}
	}
	st.Returning, st.returning = returningOf(c, st.Kind)
	return st, nil
}

func returningOf(c *change, kind Kind) (Returning, error) {
	if len(c.returning) == 0 {
		return ReturnNothing, nil
	}
	r := c.returning[0]
	switch {
	case len(c.returning) > 1:
		return r.form, refuse("Invalid syntax with multiple returning elements in RETURNING clause")
	case !r.star:
		return r.form, refuse("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause")
	case kind == Delete && r.form != ReturnAllOld:
		return r.form, refuse("Invalid returning clause: RETURNING %s *. Only RETURNING ALL OLD * is allowed in DELETE statements.", r.form)
	}
	return r.form, nil
}

func newInsert(n *node) (*Statement, error) {
	if n.kind == nodeInsertBag {
		return nil, refuse("Unsupported operation: %s", n.class())
	}
	target, value := n.kids[0], n.kids[1]
	switch {
	case target.kind != nodeName:
		return nil, refuse("FROM clause may only contain a single table name in data manipulation statements")
	case target.tok.text == "":
		return nil, refuse(msgEmptyName)
	case n.clauses.at:
		return nil, refuse("AT is not supported in insert statements. at %s", n.tok.span)
	case n.clauses.conflict:
		return nil, refuse("Unsupported clause: ON CONFLICT")
	case n.clauses.returning:
		return nil, refuse("RETURNING is not supported in INSERT")
	case value.kind != nodeTuple:
		return nil, refuse("Unsupported format in item expression. Please use struct format {...} to express item values for insert statement.%s", value.place())
	}
	return &Statement{Kind: Insert, Table: target.tok.text, item: value}, nil
}

// checkClauses refuses clauses that the language has and the service has not.
func checkClauses(s *selection) error {
	switch {
	case s.let:
		return refuse("Unsupported clause: LET")
	case s.group:
		return refuse("Unsupported clause: GROUP BY")
	case s.having != nil:
		return refuse("Unsupported clause: HAVING%s", s.having.place())
	case s.limit != nil:
		return refuse("Unsupported clause: LIMIT%s", s.limit.place())
	case s.offset != nil:
		return refuse("Unsupported clause: OFFSET%s", s.offset.place())
	}
	return nil
}

// names are the table and index that a source stands for.
func (s source) names() (table, index string, err error) {
	if s.term == nil || s.many {
		return "", "", refuse("Only select from a single table or index is supported.")
	}
	if s.aliased {
		return "", "", refuse("Aliasing is not supported")
	}
	parts := []*node{s.term}
	if s.term.kind == nodePath {
		parts = s.term.kids
	}
	if parts[0].kind != nodeName {
		return "", "", refuse("Unexpected from source")
	}
	for i, part := range parts {
		switch {
		case part.kind == nodeIndex, part.kind == nodeWildcard:
			return "", "", refuse("Invalid list expression in source.")
		case part.kind == nodeUnpivot:
			return "", "", refuse("Unpivot path component like a.*.b are not supported at %s", part.tok.span)
		case i == 2:
			return "", "", refuse("A path may contain at most 2 components in the FROM clause")
		}
	}
	for _, part := range parts {
		if part.tok.text == "" {
			return "", "", refuse(msgEmptyName)
		}
	}
	if len(parts) == 2 {
		index = parts[1].tok.text
	}
	return parts[0].tok.text, index, nil
}
