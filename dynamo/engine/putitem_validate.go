package engine

// validate checks what can be checked without the table, in DynamoDB's
// order: shape, mixing of parameters, attribute values, expressions.
func (r *PutItem) validate() (*prepared, error) {
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
	if r.Invalid.Err != nil {
		return nil, r.Invalid.Err
	}
	if r.ReturnValues != "" && r.ReturnValues != "ALL_OLD" && r.ReturnValues != "NONE" {
		return nil, invalid("ReturnValues can only be ALL_OLD or NONE")
	}
	if r.Item.Size() > MaxItemSize {
		return nil, invalid("Item size has exceeded the maximum allowed size")
	}
	return r.prepare(nil, nil, nil, false)
}

func (c *Conditional) checkExpected(into *checks) {
	for _, x := range c.Expected {
		if x.Operator != "" {
			into.comparison("expected", x.Attribute, x.Operator)
		}
	}
}
