package partiql

import (
	"encoding/base64"
	"strings"

	"pressroom/dynamo/attr"
)

// The checks of operands that the service makes before it looks at any table. Only scalars
// of one kind have an order, so checkBounds comes after checkOrdered.

func wrongType(operator string, kind attr.Kind) error {
	return refuse("Incorrect operand type for operator or function; operator or function: %s, operand type: %s", operator, kind)
}

func wrongNumber(operator string, n int) error {
	return refuse("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", operator, n)
}

func needsPath(operator string) error {
	return refuse("Operator or function requires a document path; operator or function: %s", operator)
}

// checkOrdered refuses operands of a type that has no order.
func (b *binder) checkOrdered(operator string, operands []operand) {
	for _, o := range operands {
		switch kind := o.kind(); kind {
		case 0, attr.Number, attr.String, attr.Binary:
		default:
			b.note(wrongType(operator, kind))
		}
	}
}

// checkDistinct refuses a path that is compared with itself.
func (b *binder) checkDistinct(operator string, operands []operand) {
	first := operands[0].path
	for _, o := range operands[1:] {
		if first != nil && o.path != nil && samePath(first, o.path) {
			b.note(refuse("The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s", operator, pathText(first)))
		}
	}
}

// checkBounds refuses literal bounds of BETWEEN that are of two types or in wrong order.
func (b *binder) checkBounds(low, high attr.Value) {
	if low == nil || high == nil {
		return
	}
	order, comparable := attr.Compare(low, high)
	what := ""
	switch {
	case !comparable:
		what = "same data type for lower and upper bounds"
	case order > 0:
		what = "upper bound to be greater than or equal to lower bound"
	default:
		return
	}
	b.note(refuse("The BETWEEN operator requires %s; lower bound operand: AttributeValue: %s, upper bound operand: AttributeValue: %s", what, valueText(low), valueText(high)))
}

// valueText is a scalar as messages show it: {N:1}.
func valueText(v attr.Value) string {
	text := ""
	switch v.Kind() {
	case attr.Number:
		text = v.Number()
	case attr.Binary:
		text = base64.StdEncoding.EncodeToString(v.Bytes())
	default:
		text = strings.Clone(v.Text())
	}
	return "{" + v.Kind().String() + ":" + text + "}"
}
