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
		Paged:                  from(in.TableName, in.IndexName, in.ConsistentRead, in.ExclusiveStartKey),
		ScanIndexForward:       in.ScanIndexForward,
		KeyConditionExpression: in.KeyConditionExpression,
		KeyConditions:          conditions(in.KeyConditions),
	}
	filtered(&r.Paged, in.FilterExpression, in.QueryFilter, in.ConditionalOperator)
	r.Projected = projected(in.ProjectionExpression, in.AttributesToGet, in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	r.Select, r.Limit, r.ReturnConsumedCapacity, r.Emit = string(in.Select), in.Limit, string(in.ReturnConsumedCapacity), items.add
	a, err := db.engine.Query(ctx, &r)
	return items.page("Query", a, err, r.ReturnConsumedCapacity)
}

// from takes where Query and Scan read.
func from(table, index *string, consistent *bool, start map[string]types.AttributeValue) engine.Paged {
	p := engine.Paged{TableName: table, IndexName: index, ConsistentRead: aws.ToBool(consistent)}
	p.ExclusiveStartKey = itemFromSDK(start, &p.Invalid)
	return p
}

// filtered takes their filter, in either form.
func filtered(p *engine.Paged, expression *string, filter map[string]types.Condition, operator types.ConditionalOperator) {
	p.FilterExpression = expression
	p.Filter = conditions(filter)
	p.ConditionalOperator = string(operator)
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

// page is the output of Query and, under another name, of Scan.
func (i *items) page(operation string, a *engine.PageAnswer, err error, level string) (*dynamodb.QueryOutput, error) {
	if err != nil {
		return nil, fail(operation, err)
	}
	return &dynamodb.QueryOutput{
		Items:            i.list,
		Count:            int32(a.Count),
		ScannedCount:     int32(a.ScannedCount),
		LastEvaluatedKey: itemToSDK(a.LastKey),
		ConsumedCapacity: consumed(a.Capacity, level),
		ResultMetadata:   metadata(),
	}, nil
}
