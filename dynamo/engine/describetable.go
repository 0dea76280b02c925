package engine

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DescribeTable describes a table. Unlike the service's, its counts are those
// of the moment.
func (e *Engine) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput) (*dynamodb.DescribeTableOutput, error) {
	if err := e.ready(ctx); err != nil {
		return nil, err
	}
	if err := checkTableName(in.TableName); err != nil {
		return nil, err
	}
	name := e.tableName(*in.TableName)
	t := e.catalog.get(name)
	if t == nil {
		t = e.restoring(name)
	}
	if t == nil {
		return nil, tableNotFound(name)
	}
	return &dynamodb.DescribeTableOutput{Table: e.describe(t)}, nil
}

func tableNotFound(name string) error {
	return newError(NotFound, "Requested resource not found: Table: %s not found", name)
}

// restoring returns the table of that name that a restore is filling, or nil.
func (e *Engine) restoring(name string) *table {
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	return e.catalog.restoring[name]
}

// describe returns a description that the caller may change.
func (e *Engine) describe(t *table) *types.TableDescription {
	s := t.shape.Load()
	def := s.def.clone()
	d := &def.Desc
	e.decreases(d.ProvisionedThroughput)
	d.ItemCount, d.TableSizeBytes = t.counts.values()
	for i := range d.LocalSecondaryIndexes {
		l := &d.LocalSecondaryIndexes[i]
		l.ItemCount, l.IndexSizeBytes = s.index(aws.ToString(l.IndexName)).counts.values()
	}
	for i := range d.GlobalSecondaryIndexes {
		g := &d.GlobalSecondaryIndexes[i]
		e.decreases(g.ProvisionedThroughput)
		g.ItemCount, g.IndexSizeBytes = s.index(aws.ToString(g.IndexName)).counts.values()
	}
	return d
}

func (e *Engine) decreases(p *types.ProvisionedThroughputDescription) {
	p.NumberOfDecreasesToday = aws.Int64(decreasesOn(p, e.now()))
}

// values returns the counts. They are never shown below zero, which they may
// be for a moment while rows are being counted anew.
func (c *counter) values() (items, bytes *int64) {
	return aws.Int64(max(0, c.items.Load())), aws.Int64(max(0, c.bytes.Load()))
}
