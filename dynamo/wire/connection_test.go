package wire_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo/wire"
)

const (
	unknownPage      = "<UnknownOperationException/>\n"
	notJSON          = `{"__type":"com.amazon.coral.service#SerializationException"}`
	unknownOperation = `{"__type":"com.amazon.coral.service#UnknownOperationException"}`
)

func TestConnections(t *testing.T) {
	e := serve(t, nil)
	const json10, plain = "application/x-amz-json-1.0", "application/json"
	const listTables = "DynamoDB_20120810.ListTables"
	tests := []struct {
		name, method, body, media, target string
		status                            int
		want, wantMedia                   string
	}{
		{"health", "GET", "", "", "", 200, "healthy: dynamodb.us-east-1.amazonaws.com ", ""},
		{"put", "PUT", "", "", "", 404, unknownPage, ""},
		{"delete", "DELETE", "", "", "", 404, unknownPage, ""},
		{"options without origin", "OPTIONS", "", "", "", 404, unknownPage, ""},
		{"body without type", "POST", "hi", "", "", 404, unknownPage, ""},
		{"body of another type", "POST", "hi", "whatever", "", 404, unknownPage, ""},
		{"body of nearly the type", "POST", "hi", "application/jsonasdf", "", 404, unknownPage, ""},
		{"body of the newer type", "POST", "hi", "application/x-amz-json-1.1", "", 404, unknownPage, ""},
		{"not JSON", "POST", "hi", json10, "", 400, notJSON, json10},
		{"not JSON, plain", "POST", "hi", plain, "", 400, notJSON, plain},
		{"not JSON, plain with parameters", "POST", "hi", "  application/json  ;   asfd", "", 400, notJSON, plain},
		{"not JSON, with parameters", "POST", "hi", "application/x-amz-json-1.0;blahblah", "", 400, notJSON, json10},
		{"not JSON, known operation", "POST", "hi", json10, listTables, 400, notJSON, json10},
		{"more than JSON", "POST", "{} {}", json10, listTables, 400, notJSON, json10},
		{"no body, known operation", "POST", "", json10, listTables, 400, notJSON, json10},
		{"no target", "POST", "", "", "", 400, unknownOperation, plain},
		{"no target with body", "POST", "{}", json10, "", 400, unknownOperation, json10},
		{"another target", "POST", "{}", json10, "whatever", 400, unknownOperation, json10},
		{"another operation", "POST", "{}", json10, "DynamoDB_20120810.ListTable", 400, unknownOperation, json10},
		{"another version", "POST", "{}", json10, "DynamoDB_20111205.ListTables", 400, unknownOperation, json10},
		{"served", "POST", "{}", json10, listTables, 200, `{"TableNames":[]}`, json10},
		{"served, plain", "POST", "{}", plain, listTables, 200, `{"TableNames":[]}`, plain},
		{"served, newer type", "POST", "{}", "application/x-amz-json-1.1", listTables, 200, `{"TableNames":[]}`, "application/x-amz-json-1.1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := http.Header{}
			if tt.media != "" {
				header.Set("Content-Type", tt.media)
			}
			if tt.target != "" {
				header.Set("X-Amz-Target", tt.target)
			}
			e := *e
			e.t = t
			got := e.do(tt.method, "/", tt.body, header)
			if got.status != tt.status || got.body != tt.want {
				t.Errorf("got %d %q, want %d %q", got.status, got.body, tt.status, tt.want)
			}
			if media := got.header.Get("Content-Type"); media != tt.wantMedia {
				t.Errorf("Content-Type is %q, want %q", media, tt.wantMedia)
			}
		})
	}
}

func TestLargeRequests(t *testing.T) {
	e := serve(t, nil)
	fits := strings.Repeat("a", 16<<20)
	if got := e.do("POST", "/", fits, nil); got.status != 404 {
		t.Errorf("16 MB: status %d, want 404", got.status)
	}
	if got := e.do("POST", "/", fits+"a", nil); got.status != 413 || got.body != "" {
		t.Errorf("16 MB and a byte: got %d %q, want 413 and nothing", got.status, got.body)
	}
}

// nobody are credentials that no caller has.
var nobody = &wire.Options{Credentials: func(string) (string, bool) { return "", false }}

func TestCrossOrigin(t *testing.T) {
	e := serve(t, nobody)
	got := e.do("OPTIONS", "/", "", http.Header{
		"Origin":                         {"https://example.org"},
		"Access-Control-Request-Headers": {"a, b, c"},
		"Access-Control-Request-Method":  {"POST"},
	})
	want := map[string]string{
		"Access-Control-Allow-Origin":  "*",
		"Access-Control-Allow-Headers": "a, b, c",
		"Access-Control-Allow-Methods": "POST",
		"Access-Control-Max-Age":       "172800",
		"Content-Length":               "0",
	}
	for name, value := range want {
		if got.header.Get(name) != value {
			t.Errorf("%s is %q, want %q", name, got.header.Get(name), value)
		}
	}
	if got.status != 200 || got.body != "" {
		t.Errorf("got %d %q", got.status, got.body)
	}
	got = e.do("POST", "/", "", http.Header{"Origin": {"whatever"}})
	if got.header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(got.body, "MissingAuthenticationToken") {
		t.Errorf("got %v %q", got.header, got.body)
	}
}

// TestPages holds that no web page can use an endpoint that asks for no
// credentials, wherever it is from, and that the lane does not let it pass.
func TestPages(t *testing.T) {
	e := serve(t, nil)
	listTables := func(method, host string, extra http.Header) reply {
		req, err := http.NewRequest(method, e.url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header = http.Header{
			"X-Amz-Target": {"DynamoDB_20120810.ListTables"}, "Content-Type": {"application/x-amz-json-1.0"}, "Accept-Encoding": {"identity"},
		}
		maps.Copy(req.Header, extra)
		return e.send(req)
	}
	if got := listTables("POST", "", nil); got.status != 200 {
		t.Fatalf("a program: %d %s", got.status, got.body)
	}
	for _, extra := range []http.Header{
		{"Origin": {"https://example.org"}},
		{"Origin": {"http://localhost:5173"}},
		{"Origin": {"null"}},
		{"Sec-Fetch-Site": {"cross-site"}},
		{"Sec-Fetch-Site": {"same-origin"}},
		{"Sec-Fetch-Site": {"none"}},
		{"Access-Control-Request-Private-Network": {"true"}},
	} {
		for _, method := range []string{"POST", "OPTIONS"} {
			got := listTables(method, "", extra)
			if got.status != 403 || !strings.Contains(got.body, "AccessDeniedException") || !strings.Contains(got.body, "--aws-access-key-id") {
				t.Errorf("%s with %v: %d %s", method, extra, got.status, got.body)
			}
			if got.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s with %v: %v", method, extra, got.header)
			}
		}
	}
	if got := listTables("POST", "example.org", nil); got.status != 403 {
		t.Errorf("a foreign host: %d %s", got.status, got.body)
	}
	if got := listTables("POST", "localhost.localstack.cloud:4566", nil); got.status != 200 {
		t.Errorf("a host for programs of LocalStack: %d %s", got.status, got.body)
	}
}

func TestSignatureForm(t *testing.T) {
	e := serve(t, &wire.Options{Signed: true})
	const missing = `{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException","message":"Request is missing Authentication Token"}`
	incomplete := func(message string) string {
		return `{"__type":"com.amazon.coral.service#IncompleteSignatureException","message":"` + message + `"}`
	}
	tests := []struct {
		name, path, authorization, date string
		want                            string
	}{
		{"none", "/", "", "", missing},
		{"another scheme", "/", "AWS4", "", missing},
		{"another scheme and a query", "/?X-Amz-Algorith", "X", "", missing},
		{"query without algorithm", "/?X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d", "", "", missing},
		{"both", "/?X-Amz-Algorithm", "X", "", `{"__type":"com.amazon.coral.service#InvalidSignatureException","message":"Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."}`},
		{"only a scheme", "/", "AWS4-", "", incomplete("Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. " +
			"Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-")},
		{"no signed headers", "/", "AWS4- Signature=b, Credential=a", "a",
			incomplete("Authorization header requires 'SignedHeaders' parameter. Authorization=AWS4- Signature=b, Credential=a")},
		{"empty query", "/?X-Amz-Algorithm", "", "", incomplete("AWS query-string parameters must include 'X-Amz-Algorithm'. AWS query-string parameters must include 'X-Amz-Credential'. " +
			"AWS query-string parameters must include 'X-Amz-Signature'. AWS query-string parameters must include 'X-Amz-SignedHeaders'. " +
			"AWS query-string parameters must include 'X-Amz-Date'. Re-examine the query-string parameters.")},
		{"query without signed headers", "/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d", "", "",
			incomplete("AWS query-string parameters must include 'X-Amz-SignedHeaders'. Re-examine the query-string parameters.")},
		{"well-formed", "/", "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c", "a", `{"TableNames":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := http.Header{"X-Amz-Target": {"DynamoDB_20120810.ListTables"}, "Content-Type": {"application/x-amz-json-1.0"}}
			if tt.authorization != "" {
				header.Set("Authorization", tt.authorization)
			}
			if tt.date != "" {
				header.Set("Date", tt.date)
			}
			e := *e
			e.t = t
			got := e.do("POST", tt.path, "{}", header)
			if diff := cmp.Diff(tt.want, got.body); diff != "" {
				t.Error(diff)
			}
			header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
			if got := e.do("POST", tt.path, "hi", header); got.body != notJSON {
				t.Errorf("not JSON: got %q", got.body)
			}
		})
	}
}
