package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/engine"
)

// Objects is the store of objects that tables are exported to and imported from;
// see [engine.Objects].
type Objects = engine.Objects

// UseObjects gives the database the store of objects, and goes on with exports,
// imports and bulk operations that were under way when it was closed. Without one,
// no bucket exists.
func (db *DB) UseObjects(o Objects) error { return db.engine.UseObjects(o) }

// ExportTableToPointInTime writes a table, or what changed of it, to objects.
func (db *DB) ExportTableToPointInTime(ctx context.Context, in *dynamodb.ExportTableToPointInTimeInput, _ ...func(*dynamodb.Options)) (*dynamodb.ExportTableToPointInTimeOutput, error) {
	return control(ctx, db, "ExportTableToPointInTime", in, (*dynamodb.Client).ExportTableToPointInTime, (*engine.Engine).ExportTableToPointInTime)
}

// DescribeExport describes an export.
func (db *DB) DescribeExport(ctx context.Context, in *dynamodb.DescribeExportInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeExportOutput, error) {
	return control(ctx, db, "DescribeExport", in, (*dynamodb.Client).DescribeExport, (*engine.Engine).DescribeExport)
}

// ListExports lists exports, the newest first.
func (db *DB) ListExports(ctx context.Context, in *dynamodb.ListExportsInput, _ ...func(*dynamodb.Options)) (*dynamodb.ListExportsOutput, error) {
	return control(ctx, db, "ListExports", in, (*dynamodb.Client).ListExports, (*engine.Engine).ListExports)
}

// ImportTable makes a table of the items in objects.
func (db *DB) ImportTable(ctx context.Context, in *dynamodb.ImportTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.ImportTableOutput, error) {
	return control(ctx, db, "ImportTable", in, (*dynamodb.Client).ImportTable, (*engine.Engine).ImportTable)
}

// DescribeImport describes an import.
func (db *DB) DescribeImport(ctx context.Context, in *dynamodb.DescribeImportInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeImportOutput, error) {
	return control(ctx, db, "DescribeImport", in, (*dynamodb.Client).DescribeImport, (*engine.Engine).DescribeImport)
}

// ListImports lists imports, the newest first.
func (db *DB) ListImports(ctx context.Context, in *dynamodb.ListImportsInput, _ ...func(*dynamodb.Options)) (*dynamodb.ListImportsOutput, error) {
	return control(ctx, db, "ListImports", in, (*dynamodb.Client).ListImports, (*engine.Engine).ListImports)
}
