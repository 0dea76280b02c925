package dynamotest

import (
	"bytes"
	"compress/gzip"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
)

var httpCases = []testCase{
	{"every answer has a request id and a checksum", []string{"http"}, answerHeaders},
	{"a body that is no JSON is refused", []string{"http"}, brokenBodies},
	{"a request may be compressed", []string{"embedded", "http"}, compressedBody},
	{"an answer is compressed on request", []string{"embedded", "http"}, compressedAnswer},
	{"nothing that is sent gets a 500", []string{"http"}, noServerFault},
	{"the endpoint is the address that was called", []string{"embedded", "http"}, ownAddress},
}

// answer reads a whole answer.
func (s *suite) answer(operation string, header http.Header, body string) (*http.Response, []byte) {
	s.T.Helper()
	resp, err := s.Post(targetOf(operation), header, []byte(body))
	if err != nil {
		s.T.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return resp, text
}

func answerHeaders(s *suite) {
	identity := http.Header{"Accept-Encoding": {"identity"}}
	for body, status := range map[string]int{
		`{"TableName": "` + s.real("Items") + `", "Key": {"id": {"S": "none"}}}`: http.StatusOK,
		`{"TableName": "absent", "Key": {"id": {"S": "none"}}}`:                  http.StatusBadRequest,
	} {
		resp, text := s.answer("GetItem", identity, body)
		s.equal("status", resp.StatusCode, status)
		s.equal("content type", resp.Header.Get("Content-Type"), "application/x-amz-json-1.0")
		s.equal("checksum", resp.Header.Get("X-Amz-Crc32"), strconv.FormatUint(uint64(crc32.ChecksumIEEE(text)), 10))
		if id := resp.Header.Get("X-Amzn-Requestid"); len(id) < 36 {
			s.T.Errorf("request id %q", id)
		}
	}
}

func brokenBodies(s *suite) {
	for _, body := range []string{"", "{", "nonsense", `{"TableName": }`, `[]`, `{"TableName": "x"} {}`, "\xff\xfe", `"text"`} {
		resp, text := s.answer("GetItem", nil, body)
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "SerializationException") {
			s.T.Errorf("%q: %d %s", body, resp.StatusCode, text)
		}
	}
}

func compressedBody(s *suite) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = io.WriteString(w, `{"TableName": "`+s.real("Items")+`", "Item": {"id": {"S": "zipped"}}}`)
	_ = w.Close()
	resp, text := s.answer("PutItem", http.Header{"Content-Encoding": {"gzip"}}, z.String())
	if resp.StatusCode != http.StatusOK {
		s.T.Errorf("%d %s", resp.StatusCode, text)
	}
	s.accept("DeleteItem", `{Key: {id: "zipped"}, ConditionExpression: "attribute_exists(id)"}`)
}

func compressedAnswer(s *suite) {
	s.accept("PutItem", `{Item: {id: "large", x: "x"*20000}}`)
	resp, sent := s.answer("GetItem", http.Header{"Accept-Encoding": {"gzip"}}, `{"TableName": "`+s.real("Items")+`", "Key": {"id": {"S": "large"}}}`)
	s.equal("encoding", resp.Header.Get("Content-Encoding"), "gzip")
	s.equal("checksum", resp.Header.Get("X-Amz-Crc32"), strconv.FormatUint(uint64(crc32.ChecksumIEEE(sent)), 10))
	z, err := gzip.NewReader(bytes.NewReader(sent))
	if err != nil {
		s.T.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || len(text) < 20000 {
		s.T.Errorf("%d bytes, %v", len(text), err)
	}
}

// noServerFault sends rubbish of many shapes to every operation.
func noServerFault(s *suite) {
	name := s.real("Items")
	bodies := []string{
		`{}`, `{"TableName": "` + name + `"}`, `{"TableName": null, "Key": null}`,
		`{"TableName": "` + name + `", "Key": {"id": {"L": [{"M": {"": {"S": ""}}}]}}}`,
		`{"RequestItems": {"` + name + `": null}}`, `{"RequestItems": {"` + name + `": [null]}}`, `{"RequestItems": {"": {}}}`,
		`{"TransactItems": [null]}`, `{"TransactItems": [{"Put": null}]}`, `{"TransactItems": [{"Get": {}}]}`,
		`{"Statements": [{}]}`, `{"Statement": "'"}`, `{"Statement": "SELECT", "Parameters": [{}]}`,
		`{"TableName": "` + name + `", "KeyConditions": {"": null}}`, `{"TableName": "` + name + `", "ExclusiveStartKey": {}}`,
		`{"ResourceArn": ""}`, `{"ShardIterator": "|1|"}`, `{"StreamArn": "` + strings.Repeat("x", 40) + `"}`, `{"Limit": 99999999999999999999}`,
		`{"Segment": -1, "TotalSegments": 0, "TableName": "` + name + `"}`, `{"NextToken": "AAAA", "Statement": "SELECT * FROM \"` + name + `\""}`,
	}
	for _, operation := range operations {
		for _, body := range bodies {
			if resp, text := s.answer(operation, nil, body); resp.StatusCode >= http.StatusInternalServerError {
				s.T.Errorf("%s %s: %d %s", operation, body, resp.StatusCode, text)
			}
		}
	}
}

// operations are those that an endpoint without the cloud has.
var operations = []string{
	"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems",
	"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction", "CreateTable", "DescribeTable", "UpdateTable", "ListTables",
	"UpdateTimeToLive", "DescribeTimeToLive", "TagResource", "UntagResource", "ListTagsOfResource", "DescribeLimits", "DescribeEndpoints",
	"CreateBackup", "DescribeBackup", "ListBackups", "DeleteBackup", "RestoreTableFromBackup", "UpdateContinuousBackups", "DescribeContinuousBackups", "RestoreTableToPointInTime",
	"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords",
}

func ownAddress(s *suite) {
	resp, text := s.answer("DescribeEndpoints", nil, `{}`)
	if want := `{"Endpoints":[{"Address":"` + resp.Request.URL.Host + `","CachePeriodInMinutes":1440}]}`; string(text) != want {
		s.T.Errorf("got %s, want %s", text, want)
	}
}
