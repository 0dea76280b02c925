package modeltest

import (
	"cmp"
	"fmt"
	"math"
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
		proofs := grow(t, st, table)
		for j := range table.Patterns {
			p := &table.Patterns[j]
			t.Run(table.Name+"/"+p.Name, func(t *testing.T) {
				switch p.Op {
				case model.Outside:
					outside(t, table, p)
				case model.Put:
					writes(t, st, table, p)
				default:
					reads(t, st, table, p, proofs[p.Name])
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

// proof is what was seen of a pattern while its table grew.
type proof struct {
	before, after float64 // units of a page
	problems      []error
}

// small is how many items the table has at the first look, beside those of the pages: a
// table of many patterns must not be full before its partitions are.
func small() int { return min(1000, *size*2/3) }

// grow fills a table in two steps and reads a page of every pattern after each.
func grow(t *testing.T, st store, like *model.Table) map[string]*proof {
	t.Helper()
	f := &filler{t: t, st: st, table: st.table(t, like)}
	proofs := map[string]*proof{}
	for i := range f.table.Patterns {
		if p := &f.table.Patterns[i]; p.Op == model.Get || p.Op == model.Query {
			proofs[p.Name] = &proof{}
			f.patterns = append(f.patterns, p)
		}
	}
	f.pages()
	paged := f.n
	f.fill(paged + small())
	for _, p := range f.patterns {
		page := read(t, st, f.table, p)
		proofs[p.Name].before, proofs[p.Name].problems = page.units, page.problems
	}
	f.fill(paged + *size)
	for _, p := range f.patterns {
		page := read(t, st, f.table, p)
		proofs[p.Name].after = page.units
		proofs[p.Name].problems = append(proofs[p.Name].problems, page.problems...)
	}
	return proofs
}

// filler puts samples into a table.
type filler struct {
	t        *testing.T
	st       store
	table    *model.Table
	patterns []*model.Pattern // those that read
	n        int              // items so far
}

// pages writes a full page for every pattern.
func (f *filler) pages() {
	for _, p := range f.patterns {
		items, err := cost.Samples{Table: f.table}.Page(p)
		if err != nil {
			f.t.Fatal(err)
		}
		f.st.put(f.t, f.table, items)
		f.n += len(items)
	}
}

// fillAtOnce is how many items are held at a time while a table is filled.
const fillAtOnce = 5000

// fill writes items until there are so many: every second one lies in a
// partition that some pattern's answer comes from, the others are of all entities
// and lie all over the table.
func (f *filler) fill(to int) {
	far := cost.Samples{Table: f.table, Spread: true}
	var items []model.Raw
	for ; f.n < to; f.n++ {
		var item model.Raw
		var err error
		if f.n%2 == 0 && len(f.patterns) > 0 {
			item, err = f.near(f.n / 2)
		} else {
			item, err = far.Item(&f.table.Entities[f.n/2%len(f.table.Entities)], f.n, nil)
		}
		if err != nil {
			f.t.Fatal(err)
		}
		if items = append(items, item); len(items) == fillAtOnce {
			f.st.put(f.t, f.table, items)
			items = items[:0]
		}
	}
	f.st.put(f.t, f.table, items)
}

// near makes an item in the partition of one of the patterns, each in turn.
func (f *filler) near(n int) (model.Raw, error) {
	s := cost.Samples{Table: f.table}
	p := f.patterns[n%len(f.patterns)]
	args, err := s.Args(p)
	if err != nil {
		return nil, err
	}
	neighbours, err := f.neighbours(p)
	if err != nil {
		return nil, err
	}
	e := neighbours[n/len(f.patterns)%len(neighbours)]
	return s.Item(e, f.n, s.Fixed(p, e, args))
}

// neighbours returns the entities that share partitions with the answer: those
// that the pattern yields, and those that it must not meet.
func (f *filler) neighbours(p *model.Pattern) ([]*model.Entity, error) {
	first, ok := f.table.Entity(p.Yields[0])
	if !ok {
		return nil, fmt.Errorf("no entity %s", p.Yields[0])
	}
	pk, _, err := f.table.Keys(p, first)
	if err != nil {
		return nil, err
	}
	var near []*model.Entity
	for i := range f.table.Entities {
		e := &f.table.Entities[i]
		if other, _, err := f.table.Keys(p, e); err == nil && other.Overlaps(pk) {
			near = append(near, e)
		}
	}
	return near, nil
}

// reads reports what was seen while the table grew, and compares the cost of a
// page of known items with the stated one.
func reads(t *testing.T, st store, like *model.Table, p *model.Pattern, seen *proof) {
	for _, problem := range seen.problems {
		t.Error(problem)
	}
	if st.foreign {
		return // only the embedded tables count units as DynamoDB does
	}
	if seen.after > growth*seen.before {
		t.Errorf("a page costs %g units among %d items, and %g among %d", seen.before, small(), seen.after, *size)
	}
	stated, err := cost.Of(like, p)
	if err != nil {
		t.Fatal(err)
	}
	table := st.table(t, like)
	items, err := cost.Samples{Table: table}.Page(p)
	if err != nil {
		t.Fatal(err)
	}
	st.put(t, table, items)
	page := read(t, st, table, p)
	for _, problem := range page.problems {
		t.Error(problem)
	}
	if page.units != stated.Read || page.length != stated.Items {
		t.Errorf("a page is said to cost %g units for %d items, and costs %g for %d", stated.Read, stated.Items, page.units, page.length)
	}
}

// seenPage is a page, as far as it was looked at.
type seenPage struct {
	units    float64
	length   int
	problems []error
}

func (s *seenPage) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Errorf(format, args...))
}

var options = &model.Options{CursorKey: []byte("a key for the cursors of tests")}

// read reads one page of a pattern and looks at how, and at what it holds.
func read(t *testing.T, st store, table *model.Table, p *model.Pattern) (seen seenPage) {
	t.Helper()
	counter := &Counter{API: st.db}
	view, err := model.NewView[model.Item](counter, table, p.Name, options)
	if err != nil {
		t.Fatal(err)
	}
	args, err := cost.Samples{Table: table}.Args(p)
	if err != nil {
		t.Fatal(err)
	}
	var items []model.Item
	if p.Op == model.Get || p.Limit == 1 {
		item, err := view.One(t.Context(), args)
		if err != nil {
			seen.problem("%w", err)
			return seen
		}
		items = append(items, item)
	} else {
		page, err := view.Page(t.Context(), args, model.PageOptions{})
		if err != nil {
			seen.problem("%w", err)
			return seen
		}
		items = page.Items
	}
	seen.units, seen.length = counter.Units, len(items)
	seen.operations(p, counter)
	seen.answer(p, items)
	return seen
}

// operations looks at how the page was read.
func (s *seenPage) operations(p *model.Pattern, c *Counter) {
	want := []string{"Query"}
	if p.Op == model.Get {
		want = []string{"GetItem"}
	}
	if p.Fetch {
		want = append(want, "BatchGetItem")
	}
	if !slices.Equal(c.Ops, want) {
		s.problem("it was answered by %v, not by %v", c.Ops, want)
	}
	if c.Filters > 0 || c.Scanned != c.Returned {
		s.problem("it looked at %d items for %d, with %d filters", c.Scanned, c.Returned, c.Filters)
	}
}

// answer looks at what the page holds.
func (s *seenPage) answer(p *model.Pattern, items []model.Item) {
	if len(items) == 0 || len(items) > max(1, p.Limit) {
		s.problem("it answers %d items", len(items))
	}
	for _, item := range items {
		for _, name := range p.Shows {
			if item.Raw[name] == nil {
				s.problem("it shows %s, and the answer has none", name)
				return
			}
		}
	}
	if p.Order != "" && !slices.IsSortedFunc(items, func(a, b model.Item) int {
		c := compare(a.Raw[p.Order], b.Raw[p.Order])
		if p.Desc {
			return -c
		}
		return c
	}) {
		s.problem("it is not in the order of %s", p.Order)
	}
}

// compare compares numbers as numbers, and other values as text.
func compare(a, b types.AttributeValue) int {
	x, isNumber := a.(*types.AttributeValueMemberN)
	y, isNumber2 := b.(*types.AttributeValueMemberN)
	if !isNumber || !isNumber2 {
		return strings.Compare(text(a), text(b))
	}
	// Samples are whole numbers of few digits.
	return cmp.Compare(number(x.Value), number(y.Value))
}

func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
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
