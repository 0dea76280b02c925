package partiql

import (
	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// Plan is how a SELECT reads a table or index.
type Plan struct {
	// Scan tells to read everything. Otherwise Ranges are read, one after the other; there
	// are none if nothing can match.
	Scan   bool
	Ranges []expr.KeyRange

	// Backward tells to read each range from its end.
	Backward bool

	// Filter is what an item that was read has to satisfy; nil for nothing.
	Filter *expr.Condition

	// Keyed tells that the WHERE clause asks for an equality or IN on the partition key
	// as such, not in an alternative. A keyed read from an index is refused
	// ([FilterNotProjected]) when the index does not project all FilterAttributes; one
	// that is not keyed sees such attributes as missing.
	Keyed            bool
	FilterAttributes []string
}

// Plan is how a SELECT reads, given the key of what it reads from: the table, or the index
// that the statement names. An index with several partition or sort attributes has to be
// refused before ([ErrMultiAttribute]).
func (b *Bound) Plan(schema expr.KeySchema) (*Plan, error) {
	pl := &planner{keys: keyAttributes(schema)}
	if err := pl.check(b); err != nil {
		return nil, err
	}
	plan, err := pl.plan(b.where)
	if err != nil {
		return nil, err
	}
	return plan, pl.order(b, plan)
}

// planner fits a WHERE clause to a key.
type planner struct {
	keys []expr.KeyAttribute // partition and, if there is one, sort attribute
}

func (pl *planner) partition() string { return pl.keys[0].Name }

// sort is the name of the sort attribute, "" if there is none.
func (pl *planner) sort() string {
	if len(pl.keys) < 2 {
		return ""
	}
	return pl.keys[1].Name
}

// plan decides between the reads of some partitions and a scan.
func (pl *planner) plan(where *predicate) (*Plan, error) {
	where = where.normal(false)
	if terms := conjuncts(where); pl.partitions(terms) != nil {
		return pl.single(terms)
	}
	if where != nil && where.test == testOr {
		if plan, err := pl.alternatives(where); plan != nil || err != nil {
			return plan, err
		}
	}
	if err := pl.checkTypes(where); err != nil {
		return nil, err
	}
	plan := &Plan{Scan: true, FilterAttributes: attributes(conjuncts(where))}
	if where != nil {
		plan.Filter = where.lower()
	}
	return plan, nil
}

// partitions are the values of the partition key that the terms allow, as the first of
// them that limits it says; nil if none does.
func (pl *planner) partitions(terms []*predicate) []attr.Value {
	for _, term := range terms {
		if values := term.values(pl.partition()); values != nil {
			return values
		}
	}
	return nil
}

// values are the values that the predicate allows for an attribute by = or IN; nil if it
// is no such predicate.
func (p *predicate) values(name string) []attr.Value {
	if attribute, v := p.equality(); v != nil && attribute == name {
		return []attr.Value{v}
	}
	if p.test != testIn || !p.operands[0].is(name) {
		return nil
	}
	values := make([]attr.Value, 0, len(p.operands)-1)
	for _, o := range p.operands[1:] {
		if o.value == nil {
			return nil
		}
		values = append(values, o.value)
	}
	return values
}

// is tells whether the operand is the attribute as a whole.
func (o operand) is(name string) bool { return len(o.path) == 1 && o.path[0].Name == name }

// single plans a conjunction that limits the partition key.
func (pl *planner) single(terms []*predicate) (*Plan, error) {
	br := pl.branch(terms)
	if err := pl.checkKeyTypes(br); err != nil {
		return nil, err
	}
	filter := br.filter()
	plan := &Plan{Keyed: true, FilterAttributes: attributes(filter)}
	for _, v := range br.partitions {
		for _, iv := range br.intervals {
			plan.Ranges = append(plan.Ranges, iv.keyRange(v))
		}
	}
	if len(filter) > 0 {
		plan.Filter = all(filter...).lower()
	}
	return plan, nil
}

// alternatives plans a disjunction of which every part limits the partition key; nil if
// one does not.
func (pl *planner) alternatives(where *predicate) (*Plan, error) {
	branches := make([]*branch, len(where.parts))
	for i, part := range where.parts {
		terms := conjuncts(part)
		if pl.partitions(terms) == nil {
			return nil, nil
		}
		branches[i] = pl.branch(terms)
	}
	if err := pl.checkTypes(where); err != nil {
		return nil, err
	}
	if err := checkOverlaps(branches); err != nil {
		return nil, err
	}
	plan := &Plan{Filter: where.lower(), FilterAttributes: attributes(where.parts)}
	for _, v := range partitionsOf(branches) {
		for _, iv := range intervalsOf(branches, v) {
			plan.Ranges = append(plan.Ranges, iv.keyRange(v))
		}
	}
	return plan, nil
}

// normal is the predicate with every NOT before a single test.
func (p *predicate) normal(negated bool) *predicate {
	if p == nil {
		return nil
	}
	switch p.test {
	case testNot:
		return p.parts[0].normal(!negated)
	case testAnd, testOr:
		n := &predicate{test: p.test}
		if negated {
			n.test = testAnd + testOr - p.test
		}
		for _, part := range p.parts {
			part = part.normal(negated)
			if part.test == n.test {
				n.parts = append(n.parts, part.parts...)
				continue
			}
			n.parts = append(n.parts, part)
		}
		return n
	}
	return negateIf(negated, p)
}
