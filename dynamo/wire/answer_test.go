package wire_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const fullTable = `{"TableName":"posts","BillingMode":"PAY_PER_REQUEST",` +
	`"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}],` +
	`"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],` +
	`"LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],` +
	`"GlobalSecondaryIndexes":[{"IndexName":"global","KeySchema":[{"AttributeName":"sk","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}`

// TestAnswers compares whole answers, in the order in which a client would
// get them.
func TestAnswers(t *testing.T) {
	e := serve(t, nil)
	e.must("CreateTable", fullTable, nil)
	const itemA = `{"pk":{"S":"a"},"sk":{"S":"1"},"n":{"N":"1"},"x":{"M":{"l":{"L":[{"NULL":true},{"B":"AAEC"}]}}}}`
	tests := []struct{ operation, body, want string }{
		{"PutItem", `{"TableName":"posts","Item":` + itemA + `}`, `{}`},
		{"PutItem", `{"TableName":"posts","Item":` + itemA + `,"ReturnValues":"ALL_OLD","ReturnConsumedCapacity":"TOTAL","ReturnItemCollectionMetrics":"SIZE"}`,
			`{"Attributes":` + itemA + `,"ConsumedCapacity":{"TableName":"posts","CapacityUnits":1},"ItemCollectionMetrics":{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[0,1]}}`},
		{"PutItem", `{"TableName":"posts","Item":{"pk":{"S":"a"},"sk":{"S":"2"},"n":{"N":"2"}},"ReturnConsumedCapacity":"INDEXES"}`,
			`{"ConsumedCapacity":{"TableName":"posts","CapacityUnits":3,"Table":{"CapacityUnits":1},"LocalSecondaryIndexes":{"local":{"CapacityUnits":1}},"GlobalSecondaryIndexes":{"global":{"CapacityUnits":1}}}}`},
		{"GetItem", `{"TableName":"posts","Key":{"pk":{"S":"a"},"sk":{"S":"1"}},"ReturnConsumedCapacity":"TOTAL"}`,
			`{"Item":` + itemA + `,"ConsumedCapacity":{"TableName":"posts","CapacityUnits":0.5}}`},
		{"GetItem", `{"TableName":"posts","Key":{"pk":{"S":"a"},"sk":{"S":"9"}}}`, `{}`},
		{"Query", `{"TableName":"posts","KeyConditionExpression":"pk = :a","ExpressionAttributeValues":{":a":{"S":"a"}},"ProjectionExpression":"n","Limit":1}`,
			`{"Items":[{"n":{"N":"1"}}],"Count":1,"ScannedCount":1,"LastEvaluatedKey":{"pk":{"S":"a"},"sk":{"S":"1"}}}`},
		{"Query", `{"TableName":"posts","KeyConditionExpression":"pk = :a","ExpressionAttributeValues":{":a":{"S":"b"}}}`, `{"Items":[],"Count":0,"ScannedCount":0}`},
		{"Query", `{"TableName":"posts","KeyConditionExpression":"pk = :a","ExpressionAttributeValues":{":a":{"S":"a"}},"Select":"COUNT"}`, `{"Count":2,"ScannedCount":2}`},
		{"Scan", `{"TableName":"posts","ProjectionExpression":"sk","ReturnConsumedCapacity":"INDEXES"}`,
			`{"Items":[{"sk":{"S":"1"}},{"sk":{"S":"2"}}],"Count":2,"ScannedCount":2,"ConsumedCapacity":{"TableName":"posts","CapacityUnits":0.5,"Table":{"CapacityUnits":0.5}}}`},
		{"BatchGetItem", `{"RequestItems":{"posts":{"Keys":[{"pk":{"S":"a"},"sk":{"S":"2"}},{"pk":{"S":"a"},"sk":{"S":"8"}}]}}}`,
			`{"Responses":{"posts":[{"pk":{"S":"a"},"sk":{"S":"2"},"n":{"N":"2"}}]},"UnprocessedKeys":{}}`},
		{"BatchGetItem", `{"RequestItems":{"posts":{"Keys":[{"pk":{"S":"a"},"sk":{"S":"8"}}]}},"ReturnConsumedCapacity":"TOTAL"}`,
			`{"Responses":{"posts":[]},"UnprocessedKeys":{},"ConsumedCapacity":[{"TableName":"posts","CapacityUnits":0.5}]}`},
		{"BatchWriteItem", `{"RequestItems":{"posts":[{"PutRequest":{"Item":{"pk":{"S":"c"},"sk":{"S":"1"}}}}]},"ReturnItemCollectionMetrics":"SIZE"}`,
			`{"UnprocessedItems":{},"ItemCollectionMetrics":{"posts":[{"ItemCollectionKey":{"pk":{"S":"c"}},"SizeEstimateRangeGB":[0,1]}]}}`},
		{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"posts","Key":{"pk":{"S":"c"},"sk":{"S":"1"}}}},{"Get":{"TableName":"posts","Key":{"pk":{"S":"c"},"sk":{"S":"2"}}}}],"ReturnConsumedCapacity":"TOTAL"}`,
			`{"Responses":[{"Item":{"pk":{"S":"c"},"sk":{"S":"1"}}},{}],"ConsumedCapacity":[{"TableName":"posts","CapacityUnits":4,"ReadCapacityUnits":4}]}`},
		{"TransactWriteItems", `{"TransactItems":[{"Delete":{"TableName":"posts","Key":{"pk":{"S":"c"},"sk":{"S":"1"}}}}]}`, `{}`},
		// What only the writes alone know is not looked at.
		{"TransactWriteItems", `{"TransactItems":[{"Update":{"TableName":"posts","Key":{"pk":{"S":"c"},"sk":{"S":"3"}},"UpdateExpression":"SET a = :a",` +
			`"ExpressionAttributeValues":{":a":{"S":"x"}},"AttributeUpdates":23,"Expected":{"a":{"Exists":true}},"ReturnValues":"any"}},` +
			`{"Delete":{"TableName":"posts","Key":{"pk":{"S":"c"},"sk":{"S":"4"}},"ConditionalOperator":"any"}}]}`, `{}`},
		{"TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"posts","Item":{"pk":{"S":"d"},"sk":{"S":"1"}}}},` +
			`{"ConditionCheck":{"TableName":"posts","Key":{"pk":{"S":"a"},"sk":{"S":"2"}},"ConditionExpression":"n > :n","ExpressionAttributeValues":{":n":{"N":"2"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}]}`,
			`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[{"Code":"None"},` +
				`{"Code":"ConditionalCheckFailed","Item":{"pk":{"S":"a"},"sk":{"S":"2"},"n":{"N":"2"}},"Message":"The conditional request failed"}],` +
				`"Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"}`},
		{"DeleteItem", `{"TableName":"posts","Key":{"pk":{"S":"a"},"sk":{"S":"2"}},"ConditionExpression":"n > :n","ExpressionAttributeValues":{":n":{"N":"2"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}`,
			`{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","Item":{"pk":{"S":"a"},"sk":{"S":"2"},"n":{"N":"2"}},"message":"The conditional request failed"}`},
		{"GetItem", `{"TableName":"nothing","Key":{"pk":{"S":"a"}}}`, `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}`},
		{"GetItem", `{"TableName":"posts","Key":{"pk":{"S":"a"}}}`, `{"__type":"com.amazon.coral.validate#ValidationException","message":"The provided key element does not match the schema"}`},
		{"TagResource", `{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/posts","Tags":[{"Key":"k","Value":"v"}]}`, ``},
		{"ListTagsOfResource", `{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/posts"}`, `{"Tags":[{"Key":"k","Value":"v"}]}`},
		{"ListTables", `{}`, `{"TableNames":["posts"]}`},
	}
	for _, tt := range tests {
		got := e.call(tt.operation, tt.body).body
		want := tt.want
		if got != "" && want != "" {
			got, want = compact(t, got), compact(t, want)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s:\n%s", tt.operation, tt.body, diff)
		}
	}
}

// TestGzip compresses both ways: the request as a client may, the answer as
// the client asks.
func TestGzip(t *testing.T) {
	e := serve(t, nil)
	e.must("CreateTable", simpleTable, nil)
	text := strings.Repeat("long ", 1000)
	header := func(target string) http.Header {
		return http.Header{
			"Content-Type": {"application/x-amz-json-1.0"}, "X-Amz-Target": {"DynamoDB_20120810." + target},
			"Accept-Encoding": {"gzip;q=1.0, deflate"},
		}
	}
	put := header("PutItem")
	put.Set("Content-Encoding", "gzip")
	if got := e.do("POST", "/", zip(t, `{"TableName":"posts","Item":{"pk":{"S":"a"},"text":{"S":"`+text+`"}}}`), put); got.status != 200 {
		t.Fatalf("put: %d %s", got.status, got.body)
	}
	whole := zip(t, `{"TableName":"posts","Item":{"pk":{"S":"b"}}}`)
	for _, body := range []string{"", "not gzip", whole[:len(whole)-1]} {
		if got := e.do("POST", "/", body, put); got.status != 500 {
			t.Errorf("a body that cannot be unpacked: %d %s", got.status, got.body)
		}
	}
	if got := e.do("POST", "/", zip(t, strings.Repeat(" ", 17<<20)+"{}"), put); got.status != 413 {
		t.Errorf("a body that is too large: %d %s", got.status, got.body)
	}
	put.Set("Content-Encoding", "garbage")
	if got := e.do("POST", "/", "{}", put); got.status != 500 {
		t.Errorf("an unknown encoding: %d %s", got.status, got.body)
	}
	put.Set("Content-Encoding", "deflate")
	if got := e.do("POST", "/", deflated(t, `{"TableName":"posts","Item":{"pk":{"S":"c"}}}`), put); got.status != 200 {
		t.Errorf("deflate: %d %s", got.status, got.body)
	}
	const key = `{"TableName":"posts","Key":{"pk":{"S":"a"}}}`
	got := e.do("POST", "/", key, header("GetItem"))
	if got.header.Get("Content-Encoding") != "gzip" || len(got.body) > 1000 {
		t.Fatalf("the answer has %d bytes and is encoded %q", len(got.body), got.header.Get("Content-Encoding"))
	}
	if got, want := unzip(t, got.body), `{"Item":{"pk":{"S":"a"},"text":{"S":"`+text+`"}}}`; got != want {
		t.Errorf("got %s", got)
	}
	for accepted, want := range map[string]string{
		"identity": "", "br": "", "x-gzip": "", `"gzip"`: "", "gzip br": "", "*;q=0": "", "gzip ;q=0": "", "br;q=0.8, *;q=0": "",
		"gzip, deflate": "gzip", "br, identity, deflate, gzip": "deflate", "GZIP, identity": "gzip", "dog, gzip ,, cat": "gzip",
		"gzip;q=0.5, deflate;q=0.8": "deflate", "gzip;q=0, deflate; q = 0.5": "deflate", "gzip;q=31,deflate;q=51": "gzip",
		"*": "gzip", "*, deflate": "deflate", "*, gzip;q=0.5": "deflate", "gzip;q=0.5,identity;q=0.8": "gzip",
		"deflate;q=0.5,gzip;q=0.x": "gzip", "deflate;q=-0.5,gzip;q=0.2": "gzip", "gzip;q=0, gzip;q=1": "gzip",
	} {
		h := header("GetItem")
		h["Accept-Encoding"] = []string{accepted, "gzip"} // the first counts
		if got := e.do("POST", "/", key, h); got.header.Get("Content-Encoding") != want {
			t.Errorf("%s: the answer is compressed by %q, want %q", accepted, got.header.Get("Content-Encoding"), want)
		}
	}
	e.must("PutItem", `{"TableName":"posts","Item":{"pk":{"S":"short"},"text":{"S":"`+text[:3900]+`"}}}`, nil)
	if got := e.do("POST", "/", `{"TableName":"posts","Key":{"pk":{"S":"short"}}}`, header("GetItem")); got.header.Get("Content-Encoding") != "" {
		t.Error("an answer of less than 4 KB is compressed")
	}
	if got := e.do("POST", "/", "{}", header("ListTables")); got.header.Get("Content-Encoding") != "" {
		t.Error("a short answer is compressed")
	}
}

// TestLargeHead refuses more than 16 KB ahead of the body.
func TestLargeHead(t *testing.T) {
	e := serve(t, nil)
	header := http.Header{"Content-Type": {"application/x-amz-json-1.0"}, "X-Amz-Target": {"DynamoDB_20120810.ListTables"}, "X-One": {strings.Repeat("x", 8000)}}
	if got := e.do("POST", "/", "{}", header); got.status != 200 {
		t.Errorf("8 KB: %d %s", got.status, got.body)
	}
	header.Set("X-Two", strings.Repeat("y", 8400))
	if got := e.do("POST", "/", "{}", header); got.status != 400 {
		t.Errorf("16 KB: %d %s", got.status, got.body)
	}
	header.Del("X-Two")
	if got := e.do("POST", "/"+strings.Repeat("x", 17000), "{}", header); got.status != 400 {
		t.Errorf("a long line: %d %s", got.status, got.body)
	}
}

func deflated(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func zip(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := fmt.Fprint(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func unzip(t *testing.T, text string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
