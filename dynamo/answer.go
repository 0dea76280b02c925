package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
	"pressroom/dynamo/internal/reqid"
)

// The parts that the outputs of several operations share, from the engine's
// types to the SDK's.

// metadata is the ResultMetadata of an answer. GetItem, PutItem, UpdateItem
// and DeleteItem go without: for them it would be a noticeable part of the
// work.
func metadata() (m middleware.Metadata) {
	awsmiddleware.SetRequestIDMetadata(&m, reqid.New())
	return m
}

// written is the output of a write of one item. The SDK has the same for
// PutItem and DeleteItem under other names.
func written(operation string, a *engine.WriteAnswer, err error, level string) (*dynamodb.UpdateItemOutput, error) {
	if err != nil {
		return nil, fail(operation, err)
	}
	return &dynamodb.UpdateItemOutput{
		Attributes:            itemToSDK(a.Attributes),
		ConsumedCapacity:      consumed(a.Capacity, level),
		ItemCollectionMetrics: collection(a.Collections),
	}, nil
}

// gotten is the output of a transaction that reads, from TransactGetItems or,
// under another name, from ExecuteTransaction.
func gotten(items []attr.Item, capacity []*engine.Capacity, level string) *dynamodb.TransactGetItemsOutput {
	out := &dynamodb.TransactGetItemsOutput{
		Responses:        make([]types.ItemResponse, len(items)),
		ConsumedCapacity: consumedList(capacity, level, transacted),
		ResultMetadata:   metadata(),
	}
	for i, it := range items {
		out.Responses[i].Item = itemToSDK(it)
	}
	return out
}

func consumed(c *engine.Capacity, level string) *types.ConsumedCapacity {
	if c == nil {
		return nil
	}
	out := &types.ConsumedCapacity{TableName: &c.Table, CapacityUnits: aws.Float64(c.Total())}
	if level == string(engine.CapacityIndexes) {
		out.Table = &types.Capacity{CapacityUnits: aws.Float64(c.Base.Read + c.Base.Write)}
		out.LocalSecondaryIndexes = breakdown(c.Local, false)
		out.GlobalSecondaryIndexes = breakdown(c.Global, false)
	}
	return out
}

// transacted is consumed for transactions, which also tell reads from writes.
func transacted(c *engine.Capacity, level string) *types.ConsumedCapacity {
	out := consumed(c, level)
	if out == nil {
		return nil
	}
	out.ReadCapacityUnits, out.WriteCapacityUnits = positive(c.Read), positive(c.Write)
	if out.Table != nil {
		out.Table.ReadCapacityUnits, out.Table.WriteCapacityUnits = positive(c.Base.Read), positive(c.Base.Write)
		out.LocalSecondaryIndexes = breakdown(c.Local, true)
		out.GlobalSecondaryIndexes = breakdown(c.Global, true)
	}
	return out
}

func breakdown(units map[string]engine.Units, split bool) map[string]types.Capacity {
	if len(units) == 0 {
		return nil
	}
	out := make(map[string]types.Capacity, len(units))
	for name, u := range units {
		c := types.Capacity{CapacityUnits: aws.Float64(u.Read + u.Write)}
		if split {
			c.ReadCapacityUnits, c.WriteCapacityUnits = positive(u.Read), positive(u.Write)
		}
		out[name] = c
	}
	return out
}

// positive leaves out what nothing was spent on.
func positive(units float64) *float64 {
	if units == 0 {
		return nil
	}
	return &units
}

func consumedList(list []*engine.Capacity, level string, convert func(*engine.Capacity, string) *types.ConsumedCapacity) []types.ConsumedCapacity {
	var out []types.ConsumedCapacity
	for _, c := range list {
		out = append(out, *convert(c, level))
	}
	return out
}

func collection(c *engine.Collection) *types.ItemCollectionMetrics {
	if c == nil {
		return nil
	}
	return &types.ItemCollectionMetrics{
		ItemCollectionKey:   attr.ItemToSDK(c.Key),
		SizeEstimateRangeGB: []float64{c.Low, c.High},
	}
}

func collections(m map[string][]*engine.Collection) map[string][]types.ItemCollectionMetrics {
	if m == nil {
		return nil
	}
	out := make(map[string][]types.ItemCollectionMetrics, len(m))
	for table, list := range m {
		for _, c := range list {
			out[table] = append(out[table], *collection(c))
		}
	}
	return out
}
