package engine

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ignoreHidden lets go-cmp look at the SDK's structs, which have a field of
// no meaning that is not exported.
var ignoreHidden = cmpopts.IgnoreUnexported(
	types.TableDescription{}, types.AttributeDefinition{}, types.KeySchemaElement{}, types.ProvisionedThroughputDescription{},
	types.BillingModeSummary{}, types.TableWarmThroughputDescription{}, types.GlobalSecondaryIndexDescription{}, types.Projection{},
	types.GlobalSecondaryIndexWarmThroughputDescription{}, types.LocalSecondaryIndexDescription{}, types.StreamSpecification{},
	types.OnDemandThroughput{}, types.SSEDescription{}, types.TableClassSummary{}, types.RestoreSummary{}, types.Tag{},
	types.TimeToLiveDescription{}, types.TimeToLiveSpecification{}, types.BackupSummary{}, types.BackupDetails{},
	types.SourceTableDetails{}, types.SourceTableFeatureDetails{}, types.BackupDescription{}, types.ProvisionedThroughput{},
	types.LocalSecondaryIndexInfo{}, types.GlobalSecondaryIndexInfo{}, types.ContinuousBackupsDescription{}, types.PointInTimeRecoveryDescription{},
)

func tooMany(n int, key []types.KeySchemaElement) (list []types.GlobalSecondaryIndex) {
	for i := range n {
		list = append(list, globalIndex("index"+strconv.Itoa(i), key, projects("ALL")))
	}
	return list
}

func local(name string, key []types.KeySchemaElement, p *types.Projection) []types.LocalSecondaryIndex {
	return []types.LocalSecondaryIndex{{IndexName: aws.String(name), KeySchema: key, Projection: p}}
}

func global(name string, key []types.KeySchemaElement, p *types.Projection) []types.GlobalSecondaryIndex {
	return []types.GlobalSecondaryIndex{globalIndex(name, key, p)}
}

const parameters = "One or more parameter values were invalid: "

func TestCreateTableRefuses(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, simpleTable("taken"))
	long := strings.Repeat("a", 256)
	shape := func(faults ...string) string {
		head := "1 validation error detected: "
		if len(faults) > 1 {
			head = strconv.Itoa(len(faults)) + " validation errors detected: "
		}
		return head + strings.Join(faults, "; ")
	}
	fault := func(value, at, constraint string) string {
		return "Value " + value + " at '" + at + "' failed to satisfy constraint: Member must " + constraint
	}
	// Each changes a good request; the simple table has key pk, the ranged
	// one pk and sk.
	tests := []struct {
		name   string
		ranged bool
		change func(*dynamodb.CreateTableInput)
		kind   string
		want   string
	}{
		{"no name", false, func(in *dynamodb.CreateTableInput) { in.TableName = nil }, Validation,
			"The parameter 'TableName' is required but was not present in the request"},
		{"short name", false, func(in *dynamodb.CreateTableInput) { in.TableName = aws.String("ab") }, Validation,
			shape(fault("'ab'", "tableName", "have length greater than or equal to 3"))},
		{"long name", false, func(in *dynamodb.CreateTableInput) { in.TableName = aws.String(long) }, Validation,
			shape(fault("'"+long+"'", "tableName", "have length less than or equal to 255"))},
		{"bad name alone", false, func(in *dynamodb.CreateTableInput) {
			in.TableName, in.KeySchema = aws.String("x!"), nil
		}, Validation, shape(fault("'x!'", "tableName", "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
			fault("'x!'", "tableName", "have length greater than or equal to 3"))},
		{"taken", false, func(in *dynamodb.CreateTableInput) { in.TableName = aws.String("taken") }, InUse, "Table already exists: taken"},
		{"nothing", false, func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions, in.KeySchema = nil, nil }, Validation,
			shape(fault("null", "attributeDefinitions", "not be null"), fault("null", "keySchema", "not be null"))},
		{"empty key", false, func(in *dynamodb.CreateTableInput) { in.KeySchema = keys() }, Validation,
			shape(fault("'[]'", "keySchema", "have length greater than or equal to 1"))},
		{"three keys", false, func(in *dynamodb.CreateTableInput) { in.KeySchema = keys("a", "HASH", "b", "RANGE", "c", "RANGE") }, Validation,
			shape(fault("'[KeySchemaElement(attributeName=a, keyType=HASH), KeySchemaElement(attributeName=b, keyType=RANGE), KeySchemaElement(attributeName=c, keyType=RANGE)]'", "keySchema", "have length less than or equal to 2"))},
		{"key type", false, func(in *dynamodb.CreateTableInput) { in.KeySchema = keys("pk", "INVALID") }, Validation,
			shape(fault("'INVALID'", "keySchema.1.member.keyType", "satisfy enum value set: [HASH, RANGE]"))},
		{"attribute type", false, func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions = definitions("pk", "INVALID") }, Validation,
			shape(fault("'INVALID'", "attributeDefinitions.1.member.attributeType", "satisfy enum value set: [B, N, S]"))},
		{"empty definition", false, func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions = []types.AttributeDefinition{{}} }, Validation,
			shape(fault("null", "attributeDefinitions.1.member.attributeName", "not be null"), fault("null", "attributeDefinitions.1.member.attributeType", "not be null"))},
		{"billing mode", false, func(in *dynamodb.CreateTableInput) { in.BillingMode = "A" }, Validation,
			shape(fault("'A'", "billingMode", "satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"))},
		{"no units", false, func(in *dynamodb.CreateTableInput) {
			in.BillingMode, in.ProvisionedThroughput = "", &types.ProvisionedThroughput{}
		}, Validation,
			shape(fault("null", "provisionedThroughput.writeCapacityUnits", "not be null"), fault("null", "provisionedThroughput.readCapacityUnits", "not be null"))},
		{"zero units", false, func(in *dynamodb.CreateTableInput) { in.BillingMode, in.ProvisionedThroughput = "", units(0, 0) }, Validation,
			shape(fault("'0'", "provisionedThroughput.writeCapacityUnits", "have value greater than or equal to 1"), fault("'0'", "provisionedThroughput.readCapacityUnits", "have value greater than or equal to 1"))},
		{"units on demand", false, func(in *dynamodb.CreateTableInput) { in.ProvisionedThroughput = units(1, 1) }, Validation,
			parameters + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"},
		{"no throughput", false, func(in *dynamodb.CreateTableInput) { in.BillingMode = "" }, Validation,
			parameters + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"},
		{"too much", false, func(in *dynamodb.CreateTableInput) {
			in.BillingMode, in.ProvisionedThroughput = "", units(1_000_000_000_001, 1)
		}, Validation,
			"Given value 1000000000001 for ReadCapacityUnits is out of bounds"},
		{"no definitions", false, func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions = definitions() }, Validation,
			"Invalid KeySchema: Some index key attribute have no definition"},
		{"another definition", false, func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions = definitions("PK", "S") }, Validation,
			parameters + "Some index key attributes are not defined in AttributeDefinitions. Keys: [pk], AttributeDefinitions: [PK]"},
		{"defined twice", false, func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions = definitions("pk", "S", "pk", "N") }, Validation,
			"Attribute Name is duplicated: pk"},
		{"key twice", false, func(in *dynamodb.CreateTableInput) { in.KeySchema = keys("pk", "HASH", "pk", "RANGE") }, Validation,
			"Invalid KeySchema: Some index key attribute have no definition"},
		{"key twice, defined", true, func(in *dynamodb.CreateTableInput) { in.KeySchema = keys("pk", "HASH", "pk", "HASH") }, Validation,
			"Both the Hash Key and the Range Key element in the KeySchema have the same name"},
		{"two hashes", true, func(in *dynamodb.CreateTableInput) { in.KeySchema = keys("pk", "HASH", "sk", "HASH") }, Validation,
			"Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"},
		{"range first", true, func(in *dynamodb.CreateTableInput) { in.KeySchema = keys("sk", "RANGE", "pk", "HASH") }, Validation,
			"Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
		{"unused definition", false, func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions = definitions("pk", "S", "x", "N") }, Validation,
			parameters + "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"},
		{"unused definition with an index", true, func(in *dynamodb.CreateTableInput) {
			in.AttributeDefinitions = definitions("pk", "S", "sk", "N", "x", "S")
			in.GlobalSecondaryIndexes = global("gsi", keys("sk", "HASH"), &types.Projection{})
		}, Validation, parameters + "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, sk, x], keys used: [pk, sk]"},
		{"no local indexes", true, func(in *dynamodb.CreateTableInput) { in.LocalSecondaryIndexes = []types.LocalSecondaryIndex{} }, Validation,
			parameters + "List of LocalSecondaryIndexes is empty"},
		{"no global indexes", true, func(in *dynamodb.CreateTableInput) { in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{} }, Validation,
			parameters + "List of GlobalSecondaryIndexes is empty"},
		{"local without range", false, func(in *dynamodb.CreateTableInput) {
			in.AttributeDefinitions = definitions("pk", "S", "x", "S")
			in.LocalSecondaryIndexes = local("lsi", keys("pk", "HASH", "x", "RANGE"), projects("ALL"))
		}, Validation, parameters + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"},
		{"local of another hash", true, func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes = local("lsi", keys("sk", "HASH", "pk", "RANGE"), projects("ALL"))
		}, Validation, parameters + "Index KeySchema does not have the same leading hash key as table KeySchema for index: lsi. index hash key: sk, table hash key: pk"},
		{"local without its range", true, func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes = local("lsi", keys("pk", "HASH"), projects("ALL"))
		}, Validation, parameters + "Index KeySchema does not have a range key for index: lsi"},
		{"local of three", true, func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes = local("lsi", keys("pk", "HASH", "sk", "RANGE", "x", "RANGE"), projects("ALL"))
		}, Validation, shape(fault("'[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=sk, keyType=RANGE), KeySchemaElement(attributeName=x, keyType=RANGE)]'",
			"localSecondaryIndexes.1.member.keySchema", "have length less than or equal to 2"))},
		{"index key undefined", true, func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes = global("gsi", keys("pk", "HASH", "c", "RANGE"), projects("ALL"))
		}, Validation, parameters + "Some index key attributes are not defined in AttributeDefinitions. Keys: [pk, c], AttributeDefinitions: [pk, sk]"},
		{"global before local", true, func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes = local("l1", keys("pk", "HASH", "sk", "RANGE"), projects("ALL"))
			in.GlobalSecondaryIndexes = global("g1", keys("pk", "HASH"), projects("ALL"))
		}, Validation, shape(fault("'g1'", "globalSecondaryIndexes.1.member.indexName", "have length greater than or equal to 3"),
			fault("'l1'", "localSecondaryIndexes.1.member.indexName", "have length greater than or equal to 3"))},
		{"no projection", true, func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes = global("gsi", keys("pk", "HASH"), nil)
		}, Validation,
			shape(fault("null", "globalSecondaryIndexes.1.member.projection", "not be null"))},
		{"empty projection", true, func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes = global("gsi", keys("pk", "HASH"), &types.Projection{})
		}, Validation, parameters + "Unknown ProjectionType: null"},
		{"unknown projection", true, func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes = global("gsi", keys("pk", "HASH"), &types.Projection{ProjectionType: "all", NonKeyAttributes: []string{}})
		}, Validation, shape(fault("'all'", "globalSecondaryIndexes.1.member.projection.projectionType", "satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]"),
			fault("'[]'", "globalSecondaryIndexes.1.member.projection.nonKeyAttributes", "have length greater than or equal to 1"))},
		{"include nothing", true, func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes = local("lsi", keys("pk", "HASH", "sk", "RANGE"), projects("INCLUDE"))
		}, Validation, parameters + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"},
		{"keys only and more", true, func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes = global("gsi", keys("pk", "HASH"), projects("KEYS_ONLY", "x"))
		}, Validation, parameters + "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified"},
		{"included twice", true, func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes = global("gsi", keys("pk", "HASH"), projects("INCLUDE", "x", "x"))
		}, Validation, parameters + "Duplicate element in NonKeyAttributes: x"},
		{"same index name", true, func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes = local("same", keys("pk", "HASH", "sk", "RANGE"), projects("ALL"))
			in.GlobalSecondaryIndexes = global("same", keys("sk", "HASH"), projects("ALL"))
		}, Validation, parameters + "Duplicate index name: same"},
		{"six local", true, func(in *dynamodb.CreateTableInput) {
			for i := range 6 {
				in.LocalSecondaryIndexes = append(in.LocalSecondaryIndexes, local("index"+strconv.Itoa(i), keys("pk", "HASH", "sk", "RANGE"), projects("ALL"))...)
			}
		}, Validation, parameters + "Number of LocalSecondaryIndexes exceeds per-table limit of 5"},
		{"21 global", true, func(in *dynamodb.CreateTableInput) { in.GlobalSecondaryIndexes = tooMany(21, keys("sk", "HASH")) }, Validation,
			parameters + "GlobalSecondaryIndex count exceeds the per-table limit of 20"},
		{"global key twice", true, func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes = global("gsi", keys("sk", "HASH", "sk", "HASH"), projects("ALL"))
		}, Validation, "The KeySchema contains multiple key attributes with the same name"},
		{"hash after range", true, func(in *dynamodb.CreateTableInput) {
			in.AttributeDefinitions = definitions("pk", "S", "sk", "N", "x", "S")
			in.GlobalSecondaryIndexes = global("gsi", keys("pk", "HASH", "sk", "RANGE", "x", "HASH"), projects("ALL"))
		}, Validation, parameters + "All HASH key attributes must precede RANGE key attributes in the KeySchema"},
		{"five hashes", false, func(in *dynamodb.CreateTableInput) {
			in.AttributeDefinitions = definitions("pk", "S", "a", "S", "b", "S", "c", "S", "d", "S")
			in.GlobalSecondaryIndexes = global("gsi", keys("pk", "HASH", "a", "HASH", "b", "HASH", "c", "HASH", "d", "HASH"), projects("ALL"))
		}, Validation, parameters + "The KeySchema exceeds the maximum allowed number of HASH key attributes"},
		{"five ranges", false, func(in *dynamodb.CreateTableInput) {
			in.AttributeDefinitions = definitions("pk", "S", "a", "S", "b", "S", "c", "S", "d", "S", "e", "S")
			in.GlobalSecondaryIndexes = global("gsi", keys("pk", "HASH", "a", "RANGE", "b", "RANGE", "c", "RANGE", "d", "RANGE", "e", "RANGE"), projects("ALL"))
		}, Validation, parameters + "The KeySchema exceeds the maximum allowed number of RANGE key attributes"},
		{"index units on demand", true, func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes = global("gsi", keys("sk", "HASH"), projects("ALL"))
			in.GlobalSecondaryIndexes[0].ProvisionedThroughput = units(1, 1)
		}, Validation, parameters + "ProvisionedThroughput should not be specified for index: gsi when BillingMode is PAY_PER_REQUEST"},
		{"index without units", true, func(in *dynamodb.CreateTableInput) {
			in.BillingMode, in.ProvisionedThroughput = "", units(1, 1)
			in.GlobalSecondaryIndexes = global("gsi", keys("sk", "HASH"), projects("ALL"))
		}, Validation, parameters + "ProvisionedThroughput is not specified for index: gsi"},
		{"bounds of what is provisioned", false, func(in *dynamodb.CreateTableInput) {
			in.BillingMode, in.ProvisionedThroughput = "", units(1, 1)
			in.OnDemandThroughput = &types.OnDemandThroughput{MaxWriteRequestUnits: aws.Int64(1)}
		}, Validation, parameters + "MaxWriteRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED."},
		{"bound of zero", false, func(in *dynamodb.CreateTableInput) {
			in.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(0)}
		}, Validation, parameters + "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range"},
		{"lukewarm", false, func(in *dynamodb.CreateTableInput) {
			in.WarmThroughput = &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(11999)}
		}, Validation, parameters + "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput for OnDemand"},
		{"view without stream", false, func(in *dynamodb.CreateTableInput) {
			in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(false), StreamViewType: "NEW_IMAGE"}
		}, Validation, parameters + "Table is being created with a stream disabled, UpdateViewType should not be specified"},
		{"stream without view", false, func(in *dynamodb.CreateTableInput) {
			in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true)}
		}, Validation, parameters + "Table is being created with a stream enabled, UpdateViewType is required"},
		{"stream of nothing", false, func(in *dynamodb.CreateTableInput) { in.StreamSpecification = &types.StreamSpecification{} }, Validation,
			shape(fault("null", "streamSpecification.streamEnabled", "not be null"))},
		{"key without KMS", false, func(in *dynamodb.CreateTableInput) {
			in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), KMSMasterKeyId: aws.String("k")}
		}, Validation, parameters + "SSEType KMS is required if KMSMasterKeyId is specified"},
		{"encryption off with a type", false, func(in *dynamodb.CreateTableInput) {
			in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(false), SSEType: types.SSETypeKms}
		}, Validation, parameters + "SSEType can not be specified if Enabled is false"},
		{"AES", false, func(in *dynamodb.CreateTableInput) {
			in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeAes256}
		}, Validation, parameters + "SSEType AES256 is not supported"},
		{"class", false, func(in *dynamodb.CreateTableInput) { in.TableClass = "GOLD" }, Validation,
			"Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS]."},
		{"tag", false, func(in *dynamodb.CreateTableInput) {
			in.Tags = []types.Tag{{Key: aws.String("a!"), Value: aws.String("")}}
		}, Validation, "The Tag Key provided is invalid, Key: a!"},
		{"vectors", false, func(in *dynamodb.CreateTableInput) { in.VectorIndexes = []types.VectorIndex{{}} }, Validation,
			parameters + "Vector indexes are not supported by this store"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := simpleTable("table")
			if tt.ranged {
				in = rangeTable("table")
			}
			tt.change(in)
			_, err := e.CreateTable(ctx, in)
			refused(t, err, tt.kind, tt.want)
		})
	}
	if names := e.allNames(); len(names) != 1 {
		t.Errorf("tables %v are there, want only the first", names)
	}
}

func TestCreateTableProjectsAtMost100(t *testing.T) {
	e := openStore(t, nil, newClock())
	in := rangeTable("table")
	for i := range 6 {
		g := globalIndex("index"+strconv.Itoa(i), keys("sk", "HASH"), projects("INCLUDE"))
		for j := range 17 {
			g.Projection.NonKeyAttributes = append(g.Projection.NonKeyAttributes, "a"+strconv.Itoa(j))
		}
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, g)
	}
	_, err := e.CreateTable(ctx, in)
	refused(t, err, Validation, parameters+"The number of NonKeyAttributes of all secondary indexes together exceeds the per-table limit of 100")
	in.GlobalSecondaryIndexes = in.GlobalSecondaryIndexes[:5]
	create(t, e, in)
	in.TableName = aws.String("other")
	for range 4 {
		p := in.GlobalSecondaryIndexes[0].Projection
		p.NonKeyAttributes = append(p.NonKeyAttributes, "b"+strconv.Itoa(len(p.NonKeyAttributes)))
	}
	_, err = e.CreateTable(ctx, in)
	want := "1 validation error detected: Value '[" + strings.Join(in.GlobalSecondaryIndexes[0].Projection.NonKeyAttributes, ", ") +
		"]' at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' failed to satisfy constraint: Member must have length less than or equal to 20"
	refused(t, err, Validation, want)
}

func TestCreateTableDescribes(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	at := c.now()
	in := rangeTable("music")
	in.AttributeDefinitions = definitions("z", "B", "sk", "N", "pk", "S")
	in.LocalSecondaryIndexes = local("by-z", keys("pk", "HASH", "z", "RANGE"), projects("INCLUDE", "y", "b"))
	in.GlobalSecondaryIndexes = global("of-z", keys("z", "HASH", "pk", "RANGE", "sk", "RANGE"), projects("KEYS_ONLY"))
	in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage}
	in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true)}
	in.TableClass = types.TableClassStandardInfrequentAccess
	in.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(10)}
	const arn = "arn:aws:dynamodb:us-east-1:000000000001:table/music"
	want := &types.TableDescription{
		TableName: aws.String("music"), TableArn: aws.String(arn), TableStatus: types.TableStatusCreating, CreationDateTime: aws.Time(at),
		AttributeDefinitions: definitions("pk", "S", "sk", "N", "z", "B"), KeySchema: in.KeySchema,
		BillingModeSummary:    &types.BillingModeSummary{BillingMode: types.BillingModePayPerRequest},
		ProvisionedThroughput: provisioned(nil), OnDemandThroughput: in.OnDemandThroughput,
		ItemCount: aws.Int64(0), TableSizeBytes: aws.Int64(0),
		SSEDescription:      &types.SSEDescription{Status: types.SSEStatusEnabled, SSEType: types.SSETypeKms, KMSMasterKeyArn: aws.String("arn:aws:kms:us-east-1:000000000001:alias/aws/dynamodb")},
		TableClassSummary:   &types.TableClassSummary{TableClass: types.TableClassStandardInfrequentAccess},
		StreamSpecification: in.StreamSpecification,
		LatestStreamLabel:   aws.String("2026-11-15T09:30:00.000"), LatestStreamArn: aws.String(arn + "/stream/2026-11-15T09:30:00.000"),
		LocalSecondaryIndexes: []types.LocalSecondaryIndexDescription{{
			IndexName: aws.String("by-z"), IndexArn: aws.String(arn + "/index/by-z"), KeySchema: keys("pk", "HASH", "z", "RANGE"),
			Projection: projects("INCLUDE", "b", "y"), ItemCount: aws.Int64(0), IndexSizeBytes: aws.Int64(0),
		}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndexDescription{{
			IndexName: aws.String("of-z"), IndexArn: aws.String(arn + "/index/of-z"), IndexStatus: types.IndexStatusCreating,
			KeySchema: keys("z", "HASH", "pk", "RANGE", "sk", "RANGE"), Projection: projects("KEYS_ONLY"), ItemCount: aws.Int64(0), IndexSizeBytes: aws.Int64(0),
			ProvisionedThroughput: provisioned(nil),
		}},
	}
	got := create(t, e, in)
	id := got.TableId
	if len(*id) != 36 || (*id)[14] != '4' {
		t.Errorf("table id %q is no UUID of version 4", *id)
	}
	want.TableId = id
	if diff := cmp.Diff(want, got, ignoreHidden); diff != "" {
		t.Errorf("CreateTable (-want +got):\n%s", diff)
	}

	want.TableStatus = types.TableStatusActive
	want.BillingModeSummary.LastUpdateToPayPerRequestDateTime = aws.Time(at)
	want.DeletionProtectionEnabled = aws.Bool(false)
	want.WarmThroughput = warmTable(12000, 4000)
	want.GlobalSecondaryIndexes[0].IndexStatus = types.IndexStatusActive
	want.GlobalSecondaryIndexes[0].WarmThroughput = warmIndex(12000, 4000)
	for _, name := range []string{"music", arn} {
		if diff := cmp.Diff(want, describe(t, e, name), ignoreHidden); diff != "" {
			t.Errorf("DescribeTable %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDescribeTableCounts(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	in := rangeTable("table")
	in.AttributeDefinitions = definitions("pk", "S", "sk", "N", "g", "S")
	in.GlobalSecondaryIndexes = global("gsi", keys("g", "HASH"), projects("KEYS_ONLY"))
	create(t, e, in)
	put(t, e, "table", item("pk", "a", "sk", 1, "x", "long text"))
	put(t, e, "table", item("pk", "a", "sk", 2, "g", "z"))
	put(t, e, "table", item("pk", "a", "sk", 2, "g", "y"))
	d := describe(t, e, "table")
	size := int64(item("pk", "a", "sk", 1, "x", "long text").Size() + item("pk", "a", "sk", 2, "g", "y").Size())
	if *d.ItemCount != 2 || *d.TableSizeBytes != size {
		t.Errorf("got %d items of %d bytes, want 2 of %d", *d.ItemCount, *d.TableSizeBytes, size)
	}
	if g := d.GlobalSecondaryIndexes[0]; *g.ItemCount != 1 || *g.IndexSizeBytes != int64(item("pk", "a", "sk", 2, "g", "y").Size()) {
		t.Errorf("got %d entries of %d bytes", *g.ItemCount, *g.IndexSizeBytes)
	}
	remove(t, e, "table", item("pk", "a", "sk", 1))
	if d := describe(t, e, "table"); *d.ItemCount != 1 {
		t.Errorf("got %d items, want 1", *d.ItemCount)
	}
}

func TestDescribeTableRefuses(t *testing.T) {
	e := openStore(t, nil, newClock())
	for name, want := range map[string]string{
		"nope": "Requested resource not found: Table: nope not found",
		"arn:aws:dynamodb:us-east-1:000000000000:table/nope": "Requested resource not found: Table: nope not found",
	} {
		_, err := e.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		refused(t, err, NotFound, want)
	}
	_, err := e.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("abc;")})
	refused(t, err, Validation, "1 validation error detected: Value 'abc;' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
	_, err = e.DescribeTable(ctx, &dynamodb.DescribeTableInput{})
	refused(t, err, Validation, "The parameter 'TableName' is required but was not present in the request")
}

func TestListTables(t *testing.T) {
	e := openStore(t, nil, newClock())
	for _, name := range []string{"ccc", "aaa", "bbb", "ddd"} {
		create(t, e, simpleTable(name))
	}
	tests := []struct {
		after *string
		limit *int32
		want  []string
		last  *string
	}{
		{nil, nil, []string{"aaa", "bbb", "ccc", "ddd"}, nil},
		{nil, aws.Int32(2), []string{"aaa", "bbb"}, aws.String("bbb")},
		{aws.String("bbb"), aws.Int32(2), []string{"ccc", "ddd"}, nil},
		{aws.String("bbbb"), aws.Int32(1), []string{"ccc"}, aws.String("ccc")},
		{aws.String("zzz"), nil, []string{}, nil},
	}
	for _, tt := range tests {
		out, err := e.ListTables(ctx, &dynamodb.ListTablesInput{ExclusiveStartTableName: tt.after, Limit: tt.limit})
		if err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(out.TableNames, tt.want, cmpopts.EquateEmpty()) || !cmp.Equal(out.LastEvaluatedTableName, tt.last) {
			t.Errorf("after %v limit %v: got %v, %v", tt.after, tt.limit, out.TableNames, out.LastEvaluatedTableName)
		}
	}
	_, err := e.ListTables(ctx, &dynamodb.ListTablesInput{ExclusiveStartTableName: aws.String("a;"), Limit: aws.Int32(101)})
	refused(t, err, Validation, "3 validation errors detected: Value 'a;' at 'exclusiveStartTableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; "+
		"Value 'a;' at 'exclusiveStartTableName' failed to satisfy constraint: Member must have length greater than or equal to 3; "+
		"Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100")
}

func TestDeleteTable(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	in := rangeTable("table")
	in.GlobalSecondaryIndexes = global("gsi", keys("sk", "HASH"), projects("ALL"))
	in.DeletionProtectionEnabled = aws.Bool(true)
	create(t, e, in)
	put(t, e, "table", item("pk", "a", "sk", 1))
	del := func() (*dynamodb.DeleteTableOutput, error) {
		return e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("table")})
	}
	_, err := del()
	refused(t, err, Validation, "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
	update(t, e, &dynamodb.UpdateTableInput{TableName: aws.String("table"), DeletionProtectionEnabled: aws.Bool(false)})
	out, err := del()
	if err != nil {
		t.Fatal(err)
	}
	d := out.TableDescription
	if d.TableStatus != types.TableStatusDeleting || d.GlobalSecondaryIndexes != nil || d.KeySchema != nil || d.TableId == nil || *d.ItemCount != 1 {
		t.Errorf("the answer is %+v", d)
	}
	_, err = del()
	refused(t, err, NotFound, "Requested resource not found: Table: table not found")
	_, err = e.PutItem(ctx, &PutItem{TableName: aws.String("table"), Item: item("pk", "a", "sk", 1)})
	refused(t, err, NotFound, "Requested resource not found")

	// A table of the same name has nothing of the old one.
	in.DeletionProtectionEnabled = nil
	create(t, e, in)
	if got := scan(t, e, "table", ""); len(got) != 0 {
		t.Errorf("the new table has %v", got)
	}
	if got := scan(t, e, "table", "gsi"); len(got) != 0 {
		t.Errorf("the new index has %v", got)
	}
	verified(t, e)
}

func TestTablesSurvive(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	in := rangeTable("table")
	in.GlobalSecondaryIndexes = global("gsi", keys("sk", "HASH"), projects("ALL"))
	in.Tags = []types.Tag{{Key: aws.String("a"), Value: aws.String("b")}}
	create(t, e, in)
	create(t, e, simpleTable("gone"))
	if _, err := e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("gone")}); err != nil {
		t.Fatal(err)
	}
	put(t, e, "table", item("pk", "a", "sk", 1))
	want := describe(t, e, "table")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	c.move(time.Hour)
	e = openStore(t, fs, c)
	if diff := cmp.Diff(want, describe(t, e, "table"), ignoreHidden); diff != "" {
		t.Errorf("after reopening (-want +got):\n%s", diff)
	}
	out, err := e.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: want.TableArn})
	if err != nil || len(out.Tags) != 1 {
		t.Errorf("got %v, %v, want one tag", out, err)
	}
	if names := e.allNames(); len(names) != 1 {
		t.Errorf("tables are %v", names)
	}
}
