// Package template reads templates of AWS CloudFormation, in JSON and YAML, as far as
// they are about tables and buckets: parameters, mappings, conditions, and the functions
// that names and properties are made with.
//
// It promises that a property comes out as the service would have it, or that what it
// cannot know is an error which names the resource. It makes nothing by itself.
//
// Start with [Parse]; read.go turns both notations into one, eval.go computes.
package template

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Resource is one resource of a template, with its functions computed.
type Resource struct {
	ID         string // its name in the template
	Type       string // AWS::DynamoDB::Table
	Properties map[string]any
}

// Options are what a template is computed with.
type Options struct {
	Stack           string            // the name of the stack, of which names are made
	Region, Account string            // for ARNs and pseudo parameters
	Parameters      map[string]string // win over the template's defaults
}

// Parse reads a template and computes its resources, in the order of their names. A
// table or bucket without a name gets one of the stack and its own.
func Parse(text []byte, o Options) ([]Resource, error) {
	root, err := read(text)
	if err != nil {
		return nil, err
	}
	e := &eval{o: o, conditions: section(root, "Conditions"), mappings: section(root, "Mappings"), resources: section(root, "Resources"), values: map[string]any{}, names: map[string]string{}}
	if len(e.resources) == 0 {
		return nil, fmt.Errorf("the template has no Resources")
	}
	if err := e.parameters(section(root, "Parameters")); err != nil {
		return nil, err
	}
	var all []Resource
	for _, id := range slices.Sorted(maps.Keys(e.resources)) {
		one, err := e.resource(id)
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", id, err)
		}
		if one != nil {
			all = append(all, *one)
		}
	}
	return all, nil
}

func section(root map[string]any, name string) map[string]any {
	m, _ := root[name].(map[string]any)
	return m
}

// parameters gives every parameter its value.
func (e *eval) parameters(declared map[string]any) error {
	for name := range e.o.Parameters {
		if _, ok := declared[name]; !ok {
			return fmt.Errorf("there is no parameter %s", name)
		}
	}
	for name, about := range declared {
		m, _ := about.(map[string]any)
		value, ok := any(nil), false
		if given, set := e.o.Parameters[name]; set {
			value, ok = given, true
		} else if value, ok = m["Default"]; ok {
			value = text(value)
		}
		if !ok {
			continue // an error for whoever asks for it
		}
		if kind := text(m["Type"]); kind == "CommaDelimitedList" || strings.HasPrefix(kind, "List<") {
			var list []any
			for part := range strings.SplitSeq(value.(string), ",") {
				list = append(list, strings.TrimSpace(part))
			}
			value = list
		}
		e.values[name] = value
	}
	for name, value := range map[string]string{
		"AWS::Region": e.o.Region, "AWS::AccountId": e.o.Account, "AWS::StackName": e.o.Stack, "AWS::Partition": "aws", "AWS::URLSuffix": "amazonaws.com",
		"AWS::StackId": "arn:aws:cloudformation:" + e.o.Region + ":" + e.o.Account + ":stack/" + e.o.Stack + "/local",
	} {
		e.values[name] = value
	}
	return nil
}

// nameProperty is the property that names a resource of a type, which Ref gives.
var nameProperty = map[string]string{
	"AWS::DynamoDB::Table": "TableName", "AWS::DynamoDB::GlobalTable": "TableName", "AWS::Serverless::SimpleTable": "TableName", "AWS::S3::Bucket": "BucketName",
}

var notInBuckets = regexp.MustCompile(`[^a-z0-9.-]+`)

// ours tells whether a resource is a table or a bucket.
func (e *eval) ours(id string) bool {
	m, _ := e.resources[id].(map[string]any)
	_, ok := nameProperty[text(m["Type"])]
	return ok
}

// nameOf is what Ref gives for a table or bucket.
func (e *eval) nameOf(id string) (string, error) {
	if name, ok := e.names[id]; ok {
		return name, nil
	}
	m, _ := e.resources[id].(map[string]any)
	kind := text(m["Type"])
	name := e.o.Stack + "-" + id
	if kind == "AWS::S3::Bucket" {
		name = notInBuckets.ReplaceAllString(strings.ToLower(name), "-")
	}
	if given, ok := section(m, "Properties")[nameProperty[kind]]; ok {
		value, err := e.value(given)
		if err != nil {
			return "", fmt.Errorf("%s: %w", nameProperty[kind], err)
		}
		if s, ok := value.(string); ok {
			name = s
		}
	}
	e.names[id] = name
	return name, nil
}

// arnOf is the ARN of a table or bucket.
func (e *eval) arnOf(id string) (string, error) {
	name, err := e.nameOf(id)
	if m, _ := e.resources[id].(map[string]any); text(m["Type"]) == "AWS::S3::Bucket" {
		return "arn:aws:s3:::" + name, err
	}
	return "arn:aws:dynamodb:" + e.o.Region + ":" + e.o.Account + ":table/" + name, err
}

// resource computes one resource; nil if its condition does not hold.
func (e *eval) resource(id string) (*Resource, error) {
	m, ok := e.resources[id].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("it is not a map")
	}
	if name, ok := m["Condition"]; ok {
		if holds, err := e.condition(text(name)); err != nil || !holds {
			return nil, err
		}
	}
	one := &Resource{ID: id, Type: text(m["Type"])}
	if !e.ours(id) && one.Type != "AWS::S3::BucketPolicy" {
		return one, nil // nobody makes it, so that nothing in it need be known
	}
	properties, err := e.value(section(m, "Properties"))
	if err != nil {
		return nil, err
	}
	one.Properties, _ = properties.(map[string]any)
	if one.Properties == nil {
		one.Properties = map[string]any{}
	}
	if e.ours(id) {
		one.Properties[nameProperty[one.Type]], err = e.nameOf(id)
	}
	return one, err
}
