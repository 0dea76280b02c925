package engine

import (
	"bytes"
	"context"

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
	if r.ExclusiveStartKey != nil {
		if err := p.checkStartLength(r.ExclusiveStartKey); err != nil {
			return err
		}
		if err := checkStartPart(r.ExclusiveStartKey, p.key().Partition); err != nil {
			return err
		}
	}
	keys, err := q.key.Fit(p.key())
	if err != nil {
		return err
	}
	p.within(keys)
	if r.ExclusiveStartKey != nil {
		if err := p.start(r.ExclusiveStartKey, keys); err != nil {
			return err
		}
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

// start lets the page begin after a key. A table without sort keys has one item
// to a partition, and nothing after it.
func (p *page) start(key attr.Item, keys *expr.KeyRange) error {
	if err := checkStartPart(key, p.key().Sort); err != nil {
		return err
	}
	row, err := p.startKey(key)
	if err != nil {
		return err
	}
	if err := p.checkStart(row, keys); err != nil {
		return err
	}
	if p.single() {
		name := p.s.key.Partition[0].Name
		v, _ := key.Get(name)
		return invalid("The provided exclusive start key is invalid: ExclusiveStartKey: {%s=AttributeValue: %s}", name, expr.Show(v))
	}
	p.startAfter(row)
	return nil
}

// single reports whether the query can find one item at most: that of a
// partition of a table without sort keys.
func (p *page) single() bool { return p.ix == nil && p.partition != nil && len(p.s.key.Sort) == 0 }

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
