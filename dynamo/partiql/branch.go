package partiql

import (
	"slices"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// branch is a conjunction that limits the partition key: which partitions it reads and
// which part of each.
type branch struct {
	partitions []attr.Value
	intervals  []interval   // disjoint, ascending
	keys       []*predicate // what partitions stem from
	sorts      []*predicate // what intervals stem from
	others     []*predicate
	loose      bool // one of others negates a condition on the sort key
}

// branch takes a conjunction apart.
func (pl *planner) branch(terms []*predicate) *branch {
	br := &branch{intervals: []interval{{}}}
	for _, term := range terms {
		if values := term.values(pl.partition()); values != nil {
			br.limit(distinct(values))
			br.keys = append(br.keys, term)
			continue
		}
		if sort := pl.sort(); sort != "" {
			if ivs := term.intervals(sort); ivs != nil {
				br.intervals = intersect(br.intervals, ivs)
				br.sorts = append(br.sorts, term)
				continue
			}
			br.loose = br.loose || term.negates(sort)
		}
		br.others = append(br.others, term)
	}
	return br
}

// limit leaves only partitions that are among values.
func (br *branch) limit(values []attr.Value) {
	if br.keys != nil {
		values = slices.DeleteFunc(values, func(v attr.Value) bool { return !contains(br.partitions, v) })
	}
	br.partitions = values
}

// filter is what is left to ask of an item that was read.
func (br *branch) filter() []*predicate {
	for _, iv := range br.intervals {
		if !iv.exact() {
			return append(slices.Clone(br.sorts), br.others...)
		}
	}
	return br.others
}

// negates tells whether the predicate is a negated condition on the attribute.
func (p *predicate) negates(name string) bool {
	if p.test != testNot && (p.test != testCompare || p.op != expr.NotEqual) {
		return false
	}
	return slices.ContainsFunc(p.paths(), func(path expr.Path) bool { return path[0].Name == name })
}

func distinct(values []attr.Value) []attr.Value {
	var list []attr.Value
	for _, v := range values {
		if !contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

func contains(list []attr.Value, v attr.Value) bool {
	return slices.ContainsFunc(list, func(o attr.Value) bool { return attr.Equal(o, v) })
}

// checkOverlaps refuses alternatives that read the same items of a partition, as far as
// the service refuses them: it looks only at branches of which one limits the sort key,
// and at none that negates a condition on it.
func checkOverlaps(branches []*branch) error {
	for i, a := range branches {
		for _, b := range branches[:i] {
			if a.loose || b.loose || a.sorts == nil && b.sorts == nil {
				continue
			}
			share := slices.ContainsFunc(a.partitions, func(v attr.Value) bool { return contains(b.partitions, v) })
			if share && len(intersect(a.intervals, b.intervals)) > 0 {
				return refuse("Overlapping conditions with range keys are not supported in where clause")
			}
		}
	}
	return nil
}

// partitionsOf are the partitions that branches read, each once, in the order in which
// they are named.
func partitionsOf(branches []*branch) []attr.Value {
	var list []attr.Value
	for _, br := range branches {
		list = append(list, br.partitions...)
	}
	return distinct(list)
}

// intervalsOf are the parts of a partition that branches read, ascending, none overlapping
// another.
func intervalsOf(branches []*branch, partition attr.Value) []interval {
	var list []interval
	for _, br := range branches {
		if contains(br.partitions, partition) {
			list = append(list, br.intervals...)
		}
	}
	return unite(list)
}
