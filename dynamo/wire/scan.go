package wire

import "pressroom/dynamo/engine"

func scan(c *call) error {
	q := engine.Scan{Emit: c.addItem}
	err := c.input("ScanInput", func(name string) error {
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
		case "Segment":
			return c.integer(&q.Segment)
		case "TotalSegments":
			return c.integer(&q.TotalSegments)
		case "ExclusiveStartKey":
			return c.item(&q.ExclusiveStartKey, &q.Invalid)
		case "FilterExpression":
			return c.text(&q.FilterExpression)
		case "ScanFilter":
			return c.conditions(&q.ScanFilter)
		case "ConditionalOperator":
			return c.word(&q.ConditionalOperator)
		case "ExpressionAttributeValues":
			return c.values(&q.Placeholders)
		case "ReturnConsumedCapacity":
			return c.word(&q.ReturnConsumedCapacity)
		}
		return c.projected(name, &q.Projected)
	})
	if err != nil {
		return err
	}
	c.openPage(q.Select)
	a, err := c.h.db.Scan(c.ctx, &q)
	if err != nil {
		return err
	}
	c.closePage(a, q.Select, q.ReturnConsumedCapacity)
	return nil
}
