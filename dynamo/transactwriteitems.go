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
			Conditional: guarded(p.ConditionExpression, p.ExpressionAttributeNames, p.ExpressionAttributeValues, p.ReturnValuesOnConditionCheckFailure),
		}
		a.Put.Item = itemFromSDK(p.Item, &a.Put.Invalid)
	}
	if u := t.Update; u != nil {
		a.Given++
		a.Update = &engine.UpdateItem{
			TableName:        u.TableName,
			UpdateExpression: u.UpdateExpression,
			Conditional:      guarded(u.ConditionExpression, u.ExpressionAttributeNames, u.ExpressionAttributeValues, u.ReturnValuesOnConditionCheckFailure),
		}
		a.Update.Key = itemFromSDK(u.Key, &a.Update.Invalid)
	}
	if d := t.Delete; d != nil {
		a.Given++
		a.Delete = &engine.DeleteItem{
			TableName:   d.TableName,
			Conditional: guarded(d.ConditionExpression, d.ExpressionAttributeNames, d.ExpressionAttributeValues, d.ReturnValuesOnConditionCheckFailure),
		}
		a.Delete.Key = itemFromSDK(d.Key, &a.Delete.Invalid)
	}
	if c := t.ConditionCheck; c != nil {
		a.Given++
		a.Check = &engine.ConditionCheck{
			TableName:   c.TableName,
			Conditional: guarded(c.ConditionExpression, c.ExpressionAttributeNames, c.ExpressionAttributeValues, c.ReturnValuesOnConditionCheckFailure),
		}
		a.Check.Key = itemFromSDK(c.Key, &a.Check.Invalid)
	}
	return a
}

func guarded(condition *string, names map[string]string, values map[string]types.AttributeValue, onFailure types.ReturnValuesOnConditionCheckFailure) engine.Conditional {
	return engine.Conditional{
		ConditionExpression: condition,
		Placeholders:        placeholders(names, values),
		ReturnOnFailure:     string(onFailure),
	}
}
