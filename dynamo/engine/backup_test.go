package engine

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
)

// backUp makes a backup and returns its ARN.
func backUp(t testing.TB, e *Engine, table, name string) string {
	t.Helper()
	out, err := e.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: aws.String(table), BackupName: aws.String(name)})
	if err != nil {
		t.Fatal(err)
	}
	if s := out.BackupDetails.BackupStatus; s != types.BackupStatusCreating {
		t.Errorf("the new backup is %s", s)
	}
	return *out.BackupDetails.BackupArn
}

func backupOf(t testing.TB, e *Engine, arn string) *types.BackupDescription {
	t.Helper()
	out, err := e.DescribeBackup(ctx, &dynamodb.DescribeBackupInput{BackupArn: &arn})
	if err != nil {
		t.Fatal(err)
	}
	return out.BackupDescription
}

// restoreBackup makes a table of a backup and waits until it is there.
func restoreBackup(t testing.TB, e *Engine, arn, table string) {
	t.Helper()
	_, err := e.RestoreTableFromBackup(ctx, &dynamodb.RestoreTableFromBackupInput{BackupArn: &arn, TargetTableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	active(t, e, table)
}

func TestBackup(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	in := simpleTable("table")
	in.AttributeDefinitions = definitions("pk", "S", "year", "S")
	in.GlobalSecondaryIndexes = global("by-year", keys("year", "HASH"), projects("KEYS_ONLY"))
	in.StreamSpecification = streamOn("KEYS_ONLY")
	made := create(t, e, in)
	timeToLive(t, e, "table", true, "ttl")
	const size = 50 * int64(len("pk")+len("10")+len("year")+len("2000"))
	for i := range 50 {
		put(t, e, "table", item("pk", strconv.Itoa(10+i), "year", strconv.Itoa(2000+i%7)))
	}
	items := scan(t, e, "table", "")
	c.move(time.Minute)
	arn := backUp(t, e, *made.TableArn, "first")
	if !strings.HasPrefix(arn, *made.TableArn+"/backup/") {
		t.Errorf("the backup is %s", arn)
	}
	for i := range 25 {
		remove(t, e, "table", item("pk", strconv.Itoa(10+2*i)))
	}
	want := &types.BackupDescription{
		BackupDetails: &types.BackupDetails{
			BackupArn: &arn, BackupName: aws.String("first"), BackupStatus: types.BackupStatusAvailable, BackupType: types.BackupTypeUser,
			BackupCreationDateTime: aws.Time(c.now()), BackupSizeBytes: aws.Int64(size),
		},
		SourceTableDetails: &types.SourceTableDetails{
			TableName: aws.String("table"), TableId: made.TableId, TableArn: made.TableArn, TableCreationDateTime: made.CreationDateTime,
			KeySchema: in.KeySchema, ItemCount: aws.Int64(50), TableSizeBytes: aws.Int64(size),
			BillingMode: types.BillingModePayPerRequest, ProvisionedThroughput: units(0, 0),
		},
		SourceTableFeatureDetails: &types.SourceTableFeatureDetails{
			StreamDescription:     in.StreamSpecification,
			TimeToLiveDescription: &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusEnabled, AttributeName: aws.String("ttl")},
			GlobalSecondaryIndexes: []types.GlobalSecondaryIndexInfo{{
				IndexName: aws.String("by-year"), KeySchema: keys("year", "HASH"), Projection: projects("KEYS_ONLY"), ProvisionedThroughput: units(0, 0),
			}},
		},
	}
	if diff := cmp.Diff(want, backupOf(t, e, arn), ignoreHidden); diff != "" {
		t.Errorf("backup (-want +got):\n%s", diff)
	}

	// It outlives its table and the process.
	if _, err := e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("table")}); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openStore(t, fs, c)
	if diff := cmp.Diff(want, backupOf(t, e, arn), ignoreHidden); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
	for _, name := range []string{"table", "other"} {
		restoreBackup(t, e, arn, name)
		if diff := cmp.Diff(items, scan(t, e, name, "")); diff != "" {
			t.Errorf("restored table (-want +got):\n%s", diff)
		}
		if n := len(scan(t, e, name, "by-year")); n != 50 {
			t.Errorf("its index has %d items", n)
		}
	}
	verified(t, e)
}

func TestBackupRefuses(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, simpleTable("table"))
	for _, tt := range []struct{ table, name, kind, want string }{
		{"nope", "name", TableNotFound, "Table not found: nope"},
		{"table", "x!", Validation, "2 validation errors detected: Value 'x!' at 'backupName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value 'x!' at 'backupName' failed to satisfy constraint: Member must have length greater than or equal to 3"},
	} {
		_, err := e.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: &tt.table, BackupName: &tt.name})
		refused(t, err, tt.kind, tt.want)
	}
	_, err := e.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: aws.String("table")})
	refused(t, err, Validation, "1 validation error detected: Value null at 'backupName' failed to satisfy constraint: Member must not be null")

	arn := backUp(t, e, "table", "name")
	other := strings.Replace(arn, ":table/", ":view/", 1)
	foreign := strings.Replace(arn, "000000000001", "999999999999", 1)
	for _, tt := range []struct{ arn, kind, want string }{
		{"short", Validation, "1 validation error detected: Value 'short' at 'backupArn' failed to satisfy constraint: Member must have length greater than or equal to 37"},
		{strings.Split(arn, "/backup/")[0], Validation, "Invalid Backup ARN"},
		{other, Validation, "Invalid Backup ARN"},
		{strings.Replace(arn, "table/table", "table/other", 1), BackupNotFound, "Backup not found: " + strings.Replace(arn, "table/table", "table/other", 1)},
		{arn + "0", BackupNotFound, "Backup not found: " + arn + "0"},
		{foreign, AccessDenied, "Access is denied"},
	} {
		_, err := e.DescribeBackup(ctx, &dynamodb.DescribeBackupInput{BackupArn: &tt.arn})
		refused(t, err, tt.kind, tt.want)
		_, err = e.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: &tt.arn})
		refused(t, err, tt.kind, tt.want)
	}
	_, err = e.DescribeBackup(ctx, &dynamodb.DescribeBackupInput{})
	refused(t, err, Validation, "1 validation error detected: Value null at 'backupArn' failed to satisfy constraint: Member must not be null")
}

// A table with recovery leaves its last state when it is deleted.
func TestSystemBackup(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	create(t, e, simpleTable("table"))
	recovery(t, e, "table", true, 1)
	put(t, e, "table", item("pk", "a"))
	put(t, e, "table", item("pk", "b"))
	items := scan(t, e, "table", "")
	if _, err := e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("table")}); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openStore(t, fs, c)
	create(t, e, simpleTable("table")) // which must not get the rows' place
	put(t, e, "table", item("pk", "new"))
	out, err := e.ListBackups(ctx, &dynamodb.ListBackupsInput{BackupType: types.BackupTypeFilterSystem})
	if err != nil || len(out.BackupSummaries) != 1 {
		t.Fatalf("%d system backups: %v", len(out.BackupSummaries), err)
	}
	s := out.BackupSummaries[0]
	lapses := c.now().AddDate(0, 0, 35)
	want := types.BackupSummary{
		BackupArn: s.BackupArn, BackupName: aws.String("table$DeletedTableBackup"), BackupStatus: types.BackupStatusAvailable,
		BackupType: types.BackupTypeSystem, BackupCreationDateTime: aws.Time(c.now()), BackupExpiryDateTime: &lapses,
		BackupSizeBytes: aws.Int64(6), TableName: aws.String("table"), TableArn: s.TableArn, TableId: s.TableId,
	}
	if diff := cmp.Diff(want, s, ignoreHidden); diff != "" {
		t.Errorf("system backup (-want +got):\n%s", diff)
	}
	_, err = e.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: s.BackupArn})
	refused(t, err, Validation, "Invalid Request: User is not allowed to delete the system backup with arn "+*s.BackupArn+". It will automatically expire on 2026-12-20T09:30:00Z")
	restoreBackup(t, e, *s.BackupArn, "again")
	if diff := cmp.Diff(items, scan(t, e, "again", "")); diff != "" {
		t.Errorf("restored table (-want +got):\n%s", diff)
	}

	c.move(35*24*time.Hour - time.Second)
	sweep(t, e)
	backupOf(t, e, *s.BackupArn)
	c.move(time.Second)
	sweep(t, e)
	_, err = e.DescribeBackup(ctx, &dynamodb.DescribeBackupInput{BackupArn: s.BackupArn})
	refused(t, err, BackupNotFound, "Backup not found: "+*s.BackupArn)
	if n := stored(t, e, spaceRow); n != 3 {
		t.Errorf("the store has %d rows, want those of the two tables", n)
	}
	verified(t, e)
}

func sweep(t testing.TB, e *Engine) {
	t.Helper()
	if err := e.Sweep(); err != nil {
		t.Fatal(err)
	}
}

// What a crash leaves of a backup that nobody was told of goes at the next
// start.
func TestUnfinishedBackup(t *testing.T) {
	fs, c := vfs.NewCrashableMem(), newClock()
	e := openStore(t, fs, c)
	create(t, e, simpleTable("table"))
	put(t, e, "table", item("pk", "a"))
	tab := e.catalog.get("table")
	def := e.newBackup(tab, e.describe(tab), "name", types.BackupTypeUser, 1)
	if err := e.enterBackup(def); err != nil {
		t.Fatal(err)
	}
	if err := e.db.Set(append(def.prefix(), "key"...), nil, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	e = openStore(t, fs.CrashClone(vfs.CrashCloneCfg{}), c)
	if n := stored(t, e, spaceSaved) + stored(t, e, spaceBackup); n != 0 {
		t.Errorf("%d rows of the unfinished backup are left", n)
	}
	put(t, e, "table", item("pk", "b"))
	verified(t, e)
}

// A backup shows one moment, whatever is written while it is made.
func TestBackupOfOneMoment(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, simpleTable("table"))
	const n = 20
	round := func(v int) error {
		var actions []TransactAction
		for i := range n {
			actions = append(actions, TransactAction{Given: 1, Put: &PutItem{TableName: aws.String("table"), Item: item("pk", strconv.Itoa(i), "v", v)}})
		}
		_, err := e.TransactWrite(ctx, &TransactWrite{Actions: actions})
		return err
	}
	if err := round(0); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		for v := 1; ; v++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := round(v); err != nil {
				done <- err
				return
			}
		}
	}()
	for i := range 10 {
		name := "restored" + strconv.Itoa(i)
		restoreBackup(t, e, backUp(t, e, "table", name), name)
		values := map[string]int{}
		for it := range scan(t, e, name, "") {
			_, v, _ := strings.Cut(it, `"v"`)
			values[v]++
		}
		if len(values) != 1 {
			t.Errorf("a backup mixes rounds: %v", values)
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
	verified(t, e)
}
