package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

const maxListed = 100

// ListTables returns a page of the table names in order, those that are being
// restored included.
func (e *Engine) ListTables(ctx context.Context, in *dynamodb.ListTablesInput) (*dynamodb.ListTablesOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	if in.ExclusiveStartTableName != nil {
		c.name("exclusiveStartTableName", in.ExclusiveStartTableName)
	}
	c.atLeast("limit", in.Limit, 1)
	c.atMost("limit", in.Limit, maxListed)
	if err := c.err(); err != nil {
		return nil, err
	}
	names := e.allNames()
	if after := in.ExclusiveStartTableName; after != nil {
		at, found := slices.BinarySearch(names, *after)
		if found {
			at++
		}
		names = names[at:]
	}
	out := &dynamodb.ListTablesOutput{}
	out.TableNames, out.LastEvaluatedTableName = cut(names, in.Limit, func(name string) *string { return aws.String(name) })
	return out, nil
}

// allNames returns the names that are taken, in order.
func (e *Engine) allNames() []string {
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	names := slices.AppendSeq(e.catalog.names(), maps.Keys(e.catalog.restoring))
	slices.Sort(names)
	return names
}

// cut returns the first page of a list and, if something follows, the mark of
// the page's end. A nil limit is the most that a page can have.
func cut[T any](list []T, limit *int32, mark func(T) *string) ([]T, *string) {
	n := maxListed
	if limit != nil {
		n = int(*limit)
	}
	if len(list) <= n {
		return list, nil
	}
	return list[:n], mark(list[n-1])
}
