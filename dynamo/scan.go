package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/engine"
)

// Scan reads a page of a table or index, or of one segment of it.
func (db *DB) Scan(ctx context.Context, in *dynamodb.ScanInput, _ ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	if in == nil {
		in = &dynamodb.ScanInput{}
	}
	if in.TableName == nil || incomplete(in.ScanFilter) {
		return nil, sound(ctx, (*dynamodb.Client).Scan, in)
	}
	items := newItems(in.Select)
	r := engine.Scan{
		TableName:           in.TableName,
		IndexName:           in.IndexName,
		Select:              string(in.Select),
		ConsistentRead:      aws.ToBool(in.ConsistentRead),
		Limit:               in.Limit,
		Segment:             in.Segment,
		TotalSegments:       in.TotalSegments,
		FilterExpression:    in.FilterExpression,
		ScanFilter:          conditions(in.ScanFilter),
		ConditionalOperator: string(in.ConditionalOperator),
		Projected: engine.Projected{
			ProjectionExpression: in.ProjectionExpression,
			AttributesToGet:      in.AttributesToGet,
			Placeholders:         placeholders(in.ExpressionAttributeNames, in.ExpressionAttributeValues),
		},
		ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
		Emit:                   items.add,
	}
	r.ExclusiveStartKey = itemFromSDK(in.ExclusiveStartKey, &r.Invalid)
	a, err := db.engine.Scan(ctx, &r)
	if err != nil {
		return nil, fail("Scan", err)
	}
	return &dynamodb.ScanOutput{
		Items:            items.list,
		Count:            int32(a.Count),
		ScannedCount:     int32(a.ScannedCount),
		LastEvaluatedKey: itemToSDK(a.LastKey),
		ConsumedCapacity: consumed(a.Capacity, r.ReturnConsumedCapacity),
		ResultMetadata:   metadata(),
	}, nil
}
