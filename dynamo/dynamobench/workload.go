package dynamobench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Table is the name of the table that a Run makes, with an index GSI1.
const Table = "pressroom-bench"

// groups is the number of partitions of the index: with 10,000 items each
// holds 25.
const itemsPerGroup = 25

type workload struct {
	Name    string
	request func(*generator) (op string, body []byte)
}

var workloads = []workload{
	{"PutItem 1 KB", func(g *generator) (string, []byte) {
		g.start(`{"TableName":"` + Table + `","Item":`)
		g.item(g.fresh())
		return "PutItem", g.end(`}`)
	}},
	{"GetItem", func(g *generator) (string, []byte) {
		g.start(`{"TableName":"` + Table + `","Key":{"pk":{"S":"`)
		g.key(g.any())
		return "GetItem", g.end(`"},"sk":{"S":"META"}}}`)
	}},
	{"Query 20 on GSI", func(g *generator) (string, []byte) {
		g.start(`{"TableName":"` + Table + `","IndexName":"GSI1","Limit":20,"KeyConditionExpression":"gsi1pk = :g","ExpressionAttributeValues":{":g":{"S":"GROUP#`)
		g.number(g.any() / itemsPerGroup)
		return "Query", g.end(`"}}}`)
	}},
	{"UpdateItem if", func(g *generator) (string, []byte) {
		g.start(`{"TableName":"` + Table + `","Key":{"pk":{"S":"`)
		g.key(g.any())
		return "UpdateItem", g.end(`"},"sk":{"S":"META"}},"UpdateExpression":"SET #v = #v + :one","ConditionExpression":"#v >= :zero","ExpressionAttributeNames":{"#v":"version"},"ExpressionAttributeValues":{":one":{"N":"1"},":zero":{"N":"0"}}}`)
	}},
	{"BatchWrite 25", func(g *generator) (string, []byte) {
		g.start(`{"RequestItems":{"` + Table + `":[`)
		for i := range 25 {
			if i > 0 {
				g.text(",")
			}
			g.text(`{"PutRequest":{"Item":`)
			g.item(g.fresh())
			g.text(`}}`)
		}
		return "BatchWriteItem", g.end(`]}}`)
	}},
	{"TransactWrite 4", func(g *generator) (string, []byte) {
		g.start(`{"TransactItems":[`)
		for i := range 4 {
			if i > 0 {
				g.text(",")
			}
			g.text(`{"Put":{"TableName":"` + Table + `","Item":`)
			g.item(g.fresh())
			g.text(`}}`)
		}
		return "TransactWriteItems", g.end(`]}`)
	}},
}

// generator writes the requests of one connection.
type generator struct {
	rng    *rand.Rand
	client int
	next   int
	items  int
	buf    []byte
	filler string
}

func newGenerator(client, items int) *generator {
	return &generator{
		rng:    rand.New(rand.NewPCG(uint64(client), 42)),
		client: client,
		next:   rand.IntN(1 << 40),
		items:  items,
		filler: strings.Repeat("All the news that fits, and its source. ", 16),
	}
}

func (g *generator) start(s string)      { g.buf = append(g.buf[:0], s...) }
func (g *generator) text(s string)       { g.buf = append(g.buf, s...) }
func (g *generator) number(n int)        { g.buf = strconv.AppendInt(g.buf, int64(n), 10) }
func (g *generator) end(s string) []byte { g.text(s); return g.buf }

// any is the number of an item that was loaded.
func (g *generator) any() int { return g.rng.IntN(g.items) }

// fresh is the number of an item that nobody has written.
func (g *generator) fresh() int {
	g.next++
	return g.items + g.client<<44 + g.next
}

func (g *generator) key(n int) {
	g.text("ITEM#")
	g.number(n)
}

// item writes an item of about 1 KB with ten attributes.
func (g *generator) item(n int) {
	g.text(`{"pk":{"S":"`)
	g.key(n)
	g.text(`"},"sk":{"S":"META"},"gsi1pk":{"S":"GROUP#`)
	g.number(n / itemsPerGroup)
	g.text(`"},"gsi1sk":{"S":"2026-11-15T09:30:00.000Z#`)
	g.number(n)
	g.text(`"},"title":{"S":"Committee hears the case for shorter sittings"},"version":{"N":"1"},"published":{"BOOL":true},"tags":{"SS":["diet","minutes","reform"]},"meta":{"M":{"house":{"S":"shugi"},"words":{"N":"1234"}}},"body":{"S":"`)
	g.text(g.filler)
	g.text(`"}}`)
}

const createTable = `{"TableName":"` + Table + `","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"gsi1pk","AttributeType":"S"},{"AttributeName":"gsi1sk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"GlobalSecondaryIndexes":[{"IndexName":"GSI1","KeySchema":[{"AttributeName":"gsi1pk","KeyType":"HASH"},{"AttributeName":"gsi1sk","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]}`

// load makes the table anew and fills it.
func load(ctx context.Context, t Target, items int) error {
	c, err := dial(ctx, t.Endpoint)
	if err != nil {
		return err
	}
	defer c.close()
	_ = c.call("DeleteTable", []byte(`{"TableName":"`+Table+`"}`)) // there may be none
	if err := retry(ctx, func() error { return c.call("CreateTable", []byte(createTable)) }); err != nil {
		return fmt.Errorf("create table: %w", err)
	}
	g := newGenerator(0, items)
	for n := 0; n < items; {
		g.start(`{"RequestItems":{"` + Table + `":[`)
		for i := 0; i < 25 && n < items; i, n = i+1, n+1 {
			if i > 0 {
				g.text(",")
			}
			g.text(`{"PutRequest":{"Item":`)
			g.item(n)
			g.text(`}}`)
		}
		body := g.end(`]}}`)
		if err := retry(ctx, func() error { return c.call("BatchWriteItem", body) }); err != nil {
			return fmt.Errorf("load item %d: %w", n, err)
		}
	}
	return nil
}
