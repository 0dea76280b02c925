package wire

import "pressroom/dynamo/engine"

func updateItem(c *call) error {
	var q engine.UpdateItem
	err := c.input("UpdateItemInput", func(name string) error {
		switch name {
		case "TableName":
			return c.text(&q.TableName)
		case "Key":
			return c.item(&q.Key, &q.Invalid)
		case "UpdateExpression":
			return c.text(&q.UpdateExpression)
		case "AttributeUpdates":
			return c.updates(&q.AttributeUpdates)
		}
		return c.conditional(name, &q.Conditional)
	})
	if err != nil {
		return err
	}
	a, err := c.h.db.UpdateItem(c.ctx, &q)
	if err != nil {
		return err
	}
	c.written(a, q.ReturnConsumedCapacity)
	return nil
}
