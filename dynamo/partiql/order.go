package partiql

import (
	"slices"

	"pressroom/dynamo/expr"
)

// order puts a plan's ranges into the order that ORDER BY asks for. Only the key can be
// ordered by, and only where the WHERE clause says something about the partition key.
func (pl *planner) order(b *Bound, plan *Plan) error {
	keys := b.selection.order
	if len(keys) == 0 {
		return nil
	}
	if b.where == nil {
		return refuse("Must have WHERE clause in the statement when using ORDER BY clause.")
	}
	for _, o := range keys {
		if o.key.kind != nodeName {
			return refuse("Argument to ORDER BY must be of type VariableReference. Type: %s", orderType(o.key))
		}
		if indexOf(pl.keys, o.key.tok.text) < 0 {
			return refuse("Variable reference %s in ORDER BY clause must be part of the primary key", o.key.tok.text)
		}
	}
	if !b.where.limits(pl.partition()) {
		return refuse("Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.")
	}
	if sort, descending := direction(keys, pl.sort()); sort && descending {
		plan.Backward = true
		reversePartitions(plan.Ranges)
	}
	if sort, descending := direction(keys, pl.partition()); sort {
		slices.SortStableFunc(plan.Ranges, func(a, b expr.KeyRange) int {
			if descending {
				a, b = b, a
			}
			return order(a.Partition[0], b.Partition[0])
		})
	}
	return nil
}

// direction tells whether ORDER BY names the attribute, and how.
func direction(keys []ordering, name string) (named, descending bool) {
	for _, o := range keys {
		if o.key.tok.text == name {
			return true, o.descending
		}
	}
	return false, false
}

// limits tells whether the predicate cannot hold without a condition on the attribute.
func (p *predicate) limits(name string) bool {
	part := func(p *predicate) bool { return p.limits(name) }
	switch p.test {
	case testAnd:
		return slices.ContainsFunc(p.parts, part)
	case testOr:
		return !slices.ContainsFunc(p.parts, func(p *predicate) bool { return !p.limits(name) })
	case testNot:
		return p.parts[0].limits(name)
	}
	return slices.ContainsFunc(p.operands, func(o operand) bool { return o.is(name) })
}

// reversePartitions reverses the ranges of each partition, which follow one another.
func reversePartitions(ranges []expr.KeyRange) {
	for start := 0; start < len(ranges); {
		end := start + 1
		for end < len(ranges) && order(ranges[start].Partition[0], ranges[end].Partition[0]) == 0 {
			end++
		}
		slices.Reverse(ranges[start:end])
		start = end
	}
}

// orderType is what a message calls the argument of an ORDER BY that is no attribute.
func orderType(n *node) string {
	switch n.kind {
	case nodePath:
		return "PATH"
	case nodeParameter:
		return "PARAMETER"
	}
	return n.tok.text
}
