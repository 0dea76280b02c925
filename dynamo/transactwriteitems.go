package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/engine"
)

// TransactWriteItems changes up to 100 items together, or none of them.
func (db *DB) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if in == nil {
		in = &dynamodb.TransactWriteItemsInput{}
	}
	if in.TransactItems == nil || anyUnsound(in.TransactItems) {
		return nil, sound(ctx, (*dynamodb.Client).TransactWriteItems, in)
	}
	r := engine.TransactWrite{
		Actions:                make([]engine.TransactAction, len(in.TransactItems)),
		ClientRequestToken:     in.ClientRequestToken,
		ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
		ReturnCollections:      string(in.ReturnItemCollectionMetrics),
	}
	for i := range in.TransactItems {
		r.Actions[i] = action(&in.TransactItems[i])
	}
	a, err := db.engine.TransactWrite(ctx, &r)
	if err != nil {
		return nil, fail("TransactWriteItems", err)
	}
	return &dynamodb.TransactWriteItemsOutput{
		ConsumedCapacity:      consumedList(a.Capacity, r.ReturnConsumedCapacity, transacted),
		ItemCollectionMetrics: collections(a.Collections),
		ResultMetadata:        metadata(),
	}, nil
}

// anyUnsound reports an action that the SDK's client does not send.
func anyUnsound(list []types.TransactWriteItem) bool {
	for i := range list {
		t := &list[i]
		switch {
		case t.Put != nil && (t.Put.Item == nil || t.Put.TableName == nil),
			t.Delete != nil && (t.Delete.Key == nil || t.Delete.TableName == nil),
			t.Update != nil && (t.Update.Key == nil || t.Update.TableName == nil || t.Update.UpdateExpression == nil),
			t.ConditionCheck != nil && (t.ConditionCheck.Key == nil || t.ConditionCheck.TableName == nil || t.ConditionCheck.ConditionExpression == nil):
			return true
		}
	}
	return false
}

func action(t *types.TransactWriteItem) engine.TransactAction {
	var a engine.TransactAction
	if p := t.Put; p != nil {
		a.Given++
		a.Put = &engine.PutItem{
			TableName:   p.TableName,
			Conditional: conditional(p.ConditionExpression, p.ExpressionAttributeNames, p.ExpressionAttributeValues, p.ReturnValuesOnConditionCheckFailure),
		}
		a.Put.Item = itemFromSDK(p.Item, &a.Put.Invalid)
	}
	if u := t.Update; u != nil {
		a.Given++
		a.Update = &engine.UpdateItem{
			Keyed: keyed(u.TableName, u.Key,
				conditional(u.ConditionExpression, u.ExpressionAttributeNames, u.ExpressionAttributeValues, u.ReturnValuesOnConditionCheckFailure)),
			UpdateExpression: u.UpdateExpression,
		}
	}
	if d := t.Delete; d != nil {
		a.Given++
		a.Delete = &engine.DeleteItem{Keyed: keyed(d.TableName, d.Key,
			conditional(d.ConditionExpression, d.ExpressionAttributeNames, d.ExpressionAttributeValues, d.ReturnValuesOnConditionCheckFailure))}
	}
	if c := t.ConditionCheck; c != nil {
		a.Given++
		a.Check = &engine.ConditionCheck{Keyed: keyed(c.TableName, c.Key,
			conditional(c.ConditionExpression, c.ExpressionAttributeNames, c.ExpressionAttributeValues, c.ReturnValuesOnConditionCheckFailure))}
	}
	return a
}
