package engine

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestDeleteBackup(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, simpleTable("table"))
	put(t, e, "table", item("pk", "a"))
	arn := backUp(t, e, "table", "name")
	id := arn[strings.LastIndex(arn, "/")+1:]

	// While a table is being restored from it, it stays.
	src, err := e.backupSource(id, "other")
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: &arn})
	refused(t, err, BackupInUse, "Backup is being used to restore table: "+arn)
	_, err = e.RestoreTableFromBackup(ctx, &dynamodb.RestoreTableFromBackupInput{BackupArn: &arn, TargetTableName: aws.String("third")})
	refused(t, err, BackupInUse, "Backup is being used to restore another table: "+arn)
	src.close()

	out, err := e.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: &arn})
	if err != nil {
		t.Fatal(err)
	}
	if d := out.BackupDescription.BackupDetails; d.BackupStatus != types.BackupStatusDeleted || *d.BackupArn != arn {
		t.Errorf("the answer is %+v", d)
	}
	_, err = e.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: &arn})
	refused(t, err, BackupNotFound, "Backup not found: "+arn)
	if n := stored(t, e, spaceSaved) + stored(t, e, spaceBackup); n != 0 {
		t.Errorf("a deleted backup leaves %d rows", n)
	}
}

// stored counts what a part of the store holds.
func stored(t testing.TB, e *Engine, space byte) (n int) {
	t.Helper()
	err := e.eachStored(ctx, e.db, []byte{space}, func(_, _ []byte) error {
		n++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestListBackups(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	start := c.now()
	var arns []string
	for _, table := range []string{"one", "two"} {
		create(t, e, simpleTable(table))
	}
	for i := range 7 { // one a second, of the tables in turn
		arns = append(arns, backUp(t, e, []string{"one", "two"}[i%2], "backup"+strconv.Itoa(i)))
		c.move(time.Second)
	}
	recovery(t, e, "two", true, 0)
	if _, err := e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("two")}); err != nil {
		t.Fatal(err)
	}
	list := func(in *dynamodb.ListBackupsInput) (names []string) {
		t.Helper()
		for {
			out, err := e.ListBackups(ctx, in)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range out.BackupSummaries {
				names = append(names, *s.BackupName)
			}
			if in.Limit != nil && len(out.BackupSummaries) > int(*in.Limit) {
				t.Errorf("a page of %d", len(out.BackupSummaries))
			}
			if in.ExclusiveStartBackupArn = out.LastEvaluatedBackupArn; in.ExclusiveStartBackupArn == nil {
				return names
			}
		}
	}
	numbered := func(numbers ...int) (names []string) {
		for _, i := range numbers {
			names = append(names, "backup"+strconv.Itoa(i))
		}
		return names
	}
	const system = "two$DeletedTableBackup"
	for _, tt := range []struct {
		what string
		in   *dynamodb.ListBackupsInput
		want []string
	}{
		{"all of users", &dynamodb.ListBackupsInput{}, numbered(0, 1, 2, 3, 4, 5, 6)},
		{"by pages", &dynamodb.ListBackupsInput{Limit: aws.Int32(3)}, numbered(0, 1, 2, 3, 4, 5, 6)},
		{"of a table", &dynamodb.ListBackupsInput{TableName: aws.String("two")}, numbered(1, 3, 5)},
		{"of a table by pages", &dynamodb.ListBackupsInput{TableName: aws.String("one"), Limit: aws.Int32(1)}, numbered(0, 2, 4, 6)},
		{"of none", &dynamodb.ListBackupsInput{TableName: aws.String("nope")}, nil},
		{"of a time", &dynamodb.ListBackupsInput{TimeRangeLowerBound: aws.Time(start.Add(2 * time.Second)), TimeRangeUpperBound: aws.Time(start.Add(4 * time.Second))}, numbered(2, 3)},
		{"of the system", &dynamodb.ListBackupsInput{BackupType: types.BackupTypeFilterSystem}, []string{system}},
		{"of all kinds", &dynamodb.ListBackupsInput{BackupType: types.BackupTypeFilterAll, TableName: aws.String("two")}, append(numbered(1, 3, 5), system)},
		{"of another kind", &dynamodb.ListBackupsInput{BackupType: types.BackupTypeFilterAwsBackup}, nil},
		{"after one", &dynamodb.ListBackupsInput{ExclusiveStartBackupArn: &arns[4]}, numbered(5, 6)},
	} {
		if got := list(tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.what, got, tt.want)
		}
	}
	for _, tt := range []struct {
		in   *dynamodb.ListBackupsInput
		want string
	}{
		{&dynamodb.ListBackupsInput{Limit: aws.Int32(0)}, "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{&dynamodb.ListBackupsInput{Limit: aws.Int32(101)}, "1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100"},
		{&dynamodb.ListBackupsInput{BackupType: "MINE"}, "1 validation error detected: Value 'MINE' at 'backupType' failed to satisfy constraint: Member must satisfy enum value set: [USER, SYSTEM, AWS_BACKUP, ALL]"},
		{&dynamodb.ListBackupsInput{TimeRangeLowerBound: aws.Time(start.Add(1)), TimeRangeUpperBound: &start}, parameters + "Time range lower bound must be less than or equal to upper bound"},
		{&dynamodb.ListBackupsInput{ExclusiveStartBackupArn: aws.String(strings.Repeat("x", 40))}, "Invalid Backup ARN"},
	} {
		_, err := e.ListBackups(ctx, tt.in)
		refused(t, err, Validation, tt.want)
	}
}
