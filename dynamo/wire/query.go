package wire

import "pressroom/dynamo/engine"

func query(c *call) error {
	q := engine.Query{Paged: engine.Paged{Emit: c.addItem}}
	err := c.input("QueryInput", func(name string) error {
		switch name {
		case "ScanIndexForward":
			return c.optionalFlag(&q.ScanIndexForward)
		case "KeyConditionExpression":
			return c.text(&q.KeyConditionExpression)
		case "KeyConditions":
			return c.conditions(&q.KeyConditions)
		case "QueryFilter":
			return c.conditions(&q.Filter)
		}
		return c.paged(name, &q.Paged)
	})
	if err != nil {
		return err
	}
	c.openPage(q.Select)
	a, err := c.h.db.Load().Query(c.ctx, &q)
	return c.closePage(a, err, &q.Paged)
}

// paged reads a member that Query and Scan share.
func (c *call) paged(name string, q *engine.Paged) error {
	switch name {
	case "TableName":
		return c.text(&q.TableName)
	case "IndexName":
		return c.text(&q.IndexName)
	case "Select":
		return c.word(&q.Select)
	case "ConsistentRead":
		return c.flag(&q.ConsistentRead)
	case "Limit":
		return c.integer(&q.Limit)
	case "ExclusiveStartKey":
		return c.item(&q.ExclusiveStartKey, &q.Invalid)
	case "FilterExpression":
		return c.text(&q.FilterExpression)
	case "ConditionalOperator":
		return c.word(&q.ConditionalOperator)
	case "ExpressionAttributeValues":
		return c.values(&q.Placeholders)
	case "ReturnConsumedCapacity":
		return c.word(&q.ReturnConsumedCapacity)
	}
	return c.projected(name, &q.Projected)
}

// openPage begins the answer to Query or Scan; items follow as they are read.
func (c *call) openPage(selects string) {
	c.out = append(c.out, '{')
	if selects != "COUNT" {
		c.raw(`"Items":[`)
	}
}

func (c *call) closePage(a *engine.PageAnswer, err error, q *engine.Paged) error {
	if err != nil {
		return err
	}
	if q.Select != "COUNT" {
		c.out = append(c.out, ']')
	}
	c.key("Count")
	c.whole(a.Count)
	c.key("ScannedCount")
	c.whole(a.ScannedCount)
	c.itemMember("LastEvaluatedKey", a.LastKey)
	c.consumed(a.Capacity, q.ReturnConsumedCapacity)
	c.out = append(c.out, '}')
	return nil
}
