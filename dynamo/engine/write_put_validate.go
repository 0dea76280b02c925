package engine

import "strings"

// validate checks what can be checked without the table, in DynamoDB's
// order: shape, mixing of parameters, attribute values, expressions.
func (r *PutItem) validate(l layer) (*prepared, error) {
	if err := l.unnamed(r.TableName); err != nil && r.Item != nil {
		return nil, err
	}
	if err := r.checkShape(r.TableName, "item", r.Item != nil || r.Invalid.Err != nil); err != nil {
		return nil, err
	}
	if err := r.parameters(nil, nil, false).Check(); err != nil {
		return nil, err
	}
	if err := r.Invalid.Err; err != nil {
		if pinned(err) {
			return nil, err
		}
		return nil, l.value(err)
	}
	if err := r.checkReturns(l); err != nil {
		return nil, err
	}
	if r.Item.Size() > MaxItemSize {
		return nil, invalid("Item size has exceeded the maximum allowed size")
	}
	return r.prepare(l, nil, nil)
}

// pinned tells whether PutItem keeps its old words for what is wrong with a
// value: a set or a null.
func pinned(err error) bool {
	return strings.HasPrefix(err.Error(), "One or more parameter values were invalid: ") ||
		strings.HasPrefix(err.Error(), "Input collection")
}

// checkShape checks what a put and a delete take: member is the item or key, and
// given whether the request has it.
func (c *Conditional) checkShape(table *string, member string, given bool) error {
	var k checks
	k.capacity(c.ReturnConsumedCapacity)
	k.tableName(table)
	k.present(member, given)
	k.logical(c.ConditionalOperator)
	c.checkExpected(&k)
	k.returnValues(c.ReturnValues)
	k.collections(c.ReturnCollections)
	k.onFailure(c.ReturnOnFailure)
	return k.err()
}

// checkReturns refuses the ReturnValues that are UpdateItem's alone.
func (c *Conditional) checkReturns(l layer) error {
	switch c.ReturnValues {
	case "", "ALL_OLD", "NONE":
		return nil
	}
	return l.word(invalid("ReturnValues can only be ALL_OLD or NONE"))
}

func (c *Conditional) checkExpected(into *checks) {
	for _, x := range c.Expected {
		if x.Operator != "" {
			into.comparison("expected", x.Attribute, x.Operator)
		}
	}
}
