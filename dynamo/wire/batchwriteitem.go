package wire

import (
	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
)

func batchWriteItem(c *call) error {
	var q engine.BatchWrite
	err := c.input("BatchWriteItemInput", func(name string) error {
		switch name {
		case "RequestItems":
			return c.batchWriteTables(&q)
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
	a, err := c.h.db.Load().BatchWrite(c.ctx, &q)
	if err != nil {
		return err
	}
	c.raw(`{"UnprocessedItems":{}`)
	c.consumedList(a.Capacity, detailOf(q.ReturnConsumedCapacity, false))
	c.collections(a.Collections)
	c.out = append(c.out, '}')
	return nil
}

func (c *call) batchWriteTables(q *engine.BatchWrite) error {
	if err := c.in.BeginMap("java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>"); err != nil {
		return err
	}
	q.Tables = []engine.BatchWriteTable{}
	places := map[string]int{}
	return c.members(func(table string) error {
		if err := c.generic(); err != nil {
			return err
		}
		t := engine.BatchWriteTable{TableName: table, Writes: []engine.BatchWriteItem{}}
		err := c.elements(func() error {
			if err := c.in.BeginMember("WriteRequest"); err != nil {
				return err
			}
			var w engine.BatchWriteItem
			err := c.batchWrite(&w)
			t.Writes = append(t.Writes, w)
			return err
		})
		putTable(&q.Tables, places, table, t)
		return err
	})
}

func (c *call) batchWrite(w *engine.BatchWriteItem) error {
	var put, remove bool
	err := c.members(func(name string) error {
		switch name {
		case "PutRequest":
			put = true
			return c.only("PutRequest", "Item", &w.Item, &w.Invalid)
		case "DeleteRequest":
			remove = true
			return c.only("DeleteRequest", "Key", &w.Key, &w.Invalid)
		}
		return c.in.Skip()
	})
	w.Both = put && remove
	return err
}

// only reads a structure that has one member, an item.
func (c *call) only(class, member string, into *attr.Item, invalid *engine.Invalid) error {
	if err := c.in.BeginStruct(class); err != nil {
		return err
	}
	return c.members(func(name string) error {
		if name == member {
			return c.item(into, invalid)
		}
		return c.in.Skip()
	})
}
