package wire

import "pressroom/dynamo/engine"

func transactGetItems(c *call) error {
	var q engine.TransactGet
	err := c.input("TransactGetItemsInput", func(name string) error {
		switch name {
		case "TransactItems":
			q.Gets = []*engine.GetItem{}
			return c.elements(func() error {
				g, err := c.transactGet()
				q.Gets = append(q.Gets, g)
				return err
			})
		case "ReturnConsumedCapacity":
			return c.word(&q.ReturnConsumedCapacity)
		}
		return c.in.Skip()
	})
	if err != nil {
		return err
	}
	a, err := c.h.db.Load().TransactGet(c.ctx, &q)
	if err != nil {
		return err
	}
	c.gotten(a.Items, a.Capacity, q.ReturnConsumedCapacity)
	return nil
}

// transactGet reads one element, nil if it has no Get.
func (c *call) transactGet() (*engine.GetItem, error) {
	if err := c.in.BeginMember("TransactGetItem"); err != nil {
		return nil, err
	}
	var g *engine.GetItem
	err := c.members(func(name string) error {
		if name != "Get" {
			return c.in.Skip()
		}
		if err := c.in.BeginStruct("Get"); err != nil {
			return err
		}
		g = new(engine.GetItem)
		return c.members(func(name string) error {
			switch name {
			case "TableName":
				return c.text(&g.TableName)
			case "Key":
				return c.item(&g.Key, &g.Invalid)
			case "ProjectionExpression", "ExpressionAttributeNames":
				return c.projected(name, &g.Projected)
			}
			return c.in.Skip()
		})
	})
	return g, err
}
