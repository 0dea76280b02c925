package engine

import "strings"

// validate checks what can be checked without the table, in DynamoDB's
// order: shape, mixing of parameters, attribute values, expressions.
func (r *PutItem) validate(l layer) (*prepared, error) {
	if err := l.unnamed(r.TableName); err != nil && r.Item != nil {
		return nil, err
	}
	var c checks
	c.capacity(r.ReturnConsumedCapacity)
	c.tableName(r.TableName)
	c.present("item", r.Item != nil || r.Invalid.Err != nil)
	c.logical(r.ConditionalOperator)
	r.checkExpected(&c)
	c.returnValues(r.ReturnValues)
	c.collections(r.ReturnCollections)
	c.onFailure(r.ReturnOnFailure)
	if err := c.err(); err != nil {
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
	if r.ReturnValues != "" && r.ReturnValues != "ALL_OLD" && r.ReturnValues != "NONE" {
		return nil, l.word(invalid("ReturnValues can only be ALL_OLD or NONE"))
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

func (c *Conditional) checkExpected(into *checks) {
	for _, x := range c.Expected {
		if x.Operator != "" {
			into.comparison("expected", x.Attribute, x.Operator)
		}
	}
}
