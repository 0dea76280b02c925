package wire

import (
	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
)

func getItem(c *call) error {
	var q engine.GetItem
	err := c.input("GetItemInput", func(name string) error {
		switch name {
		case "TableName":
			return c.text(&q.TableName)
		case "Key":
			return c.item(&q.Key, &q.Invalid)
		case "ConsistentRead":
			return c.flag(&q.ConsistentRead)
		case "ReturnConsumedCapacity":
			return c.word(&q.ReturnConsumedCapacity)
		}
		return c.projected(name, &q.Projected)
	})
	if err != nil {
		return err
	}
	return c.h.db.Load().ViewItem(c.ctx, &q, func(it attr.Item, capacity *engine.Capacity) error {
		c.out = append(c.out, '{')
		c.itemMember("Item", it)
		c.consumed(capacity, q.ReturnConsumedCapacity)
		c.out = append(c.out, '}')
		return nil
	})
}
