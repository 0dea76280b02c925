package expr

import "pressroom/dynamo/attr"

// Condition is a parsed ConditionExpression or FilterExpression, or one of their
// older equivalents. It is immutable and safe for concurrent use. The nil
// Condition matches every item.
type Condition struct{ root term }

// termKind says what a term is.
type termKind uint8

const (
	termAnd termKind = iota + 1
	termOr
	termNot
	termCompare
	termBetween
	termIn
	termExists
	termNotExists
	termType
	termBeginsWith
	termContains
)

// term is a condition that has others in it (parts) or compares operands.
type term struct {
	kind  termKind
	op    Comparison // termCompare
	only  attr.Kind  // termType: the type that is wanted
	parts []term
	args  []Operand
}

// Comparison is one of the six comparison operators.
type Comparison uint8

// The comparison operators.
const (
	Equal Comparison = iota + 1
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

var comparisonNames = [...]string{Equal: "=", NotEqual: "<>", Less: "<", LessEqual: "<=", Greater: ">", GreaterEqual: ">="}

// String is the operator as written in an expression.
func (c Comparison) String() string {
	if int(c) < len(comparisonNames) {
		return comparisonNames[c]
	}
	return ""
}

// ParseCondition parses a ConditionExpression or FilterExpression.
func ParseCondition(kind Kind, src string, env *Env) (*Condition, error) {
	t, err := parsed(kind, src)
	if err != nil {
		return nil, err
	}
	c := &Condition{}
	b := newBinder(t, env)
	if err := b.condition(t.root, &c.root); err != nil {
		return nil, err
	}
	if err := b.checkOperators(); err != nil {
		return nil, err
	}
	return c, nil
}

// Match reports whether the item satisfies the condition. It reads only the
// attributes that the condition names and allocates nothing. The nil item stands
// for one that does not exist.
func (c *Condition) Match(item attr.Item) bool {
	return c == nil || c.root.match(item)
}

func (t *term) match(item attr.Item) bool {
	switch t.kind {
	case termAnd:
		for i := range t.parts {
			if !t.parts[i].match(item) {
				return false
			}
		}
		return true
	case termOr:
		for i := range t.parts {
			if t.parts[i].match(item) {
				return true
			}
		}
		return false
	case termNot:
		return !t.parts[0].match(item)
	}
	return t.matchOperands(item)
}

func (t *term) matchOperands(item attr.Item) bool {
	a := t.args[0].read(item)
	switch t.kind {
	case termCompare:
		return compare(t.op, a, t.args[1].read(item))
	case termBetween:
		return compare(GreaterEqual, a, t.args[1].read(item)) && compare(LessEqual, a, t.args[2].read(item))
	case termIn:
		return t.matchIn(a, item)
	case termExists:
		return a != nil
	case termNotExists:
		return a == nil
	case termType:
		return a.Kind() == t.only
	case termBeginsWith:
		return beginsWith(a, t.args[1].read(item))
	case termContains:
		return contains(a, t.args[1].read(item))
	}
	return false
}

func (t *term) matchIn(a attr.Value, item attr.Item) bool {
	if a == nil {
		return false
	}
	for i := 1; i < len(t.args); i++ {
		if equal(a, t.args[i].read(item)) {
			return true
		}
	}
	return false
}

// Attributes are the top-level attributes that the condition names, each once,
// in the order of their appearance.
func (c *Condition) Attributes() []string {
	if c == nil {
		return nil
	}
	return tops(c.root.paths(nil), false)
}

// Nested are those of Attributes inside which the condition looks (a.b, a[0]).
// The service refuses that for key attributes.
func (c *Condition) Nested() []string {
	if c == nil {
		return nil
	}
	return tops(c.root.paths(nil), true)
}

// paths appends the paths in the term.
func (t *term) paths(list []Path) []Path {
	for i := range t.parts {
		list = t.parts[i].paths(list)
	}
	for i := range t.args {
		list = t.args[i].paths(list)
	}
	return list
}

func (o *Operand) paths(list []Path) []Path {
	if o.path != nil {
		list = append(list, o.path)
	}
	for i := range o.args {
		list = o.args[i].paths(list)
	}
	return list
}
