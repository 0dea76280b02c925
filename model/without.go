package model

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
)

// ask sends a query. If its index is not there, because it is being made anew, the
// table itself answers: that reads all of it, and takes as long.
func (v *view) ask(ctx context.Context, q *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	out, err := v.db.Query(ctx, q)
	if err == nil || q.IndexName == nil || !withoutIndex(err) {
		return out, err
	}
	return v.walk(ctx, q)
}

// withoutIndex recognises the answers of a table that lacks an index, or has only begun
// to fill it.
func withoutIndex(err error) bool {
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "ValidationException" {
		return false
	}
	text := strings.ToLower(api.ErrorMessage())
	return strings.Contains(text, "does not have the specified index") || strings.Contains(text, "backfilling")
}

// walk answers a query from the table: what the condition holds for, in the order of
// the index, from the position on.
func (v *view) walk(ctx context.Context, q *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	in := &dynamodb.ScanInput{TableName: q.TableName, FilterExpression: q.KeyConditionExpression,
		ExpressionAttributeNames: q.ExpressionAttributeNames, ExpressionAttributeValues: q.ExpressionAttributeValues}
	var items []Raw
	for {
		out, err := v.db.Scan(ctx, in)
		if err != nil {
			return nil, err
		}
		items = append(items, out.Items...)
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			break
		}
	}
	x, _ := v.table.Index(v.pattern.Index)
	order := func(a, b Raw) int {
		n := cmp.Or(compareKeys(x.SK, a, b), cmp.Compare(v.table.keyID(a), v.table.keyID(b)))
		if !aws.ToBool(q.ScanIndexForward) {
			return -n
		}
		return n
	}
	items = slices.DeleteFunc(items, func(item Raw) bool {
		there := !slices.ContainsFunc(x.KeyNames(), func(name string) bool { return item[name] == nil })
		return !there || q.ExclusiveStartKey != nil && order(item, q.ExclusiveStartKey) <= 0
	})
	slices.SortFunc(items, order)
	out := &dynamodb.QueryOutput{Items: items}
	if limit := int(aws.ToInt32(q.Limit)); limit > 0 && len(items) > limit {
		out.Items = items[:limit]
		out.LastEvaluatedKey = v.position(items[limit-1])
	}
	return out, nil
}

// compareKeys compares the values of a sort key, numbers as numbers.
func compareKeys(k Key, a, b Raw) int {
	if k.Name == "" {
		return 0
	}
	x, _ := textOf(a[k.Name])
	y, _ := textOf(b[k.Name])
	if k.Kind.DynamoDB() == "N" {
		m, _ := strconv.ParseFloat(x, 64)
		n, _ := strconv.ParseFloat(y, 64) // the store takes nothing else for a number
		return cmp.Compare(m, n)
	}
	return cmp.Compare(x, y)
}
