package wire

import "pressroom/dynamo/engine"

func updateItem(c *call) error {
	var q engine.UpdateItem
	if err := c.input("UpdateItemInput", func(name string) error { return c.update(name, &q) }); err != nil {
		return err
	}
	a, err := c.h.db.Load().UpdateItem(c.ctx, &q)
	return c.written(a, err, q.ReturnConsumedCapacity)
}

// update reads a member of an UpdateItem, also as an action of a transaction.
func (c *call) update(name string, q *engine.UpdateItem) error {
	switch name {
	case "UpdateExpression":
		return c.text(&q.UpdateExpression)
	case "AttributeUpdates":
		return c.updates(&q.AttributeUpdates)
	}
	return c.keyed(name, &q.Keyed)
}
