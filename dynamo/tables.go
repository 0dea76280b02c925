package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/engine"
)

// CreateTable creates a table; it is ACTIVE at once.
func (db *DB) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	return control(ctx, db, "CreateTable", in, (*dynamodb.Client).CreateTable, (*engine.Engine).CreateTable)
}

// DescribeTable tells what a table is.
func (db *DB) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return control(ctx, db, "DescribeTable", in, (*dynamodb.Client).DescribeTable, (*engine.Engine).DescribeTable)
}

// UpdateTable changes a table's indexes, billing, stream, protection, encryption or
// class.
func (db *DB) UpdateTable(ctx context.Context, in *dynamodb.UpdateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput, error) {
	return control(ctx, db, "UpdateTable", in, (*dynamodb.Client).UpdateTable, (*engine.Engine).UpdateTable)
}

// DeleteTable deletes a table and all its items.
func (db *DB) DeleteTable(ctx context.Context, in *dynamodb.DeleteTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error) {
	return control(ctx, db, "DeleteTable", in, (*dynamodb.Client).DeleteTable, (*engine.Engine).DeleteTable)
}

// ListTables lists the names of tables, a page at a time.
func (db *DB) ListTables(ctx context.Context, in *dynamodb.ListTablesInput, _ ...func(*dynamodb.Options)) (*dynamodb.ListTablesOutput, error) {
	return control(ctx, db, "ListTables", in, (*dynamodb.Client).ListTables, (*engine.Engine).ListTables)
}

// UpdateTimeToLive names the attribute by which a table's items expire.
func (db *DB) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	return control(ctx, db, "UpdateTimeToLive", in, (*dynamodb.Client).UpdateTimeToLive, (*engine.Engine).UpdateTimeToLive)
}

// DescribeTimeToLive tells by which attribute a table's items expire.
func (db *DB) DescribeTimeToLive(ctx context.Context, in *dynamodb.DescribeTimeToLiveInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error) {
	return control(ctx, db, "DescribeTimeToLive", in, (*dynamodb.Client).DescribeTimeToLive, (*engine.Engine).DescribeTimeToLive)
}

// TagResource puts tags on a table.
func (db *DB) TagResource(ctx context.Context, in *dynamodb.TagResourceInput, _ ...func(*dynamodb.Options)) (*dynamodb.TagResourceOutput, error) {
	return control(ctx, db, "TagResource", in, (*dynamodb.Client).TagResource, (*engine.Engine).TagResource)
}

// UntagResource takes tags off a table.
func (db *DB) UntagResource(ctx context.Context, in *dynamodb.UntagResourceInput, _ ...func(*dynamodb.Options)) (*dynamodb.UntagResourceOutput, error) {
	return control(ctx, db, "UntagResource", in, (*dynamodb.Client).UntagResource, (*engine.Engine).UntagResource)
}

// ListTagsOfResource lists a table's tags.
func (db *DB) ListTagsOfResource(ctx context.Context, in *dynamodb.ListTagsOfResourceInput, _ ...func(*dynamodb.Options)) (*dynamodb.ListTagsOfResourceOutput, error) {
	return control(ctx, db, "ListTagsOfResource", in, (*dynamodb.Client).ListTagsOfResource, (*engine.Engine).ListTagsOfResource)
}

// DescribeLimits tells the account's limits.
func (db *DB) DescribeLimits(ctx context.Context, in *dynamodb.DescribeLimitsInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeLimitsOutput, error) {
	return control(ctx, db, "DescribeLimits", in, (*dynamodb.Client).DescribeLimits, (*engine.Engine).DescribeLimits)
}

// DescribeEndpoints tells where the service is.
func (db *DB) DescribeEndpoints(ctx context.Context, in *dynamodb.DescribeEndpointsInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeEndpointsOutput, error) {
	return control(ctx, db, "DescribeEndpoints", in, (*dynamodb.Client).DescribeEndpoints, (*engine.Engine).DescribeEndpoints)
}
