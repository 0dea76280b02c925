package deploy

import (
	"slices"
	"strings"

	"pressroom/model"
)

// Role is a kind of process of an application, and the schemas whose tables and
// buckets it reads and writes. In a template it becomes an IAM role that may do
// that and nothing else.
type Role struct {
	Name    string   // letters and digits: "Crawler"
	Doc     string   // what such a process does
	Schemas []string // the schemas by name; those that a template does not have are left out
	Streams bool     // whether it follows the changes of the tables that have a stream
	Scans   bool     // whether it reads tables from end to end
}

// The parts of a role in a template.
type (
	roleProperties struct {
		Description              string
		AssumeRolePolicyDocument policyDocument
		Policies                 []policyProperties
		Tags                     []tagProperties
	}
	policyProperties struct {
		PolicyName     string
		PolicyDocument policyDocument
	}
	policyDocument struct {
		Version   string
		Statement []statement
	}
	statement struct {
		Sid       string `json:",omitempty"`
		Effect    string
		Principal any `json:",omitempty"`
		Action    []string
		Resource  []any `json:",omitempty"`
	}
	parameter struct {
		Type          string
		Description   string
		Default       string
		AllowedValues []string
	}
)

// processService is the parameter that says where processes run.
const processService = "ProcessService"

// services are what may give a role to a process.
var services = parameter{
	Type: "String", Default: "ecs-tasks.amazonaws.com", AllowedValues: []string{"ecs-tasks.amazonaws.com", "ec2.amazonaws.com", "pods.eks.amazonaws.com"},
	Description: "What runs the processes and gives them their roles",
}

// role is the IAM role with one policy.
func (t *template) role(r Role, schemas []model.Schema) roleProperties {
	p := policyDocument{Version: "2012-10-17"}
	for i := range schemas {
		if !slices.Contains(r.Schemas, schemas[i].Name) {
			continue
		}
		for j := range schemas[i].Tables {
			p.Statement = append(p.Statement, t.tableStatements(&schemas[i].Tables[j], &r)...)
		}
		for j := range schemas[i].Buckets {
			p.Statement = append(p.Statement, t.bucketStatements(&schemas[i].Buckets[j])...)
		}
	}
	return roleProperties{
		Description: r.Doc,
		AssumeRolePolicyDocument: policyDocument{Version: "2012-10-17", Statement: []statement{{
			Effect: "Allow", Principal: map[string]any{"Service": map[string]string{"Ref": processService}}, Action: []string{"sts:AssumeRole", "sts:TagSession"},
		}}},
		Policies: []policyProperties{{PolicyName: "TablesAndBuckets", PolicyDocument: p}},
		Tags:     []tagProperties{{"Project", "pressroom"}},
	}
}

// tableStatements allow what the patterns of a table do. None of them scans, but a
// view does while its index is made anew, and so does a role that says so. Nobody who
// serves makes, changes or drops a table.
func (t *template) tableStatements(table *model.Table, r *Role) []statement {
	id := t.ids["table "+table.Name]
	arn := map[string]any{"Fn::GetAtt": []string{id, "Arn"}}
	all := []statement{{
		Sid: id + "Items", Effect: "Allow", Resource: []any{arn},
		Action: []string{
			"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:DescribeTable",
			"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem",
		},
	}}
	var indexes []any
	for i := range table.Indexes {
		name := table.Indexes[i].Name
		if slices.ContainsFunc(table.Patterns, func(p model.Pattern) bool { return p.Index == name }) {
			indexes = append(indexes, map[string]any{"Fn::Sub": "${" + id + ".Arn}/index/" + name})
		}
	}
	if len(indexes) > 0 {
		all = append(all, statement{Sid: id + "Indexes", Effect: "Allow", Action: []string{"dynamodb:Query"}, Resource: indexes})
	}
	if len(indexes) > 0 || r.Scans {
		all = append(all, statement{Sid: id + "WithoutIndex", Effect: "Allow", Action: []string{"dynamodb:Scan"}, Resource: []any{arn}})
	}
	if r.Streams && table.Stream != "" {
		all = append(all, statement{Sid: id + "Changes", Effect: "Allow", Resource: []any{map[string]any{"Fn::GetAtt": []string{id, "StreamArn"}}},
			Action: []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"}})
	}
	return all
}

// bucketStatements allow the kinds of objects that the bucket is for, by the
// beginnings of their keys.
func (t *template) bucketStatements(b *model.Bucket) []statement {
	id := t.ids["bucket "+b.Name]
	var objects []any
	for _, begin := range beginnings(b) {
		objects = append(objects, map[string]any{"Fn::Sub": "${" + id + ".Arn}/" + begin + "*"})
	}
	all := []statement{{
		Sid: id, Effect: "Allow", Action: []string{"s3:ListBucket"}, Resource: []any{map[string]any{"Fn::GetAtt": []string{id, "Arn"}}},
	}}
	if len(objects) > 0 {
		all = append(all, statement{Sid: id + "Objects", Effect: "Allow", Resource: objects, Action: []string{
			"s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:GetObjectTagging", "s3:ListMultipartUploadParts", "s3:PutObject", "s3:PutObjectTagging",
		}})
	}
	return all
}

// beginnings returns how the keys of the bucket's objects begin, up to the first
// variable, without those that begin as another does.
func beginnings(b *model.Bucket) []string {
	var all []string
	for _, o := range b.Objects {
		begin, _, _ := strings.Cut(string(o.Key), "{")
		all = append(all, begin)
	}
	slices.Sort(all)
	var kept []string
	for _, begin := range all {
		if len(kept) == 0 || !strings.HasPrefix(begin, kept[len(kept)-1]) {
			kept = append(kept, begin)
		}
	}
	return kept
}
