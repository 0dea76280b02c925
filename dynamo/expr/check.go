package expr

import "strconv"

// function is a function of the language.
type function uint8

const (
	fnUnknown function = iota
	fnExists
	fnNotExists
	fnType
	fnBeginsWith
	fnContains
	fnSize
	fnIfNotExists
	fnListAppend
)

// functionOf is the function of that name, which counts in its exact case.
func functionOf(name string) function {
	switch name {
	case "attribute_exists":
		return fnExists
	case "attribute_not_exists":
		return fnNotExists
	case "attribute_type":
		return fnType
	case "begins_with":
		return fnBeginsWith
	case "contains":
		return fnContains
	case "size":
		return fnSize
	case "if_not_exists":
		return fnIfNotExists
	case "list_append":
		return fnListAppend
	}
	return fnUnknown
}

// inUpdate tells whether f belongs to updates; the others belong to conditions.
func (f function) inUpdate() bool { return f >= fnIfNotExists }

// isNested tells whether f may be an operand of something else.
func (f function) isNested() bool { return f == fnSize || f == fnIfNotExists }

// check refuses unknown and misplaced functions, reserved words and indexes out
// of range, whichever comes first in the source, then sections used twice. It
// counts what binding will allocate.
func (t *tree) check() error {
	switch t.kind {
	case UpdateExpression:
		for _, c := range t.actions {
			if err := t.checkClause(c); err != nil {
				return err
			}
		}
		return t.checkSections()
	case ProjectionExpression:
		for _, path := range t.paths {
			if err := t.checkPath(path); err != nil {
				return err
			}
		}
		return nil
	}
	return t.checkCondition(t.root)
}

func (t *tree) checkCondition(n int32) error {
	t.size.terms++
	nd := &t.nodes[n]
	switch nd.kind {
	case nodeOr, nodeAnd, nodeNot:
		t.size.operators += max(1, int(nd.count)-1)
		for c := nd.first; c != 0; c = t.nodes[c].next {
			if err := t.checkCondition(c); err != nil {
				return err
			}
		}
		return nil
	case nodeCall:
		if err := t.checkCall(nd, false); err != nil {
			return err
		}
	}
	t.size.operators++
	return t.checkOperands(nd)
}

func (t *tree) checkOperands(nd *node) error {
	for c := nd.first; c != 0; c = t.nodes[c].next {
		if err := t.checkOperand(c); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) checkOperand(n int32) error {
	t.size.operands++
	nd := &t.nodes[n]
	switch nd.kind {
	case nodePath:
		return t.checkPath(n)
	case nodeCall:
		t.size.operators++
		if err := t.checkCall(nd, true); err != nil {
			return err
		}
		return t.checkOperands(nd)
	}
	return nil
}

// checkCall refuses a function that is not known, or not for this kind of
// expression, or not for this place in it.
func (t *tree) checkCall(nd *node, nested bool) error {
	f := functionOf(nd.text)
	message := ""
	switch {
	case f == fnUnknown:
		message = "Invalid function name; function: "
	case t.kind == UpdateExpression && !f.inUpdate():
		message = "The function is not allowed in an update expression; function: "
	case t.kind != UpdateExpression && f.inUpdate():
		message = "The function is not allowed in a condition expression; function: "
	case nested != f.isNested() && (nested || f == fnSize):
		message = "The function is not allowed to be used this way in an expression; function: "
	default:
		return nil
	}
	return t.kind.invalid(message + nd.text)
}

func (t *tree) checkPath(n int32) error {
	for _, s := range t.stepsOf(n) {
		switch {
		case s.kind == tokWord && isReserved(s.text):
			return t.kind.invalid("Attribute name is a reserved keyword; reserved keyword: " + s.text)
		case s.kind == tokIndex && !indexInRange(s.text):
			return t.kind.invalid("List index is not within the allowable range; index: [" + s.text + "]")
		}
	}
	return nil
}

func indexInRange(digits string) bool {
	_, err := strconv.ParseInt(digits, 10, 32)
	return err == nil
}

func (t *tree) checkClause(c clause) error {
	if err := t.checkPath(c.path); err != nil || c.verb != Set {
		return err
	}
	nd := &t.nodes[c.value]
	switch nd.kind {
	case nodeArithmetic:
		t.size.operators++
	case nodeCall:
		t.size.operators++
		if err := t.checkCall(nd, false); err != nil {
			return err
		}
	default:
		return t.checkOperand(c.value)
	}
	return t.checkOperands(nd)
}

func (t *tree) checkSections() error {
	var seen [Delete + 1]bool
	for _, c := range t.actions {
		if c.opens && seen[c.verb] {
			return t.kind.invalid(`The "` + c.verb.String() + `" section can only be used once in an update expression;`)
		}
		seen[c.verb] = true
	}
	return nil
}
