package dynamo

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
)

// GetItem reads one item.
func (db *DB) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if in == nil {
		in = &dynamodb.GetItemInput{}
	}
	if in.TableName == nil || in.Key == nil {
		return nil, sound(ctx, (*dynamodb.Client).GetItem, in)
	}
	g := getters.Get().(*getter)
	defer getters.Put(g)
	return g.get(ctx, db.engine, in)
}

// getter is the memory of one GetItem, used again since the operation is the
// most frequent and otherwise spends much of its time on making garbage.
type getter struct {
	r    engine.GetItem
	out  *dynamodb.GetItemOutput
	view func(attr.Item, *engine.Capacity) error
}

var getters = sync.Pool{New: func() any {
	g := new(getter)
	g.view = g.take
	return g
}}

func (g *getter) get(ctx context.Context, e *engine.Engine, in *dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) {
	g.r = engine.GetItem{
		TableName:              in.TableName,
		ConsistentRead:         aws.ToBool(in.ConsistentRead),
		Projected:              projected(in.ProjectionExpression, in.AttributesToGet, in.ExpressionAttributeNames),
		ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
	}
	g.r.Key = itemFromSDK(in.Key, &g.r.Invalid)
	out := new(dynamodb.GetItemOutput)
	g.out = out
	err := e.ViewItem(ctx, &g.r, g.view)
	g.r, g.out = engine.GetItem{}, nil
	if err != nil {
		return nil, fail("GetItem", err)
	}
	return out, nil
}

// take converts the item while the engine shows it.
func (g *getter) take(it attr.Item, c *engine.Capacity) error {
	g.out.Item = itemToSDK(it)
	g.out.ConsumedCapacity = consumed(c, g.r.ReturnConsumedCapacity)
	return nil
}
