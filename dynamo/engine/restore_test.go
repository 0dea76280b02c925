package engine

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo/attr"
)

// restoreRequest asks for a table as it was at a moment; the zero time is the
// latest.
func restoreRequest(source, target string, at time.Time) *dynamodb.RestoreTableToPointInTimeInput {
	in := &dynamodb.RestoreTableToPointInTimeInput{SourceTableName: &source, TargetTableName: &target}
	if at.IsZero() {
		in.UseLatestRestorableTime = aws.Bool(true)
	} else {
		in.RestoreDateTime = &at
	}
	return in
}

// restore restores a table and waits until it is there.
func restore(t testing.TB, e *Engine, in *dynamodb.RestoreTableToPointInTimeInput) {
	t.Helper()
	if _, err := e.RestoreTableToPointInTime(ctx, in); err != nil {
		t.Fatal(err)
	}
	active(t, e, *in.TargetTableName)
}

func TestRestoreToPointInTime(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	create(t, e, simpleTable("table"))
	put(t, e, "table", item("pk", "before", "v", 0))
	recovery(t, e, "table", true, 0)
	start := c.now()
	put(t, e, "table", item("pk", "a", "v", 1))
	c.move(999 * time.Millisecond) // the end of the first second
	put(t, e, "table", item("pk", "a", "v", 2))
	c.move(time.Millisecond)
	put(t, e, "table", item("pk", "a", "v", 3))
	remove(t, e, "table", item("pk", "before"))
	c.move(2 * time.Second)
	put(t, e, "table", item("pk", "b", "v", 4))
	for i, tt := range []struct {
		at   time.Time
		want []attr.Item
	}{
		{start, []attr.Item{item("pk", "before", "v", 0), item("pk", "a", "v", 2)}},
		{start.Add(500 * time.Millisecond), []attr.Item{item("pk", "before", "v", 0), item("pk", "a", "v", 2)}},
		{start.Add(1 * time.Second), []attr.Item{item("pk", "a", "v", 3)}},
		{start.Add(2 * time.Second), []attr.Item{item("pk", "a", "v", 3)}},
		{start.Add(3 * time.Second), []attr.Item{item("pk", "a", "v", 3), item("pk", "b", "v", 4)}},
		{time.Time{}, []attr.Item{item("pk", "a", "v", 3), item("pk", "b", "v", 4)}},
	} {
		name := "restored" + strconv.Itoa(i)
		restore(t, e, restoreRequest("table", name, tt.at))
		want := map[string]int{}
		for _, it := range tt.want {
			want[string(attr.AppendItemJSON(nil, it))]++
		}
		if diff := cmp.Diff(want, scan(t, e, name, "")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.at, diff)
		}
		if d := describe(t, e, name); *d.ItemCount != int64(len(want)) || d.RestoreSummary != nil {
			t.Errorf("%v: %d items are counted, restore summary %v", tt.at, *d.ItemCount, d.RestoreSummary)
		}
	}
	verified(t, e)
}

// richTable has everything that a restore keeps, changes or leaves out.
func richTable() *dynamodb.CreateTableInput {
	in := rangeTable("rich")
	in.AttributeDefinitions = definitions("pk", "S", "sk", "N", "year", "N", "desk", "S")
	in.BillingMode, in.ProvisionedThroughput = types.BillingModeProvisioned, units(5, 6)
	in.LocalSecondaryIndexes = local("by-desk", keys("pk", "HASH", "desk", "RANGE"), projects("INCLUDE", "title", "body"))
	in.GlobalSecondaryIndexes = global("by-year", keys("year", "HASH"), projects("ALL"))
	in.GlobalSecondaryIndexes[0].ProvisionedThroughput = units(7, 8)
	in.StreamSpecification = streamOn("NEW_IMAGE")
	in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms, KMSMasterKeyId: aws.String("alias/mine")}
	in.TableClass = types.TableClassStandardInfrequentAccess
	in.DeletionProtectionEnabled = aws.Bool(true)
	in.Tags = tags("a", "b")
	return in
}

// fillRich puts items into the rich table.
func fillRich(t testing.TB, e *Engine, n int) {
	t.Helper()
	for i := range n {
		put(t, e, "rich", item("pk", strconv.Itoa(i%3), "sk", i, "year", 2000+i%5, "desk", "d"+strconv.Itoa(i%4), "title", "t", "rest", "r"))
	}
}

func TestRestoreKeepsAndDrops(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	source := create(t, e, richTable())
	fillRich(t, e, 40)
	recovery(t, e, "rich", true, 0)
	timeToLive(t, e, "rich", true, "ttl")
	backup := backUp(t, e, "rich", "backup")
	restore(t, e, restoreRequest(*source.TableArn, "moment", c.now()))
	restoreBackup(t, e, backup, "saved")
	for _, name := range []string{"moment", "saved"} {
		d := describe(t, e, name)
		want := describe(t, e, "rich")
		want.TableName, want.TableId, want.TableArn = aws.String(name), d.TableId, aws.String(strings.Replace(*source.TableArn, "/rich", "/"+name, 1))
		want.LocalSecondaryIndexes[0].IndexArn = aws.String(*want.TableArn + "/index/by-desk")
		want.GlobalSecondaryIndexes[0].IndexArn = aws.String(*want.TableArn + "/index/by-year")
		want.StreamSpecification, want.LatestStreamArn, want.LatestStreamLabel, want.TableClassSummary = nil, nil, nil, nil
		want.DeletionProtectionEnabled = aws.Bool(false)
		if diff := cmp.Diff(want, d, ignoreHidden); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if *d.TableId == *source.TableId {
			t.Errorf("%s has the source's id", name)
		}
		if len(tagsOf(t, e, d.TableArn)) != 0 || ttlOf(t, e, name).TimeToLiveStatus != types.TimeToLiveStatusDisabled ||
			recoveryOf(t, e, name).PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusDisabled {
			t.Errorf("%s has its source's tags, TTL or recovery", name)
		}
		for _, index := range []string{"", "by-desk", "by-year"} {
			if diff := cmp.Diff(scan(t, e, "rich", index), scan(t, e, name, index)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", name, index, diff)
			}
		}
	}
	verified(t, e)
}

func TestRestoreOverrides(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	create(t, e, richTable())
	fillRich(t, e, 10)
	recovery(t, e, "rich", true, 0)
	in := restoreRequest("rich", "on-demand", time.Time{})
	in.BillingModeOverride = types.BillingModePayPerRequest
	in.OnDemandThroughputOverride = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(100)}
	in.GlobalSecondaryIndexOverride = global("renamed", keys("year", "HASH"), projects("ALL"))
	in.LocalSecondaryIndexOverride = []types.LocalSecondaryIndex{}
	in.SSESpecificationOverride = &types.SSESpecification{Enabled: aws.Bool(false)}
	restore(t, e, in)
	d := describe(t, e, "on-demand")
	switch {
	case d.BillingModeSummary == nil || d.BillingModeSummary.BillingMode != types.BillingModePayPerRequest:
		t.Errorf("the billing mode is %v", d.BillingModeSummary)
	case aws.ToInt64(d.OnDemandThroughput.MaxReadRequestUnits) != 100:
		t.Errorf("the maximal throughput is %v", d.OnDemandThroughput)
	case len(d.GlobalSecondaryIndexes) != 1 || *d.GlobalSecondaryIndexes[0].IndexName != "renamed" || len(d.LocalSecondaryIndexes) != 0:
		t.Errorf("indexes: %v %v", d.GlobalSecondaryIndexes, d.LocalSecondaryIndexes)
	case len(d.AttributeDefinitions) != 3: // desk was only in the index that is gone
		t.Errorf("%d attributes are defined", len(d.AttributeDefinitions))
	case d.SSEDescription != nil:
		t.Errorf("encryption: %v", d.SSEDescription)
	}
	if n := len(scan(t, e, "on-demand", "renamed")); n != 10 {
		t.Errorf("the renamed index has %d items", n)
	}

	in = restoreRequest("rich", "provisioned", time.Time{})
	in.ProvisionedThroughputOverride = units(10, 11)
	in.GlobalSecondaryIndexOverride = []types.GlobalSecondaryIndex{}
	in.LocalSecondaryIndexOverride = local("renamed", keys("pk", "HASH", "desk", "RANGE"), projects("INCLUDE", "body", "title"))
	restore(t, e, in)
	d = describe(t, e, "provisioned")
	if *d.ProvisionedThroughput.ReadCapacityUnits != 10 || *d.ProvisionedThroughput.WriteCapacityUnits != 11 || len(d.GlobalSecondaryIndexes) != 0 {
		t.Errorf("throughput %v, indexes %v", d.ProvisionedThroughput, d.GlobalSecondaryIndexes)
	}
	if n := len(scan(t, e, "provisioned", "renamed")); n != 10 {
		t.Errorf("the renamed index has %d items", n)
	}
	verified(t, e)
}

func TestRestoreRefuses(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	create(t, e, richTable())
	create(t, e, simpleTable("plain"))
	recovery(t, e, "rich", true, 0)
	c.move(time.Minute)
	at := c.now()
	arn := *describe(t, e, "rich").TableArn
	type request = dynamodb.RestoreTableToPointInTimeInput
	const bad = "Invalid Request: "
	for _, tt := range []struct {
		what       string
		change     func(*request)
		kind, want string
	}{
		{"target", func(in *request) { in.TargetTableName = nil }, Validation,
			"1 validation error detected: Value null at 'targetTableName' failed to satisfy constraint: Member must not be null"},
		{"mode", func(in *request) { in.BillingModeOverride = "FREE" }, Validation,
			"1 validation error detected: Value 'FREE' at 'billingModeOverride' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"},
		{"source", func(in *request) { in.SourceTableName = nil }, Validation, "The parameter 'TableName' is required but was not present in the request"},
		{"sources", func(in *request) { in.SourceTableArn = &arn }, Validation, bad + "Must provide exactly one of: sourceTableArn, sourceTableName"},
		{"times", func(in *request) { in.UseLatestRestorableTime = aws.Bool(true) }, Validation,
			bad + "Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. Please specify either RestoreDateTime time or UseLatestRestorableTime"},
		{"time", func(in *request) { in.RestoreDateTime = nil }, Validation, bad + "Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both"},
		{"ARN", func(in *request) { in.SourceTableName, in.SourceTableArn = nil, aws.String("rich") }, Validation, bad + "sourceTableArn is not a valid ARN"},
		{"account", func(in *request) {
			in.SourceTableName, in.SourceTableArn = nil, aws.String(strings.Replace(arn, "000000000001", "999999999999", 1))
		}, Validation, "This action is only supported by accounts that match the resource owner’s account."},
		{"no source", func(in *request) { in.SourceTableName = aws.String("nope") }, TableNotFound, "Table not found: nope"},
		{"no recovery", func(in *request) { in.SourceTableName = aws.String("plain") }, RecoveryUnavailable, "Point in time recovery is not enabled for table 'plain'"},
		{"too early", func(in *request) { in.RestoreDateTime = aws.Time(at.Add(-61 * time.Second)) }, InvalidRestoreTime,
			"RestoreDateTime '2026-11-15T09:29:59Z' must be within EarliestRestorableDateTime '2026-11-15T09:30:00Z' and LatestRestorableDateTime '2026-11-15T09:31:00Z'"},
		{"too late", func(in *request) { in.RestoreDateTime = aws.Time(at.Add(time.Second)) }, InvalidRestoreTime,
			"RestoreDateTime '2026-11-15T09:31:01Z' must be within EarliestRestorableDateTime '2026-11-15T09:30:00Z' and LatestRestorableDateTime '2026-11-15T09:31:00Z'"},
		{"units and on demand", func(in *request) {
			in.BillingModeOverride, in.ProvisionedThroughputOverride = types.BillingModePayPerRequest, units(1, 1)
		}, Validation, bad + "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST"},
		{"no units", func(in *request) { in.BillingModeOverride = types.BillingModeProvisioned }, Validation,
			bad + "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED"},
		{"on demand", func(in *request) {
			in.OnDemandThroughputOverride = &types.OnDemandThroughput{MaxWriteRequestUnits: aws.Int64(1)}
		}, Validation, bad + "Cannot override MaxWriteRequestUnits for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST"},
		{"range", func(in *request) {
			in.BillingModeOverride, in.OnDemandThroughputOverride = types.BillingModePayPerRequest, &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(0)}
		}, Validation, bad + "Requested MaxReadRequestUnits for OnDemandThroughput is outside of valid range"},
		{"another index", func(in *request) {
			in.GlobalSecondaryIndexOverride = global("by-desk", keys("desk", "HASH"), projects("ALL"))
		}, Validation, bad + "Index by-desk does not match a secondary index that existed in the source table and cannot be created during the restore operation"},
		{"another projection", func(in *request) {
			in.LocalSecondaryIndexOverride = local("by-desk", keys("pk", "HASH", "desk", "RANGE"), projects("INCLUDE", "title"))
		}, Validation, bad + "Index by-desk does not match a secondary index that existed in the source table and cannot be created during the restore operation"},
		{"index without units", func(in *request) {
			in.GlobalSecondaryIndexOverride = global("by-year", keys("year", "HASH"), projects("ALL"))
		}, Validation, bad + "Must specify provisioned throughput for index by-year"},
		{"encryption", func(in *request) { in.SSESpecificationOverride = &types.SSESpecification{SSEType: "ROT13"} }, Validation,
			"1 validation error detected: Value 'ROT13' at 'sSESpecificationOverride.sSEType' failed to satisfy constraint: Member must satisfy enum value set: [AES256, KMS]"},
		{"taken", func(in *request) { in.TargetTableName = aws.String("plain") }, TableExists, "Table already exists: plain"},
		{"itself", func(in *request) { in.TargetTableName = aws.String("rich") }, TableExists, "Table already exists: rich"},
		// What is asked for is checked in this order.
		{"source before time", func(in *request) {
			in.SourceTableName, in.RestoreDateTime = aws.String("nope"), aws.Time(time.Unix(0, 0))
		}, TableNotFound, "Table not found: nope"},
		{"recovery before target", func(in *request) { in.SourceTableName, in.TargetTableName = aws.String("plain"), aws.String("rich") }, RecoveryUnavailable,
			"Point in time recovery is not enabled for table 'plain'"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			in := restoreRequest("rich", "target", at)
			tt.change(in)
			_, err := e.RestoreTableToPointInTime(ctx, in)
			refused(t, err, tt.kind, tt.want)
		})
	}
	backup := backUp(t, e, "plain", "backup")
	fromBackup := func(arn, target string, mode types.BillingMode) error {
		_, err := e.RestoreTableFromBackup(ctx, &dynamodb.RestoreTableFromBackupInput{BackupArn: &arn, TargetTableName: &target, BillingModeOverride: mode})
		return err
	}
	refused(t, fromBackup(backup, "rich", ""), TableExists, "Table already exists: rich")
	refused(t, fromBackup(backup+"0", "target", ""), BackupNotFound, "Backup not found: "+backup+"0")
	refused(t, fromBackup(backup, "target", types.BillingModeProvisioned), Validation, bad+"Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED")
	refused(t, fromBackup("x", "target", ""), Validation, "1 validation error detected: Value 'x' at 'backupArn' failed to satisfy constraint: Member must have length greater than or equal to 37")
	if out, err := e.ListTables(ctx, &dynamodb.ListTablesInput{}); err != nil || len(out.TableNames) != 2 {
		t.Errorf("the tables are %v, %v", out.TableNames, err)
	}
}
