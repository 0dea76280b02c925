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
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := checkTableName(in.TableName); err != nil {
		return nil, err
	}
	name, err := e.tableName(*in.TableName)
	if err != nil {
		return nil, err
	}
	if t := e.catalog.get(name); t != nil {
		return &dynamodb.DescribeTableOutput{Table: e.describe(t)}, nil
	}
	// A restored table becomes active and usable under this lock at once.
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	t := e.catalog.either(name)
	if t == nil {
		return nil, tableNotFound(name)
	}
	return &dynamodb.DescribeTableOutput{Table: e.describe(t)}, nil
}

func tableNotFound(name string) error {
	return newError(NotFound, "Requested resource not found: Table: %s not found", name)
}

// either returns the table of that name that is there or that a restore is
// filling, or nil. The caller holds the lock.
func (c *catalog) either(name string) *table {
	if t := c.get(name); t != nil {
		return t
	}
	return c.restoring[name]
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
