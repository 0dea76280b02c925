package dynamotest

import (
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var backupCases = []testCase{
	{"backups are listed by table and in pages", []string{"backups"}, backupPages},
	{"backups are listed by type and time", []string{"backups"}, backupFilters},
	{"a restored table may have other indexes and billing", []string{"backups"}, restoreOverrides},
	{"a backup outlives its table", []string{"backups"}, backupOutlives},
}

func backupPages(s *suite) {
	for i := range 3 {
		s.accept("CreateBackup", `{BackupName: "page-%d"}`, i)
	}
	var names []string
	in := &dynamodb.ListBackupsInput{TableName: s.table("Music"), Limit: aws.Int32(2)}
	for {
		out, err := s.API.ListBackups(s.ctx(), in)
		if err != nil {
			s.T.Fatal(err)
		}
		if len(out.BackupSummaries) > 2 {
			s.T.Errorf("%d backups of 2", len(out.BackupSummaries))
		}
		for _, b := range out.BackupSummaries {
			names = append(names, *b.BackupName)
			s.accept("DeleteBackup", `{BackupArn: %q}`, *b.BackupArn)
		}
		if in.ExclusiveStartBackupArn = out.LastEvaluatedBackupArn; in.ExclusiveStartBackupArn == nil {
			break
		}
	}
	slices.Sort(names)
	s.equal("backups", names, []string{"page-0", "page-1", "page-2"})
}

// backupFilters lists backups by type and time.
func backupFilters(s *suite) {
	b := do[dynamodb.CreateBackupOutput](s, "CreateBackup", `{BackupName: "filtered"}`).BackupDetails
	count := func(in *dynamodb.ListBackupsInput) int {
		in.TableName = s.table("Music")
		out, err := s.API.ListBackups(s.ctx(), in)
		if err != nil {
			s.T.Fatal(err)
		}
		return len(out.BackupSummaries)
	}
	before, after := b.BackupCreationDateTime.Add(-time.Hour), b.BackupCreationDateTime.Add(time.Hour)
	s.equal("of the user", count(&dynamodb.ListBackupsInput{BackupType: types.BackupTypeFilterUser}), 1)
	s.equal("of the system", count(&dynamodb.ListBackupsInput{BackupType: types.BackupTypeFilterSystem}), 0)
	s.equal("of the hour", count(&dynamodb.ListBackupsInput{TimeRangeLowerBound: &before, TimeRangeUpperBound: &after}), 1)
	s.equal("of before", count(&dynamodb.ListBackupsInput{TimeRangeUpperBound: &before}), 0)
	s.equal("of after", count(&dynamodb.ListBackupsInput{TimeRangeLowerBound: &after}), 0)
	s.accept("DeleteBackup", `{BackupArn: %q}`, *b.BackupArn)
}

// restoreOverrides restores a table with other indexes, billing and
// encryption than it had.
func restoreOverrides(s *suite) {
	b := do[dynamodb.CreateBackupOutput](s, "CreateBackup", `{BackupName: "overrides"}`).BackupDetails
	name := s.real("Other")
	s.accept("RestoreTableFromBackup", `{BackupArn: %q, TargetTableName: %q, LocalSecondaryIndexOverride: [],
		GlobalSecondaryIndexOverride: [{IndexName: "byLabel", KeySchema: [{AttributeName: "label", KeyType: HASH}], Projection: {ProjectionType: ALL}}],
		BillingModeOverride: PAY_PER_REQUEST, OnDemandThroughputOverride: {MaxReadRequestUnits: 7}, SSESpecificationOverride: {Enabled: true}}`, *b.BackupArn, name)
	s.removeLater(name)
	s.wait(name)
	d := do[dynamodb.DescribeTableOutput](s, "DescribeTable", `{TableName: %q}`, name).Table
	s.equal("local and global indexes", []int{len(d.LocalSecondaryIndexes), len(d.GlobalSecondaryIndexes)}, []int{0, 1})
	s.equal("units and encryption", fmt.Sprint([]any{*d.OnDemandThroughput.MaxReadRequestUnits, d.SSEDescription.Status}), "[7 ENABLED]")
	s.accept("DeleteBackup", `{BackupArn: %q}`, *b.BackupArn)
}

func backupOutlives(s *suite) {
	name := s.real("Doomed")
	s.accept("CreateTable", `{TableName: %q, AttributeDefinitions: [{AttributeName: "id", AttributeType: S}], KeySchema: [{AttributeName: "id", KeyType: HASH}], BillingMode: PAY_PER_REQUEST}`, name)
	s.wait(name)
	s.accept("PutItem", `{TableName: %q, Item: {id: "x"}}`, name)
	b := do[dynamodb.CreateBackupOutput](s, "CreateBackup", `{TableName: %q, BackupName: "last"}`, name)
	s.accept("DeleteTable", `{TableName: %q}`, name)
	s.eventually("the table is gone", func() bool {
		_, err := s.ask("DescribeTable", `{TableName: %q}`, name)
		return err != nil
	})
	s.accept("RestoreTableFromBackup", `{BackupArn: %q, TargetTableName: %q}`, *b.BackupDetails.BackupArn, name)
	s.removeLater(name)
	s.wait(name)
	got := do[dynamodb.GetItemOutput](s, "GetItem", `{TableName: %q, Key: {id: "x"}}`, name)
	s.equal("the item", mapString(got.Item), `{id: "x"}`)
	s.accept("DeleteBackup", `{BackupArn: %q}`, *b.BackupDetails.BackupArn)
}

var recoveryCases = []testCase{
	{"a table is restored to each second of its past", []string{"backups", "clock"}, restoreSeconds},
	{"what is out of reach is refused", []string{"backups", "clock"}, restoreReach},
}

// restoreSeconds changes a table once a second and restores it to each.
func restoreSeconds(s *suite) {
	s.accept("UpdateContinuousBackups", `{TableName: Items, PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}}`)
	var moments []time.Time
	var want []string
	for i := range 4 {
		s.Advance(s.T, 2*time.Second)
		switch i {
		case 0:
			s.accept("PutItem", `{TableName: Items, Item: {id: "a", v: 0}}`)
		case 1:
			s.accept("UpdateItem", `{TableName: Items, Key: {id: "a"}, UpdateExpression: "ADD v :one", ExpressionAttributeValues: {:one: 1}}`)
		case 2:
			s.accept("TransactWriteItems", `{TransactItems: [{Put: {TableName: Items, Item: {id: "b"}}}, {Delete: {TableName: Items, Key: {id: "a"}}}]}`)
		case 3:
			s.accept("PutItem", `{TableName: Items, Item: {id: "c"}}`)
		}
		d := do[dynamodb.DescribeContinuousBackupsOutput](s, "DescribeContinuousBackups", `{TableName: Items}`)
		moments = append(moments, *d.ContinuousBackupsDescription.PointInTimeRecoveryDescription.LatestRestorableDateTime)
		want = append(want, s.contents("Items"))
	}
	s.Advance(s.T, 2*time.Second)
	for i, at := range moments {
		target := s.real(fmt.Sprintf("Restored%d", i))
		_, err := s.API.RestoreTableToPointInTime(s.ctx(), &dynamodb.RestoreTableToPointInTimeInput{
			SourceTableName: s.table("Items"), TargetTableName: &target, RestoreDateTime: &at,
		})
		if err != nil {
			s.T.Fatal(err)
		}
		s.removeLater(target)
		s.wait(target)
		s.equal(fmt.Sprintf("the table at moment %d", i), s.contents(target), want[i])
	}
}

// contents writes the items of a table in order.
func (s *suite) contents(table string) string {
	s.T.Helper()
	out := do[dynamodb.ScanOutput](s, "Scan", `{TableName: %q, ConsistentRead: true}`, table)
	var list []string
	for _, it := range out.Items {
		list = append(list, mapString(it))
	}
	slices.Sort(list)
	return fmt.Sprint(list)
}

func restoreReach(s *suite) {
	s.accept("UpdateContinuousBackups", `{TableName: Items, PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 1}}`)
	s.Advance(s.T, 48*time.Hour)
	d := do[dynamodb.DescribeContinuousBackupsOutput](s, "DescribeContinuousBackups", `{TableName: Items}`).ContinuousBackupsDescription.PointInTimeRecoveryDescription
	if reach := d.LatestRestorableDateTime.Sub(*d.EarliestRestorableDateTime); reach < 23*time.Hour || reach > 25*time.Hour {
		s.T.Errorf("a day's recovery reaches back %v", reach)
	}
	for _, at := range []time.Time{d.EarliestRestorableDateTime.Add(-time.Minute), d.LatestRestorableDateTime.Add(time.Hour)} {
		_, err := s.API.RestoreTableToPointInTime(s.ctx(), &dynamodb.RestoreTableToPointInTimeInput{
			SourceTableName: s.table("Items"), TargetTableName: s.table("TooFar"), RestoreDateTime: &at,
		})
		if got := refusedText(err); got[:min(len(got), 27)] != "InvalidRestoreTimeException" {
			s.T.Errorf("restore to %v: %s", at, got)
		}
	}
}
