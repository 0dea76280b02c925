package template

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var options = Options{Stack: "shop", Region: "eu-west-1", Account: "000000000001"}

const yamlTemplate = `
AWSTemplateFormatVersion: 2010-09-09
Parameters:
  Stage: {Type: String, Default: dev}
  Tags: {Type: CommaDelimitedList, Default: "a, b"}
Mappings:
  Sizes:
    dev: {Read: 1}
    prod: {Read: 50}
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
  IsDev: !Not [!Condition IsProd]
  Both: !And [!Condition IsDev, !Or [!Condition IsProd, !Equals [a, a]]]
Resources:
  Audit:
    Type: AWS::DynamoDB::Table
    Condition: IsProd
    Properties: {TableName: audit}
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${Stage}-orders"
      BillingMode: !If [Both, PAY_PER_REQUEST, PROVISIONED]
      ProvisionedThroughput: !If [IsProd, {ReadCapacityUnits: 1}, !Ref AWS::NoValue]
      KeySchema:
        - AttributeName: pk
          KeyType: HASH
      Read: !FindInMap [Sizes, !Ref Stage, Read]
      First: !Select [1, !Ref Tags]
      Joined: !Join ["/", [!Ref "AWS::Region", !GetAtt Media.Arn, !Select [0, !Split ["-", x-y]]]]
      Own: !Sub ["${A}:${!B}:${Media.Arn}", {A: !Ref Index}]
  Index:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Join ["-", [!Ref Orders, index]]
  Media:
    Type: AWS::S3::Bucket
  Worker:
    Type: AWS::Lambda::Function
    Properties:
      Code: !ImportValue somewhere
  Policy:
    Type: AWS::S3::BucketPolicy
    Properties:
      Bucket: !Ref Media
      PolicyDocument: {Version: 2012-10-17}
`

func TestYAML(t *testing.T) {
	got, err := Parse([]byte(yamlTemplate), options)
	if err != nil {
		t.Fatal(err)
	}
	want := []Resource{
		{"Index", "AWS::DynamoDB::Table", map[string]any{"TableName": "dev-orders-index"}},
		{"Media", "AWS::S3::Bucket", map[string]any{"BucketName": "shop-media"}},
		{"Orders", "AWS::DynamoDB::Table", map[string]any{
			"TableName": "dev-orders", "BillingMode": "PAY_PER_REQUEST",
			"KeySchema": []any{map[string]any{"AttributeName": "pk", "KeyType": "HASH"}},
			"Read":      json.Number("1"), "First": "b", "Joined": "eu-west-1/arn:aws:s3:::shop-media/x",
			"Own": "dev-orders-index:${B}:arn:aws:s3:::shop-media",
		}},
		{"Policy", "AWS::S3::BucketPolicy", map[string]any{"Bucket": "shop-media", "PolicyDocument": map[string]any{"Version": "2012-10-17"}}},
		{"Worker", "AWS::Lambda::Function", nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	o := options
	o.Parameters = map[string]string{"Stage": "prod"}
	if got, err = Parse([]byte(yamlTemplate), o); err != nil || got[0].ID != "Audit" {
		t.Errorf("with a parameter: %v, %v", got, err)
	}
}

func TestJSON(t *testing.T) {
	got, err := Parse([]byte("\t{\"Resources\": {\"T\": {\n\t\t\"Type\": \"AWS::DynamoDB::Table\", \"Properties\": {\"N\": 5, \"TableName\": {\"Fn::Sub\": \"${AWS::StackName}-t\"}}}}}"), options)
	want := []Resource{{"T", "AWS::DynamoDB::Table", map[string]any{"TableName": "shop-t", "N": json.Number("5")}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestRefused(t *testing.T) {
	table := func(properties string) string {
		return "Parameters: {P: {Type: String}}\nResources: {T: {Type: 'AWS::DynamoDB::Table', Properties: {" + properties + "}}}"
	}
	for text, want := range map[string]string{
		"":                               "map",
		"- a":                            "a template is a map",
		"{":                              "unexpected EOF",
		"a: [":                           "yaml",
		"Resources: {}":                  "no Resources",
		table("A: !Ref P"):               "resource T: A: Ref: P has no value",
		table("A: !Ref Q"):               "Q has no value",
		table("A: !GetAtt Q.Arn"):        "there is no resource Q",
		table("A: !GetAtt T.StreamArn"):  "cannot be known before it is made",
		table("A: !Sub '${P'"):           "has no }",
		table("A: !Select [2, [a]]"):     "there is no element 2 of 1",
		table("A: !ImportValue x"):       "Fn::ImportValue: cannot be computed here",
		table("A: !If [C, 1, 2]"):        "there is no condition C",
		table("TableName: !Ref T"):       "nested too deeply",
		table("A: &a [b], B: *a"):        "no aliases",
		strings.Repeat("- ", 200) + "a":  "nested too deeply",
		"Resources: {T: {Condition: C}}": "there is no condition C",
	} {
		if _, err := Parse([]byte(text), options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	o := options
	o.Parameters = map[string]string{"Q": "x"}
	if _, err := Parse([]byte(table("")), o); err == nil || !strings.Contains(err.Error(), "there is no parameter Q") {
		t.Errorf("an unknown parameter: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(yamlTemplate))
	f.Add([]byte(`{"Resources": {"T": {"Type": "AWS::DynamoDB::Table", "Properties": {"A": {"Fn::Join": ["", []]}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := Parse(data, options)
		if err != nil && all != nil {
			t.Error("an error with resources")
		}
	})
}
