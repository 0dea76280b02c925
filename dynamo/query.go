package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
)

// Query reads a page of one partition of a table or index, in the order of
// the sort key.
func (db *DB) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if in == nil {
		in = &dynamodb.QueryInput{}
	}
	if in.TableName == nil || incomplete(in.KeyConditions) || incomplete(in.QueryFilter) {
		return nil, sound(ctx, (*dynamodb.Client).Query, in)
	}
	items := newItems(in.Select)
	r := engine.Query{
		TableName:              in.TableName,
		IndexName:              in.IndexName,
		Select:                 string(in.Select),
		ConsistentRead:         aws.ToBool(in.ConsistentRead),
		Limit:                  in.Limit,
		ScanIndexForward:       in.ScanIndexForward,
		KeyConditionExpression: in.KeyConditionExpression,
		KeyConditions:          conditions(in.KeyConditions),
		FilterExpression:       in.FilterExpression,
		QueryFilter:            conditions(in.QueryFilter),
		ConditionalOperator:    string(in.ConditionalOperator),
		Projected: engine.Projected{
			ProjectionExpression: in.ProjectionExpression,
			AttributesToGet:      in.AttributesToGet,
			Placeholders:         placeholders(in.ExpressionAttributeNames, in.ExpressionAttributeValues),
		},
		ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
		Emit:                   items.add,
	}
	r.ExclusiveStartKey = itemFromSDK(in.ExclusiveStartKey, &r.Invalid)
	a, err := db.engine.Query(ctx, &r)
	if err != nil {
		return nil, fail("Query", err)
	}
	return &dynamodb.QueryOutput{
		Items:            items.list,
		Count:            int32(a.Count),
		ScannedCount:     int32(a.ScannedCount),
		LastEvaluatedKey: itemToSDK(a.LastKey),
		ConsumedCapacity: consumed(a.Capacity, r.ReturnConsumedCapacity),
		ResultMetadata:   metadata(),
	}, nil
}

// items gathers what a page emits.
type items struct {
	list []map[string]types.AttributeValue
}

// newItems is ready for a page: where items are asked for, none found is an
// empty list and not an absent one.
func newItems(selects types.Select) *items {
	if selects == types.SelectCount {
		return &items{}
	}
	return &items{list: []map[string]types.AttributeValue{}}
}

func (i *items) add(it attr.Item) error {
	i.list = append(i.list, attr.ItemToSDK(it))
	return nil
}
