package wire

import "pressroom/dynamo/engine"

func deleteItem(c *call) error {
	var q engine.DeleteItem
	if err := c.input("DeleteItemInput", func(name string) error { return c.keyed(name, &q.Keyed) }); err != nil {
		return err
	}
	a, err := c.h.db.Load().DeleteItem(c.ctx, &q)
	return c.written(a, err, q.ReturnConsumedCapacity)
}
