package engine

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The operations in this file reach for what is elsewhere: streams of Amazon
// Kinesis, tables in other regions, vector indexes. They are answered as the
// service answers an account that has none of these.

// GlobalTableNotFound is raised for every global table.
const GlobalTableNotFound = "GlobalTableNotFoundException"

// kinesis checks the table and the stream of an operation on streams of Amazon
// Kinesis.
func (e *Engine) kinesis(ctx context.Context, name, stream *string) (*table, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.nameOrARN("tableName", name)
	c.streamARN("streamArn", stream)
	if err := c.err(); err != nil {
		return nil, err
	}
	return e.describedTable(*name)
}

// EnableKinesisStreamingDestination finds no stream to send changes to.
func (e *Engine) EnableKinesisStreamingDestination(ctx context.Context, in *dynamodb.EnableKinesisStreamingDestinationInput) (*dynamodb.EnableKinesisStreamingDestinationOutput, error) {
	if _, err := e.kinesis(ctx, in.TableName, in.StreamArn); err != nil {
		return nil, err
	}
	return nil, newError(NotFound, "Requested resource not found: Kinesis stream: %s not found", *in.StreamArn)
}

// DisableKinesisStreamingDestination finds no destination that is active.
func (e *Engine) DisableKinesisStreamingDestination(ctx context.Context, in *dynamodb.DisableKinesisStreamingDestinationInput) (*dynamodb.DisableKinesisStreamingDestinationOutput, error) {
	if _, err := e.kinesis(ctx, in.TableName, in.StreamArn); err != nil {
		return nil, err
	}
	return nil, invalid("Table is not in a valid state to disable Kinesis Streaming Destination: KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.")
}

// UpdateKinesisStreamingDestination finds no destination that is active.
func (e *Engine) UpdateKinesisStreamingDestination(ctx context.Context, in *dynamodb.UpdateKinesisStreamingDestinationInput) (*dynamodb.UpdateKinesisStreamingDestinationOutput, error) {
	if _, err := e.kinesis(ctx, in.TableName, in.StreamArn); err != nil {
		return nil, err
	}
	return nil, invalid("Table is not in a valid state to update Kinesis Streaming Destination: KinesisStreamingDestination must be ACTIVE to perform UPDATE operation.")
}

// DescribeKinesisStreamingDestination tells that a table has no destinations.
func (e *Engine) DescribeKinesisStreamingDestination(ctx context.Context, in *dynamodb.DescribeKinesisStreamingDestinationInput) (*dynamodb.DescribeKinesisStreamingDestinationOutput, error) {
	t, err := e.here(ctx, in.TableName)
	if err != nil {
		return nil, err
	}
	return &dynamodb.DescribeKinesisStreamingDestinationOutput{TableName: aws.String(t.name), KinesisDataStreamDestinations: []types.KinesisDataStreamDestination{}}, nil
}

// here finds the table of an operation that needs no more.
func (e *Engine) here(ctx context.Context, name *string) (*table, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := checkTableName(name); err != nil {
		return nil, err
	}
	return e.describedTable(*name)
}

// CreateGlobalTable wants a table of that name in every region of the group, and
// finds none in the others.
func (e *Engine) CreateGlobalTable(ctx context.Context, in *dynamodb.CreateGlobalTableInput) (*dynamodb.CreateGlobalTableOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.name("globalTableName", in.GlobalTableName)
	c.present("replicationGroup", in.ReplicationGroup != nil)
	if err := c.err(); err != nil {
		return nil, err
	}
	for _, r := range in.ReplicationGroup {
		if region := aws.ToString(r.RegionName); region != e.opts.Region || e.catalog.get(*in.GlobalTableName) == nil {
			return nil, newError(TableNotFound, "Table not found: %s in region %s", *in.GlobalTableName, region)
		}
	}
	return nil, invalidParameter("The replication group must contain a region other than %s", e.opts.Region)
}

func (e *Engine) globalTable(ctx context.Context, name *string) error {
	if err := e.enter(ctx); err != nil {
		return err
	}
	defer e.store.Leave()
	var c checks
	c.name("globalTableName", name)
	if err := c.err(); err != nil {
		return err
	}
	return newError(GlobalTableNotFound, "Global table not found: Global table with name: '%s' does not exist.", *name)
}

// DescribeGlobalTable finds none.
func (e *Engine) DescribeGlobalTable(ctx context.Context, in *dynamodb.DescribeGlobalTableInput) (*dynamodb.DescribeGlobalTableOutput, error) {
	return nil, e.globalTable(ctx, in.GlobalTableName)
}

// DescribeGlobalTableSettings finds none.
func (e *Engine) DescribeGlobalTableSettings(ctx context.Context, in *dynamodb.DescribeGlobalTableSettingsInput) (*dynamodb.DescribeGlobalTableSettingsOutput, error) {
	return nil, e.globalTable(ctx, in.GlobalTableName)
}

// UpdateGlobalTable finds none.
func (e *Engine) UpdateGlobalTable(ctx context.Context, in *dynamodb.UpdateGlobalTableInput) (*dynamodb.UpdateGlobalTableOutput, error) {
	return nil, e.globalTable(ctx, in.GlobalTableName)
}

// UpdateGlobalTableSettings finds none.
func (e *Engine) UpdateGlobalTableSettings(ctx context.Context, in *dynamodb.UpdateGlobalTableSettingsInput) (*dynamodb.UpdateGlobalTableSettingsOutput, error) {
	return nil, e.globalTable(ctx, in.GlobalTableName)
}

// ListGlobalTables lists none.
func (e *Engine) ListGlobalTables(ctx context.Context, in *dynamodb.ListGlobalTablesInput) (*dynamodb.ListGlobalTablesOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	if in.ExclusiveStartGlobalTableName != nil {
		c.name("exclusiveStartGlobalTableName", in.ExclusiveStartGlobalTableName)
	}
	c.atLeast("limit", in.Limit, 1)
	if err := c.err(); err != nil {
		return nil, err
	}
	return &dynamodb.ListGlobalTablesOutput{GlobalTables: []types.GlobalTable{}}, nil
}

// DescribeTableReplicaAutoScaling tells that a table has no replicas.
func (e *Engine) DescribeTableReplicaAutoScaling(ctx context.Context, in *dynamodb.DescribeTableReplicaAutoScalingInput) (*dynamodb.DescribeTableReplicaAutoScalingOutput, error) {
	t, err := e.here(ctx, in.TableName)
	if err != nil {
		return nil, err
	}
	return &dynamodb.DescribeTableReplicaAutoScalingOutput{TableAutoScalingDescription: &types.TableAutoScalingDescription{
		TableName: aws.String(t.name), TableStatus: types.TableStatusActive, Replicas: []types.ReplicaAutoScalingDescription{},
	}}, nil
}

// UpdateTableReplicaAutoScaling finds no replica to change.
func (e *Engine) UpdateTableReplicaAutoScaling(ctx context.Context, in *dynamodb.UpdateTableReplicaAutoScalingInput) (*dynamodb.UpdateTableReplicaAutoScalingOutput, error) {
	t, err := e.here(ctx, in.TableName)
	if err != nil {
		return nil, err
	}
	return nil, invalidParameter("Table %s is not a global table", t.name)
}

// SearchVectors finds no vector index: tables cannot have one.
func (e *Engine) SearchVectors(ctx context.Context, in *dynamodb.SearchVectorsInput) (*dynamodb.SearchVectorsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.nameOrARN("tableName", in.TableName)
	c.present("indexName", in.IndexName != nil)
	c.indexName(in.IndexName)
	c.present("searchVector", in.SearchVector != nil)
	c.present("topK", in.TopK != nil)
	c.capacity(string(in.ReturnConsumedCapacity))
	if err := c.err(); err != nil {
		return nil, err
	}
	if _, err := e.table(*in.TableName); err != nil {
		return nil, err
	}
	return nil, invalid("The table does not have the specified index: %s", *in.IndexName)
}
