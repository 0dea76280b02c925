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
	"DescribeExport",
	"DescribeImport",
	"ExportTableToPointInTime",
	"ImportTable",
	"ListExports",
	"ListImports",
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
