package wire

import "pressroom/dynamo/engine"

func putItem(c *call) error {
	var q engine.PutItem
	err := c.input("PutItemInput", func(name string) error {
		switch name {
		case "TableName":
			return c.text(&q.TableName)
		case "Item":
			return c.item(&q.Item, &q.Invalid)
		}
		return c.conditional(name, &q.Conditional)
	})
	if err != nil {
		return err
	}
	a, err := c.h.db.PutItem(c.ctx, &q)
	if err != nil {
		return err
	}
	c.written(a, q.ReturnConsumedCapacity)
	return nil
}
