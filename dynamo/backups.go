package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/engine"
)

// CreateBackup keeps a table as it is now.
func (db *DB) CreateBackup(ctx context.Context, in *dynamodb.CreateBackupInput, _ ...func(*dynamodb.Options)) (*dynamodb.CreateBackupOutput, error) {
	return control(ctx, db, "CreateBackup", in, (*dynamodb.Client).CreateBackup, (*engine.Engine).CreateBackup)
}

// DescribeBackup tells what a backup is.
func (db *DB) DescribeBackup(ctx context.Context, in *dynamodb.DescribeBackupInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeBackupOutput, error) {
	return control(ctx, db, "DescribeBackup", in, (*dynamodb.Client).DescribeBackup, (*engine.Engine).DescribeBackup)
}

// ListBackups lists backups, a page at a time.
func (db *DB) ListBackups(ctx context.Context, in *dynamodb.ListBackupsInput, _ ...func(*dynamodb.Options)) (*dynamodb.ListBackupsOutput, error) {
	return control(ctx, db, "ListBackups", in, (*dynamodb.Client).ListBackups, (*engine.Engine).ListBackups)
}

// DeleteBackup deletes a backup.
func (db *DB) DeleteBackup(ctx context.Context, in *dynamodb.DeleteBackupInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteBackupOutput, error) {
	return control(ctx, db, "DeleteBackup", in, (*dynamodb.Client).DeleteBackup, (*engine.Engine).DeleteBackup)
}

// RestoreTableFromBackup makes a new table of a backup.
func (db *DB) RestoreTableFromBackup(ctx context.Context, in *dynamodb.RestoreTableFromBackupInput, _ ...func(*dynamodb.Options)) (*dynamodb.RestoreTableFromBackupOutput, error) {
	return control(ctx, db, "RestoreTableFromBackup", in, (*dynamodb.Client).RestoreTableFromBackup, (*engine.Engine).RestoreTableFromBackup)
}

// UpdateContinuousBackups turns point-in-time recovery on or off.
func (db *DB) UpdateContinuousBackups(ctx context.Context, in *dynamodb.UpdateContinuousBackupsInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateContinuousBackupsOutput, error) {
	return control(ctx, db, "UpdateContinuousBackups", in, (*dynamodb.Client).UpdateContinuousBackups, (*engine.Engine).UpdateContinuousBackups)
}

// DescribeContinuousBackups tells to which moments a table can be restored.
func (db *DB) DescribeContinuousBackups(ctx context.Context, in *dynamodb.DescribeContinuousBackupsInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeContinuousBackupsOutput, error) {
	return control(ctx, db, "DescribeContinuousBackups", in, (*dynamodb.Client).DescribeContinuousBackups, (*engine.Engine).DescribeContinuousBackups)
}

// RestoreTableToPointInTime makes a new table of another as it was at a
// moment.
func (db *DB) RestoreTableToPointInTime(ctx context.Context, in *dynamodb.RestoreTableToPointInTimeInput, _ ...func(*dynamodb.Options)) (*dynamodb.RestoreTableToPointInTimeOutput, error) {
	return control(ctx, db, "RestoreTableToPointInTime", in, (*dynamodb.Client).RestoreTableToPointInTime, (*engine.Engine).RestoreTableToPointInTime)
}
