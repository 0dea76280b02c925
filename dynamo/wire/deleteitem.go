package wire

import "pressroom/dynamo/engine"

func deleteItem(c *call) error {
	var q engine.DeleteItem
	err := c.input("DeleteItemInput", func(name string) error {
		switch name {
		case "TableName":
			return c.text(&q.TableName)
		case "Key":
			return c.item(&q.Key, &q.Invalid)
		}
		return c.conditional(name, &q.Conditional)
	})
	if err != nil {
		return err
	}
	a, err := c.h.db.DeleteItem(c.ctx, &q)
	if err != nil {
		return err
	}
	c.written(a, q.ReturnConsumedCapacity)
	return nil
}
