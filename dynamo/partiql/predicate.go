package partiql

import (
	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// test is what a predicate asks.
type test uint8

const (
	testAnd      test = iota + 1 // of parts
	testOr                       // of parts
	testNot                      // of the one part
	testCompare                  // operands 0 and 1
	testBetween                  // operand 0 between 1 and 2
	testIn                       // operand 0 among the others
	testExists                   // a path
	testAbsent                   // a path
	testType                     // a path, and the kind
	testBegins                   // operands 0 and 1
	testContains                 // operands 0 and 1
	testConstant                 // the truth
)

// predicate is a condition on an item, in a form that can still be taken apart for key
// conditions.
type predicate struct {
	test     test
	parts    []*predicate
	operands []operand
	op       expr.Comparison // of testCompare
	kind     attr.Kind       // of testType
	truth    bool            // of testConstant
	spread   bool            // a part of it stands in it more than once
}

// operand is one side of a predicate: exactly one of the fields is set.
type operand struct {
	path  expr.Path
	value attr.Value
	size  expr.Path  // size(path)
	truth *predicate // a condition used as a value
}

// kind is the type that the operand has whatever the item, 0 if it depends on the item.
func (o operand) kind() attr.Kind {
	switch {
	case o.value != nil:
		return o.value.Kind()
	case o.size != nil:
		return attr.Number
	case o.truth != nil:
		return attr.Bool
	}
	return 0
}

func constant(truth bool) *predicate { return &predicate{test: testConstant, truth: truth} }

func negate(p *predicate) *predicate { return &predicate{test: testNot, parts: []*predicate{p}} }

func all(parts ...*predicate) *predicate { return &predicate{test: testAnd, parts: parts} }

func either(parts ...*predicate) *predicate { return &predicate{test: testOr, parts: parts} }

// lower is the predicate as a condition of the expression language.
func (p *predicate) lower() *expr.Condition {
	switch p.test {
	case testAnd:
		return expr.And(lowerAll(p.parts)...)
	case testOr:
		return expr.Or(lowerAll(p.parts)...)
	case testNot:
		return expr.Not(p.parts[0].lower())
	case testExists:
		return expr.Exists(p.operands[0].path)
	case testAbsent:
		return expr.NotExists(p.operands[0].path)
	case testType:
		return expr.TypeIs(p.operands[0].path, p.kind)
	case testConstant:
		yes := expr.Literal(attr.NewBool(true))
		return expr.Compare(expr.Equal, expr.Literal(attr.NewBool(p.truth)), yes)
	}
	operands := make([]expr.Operand, len(p.operands))
	for i, o := range p.operands {
		operands[i] = o.lower()
	}
	switch p.test {
	case testCompare:
		return expr.Compare(p.op, operands[0], operands[1])
	case testBetween:
		return expr.Between(operands[0], operands[1], operands[2])
	case testIn:
		return expr.In(operands[0], operands[1:]...)
	case testBegins:
		return expr.BeginsWith(operands[0], operands[1])
	}
	return expr.Contains(operands[0], operands[1])
}

func lowerAll(parts []*predicate) []*expr.Condition {
	conditions := make([]*expr.Condition, len(parts))
	for i, part := range parts {
		conditions[i] = part.lower()
	}
	return conditions
}

// lower is the operand in the expression language, which has no truth values: those are
// resolved when the predicate is built.
func (o operand) lower() expr.Operand {
	switch {
	case o.path != nil:
		return expr.At(o.path)
	case o.size != nil:
		return expr.SizeOf(o.size)
	}
	return expr.Literal(o.value)
}

// walk visits the predicate and everything below it.
func (p *predicate) walk(visit func(*predicate)) {
	if p == nil {
		return
	}
	visit(p)
	for _, part := range p.parts {
		part.walk(visit)
	}
}

// paths are all document paths that the predicate reads, in order.
func (p *predicate) paths() []expr.Path {
	var paths []expr.Path
	p.walk(func(p *predicate) {
		for _, o := range p.operands {
			if path := o.source(); path != nil {
				paths = append(paths, path)
			}
		}
	})
	return paths
}

// source is the path that the operand reads, nil if none.
func (o operand) source() expr.Path {
	if o.size != nil {
		return o.size
	}
	return o.path
}

// attributes are the names of the attributes that predicates read, each once, in order.
func attributes(parts []*predicate) []string {
	var list []string
	seen := map[string]bool{}
	for _, part := range parts {
		for _, path := range part.paths() {
			if name := path[0].Name; !seen[name] {
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}
