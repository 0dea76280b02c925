package expr

import "pressroom/dynamo/attr"

// Conditions and operands built from parts, for callers that have a syntax of
// their own. Nothing is checked; operands that do not fit do not match.

// At is the operand that reads a path.
func At(p Path) Operand { return Operand{kind: opPath, path: p} }

// Literal is the operand of a given value.
func Literal(v attr.Value) Operand { return Operand{kind: opValue, value: v} }

// SizeOf is size(path).
func SizeOf(p Path) Operand { return Operand{kind: opSize, path: p} }

// Plus is a + b on the right side of SET.
func Plus(a, b Operand) Operand { return Operand{kind: opPlus, args: []Operand{a, b}} }

// Minus is a - b on the right side of SET.
func Minus(a, b Operand) Operand { return Operand{kind: opMinus, args: []Operand{a, b}} }

// ListAppend is list_append(a, b) on the right side of SET.
func ListAppend(a, b Operand) Operand { return Operand{kind: opListAppend, args: []Operand{a, b}} }

// IfNotExists is if_not_exists(path, b) on the right side of SET.
func IfNotExists(p Path, b Operand) Operand {
	return Operand{kind: opIfNotExists, path: p, args: []Operand{b}}
}

func condition(kind termKind, args ...Operand) *Condition {
	return &Condition{term{kind: kind, args: args}}
}

// Compare is a comparison of two operands.
func Compare(op Comparison, a, b Operand) *Condition {
	return &Condition{term{kind: termCompare, op: op, args: []Operand{a, b}}}
}

// Between is low <= a <= high.
func Between(a, low, high Operand) *Condition { return condition(termBetween, a, low, high) }

// In is true if a equals one of the list.
func In(a Operand, list ...Operand) *Condition {
	return condition(termIn, append([]Operand{a}, list...)...)
}

// Exists is attribute_exists(p).
func Exists(p Path) *Condition { return condition(termExists, At(p)) }

// NotExists is attribute_not_exists(p).
func NotExists(p Path) *Condition { return condition(termNotExists, At(p)) }

// TypeIs is attribute_type(p, k).
func TypeIs(p Path, k attr.Kind) *Condition {
	return &Condition{term{kind: termType, only: k, args: []Operand{At(p)}}}
}

// BeginsWith is begins_with(a, prefix).
func BeginsWith(a, prefix Operand) *Condition { return condition(termBeginsWith, a, prefix) }

// Contains is contains(a, b).
func Contains(a, b Operand) *Condition { return condition(termContains, a, b) }

// And is true if all of the list are; it is nil, which matches everything, for an
// empty list.
func And(list ...*Condition) *Condition { return join(termAnd, list) }

// Or is true if one of the list is; it is nil, which matches everything, for an
// empty list.
func Or(list ...*Condition) *Condition { return join(termOr, list) }

// Not is true if c is not.
func Not(c *Condition) *Condition {
	return &Condition{term{kind: termNot, parts: []term{c.term()}}}
}

func join(kind termKind, list []*Condition) *Condition {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	parts := make([]term, len(list))
	for i, c := range list {
		parts[i] = c.term()
	}
	return &Condition{term{kind: kind, parts: parts}}
}

// term is the condition's root; that of the nil Condition is always true.
func (c *Condition) term() term {
	if c == nil {
		return term{kind: termAnd}
	}
	return c.root
}
