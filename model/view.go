package model

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo"
)

// View reads what one access pattern yields, as values of V. V is a struct whose
// attributes the answer really holds: where the pattern reads an index that
// projects some attributes only, a V that has others is refused when the view is
// made, not filled with zeros when it is read. For patterns that yield several
// entities, V is [Item].
type View[V any] struct{ view }

// view is what a View does whatever its type is, compiled once like [core].
type view struct {
	db      dynamo.API
	table   *Table
	pattern *Pattern
	cursors *cursors // nil if there is no key for them
	whole   bool     // the answer holds whole items
	items   bool     // V is Item
	only    *Entity  // what all items are; nil if keys have to tell
}

// Item is an item of which a view says what it is.
type Item struct {
	Entity *Entity
	Raw    Raw
	held   []string // the fields that an index holds of it; nil if it is whole

	foreign bool // another program wrote it
}

// As decodes the item into a struct. It is an error if the struct has an
// attribute that the answer does not hold.
func (i Item) As(into any) error {
	t := reflect.TypeOf(into)
	if t == nil || t.Kind() != reflect.Pointer {
		return fmt.Errorf("%s: %T is no pointer to a struct", i.Entity.Name, into)
	}
	names, _ := attributesOf(t.Elem())
	for _, name := range names {
		if i.held != nil && !slices.Contains(i.held, name) {
			return fmt.Errorf("%s: %s has %s, which the answer does not hold", i.Entity.Name, t.Elem(), name)
		}
	}
	return attributevalue.UnmarshalMap(i.Raw, into)
}

// Window bounds the pattern's Range field, both ends included; "" is no bound.
// A bound may be the beginning of a value: To "2026-11" includes all of
// November.
type Window struct{ From, To string }

// PageOptions say which page of a list is wanted.
type PageOptions struct {
	Limit  int    // the items of the page; 0 means the pattern's own
	Cursor string // where it begins; "" means at the beginning
	Window Window
}

// Page is a part of a list.
type Page[V any] struct {
	Items []V
	Next  string // the cursor of the next page; "" if nothing follows
}

// NewView returns a view of the table's pattern. It is an error if the answer
// lacks an attribute of V.
func NewView[V any](db dynamo.API, t *Table, pattern string, o *Options) (*View[V], error) {
	p, ok := t.Pattern(pattern)
	if !ok {
		return nil, fmt.Errorf("table %s has no pattern %s", t.Name, pattern)
	}
	if p.Op != Get && p.Op != Query {
		return nil, fmt.Errorf("pattern %s does not read", p.Name)
	}
	v := &View[V]{view{db: db, table: t, pattern: p}}
	if err := v.prepare(reflect.TypeFor[V](), o); err != nil {
		return nil, err
	}
	return v, nil
}

func (v *view) prepare(of reflect.Type, o *Options) error {
	x, indexed := v.table.Index(v.pattern.Index)
	v.whole = !indexed || v.pattern.Fetch || x.Projection == All
	v.items = of == reflect.TypeFor[Item]()
	if err := v.checkType(of); err != nil {
		return fmt.Errorf("pattern %s: %w", v.pattern.Name, err)
	}
	if len(v.pattern.Yields) == 1 {
		v.only, _ = v.table.Entity(v.pattern.Yields[0]) // no two entities of a valid schema could have the same key
	}
	if o == nil || o.CursorKey == nil {
		return nil
	}
	var err error
	v.cursors, err = newCursors(o.CursorKey)
	return err
}

func (v *view) checkType(of reflect.Type) error {
	if v.items {
		return nil
	}
	if len(v.pattern.Yields) != 1 {
		return fmt.Errorf("it yields several entities, which only an Item can hold")
	}
	e, ok := v.table.Entity(v.pattern.Yields[0])
	if !ok {
		return fmt.Errorf("no entity %s", v.pattern.Yields[0])
	}
	names, ok := attributesOf(of)
	if !ok {
		return fmt.Errorf("%s is no struct", of)
	}
	held := v.table.Held(v.pattern, e)
	for _, name := range names {
		switch {
		case !slices.Contains(held, name):
			return fmt.Errorf("%s has %s, which the answer does not hold", of, name)
		case !v.whole && e.touched(name):
			return fmt.Errorf("%s has %s, which older items have in another form; only whole items can be upgraded", of, name)
		}
	}
	return nil
}

// One returns the answer of a pattern that finds one item, or ErrNotFound.
func (v *View[V]) One(ctx context.Context, args Values) (V, error) {
	for value, err := range v.All(ctx, args, Window{}) {
		return value, err
	}
	var zero V
	return zero, fmt.Errorf("%s: %w", v.pattern.Name, ErrNotFound)
}

// get reads the item of a pattern that finds one by its key; nil if there is none.
func (v *view) get(ctx context.Context, args Values) (Raw, error) {
	values, err := v.values(args)
	if err != nil {
		return nil, err
	}
	e, _ := v.table.Entity(v.pattern.Yields[0])
	key, err := v.table.Key(e, values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.pattern.Name, err)
	}
	out, err := v.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &v.table.Name, Key: key, ConsistentRead: aws.Bool(v.pattern.Strong)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.pattern.Name, err)
	}
	return v.table.settled(ctx, v.db, out.Item)
}

// All yields the whole answer, page by page as it is consumed. After an error
// nothing follows.
func (v *View[V]) All(ctx context.Context, args Values, w Window) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		for item, err := range v.raws(ctx, args, w) {
			var value V
			if err == nil && v.items && !v.known(item) {
				continue
			}
			if err == nil {
				err = v.decode(item, &value)
			}
			if !yield(value, err) || err != nil {
				return
			}
		}
	}
}

// raws yields the items of the whole answer.
func (v *view) raws(ctx context.Context, args Values, w Window) iter.Seq2[Raw, error] {
	return func(yield func(Raw, error) bool) {
		if v.pattern.Op == Get {
			if item, err := v.get(ctx, args); item != nil || err != nil {
				yield(item, err)
			}
			return
		}
		q, err := v.query(args, w)
		if err != nil {
			yield(nil, err)
			return
		}
		q.Limit = aws.Int32(int32(v.pattern.Limit))
		for {
			items, next, err := v.fetchPage(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil {
				return
			}
			q.ExclusiveStartKey = next
		}
	}
}

// Page returns one page of the answer. A cursor that is none of this list's,
// with these arguments, is ErrCursor.
func (v *View[V]) Page(ctx context.Context, args Values, o PageOptions) (Page[V], error) {
	items, next, err := v.page(ctx, args, o)
	if err != nil || len(items) == 0 {
		return Page[V]{Next: next}, err
	}
	page := Page[V]{Items: make([]V, len(items)), Next: next}
	for i, item := range items {
		if err := v.decode(item, &page.Items[i]); err != nil {
			return Page[V]{}, err
		}
	}
	return page, nil
}

// page returns the items of a page and the cursor of the next one.
func (v *view) page(ctx context.Context, args Values, o PageOptions) (items []Raw, next string, err error) {
	if v.cursors == nil {
		return nil, "", fmt.Errorf("%s: pages need a key for cursors", v.pattern.Name)
	}
	q, err := v.query(args, o.Window)
	if err != nil {
		return nil, "", err
	}
	list := scope(v.table.Name, v.pattern.Name, args, o.Window)
	if o.Cursor != "" {
		if q.ExclusiveStartKey, err = v.cursors.open(o.Cursor, list); err != nil {
			return nil, "", fmt.Errorf("%s: %w", v.pattern.Name, err)
		}
	}
	limit := o.Limit
	if limit <= 0 {
		limit = v.pattern.Limit
	}
	entries, err := v.entries(ctx, q, limit+1)
	if err != nil {
		return nil, "", err
	}
	if len(entries) > limit {
		entries = entries[:limit]
		if next, err = v.cursors.seal(v.position(entries[limit-1]), list); err != nil {
			return nil, "", err
		}
	}
	items, err = v.behind(ctx, entries)
	return items, next, err
}

// entries reads the next n entries, in as many queries as that takes.
func (v *view) entries(ctx context.Context, q *dynamodb.QueryInput, n int) ([]Raw, error) {
	var all []Raw
	for len(all) < n {
		q.Limit = aws.Int32(int32(n - len(all)))
		out, err := v.ask(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.pattern.Name, err)
		}
		all = append(all, out.Items...)
		if out.LastEvaluatedKey == nil {
			break
		}
		q.ExclusiveStartKey = out.LastEvaluatedKey
	}
	return all, nil
}

func (v *view) fetchPage(ctx context.Context, q *dynamodb.QueryInput) (items []Raw, next Raw, err error) {
	out, err := v.ask(ctx, q)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", v.pattern.Name, err)
	}
	items, err = v.behind(ctx, out.Items)
	return items, out.LastEvaluatedKey, err
}

// behind reads the items behind index entries, if the pattern asks for them, and
// settles what saves have. Those that are gone, or have moved in the index since,
// are left out.
func (v *view) behind(ctx context.Context, entries []Raw) ([]Raw, error) {
	if !v.pattern.Fetch || len(entries) == 0 {
		return v.table.settle(ctx, v.db, entries)
	}
	keys := make([]Raw, len(entries))
	places := map[string]Raw{}
	for i, entry := range entries {
		keys[i] = only(entry, v.table.KeyNames())
		places[v.table.keyID(entry)] = entry
	}
	items, err := v.table.batchGet(ctx, v.db, keys, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.pattern.Name, err)
	}
	x, _ := v.table.Index(v.pattern.Index)
	items = slices.DeleteFunc(items, func(item Raw) bool {
		entry := places[v.table.keyID(item)]
		return slices.ContainsFunc(x.KeyNames(), func(name string) bool {
			was, _ := textOf(entry[name])
			is, _ := textOf(item[name])
			return was != is
		})
	})
	return v.table.settle(ctx, v.db, items)
}

// position is the key at which a query goes on after the entry.
func (v *view) position(entry Raw) Raw {
	names := v.table.KeyNames()
	if x, ok := v.table.Index(v.pattern.Index); ok {
		names = append(names, x.KeyNames()...)
	}
	return only(entry, names)
}

func only(item Raw, names []string) Raw {
	part := Raw{}
	for _, name := range names {
		part[name] = item[name]
	}
	return part
}

// known reports whether an item is of an entity. Where several are read together,
// what other programs put beside them is left alone.
func (v *view) known(item Raw) bool {
	_, _, ok := v.table.entityOf(item)
	return ok
}

// decode reads an item into a pointer to the view's type.
func (v *view) decode(item Raw, into any) error {
	e, ok := v.only, v.only != nil && v.table.fits(v.only, item)
	if !ok {
		e, _, ok = v.table.entityOf(item)
	}
	if !ok || !slices.Contains(v.pattern.Yields, e.Name) {
		pk, _ := textOf(item[v.table.PK.Name])
		sk, _ := textOf(item[v.table.SK.Name])
		return fmt.Errorf("%s: the item under %q, %q does not belong into the answer", v.pattern.Name, pk, sk)
	}
	if !v.items {
		return v.table.decode(e, item, v.whole, into)
	}
	if v.whole {
		v.table.versioned(e, item)
	}
	if err := v.table.complete(e, item, v.whole); err != nil {
		return err
	}
	found := Item{Entity: e, Raw: item}
	if !v.whole {
		found.held = v.table.Held(v.pattern, e)
	}
	*into.(*Item) = found
	return nil
}

// optional is the variable that the partition's key can do without; "" if there is none.
func (v *view) optional() string {
	e, ok := v.table.Entity(v.pattern.Yields[0])
	if !ok {
		return ""
	}
	pk, _, err := v.table.Keys(v.pattern, e)
	if err != nil {
		return ""
	}
	return pk.Optional()
}

// values checks the caller's arguments and adds those that the pattern fixes.
func (v *view) values(args Values) (Values, error) {
	p := v.pattern
	for _, name := range p.By {
		if args[name] == "" {
			return nil, fmt.Errorf("%s: no value for %s", p.Name, name)
		}
	}
	for name := range args {
		if !slices.Contains(p.By, name) && name != v.optional() {
			return nil, fmt.Errorf("%s: takes no %s", p.Name, name)
		}
	}
	values := maps.Clone(args)
	if values == nil {
		values = Values{}
	}
	maps.Copy(values, p.Given)
	return values, nil
}

// View returns the repository's view of a pattern that yields whole items of T,
// or at least all that T has.
func (r *Repo[T]) View(pattern string) (*View[T], error) {
	if v, ok := r.views.Load(pattern); ok {
		return v.(*View[T]), nil
	}
	v, err := NewView[T](r.db, r.table, pattern, &Options{CursorKey: r.secret})
	if err != nil {
		return nil, err
	}
	r.views.Store(pattern, v)
	return v, nil
}

// All yields the answer to a pattern of the table, as [View.All] does.
func (r *Repo[T]) All(ctx context.Context, pattern string, args Values) iter.Seq2[T, error] {
	v, err := r.View(pattern)
	if err != nil {
		return func(yield func(T, error) bool) {
			var zero T
			yield(zero, err)
		}
	}
	return v.All(ctx, args, Window{})
}

// Page returns a page of the answer to a pattern, as [View.Page] does.
func (r *Repo[T]) Page(ctx context.Context, pattern string, args Values, o PageOptions) (Page[T], error) {
	v, err := r.View(pattern)
	if err != nil {
		return Page[T]{}, err
	}
	return v.Page(ctx, args, o)
}
