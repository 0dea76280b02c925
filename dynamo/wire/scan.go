package wire

import "pressroom/dynamo/engine"

func scan(c *call) error {
	q := engine.Scan{Paged: engine.Paged{Emit: c.addItem}}
	err := c.input("ScanInput", func(name string) error {
		switch name {
		case "Segment":
			return c.integer(&q.Segment)
		case "TotalSegments":
			return c.integer(&q.TotalSegments)
		case "ScanFilter":
			return c.conditions(&q.Filter)
		}
		return c.paged(name, &q.Paged)
	})
	if err != nil {
		return err
	}
	c.openPage(q.Select)
	a, err := c.h.db.Load().Scan(c.ctx, &q)
	return c.closePage(a, err, &q.Paged)
}
