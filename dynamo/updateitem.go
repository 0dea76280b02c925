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
		Keyed: keyed(in.TableName, in.Key,
			conditional(in.ConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues, in.ReturnValuesOnConditionCheckFailure)),
		UpdateExpression: in.UpdateExpression,
		AttributeUpdates: updates(in.AttributeUpdates),
	}
	expecting(&r.Conditional, in.Expected, in.ConditionalOperator)
	returning(&r.Conditional, in.ReturnValues, in.ReturnConsumedCapacity, in.ReturnItemCollectionMetrics)
	a, err := db.engine.UpdateItem(ctx, &r)
	return written("UpdateItem", a, err, r.ReturnConsumedCapacity)
}
