package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pressroom/dynamo"
	"pressroom/dynamo/wire"
)

// side is one way to a database: in process, or with the SDK's client over
// HTTP. The parity tests do the same on both and want the same answers.
type side struct {
	api     dynamo.API
	streams dynamo.StreamsAPI
	// what an answer named, for later calls
	backup, stream, shard, iterator *string
}

func sides(t *testing.T) [2]*side {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC) }
	var dbs [2]*dynamo.DB
	for i := range dbs {
		db, err := dynamo.OpenMemory(&dynamo.Options{Now: now, SweepEvery: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		dbs[i] = db
	}
	h := wire.New(dbs[1], nil)
	server := httptest.NewUnstartedServer(h)
	server.Listener = wire.NewLane(server.Listener, h)
	server.Start()
	t.Cleanup(server.Close)
	keys := credentials.NewStaticCredentialsProvider("key", "secret", "")
	return [2]*side{
		{api: dbs[0], streams: dbs[0].Streams()},
		{
			api: dynamodb.New(dynamodb.Options{Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: keys, RetryMaxAttempts: 1}),
			streams: dynamodbstreams.New(dynamodbstreams.Options{
				Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: keys, RetryMaxAttempts: 1,
			}),
		},
	}
}

// step is one call of a parity test.
type step struct {
	name string
	do   func(context.Context, *side) (any, error)
}

// compare runs the steps on both sides. Fields named in loose may differ.
func compare(t *testing.T, steps []step, loose ...string) {
	t.Helper()
	both, ctx := sides(t), context.Background()
	for _, st := range steps {
		var out [2]any
		var err [2]error
		for i, s := range both {
			out[i], err[i] = st.do(ctx, s)
		}
		if diff := cmp.Diff(chain(err[1]), chain(err[0])); diff != "" {
			t.Errorf("%s: the client's error and ours differ:\n%s", st.name, diff)
		}
		if err[0] != nil || err[1] != nil {
			continue
		}
		if diff := cmp.Diff(out[1], out[0], sameAnswer, ignoreFields(loose)); diff != "" {
			t.Errorf("%s: the client's answer and ours differ:\n%s", st.name, diff)
		}
	}
}

// sameAnswer passes over what is made up anew on each side.
var sameAnswer = cmp.Options{
	ignoreSerde,
	cmpopts.IgnoreTypes(middleware.Metadata{}),
	cmpopts.EquateEmpty(),
	ignoreFields([]string{"TableId", "LatestStreamArn", "LatestStreamLabel", "StreamArn", "StreamLabel", "BackupArn", "SourceBackupArn",
		"ShardId", "ShardIterator", "NextShardIterator", "EventID", "SequenceNumber", "StartingSequenceNumber"}),
}

func ignoreFields(names []string) cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool {
		return slices.Contains(names, strings.TrimPrefix(p.Last().String(), "."))
	}, cmp.Ignore())
}

var anID = regexp.MustCompile(`RequestID: [0-9A-Z]{52}`)

// chain lists the types and texts of an error and all that it wraps.
func chain(err error) []string {
	var list []string
	for ; err != nil; err = errors.Unwrap(err) {
		list = append(list, fmt.Sprintf("%T: %s", err, anID.ReplaceAllString(err.Error(), "RequestID: ...")))
	}
	return list
}

// on makes a step of an operation and its input.
func on[I, O any](m func(dynamo.API, context.Context, *I, ...func(*dynamodb.Options)) (*O, error), in *I) step {
	name := reflect.TypeFor[I]().Name()
	return step{name, func(ctx context.Context, s *side) (any, error) { return m(s.api, ctx, in) }}
}

var table = aws.String("posts")

func newTable() step {
	return on(dynamo.API.CreateTable, &dynamodb.CreateTableInput{
		TableName:           table,
		BillingMode:         types.BillingModePayPerRequest,
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("when"), AttributeType: types.ScalarAttributeTypeN},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{{
			IndexName:  aws.String("byTime"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
			KeySchema: []types.KeySchemaElement{
				{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
				{AttributeName: aws.String("when"), KeyType: types.KeyTypeRange},
			},
		}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("all"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			KeySchema:  []types.KeySchemaElement{{AttributeName: aws.String("sk"), KeyType: types.KeyTypeHash}},
		}},
		Tags: []types.Tag{{Key: aws.String("desk"), Value: aws.String("blog")}},
	})
}

// everyKind is an item with a value of each type.
func everyKind(pk, sk string) item {
	return item{
		"pk": s(pk), "sk": s(sk), "when": n("1700000000.5"),
		"null": &types.AttributeValueMemberNULL{Value: true},
		"bool": &types.AttributeValueMemberBOOL{Value: true},
		"bin":  &types.AttributeValueMemberB{Value: []byte{0, 1, 255}},
		"ns":   &types.AttributeValueMemberNS{Value: []string{"-1", "2", "1E100"}},
		"ss":   &types.AttributeValueMemberSS{Value: []string{"", "\u2028<&>\"\\\x01", "é"}},
		"bs":   &types.AttributeValueMemberBS{Value: [][]byte{{}, {7}}},
		"list": &types.AttributeValueMemberL{Value: []types.AttributeValue{s("x"), n("0"), &types.AttributeValueMemberL{Value: []types.AttributeValue{}}}},
		"map":  &types.AttributeValueMemberM{Value: item{"k\"ey": s("v"), "empty": &types.AttributeValueMemberM{Value: item{}}}},
	}
}

func TestParityItems(t *testing.T) {
	total, indexes := types.ReturnConsumedCapacityTotal, types.ReturnConsumedCapacityIndexes
	key := item{"pk": s("a"), "sk": s("1")}
	put := func(i int) step {
		return on(dynamo.API.PutItem, &dynamodb.PutItemInput{TableName: table, Item: everyKind("a", fmt.Sprint(i)),
			ReturnConsumedCapacity: indexes, ReturnItemCollectionMetrics: types.ReturnItemCollectionMetricsSize, ReturnValues: types.ReturnValueAllOld})
	}
	compare(t, []step{
		newTable(),
		put(1), put(1), put(2), put(3),
		on(dynamo.API.GetItem, &dynamodb.GetItemInput{TableName: table, Key: key, ReturnConsumedCapacity: total}),
		on(dynamo.API.GetItem, &dynamodb.GetItemInput{TableName: table, Key: key, ConsistentRead: aws.Bool(true),
			ProjectionExpression: aws.String("#m, #l[0]"), ExpressionAttributeNames: map[string]string{"#m": "map", "#l": "list"}}),
		on(dynamo.API.GetItem, &dynamodb.GetItemInput{TableName: table, Key: key, AttributesToGet: []string{"ns", "none"}}),
		on(dynamo.API.GetItem, &dynamodb.GetItemInput{TableName: table, Key: item{"pk": s("z"), "sk": s("z")}}),
		on(dynamo.API.GetItem, &dynamodb.GetItemInput{TableName: table, Key: item{}}),
		on(dynamo.API.GetItem, &dynamodb.GetItemInput{TableName: table, Key: item{"pk": n("x"), "sk": s("z")}}),
		on(dynamo.API.GetItem, &dynamodb.GetItemInput{Key: key}),
		on(dynamo.API.GetItem, nil),
		on(dynamo.API.GetItem, &dynamodb.GetItemInput{TableName: aws.String("nothing"), Key: key}),
		on(dynamo.API.GetItem, &dynamodb.GetItemInput{TableName: table, Key: key, ReturnConsumedCapacity: "hi"}),
		on(dynamo.API.PutItem, &dynamodb.PutItemInput{TableName: table, Item: item{"pk": s("a")}}),
		on(dynamo.API.PutItem, &dynamodb.PutItemInput{TableName: table}),
		on(dynamo.API.PutItem, &dynamodb.PutItemInput{TableName: table, Item: item{"pk": s("a"), "sk": s("1"), "x": &types.AttributeValueMemberSS{Value: []string{}}}}),
		on(dynamo.API.PutItem, &dynamodb.PutItemInput{TableName: table, Item: item{"pk": s("a"), "sk": s("1"), "x": n("1e999")}}),
		on(dynamo.API.PutItem, &dynamodb.PutItemInput{TableName: table, Item: key, ConditionExpression: aws.String("attribute_not_exists(pk)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}),
		on(dynamo.API.PutItem, &dynamodb.PutItemInput{TableName: table, Item: key, Expected: map[string]types.ExpectedAttributeValue{"pk": {Exists: aws.Bool(false)}}}),
		on(dynamo.API.UpdateItem, &dynamodb.UpdateItemInput{TableName: table, Key: key, UpdateExpression: aws.String("SET c = if_not_exists(c, :z) + :one REMOVE #m"),
			ExpressionAttributeNames: map[string]string{"#m": "map"}, ExpressionAttributeValues: item{":z": n("0"), ":one": n("1")},
			ReturnValues: types.ReturnValueUpdatedNew, ReturnConsumedCapacity: indexes}),
		on(dynamo.API.UpdateItem, &dynamodb.UpdateItemInput{TableName: table, Key: key, ReturnValues: types.ReturnValueAllNew,
			AttributeUpdates: map[string]types.AttributeValueUpdate{"c": {Action: types.AttributeActionAdd, Value: n("2")}, "bin": {Action: types.AttributeActionDelete}}}),
		on(dynamo.API.UpdateItem, &dynamodb.UpdateItemInput{TableName: table, Key: key, UpdateExpression: aws.String("SET c = :x"), ExpressionAttributeValues: item{":x": &types.AttributeValueMemberNS{Value: []string{}}}}),
		on(dynamo.API.UpdateItem, &dynamodb.UpdateItemInput{TableName: table, Key: key, UpdateExpression: aws.String("SET c = :x"), ExpressionAttributeValues: item{}}),
		on(dynamo.API.UpdateItem, &dynamodb.UpdateItemInput{TableName: table, Key: key, UpdateExpression: aws.String("nonsense")}),
		on(dynamo.API.UpdateItem, &dynamodb.UpdateItemInput{TableName: table}),
		on(dynamo.API.DeleteItem, &dynamodb.DeleteItemInput{TableName: table, Key: key, ReturnValues: types.ReturnValueAllOld, ReturnConsumedCapacity: indexes}),
		on(dynamo.API.DeleteItem, &dynamodb.DeleteItemInput{TableName: table, Key: key, ConditionExpression: aws.String("attribute_exists(pk)")}),
		on(dynamo.API.DeleteItem, &dynamodb.DeleteItemInput{TableName: table, Key: key}),
	})
}

func TestParityPages(t *testing.T) {
	steps := []step{newTable()}
	for i := range 12 {
		steps = append(steps, on(dynamo.API.PutItem, &dynamodb.PutItemInput{TableName: table, Item: everyKind("a", fmt.Sprintf("%02d", i))}))
	}
	values := item{":a": s("a")}
	compare(t, append(steps,
		on(dynamo.API.Query, &dynamodb.QueryInput{TableName: table, KeyConditionExpression: aws.String("pk = :a"), ExpressionAttributeValues: values,
			Limit: aws.Int32(5), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes}),
		on(dynamo.API.Query, &dynamodb.QueryInput{TableName: table, KeyConditionExpression: aws.String("pk = :a"), ExpressionAttributeValues: values,
			Limit: aws.Int32(5), ExclusiveStartKey: item{"pk": s("a"), "sk": s("04")}, ScanIndexForward: aws.Bool(false), ConsistentRead: aws.Bool(true)}),
		on(dynamo.API.Query, &dynamodb.QueryInput{TableName: table, KeyConditionExpression: aws.String("pk = :a"), ExpressionAttributeValues: values, Select: types.SelectCount}),
		on(dynamo.API.Query, &dynamodb.QueryInput{TableName: table, KeyConditionExpression: aws.String("pk = :a"), ExpressionAttributeValues: item{":a": s("nobody")}}),
		on(dynamo.API.Query, &dynamodb.QueryInput{TableName: table, IndexName: aws.String("byTime"), KeyConditionExpression: aws.String("pk = :a"),
			ExpressionAttributeValues: values, Limit: aws.Int32(2), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes}),
		on(dynamo.API.Query, &dynamodb.QueryInput{TableName: table, IndexName: aws.String("all"), KeyConditions: map[string]types.Condition{
			"sk": {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{s("03")}}},
			QueryFilter: map[string]types.Condition{"bool": {ComparisonOperator: types.ComparisonOperatorNotNull}}}),
		on(dynamo.API.Query, &dynamodb.QueryInput{TableName: table, KeyConditions: map[string]types.Condition{"pk": {}}}),
		on(dynamo.API.Query, &dynamodb.QueryInput{TableName: table}),
		on(dynamo.API.Query, nil),
		on(dynamo.API.Query, &dynamodb.QueryInput{TableName: table, KeyConditionExpression: aws.String("pk = :a"), ExpressionAttributeValues: values, ExclusiveStartKey: item{"pk": s("b")}}),
		on(dynamo.API.Scan, &dynamodb.ScanInput{TableName: table, Limit: aws.Int32(7), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}),
		on(dynamo.API.Scan, &dynamodb.ScanInput{TableName: table, FilterExpression: aws.String("sk > :s"), ExpressionAttributeValues: item{":s": s("08")}}),
		on(dynamo.API.Scan, &dynamodb.ScanInput{TableName: table, Segment: aws.Int32(1), TotalSegments: aws.Int32(3)}),
		on(dynamo.API.Scan, &dynamodb.ScanInput{TableName: table, Segment: aws.Int32(3), TotalSegments: aws.Int32(3)}),
		on(dynamo.API.Scan, &dynamodb.ScanInput{TableName: table, ScanFilter: map[string]types.Condition{
			"sk": {ComparisonOperator: types.ComparisonOperatorIn, AttributeValueList: []types.AttributeValue{s("01"), s("02")}}}, Select: types.SelectCount}),
		on(dynamo.API.Scan, &dynamodb.ScanInput{Limit: aws.Int32(0), TableName: table}),
	))
}

func TestParityBatches(t *testing.T) {
	indexes := types.ReturnConsumedCapacityIndexes
	key := func(sk string) item { return item{"pk": s("a"), "sk": s(sk)} }
	write := func(requests ...types.WriteRequest) step {
		return on(dynamo.API.BatchWriteItem, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*table: requests},
			ReturnConsumedCapacity: indexes, ReturnItemCollectionMetrics: types.ReturnItemCollectionMetricsSize})
	}
	put := func(sk string) types.WriteRequest {
		return types.WriteRequest{PutRequest: &types.PutRequest{Item: everyKind("a", sk)}}
	}
	token := aws.String("token")
	transact := func(token *string, items ...types.TransactWriteItem) step {
		return on(dynamo.API.TransactWriteItems, &dynamodb.TransactWriteItemsInput{TransactItems: items, ClientRequestToken: token,
			ReturnConsumedCapacity: indexes, ReturnItemCollectionMetrics: types.ReturnItemCollectionMetricsSize})
	}
	putOne := types.TransactWriteItem{Put: &types.Put{TableName: table, Item: key("t")}}
	compare(t, []step{
		newTable(),
		write([]types.WriteRequest{}...),
		write(put("1"), put("2"), types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key("9")}}),
		write(put("1"), put("1")),
		write(types.WriteRequest{}),
		write(types.WriteRequest{PutRequest: &types.PutRequest{}}),
		on(dynamo.API.BatchWriteItem, nil),
		on(dynamo.API.BatchWriteItem, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{}}),
		on(dynamo.API.BatchGetItem, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			*table: {Keys: []map[string]types.AttributeValue{key("1"), key("2"), key("3")}, ConsistentRead: aws.Bool(true)}}, ReturnConsumedCapacity: indexes}),
		on(dynamo.API.BatchGetItem, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			*table: {Keys: []map[string]types.AttributeValue{key("8")}, ProjectionExpression: aws.String("pk")}}}),
		on(dynamo.API.BatchGetItem, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*table: {}}}),
		on(dynamo.API.BatchGetItem, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			*table: {Keys: []map[string]types.AttributeValue{key("8"), key("8")}}}}),
		transact(token, putOne),
		transact(token, putOne),
		transact(token, types.TransactWriteItem{Delete: &types.Delete{TableName: table, Key: key("t")}}),
		transact(nil, types.TransactWriteItem{Update: &types.Update{TableName: table, Key: key("t"), UpdateExpression: aws.String("SET a = :a"), ExpressionAttributeValues: item{":a": n("1")}}},
			types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: table, Key: key("1"), ConditionExpression: aws.String("attribute_exists(pk)")}}),
		transact(nil, putOne, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: table, Key: key("1"), ConditionExpression: aws.String("attribute_not_exists(pk)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}}),
		transact(nil, putOne, putOne),
		transact(nil, types.TransactWriteItem{}),
		transact(nil, types.TransactWriteItem{Update: &types.Update{TableName: table, Key: key("t")}}),
		transact(nil, []types.TransactWriteItem{}...),
		on(dynamo.API.TransactGetItems, &dynamodb.TransactGetItemsInput{ReturnConsumedCapacity: indexes, TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: table, Key: key("1"), ProjectionExpression: aws.String("#l"), ExpressionAttributeNames: map[string]string{"#l": "list"}}},
			{Get: &types.Get{TableName: table, Key: key("none")}},
		}}),
		on(dynamo.API.TransactGetItems, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{}}}),
		on(dynamo.API.TransactGetItems, nil),
	})
}

func TestParityStatements(t *testing.T) {
	statement := func(text string, parameters ...types.AttributeValue) step {
		return on(dynamo.API.ExecuteStatement, &dynamodb.ExecuteStatementInput{Statement: &text, Parameters: parameters,
			ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes})
	}
	batch := func(list ...types.BatchStatementRequest) step {
		return on(dynamo.API.BatchExecuteStatement, &dynamodb.BatchExecuteStatementInput{Statements: list, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
	}
	transaction := func(list ...types.ParameterizedStatement) step {
		return on(dynamo.API.ExecuteTransaction, &dynamodb.ExecuteTransactionInput{TransactStatements: list, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
	}
	compare(t, []step{
		newTable(),
		statement(`INSERT INTO posts VALUE {'pk':'a','sk':?,'n':1}`, s("1")),
		statement(`INSERT INTO posts VALUE {'pk':'a','sk':?,'n':1}`, s("1")),
		statement(`INSERT INTO posts VALUE {'pk':'a','sk':'2','list':[1,{'x':true}]}`),
		statement(`SELECT * FROM posts WHERE pk = 'a'`),
		statement(`SELECT list[1].x FROM posts WHERE pk = ? AND sk > ?`, s("a"), s("1")),
		statement(`SELECT * FROM posts WHERE pk = 'nobody'`),
		statement(`SELECT * FROM posts WHERE pk = ?`, []types.AttributeValue{}...),
		statement(`SELECT * FROM posts WHERE pk = ?`, &types.AttributeValueMemberNS{Value: []string{}}),
		statement(`SELECT * FROM nothing`),
		statement(`nonsense`),
		statement(``),
		on(dynamo.API.ExecuteStatement, nil),
		statement(`UPDATE posts SET n = n + 1 WHERE pk = 'a' AND sk = '1' RETURNING ALL NEW *`),
		batch(types.BatchStatementRequest{Statement: aws.String(`SELECT * FROM posts WHERE pk = 'a' AND sk = '1'`), ConsistentRead: aws.Bool(true)},
			types.BatchStatementRequest{Statement: aws.String(`SELECT * FROM posts WHERE pk = 'a' AND sk = ?`), Parameters: []types.AttributeValue{s("9")}},
			types.BatchStatementRequest{Statement: aws.String(`SELECT * FROM nothing WHERE pk = 'a'`)}),
		batch(types.BatchStatementRequest{}),
		batch([]types.BatchStatementRequest{}...),
		transaction(types.ParameterizedStatement{Statement: aws.String(`SELECT * FROM posts WHERE pk = 'a' AND sk = '1'`)},
			types.ParameterizedStatement{Statement: aws.String(`SELECT * FROM posts WHERE pk = 'a' AND sk = '9'`)}),
		transaction(types.ParameterizedStatement{Statement: aws.String(`INSERT INTO posts VALUE {'pk':'a','sk':'3'}`)},
			types.ParameterizedStatement{Statement: aws.String(`INSERT INTO posts VALUE {'pk':'a','sk':'1'}`), ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}),
		transaction(types.ParameterizedStatement{Statement: aws.String(`DELETE FROM posts WHERE pk = 'a' AND sk = '2'`)}),
		on(dynamo.API.ExecuteTransaction, nil),
		statement(`DELETE FROM posts WHERE pk = 'a' AND sk = '1' RETURNING ALL OLD *`),
	})
}

func TestParityTables(t *testing.T) {
	arn := aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/posts")
	compare(t, []step{
		on(dynamo.API.ListTables, nil),
		newTable(),
		newTable(),
		on(dynamo.API.CreateTable, nil),
		on(dynamo.API.CreateTable, &dynamodb.CreateTableInput{TableName: aws.String("x"), AttributeDefinitions: []types.AttributeDefinition{}, KeySchema: []types.KeySchemaElement{}}),
		on(dynamo.API.DescribeTable, &dynamodb.DescribeTableInput{TableName: table}),
		on(dynamo.API.DescribeTable, &dynamodb.DescribeTableInput{TableName: aws.String("nothing")}),
		on(dynamo.API.UpdateTable, &dynamodb.UpdateTableInput{TableName: table, DeletionProtectionEnabled: aws.Bool(true)}),
		on(dynamo.API.DeleteTable, &dynamodb.DeleteTableInput{TableName: table}),
		on(dynamo.API.UpdateTable, &dynamodb.UpdateTableInput{TableName: table, DeletionProtectionEnabled: aws.Bool(false)}),
		on(dynamo.API.ListTables, &dynamodb.ListTablesInput{Limit: aws.Int32(1)}),
		on(dynamo.API.ListTables, &dynamodb.ListTablesInput{Limit: aws.Int32(101)}),
		on(dynamo.API.UpdateTimeToLive, &dynamodb.UpdateTimeToLiveInput{TableName: table,
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(true)}}),
		on(dynamo.API.DescribeTimeToLive, &dynamodb.DescribeTimeToLiveInput{TableName: table}),
		on(dynamo.API.TagResource, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: []types.Tag{{Key: aws.String("a"), Value: aws.String("b")}}}),
		on(dynamo.API.TagResource, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: []types.Tag{{}}}),
		on(dynamo.API.UntagResource, &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"desk"}}),
		on(dynamo.API.ListTagsOfResource, &dynamodb.ListTagsOfResourceInput{ResourceArn: arn}),
		on(dynamo.API.DescribeLimits, nil),
		on(dynamo.API.DeleteTable, &dynamodb.DeleteTableInput{TableName: table}),
		on(dynamo.API.DeleteTable, &dynamodb.DeleteTableInput{TableName: table}),
	})
}

func TestParityBackups(t *testing.T) {
	fromBackup := func(f func(context.Context, *side) (any, error)) step { return step{"backup", f} }
	compare(t, []step{
		newTable(),
		on(dynamo.API.PutItem, &dynamodb.PutItemInput{TableName: table, Item: everyKind("a", "1")}),
		on(dynamo.API.UpdateContinuousBackups, &dynamodb.UpdateContinuousBackupsInput{TableName: table,
			PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)}}),
		on(dynamo.API.DescribeContinuousBackups, &dynamodb.DescribeContinuousBackupsInput{TableName: table}),
		on(dynamo.API.DescribeContinuousBackups, &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String("nothing")}),
		fromBackup(func(ctx context.Context, s *side) (any, error) {
			out, err := s.api.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: table, BackupName: aws.String("first")})
			if err == nil {
				s.backup = out.BackupDetails.BackupArn
			}
			return out, err
		}),
		fromBackup(func(ctx context.Context, s *side) (any, error) {
			return s.api.DescribeBackup(ctx, &dynamodb.DescribeBackupInput{BackupArn: s.backup})
		}),
		on(dynamo.API.ListBackups, nil),
		fromBackup(func(ctx context.Context, s *side) (any, error) {
			return s.api.RestoreTableFromBackup(ctx, &dynamodb.RestoreTableFromBackupInput{BackupArn: s.backup, TargetTableName: aws.String("copy")})
		}),
		on(dynamo.API.RestoreTableToPointInTime, &dynamodb.RestoreTableToPointInTimeInput{SourceTableName: table, TargetTableName: aws.String("past"), UseLatestRestorableTime: aws.Bool(true)}),
		on(dynamo.API.RestoreTableToPointInTime, &dynamodb.RestoreTableToPointInTimeInput{SourceTableName: table, TargetTableName: aws.String("past"), RestoreDateTime: aws.Time(time.Unix(1, 0))}),
		fromBackup(func(ctx context.Context, s *side) (any, error) {
			for {
				out, err := s.api.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: s.backup})
				if busy := new(types.BackupInUseException); !errors.As(err, &busy) {
					return out, err
				}
				time.Sleep(time.Millisecond) // until the table is restored
			}
		}),
		on(dynamo.API.DescribeBackup, &dynamodb.DescribeBackupInput{BackupArn: aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/posts/backup/01489602797149-73d8d5bc")}),
	}, "ItemCount", "TableSizeBytes", "IndexSizeBytes", "TableStatus", "IndexStatus") // a restore goes on behind the answer
}

func TestParityStreams(t *testing.T) {
	with := func(name string, f func(context.Context, *side) (any, error)) step { return step{name, f} }
	compare(t, []step{
		newTable(),
		on(dynamo.API.PutItem, &dynamodb.PutItemInput{TableName: table, Item: everyKind("a", "1")}),
		on(dynamo.API.DeleteItem, &dynamodb.DeleteItemInput{TableName: table, Key: item{"pk": s("a"), "sk": s("1")}}),
		with("ListStreams", func(ctx context.Context, s *side) (any, error) {
			out, err := s.streams.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: table})
			if err == nil && len(out.Streams) > 0 {
				s.stream = out.Streams[0].StreamArn
			}
			return out, err
		}),
		with("DescribeStream", func(ctx context.Context, s *side) (any, error) {
			out, err := s.streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: s.stream})
			if err == nil {
				s.shard = out.StreamDescription.Shards[0].ShardId
			}
			return out, err
		}),
		with("DescribeStream", func(ctx context.Context, s *side) (any, error) { return s.streams.DescribeStream(ctx, nil) }),
		with("GetShardIterator", func(ctx context.Context, s *side) (any, error) {
			out, err := s.streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
				StreamArn: s.stream, ShardId: s.shard, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon})
			if err == nil {
				s.iterator = out.ShardIterator
			}
			return out, err
		}),
		with("GetRecords", func(ctx context.Context, s *side) (any, error) {
			out, err := s.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: s.iterator})
			if err == nil && len(out.Records) != 2 {
				return nil, fmt.Errorf("%d records, want 2", len(out.Records))
			}
			return out, err
		}),
		with("GetRecords", func(ctx context.Context, s *side) (any, error) {
			return s.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: aws.String("nonsense")})
		}),
	})
}
