package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/engine"
)

// UpdateItem changes an item, or creates it.
func (db *DB) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if in == nil {
		in = &dynamodb.UpdateItemInput{}
	}
	if in.TableName == nil || in.Key == nil {
		return nil, sound(ctx, (*dynamodb.Client).UpdateItem, in)
	}
	r := engine.UpdateItem{
		TableName:        in.TableName,
		UpdateExpression: in.UpdateExpression,
		AttributeUpdates: updates(in.AttributeUpdates),
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
	a, err := db.engine.UpdateItem(ctx, &r)
	if err != nil {
		return nil, fail("UpdateItem", err)
	}
	return &dynamodb.UpdateItemOutput{
		Attributes:            itemToSDK(a.Attributes),
		ConsumedCapacity:      consumed(a.Capacity, r.ReturnConsumedCapacity),
		ItemCollectionMetrics: collection(a.Collections),
	}, nil
}
