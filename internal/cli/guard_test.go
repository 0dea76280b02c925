package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// guard stands in front of a store and lets callers do what the roles of the
// CloudFormation template allow, as IAM would: whose access key is called after a
// duty has that duty's role. Others may do everything.
type guard struct {
	next    http.Handler
	allowed map[string][]allowance // by access key
	erasing atomic.Bool            // whoever erases may scan

	mu      sync.Mutex
	refused []string
}

// allowance is a statement of a policy.
type allowance struct {
	actions   []string
	resources []string // table/NAME, table/NAME/index/NAME, bucket/NAME/raw/*
}

// guarded returns the address of a guard in front of the store at that address.
// The test fails if anything was refused.
func guarded(t *testing.T, store string) (string, *guard) {
	t.Helper()
	to, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	g := &guard{next: httputil.NewSingleHostReverseProxy(to), allowed: policies(t)}
	server := httptest.NewServer(g)
	t.Cleanup(func() {
		server.Close()
		g.mu.Lock()
		defer g.mu.Unlock()
		slices.Sort(g.refused)
		for _, what := range slices.Compact(g.refused) {
			t.Errorf("not in its role: %s", what)
		}
	})
	return server.URL, g
}

// policies reads the roles of the template.
func policies(t *testing.T) map[string][]allowance {
	t.Helper()
	var template struct {
		Resources map[string]struct {
			Type       string
			Properties struct {
				TableName, BucketName string
				Policies              []struct {
					PolicyDocument struct {
						Statement []struct {
							Effect   string
							Action   []string
							Resource []map[string]any
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "schema", "cloudformation")), &template); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for id, r := range template.Resources {
		switch r.Type {
		case "AWS::DynamoDB::Table":
			names[id] = "table/" + r.Properties.TableName
		case "AWS::S3::Bucket":
			names[id] = "bucket/" + r.Properties.BucketName
		}
	}
	all := map[string][]allowance{}
	for id, r := range template.Resources {
		if r.Type != "AWS::IAM::Role" {
			continue
		}
		key := strings.ToLower(strings.TrimSuffix(id, "Role"))
		for _, s := range r.Properties.Policies[0].PolicyDocument.Statement {
			one := allowance{actions: s.Action}
			for _, resource := range s.Resource {
				one.resources = append(one.resources, resourceName(t, resource, names))
			}
			all[key] = append(all[key], one)
		}
	}
	if len(all) != 3 {
		t.Fatalf("%d roles", len(all))
	}
	return all
}

var reference = regexp.MustCompile(`^\$\{(\w+)\.Arn\}/(.*)$`)

// resourceName resolves what a template says of a resource.
func resourceName(t *testing.T, resource map[string]any, names map[string]string) string {
	t.Helper()
	name := ""
	if get, found := resource["Fn::GetAtt"].([]any); found {
		name = names[get[0].(string)]
		if get[1] == "StreamArn" {
			name += "/stream"
		}
	}
	if text, found := resource["Fn::Sub"].(string); found {
		if m := reference.FindStringSubmatch(text); m != nil {
			name = names[m[1]] + "/" + m[2]
		}
	}
	if !strings.Contains(name, "/") {
		t.Fatalf("the template names %v, which is none of its resources", resource)
	}
	return name
}

// access is one thing that a request does.
type access struct{ action, resource string }

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	statements, known := g.allowed[accessKey(r)]
	if known {
		for _, a := range accesses(r) {
			// A role may scan for a list whose index is made anew, which none is here.
			if !allows(statements, a) || a.action == "dynamodb:Scan" && !g.erasing.Load() {
				g.refuse(w, r, a)
				return
			}
		}
	}
	g.next.ServeHTTP(w, r)
}

func (g *guard) refuse(w http.ResponseWriter, r *http.Request, a access) {
	g.mu.Lock()
	g.refused = append(g.refused, fmt.Sprintf("%s: %s on %s", accessKey(r), a.action, a.resource))
	g.mu.Unlock()
	if r.Header.Get("X-Amz-Target") == "" {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, `{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"not in the role"}`)
}

func allows(statements []allowance, a access) bool {
	return slices.ContainsFunc(statements, func(s allowance) bool {
		return slices.Contains(s.actions, a.action) && slices.ContainsFunc(s.resources, func(pattern string) bool {
			if begin, open := strings.CutSuffix(pattern, "*"); open {
				return strings.HasPrefix(a.resource, begin)
			}
			return pattern == a.resource || a.resource == ""
		})
	})
}

var credential = regexp.MustCompile(`Credential=([^/]+)/`)

func accessKey(r *http.Request) string {
	if m := credential.FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
		return m[1]
	}
	return ""
}

// accesses returns what IAM would look at.
func accesses(r *http.Request) []access {
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		_, op, _ := strings.Cut(target, ".")
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // who asked has gone, and nobody hears the answer
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		return tableAccesses(op, body)
	}
	return objectAccesses(r)
}

// tableAccesses are those of a request to DynamoDB. A transaction does what its
// parts do.
func tableAccesses(op string, body []byte) []access {
	var in struct {
		TableName, IndexName, StreamArn string
		RequestItems                    map[string]any
		TransactItems                   []map[string]struct{ TableName string }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return []access{{"unreadable", err.Error()}}
	}
	var all []access
	for _, part := range in.TransactItems {
		for kind, item := range part {
			action := kind + "Item"
			if kind == "ConditionCheck" {
				action = "ConditionCheckItem"
			}
			all = append(all, access{"dynamodb:" + action, "table/" + item.TableName})
		}
	}
	for name := range in.RequestItems {
		all = append(all, access{"dynamodb:" + op, "table/" + name})
	}
	switch {
	case all != nil:
		return all
	case in.StreamArn != "":
		return []access{{"dynamodb:" + op, "table/" + path.Base(strings.Split(in.StreamArn, "/stream/")[0]) + "/stream"}}
	case op == "GetRecords":
		return []access{{"dynamodb:" + op, ""}} // of a stream that was asked for before
	case in.IndexName != "":
		return []access{{"dynamodb:" + op, "table/" + in.TableName + "/index/" + in.IndexName}}
	}
	return []access{{"dynamodb:" + op, "table/" + in.TableName}}
}

// objectAccesses are those of a request to S3.
func objectAccesses(r *http.Request) []access {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if key == "" {
		action := "s3:ListBucket"
		if r.Method != http.MethodGet && r.Method != http.MethodHead || r.URL.RawQuery != "" && !strings.Contains(r.URL.RawQuery, "list-type=2") {
			action = "s3:other " + r.Method + " " + r.URL.RawQuery
		}
		return []access{{action, "bucket/" + bucket}}
	}
	q, resource := r.URL.Query(), "bucket/"+bucket+"/"+key
	var all []access
	switch {
	case r.Method == http.MethodDelete && q.Has("uploadId"):
		all = append(all, access{"s3:AbortMultipartUpload", resource})
	case r.Method == http.MethodDelete:
		all = append(all, access{"s3:DeleteObject", resource})
	case q.Has("tagging") && r.Method == http.MethodPut:
		all = append(all, access{"s3:PutObjectTagging", resource})
	case q.Has("tagging"):
		all = append(all, access{"s3:GetObjectTagging", resource})
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		all = append(all, access{"s3:GetObject", resource})
	default:
		all = append(all, access{"s3:PutObject", resource})
	}
	if r.Header.Get("X-Amz-Tagging") != "" {
		all = append(all, access{"s3:PutObjectTagging", resource})
	}
	if from := r.Header.Get("X-Amz-Copy-Source"); from != "" {
		all = append(all, access{"s3:GetObject", "bucket/" + strings.TrimPrefix(from, "/")})
	}
	return all
}

// The guard refuses what a role does not have.
func TestGuard(t *testing.T) {
	roles := policies(t)
	tests := []struct {
		role string
		access
		want bool
	}{
		{"crawler", access{"dynamodb:PutItem", "table/summanow"}, true},
		{"crawler", access{"dynamodb:GetItem", "table/UsersTable"}, false},
		{"crawler", access{"dynamodb:Query", "table/Operations/index/StateIndex"}, true},
		{"crawler", access{"dynamodb:Query", "table/summanow/index/NoSuchIndex"}, false},
		{"crawler", access{"s3:PutObject", "bucket/summanow-artifacts/raw-html/site/article.html.gz"}, true},
		{"crawler", access{"s3:PutObject", "bucket/summanow-artifacts/elsewhere"}, false},
		{"crawler", access{"s3:GetObject", "bucket/blog-media/a"}, false},
		{"worker", access{"dynamodb:Scan", "table/Replays"}, true}, // erasures look everywhere
		{"crawler", access{"dynamodb:GetItem", "table/Replays"}, false},
		{"web", access{"dynamodb:PutItem", "table/Replays"}, true},
		{"web", access{"dynamodb:Scan", "table/blog"}, true},
		{"web", access{"dynamodb:Scan", "table/blog/index/GSI1"}, false},
		{"web", access{"dynamodb:Scan", "table/Replays"}, false},
		{"crawler", access{"dynamodb:Scan", "table/blog"}, false},
		{"web", access{"dynamodb:DeleteTable", "table/blog"}, false},
		{"web", access{"dynamodb:CreateTable", "table/blog"}, false},
		{"web", access{"dynamodb:GetRecords", "table/blog/stream"}, true},
		{"web", access{"s3:DeleteBucket", "bucket/blog-media"}, false},
	}
	for _, tt := range tests {
		if got := allows(roles[tt.role], tt.access); got != tt.want {
			t.Errorf("%s may %s on %s: %t", tt.role, tt.action, tt.resource, got)
		}
	}
}
