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
		TableName:   in.TableName,
		Conditional: conditional(in.ConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues, in.ReturnValuesOnConditionCheckFailure),
	}
	expecting(&r.Conditional, in.Expected, in.ConditionalOperator)
	returning(&r.Conditional, in.ReturnValues, in.ReturnConsumedCapacity, in.ReturnItemCollectionMetrics)
	r.Item = itemFromSDK(in.Item, &r.Invalid)
	a, err := db.engine.PutItem(ctx, &r)
	out, err := written("PutItem", a, err, r.ReturnConsumedCapacity)
	return (*dynamodb.PutItemOutput)(out), err
}
