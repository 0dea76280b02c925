package modeltest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/model"
	"pressroom/model/cost"
)

// growth is how much more a page may cost in a larger table.
const growth = 1.5

// Patterns proves each access pattern, one subtest a row: a read is a Get or a
// Query that looks at nothing but its answer, in the order asked for, with the
// fields that it shows, at a cost that does not grow with the table; a write is
// one write, or one transaction.
func Patterns(t *testing.T, s model.Schema) {
	st := open(t)
	for i := range s.Tables {
		table := &s.Tables[i]
		for j := range table.Patterns {
			p := &table.Patterns[j]
			t.Run(table.Name+"/"+p.Name, func(t *testing.T) {
				switch p.Op {
				case model.Outside:
					outside(t, table, p)
				case model.Put:
					writes(t, st, table, p)
				default:
					reads(t, st, table, p)
				}
			})
		}
	}
}

// outside holds for a pattern that has no business in the table.
func outside(t *testing.T, table *model.Table, p *model.Pattern) {
	if p.Served == "" || p.Index != "" || len(p.Yields)+len(p.Writes)+len(p.By) > 0 {
		t.Errorf("%s is served outside of %s, and says how the table would serve it", p.Name, table.Name)
	}
}

func reads(t *testing.T, st store, like *model.Table, p *model.Pattern) {
	r := newReader(t, st, like, p)
	small := min(1000, *size*2/3)
	r.fill(0, small)
	before, _ := r.page()
	r.fill(small, *size)
	after, _ := r.page()
	if !st.foreign && after > growth*before {
		t.Errorf("a page costs %g units among %d items, and %g among %d", before, small, after, *size)
	}
	if !st.foreign {
		r.proveCost(st, like)
	}
}

type reader struct {
	t       *testing.T
	st      store
	table   *model.Table
	pattern *model.Pattern
	counter *Counter
	args    model.Values
}

var options = &model.Options{CursorKey: []byte("a key for the cursors of tests")}

func newReader(t *testing.T, st store, like *model.Table, p *model.Pattern) *reader {
	t.Helper()
	r := &reader{t: t, st: st, table: st.table(t, like), pattern: p, counter: &Counter{API: st.db}}
	var err error
	if r.args, err = (cost.Samples{Table: r.table}).Args(p); err != nil {
		t.Fatal(err)
	}
	return r
}

// neighbours returns the entities that share partitions with the answer: those
// that the pattern yields, and those that it must not meet.
func (r *reader) neighbours() []*model.Entity {
	first, _ := r.table.Entity(r.pattern.Yields[0])
	pk, _, err := r.table.Keys(r.pattern, first)
	if err != nil {
		r.t.Fatal(err)
	}
	var near []*model.Entity
	for i := range r.table.Entities {
		e := &r.table.Entities[i]
		if other, _, err := r.table.Keys(r.pattern, e); err == nil && other.Overlaps(pk) {
			near = append(near, e)
		}
	}
	return near
}

// fill writes items from..to: every second one lies in the partition that the
// answer comes from, if it can, the others are of all entities and lie all over
// the table.
func (r *reader) fill(from, to int) {
	r.t.Helper()
	neighbours := r.neighbours()
	near, far := cost.Samples{Table: r.table}, cost.Samples{Table: r.table, Spread: true}
	items := make([]model.Raw, 0, to-from)
	for n := from; n < to; n++ {
		var item model.Raw
		var err error
		if n%2 == 0 {
			e := neighbours[n/2%len(neighbours)]
			item, err = near.Item(e, n/2, near.Fixed(r.pattern, e, r.args))
		} else {
			item, err = far.Item(&r.table.Entities[n/2%len(r.table.Entities)], n, nil)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		items = append(items, item)
	}
	r.st.put(r.t, r.table, items)
}

// page reads one page, checks it, and returns its cost and its length.
func (r *reader) page() (units float64, length int) {
	r.t.Helper()
	view, err := model.NewView[model.Item](r.counter, r.table, r.pattern.Name, options)
	if err != nil {
		r.t.Fatal(err)
	}
	r.counter.reset()
	var items []model.Item
	if r.pattern.Op == model.Get || r.pattern.Limit == 1 {
		item, err := view.One(r.t.Context(), r.args)
		if err != nil {
			r.t.Fatal(err)
		}
		items = append(items, item)
	} else {
		page, err := view.Page(r.t.Context(), r.args, model.PageOptions{})
		if err != nil {
			r.t.Fatal(err)
		}
		items = page.Items
	}
	r.operations()
	r.answer(items)
	return r.counter.Units, len(items)
}

// operations checks how the page was read.
func (r *reader) operations() {
	r.t.Helper()
	want := []string{"Query"}
	if r.pattern.Op == model.Get {
		want = []string{"GetItem"}
	}
	if r.pattern.Fetch {
		want = append(want, "BatchGetItem")
	}
	if !slices.Equal(r.counter.Ops, want) {
		r.t.Errorf("%s was answered by %v, not by %v", r.pattern.Name, r.counter.Ops, want)
	}
	if r.counter.Filters > 0 || r.counter.Scanned != r.counter.Returned {
		r.t.Errorf("%s looked at %d items for %d, with %d filters", r.pattern.Name, r.counter.Scanned, r.counter.Returned, r.counter.Filters)
	}
}

// answer checks what the page holds.
func (r *reader) answer(items []model.Item) {
	r.t.Helper()
	p := r.pattern
	if len(items) == 0 || len(items) > max(1, p.Limit) {
		r.t.Fatalf("%s answers %d items", p.Name, len(items))
	}
	for _, item := range items {
		for _, name := range p.Shows {
			if item.Raw[name] == nil {
				r.t.Fatalf("%s shows %s, and the answer has none", p.Name, name)
			}
		}
	}
	if p.Order == "" {
		return
	}
	if !slices.IsSortedFunc(items, func(a, b model.Item) int {
		c := compare(text(a.Raw[p.Order]), text(b.Raw[p.Order]))
		if p.Desc {
			return -c
		}
		return c
	}) {
		r.t.Errorf("%s is not in the order of %s", p.Name, p.Order)
	}
}

// compare compares numbers as numbers, and other text as text.
func compare(a, b string) int {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	switch {
	case err != nil || err2 != nil:
		return strings.Compare(a, b)
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// proveCost reads a page of exactly the items that the cost is counted for.
func (r *reader) proveCost(st store, like *model.Table) {
	r.t.Helper()
	stated, err := cost.Of(like, r.pattern)
	if err != nil {
		r.t.Fatal(err)
	}
	r.table = st.table(r.t, like)
	items, err := cost.Samples{Table: r.table}.Page(r.pattern)
	if err != nil {
		r.t.Fatal(err)
	}
	st.put(r.t, r.table, items)
	if paid, length := r.page(); paid != stated.Read || length != stated.Items {
		r.t.Errorf("%s is said to cost %g units for %d items, and costs %g for %d", r.pattern.Name, stated.Read, stated.Items, paid, length)
	}
}

// writes does a write with one item of each kind, and reads it back.
func writes(t *testing.T, st store, like *model.Table, p *model.Pattern) {
	table := st.table(t, like)
	counter := &Counter{API: st.db}
	var pieces []types.TransactWriteItem
	for _, w := range p.Writes {
		e, _ := table.Entity(w.Entity)
		item, err := (cost.Samples{Table: table}).Item(e, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, types.TransactWriteItem{Put: &types.Put{TableName: &table.Name, Item: item}})
	}
	if err := write(t, counter, table, pieces); err != nil {
		t.Fatal(err)
	}
	for i, piece := range pieces {
		id, ok := table.Identify(piece.Put.Item)
		if !ok || id.Entity.Name != p.Writes[i].Entity {
			t.Errorf("a %s is not recognised by its key", p.Writes[i].Entity)
		}
	}
	stated, err := cost.Of(like, p)
	if err != nil {
		t.Fatal(err)
	}
	if !st.foreign && counter.Units != stated.Write {
		t.Errorf("%s is said to cost %g units, and costs %g", p.Name, stated.Write, counter.Units)
	}
}

func write(t *testing.T, counter *Counter, table *model.Table, pieces []types.TransactWriteItem) error {
	t.Helper()
	if len(pieces) == 1 {
		_, err := counter.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table.Name, Item: pieces[0].Put.Item})
		return err
	}
	if len(pieces) > model.MaxTransaction {
		return fmt.Errorf("%d kinds of items", len(pieces))
	}
	_, err := counter.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: pieces})
	return err
}
