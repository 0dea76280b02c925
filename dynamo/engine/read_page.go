package engine

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// maxPage is how many bytes of items a page reads before it ends.
const maxPage = 1 << 20

// page walks a range of a table's or an index's rows for Query and Scan.
type page struct {
	t            *table
	s            *shape
	ix           *index // nil for the table itself
	lower, upper []byte
	partition    []byte // the beginning of the keys of the one that is read; nil for all
	reverse      bool
	limit        int // 0 for none
	consistent   bool
	filter       *expr.Condition
	projection   *expr.Projection
	count        bool // only count
	fetch        bool // complete entries of a local index from the table
	level        CapacityLevel
	emit         func(attr.Item) error

	read      int // bytes read so far
	fetchCost float64
}

// open makes a page ready to read from the table or index that the request names.
func (p *page) open(e *Engine, r *Paged, q *readExpressions) error {
	t, err := e.table(*r.TableName)
	if err != nil {
		return err
	}
	*p = page{
		t: t, s: t.shape.Load(),
		limit:      int(aws.ToInt32(r.Limit)),
		consistent: r.ConsistentRead,
		filter:     q.filter,
		projection: q.projection,
		level:      CapacityLevel(r.ReturnConsumedCapacity),
		emit:       r.Emit,
	}
	return p.onIndex(r.IndexName, r.ConsistentRead)
}

// startAfter narrows the range to what follows a row key in the direction of
// the walk.
func (p *page) startAfter(key []byte) {
	if p.reverse {
		p.upper = key
		return
	}
	p.lower = append(key, 0)
}

// run walks until the range, the limit or the page's size ends.
func (p *page) run(ctx context.Context, e *Engine) (*PageAnswer, error) {
	p.note(ctx)
	var from pebble.Reader = e.db
	if p.fetch {
		snap := e.snapshot()
		defer func() { _ = snap.Close() }()
		from = snap
	}
	it, err := from.NewIter(&pebble.IterOptions{LowerBound: p.lower, UpperBound: p.upper})
	if err != nil {
		return nil, e.unreadable(err)
	}
	defer func() { _ = it.Close() }()
	out := new(PageAnswer)
	for ok := p.first(it); ok; ok = p.next(it) {
		if out.ScannedCount&255 == 255 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		stop, err := p.visit(e, from, it, out)
		if err != nil {
			return nil, err
		}
		if stop {
			break
		}
	}
	if err := it.Error(); err != nil {
		return nil, e.unreadable(err)
	}
	if p.level.wanted() {
		out.Capacity = p.capacity()
	}
	return out, nil
}

// note notes what is about to be read: a partition, with that of the items behind
// a local index, or everything.
func (p *page) note(ctx context.Context) {
	switch {
	case !tracked(ctx):
	case p.partition == nil:
		note(ctx, tableSlot(p.t.id))
	case p.fetch:
		items := append(appendRowPrefix(nil, p.t.id, baseIndex), p.partition[rowPrefixLen:]...)
		note(ctx, partitionSlot(p.partition), partitionSlot(items))
	default:
		note(ctx, partitionSlot(p.partition))
	}
}

func (p *page) first(it *pebble.Iterator) bool {
	if p.reverse {
		return it.Last()
	}
	return it.First()
}

func (p *page) next(it *pebble.Iterator) bool {
	if p.reverse {
		return it.Prev()
	}
	return it.Next()
}

// visit takes one row into the page and says whether it is the last.
func (p *page) visit(e *Engine, from pebble.Reader, it *pebble.Iterator, out *PageAnswer) (stop bool, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return false, e.unreadable(err)
	}
	size, item, ok := splitRow(value)
	if !ok {
		return false, e.damagedRow()
	}
	entry := item
	if p.fetch {
		full, err := p.fetchRow(e, from, entry)
		if err != nil {
			return false, err
		}
		defer full.close()
		item = full.item
	}
	out.ScannedCount++
	p.read += size
	if p.filter == nil || p.filter.Match(item) {
		out.Count++
		if !p.count && p.emit != nil {
			if err := p.emit(project(p.projection, item)); err != nil {
				return false, err
			}
		}
	}
	if stop = out.ScannedCount == p.limit || p.read >= maxPage; stop && !p.single() {
		out.LastKey = p.s.keyOf(entry, p.ix).Clone()
	}
	return stop, nil
}

// fetchRow reads the item behind an entry of a local index.
func (p *page) fetchRow(e *Engine, from pebble.Reader, entry attr.Item) (row, error) {
	full, err := e.read(from, p.t.rowKey(nil, p.s, entry))
	if err != nil {
		return row{}, err
	}
	if full.item == nil {
		return row{}, internalError("index %s has an entry without an item; run the check command", p.ix.name)
	}
	p.fetchCost += readUnits(full.size, p.consistent, false)
	return full, nil
}

func (p *page) capacity() *Capacity {
	c := &Capacity{Table: p.t.name}
	units := readUnits(p.read, p.consistent, false)
	c.Read = units + p.fetchCost
	switch {
	case p.ix == nil:
		c.Base.Read = units
	case p.ix.local:
		c.Base.Read = p.fetchCost
		c.Local = map[string]Units{p.ix.name: {Read: units}}
	default:
		c.Global = map[string]Units{p.ix.name: {Read: units}}
	}
	return c
}

// onIndex resolves the index of a read.
func (p *page) onIndex(name *string, consistent bool) error {
	if name == nil {
		return nil
	}
	ix := p.s.index(*name)
	if ix == nil {
		return invalid("The table does not have the specified index: %s", *name)
	}
	if !ix.local && consistent {
		return invalid("Consistent reads are not supported on global secondary indexes")
	}
	if !ix.ready {
		return invalid("Cannot read from backfilling global secondary index: %s", *name)
	}
	p.ix = ix
	return nil
}

// key returns the key schema that the walk follows.
func (p *page) key() expr.KeySchema {
	if p.ix != nil {
		return p.ix.key
	}
	return p.s.key
}

func (p *page) indexID() indexID {
	if p.ix != nil {
		return p.ix.id
	}
	return baseIndex
}

// choose settles what of each item is answered.
func (p *page) choose(selects string) error {
	p.count = selects == "COUNT"
	if p.ix == nil || p.ix.all {
		return nil
	}
	if selects == "ALL_ATTRIBUTES" {
		if !p.ix.local {
			return invalid("One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL", p.ix.name)
		}
		p.fetch = true
		return nil
	}
	return p.chooseAttributes()
}

// chooseAttributes looks whether the index holds what is asked of it. What a
// local index lacks comes from the table; a global one is refused.
func (p *page) chooseAttributes() error {
	lacks := p.ix.lacks(p.projection.Attributes())
	if len(lacks) > 0 && !p.ix.local {
		return invalid("One or more parameter values were invalid: Global secondary index %s does not project [%s]", p.ix.name, strings.Join(lacks, ", "))
	}
	p.fetch = len(lacks) > 0
	return nil
}

// checkFilter refuses a query's filter on what the index does not hold. A
// scan's finds nothing there.
func (p *page) checkFilter() error {
	if p.ix == nil {
		return nil
	}
	if lacks := p.ix.lacks(p.filter.Attributes()); len(lacks) > 0 {
		return invalid("One or more parameter values were invalid: Secondary index %s does not project one or more filter attributes: [%s]", p.ix.name, strings.Join(lacks, ", "))
	}
	return nil
}

var errStartKey = invalid("The provided starting key is invalid")

// checkStartLength refuses an ExclusiveStartKey that has not as many attributes
// as the keys of table and index together.
func (p *page) checkStartLength(key attr.Item) error {
	n := len(keyAttrs(p.s.key))
	if p.ix != nil {
		for _, a := range keyAttrs(p.ix.key) {
			if !isKey(p.s.key, a.Name) {
				n++
			}
		}
	}
	if key.Len() != n {
		return errStartKey
	}
	return nil
}

// checkStartPart refuses an ExclusiveStartKey by a part of the key that is
// walked.
func checkStartPart(key attr.Item, part []expr.KeyAttribute) error {
	for _, a := range part {
		v, ok := key.Get(a.Name)
		if !ok {
			return errStartKey
		}
		if v.Kind() != a.Kind {
			return errKeySchema
		}
	}
	return nil
}

// startKey checks the table's key in an ExclusiveStartKey and returns its row's
// key.
func (p *page) startKey(key attr.Item) ([]byte, error) {
	err := error(errKeySchema)
	if p.s.keyed(key) {
		err = checkKeyValues(p.s, key)
	}
	if own, ok := AsError(err); ok {
		return nil, invalid("The provided starting key is invalid: %s", own.Message)
	}
	base := p.t.rowKey(nil, p.s, key)
	if p.ix == nil {
		return base, nil
	}
	full, _ := p.ix.appendKey(nil, p.t.id, key, baseKeyOf(base))
	return full, nil
}
