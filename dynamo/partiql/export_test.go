package partiql

import (
	"fmt"
	"strings"
)

// Tree is the syntax tree of an expression or statement, for tests.
func Tree(text string) (string, error) {
	tokens, err := lex(text)
	if err != nil {
		return "", err
	}
	root, _, err := parse(tokens)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	root.print(&b)
	return b.String(), nil
}

func (n *node) print(b *strings.Builder) {
	switch {
	case n == nil:
		b.WriteString("nil")
		return
	case n.kind == nodeLiteral && n.tok.kind == tokString:
		fmt.Fprintf(b, "%q", n.tok.text)
		return
	case n.kind == nodeName, n.kind == nodeLiteral, n.kind == nodeType, n.kind == nodeField:
		if n.negative {
			b.WriteByte('-')
		}
		b.WriteString(n.tok.text)
		return
	case n.kind == nodeSelect:
		n.selection.print(b)
		return
	case n.kind == nodeChange:
		n.change.print(b)
		return
	}
	b.WriteByte('(')
	b.WriteString(printed[n.kind])
	if printed[n.kind] == "" {
		b.WriteString(n.tok.text)
	}
	for _, kid := range n.kids {
		b.WriteByte(' ')
		kid.print(b)
	}
	b.WriteByte(')')
}

var printed = map[nodeKind]string{
	nodePath: "path", nodeIndex: "at", nodeUnpivot: ".*", nodeWildcard: "[*]", nodeList: "list",
	nodeBag: "bag", nodeTuple: "tuple", nodeAssign: "=", nodeInsertBag: "insert-bag",
}

func (s *selection) print(b *strings.Builder) {
	b.WriteString("(select")
	if s.all {
		b.WriteString(" *")
	}
	for _, c := range s.columns {
		b.WriteByte(' ')
		c.print(b)
	}
	b.WriteString(" from ")
	s.from.term.print(b)
	if s.where != nil {
		b.WriteString(" where ")
		s.where.print(b)
	}
	for _, o := range s.order {
		b.WriteString(" by ")
		o.key.print(b)
		if o.descending {
			b.WriteString(" desc")
		}
	}
	b.WriteByte(')')
}

func (c *change) print(b *strings.Builder) {
	b.WriteString("(change ")
	c.from.term.print(b)
	for _, op := range c.operations {
		b.WriteByte(' ')
		op.print(b)
	}
	if c.where != nil {
		b.WriteString(" where ")
		c.where.print(b)
	}
	b.WriteByte(')')
}
