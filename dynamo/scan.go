package dynamo

import (
	"context"

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
		Paged:         from(in.TableName, in.IndexName, in.ConsistentRead, in.ExclusiveStartKey),
		Segment:       in.Segment,
		TotalSegments: in.TotalSegments,
	}
	filtered(&r.Paged, in.FilterExpression, in.ScanFilter, in.ConditionalOperator)
	r.Projected = projected(in.ProjectionExpression, in.AttributesToGet, in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	r.Select, r.Limit, r.ReturnConsumedCapacity, r.Emit = string(in.Select), in.Limit, string(in.ReturnConsumedCapacity), items.add
	a, err := db.engine.Scan(ctx, &r)
	out, err := items.page("Scan", a, err, r.ReturnConsumedCapacity)
	return (*dynamodb.ScanOutput)(out), err
}
