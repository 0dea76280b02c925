package wire

import "pressroom/dynamo/engine"

func transactWriteItems(c *call) error {
	var q engine.TransactWrite
	err := c.input("TransactWriteItemsInput", func(name string) error {
		switch name {
		case "TransactItems":
			q.Actions = []engine.TransactAction{}
			return c.elements(func() error {
				var a engine.TransactAction
				err := c.transactAction(&a)
				q.Actions = append(q.Actions, a)
				return err
			})
		case "ClientRequestToken":
			return c.text(&q.ClientRequestToken)
		case "ReturnConsumedCapacity":
			return c.word(&q.ReturnConsumedCapacity)
		case "ReturnItemCollectionMetrics":
			return c.word(&q.ReturnCollections)
		}
		return c.in.Skip()
	})
	if err != nil {
		return err
	}
	a, err := c.h.db.Load().TransactWrite(c.ctx, &q)
	if err != nil {
		return err
	}
	c.out = append(c.out, '{')
	c.consumedList(a.Capacity, detailOf(q.ReturnConsumedCapacity, true))
	c.collections(a.Collections)
	c.out = append(c.out, '}')
	return nil
}

func (c *call) transactAction(a *engine.TransactAction) error {
	if err := c.in.BeginMember("TransactWriteItem"); err != nil {
		return err
	}
	return c.members(func(name string) error {
		switch name {
		case "Put":
			a.Put = new(engine.PutItem)
			return c.action(a, name, func(name string) error { return c.put(name, a.Put) })
		case "Update":
			a.Update = new(engine.UpdateItem)
			return c.action(a, name, func(name string) error { return c.update(name, a.Update) })
		case "Delete":
			a.Delete = new(engine.DeleteItem)
			return c.action(a, name, func(name string) error { return c.keyed(name, &a.Delete.Keyed) })
		case "ConditionCheck":
			a.Check = new(engine.ConditionCheck)
			return c.action(a, name, func(name string) error { return c.keyed(name, &a.Check.Keyed) })
		}
		return c.in.Skip()
	})
}

// action reads an action of a transaction. It knows fewer members than the same
// write alone, whose member is given.
func (c *call) action(a *engine.TransactAction, class string, member func(name string) error) error {
	a.Given++
	if err := c.in.BeginStruct(class); err != nil {
		return err
	}
	return c.members(func(name string) error {
		switch name {
		case "TableName", "Item", "Key", "UpdateExpression",
			"ConditionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues", "ReturnValuesOnConditionCheckFailure":
			return member(name)
		}
		return c.in.Skip()
	})
}
