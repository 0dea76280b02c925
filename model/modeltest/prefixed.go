package modeltest

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
)

// prefixed gives tables and buckets names of a test's own, in a client: names in
// requests get the prefix, and names in answers lose it.
type prefixed struct{ prefix string }

// tables is an option for clients of DynamoDB.
func (p *prefixed) tables(o *dynamodb.Options) { o.APIOptions = append(o.APIOptions, p.add) }

// buckets is an option for clients of S3.
func (p *prefixed) buckets(o *s3.Options) { o.APIOptions = append(o.APIOptions, p.add) }

func (p *prefixed) add(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("OwnNames", p.handle), middleware.Before)
}

func (p *prefixed) handle(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
	in.Parameters = rename(reflect.ValueOf(in.Parameters), func(name string) string { return p.prefix + name }).Interface()
	out, meta, err := next.HandleInitialize(ctx, in)
	if err == nil && out.Result != nil {
		out.Result = rename(reflect.ValueOf(out.Result), func(name string) string { return strings.TrimPrefix(name, p.prefix) }).Interface()
	}
	return out, meta, err
}

// Where names of tables and buckets are in the SDK's structures.
var (
	nameFields = []string{"TableName", "Bucket", "CopySource"}
	keyedByIt  = []string{"RequestItems", "Responses", "UnprocessedItems", "UnprocessedKeys", "ItemCollectionMetrics"}
)

// rename returns a copy of v with other names. The caller's value stays as it is:
// it may be used again.
func rename(v reflect.Value, name func(string) string) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Elem().Kind() != reflect.Struct {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(rename(v.Elem(), name))
		return out
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() != reflect.Struct && v.Type().Elem().Kind() != reflect.Pointer {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(rename(v.Index(i), name))
		}
		return out
	case reflect.Struct:
		return renameFields(v, name)
	}
	return v
}

func renameFields(v reflect.Value, name func(string) string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	for i := range v.NumField() {
		field := v.Type().Field(i)
		value := out.Field(i)
		switch {
		case !field.IsExported():
		case slices.Contains(nameFields, field.Name):
			if text, ok := value.Interface().(*string); ok && text != nil {
				other := name(*text)
				value.Set(reflect.ValueOf(&other))
			}
		case slices.Contains(keyedByIt, field.Name) && value.Kind() == reflect.Map && !value.IsNil():
			keyed := reflect.MakeMap(value.Type())
			for _, key := range value.MapKeys() {
				keyed.SetMapIndex(reflect.ValueOf(name(key.String())), rename(value.MapIndex(key), name))
			}
			value.Set(keyed)
		default:
			value.Set(rename(value, name))
		}
	}
	return out
}
