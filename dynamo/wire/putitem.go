package wire

import "pressroom/dynamo/engine"

func putItem(c *call) error {
	var q engine.PutItem
	if err := c.input("PutItemInput", func(name string) error { return c.put(name, &q) }); err != nil {
		return err
	}
	a, err := c.h.db.Load().PutItem(c.ctx, &q)
	return c.written(a, err, q.ReturnConsumedCapacity)
}

// put reads a member of a PutItem, also as an action of a transaction.
func (c *call) put(name string, q *engine.PutItem) error {
	switch name {
	case "TableName":
		return c.text(&q.TableName)
	case "Item":
		return c.item(&q.Item, &q.Invalid)
	}
	return c.conditional(name, &q.Conditional)
}
