package wire

import (
	"pressroom/dynamo/engine"
	"pressroom/dynamo/expr"
)

// The members that several operations share.

// conditional reads a member of a conditional write, and skips one that it
// does not know.
func (c *call) conditional(name string, q *engine.Conditional) error {
	switch name {
	case "ConditionExpression":
		return c.text(&q.ConditionExpression)
	case "ExpressionAttributeNames":
		return c.names(&q.Placeholders)
	case "ExpressionAttributeValues":
		return c.values(&q.Placeholders)
	case "Expected":
		return c.expected(&q.Expected)
	case "ConditionalOperator":
		return c.word(&q.ConditionalOperator)
	case "ReturnValues":
		return c.word(&q.ReturnValues)
	case "ReturnConsumedCapacity":
		return c.word(&q.ReturnConsumedCapacity)
	case "ReturnItemCollectionMetrics":
		return c.word(&q.ReturnCollections)
	case "ReturnValuesOnConditionCheckFailure":
		return c.word(&q.ReturnOnFailure)
	}
	return c.in.Skip()
}

// keyed reads a member of a conditional write that has a key.
func (c *call) keyed(name string, q *engine.Keyed) error {
	switch name {
	case "TableName":
		return c.text(&q.TableName)
	case "Key":
		return c.item(&q.Key, &q.Invalid)
	}
	return c.conditional(name, &q.Conditional)
}

// projected reads a member of a read, and skips one that it does not know.
func (c *call) projected(name string, q *engine.Projected) error {
	switch name {
	case "ProjectionExpression":
		return c.text(&q.ProjectionExpression)
	case "AttributesToGet":
		return c.texts(&q.AttributesToGet)
	case "ExpressionAttributeNames":
		return c.names(&q.Placeholders)
	}
	return c.in.Skip()
}

func (c *call) expected(into *[]expr.Expectation) error {
	attribute := func(x *expr.Expectation) *string { return &x.Attribute }
	return byAttribute(c, "ExpectedAttributeValue", into, attribute, func(name string, x *expr.Expectation) error {
		switch name {
		case "Value":
			return c.value(&x.Value, true, &x.Invalid)
		case "Exists":
			return c.optionalFlag(&x.Exists)
		case "ComparisonOperator":
			return c.word(&x.Operator)
		case "AttributeValueList":
			x.HasValues = true
			return c.valueList(&x.Values, &x.Invalid)
		}
		return c.in.Skip()
	})
}

func (c *call) conditions(into *[]expr.LegacyCondition) error {
	attribute := func(x *expr.LegacyCondition) *string { return &x.Attribute }
	return byAttribute(c, "Condition", into, attribute, func(name string, x *expr.LegacyCondition) error {
		switch name {
		case "ComparisonOperator":
			return c.word(&x.Operator)
		case "AttributeValueList":
			return c.valueList(&x.Values, &x.Invalid)
		}
		return c.in.Skip()
	})
}

func (c *call) updates(into *[]expr.AttributeUpdate) error {
	attribute := func(x *expr.AttributeUpdate) *string { return &x.Attribute }
	return byAttribute(c, "AttributeValueUpdate", into, attribute, func(name string, x *expr.AttributeUpdate) error {
		switch name {
		case "Action":
			return c.word(&x.Action)
		case "Value":
			return c.value(&x.Value, true, &x.Invalid)
		}
		return c.in.Skip()
	})
}

// byAttribute reads a map from the names of attributes to structures of one
// class, whose members member reads.
func byAttribute[T any](c *call, class string, into *[]T, attribute func(*T) *string, member func(name string, x *T) error) error {
	if err := c.in.BeginMap(class); err != nil {
		return err
	}
	list := []T{}
	err := c.members(func(key string) error {
		if err := c.in.BeginMember(class); err != nil {
			return err
		}
		var x T
		*attribute(&x) = key
		err := c.members(func(name string) error { return member(name, &x) })
		list = append(list, x)
		return err
	})
	*into = list
	return err
}

// putTable puts what a batch does to a table into the list: the last of a name
// given twice counts.
func putTable[T any](list *[]T, places map[string]int, table string, t T) {
	if i, again := places[table]; again {
		(*list)[i] = t
		return
	}
	places[table] = len(*list)
	*list = append(*list, t)
}
