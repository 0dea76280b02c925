package partiql

import (
	"slices"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// A condition may be used as a value: attribute_exists(a) = true. The expression language
// has no such operands, so these comparisons are rewritten into conditions alone.

// compare is a comparison of two operands.
func compare(op expr.Comparison, a, b operand) (*predicate, error) {
	if a.truth == nil {
		a, b = b, a
	}
	if a.truth == nil {
		return &predicate{test: testCompare, op: op, operands: []operand{b, a}}, nil
	}
	equal, err := equalTruth(a.truth, b)
	if err != nil {
		return nil, err
	}
	return negateIf(op == expr.NotEqual, equal), nil
}

// equalTruth is truth = o.
func equalTruth(truth *predicate, o operand) (*predicate, error) {
	var yes, no *predicate
	switch {
	case o.value != nil && o.value.Kind() == attr.Bool:
		return negateIf(!o.value.Bool(), truth), nil
	case o.truth != nil:
		yes, no = o.truth, negate(o.truth)
	case o.path != nil:
		yes, no = isBool(o, true), isBool(o, false)
	default:
		return constant(false), nil
	}
	return spread(either(all(truth, yes), all(negate(truth), no)), truth, o.truth)
}

func isBool(o operand, truth bool) *predicate {
	return &predicate{test: testCompare, op: expr.Equal, operands: []operand{o, {value: attr.NewBool(truth)}}}
}

// among is IN: one that involves truths is a row of comparisons.
func among(operands []operand) (*predicate, error) {
	if !slices.ContainsFunc(operands, func(o operand) bool { return o.truth != nil }) {
		return &predicate{test: testIn, operands: operands}, nil
	}
	p := &predicate{test: testOr}
	for _, o := range operands[1:] {
		part, err := compare(expr.Equal, operands[0], o)
		if err != nil {
			return nil, err
		}
		p.parts = append(p.parts, part)
	}
	return spread(p, operands[0].truth)
}

// spread marks a predicate in which others stand more than once. Doing so again inside of
// it would double the work with every level, so it is refused.
func spread(p *predicate, repeated ...*predicate) (*predicate, error) {
	for _, truth := range repeated {
		nested := false
		truth.walk(func(p *predicate) { nested = nested || p.spread })
		if nested {
			return nil, refuse("Unsupported operator in Condition Expression. Operator: =")
		}
	}
	p.spread = true
	return p, nil
}
