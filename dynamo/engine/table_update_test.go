package engine

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo/attr"
)

func creates(name string, key []types.KeySchemaElement, p *types.Projection) []types.GlobalSecondaryIndexUpdate {
	return []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{IndexName: aws.String(name), KeySchema: key, Projection: p}}}
}

func deletes(names ...string) (list []types.GlobalSecondaryIndexUpdate) {
	for _, name := range names {
		list = append(list, types.GlobalSecondaryIndexUpdate{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String(name)}})
	}
	return list
}

func updates(name string, u *types.ProvisionedThroughput) types.GlobalSecondaryIndexUpdate {
	return types.GlobalSecondaryIndexUpdate{Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: aws.String(name), ProvisionedThroughput: u}}
}

func streamOn(view string) *types.StreamSpecification {
	return &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(view)}
}

var streamOff = &types.StreamSpecification{StreamEnabled: aws.Bool(false)}

func TestUpdateTableRefuses(t *testing.T) {
	e := openStore(t, nil, newClock())
	// "demand" has a local and a global index; "units" is provisioned.
	in := rangeTable("demand")
	in.AttributeDefinitions = definitions("pk", "S", "sk", "N", "x", "S")
	in.LocalSecondaryIndexes = local("lsi", keys("pk", "HASH", "x", "RANGE"), projects("ALL"))
	in.GlobalSecondaryIndexes = global("gsi", keys("x", "HASH"), projects("ALL"))
	create(t, e, in)
	in = simpleTable("units")
	in.BillingMode, in.ProvisionedThroughput = "", units(5, 5)
	in.AttributeDefinitions = definitions("pk", "S", "x", "S")
	in.GlobalSecondaryIndexes = global("gsi", keys("x", "HASH"), projects("ALL"))
	in.GlobalSecondaryIndexes[0].ProvisionedThroughput = units(2, 2)
	create(t, e, in)
	full := rangeTable("full")
	full.GlobalSecondaryIndexes = tooMany(20, keys("sk", "HASH"))
	create(t, e, full)
	streamed := simpleTable("streamed")
	streamed.StreamSpecification = streamOn("NEW_IMAGE")
	create(t, e, streamed)

	only := " modification must be the only operation in the request"
	limit := "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
	tests := []struct {
		name, table string
		change      func(*dynamodb.UpdateTableInput)
		kind, want  string
	}{
		{"nothing", "demand", func(*dynamodb.UpdateTableInput) {}, Validation,
			"At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"},
		{"nothing of nothing", "nope", func(in *dynamodb.UpdateTableInput) {
			in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{}
		}, Validation,
			"At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"},
		{"empty list", "demand", func(in *dynamodb.UpdateTableInput) {
			in.GlobalSecondaryIndexUpdates, in.DeletionProtectionEnabled = []types.GlobalSecondaryIndexUpdate{}, aws.Bool(true)
		}, Validation, parameters + "List of GlobalSecondaryIndexUpdates is empty"},
		{"not there", "nope", func(in *dynamodb.UpdateTableInput) { in.BillingMode = types.BillingModePayPerRequest }, NotFound,
			"Requested resource not found: Table: nope not found"},
		{"short name", "ab", func(in *dynamodb.UpdateTableInput) {}, Validation,
			"1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3"},
		{"zero", "units", func(in *dynamodb.UpdateTableInput) { in.ProvisionedThroughput = units(0, 5) }, Validation,
			"1 validation error detected: Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{"units on demand", "demand", func(in *dynamodb.UpdateTableInput) { in.ProvisionedThroughput = units(1, 1) }, Validation,
			parameters + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"},
		{"provisioned without units", "demand", func(in *dynamodb.UpdateTableInput) { in.BillingMode = types.BillingModeProvisioned }, Validation,
			parameters + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED"},
		{"provisioned without the index's", "demand", func(in *dynamodb.UpdateTableInput) {
			in.BillingMode, in.ProvisionedThroughput = types.BillingModeProvisioned, units(5, 5)
		}, Validation, parameters + "ProvisionedThroughput must be specified for index: gsi"},
		{"same units", "units", func(in *dynamodb.UpdateTableInput) { in.ProvisionedThroughput = units(5, 5) }, Validation,
			"The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."},
		{"same index units", "units", func(in *dynamodb.UpdateTableInput) {
			in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{updates("gsi", units(2, 2))}
		}, Validation,
			"The provisioned throughput for the index gsi will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for index gsi: 2. Requested ReadCapacityUnits: 2. Current WriteCapacityUnits provisioned for index gsi: 2. Requested WriteCapacityUnits: 2. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."},
		{"too many index units", "units", func(in *dynamodb.UpdateTableInput) {
			in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{updates("abc", units(1_000_000_000_001, 1))}
		}, Validation, "This operation cannot be performed with given input values. Please contact DynamoDB service team for more info: Action Blocked: IndexUpdate"},
		{"index units on demand", "demand", func(in *dynamodb.UpdateTableInput) {
			in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{updates("gsi", units(2, 2))}
		}, Validation, parameters + "The only Updates for index: gsi when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"},
		{"update a ghost", "units", func(in *dynamodb.UpdateTableInput) {
			in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{updates("ghost", units(2, 2))}
		}, NotFound, "Requested resource not found: Index ghost for table units"},
		{"update a local", "demand", func(in *dynamodb.UpdateTableInput) {
			in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{updates("lsi", units(2, 2))}
		}, Validation, "Cannot update an index that is not a GlobalSecondaryIndex: lsi"},
		{"delete a ghost", "demand", func(in *dynamodb.UpdateTableInput) { in.GlobalSecondaryIndexUpdates = deletes("ghost") }, NotFound,
			"Requested resource not found: Index ghost for table demand"},
		{"delete a local", "demand", func(in *dynamodb.UpdateTableInput) { in.GlobalSecondaryIndexUpdates = deletes("lsi") }, Validation,
			"Cannot delete an index that is not a GlobalSecondaryIndex: lsi"},
		{"delete two", "demand", func(in *dynamodb.UpdateTableInput) { in.GlobalSecondaryIndexUpdates = deletes("abc", "abd") }, LimitExceeded, limit},
		{"delete one twice", "demand", func(in *dynamodb.UpdateTableInput) { in.GlobalSecondaryIndexUpdates = deletes("abc", "abc") }, Validation,
			parameters + "Only one global secondary index update per index is allowed simultaneously. Index: abc"},
		{"no action", "demand", func(in *dynamodb.UpdateTableInput) {
			in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{{}}
		}, Validation,
			parameters + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"},
		{"two actions", "demand", func(in *dynamodb.UpdateTableInput) {
			in.GlobalSecondaryIndexUpdates = deletes("gsi")
			in.GlobalSecondaryIndexUpdates[0].Update = updates("gsi", units(1, 1)).Update
		}, Validation, parameters + "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"},
		{"create what exists", "demand", func(in *dynamodb.UpdateTableInput) {
			in.AttributeDefinitions = definitions("x", "S")
			in.GlobalSecondaryIndexUpdates = creates("gsi", keys("x", "HASH"), projects("ALL"))
		}, Validation, "Attempting to create an index which already exists"},
		{"create what a local is called", "demand", func(in *dynamodb.UpdateTableInput) {
			in.AttributeDefinitions = definitions("x", "S")
			in.GlobalSecondaryIndexUpdates = creates("lsi", keys("x", "HASH"), projects("ALL"))
		}, Validation, "Attempting to create an index which already exists"},
		{"create undefined", "demand", func(in *dynamodb.UpdateTableInput) {
			in.GlobalSecondaryIndexUpdates = creates("new", keys("pk", "HASH"), projects("ALL"))
		}, Validation, parameters + "AttributeDefinitions is not specified for index: new"},
		{"create half defined", "demand", func(in *dynamodb.UpdateTableInput) {
			in.AttributeDefinitions = definitions("y", "S")
			in.GlobalSecondaryIndexUpdates = creates("new", keys("pk", "HASH", "y", "RANGE"), projects("ALL"))
		}, Validation, parameters + "Some index key attributes are not defined in AttributeDefinitions. Keys: [pk, y], AttributeDefinitions: [y]"},
		{"create redefined", "demand", func(in *dynamodb.UpdateTableInput) {
			in.AttributeDefinitions = definitions("x", "N")
			in.GlobalSecondaryIndexUpdates = creates("new", keys("x", "HASH"), projects("ALL"))
		}, Validation, parameters + "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{pk:S:HASH}, key{x:S:RANGE}] New schema: Schema:[SchemaElement: key{x:N:HASH}]"},
		{"create the 21st", "full", func(in *dynamodb.UpdateTableInput) {
			in.AttributeDefinitions = definitions("x", "S")
			in.GlobalSecondaryIndexUpdates = creates("new", keys("x", "HASH"), projects("ALL"))
		}, LimitExceeded, "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20"},
		{"create without units", "units", func(in *dynamodb.UpdateTableInput) {
			in.AttributeDefinitions = definitions("x", "S")
			in.GlobalSecondaryIndexUpdates = creates("new", keys("x", "HASH"), projects("ALL"))
		}, Validation, parameters + "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: new"},
		{"create and delete", "demand", func(in *dynamodb.UpdateTableInput) {
			in.AttributeDefinitions = definitions("x", "S")
			in.GlobalSecondaryIndexUpdates = append(creates("new", keys("x", "HASH"), projects("ALL")), deletes("gsi")...)
		}, LimitExceeded, limit},
		{"encryption and more", "demand", func(in *dynamodb.UpdateTableInput) {
			in.SSESpecification, in.TableClass = &types.SSESpecification{Enabled: aws.Bool(true)}, types.TableClassStandard
		}, Validation, parameters + "Server-Side Encryption" + only},
		{"class and more", "demand", func(in *dynamodb.UpdateTableInput) {
			in.DeletionProtectionEnabled, in.TableClass = aws.Bool(true), types.TableClassStandard
		}, Validation, parameters + "TableClass" + only},
		{"protection and more", "demand", func(in *dynamodb.UpdateTableInput) {
			in.DeletionProtectionEnabled, in.BillingMode = aws.Bool(true), types.BillingModePayPerRequest
		}, Validation, parameters + "DeletionProtection" + only},
		{"stream and units", "units", func(in *dynamodb.UpdateTableInput) {
			in.StreamSpecification, in.ProvisionedThroughput = streamOn("NEW_IMAGE"), units(6, 6)
		}, Validation, parameters + "You cannot modify stream status while updating table IOPS"},
		{"index and stream", "demand", func(in *dynamodb.UpdateTableInput) {
			in.StreamSpecification, in.GlobalSecondaryIndexUpdates = streamOn("NEW_IMAGE"), deletes("gsi")
		}, Validation, parameters + "You cannot create or delete index while changing stream status"},
		{"index and units", "units", func(in *dynamodb.UpdateTableInput) {
			in.ProvisionedThroughput, in.GlobalSecondaryIndexUpdates = units(6, 6), deletes("gsi")
		}, Validation, parameters + "You cannot create or delete index while updating table IOPS"},
		{"bounds and stream", "demand", func(in *dynamodb.UpdateTableInput) {
			in.StreamSpecification, in.OnDemandThroughput = streamOn("NEW_IMAGE"), &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(1)}
		}, Validation, parameters + "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"},
		{"stream again", "streamed", func(in *dynamodb.UpdateTableInput) { in.StreamSpecification = streamOn("KEYS_ONLY") }, Validation,
			"Table already has an enabled stream: TableName: streamed"},
		{"no stream", "demand", func(in *dynamodb.UpdateTableInput) { in.StreamSpecification = streamOff }, Validation,
			"Table has no stream to disable: TableName: demand"},
		{"stream without view", "demand", func(in *dynamodb.UpdateTableInput) {
			in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true)}
		}, Validation, parameters + "If stream is being enabled then UpdateViewType is required"},
		{"stream off with view", "streamed", func(in *dynamodb.UpdateTableInput) {
			in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(false), StreamViewType: "NEW_IMAGE"}
		}, Validation, parameters + "If stream is being disabled, then UpdateViewType must not be specified"},
		{"not encrypted", "demand", func(in *dynamodb.UpdateTableInput) {
			in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(false)}
		}, Validation, parameters + "Table is already encrypted by default"},
		{"bounds of what is provisioned", "units", func(in *dynamodb.UpdateTableInput) {
			in.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(0)}
		}, Validation, parameters + "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED"},
		{"bound out of range", "demand", func(in *dynamodb.UpdateTableInput) {
			in.OnDemandThroughput = &types.OnDemandThroughput{MaxWriteRequestUnits: aws.Int64(-2)}
		}, Validation, parameters + "Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range"},
		{"cooler", "demand", func(in *dynamodb.UpdateTableInput) {
			in.WarmThroughput = &types.WarmThroughput{WriteUnitsPerSecond: aws.Int64(3999)}
		}, Validation, parameters + "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, decreasing WarmThroughput is not supported"},
		{"replicas", "demand", func(in *dynamodb.UpdateTableInput) { in.ReplicaUpdates = []types.ReplicationGroupUpdate{{}} }, Validation,
			parameters + "Global tables are not supported by this store"},
	}
	before := map[string]*types.TableDescription{}
	for _, name := range e.allNames() {
		before[name] = describe(t, e, name)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := &dynamodb.UpdateTableInput{TableName: aws.String(tt.table)}
			tt.change(in)
			_, err := e.UpdateTable(ctx, in)
			refused(t, err, tt.kind, tt.want)
		})
	}
	for name, want := range before {
		if diff := cmp.Diff(want, describe(t, e, name), ignoreHidden); diff != "" {
			t.Errorf("what was refused changed %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestUpdateTableThroughput(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	in := simpleTable("table")
	in.BillingMode, in.ProvisionedThroughput = "", units(5, 5)
	create(t, e, in)
	change := func(u *types.ProvisionedThroughput) *types.TableDescription {
		return update(t, e, &dynamodb.UpdateTableInput{TableName: aws.String("table"), ProvisionedThroughput: u})
	}
	up := c.now()
	got := change(units(10, 10))
	if got.TableStatus != types.TableStatusUpdating || *got.ProvisionedThroughput.ReadCapacityUnits != 5 || !got.ProvisionedThroughput.LastIncreaseDateTime.Equal(up) {
		t.Errorf("the answer is %+v", got.ProvisionedThroughput)
	}
	c.move(time.Minute)
	down := c.now()
	if got = change(units(3, 10)); *got.ProvisionedThroughput.NumberOfDecreasesToday != 0 {
		t.Errorf("the answer counts %d decreases, want those from before", *got.ProvisionedThroughput.NumberOfDecreasesToday)
	}
	want := &types.ProvisionedThroughputDescription{
		ReadCapacityUnits: aws.Int64(3), WriteCapacityUnits: aws.Int64(10), NumberOfDecreasesToday: aws.Int64(1),
		LastIncreaseDateTime: aws.Time(up), LastDecreaseDateTime: aws.Time(down),
	}
	d := describe(t, e, "table")
	if diff := cmp.Diff(want, d.ProvisionedThroughput, ignoreHidden); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if *d.WarmThroughput.ReadUnitsPerSecond != 10 {
		t.Errorf("warm are %d reads, want the most there were", *d.WarmThroughput.ReadUnitsPerSecond)
	}
	c.move(24 * time.Hour)
	if n := *describe(t, e, "table").ProvisionedThroughput.NumberOfDecreasesToday; n != 0 {
		t.Errorf("%d decreases on the next day", n)
	}

	at := c.now()
	update(t, e, &dynamodb.UpdateTableInput{TableName: aws.String("table"), BillingMode: types.BillingModePayPerRequest})
	d = describe(t, e, "table")
	if d.BillingModeSummary.BillingMode != types.BillingModePayPerRequest || !d.BillingModeSummary.LastUpdateToPayPerRequestDateTime.Equal(at) ||
		*d.ProvisionedThroughput.ReadCapacityUnits != 0 || *d.WarmThroughput.ReadUnitsPerSecond != 12000 {
		t.Errorf("on demand: %+v %+v %+v", d.BillingModeSummary, d.ProvisionedThroughput, d.WarmThroughput)
	}
	got = update(t, e, &dynamodb.UpdateTableInput{TableName: aws.String("table"), OnDemandThroughput: &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(20), MaxWriteRequestUnits: aws.Int64(7)}})
	if got.TableStatus != types.TableStatusActive {
		t.Errorf("bounds are set at once, status %s", got.TableStatus)
	}
	got = update(t, e, &dynamodb.UpdateTableInput{TableName: aws.String("table"), OnDemandThroughput: &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(-1)}})
	if *got.OnDemandThroughput.MaxReadRequestUnits != -1 || *got.OnDemandThroughput.MaxWriteRequestUnits != 7 {
		t.Errorf("the answer is %+v", got.OnDemandThroughput)
	}
	if o := describe(t, e, "table").OnDemandThroughput; o.MaxReadRequestUnits != nil || *o.MaxWriteRequestUnits != 7 {
		t.Errorf("the bounds are %+v", o)
	}
	update(t, e, &dynamodb.UpdateTableInput{TableName: aws.String("table"), BillingMode: types.BillingModeProvisioned, ProvisionedThroughput: units(2, 2)})
	if d = describe(t, e, "table"); d.OnDemandThroughput != nil || *d.ProvisionedThroughput.ReadCapacityUnits != 2 || d.BillingModeSummary.BillingMode != types.BillingModeProvisioned {
		t.Errorf("provisioned again: %+v", d)
	}
}

func TestUpdateTableSettings(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	create(t, e, simpleTable("table"))
	do := func(change func(*dynamodb.UpdateTableInput)) *types.TableDescription {
		in := &dynamodb.UpdateTableInput{TableName: aws.String("table")}
		change(in)
		return update(t, e, in)
	}
	if got := do(func(in *dynamodb.UpdateTableInput) { in.DeletionProtectionEnabled = aws.Bool(true) }); !*got.DeletionProtectionEnabled || got.TableStatus != types.TableStatusActive {
		t.Errorf("protection: %+v", got)
	}
	got := do(func(in *dynamodb.UpdateTableInput) {
		in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true)}
	})
	if got.SSEDescription.Status != types.SSEStatusUpdating {
		t.Errorf("encryption: %+v", got.SSEDescription)
	}
	if d := describe(t, e, "table"); d.SSEDescription.Status != types.SSEStatusEnabled {
		t.Errorf("encryption: %+v", d.SSEDescription)
	}
	do(func(in *dynamodb.UpdateTableInput) {
		in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(false)}
	})
	if d := describe(t, e, "table"); d.SSEDescription != nil {
		t.Errorf("encryption: %+v", d.SSEDescription)
	}
	do(func(in *dynamodb.UpdateTableInput) { in.TableClass = types.TableClassStandard })
	if d := describe(t, e, "table"); d.TableClassSummary != nil {
		t.Errorf("the class that it has anyway: %+v", d.TableClassSummary)
	}
	do(func(in *dynamodb.UpdateTableInput) { in.TableClass = types.TableClassStandardInfrequentAccess })
	if d := describe(t, e, "table"); d.TableClassSummary.TableClass != types.TableClassStandardInfrequentAccess || !d.TableClassSummary.LastUpdateDateTime.Equal(c.now()) {
		t.Errorf("class: %+v", d.TableClassSummary)
	}
	got = do(func(in *dynamodb.UpdateTableInput) {
		in.WarmThroughput = &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(13000)}
	})
	if *got.WarmThroughput.ReadUnitsPerSecond != 12000 || got.WarmThroughput.Status != types.TableStatusUpdating {
		t.Errorf("warm: %+v", got.WarmThroughput)
	}
	if w := describe(t, e, "table").WarmThroughput; *w.ReadUnitsPerSecond != 13000 || *w.WriteUnitsPerSecond != 4000 {
		t.Errorf("warm: %+v", w)
	}
	if got := do(func(in *dynamodb.UpdateTableInput) { in.BillingMode = types.BillingModePayPerRequest }); got.TableStatus != types.TableStatusUpdating {
		t.Errorf("the same billing mode: %s", got.TableStatus)
	}
}

func TestUpdateTableAddsIndexes(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, rangeTable("table"))
	add := func(name string, key []types.KeySchemaElement, defs ...string) *types.TableDescription {
		return update(t, e, &dynamodb.UpdateTableInput{
			TableName: aws.String("table"), AttributeDefinitions: definitions(defs...),
			GlobalSecondaryIndexUpdates: creates(name, key, projects("ALL")),
		})
	}
	// An empty table has nothing to fill.
	got := add("empty", keys("g", "HASH"), "g", "S")
	if g := got.GlobalSecondaryIndexes[0]; got.TableStatus != types.TableStatusUpdating || g.IndexStatus != types.IndexStatusCreating || *g.Backfilling {
		t.Errorf("the answer is %s, %+v", got.TableStatus, g)
	}
	if g := describe(t, e, "table").GlobalSecondaryIndexes[0]; g.IndexStatus != types.IndexStatusActive || g.Backfilling != nil {
		t.Errorf("the index is %+v", g)
	}
	long := make([]byte, 2049)
	for i := range long {
		long[i] = 'a'
	}
	put(t, e, "table", item("pk", "a", "sk", 1, "h", "x", "r", 5))
	put(t, e, "table", item("pk", "b", "sk", 1, "h", 7, "r", 5))             // wrong type
	put(t, e, "table", item("pk", "c", "sk", 1, "h", "", "r", 5))            // empty
	put(t, e, "table", item("pk", "d", "sk", 1, "h", string(long), "r", 5))  // too long
	put(t, e, "table", item("pk", "e", "sk", 1, "h", "x"))                   // one missing
	put(t, e, "table", item("pk", "f", "sk", 1, "h", "x", "r", 6, "g", "g")) // right
	got = add("filled", keys("h", "HASH", "r", "RANGE"), "h", "S", "r", "N", "pk", "N", "unused", "S")
	if want := definitions("g", "S", "h", "S", "pk", "S", "r", "N", "sk", "N"); !cmp.Equal(want, got.AttributeDefinitions, ignoreHidden) {
		t.Errorf("definitions are %v", attributeNames(got.AttributeDefinitions))
	}
	active(t, e, "table")
	want := map[string]int{
		string(attr.AppendItemJSON(nil, item("pk", "a", "sk", 1, "h", "x", "r", 5))):           1,
		string(attr.AppendItemJSON(nil, item("pk", "f", "sk", 1, "h", "x", "r", 6, "g", "g"))): 1,
	}
	if diff := cmp.Diff(want, scan(t, e, "table", "filled")); diff != "" {
		t.Errorf("the filled index (-want +got):\n%s", diff)
	}
	if n := *describe(t, e, "table").GlobalSecondaryIndexes[1].ItemCount; n != 2 {
		t.Errorf("the filled index counts %d", n)
	}
	_, err := e.PutItem(ctx, &PutItem{TableName: aws.String("table"), Item: item("pk", "z", "sk", 1, "h", 3)})
	refused(t, err, Validation, parameters+"Type mismatch for Index Key h Expected: S Actual: N IndexName: filled")

	got = update(t, e, &dynamodb.UpdateTableInput{TableName: aws.String("table"), GlobalSecondaryIndexUpdates: deletes("filled")})
	if g := got.GlobalSecondaryIndexes[1]; got.TableStatus != types.TableStatusUpdating || g.IndexStatus != types.IndexStatusDeleting {
		t.Errorf("the answer is %s, %+v", got.TableStatus, g)
	}
	d := describe(t, e, "table")
	if len(d.GlobalSecondaryIndexes) != 1 || !cmp.Equal(definitions("g", "S", "pk", "S", "sk", "N"), d.AttributeDefinitions, ignoreHidden) {
		t.Errorf("after the deletion: %d indexes, definitions %v", len(d.GlobalSecondaryIndexes), attributeNames(d.AttributeDefinitions))
	}
	put(t, e, "table", item("pk", "z", "sk", 1, "h", 3))
	add("filled", keys("h", "HASH", "r", "RANGE"), "h", "S", "r", "N")
	active(t, e, "table")
	if diff := cmp.Diff(want, scan(t, e, "table", "filled")); diff != "" {
		t.Errorf("the index again (-want +got):\n%s", diff)
	}
	verified(t, e)
}

// An index is filled while the table is written to from all sides, and is
// equal to the table at the end.
func TestUpdateTableFillsUnderLoad(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	create(t, e, simpleTable("table"))
	const n = 400
	for i := range n {
		put(t, e, "table", item("pk", strconv.Itoa(i), "g", strconv.Itoa(i%7)))
	}
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := range n {
				pk := strconv.Itoa((i*31 + w*101) % n)
				switch (i + w) % 3 {
				case 0:
					remove(t, e, "table", item("pk", pk))
				case 1:
					put(t, e, "table", item("pk", pk, "g", strconv.Itoa(i%5), "w", w))
				default:
					put(t, e, "table", item("pk", pk))
				}
			}
		})
	}
	for i := range 3 {
		name := "index" + strconv.Itoa(i)
		update(t, e, &dynamodb.UpdateTableInput{
			TableName: aws.String("table"), AttributeDefinitions: definitions("g", "S"),
			GlobalSecondaryIndexUpdates: creates(name, keys("g", "HASH"), projects("ALL")),
		})
		active(t, e, "table")
	}
	writers.Wait()
	verified(t, e)
	d := describe(t, e, "table")
	if got := len(scan(t, e, "table", "")); int64(got) != *d.ItemCount {
		t.Errorf("%d items, counted %d", got, *d.ItemCount)
	}
	for _, g := range d.GlobalSecondaryIndexes {
		if got := len(scan(t, e, "table", *g.IndexName)); int64(got) != *g.ItemCount {
			t.Errorf("%s: %d entries, counted %d", *g.IndexName, got, *g.ItemCount)
		}
	}
}

// A fill that was cut short goes on when the store is opened again.
func TestUpdateTableFillSurvives(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	create(t, e, simpleTable("table"))
	for i := range 50 {
		put(t, e, "table", item("pk", strconv.Itoa(i), "g", "g"))
	}
	tab := e.catalog.get("table")
	// The index is entered as UpdateTable does, but nobody fills it.
	u := &tableUpdate{e: e, t: tab, now: e.moment(), in: &dynamodb.UpdateTableInput{
		AttributeDefinitions: definitions("g", "S"), GlobalSecondaryIndexUpdates: creates("gsi", keys("g", "HASH"), projects("ALL")),
	}}
	if err := e.alter(tab, u.apply, u.stage); err != nil {
		t.Fatal(err)
	}
	_, err := e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("table")})
	refused(t, err, InUse, "Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, updated, or deleted.")
	_, err = e.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: aws.String("table"), AttributeDefinitions: definitions("h", "S"), GlobalSecondaryIndexUpdates: creates("other", keys("h", "HASH"), projects("ALL")),
	})
	refused(t, err, LimitExceeded, "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table")
	if g := describe(t, e, "table").GlobalSecondaryIndexes[0]; g.IndexStatus != types.IndexStatusCreating || !*g.Backfilling {
		t.Errorf("the index is %+v", g)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openStore(t, fs, c)
	active(t, e, "table")
	if got := len(scan(t, e, "table", "gsi")); got != 50 {
		t.Errorf("the index has %d entries, want 50", got)
	}
	verified(t, e)
}
