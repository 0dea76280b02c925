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

// action is conditional for the actions of a transaction, which know fewer
// members.
func (c *call) action(name string, q *engine.Conditional) error {
	switch name {
	case "ConditionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues", "ReturnValuesOnConditionCheckFailure":
		return c.conditional(name, q)
	}
	return c.in.Skip()
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
	if err := c.in.BeginMap("ExpectedAttributeValue"); err != nil {
		return err
	}
	list := []expr.Expectation{}
	err := c.members(func(attribute string) error {
		if err := c.in.BeginMember("ExpectedAttributeValue"); err != nil {
			return err
		}
		x := expr.Expectation{Attribute: attribute}
		err := c.members(func(name string) error {
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
		list = append(list, x)
		return err
	})
	*into = list
	return err
}

func (c *call) conditions(into *[]expr.LegacyCondition) error {
	if err := c.in.BeginMap("Condition"); err != nil {
		return err
	}
	list := []expr.LegacyCondition{}
	err := c.members(func(attribute string) error {
		if err := c.in.BeginMember("Condition"); err != nil {
			return err
		}
		x := expr.LegacyCondition{Attribute: attribute}
		err := c.members(func(name string) error {
			switch name {
			case "ComparisonOperator":
				return c.word(&x.Operator)
			case "AttributeValueList":
				return c.valueList(&x.Values, &x.Invalid)
			}
			return c.in.Skip()
		})
		list = append(list, x)
		return err
	})
	*into = list
	return err
}

func (c *call) updates(into *[]expr.AttributeUpdate) error {
	if err := c.in.BeginMap("AttributeValueUpdate"); err != nil {
		return err
	}
	list := []expr.AttributeUpdate{}
	err := c.members(func(attribute string) error {
		if err := c.in.BeginMember("AttributeValueUpdate"); err != nil {
			return err
		}
		x := expr.AttributeUpdate{Attribute: attribute}
		err := c.members(func(name string) error {
			switch name {
			case "Action":
				return c.word(&x.Action)
			case "Value":
				return c.value(&x.Value, true, &x.Invalid)
			}
			return c.in.Skip()
		})
		list = append(list, x)
		return err
	})
	*into = list
	return err
}
