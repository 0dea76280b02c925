package expr

import (
	"encoding/base64"
	"slices"
	"strconv"

	"pressroom/dynamo/attr"
)

// Operands are checked before an item is seen, as far as they are known: a
// literal has a type, size() is a number, a path can be anything.

// kindOf is the operand's type, 0 if it is not known.
func (o *Operand) kindOf() attr.Kind {
	switch o.kind {
	case opValue:
		return o.value.Kind()
	case opSize:
		return attr.Number
	}
	return 0
}

func isNumber(k attr.Kind) bool { return k == attr.Number }
func isList(k attr.Kind) bool   { return k == attr.List }
func isScalar(k attr.Kind) bool { return k == attr.Number || k == attr.String || k == attr.Binary }
func isText(k attr.Kind) bool   { return k == attr.String || k == attr.Binary }
func isSized(k attr.Kind) bool  { return k != attr.Number && k != attr.Bool && k != attr.Null }

// checkKinds refuses the first operand of a known type that is not allowed.
func (b *binder) checkKinds(operator string, args []Operand, allowed func(attr.Kind) bool) error {
	for i := range args {
		if k := args[i].kindOf(); k != 0 && !allowed(k) {
			return b.wrongKind(operator, k.String())
		}
	}
	return nil
}

func (b *binder) wrongKind(operator, kind string) error {
	return b.invalid("Incorrect operand type for operator or function; operator or function: " + operator + ", operand type: " + kind)
}

// checkDistinct refuses a path that is compared with itself.
func (b *binder) checkDistinct(operator string, args []Operand) error {
	first := &args[0]
	if first.kind != opPath {
		return nil
	}
	for i := range args[1:] {
		if o := &args[i+1]; o.kind == opPath && slices.Equal(o.path, first.path) {
			return b.invalid("The first operand must be distinct from the remaining operands for this operator or function; operator: " +
				operator + ", first operand: " + first.path.String())
		}
	}
	return nil
}

func (b *binder) checkCompare(op Comparison, args []Operand) error {
	if err := b.checkDistinct(op.String(), args); err != nil || op <= NotEqual {
		return err
	}
	return b.checkKinds(op.String(), args, isScalar)
}

func (b *binder) checkIn(args []Operand) error {
	if err := b.checkDistinct("IN", args); err != nil {
		return err
	}
	if n := len(args) - 1; n > maxIn {
		return b.invalid("The IN operator is provided with too many operands; number of operands: " + strconv.Itoa(n))
	}
	return nil
}

func (b *binder) checkBetween(args []Operand) error {
	if err := b.checkKinds("BETWEEN", args, isScalar); err != nil {
		return err
	}
	if err := b.checkDistinct("BETWEEN", args); err != nil {
		return err
	}
	if args[1].kind != opValue || args[2].kind != opValue {
		return nil
	}
	low, high := args[1].value, args[2].value
	fault := ""
	if c, ok := attr.Compare(low, high); !ok {
		fault = "same data type for lower and upper bounds"
	} else if c > 0 {
		fault = "upper bound to be greater than or equal to lower bound"
	} else {
		return nil
	}
	return b.invalid("The BETWEEN operator requires " + fault + "; lower bound operand: AttributeValue: " +
		Show(low) + ", upper bound operand: AttributeValue: " + Show(high))
}

// Show writes a number, string or binary as in the service's messages: {N:5}.
func Show(v attr.Value) string {
	text := v.Number()
	switch v.Kind() {
	case attr.String:
		text = v.Text()
	case attr.Binary:
		text = base64.StdEncoding.EncodeToString(v.Bytes())
	}
	return "{" + v.Kind().String() + ":" + text + "}"
}

// arity is the number of operands of a function.
func (f function) arity() int {
	switch f {
	case fnExists, fnNotExists, fnSize:
		return 1
	}
	return 2
}

// checkCall refuses a function with the wrong operands.
func (b *binder) checkCall(f function, name string, args []Operand) error {
	if len(args) != f.arity() {
		return b.invalid("Incorrect number of operands for operator or function; operator or function: " + name +
			", number of operands: " + strconv.Itoa(len(args)))
	}
	switch f {
	case fnType, fnBeginsWith, fnContains, fnIfNotExists:
		if err := b.checkDistinct(name, args); err != nil {
			return err
		}
	}
	switch f {
	case fnExists, fnNotExists, fnIfNotExists:
		if args[0].kind != opPath {
			return b.invalid("Operator or function requires a document path; operator or function: " + name)
		}
	case fnBeginsWith:
		return b.checkKinds(name, args, isText)
	case fnSize:
		return b.checkKinds(name, args, isSized)
	case fnListAppend:
		return b.checkKinds(name, args, isList)
	case fnType:
		return b.checkType(name, &args[1])
	}
	return nil
}

// The service's lists of types, in its order.
const (
	anyType    = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
	validTypes = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
)

// checkType refuses a second operand of attribute_type that does not name a type.
func (b *binder) checkType(name string, o *Operand) error {
	switch k := o.kindOf(); {
	case k == 0:
		return b.wrongKind(name, anyType)
	case k != attr.String || o.kind != opValue:
		return b.wrongKind(name, k.String())
	}
	if _, ok := attr.KindOf(o.value.Text()); !ok {
		return b.invalid("Invalid attribute type name found; type: " + o.value.Text() + ", valid types: " + validTypes)
	}
	return nil
}
