package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/bits"

	"github.com/aws/aws-sdk-go-v2/aws"

	"pressroom/dynamo/expr"
)

// Scan reads a page of a table or index, in the order of the partitions'
// hashes; a segment is a range of hashes.
func (e *Engine) Scan(ctx context.Context, r *Scan) (*PageAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	q, err := r.validate()
	if err != nil {
		return nil, err
	}
	var p page
	if err := p.open(e, &r.Paged, q); err != nil {
		return nil, err
	}
	if err := r.fit(&p); err != nil {
		return nil, err
	}
	return p.run(ctx, e)
}

func (r *Scan) fit(p *page) error {
	if err := p.choose(r.Select); err != nil {
		return err
	}
	prefix := appendRowPrefix(nil, p.t.id, p.indexID())
	p.lower, p.upper = segmentBounds(prefix, int(aws.ToInt32(r.Segment)), int(aws.ToInt32(r.TotalSegments)))
	if r.ExclusiveStartKey != nil {
		if err := r.start(p); err != nil {
			return err
		}
	}
	if err := p.s.checkScalars(p.projection.Nested()); err != nil {
		return err
	}
	return p.s.checkScalars(p.filter.Nested())
}

func (r *Scan) start(p *page) error {
	err := p.checkStartLength(r.ExclusiveStartKey)
	switch {
	case p.ix == nil && err != nil:
		return invalid("The provided starting key is invalid: %s", errKeySchema.Message)
	case p.ix != nil && err == nil:
		err = checkStartPart(r.ExclusiveStartKey, keyAttrs(p.ix.key))
	}
	if err != nil {
		return err
	}
	row, err := p.startKey(r.ExclusiveStartKey)
	if err != nil {
		return err
	}
	if bytes.Compare(row, p.lower) < 0 || bytes.Compare(row, p.upper) >= 0 {
		return invalid("The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: %d Segment: %d", *r.TotalSegments, *r.Segment)
	}
	p.startAfter(row)
	return nil
}

// segmentBounds returns the rows of one of total equal parts of the hashes.
func segmentBounds(prefix []byte, segment, total int) (lower, upper []byte) {
	if total <= 1 {
		return prefix, prefixEnd(prefix)
	}
	at := func(i int) []byte {
		// i × 2^64 / total, rounded up so that segments meet.
		q, rem := bits.Div64(uint64(i), 0, uint64(total))
		if rem > 0 {
			q++
		}
		return binary.BigEndian.AppendUint64(bytes.Clone(prefix), q)
	}
	lower, upper = prefix, prefixEnd(prefix)
	if segment > 0 {
		lower = at(segment)
	}
	if segment < total-1 {
		upper = at(segment + 1)
	}
	return lower, upper
}

func (r *Scan) validate() (*readExpressions, error) {
	if err := r.checkShape(); err != nil {
		return nil, err
	}
	given := expr.Parameters{
		Expressions: []expr.Parameter{
			{Name: "ProjectionExpression", Given: r.ProjectionExpression != nil},
			{Name: "FilterExpression", Given: r.FilterExpression != nil},
		},
		Legacy: []expr.Parameter{
			{Name: "AttributesToGet", Given: r.AttributesToGet != nil},
			{Name: "ScanFilter", Given: r.Filter != nil},
			{Name: "ConditionalOperator", Given: r.ConditionalOperator != ""},
		},
		Names:  r.Placeholders.Names != nil,
		Values: r.Placeholders.Values != nil,
	}
	if err := given.Check(); err != nil {
		return nil, err
	}
	q := new(readExpressions)
	if err := q.legacy(r.Filter, r.ConditionalOperator, r.AttributesToGet); err != nil {
		return nil, err
	}
	if err := startKeyError(r.Invalid.Err); err != nil {
		return nil, err
	}
	if err := r.checkSegments(); err != nil {
		return nil, err
	}
	if err := q.parse(nil, r.FilterExpression, &r.Projected); err != nil {
		return nil, err
	}
	return q, checkSelect(r.Select, r.IndexName, &r.Projected)
}

func (r *Scan) checkShape() error {
	var c checks
	c.selects(r.Select)
	c.indexName(r.IndexName)
	c.atLeast("totalSegments", r.TotalSegments, 1)
	c.atMost("totalSegments", r.TotalSegments, 1000000)
	c.capacity(r.ReturnConsumedCapacity)
	c.tableName(r.TableName)
	c.logical(r.ConditionalOperator)
	for _, f := range r.Filter {
		c.comparison("scanFilter", f.Attribute, f.Operator)
	}
	c.atLeast("segment", r.Segment, 0)
	c.atMost("segment", r.Segment, 999999)
	c.atLeast("limit", r.Limit, 1)
	c.attributesToGet(r.AttributesToGet)
	return c.err()
}

func (r *Scan) checkSegments() error {
	switch {
	case r.Segment != nil && r.TotalSegments == nil:
		return invalid("The TotalSegments parameter is required but was not present in the request when Segment parameter is present")
	case r.Segment == nil && r.TotalSegments != nil:
		return invalid("The Segment parameter is required but was not present in the request when parameter TotalSegments is present")
	case r.Segment != nil && *r.Segment >= *r.TotalSegments:
		return invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: %d is not less than TotalSegments: %d", *r.Segment, *r.TotalSegments)
	}
	return nil
}
