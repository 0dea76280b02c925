package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/engine"
)

// CreateGlobalTable finds no table in the other regions.
func (db *DB) CreateGlobalTable(ctx context.Context, in *dynamodb.CreateGlobalTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.CreateGlobalTableOutput, error) {
	return control(ctx, db, "CreateGlobalTable", in, (*dynamodb.Client).CreateGlobalTable, (*engine.Engine).CreateGlobalTable)
}

// DescribeGlobalTable finds none: there is one region.
func (db *DB) DescribeGlobalTable(ctx context.Context, in *dynamodb.DescribeGlobalTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeGlobalTableOutput, error) {
	return control(ctx, db, "DescribeGlobalTable", in, (*dynamodb.Client).DescribeGlobalTable, (*engine.Engine).DescribeGlobalTable)
}

// DescribeGlobalTableSettings finds none: there is one region.
func (db *DB) DescribeGlobalTableSettings(ctx context.Context, in *dynamodb.DescribeGlobalTableSettingsInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeGlobalTableSettingsOutput, error) {
	return control(ctx, db, "DescribeGlobalTableSettings", in, (*dynamodb.Client).DescribeGlobalTableSettings, (*engine.Engine).DescribeGlobalTableSettings)
}

// ListGlobalTables lists none: there is one region.
func (db *DB) ListGlobalTables(ctx context.Context, in *dynamodb.ListGlobalTablesInput, _ ...func(*dynamodb.Options)) (*dynamodb.ListGlobalTablesOutput, error) {
	return control(ctx, db, "ListGlobalTables", in, (*dynamodb.Client).ListGlobalTables, (*engine.Engine).ListGlobalTables)
}

// UpdateGlobalTable finds none: there is one region.
func (db *DB) UpdateGlobalTable(ctx context.Context, in *dynamodb.UpdateGlobalTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateGlobalTableOutput, error) {
	return control(ctx, db, "UpdateGlobalTable", in, (*dynamodb.Client).UpdateGlobalTable, (*engine.Engine).UpdateGlobalTable)
}

// UpdateGlobalTableSettings finds none: there is one region.
func (db *DB) UpdateGlobalTableSettings(ctx context.Context, in *dynamodb.UpdateGlobalTableSettingsInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateGlobalTableSettingsOutput, error) {
	return control(ctx, db, "UpdateGlobalTableSettings", in, (*dynamodb.Client).UpdateGlobalTableSettings, (*engine.Engine).UpdateGlobalTableSettings)
}

// DescribeTableReplicaAutoScaling tells that a table has no replicas.
func (db *DB) DescribeTableReplicaAutoScaling(ctx context.Context, in *dynamodb.DescribeTableReplicaAutoScalingInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeTableReplicaAutoScalingOutput, error) {
	return control(ctx, db, "DescribeTableReplicaAutoScaling", in, (*dynamodb.Client).DescribeTableReplicaAutoScaling, (*engine.Engine).DescribeTableReplicaAutoScaling)
}

// UpdateTableReplicaAutoScaling finds no replica to change.
func (db *DB) UpdateTableReplicaAutoScaling(ctx context.Context, in *dynamodb.UpdateTableReplicaAutoScalingInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTableReplicaAutoScalingOutput, error) {
	return control(ctx, db, "UpdateTableReplicaAutoScaling", in, (*dynamodb.Client).UpdateTableReplicaAutoScaling, (*engine.Engine).UpdateTableReplicaAutoScaling)
}

// DescribeKinesisStreamingDestination tells that a table has no destinations.
func (db *DB) DescribeKinesisStreamingDestination(ctx context.Context, in *dynamodb.DescribeKinesisStreamingDestinationInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeKinesisStreamingDestinationOutput, error) {
	return control(ctx, db, "DescribeKinesisStreamingDestination", in, (*dynamodb.Client).DescribeKinesisStreamingDestination, (*engine.Engine).DescribeKinesisStreamingDestination)
}

// DisableKinesisStreamingDestination finds no destination that is active.
func (db *DB) DisableKinesisStreamingDestination(ctx context.Context, in *dynamodb.DisableKinesisStreamingDestinationInput, _ ...func(*dynamodb.Options)) (*dynamodb.DisableKinesisStreamingDestinationOutput, error) {
	return control(ctx, db, "DisableKinesisStreamingDestination", in, (*dynamodb.Client).DisableKinesisStreamingDestination, (*engine.Engine).DisableKinesisStreamingDestination)
}

// EnableKinesisStreamingDestination finds no stream to send changes to.
func (db *DB) EnableKinesisStreamingDestination(ctx context.Context, in *dynamodb.EnableKinesisStreamingDestinationInput, _ ...func(*dynamodb.Options)) (*dynamodb.EnableKinesisStreamingDestinationOutput, error) {
	return control(ctx, db, "EnableKinesisStreamingDestination", in, (*dynamodb.Client).EnableKinesisStreamingDestination, (*engine.Engine).EnableKinesisStreamingDestination)
}

// UpdateKinesisStreamingDestination finds no destination that is active.
func (db *DB) UpdateKinesisStreamingDestination(ctx context.Context, in *dynamodb.UpdateKinesisStreamingDestinationInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateKinesisStreamingDestinationOutput, error) {
	return control(ctx, db, "UpdateKinesisStreamingDestination", in, (*dynamodb.Client).UpdateKinesisStreamingDestination, (*engine.Engine).UpdateKinesisStreamingDestination)
}

// DescribeContributorInsights tells whether the insights of a table or index are wanted.
func (db *DB) DescribeContributorInsights(ctx context.Context, in *dynamodb.DescribeContributorInsightsInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeContributorInsightsOutput, error) {
	return control(ctx, db, "DescribeContributorInsights", in, (*dynamodb.Client).DescribeContributorInsights, (*engine.Engine).DescribeContributorInsights)
}

// ListContributorInsights lists what insights were ever wanted of.
func (db *DB) ListContributorInsights(ctx context.Context, in *dynamodb.ListContributorInsightsInput, _ ...func(*dynamodb.Options)) (*dynamodb.ListContributorInsightsOutput, error) {
	return control(ctx, db, "ListContributorInsights", in, (*dynamodb.Client).ListContributorInsights, (*engine.Engine).ListContributorInsights)
}

// UpdateContributorInsights says whether insights of a table or index are wanted.
func (db *DB) UpdateContributorInsights(ctx context.Context, in *dynamodb.UpdateContributorInsightsInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateContributorInsightsOutput, error) {
	return control(ctx, db, "UpdateContributorInsights", in, (*dynamodb.Client).UpdateContributorInsights, (*engine.Engine).UpdateContributorInsights)
}

// DeleteResourcePolicy takes the policy from a table or stream.
func (db *DB) DeleteResourcePolicy(ctx context.Context, in *dynamodb.DeleteResourcePolicyInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteResourcePolicyOutput, error) {
	return control(ctx, db, "DeleteResourcePolicy", in, (*dynamodb.Client).DeleteResourcePolicy, (*engine.Engine).DeleteResourcePolicy)
}

// GetResourcePolicy returns the policy of a table or stream.
func (db *DB) GetResourcePolicy(ctx context.Context, in *dynamodb.GetResourcePolicyInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetResourcePolicyOutput, error) {
	return control(ctx, db, "GetResourcePolicy", in, (*dynamodb.Client).GetResourcePolicy, (*engine.Engine).GetResourcePolicy)
}

// PutResourcePolicy gives a table or stream a policy.
func (db *DB) PutResourcePolicy(ctx context.Context, in *dynamodb.PutResourcePolicyInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutResourcePolicyOutput, error) {
	return control(ctx, db, "PutResourcePolicy", in, (*dynamodb.Client).PutResourcePolicy, (*engine.Engine).PutResourcePolicy)
}

// SearchVectors finds no vector index.
func (db *DB) SearchVectors(ctx context.Context, in *dynamodb.SearchVectorsInput, _ ...func(*dynamodb.Options)) (*dynamodb.SearchVectorsOutput, error) {
	return control(ctx, db, "SearchVectors", in, (*dynamodb.Client).SearchVectors, (*engine.Engine).SearchVectors)
}
