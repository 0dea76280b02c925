package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/engine"
)

// PutItem puts an item in the place of the one with its key, if any.
func (db *DB) PutItem(ctx context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if in == nil {
		in = &dynamodb.PutItemInput{}
	}
	if in.TableName == nil || in.Item == nil {
		return nil, sound(ctx, (*dynamodb.Client).PutItem, in)
	}
	r := engine.PutItem{
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
	r.Item = itemFromSDK(in.Item, &r.Invalid)
	a, err := db.engine.PutItem(ctx, &r)
	if err != nil {
		return nil, fail("PutItem", err)
	}
	return &dynamodb.PutItemOutput{
		Attributes:            itemToSDK(a.Attributes),
		ConsumedCapacity:      consumed(a.Capacity, r.ReturnConsumedCapacity),
		ItemCollectionMetrics: collection(a.Collections),
	}, nil
}
