package dynamo

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/engine"
)

// unsupported are the operations of DynamoDB that an embedded database has no
// use for.
var unsupported = []string{
	"CreateGlobalTable",
	"DescribeGlobalTable",
	"DescribeGlobalTableSettings",
	"ListGlobalTables",
	"UpdateGlobalTable",
	"UpdateGlobalTableSettings",
	"DescribeTableReplicaAutoScaling",
	"UpdateTableReplicaAutoScaling",
	"DescribeKinesisStreamingDestination",
	"DisableKinesisStreamingDestination",
	"EnableKinesisStreamingDestination",
	"UpdateKinesisStreamingDestination",
	"DescribeExport",
	"DescribeImport",
	"ExportTableToPointInTime",
	"ImportTable",
	"ListExports",
	"ListImports",
	"DescribeContributorInsights",
	"ListContributorInsights",
	"UpdateContributorInsights",
	"DeleteResourcePolicy",
	"GetResourcePolicy",
	"PutResourcePolicy",
	"SearchVectors",
}

// Unsupported lists the operations that answer UnknownOperationException, in
// process and over HTTP. All others do what DynamoDB does.
func Unsupported() []string { return slices.Clone(unsupported) }

// UnsupportedError is the engine's refusal of an operation that it does not
// have.
func UnsupportedError(operation string) *engine.Error {
	return &engine.Error{
		Type:    engine.UnknownOperation,
		Message: operation + " is not supported by this database; it needs Amazon DynamoDB",
	}
}

func notHere[Out any](operation string) (*Out, error) {
	return nil, fail(operation, UnsupportedError(operation))
}

// CreateGlobalTable is not supported.
func (*DB) CreateGlobalTable(context.Context, *dynamodb.CreateGlobalTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateGlobalTableOutput, error) {
	return notHere[dynamodb.CreateGlobalTableOutput]("CreateGlobalTable")
}

// DescribeGlobalTable is not supported.
func (*DB) DescribeGlobalTable(context.Context, *dynamodb.DescribeGlobalTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeGlobalTableOutput, error) {
	return notHere[dynamodb.DescribeGlobalTableOutput]("DescribeGlobalTable")
}

// DescribeGlobalTableSettings is not supported.
func (*DB) DescribeGlobalTableSettings(context.Context, *dynamodb.DescribeGlobalTableSettingsInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeGlobalTableSettingsOutput, error) {
	return notHere[dynamodb.DescribeGlobalTableSettingsOutput]("DescribeGlobalTableSettings")
}

// ListGlobalTables is not supported.
func (*DB) ListGlobalTables(context.Context, *dynamodb.ListGlobalTablesInput, ...func(*dynamodb.Options)) (*dynamodb.ListGlobalTablesOutput, error) {
	return notHere[dynamodb.ListGlobalTablesOutput]("ListGlobalTables")
}

// UpdateGlobalTable is not supported.
func (*DB) UpdateGlobalTable(context.Context, *dynamodb.UpdateGlobalTableInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateGlobalTableOutput, error) {
	return notHere[dynamodb.UpdateGlobalTableOutput]("UpdateGlobalTable")
}

// UpdateGlobalTableSettings is not supported.
func (*DB) UpdateGlobalTableSettings(context.Context, *dynamodb.UpdateGlobalTableSettingsInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateGlobalTableSettingsOutput, error) {
	return notHere[dynamodb.UpdateGlobalTableSettingsOutput]("UpdateGlobalTableSettings")
}

// DescribeTableReplicaAutoScaling is not supported.
func (*DB) DescribeTableReplicaAutoScaling(context.Context, *dynamodb.DescribeTableReplicaAutoScalingInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableReplicaAutoScalingOutput, error) {
	return notHere[dynamodb.DescribeTableReplicaAutoScalingOutput]("DescribeTableReplicaAutoScaling")
}

// UpdateTableReplicaAutoScaling is not supported.
func (*DB) UpdateTableReplicaAutoScaling(context.Context, *dynamodb.UpdateTableReplicaAutoScalingInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTableReplicaAutoScalingOutput, error) {
	return notHere[dynamodb.UpdateTableReplicaAutoScalingOutput]("UpdateTableReplicaAutoScaling")
}

// DescribeKinesisStreamingDestination is not supported.
func (*DB) DescribeKinesisStreamingDestination(context.Context, *dynamodb.DescribeKinesisStreamingDestinationInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeKinesisStreamingDestinationOutput, error) {
	return notHere[dynamodb.DescribeKinesisStreamingDestinationOutput]("DescribeKinesisStreamingDestination")
}

// DisableKinesisStreamingDestination is not supported.
func (*DB) DisableKinesisStreamingDestination(context.Context, *dynamodb.DisableKinesisStreamingDestinationInput, ...func(*dynamodb.Options)) (*dynamodb.DisableKinesisStreamingDestinationOutput, error) {
	return notHere[dynamodb.DisableKinesisStreamingDestinationOutput]("DisableKinesisStreamingDestination")
}

// EnableKinesisStreamingDestination is not supported.
func (*DB) EnableKinesisStreamingDestination(context.Context, *dynamodb.EnableKinesisStreamingDestinationInput, ...func(*dynamodb.Options)) (*dynamodb.EnableKinesisStreamingDestinationOutput, error) {
	return notHere[dynamodb.EnableKinesisStreamingDestinationOutput]("EnableKinesisStreamingDestination")
}

// UpdateKinesisStreamingDestination is not supported.
func (*DB) UpdateKinesisStreamingDestination(context.Context, *dynamodb.UpdateKinesisStreamingDestinationInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateKinesisStreamingDestinationOutput, error) {
	return notHere[dynamodb.UpdateKinesisStreamingDestinationOutput]("UpdateKinesisStreamingDestination")
}

// DescribeExport is not supported.
func (*DB) DescribeExport(context.Context, *dynamodb.DescribeExportInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeExportOutput, error) {
	return notHere[dynamodb.DescribeExportOutput]("DescribeExport")
}

// DescribeImport is not supported.
func (*DB) DescribeImport(context.Context, *dynamodb.DescribeImportInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeImportOutput, error) {
	return notHere[dynamodb.DescribeImportOutput]("DescribeImport")
}

// ExportTableToPointInTime is not supported.
func (*DB) ExportTableToPointInTime(context.Context, *dynamodb.ExportTableToPointInTimeInput, ...func(*dynamodb.Options)) (*dynamodb.ExportTableToPointInTimeOutput, error) {
	return notHere[dynamodb.ExportTableToPointInTimeOutput]("ExportTableToPointInTime")
}

// ImportTable is not supported.
func (*DB) ImportTable(context.Context, *dynamodb.ImportTableInput, ...func(*dynamodb.Options)) (*dynamodb.ImportTableOutput, error) {
	return notHere[dynamodb.ImportTableOutput]("ImportTable")
}

// ListExports is not supported.
func (*DB) ListExports(context.Context, *dynamodb.ListExportsInput, ...func(*dynamodb.Options)) (*dynamodb.ListExportsOutput, error) {
	return notHere[dynamodb.ListExportsOutput]("ListExports")
}

// ListImports is not supported.
func (*DB) ListImports(context.Context, *dynamodb.ListImportsInput, ...func(*dynamodb.Options)) (*dynamodb.ListImportsOutput, error) {
	return notHere[dynamodb.ListImportsOutput]("ListImports")
}

// DescribeContributorInsights is not supported.
func (*DB) DescribeContributorInsights(context.Context, *dynamodb.DescribeContributorInsightsInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeContributorInsightsOutput, error) {
	return notHere[dynamodb.DescribeContributorInsightsOutput]("DescribeContributorInsights")
}

// ListContributorInsights is not supported.
func (*DB) ListContributorInsights(context.Context, *dynamodb.ListContributorInsightsInput, ...func(*dynamodb.Options)) (*dynamodb.ListContributorInsightsOutput, error) {
	return notHere[dynamodb.ListContributorInsightsOutput]("ListContributorInsights")
}

// UpdateContributorInsights is not supported.
func (*DB) UpdateContributorInsights(context.Context, *dynamodb.UpdateContributorInsightsInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateContributorInsightsOutput, error) {
	return notHere[dynamodb.UpdateContributorInsightsOutput]("UpdateContributorInsights")
}

// DeleteResourcePolicy is not supported.
func (*DB) DeleteResourcePolicy(context.Context, *dynamodb.DeleteResourcePolicyInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteResourcePolicyOutput, error) {
	return notHere[dynamodb.DeleteResourcePolicyOutput]("DeleteResourcePolicy")
}

// GetResourcePolicy is not supported.
func (*DB) GetResourcePolicy(context.Context, *dynamodb.GetResourcePolicyInput, ...func(*dynamodb.Options)) (*dynamodb.GetResourcePolicyOutput, error) {
	return notHere[dynamodb.GetResourcePolicyOutput]("GetResourcePolicy")
}

// PutResourcePolicy is not supported.
func (*DB) PutResourcePolicy(context.Context, *dynamodb.PutResourcePolicyInput, ...func(*dynamodb.Options)) (*dynamodb.PutResourcePolicyOutput, error) {
	return notHere[dynamodb.PutResourcePolicyOutput]("PutResourcePolicy")
}

// SearchVectors is not supported.
func (*DB) SearchVectors(context.Context, *dynamodb.SearchVectorsInput, ...func(*dynamodb.Options)) (*dynamodb.SearchVectorsOutput, error) {
	return notHere[dynamodb.SearchVectorsOutput]("SearchVectors")
}
