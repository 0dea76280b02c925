package expr

import "pressroom/dynamo/attr"

// KeyOp is an operator of a key condition.
type KeyOp uint8

// The operators of key conditions. KeyNone stands for "no condition".
const (
	KeyNone KeyOp = iota
	KeyEqual
	KeyLess
	KeyLessEqual
	KeyGreater
	KeyGreaterEqual
	KeyBetween
	KeyBeginsWith

	keyUnindexed // an operator of KeyConditions that Fit refuses
)

// KeyTerm is one condition on one attribute.
type KeyTerm struct {
	Attribute string
	Op        KeyOp
	Values    []attr.Value // one; two for KeyBetween
}

// KeyCondition is a parsed KeyConditionExpression or KeyConditions: conditions
// that all hold, on different attributes.
type KeyCondition struct{ Terms []KeyTerm }

// ParseKeyCondition parses a KeyConditionExpression, which has the grammar of a
// condition and much less freedom. Whether its attributes are a key is for Fit.
func ParseKeyCondition(src string, env *Env) (*KeyCondition, error) {
	t, err := parsed(KeyConditionExpression, src)
	if err != nil {
		return nil, err
	}
	b := newBinder(t, env)
	var root term
	if err := b.condition(t.root, &root); err != nil {
		return nil, err
	}
	if err := b.checkOperators(); err != nil {
		return nil, err
	}
	k := &KeyCondition{Terms: make([]KeyTerm, 0, max(1, len(root.parts)))}
	if fault := k.take(&root); fault != "" {
		return nil, b.invalid(fault)
	}
	return k, nil
}

// take adds the conditions in a term, or says why they cannot be on a key.
func (k *KeyCondition) take(t *term) string {
	if t.kind != termAnd {
		return k.takeOne(t)
	}
	for i := range t.parts {
		if fault := k.take(&t.parts[i]); fault != "" {
			return fault
		}
	}
	return ""
}

func (k *KeyCondition) takeOne(t *term) string {
	op, name := t.keyOp()
	if op == KeyNone {
		return "Invalid operator used in KeyConditionExpression: " + name
	}
	if (op == KeyBetween || op == KeyBeginsWith) && t.args[0].kind != opPath {
		return "Invalid condition in KeyConditionExpression: " + name + " operator must have the key attribute as its first operand"
	}
	at, fault := keyOperand(t.args)
	if fault != "" {
		return fault
	}
	attribute := t.args[at].path[0].Name
	for i := range k.Terms {
		if k.Terms[i].Attribute == attribute {
			return "KeyConditionExpressions must only contain one condition per key"
		}
	}
	if at != 0 {
		op = op.reversed()
	}
	values := make([]attr.Value, 0, 2)
	for i := range t.args {
		if i != at {
			values = append(values, t.args[i].value)
		}
	}
	k.Terms = append(k.Terms, KeyTerm{attribute, op, values})
	return ""
}

// keyOp is the term's operator, KeyNone if keys have no such condition, and its
// name.
func (t *term) keyOp() (KeyOp, string) {
	switch t.kind {
	case termCompare:
		return t.op.keyOp(), t.op.String()
	case termBetween:
		return KeyBetween, "BETWEEN"
	case termBeginsWith:
		return KeyBeginsWith, "begins_with"
	case termOr:
		return KeyNone, "OR"
	case termNot:
		return KeyNone, "NOT"
	case termIn:
		return KeyNone, "IN"
	case termExists:
		return KeyNone, "attribute_exists"
	case termNotExists:
		return KeyNone, "attribute_not_exists"
	case termType:
		return KeyNone, "attribute_type"
	}
	return KeyNone, "contains"
}

func (c Comparison) keyOp() KeyOp {
	switch c {
	case Equal:
		return KeyEqual
	case Less:
		return KeyLess
	case LessEqual:
		return KeyLessEqual
	case Greater:
		return KeyGreater
	case GreaterEqual:
		return KeyGreaterEqual
	}
	return KeyNone
}

// reversed is the operator with its sides exchanged: 5 < a is a > 5.
func (o KeyOp) reversed() KeyOp {
	switch o {
	case KeyLess:
		return KeyGreater
	case KeyLessEqual:
		return KeyGreaterEqual
	case KeyGreater:
		return KeyLess
	case KeyGreaterEqual:
		return KeyLessEqual
	}
	return o
}

// keyOperand is which of the operands is the attribute; the others must be
// literals.
func keyOperand(args []Operand) (at int, fault string) {
	at = -1
	for i := range args {
		switch o := &args[i]; o.kind {
		case opPath:
			if at >= 0 {
				return 0, "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"
			}
			if len(o.path) > 1 {
				return 0, "KeyConditionExpressions cannot have conditions on nested attributes"
			}
			at = i
		case opSize:
			return 0, "KeyConditionExpressions cannot contain nested operations"
		}
	}
	if at < 0 {
		return 0, "Invalid condition in KeyConditionExpression: No key attribute specified"
	}
	return at, ""
}
