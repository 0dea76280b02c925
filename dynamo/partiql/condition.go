package partiql

import (
	"strings"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

const (
	maxOperators = 300 // of one WHERE clause
	maxIn        = 100 // operands of one IN
)

// condition is what a WHERE clause means; nil without one.
func (b *binder) condition(n *node) (*predicate, error) {
	if n == nil {
		return nil, nil
	}
	b.begin()
	p, o, err := b.expression(n)
	if err != nil {
		return nil, err
	}
	if o != nil {
		return nil, refuse("WHERE clause must contain an expression that resolves to a boolean")
	}
	return p, b.fault
}

// count counts one operator or function.
func (b *binder) count() {
	if b.operators++; b.operators == maxOperators+1 {
		b.note(refuse("The expression contains too many operators; operator count: %d", b.operators))
	}
}

// expression is what a node means in a condition: either a predicate or an operand.
func (b *binder) expression(n *node) (*predicate, *operand, error) {
	switch n.kind {
	case nodeMissing:
		return nil, nil, refuse(msgMissing)
	case nodeName, nodePath:
		path, err := pathOf(n)
		return nil, &operand{path: path}, err
	case nodeUnary, nodeBinary, nodeBetween:
		p, err := b.operator(n)
		return p, nil, err
	case nodeIs:
		p, err := b.is(n)
		return p, nil, err
	case nodeCall:
		if n.constructor() == 0 {
			return b.function(n)
		}
	case nodeAggregate, nodeExotic, nodeSelect, nodeChange:
		return nil, nil, unsupportedToken(n)
	}
	v, err := b.value(n)
	return nil, &operand{value: v}, err
}

func unsupportedToken(n *node) error {
	text := n.tok.text
	if n.kind == nodeSelect || text == "case" {
		text = strings.ToUpper(text)
	}
	return refuse("Unsupported token in expression: %s%s", text, n.place())
}

// operand is what a node means as an operand; a predicate becomes its truth.
func (b *binder) operand(n *node) (operand, error) {
	p, o, err := b.expression(n)
	if err != nil {
		return operand{}, err
	}
	if o == nil {
		return operand{truth: p}, nil
	}
	return *o, nil
}

func (b *binder) operands(nodes []*node) ([]operand, error) {
	list := make([]operand, len(nodes))
	for i, n := range nodes {
		var err error
		if list[i], err = b.operand(n); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (b *binder) operator(n *node) (*predicate, error) {
	switch n.tok.text {
	case "and", "or":
		return b.junction(n)
	case "not":
		return b.not(n)
	case "in", "not_in":
		return b.in(n)
	case "between", "not_between":
		return b.between(n)
	}
	op, ok := comparisons[n.tok.text]
	if !ok || n.kind == nodeUnary {
		return nil, refuse("Unsupported operator in Condition Expression. Operator: %s", strings.TrimPrefix(n.tok.text, "not_"))
	}
	operands, err := b.operands(n.kids)
	if err != nil {
		return nil, err
	}
	b.count()
	if op != expr.Equal && op != expr.NotEqual {
		b.checkOrdered(n.tok.text, operands)
	}
	b.checkDistinct(n.tok.text, operands)
	return compare(op, operands[0], operands[1])
}

var comparisons = map[string]expr.Comparison{
	"=": expr.Equal, "<>": expr.NotEqual, "<": expr.Less, "<=": expr.LessEqual,
	">": expr.Greater, ">=": expr.GreaterEqual,
}

// junction is AND or OR. Operators of one kind in a row become one predicate.
func (b *binder) junction(n *node) (*predicate, error) {
	p := &predicate{test: testAnd}
	if n.tok.text == "or" {
		p.test = testOr
	}
	for _, kid := range n.kids {
		part, o, err := b.expression(kid)
		if err != nil {
			return nil, err
		}
		if o != nil {
			if o.size == nil {
				return nil, refuse("The arguments to AND/OR must be Expressions")
			}
			b.note(wrongType(strings.ToUpper(n.tok.text), attr.Number))
			continue
		}
		if part.test == p.test {
			p.parts = append(p.parts, part.parts...)
			continue
		}
		p.parts = append(p.parts, part)
	}
	b.count()
	return p, nil
}

func (b *binder) not(n *node) (*predicate, error) {
	part, o, err := b.expression(n.kids[0])
	if err != nil {
		return nil, err
	}
	b.count()
	switch {
	case o == nil:
		return negate(part), nil
	case o.size == nil:
		return nil, refuse("The argument to NOT must be a Type or Expression")
	}
	b.note(wrongType("NOT", attr.Number))
	return constant(false), nil
}

func (b *binder) in(n *node) (*predicate, error) {
	right := n.kids[1]
	if right.kind != nodeList && right.kind != nodeBag || len(right.kids) == 0 {
		return nil, refuse("IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member")
	}
	if len(right.kids) > maxIn {
		b.note(refuse("The IN operator is provided with too many operands; number of operands: %d", len(right.kids)))
	}
	operands, err := b.operands(append([]*node{n.kids[0]}, right.kids...))
	if err != nil {
		return nil, err
	}
	b.count()
	b.checkDistinct("IN", operands)
	p, err := among(operands)
	if err != nil {
		return nil, err
	}
	return negateIf(n.tok.text == "not_in", p), nil
}

func (b *binder) between(n *node) (*predicate, error) {
	operands, err := b.operands(n.kids)
	if err != nil {
		return nil, err
	}
	b.count()
	b.checkOrdered("BETWEEN", operands)
	b.checkBounds(operands[1].value, operands[2].value)
	b.checkDistinct("BETWEEN", operands)
	return negateIf(n.tok.text == "not_between", &predicate{test: testBetween, operands: operands}), nil
}

func negateIf(negated bool, p *predicate) *predicate {
	if negated {
		return negate(p)
	}
	return p
}
