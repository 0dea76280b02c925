package engine

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DescribeLimits answers the quotas that the service has by default. They are
// not enforced: nothing here is provisioned.
func (e *Engine) DescribeLimits(ctx context.Context, _ *dynamodb.DescribeLimitsInput) (*dynamodb.DescribeLimitsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	return &dynamodb.DescribeLimitsOutput{
		AccountMaxReadCapacityUnits:  aws.Int64(80000),
		AccountMaxWriteCapacityUnits: aws.Int64(80000),
		TableMaxReadCapacityUnits:    aws.Int64(40000),
		TableMaxWriteCapacityUnits:   aws.Int64(40000),
	}, nil
}

// DescribeEndpoints answers that the endpoint is here. An HTTP server in front of
// the engine answers the address under which it was called.
func (e *Engine) DescribeEndpoints(ctx context.Context, _ *dynamodb.DescribeEndpointsInput) (*dynamodb.DescribeEndpointsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	return &dynamodb.DescribeEndpointsOutput{Endpoints: []types.Endpoint{{
		Address: aws.String("localhost"), CachePeriodInMinutes: 1440,
	}}}, nil
}
