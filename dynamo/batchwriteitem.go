package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/engine"
)

// BatchWriteItem puts and deletes up to 25 items. It never leaves any
// unprocessed.
func (db *DB) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	if in == nil {
		in = &dynamodb.BatchWriteItemInput{}
	}
	if in.RequestItems == nil || itemless(in.RequestItems) {
		return nil, sound(ctx, (*dynamodb.Client).BatchWriteItem, in)
	}
	r := engine.BatchWrite{
		Tables:                 make([]engine.BatchWriteTable, 0, len(in.RequestItems)),
		ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
		ReturnCollections:      string(in.ReturnItemCollectionMetrics),
	}
	sorted(in.RequestItems, func(table string, writes []types.WriteRequest) {
		r.Tables = append(r.Tables, batchWriteTable(table, writes))
	})
	a, err := db.engine.BatchWrite(ctx, &r)
	if err != nil {
		return nil, fail("BatchWriteItem", err)
	}
	return &dynamodb.BatchWriteItemOutput{
		UnprocessedItems:      map[string][]types.WriteRequest{},
		ConsumedCapacity:      consumedList(a.Capacity, r.ReturnConsumedCapacity, consumed),
		ItemCollectionMetrics: collections(a.Collections),
		ResultMetadata:        metadata(),
	}, nil
}

func itemless(m map[string][]types.WriteRequest) bool {
	for _, writes := range m {
		for _, w := range writes {
			if w.PutRequest != nil && w.PutRequest.Item == nil || w.DeleteRequest != nil && w.DeleteRequest.Key == nil {
				return true
			}
		}
	}
	return false
}

func batchWriteTable(table string, writes []types.WriteRequest) engine.BatchWriteTable {
	t := engine.BatchWriteTable{TableName: table}
	if writes != nil {
		t.Writes = make([]engine.BatchWriteItem, len(writes))
	}
	for i, w := range writes {
		x := &t.Writes[i]
		if w.PutRequest != nil {
			x.Item = itemFromSDK(w.PutRequest.Item, &x.Invalid)
		}
		if w.DeleteRequest != nil {
			x.Key = itemFromSDK(w.DeleteRequest.Key, &x.Invalid)
		}
		x.Both = w.PutRequest != nil && w.DeleteRequest != nil
	}
	return t
}
