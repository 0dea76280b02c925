package wire_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pressroom/dynamo"
	"pressroom/dynamo/wire"
)

// FuzzRequest sends arbitrary bodies to every operation. Nothing that a client
// can send is the server's fault: no panic, no 5xx, and an answer that is JSON.
func FuzzRequest(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed[0], seed[1])
	}
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	h := wire.New(db, &wire.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	send := func(target, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Host, r.RemoteAddr = "127.0.0.1", "127.0.0.1:1"
		r.Header.Set("Content-Type", "application/x-amz-json-1.0")
		r.Header.Set("X-Amz-Target", target)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	send("DynamoDB_20120810.CreateTable", fuzzTable)
	f.Fuzz(func(t *testing.T, operation, body string) {
		target := "DynamoDB_20120810." + operation
		switch operation {
		case "ListStreams", "DescribeStream", "GetShardIterator", "GetRecords":
			target = "DynamoDBStreams_20120810." + operation
		}
		w := send(target, body)
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Fatalf("%s %q: status %d %s", operation, body, w.Code, w.Body)
		}
		if w.Body.Len() > 0 && !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%s %q: the answer is not JSON: %q", operation, body, w.Body)
		}
		// Keep the table there, and the store small.
		switch {
		case operation == "DeleteTable":
			send("DynamoDB_20120810.CreateTable", fuzzTable)
		case w.Code == http.StatusOK && (operation == "CreateTable" || strings.HasPrefix(operation, "RestoreTable")):
			forgetOthers(send)
		}
	})
}

func forgetOthers(send func(target, body string) *httptest.ResponseRecorder) {
	var list struct{ TableNames []string }
	if json.Unmarshal(send("DynamoDB_20120810.ListTables", "{}").Body.Bytes(), &list) != nil {
		return
	}
	for _, name := range list.TableNames {
		if name != "fuzz" {
			send("DynamoDB_20120810.DeleteTable", `{"TableName":"`+name+`"}`)
		}
	}
}

const fuzzTable = `{"TableName":"fuzz","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"},{"AttributeName":"b","AttributeType":"N"}],` +
	`"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},` +
	`"GlobalSecondaryIndexes":[{"IndexName":"byB","KeySchema":[{"AttributeName":"b","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}]}`

var seeds = [][2]string{
	{"CreateTable", fuzzTable},
	{"PutItem", `{"TableName":"fuzz","Item":{"a":{"S":"x"},"b":{"N":"1"},"c":{"L":[{"M":{"k":{"SS":["p","q"]}}},{"NULL":true},{"BS":["AAE="]}]}},"ReturnConsumedCapacity":"INDEXES","ReturnValues":"ALL_OLD"}`},
	{"PutItem", `{"TableName":"fuzz","Item":{"a":{"S":"x"}},"Expected":{"a":{"Exists":false}},"ConditionalOperator":"AND"}`},
	{"PutItem", `{"TableName":"fuzz","Item":{"a":{"S":"x"}},"ConditionExpression":"attribute_not_exists(#a) OR #a = :v","ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeValues":{":v":{"S":"x"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}`},
	{"GetItem", `{"TableName":"fuzz","Key":{"a":{"S":"x"}},"ProjectionExpression":"c[0].k, b","ConsistentRead":true}`},
	{"UpdateItem", `{"TableName":"fuzz","Key":{"a":{"S":"x"}},"UpdateExpression":"SET n = if_not_exists(n, :z) + :z, c[1] = list_append(c, :l) REMOVE d ADD e :s","ExpressionAttributeValues":{":z":{"N":"1"},":l":{"L":[]},":s":{"NS":["1"]}},"ReturnValues":"UPDATED_NEW"}`},
	{"UpdateItem", `{"TableName":"fuzz","Key":{"a":{"S":"x"}},"AttributeUpdates":{"n":{"Action":"ADD","Value":{"N":"1"}}}}`},
	{"DeleteItem", `{"TableName":"fuzz","Key":{"a":{"S":"x"}},"ReturnValues":"ALL_OLD"}`},
	{"Query", `{"TableName":"fuzz","KeyConditionExpression":"a = :a","FilterExpression":"size(c) > :n AND NOT contains(c, :a)","ExpressionAttributeValues":{":a":{"S":"x"},":n":{"N":"0"}},"Limit":1,"ScanIndexForward":false}`},
	{"Query", `{"TableName":"fuzz","IndexName":"byB","KeyConditions":{"b":{"ComparisonOperator":"EQ","AttributeValueList":[{"N":"1"}]}},"ExclusiveStartKey":{"a":{"S":"x"},"b":{"N":"1"}}}`},
	{"Scan", `{"TableName":"fuzz","Segment":0,"TotalSegments":2,"ScanFilter":{"b":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"0"},{"N":"9"}]}},"Select":"COUNT"}`},
	{"BatchGetItem", `{"RequestItems":{"fuzz":{"Keys":[{"a":{"S":"x"}},{"a":{"S":"y"}}],"AttributesToGet":["b"]}},"ReturnConsumedCapacity":"TOTAL"}`},
	{"BatchWriteItem", `{"RequestItems":{"fuzz":[{"PutRequest":{"Item":{"a":{"S":"y"}}}},{"DeleteRequest":{"Key":{"a":{"S":"x"}}}}]}}`},
	{"TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"fuzz","Item":{"a":{"S":"z"}}}},{"ConditionCheck":{"TableName":"fuzz","Key":{"a":{"S":"x"}},"ConditionExpression":"attribute_exists(a)"}}],"ClientRequestToken":"t"}`},
	{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"fuzz","Key":{"a":{"S":"x"}}}}]}`},
	{"ExecuteStatement", `{"Statement":"SELECT a, c[0].k FROM \"fuzz\".\"byB\" WHERE b = ? AND begins_with(a, 'x')","Parameters":[{"N":"1"}],"Limit":3}`},
	{"ExecuteStatement", `{"Statement":"INSERT INTO fuzz VALUE {'a':'q','b':1,'s':<<1,2>>}"}`},
	{"ExecuteStatement", `{"Statement":"UPDATE fuzz SET n = n + 1 REMOVE c WHERE a = 'x' RETURNING ALL NEW *"}`},
	{"BatchExecuteStatement", `{"Statements":[{"Statement":"SELECT * FROM fuzz WHERE a = ?","Parameters":[{"S":"x"}]}]}`},
	{"ExecuteTransaction", `{"TransactStatements":[{"Statement":"DELETE FROM fuzz WHERE a = 'x'"}]}`},
	{"DescribeTable", `{"TableName":"fuzz"}`},
	{"UpdateTable", `{"TableName":"fuzz","AttributeDefinitions":[{"AttributeName":"c","AttributeType":"B"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"byC","KeySchema":[{"AttributeName":"c","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["b"]}}}]}`},
	{"UpdateTable", `{"TableName":"fuzz","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byB"}}],"StreamSpecification":{"StreamEnabled":false}}`},
	{"DeleteTable", `{"TableName":"fuzz"}`},
	{"ListTables", `{"Limit":1,"ExclusiveStartTableName":"aaa"}`},
	{"UpdateTimeToLive", `{"TableName":"fuzz","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}`},
	{"DescribeTimeToLive", `{"TableName":"fuzz"}`},
	{"TagResource", `{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/fuzz","Tags":[{"Key":"k","Value":"v"}]}`},
	{"UntagResource", `{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/fuzz","TagKeys":["k"]}`},
	{"ListTagsOfResource", `{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/fuzz"}`},
	{"DescribeLimits", `{}`},
	{"DescribeEndpoints", `{}`},
	{"UpdateContinuousBackups", `{"TableName":"fuzz","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":7}}`},
	{"DescribeContinuousBackups", `{"TableName":"fuzz"}`},
	{"CreateBackup", `{"TableName":"fuzz","BackupName":"first"}`},
	{"ListBackups", `{"TimeRangeLowerBound":1700000000.5,"Limit":3}`},
	{"DescribeBackup", `{"BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/fuzz/backup/01489602797149-73d8d5bc"}`},
	{"DeleteBackup", `{"BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/fuzz/backup/01489602797149-73d8d5bc"}`},
	{"RestoreTableFromBackup", `{"TargetTableName":"copy","BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/fuzz/backup/01489602797149-73d8d5bc"}`},
	{"RestoreTableToPointInTime", `{"SourceTableName":"fuzz","TargetTableName":"past","RestoreDateTime":1700000000}`},
	{"ListStreams", `{"TableName":"fuzz"}`},
	{"DescribeStream", `{"StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/fuzz/stream/2026-11-15T09:30:00.000"}`},
	{"GetShardIterator", `{"StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/fuzz/stream/2026-11-15T09:30:00.000","ShardId":"shardId-00000000000000000000-00000000","ShardIteratorType":"TRIM_HORIZON"}`},
	{"GetRecords", `{"ShardIterator":"x","Limit":1000}`},
	{"ImportTable", `{}`},
	{"NoSuchThing", `[]`},
}
