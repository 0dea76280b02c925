package engine

import (
	"bytes"
	"context"
	"errors"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// Query reads a page of one partition, in the order of the sort key.
func (e *Engine) Query(ctx context.Context, r *Query) (*PageAnswer, error) {
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
	p.reverse = r.ScanIndexForward != nil && !*r.ScanIndexForward
	if err := r.fit(&p, q); err != nil {
		return nil, err
	}
	return p.run(ctx, e)
}

// fit matches the query with the table or index: key condition, starting key,
// filter and projection, in the order in which DynamoDB complains.
func (r *Query) fit(p *page, q *readExpressions) error {
	start, err := r.startRow(p)
	if err != nil {
		return err
	}
	keys, err := q.key.Fit(p.key())
	if err != nil {
		return err
	}
	p.within(keys)
	if start != nil {
		if err := p.checkStart(start, keys); err != nil {
			return err
		}
		p.startAfter(start)
	}
	if err := p.s.checkScalars(q.projection.Nested()); err != nil {
		return err
	}
	for _, a := range keyAttrs(p.key()) {
		for _, name := range q.filter.Attributes() {
			if name == a.Name {
				return invalid("%s can only contain non-primary key attributes: Primary key attribute: %s", r.filterName(), a.Name)
			}
		}
	}
	if err := p.choose(r.Select); err != nil {
		return err
	}
	if err := p.checkFilter(); err != nil {
		return err
	}
	return p.s.checkScalars(q.filter.Nested())
}

func (r *Query) filterName() string {
	if r.Filter != nil {
		return "QueryFilter"
	}
	return "Filter Expression"
}

// startRow is the row of the ExclusiveStartKey; nil without one.
func (r *Query) startRow(p *page) ([]byte, error) {
	if r.ExclusiveStartKey == nil {
		return nil, nil
	}
	row, err := p.startKey(r.ExclusiveStartKey)
	if err == nil {
		return row, nil
	}
	var own *Error
	if errors.As(err, &own) {
		return nil, invalid("The provided starting key is invalid: %s", own.Message)
	}
	return nil, invalid("The provided starting key is invalid")
}

// checkStart refuses a starting key that the query could not have ended at.
func (p *page) checkStart(row []byte, keys *expr.KeyRange) error {
	partition := appendPartition(nil, p.t.id, p.indexID(), keys.Partition...)
	inPartition := bytes.HasPrefix(row, partition)
	inRange := bytes.Compare(row, p.lower) >= 0 && (p.upper == nil || bytes.Compare(row, p.upper) < 0)
	switch {
	case len(keys.Equal) == 0 && keys.Op == expr.KeyNone:
		if !inPartition {
			return invalid("The provided starting key is outside query boundaries based on provided conditions")
		}
	case inPartition && !inRange:
		return invalid("The provided starting key does not match the range key predicate")
	case !inPartition:
		return invalid("The provided starting key is outside query boundaries based on provided conditions")
	}
	return nil
}

// within bounds the walk by a fitted key condition.
func (p *page) within(k *expr.KeyRange) {
	p.lower, p.upper = keyBounds(p.t.id, p.indexID(), k)
	p.partition = p.lower[:rowPrefixLen+hashLen]
}

// keyBounds turns a fitted key condition into a range of rows. Key bytes end
// themselves, so all rows with a value are those with its bytes as prefix.
func keyBounds(t tableID, id indexID, k *expr.KeyRange) (lower, upper []byte) {
	prefix := appendPartition(make([]byte, 0, 96), t, id, k.Partition...)
	for _, v := range k.Equal {
		prefix = attr.AppendKey(prefix, v)
	}
	at := func(i int) []byte { return attr.AppendKey(bytes.Clone(prefix), k.Values[i]) }
	lower, upper = prefix, prefixEnd(prefix)
	switch k.Op {
	case expr.KeyLess:
		upper = at(0)
	case expr.KeyLessEqual:
		upper = prefixEnd(at(0))
	case expr.KeyGreater:
		lower = prefixEnd(at(0))
	case expr.KeyGreaterEqual:
		lower = at(0)
	case expr.KeyBetween:
		lower, upper = at(0), prefixEnd(at(1))
	case expr.KeyBeginsWith:
		lower = attr.AppendKeyPrefix(bytes.Clone(prefix), k.Values[0])
		upper = prefixEnd(lower)
	}
	return lower, upper
}
