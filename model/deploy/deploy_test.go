package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/model"
)

// shop has everything that can be deployed.
func shop() model.Schema {
	return model.Schema{Name: "shop",
		Tables: []model.Table{{
			Name: "shop", PK: model.Key{Name: "PK"}, SK: model.Key{Name: "SK"}, TTL: "ttl", RecoveryDays: 35, Encrypted: true, Stream: "NEW_AND_OLD_IMAGES", Tags: map[string]string{"project": "shop"},
			Indexes: []model.Index{
				{Name: "ByA", PK: model.Key{Name: "APK"}, SK: model.Key{Name: "price", Kind: model.Number}, Projection: model.Include, Include: []string{"name", "colour"}},
				{Name: "ByB", PK: model.Key{Name: "name"}, Projection: model.KeysOnly},
				{Name: "ByC", PK: model.Key{Name: "CPK"}, SK: model.Key{Name: "CSK"}, Projection: model.All},
			},
		}},
		Buckets: []model.Bucket{{Name: "shop-pictures", Lifecycle: []model.Rule{
			{ID: "cold", Prefix: "raw/", ColdAfter: 30, Class: "GLACIER"},
			{ID: "tidy", ExpiresAfter: 90, AbortAfter: 7},
		}}},
	}
}

func open(t *testing.T) Store {
	t.Helper()
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := blob.Open("objects", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := objects.Close(); err != nil {
			t.Error(err)
		}
	})
	return Store{Tables: db, Objects: blob.Client(objects)}
}

func steps(t *testing.T, st Store, s model.Schema) []string {
	t.Helper()
	plan, err := Prepare(t.Context(), st, s)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, step := range plan.Steps {
		all = append(all, step.What)
	}
	return append(all, plan.Problems...)
}

func TestApply(t *testing.T) {
	st := open(t)
	var progress bytes.Buffer
	if err := Apply(t.Context(), st, &progress, shop()); err != nil {
		t.Fatal(err)
	}
	want := "1/5 create table shop with 3 indexes\n2/5 expire items of shop by ttl\n3/5 keep shop recoverable for 35 days\n4/5 create bucket shop-pictures\n5/5 set the lifecycle of shop-pictures: 2 rules\n"
	if diff := cmp.Diff(want, progress.String()); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if left := steps(t, st, shop()); len(left) != 0 {
		t.Errorf("a second run has something to do: %v", left)
	}
	plan := &Plan{}
	var out bytes.Buffer
	if err := plan.Print(&out); err != nil || out.String() != "nothing to do\n" {
		t.Errorf("%q, %v", &out, err)
	}
}

// emulator is a store that knows neither recovery nor encryption, as emulators do.
type emulator struct{ dynamo.API }

func (e emulator) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, o ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	out, err := e.API.DescribeTable(ctx, in, o...)
	if err == nil {
		out.Table.SSEDescription = nil
	}
	return out, err
}

func (emulator) DescribeContinuousBackups(context.Context, *dynamodb.DescribeContinuousBackupsInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeContinuousBackupsOutput, error) {
	return nil, &smithy.GenericAPIError{Code: "UnknownOperationException"}
}

func (emulator) UpdateContinuousBackups(context.Context, *dynamodb.UpdateContinuousBackupsInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateContinuousBackupsOutput, error) {
	return nil, &smithy.GenericAPIError{Code: "UnknownOperationException"}
}

// What a store does not know is noted, and not tried over and over.
func TestEmulator(t *testing.T) {
	st := open(t)
	known := st.Tables
	st.Tables = emulator{known}
	if err := Apply(t.Context(), st, nil, shop()); err != nil {
		t.Fatal(err)
	}
	plan, err := Prepare(t.Context(), st, shop())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"point-in-time recovery: the store does not know it", "encryption: the store does not know it"}
	if len(plan.Steps)+len(plan.Problems) > 0 || !slices.Equal(plan.Notes, want) {
		t.Errorf("steps %v, problems %v, notes %q", plan.Steps, plan.Problems, plan.Notes)
	}
	// A service that knows recovery says the truth of encryption.
	st.Tables = unencrypted{known}
	if left := steps(t, st, shop()); !slices.Contains(left, "encrypt shop") {
		t.Errorf("a table without encryption stays so: %v", left)
	}
}

// unencrypted is a store that encrypts with no key of the account's.
type unencrypted struct{ dynamo.API }

func (u unencrypted) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, o ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return emulator(u).DescribeTable(ctx, in, o...)
}

// TestExtend begins with less than the schema in every respect, and with things
// that the schema does not know.
func TestExtend(t *testing.T) {
	st := open(t)
	old := shop()
	tab := &old.Tables[0]
	tab.Indexes = []model.Index{tab.Indexes[2], {Name: "Foreign", PK: model.Key{Name: "F"}, Projection: model.All}}
	tab.TTL, tab.RecoveryDays, tab.Encrypted, tab.Stream, tab.Tags = "", 0, false, "", nil
	old.Buckets[0].Lifecycle = []model.Rule{{ID: "foreign", ExpiresAfter: 9}, {ID: "cold", Prefix: "raw/", ColdAfter: 5, Class: "GLACIER"}}
	if err := Apply(t.Context(), st, nil, old); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"add index ByA to shop", "add index ByB to shop", "stream changes of shop", "expire items of shop by ttl",
		"keep shop recoverable for 35 days", "encrypt shop", "tag shop", "set the lifecycle of shop-pictures: 3 rules",
	}
	if diff := cmp.Diff(want, steps(t, st, shop())); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if err := Apply(t.Context(), st, nil, shop()); err != nil {
		t.Fatal(err)
	}
	if left := steps(t, st, shop()); len(left) != 0 {
		t.Errorf("a second run has something to do: %v", left)
	}
	out, err := st.Tables.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("shop")})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(out.Table.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndexDescription) bool { return *g.IndexName == "Foreign" }) {
		t.Error("an index that the schema does not know is gone")
	}
	rules, err := st.Objects.GetBucketLifecycleConfiguration(t.Context(), &s3.GetBucketLifecycleConfigurationInput{Bucket: aws.String("shop-pictures")})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(rules.Rules, func(r s3types.LifecycleRule) bool { return aws.ToString(r.ID) == "foreign" }) {
		t.Error("a rule that the schema does not know is gone")
	}
	if rules.TransitionDefaultMinimumObjectSize != s3types.TransitionDefaultMinimumObjectSizeVariesByStorageClass {
		t.Errorf("small objects: %s", rules.TransitionDefaultMinimumObjectSize)
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		want  string
		spoil func(*model.Table)
	}{
		{"table shop has other keys", func(tab *model.Table) { tab.SK.Name = "range" }},
		{"table shop has other keys", func(tab *model.Table) { tab.Indexes[0].SK.Kind = model.Text }},
		{"index ByA of shop has other keys", func(tab *model.Table) { tab.Indexes[0].PK.Name = "Z" }},
		{"index ByA of shop projects other attributes", func(tab *model.Table) { tab.Indexes[0].Include = []string{"name"} }},
		{"index ByC of shop projects other attributes", func(tab *model.Table) { tab.Indexes[2].Projection = model.KeysOnly }},
		{"items of shop expire by expires, not by ttl", func(tab *model.Table) { tab.TTL = "expires" }},
		{"table shop streams NEW_IMAGE, not NEW_AND_OLD_IMAGES", func(tab *model.Table) { tab.Stream = "NEW_IMAGE" }},
	} {
		st := open(t)
		old := shop()
		tt.spoil(&old.Tables[0])
		if err := Apply(t.Context(), st, nil, old); err != nil {
			t.Fatal(err)
		}
		plan, err := Prepare(t.Context(), st, shop())
		if err != nil || !slices.Contains(plan.Problems, tt.want) {
			t.Errorf("%s: %v, %v", tt.want, plan.Problems, err)
			continue
		}
		if err := plan.Apply(t.Context(), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: applied, %v", tt.want, err)
		}
	}
}

func TestInterrupted(t *testing.T) {
	st := open(t)
	plan, err := Prepare(t.Context(), st, shop())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	plan.Steps = slices.Insert(plan.Steps, 2, Step{"pull the plug", func(ctx context.Context) error { cancel(); return ctx.Err() }})
	if err := plan.Apply(ctx, nil); err == nil {
		t.Fatal("applied")
	}
	if err := Apply(t.Context(), st, nil, shop()); err != nil {
		t.Fatal(err)
	}
	if left := steps(t, st, shop()); len(left) != 0 {
		t.Errorf("after an interruption there is something left: %v", left)
	}
}

// TestCloudFormation reads the template back and compares it with the requests
// that Apply sends.
func TestCloudFormation(t *testing.T) {
	var out bytes.Buffer
	if err := CloudFormation(&out, nil, shop()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Resources map[string]struct {
			Type           string
			DeletionPolicy string
			Properties     json.RawMessage
		}
		Outputs map[string]struct{ Value map[string]string }
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	table, bucket := got.Resources["ShopTable"], got.Resources["ShopPicturesBucket"]
	if table.Type != "AWS::DynamoDB::Table" || bucket.Type != "AWS::S3::Bucket" || table.DeletionPolicy != "Retain" || bucket.DeletionPolicy != "Retain" {
		t.Fatalf("resources: %s", &out)
	}
	s := shop()
	// The properties have the names of the request, so the request's own type reads them.
	var request dynamodb.CreateTableInput
	if err := json.Unmarshal(table.Properties, &request); err != nil {
		t.Fatal(err)
	}
	want := CreateTable(&s.Tables[0])
	request.SSESpecification, request.StreamSpecification.StreamEnabled = want.SSESpecification, aws.Bool(true)
	if diff := cmp.Diff(encoded(t, want), encoded(t, &request)); diff != "" {
		t.Errorf("table (-request +template):\n%s", diff)
	}
	var rest struct {
		TimeToLiveSpecification          map[string]any
		PointInTimeRecoverySpecification map[string]any
		SSESpecification                 map[string]any
	}
	if err := json.Unmarshal(table.Properties, &rest); err != nil {
		t.Fatal(err)
	}
	if rest.TimeToLiveSpecification["AttributeName"] != "ttl" || rest.PointInTimeRecoverySpecification["RecoveryPeriodInDays"] != 35.0 || rest.SSESpecification["SSEEnabled"] != true {
		t.Errorf("beside the request: %+v", rest)
	}
	wantRules := `{"Rules":[{"Id":"cold","Status":"Enabled","Prefix":"raw/","Transitions":[{"StorageClass":"GLACIER","TransitionInDays":30}]},{"Id":"tidy","Status":"Enabled","ExpirationInDays":90,"AbortIncompleteMultipartUpload":{"DaysAfterInitiation":7}}],"TransitionDefaultMinimumObjectSize":"varies_by_storage_class"}`
	var properties struct{ LifecycleConfiguration json.RawMessage }
	if err := json.Unmarshal(bucket.Properties, &properties); err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, properties.LifecycleConfiguration); err != nil || compact.String() != wantRules {
		t.Errorf("rules: %s, %v", &compact, err)
	}
	if got.Outputs["ShopTableName"].Value["Ref"] != "ShopTable" {
		t.Errorf("outputs: %v", got.Outputs)
	}
}

func TestLogicalIDs(t *testing.T) {
	s := model.Schema{Name: "s"}
	for _, name := range []string{"users", "Users", "UsersTable", "a.b-c_d"} {
		s.Tables = append(s.Tables, model.Table{Name: name, PK: model.Key{Name: "pk"}})
	}
	var out bytes.Buffer
	if err := CloudFormation(&out, nil, s); err != nil {
		t.Fatal(err)
	}
	var got struct{ Resources map[string]any }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if want := []string{"ABCDTable", "UsersTable", "UsersTableTable", "UsersTableTableTable"}; !slices.Equal(want, slices.Sorted(maps.Keys(got.Resources))) {
		t.Errorf("%v", got.Resources)
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
