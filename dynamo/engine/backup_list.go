package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// findBackup returns the backup of that ARN, which must be finished.
func (e *Engine) findBackup(s *string) (*backupDef, error) {
	var c checks
	c.streamARN("backupArn", s)
	if err := c.err(); err != nil {
		return nil, err
	}
	a, ok := parseARN(*s)
	switch {
	case !ok || a.kind != "backup":
		return nil, invalid("Invalid Backup ARN")
	case !e.owns(a) || a.region != e.opts.Region:
		return nil, newError(AccessDenied, "Access is denied")
	}
	e.backups.mu.Lock()
	defer e.backups.mu.Unlock()
	def := e.backups.all[a.id]
	if def == nil || aws.ToString(def.Source.TableName) != a.table || def.Desc.BackupDetails.BackupStatus != types.BackupStatusAvailable {
		return nil, newError(BackupNotFound, "Backup not found: %s", *s)
	}
	return def, nil
}

// DescribeBackup describes a backup.
func (e *Engine) DescribeBackup(ctx context.Context, in *dynamodb.DescribeBackupInput) (*dynamodb.DescribeBackupOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	def, err := e.findBackup(in.BackupArn)
	if err != nil {
		return nil, err
	}
	return &dynamodb.DescribeBackupOutput{BackupDescription: def.describe()}, nil
}

// describe returns a description that the caller may change at its top.
func (b *backupDef) describe() *types.BackupDescription {
	d := b.Desc
	d.BackupDetails = clonePointer(d.BackupDetails)
	return &d
}

// DeleteBackup deletes a backup, unless a table is being restored from it or
// it is a system backup, which lapses by itself.
func (e *Engine) DeleteBackup(ctx context.Context, in *dynamodb.DeleteBackupInput) (*dynamodb.DeleteBackupOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	def, err := e.findBackup(in.BackupArn)
	if err != nil {
		return nil, err
	}
	details := def.Desc.BackupDetails
	if details.BackupType == types.BackupTypeSystem {
		return nil, invalid("Invalid Request: User is not allowed to delete the system backup with arn %s. It will automatically expire on %s", *in.BackupArn, details.BackupExpiryDateTime.Format(time.RFC3339))
	}
	if err := e.removeBackup(def, *in.BackupArn); err != nil {
		return nil, err
	}
	d := def.describe()
	d.BackupDetails.BackupStatus = types.BackupStatusDeleted
	return &dynamodb.DeleteBackupOutput{BackupDescription: d}, nil
}

// removeBackup removes a backup that is not in use.
func (e *Engine) removeBackup(def *backupDef, arn string) error {
	e.backups.mu.Lock()
	defer e.backups.mu.Unlock()
	if e.backups.all[def.ID] == nil {
		return newError(BackupNotFound, "Backup not found: %s", arn)
	}
	if _, busy := e.backups.busy[def.ID]; busy {
		return newError(BackupInUse, "Backup is being used to restore table: %s", arn)
	}
	if err := e.dropBackup(def); err != nil {
		return err
	}
	delete(e.backups.all, def.ID)
	return nil
}

// dropLapsed removes the system backups whose time has come.
func (e *Engine) dropLapsed() error {
	now := e.now()
	for _, def := range e.allBackups() {
		lapses := def.Desc.BackupDetails.BackupExpiryDateTime
		if lapses == nil || now.Before(*lapses) {
			continue
		}
		err := e.removeBackup(def, aws.ToString(def.Desc.BackupDetails.BackupArn))
		if own, ok := AsError(err); ok && own.Type == BackupInUse {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// allBackups returns the backups in the order in which they were made.
func (e *Engine) allBackups() []*backupDef {
	e.backups.mu.Lock()
	defer e.backups.mu.Unlock()
	list := make([]*backupDef, 0, len(e.backups.all))
	for _, def := range e.backups.all {
		list = append(list, def)
	}
	slices.SortFunc(list, func(a, b *backupDef) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// ListBackups returns a page of the backups, oldest first; by default only
// those that users made.
func (e *Engine) ListBackups(ctx context.Context, in *dynamodb.ListBackupsInput) (*dynamodb.ListBackupsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	after, err := validateListBackups(in)
	if err != nil {
		return nil, err
	}
	table, err := e.tableName(aws.ToString(in.TableName))
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(e.allBackups(), func(b *backupDef) bool {
		d := b.Desc.BackupDetails
		return table != "" && aws.ToString(b.Source.TableName) != table ||
			in.BackupType == "" && d.BackupType != types.BackupTypeUser ||
			in.BackupType != "" && in.BackupType != types.BackupTypeFilterAll && string(in.BackupType) != string(d.BackupType) ||
			in.TimeRangeLowerBound != nil && d.BackupCreationDateTime.Before(*in.TimeRangeLowerBound) ||
			in.TimeRangeUpperBound != nil && !d.BackupCreationDateTime.Before(*in.TimeRangeUpperBound) ||
			b.ID <= after
	})
	page, last := cut(list, in.Limit, func(b *backupDef) *string { return b.Desc.BackupDetails.BackupArn })
	out := &dynamodb.ListBackupsOutput{LastEvaluatedBackupArn: last, BackupSummaries: []types.BackupSummary{}}
	for _, b := range page {
		out.BackupSummaries = append(out.BackupSummaries, b.summary())
	}
	return out, nil
}

// validateListBackups checks the request and returns the id that the page
// begins after.
func validateListBackups(in *dynamodb.ListBackupsInput) (after string, err error) {
	var c checks
	c.enum("backupType", string(in.BackupType), "USER", "SYSTEM", "AWS_BACKUP", "ALL")
	if in.ExclusiveStartBackupArn != nil {
		c.streamARN("exclusiveStartBackupArn", in.ExclusiveStartBackupArn)
	}
	c.atLeast("limit", in.Limit, 1)
	c.atMost("limit", in.Limit, maxListed)
	if in.TableName != nil {
		c.nameOrARN("tableName", in.TableName)
	}
	if err := c.err(); err != nil {
		return "", err
	}
	if in.TimeRangeLowerBound != nil && in.TimeRangeUpperBound != nil && in.TimeRangeLowerBound.After(*in.TimeRangeUpperBound) {
		return "", invalidParameter("Time range lower bound must be less than or equal to upper bound")
	}
	if in.ExclusiveStartBackupArn == nil {
		return "", nil
	}
	a, ok := parseARN(*in.ExclusiveStartBackupArn)
	if !ok || a.kind != "backup" {
		return "", invalid("Invalid Backup ARN")
	}
	return a.id, nil
}

func (b *backupDef) summary() types.BackupSummary {
	d := b.Desc.BackupDetails
	return types.BackupSummary{
		BackupArn: d.BackupArn, BackupName: d.BackupName, BackupStatus: d.BackupStatus, BackupType: d.BackupType,
		BackupCreationDateTime: d.BackupCreationDateTime, BackupExpiryDateTime: d.BackupExpiryDateTime, BackupSizeBytes: d.BackupSizeBytes,
		TableName: b.Source.TableName, TableArn: b.Source.TableArn, TableId: b.Source.TableId,
	}
}
