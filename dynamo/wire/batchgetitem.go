package wire

import (
	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
	"pressroom/dynamo/expr"
)

func batchGetItem(c *call) error {
	var q engine.BatchGet
	err := c.input("BatchGetItemInput", func(name string) error {
		switch name {
		case "RequestItems":
			return c.batchGetTables(&q)
		case "ReturnConsumedCapacity":
			return c.word(&q.ReturnConsumedCapacity)
		}
		return c.in.Skip()
	})
	if err != nil {
		return err
	}
	// The engine reads table by table, in the order of the request.
	current := ""
	found := make(map[string]bool, len(q.Tables))
	q.Emit = func(table string, it attr.Item) error {
		if !found[table] {
			if current != "" {
				c.out = append(c.out, ']')
			}
			c.member(table)
			c.out = append(c.out, '[')
			current, found[table] = table, true
		}
		return c.addItem(it)
	}
	c.raw(`{"Responses":{`)
	a, err := c.h.db.Load().BatchGet(c.ctx, &q)
	if err != nil {
		return err
	}
	if current != "" {
		c.out = append(c.out, ']')
	}
	for _, t := range q.Tables {
		if !found[t.TableName] {
			c.member(t.TableName)
			c.raw("[]")
		}
	}
	c.raw(`},"UnprocessedKeys":{`)
	for i := range a.Unprocessed {
		c.unprocessed(&a.Unprocessed[i])
	}
	c.out = append(c.out, '}')
	c.consumedList(a.Capacity, detailOf(q.ReturnConsumedCapacity, false))
	c.out = append(c.out, '}')
	return nil
}

func (c *call) batchGetTables(q *engine.BatchGet) error {
	if err := c.in.BeginMap("KeysAndAttributes"); err != nil {
		return err
	}
	q.Tables = []engine.BatchGetTable{}
	places := map[string]int{}
	return c.members(func(table string) error {
		if err := c.in.BeginMember("KeysAndAttributes"); err != nil {
			return err
		}
		t := engine.BatchGetTable{TableName: table}
		err := c.members(func(name string) error {
			switch name {
			case "Keys":
				return c.batchGetKeys(&t)
			case "ConsistentRead":
				return c.flag(&t.ConsistentRead)
			}
			return c.projected(name, &t.Projected)
		})
		putTable(&q.Tables, places, table, t)
		return err
	})
}

func (c *call) batchGetKeys(t *engine.BatchGetTable) error {
	t.Keys = []attr.Item{}
	return c.elements(func() error {
		if err := c.generic(); err != nil {
			return err
		}
		var key attr.Item
		if err := c.item(&key, &t.Invalid); err != nil {
			return err
		}
		t.Keys = append(t.Keys, key)
		return nil
	})
}

// unprocessed writes what is left to do on one table as a request would.
func (c *call) unprocessed(t *engine.BatchGetTable) {
	c.member(t.TableName)
	c.raw(`{"Keys":[`)
	for _, key := range t.Keys {
		_ = c.addItem(key) // it returns an error for Emit's sake alone
	}
	c.out = append(c.out, ']')
	if t.ConsistentRead {
		c.raw(`,"ConsistentRead":true`)
	}
	if t.ProjectionExpression != nil {
		c.key("ProjectionExpression")
		c.string(*t.ProjectionExpression)
	}
	if t.AttributesToGet != nil {
		c.key("AttributesToGet")
		c.out = append(c.out, '[')
		for _, name := range t.AttributesToGet {
			c.comma('[')
			c.string(name)
		}
		c.out = append(c.out, ']')
	}
	c.placeholderNames(&t.Placeholders)
	c.out = append(c.out, '}')
}

func (c *call) placeholderNames(p *expr.Placeholders) {
	if p.Names == nil {
		return
	}
	c.key("ExpressionAttributeNames")
	c.out = append(c.out, '{')
	for key, name := range p.Names {
		c.member(key)
		c.string(name)
	}
	c.out = append(c.out, '}')
}
