package partiql

import "slices"

// check refuses document paths into key attributes.
func (pl *planner) check(b *Bound) error {
	if err := checkScalarPaths(conjuncts(b.where), pl.keys, "Key: "); err != nil {
		return err
	}
	for _, c := range b.columns {
		if err := checkScalarPath(c.path, pl.keys, "Key: "); err != nil {
			return err
		}
	}
	return nil
}

// checkKeyTypes checks the values with which a conjunction compares key attributes. The
// sort key's conditions come first; those that are no key conditions have a message of
// their own, and so has IN.
func (pl *planner) checkKeyTypes(br *branch) error {
	for i, term := range br.sorts {
		if err := pl.checkTerm(term, i == 0 && term.test != testIn); err != nil {
			return err
		}
	}
	for i, term := range br.keys {
		if err := pl.checkTerm(term, i == 0 && term.test != testIn); err != nil {
			return err
		}
	}
	for _, term := range br.others {
		if err := pl.checkTypes(term); err != nil {
			return err
		}
	}
	return nil
}

// checkTypes checks everything that a predicate compares key attributes with.
func (pl *planner) checkTypes(p *predicate) error {
	var first error
	p.walk(func(p *predicate) {
		if first == nil {
			first = pl.checkTerm(p, false)
		}
	})
	return first
}

// checkTerm checks the literals that one test compares a key attribute with. One that
// compares it with other attributes as well is not checked.
func (pl *planner) checkTerm(p *predicate, isKey bool) error {
	switch p.test {
	case testCompare, testBetween, testIn, testBegins, testContains:
	default:
		return nil
	}
	operands := p.operands
	if p.test == testCompare && operands[0].path == nil {
		operands = []operand{operands[1], operands[0]}
	}
	for _, k := range pl.keys {
		if !operands[0].is(k.Name) || slices.ContainsFunc(operands[1:], func(o operand) bool { return o.value == nil }) {
			continue
		}
		for _, o := range operands[1:] {
			if o.value.Kind() != k.Kind && !isKey {
				return refuse("One or more parameter values were invalid: Condition parameter type does not match schema type")
			}
			if err := checkKey(o.value, k); err != nil {
				return err
			}
		}
	}
	return nil
}
