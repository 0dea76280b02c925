package partiql

import (
	"strings"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// update is what the SET and REMOVE clauses of an UPDATE do, and which paths they write.
func (b *binder) update(nodes []*node) (*expr.Update, []expr.Path, error) {
	b.begin()
	actions := make([]expr.Action, len(nodes))
	targets := make([]expr.Path, len(nodes))
	for i, n := range nodes {
		action, err := b.action(n)
		if err != nil {
			return nil, nil, err
		}
		actions[i], targets[i] = action, action.Path
	}
	if err := checkPaths(targets); err != nil {
		return nil, nil, err
	}
	if b.fault != nil {
		return nil, nil, b.fault
	}
	u, err := expr.NewUpdate(actions...)
	if err != nil {
		return nil, nil, refuse("%s", err)
	}
	return u, targets, nil
}

func (b *binder) action(n *node) (expr.Action, error) {
	path, err := pathOf(n.kids[0])
	if err != nil {
		return expr.Action{}, err
	}
	if n.kind == nodeRemove {
		return expr.Action{Verb: expr.Remove, Path: path}, nil
	}
	value := n.kids[1]
	if value.kind == nodeCall {
		switch strings.ToLower(value.tok.text) {
		case "set_add":
			return b.setAction(expr.Add, path, value)
		case "set_delete":
			return b.setAction(expr.Delete, path, value)
		}
	}
	v, err := b.assigned(value)
	if err != nil {
		return expr.Action{}, err
	}
	return expr.Action{Verb: expr.Set, Path: path, Value: v.operand}, nil
}

// setAction is SET a = set_add(a, <<...>>) or set_delete.
func (b *binder) setAction(verb expr.Verb, target expr.Path, call *node) (expr.Action, error) {
	name := strings.ToUpper(call.tok.text)
	if len(call.kids) != 2 {
		return expr.Action{}, refuse("%s must have exactly two arguments%s", name, call.place())
	}
	first, second := call.kids[0], call.kids[1]
	var path expr.Path
	if isPath(first) {
		var err error
		if path, err = pathOf(first); err != nil {
			return expr.Action{}, err
		}
	}
	if path == nil || !samePath(path, target) {
		return expr.Action{}, refuse("The first argument to %s must equal the assignment value%s", name, call.place())
	}
	var value attr.Value
	if second.kind == nodeBag || second.kind == nodeParameter {
		var err error
		if value, err = b.value(second); err != nil {
			return expr.Action{}, err
		}
	}
	if !value.Kind().IsSet() {
		if first.kind == nodePath {
			first = first.kids[0]
		}
		return expr.Action{}, refuse("The second argument to %s must be a value with type SET%s", name, first.place())
	}
	return expr.Action{Verb: verb, Path: target, Value: expr.Literal(value)}, nil
}

// assigned is a value on the right side of SET, and its type where that is known.
type assigned struct {
	operand expr.Operand
	path    expr.Path
	kind    attr.Kind
}

func (b *binder) assigned(n *node) (assigned, error) {
	switch n.kind {
	case nodeName, nodePath:
		path, err := pathOf(n)
		if err != nil {
			return assigned{}, err
		}
		return assigned{operand: expr.At(path), path: path}, nil
	case nodeMissing:
		return assigned{}, refuse(msgMissing)
	case nodeUnary, nodeBinary, nodeBetween:
		return b.arithmetic(n)
	case nodeIs:
		return assigned{}, refuse("IS operator is not supported in update expressions")
	case nodeCall:
		if n.constructor() == 0 {
			return b.updateFunction(n)
		}
	case nodeAggregate, nodeExotic, nodeSelect, nodeChange:
		return assigned{}, unsupportedToken(n)
	}
	v, err := b.value(n)
	if err != nil {
		return assigned{}, err
	}
	return assigned{operand: expr.Literal(v), kind: v.Kind()}, nil
}

func (b *binder) arithmetic(n *node) (assigned, error) {
	op := n.tok.text
	if op != "+" && op != "-" {
		return assigned{}, refuse("Unsupported operator in Update Expression. Operator: %s", strings.TrimPrefix(op, "not_"))
	}
	operands, err := b.assignedAll(n.kids)
	if err != nil {
		return assigned{}, err
	}
	if len(operands) != 2 {
		b.note(wrongNumber(op, len(operands)))
		return assigned{kind: attr.Number}, nil
	}
	for _, o := range operands {
		if o.kind != 0 && o.kind != attr.Number {
			b.note(wrongType(op, o.kind))
		}
	}
	sum := expr.Plus
	if op == "-" {
		sum = expr.Minus
	}
	return assigned{operand: sum(operands[0].operand, operands[1].operand), kind: attr.Number}, nil
}

func (b *binder) assignedAll(nodes []*node) ([]assigned, error) {
	list := make([]assigned, len(nodes))
	for i, n := range nodes {
		var err error
		if list[i], err = b.assigned(n); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (b *binder) updateFunction(n *node) (assigned, error) {
	name := strings.ToLower(n.tok.text)
	operands, err := b.assignedAll(n.kids)
	if err != nil {
		return assigned{}, err
	}
	arity, ok := updateFunctions[name]
	if !ok {
		if _, ok := functions[name]; ok {
			return assigned{}, refuse("The function is not allowed in an update expression; function: %s", name)
		}
		return assigned{}, unrecognized(n)
	}
	if len(operands) != arity {
		b.note(wrongNumber(name, len(operands)))
		return assigned{}, nil
	}
	if name == "if_not_exists" {
		if operands[0].path == nil {
			b.note(needsPath(name))
		}
		b.checkDistinct(name, []operand{{path: operands[0].path}, {path: operands[1].path}})
		return assigned{operand: expr.IfNotExists(operands[0].path, operands[1].operand)}, nil
	}
	for _, o := range operands {
		if o.kind != 0 && o.kind != attr.List {
			b.note(wrongType(name, o.kind))
		}
	}
	return assigned{operand: expr.ListAppend(operands[0].operand, operands[1].operand), kind: attr.List}, nil
}
