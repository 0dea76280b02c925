package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
)

// BatchGetItem reads up to 100 items of any number of tables. Keys for which
// the answer of 16 MB has no room come back unprocessed.
func (db *DB) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	if in == nil {
		in = &dynamodb.BatchGetItemInput{}
	}
	if in.RequestItems == nil || keyless(in.RequestItems) {
		return nil, sound(ctx, (*dynamodb.Client).BatchGetItem, in)
	}
	out := &dynamodb.BatchGetItemOutput{
		Responses:       make(map[string][]map[string]types.AttributeValue, len(in.RequestItems)),
		UnprocessedKeys: map[string]types.KeysAndAttributes{},
		ResultMetadata:  metadata(),
	}
	r := engine.BatchGet{
		Tables:                 make([]engine.BatchGetTable, 0, len(in.RequestItems)),
		ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
		Emit: func(table string, it attr.Item) error {
			out.Responses[table] = append(out.Responses[table], attr.ItemToSDK(it))
			return nil
		},
	}
	sorted(in.RequestItems, func(table string, k types.KeysAndAttributes) {
		r.Tables = append(r.Tables, batchGetTable(table, &k))
		out.Responses[table] = []map[string]types.AttributeValue{}
	})
	a, err := db.engine.BatchGet(ctx, &r)
	if err != nil {
		return nil, fail("BatchGetItem", err)
	}
	for _, t := range a.Unprocessed {
		out.UnprocessedKeys[t.TableName] = rest(in.RequestItems[t.TableName], len(t.Keys))
	}
	out.ConsumedCapacity = consumedList(a.Capacity, r.ReturnConsumedCapacity, consumed)
	return out, nil
}

func keyless(m map[string]types.KeysAndAttributes) bool {
	for _, k := range m {
		if k.Keys == nil {
			return true
		}
	}
	return false
}

func batchGetTable(table string, k *types.KeysAndAttributes) engine.BatchGetTable {
	t := engine.BatchGetTable{
		TableName:      table,
		Keys:           make([]attr.Item, 0, len(k.Keys)),
		ConsistentRead: aws.ToBool(k.ConsistentRead),
		Projected:      projected(k.ProjectionExpression, k.AttributesToGet, k.ExpressionAttributeNames, nil),
	}
	for _, key := range k.Keys {
		t.Keys = append(t.Keys, itemFromSDK(key, &t.Invalid))
	}
	return t
}

// rest is a table's part of a request with its last n keys.
func rest(k types.KeysAndAttributes, n int) types.KeysAndAttributes {
	k.Keys = k.Keys[len(k.Keys)-n:]
	return k
}
