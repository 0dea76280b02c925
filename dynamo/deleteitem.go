package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/engine"
)

// DeleteItem deletes the item with a key, if there is one.
func (db *DB) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	if in == nil {
		in = &dynamodb.DeleteItemInput{}
	}
	if in.TableName == nil || in.Key == nil {
		return nil, sound(ctx, (*dynamodb.Client).DeleteItem, in)
	}
	r := engine.DeleteItem{
		TableName: in.TableName,
		Conditional: engine.Conditional{
			ConditionExpression:    in.ConditionExpression,
			Placeholders:           placeholders(in.ExpressionAttributeNames, in.ExpressionAttributeValues),
			Expected:               expectations(in.Expected),
			ConditionalOperator:    string(in.ConditionalOperator),
			ReturnValues:           string(in.ReturnValues),
			ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
			ReturnCollections:      string(in.ReturnItemCollectionMetrics),
			ReturnOnFailure:        string(in.ReturnValuesOnConditionCheckFailure),
		},
	}
	r.Key = itemFromSDK(in.Key, &r.Invalid)
	a, err := db.engine.DeleteItem(ctx, &r)
	if err != nil {
		return nil, fail("DeleteItem", err)
	}
	return &dynamodb.DeleteItemOutput{
		Attributes:            itemToSDK(a.Attributes),
		ConsumedCapacity:      consumed(a.Capacity, r.ReturnConsumedCapacity),
		ItemCollectionMetrics: collection(a.Collections),
	}, nil
}
