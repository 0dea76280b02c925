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
	r := engine.DeleteItem{Keyed: keyed(in.TableName, in.Key,
		conditional(in.ConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues, in.ReturnValuesOnConditionCheckFailure))}
	expecting(&r.Conditional, in.Expected, in.ConditionalOperator)
	returning(&r.Conditional, in.ReturnValues, in.ReturnConsumedCapacity, in.ReturnItemCollectionMetrics)
	a, err := db.engine.DeleteItem(ctx, &r)
	out, err := written("DeleteItem", a, err, r.ReturnConsumedCapacity)
	return (*dynamodb.DeleteItemOutput)(out), err
}
