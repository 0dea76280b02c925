package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"pressroom/internal/errs"
	"pressroom/internal/local/template"
)

// applyTemplate makes the tables and buckets of a CloudFormation template that are not
// there yet, and leaves those that are as they are.
func (s *Stores) applyTemplate(ctx context.Context, path string, parameters map[string]string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return errs.Wrap(err, errs.Usage, "cannot read the template: %v", err)
	}
	stack := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	all, err := template.Parse(data, template.Options{Stack: stack, Region: s.Tables.Region(), Account: account, Parameters: parameters})
	if err != nil {
		return errs.Wrap(err, errs.Usage, "template %s: %v", path, err)
	}
	a := &applying{Stores: s, log: s.log.With("template", path)}
	for _, policies := range []bool{false, true} { // after their buckets
		for _, r := range all {
			if (r.Type == "AWS::S3::BucketPolicy") != policies {
				continue
			}
			if err := a.apply(ctx, r); err != nil {
				return errs.Wrap(err, errs.Usage, "template %s, resource %s: %v", path, r.ID, message(err))
			}
		}
	}
	return nil
}

// account is that of the tables' ARNs.
const account = "000000000001"

// message is what the service says, without the SDK's frame around it.
func message(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode() + ": " + e.ErrorMessage()
	}
	return err.Error()
}

type applying struct {
	*Stores
	log *slog.Logger
}

func (a *applying) apply(ctx context.Context, r template.Resource) error {
	switch r.Type {
	case "AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable":
		return a.table(ctx, r)
	case "AWS::Serverless::SimpleTable":
		return a.table(ctx, simple(r))
	case "AWS::S3::Bucket":
		return a.bucket(ctx, r)
	case "AWS::S3::BucketPolicy":
		policy, err := json.Marshal(r.Properties["PolicyDocument"])
		if err != nil {
			return err
		}
		bucket, _ := r.Properties["Bucket"].(string)
		text := string(policy)
		_, err = a.Client.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: &bucket, Policy: &text})
		return a.unlessElsewhere(r, "PolicyDocument", err)
	}
	a.log.Warn("not made: it is neither a table nor a bucket", "resource", r.ID, "type", r.Type)
	return nil
}

// unlessElsewhere passes over a setting that this store has not, and says so.
func (a *applying) unlessElsewhere(r template.Resource, property string, err error) error {
	var e smithy.APIError
	if errors.As(err, &e) && (e.ErrorCode() == "NotImplemented" || e.ErrorCode() == "MalformedPolicy") {
		a.log.Warn("not applied", "resource", r.ID, "property", property, "why", e.ErrorMessage())
		return nil
	}
	return err
}

// take moves a property into out, which has its shape; false if it is not there.
func take(r template.Resource, property string, out any) (bool, error) {
	value, ok := r.Properties[property]
	if !ok {
		return false, nil
	}
	text, err := json.Marshal(numbers(value, ""))
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(out)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", property, err)
	}
	return true, nil
}

// numbers turns the texts that templates have for numbers and truths into such, where
// the service wants one.
func numbers(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for k, inner := range v {
			m[k] = numbers(inner, k)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, inner := range v {
			list[i] = numbers(inner, name)
		}
		return list
	case json.Number:
		if name == "Value" || name == "Key" || strings.HasSuffix(name, "Name") {
			return v.String()
		}
	case bool:
		if name == "Value" {
			return strconv.FormatBool(v)
		}
	case string:
		counted := strings.HasSuffix(name, "Units") || strings.HasSuffix(name, "Days") || strings.HasSuffix(name, "UnitsPerSecond") || name == "MaxAge"
		if _, err := strconv.ParseInt(v, 10, 64); err == nil && counted {
			return json.Number(v)
		}
		if (v == "true" || v == "false") && (strings.HasSuffix(name, "Enabled") || strings.HasPrefix(name, "Block") || name == "IgnorePublicAcls" || name == "RestrictPublicBuckets") {
			return v == "true"
		}
	}
	return v
}

// simple is a table of the serverless model as one of CloudFormation.
func simple(r template.Resource) template.Resource {
	key, _ := r.Properties["PrimaryKey"].(map[string]any)
	name, kind := "id", "S"
	if n, ok := key["Name"].(string); ok {
		name = n
	}
	if k, ok := key["Type"].(string); ok {
		kind = map[string]string{"String": "S", "Number": "N", "Binary": "B"}[k]
	}
	out := map[string]any{
		"TableName":            r.Properties["TableName"],
		"AttributeDefinitions": []any{map[string]any{"AttributeName": name, "AttributeType": kind}},
		"KeySchema":            []any{map[string]any{"AttributeName": name, "KeyType": "HASH"}},
		"BillingMode":          "PAY_PER_REQUEST",
	}
	if t, ok := r.Properties["ProvisionedThroughput"]; ok {
		out["ProvisionedThroughput"], out["BillingMode"] = t, "PROVISIONED"
	}
	return template.Resource{ID: r.ID, Type: r.Type, Properties: out}
}

// asTheyAre are the properties of a table that CreateTable has under the same name.
var asTheyAre = []string{
	"TableName", "AttributeDefinitions", "KeySchema", "BillingMode", "ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput",
	"GlobalSecondaryIndexes", "LocalSecondaryIndexes", "TableClass", "DeletionProtectionEnabled", "Tags",
}

func (a *applying) table(ctx context.Context, r template.Resource) error {
	in := map[string]any{}
	for _, name := range asTheyAre {
		if v, ok := r.Properties[name]; ok {
			in[name] = v
		}
	}
	indexes, _ := in["GlobalSecondaryIndexes"].([]any)
	for _, index := range indexes {
		if m, ok := index.(map[string]any); ok {
			delete(m, "ContributorInsightsSpecification")
		}
	}
	var input dynamodb.CreateTableInput
	if _, err := take(template.Resource{Properties: map[string]any{"table": in}}, "table", &input); err != nil {
		return err
	}
	if err := errors.Join(a.stream(r, &input), a.encryption(r, &input)); err != nil {
		return err
	}
	_, err := a.Tables.CreateTable(ctx, &input)
	if there := new(types.ResourceInUseException); errors.As(err, &there) {
		a.log.Info("the table is there already and stays as it is", "table", *input.TableName)
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(a.expiry(ctx, r, input.TableName), a.recovery(ctx, r, input.TableName))
}

func (a *applying) stream(r template.Resource, in *dynamodb.CreateTableInput) error {
	var spec types.StreamSpecification
	there, err := take(r, "StreamSpecification", &spec)
	if there {
		on := true
		spec.StreamEnabled = &on
		in.StreamSpecification = &spec
	}
	return err
}

func (a *applying) encryption(r template.Resource, in *dynamodb.CreateTableInput) error {
	var spec struct {
		SSEEnabled     bool
		SSEType        types.SSEType
		KMSMasterKeyID *string `json:"KMSMasterKeyId"`
	}
	there, err := take(r, "SSESpecification", &spec)
	if there {
		in.SSESpecification = &types.SSESpecification{Enabled: &spec.SSEEnabled, SSEType: spec.SSEType, KMSMasterKeyId: spec.KMSMasterKeyID}
	}
	return err
}

func (a *applying) expiry(ctx context.Context, r template.Resource, table *string) error {
	var spec types.TimeToLiveSpecification
	there, err := take(r, "TimeToLiveSpecification", &spec)
	if !there || spec.Enabled == nil || !*spec.Enabled {
		return err
	}
	_, err = a.Tables.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: table, TimeToLiveSpecification: &spec})
	return err
}

func (a *applying) recovery(ctx context.Context, r template.Resource, table *string) error {
	var spec types.PointInTimeRecoverySpecification
	there, err := take(r, "PointInTimeRecoverySpecification", &spec)
	if !there || spec.PointInTimeRecoveryEnabled == nil || !*spec.PointInTimeRecoveryEnabled {
		return err
	}
	_, err = a.Tables.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: table, PointInTimeRecoverySpecification: &spec})
	return err
}
