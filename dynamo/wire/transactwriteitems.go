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
	a, err := c.h.db.TransactWrite(c.ctx, &q)
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
			a.Given++
			a.Put = new(engine.PutItem)
			return c.transactPut(a.Put)
		case "Update":
			a.Given++
			a.Update = new(engine.UpdateItem)
			return c.transactUpdate(a.Update)
		case "Delete":
			a.Given++
			a.Delete = new(engine.DeleteItem)
			return c.transactDelete(a.Delete)
		case "ConditionCheck":
			a.Given++
			a.Check = new(engine.ConditionCheck)
			return c.transactCheck(a.Check)
		}
		return c.in.Skip()
	})
}

func (c *call) transactPut(q *engine.PutItem) error {
	if err := c.in.BeginStruct("Put"); err != nil {
		return err
	}
	return c.members(func(name string) error {
		switch name {
		case "TableName":
			return c.text(&q.TableName)
		case "Item":
			return c.item(&q.Item, &q.Invalid)
		}
		return c.action(name, &q.Conditional)
	})
}

func (c *call) transactUpdate(q *engine.UpdateItem) error {
	if err := c.in.BeginStruct("Update"); err != nil {
		return err
	}
	return c.members(func(name string) error {
		switch name {
		case "TableName":
			return c.text(&q.TableName)
		case "Key":
			return c.item(&q.Key, &q.Invalid)
		case "UpdateExpression":
			return c.text(&q.UpdateExpression)
		}
		return c.action(name, &q.Conditional)
	})
}

func (c *call) transactDelete(q *engine.DeleteItem) error {
	if err := c.in.BeginStruct("Delete"); err != nil {
		return err
	}
	return c.members(func(name string) error {
		switch name {
		case "TableName":
			return c.text(&q.TableName)
		case "Key":
			return c.item(&q.Key, &q.Invalid)
		}
		return c.action(name, &q.Conditional)
	})
}

func (c *call) transactCheck(q *engine.ConditionCheck) error {
	if err := c.in.BeginStruct("ConditionCheck"); err != nil {
		return err
	}
	return c.members(func(name string) error {
		switch name {
		case "TableName":
			return c.text(&q.TableName)
		case "Key":
			return c.item(&q.Key, &q.Invalid)
		}
		return c.action(name, &q.Conditional)
	})
}
