package modeltest

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
)

// Counter passes requests on and counts them.
type Counter struct {
	dynamo.API

	Ops      []string // in order
	Filters  int      // requests with a filter
	Returned int      // items that queries returned
	Scanned  int      // items that queries looked at
	Units    float64  // consumed, of reads and writes together
}

func (c *Counter) note(op string, all ...types.ConsumedCapacity) {
	c.Ops = append(c.Ops, op)
	for _, one := range all {
		c.Units += aws.ToFloat64(one.CapacityUnits)
	}
}

func (c *Counter) one(op string, consumed *types.ConsumedCapacity) {
	if consumed == nil {
		c.note(op)
		return
	}
	c.note(op, *consumed)
}

// GetItem counts.
func (c *Counter) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := c.API.GetItem(ctx, &asked, o...)
	if err == nil {
		c.one("GetItem", out.ConsumedCapacity)
	}
	return out, err
}

// Query counts.
func (c *Counter) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := c.API.Query(ctx, &asked, o...)
	if err == nil {
		c.one("Query", out.ConsumedCapacity)
		c.Returned += int(out.Count)
		c.Scanned += int(out.ScannedCount)
	}
	if in.FilterExpression != nil || in.QueryFilter != nil {
		c.Filters++
	}
	return out, err
}

// Scan counts.
func (c *Counter) Scan(ctx context.Context, in *dynamodb.ScanInput, o ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	c.note("Scan")
	return c.API.Scan(ctx, in, o...)
}

// BatchGetItem counts.
func (c *Counter) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := c.API.BatchGetItem(ctx, &asked, o...)
	if err == nil {
		c.note("BatchGetItem", out.ConsumedCapacity...)
	}
	return out, err
}

// PutItem counts.
func (c *Counter) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := c.API.PutItem(ctx, &asked, o...)
	if err == nil {
		c.one("PutItem", out.ConsumedCapacity)
	}
	return out, err
}

// TransactWriteItems counts.
func (c *Counter) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := c.API.TransactWriteItems(ctx, &asked, o...)
	if err == nil {
		c.note("TransactWriteItems", out.ConsumedCapacity...)
	}
	return out, err
}

// ExecuteStatement counts: a statement may hide a scan.
func (c *Counter) ExecuteStatement(ctx context.Context, in *dynamodb.ExecuteStatementInput, o ...func(*dynamodb.Options)) (*dynamodb.ExecuteStatementOutput, error) {
	c.note("ExecuteStatement")
	return c.API.ExecuteStatement(ctx, in, o...)
}
