package partiql_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
	"pressroom/dynamo/partiql"
)

// memory executes statements on one table in memory, in the plainest way that the
// package's results allow.
type memory struct {
	schema  expr.KeySchema
	indexes map[string]expr.KeySchema
	items   []attr.Item // ascending by key
}

// failure is an error of the service other than a ValidationException.
type failure string

func (f failure) Error() string { return string(f) }

const (
	conditionFailed = failure("ConditionalCheckFailedException")
	duplicateItem   = failure("DuplicateItemException")
)

func (m *memory) execute(text string, parameters []attr.Value) ([]attr.Item, error) {
	st, err := partiql.Parse(text)
	if err != nil {
		return nil, err
	}
	b, err := st.Bind(parameters)
	if err != nil {
		return nil, err
	}
	switch st.Kind {
	case partiql.Select:
		return m.read(b)
	case partiql.Exists:
		return nil, partiql.ErrExists
	}
	return m.write(b)
}

func (m *memory) read(b *partiql.Bound) ([]attr.Item, error) {
	schema := m.schema
	if b.Index != "" {
		var ok bool
		if schema, ok = m.indexes[b.Index]; !ok {
			return nil, partiql.ErrNoIndex
		}
	}
	plan, err := b.Plan(schema)
	if err != nil {
		return nil, err
	}
	rows := m.sorted(schema)
	var read []attr.Item
	if plan.Scan {
		read = rows
	}
	for _, r := range plan.Ranges {
		part := slices.DeleteFunc(slices.Clone(rows), func(it attr.Item) bool { return !inRange(it, schema, r) })
		if plan.Backward {
			slices.Reverse(part)
		}
		read = append(read, part...)
	}
	answer := []attr.Item{}
	for _, it := range read {
		if !plan.Filter.Match(it) {
			continue
		}
		answer = append(answer, b.Project(it))
	}
	return answer, nil
}

// sorted are the items that have the key of the schema, in its order.
func (m *memory) sorted(schema expr.KeySchema) []attr.Item {
	if schema.Index == "" {
		return m.items
	}
	rows := slices.DeleteFunc(slices.Clone(m.items), func(it attr.Item) bool { return keyBytes(it, schema) == nil })
	slices.SortStableFunc(rows, func(a, b attr.Item) int { return bytes.Compare(keyBytes(a, schema), keyBytes(b, schema)) })
	return rows
}

func keyBytes(it attr.Item, schema expr.KeySchema) []byte {
	var key []byte
	for _, k := range append(schema.Partition[:1:1], schema.Sort...) {
		v, ok := it.Get(k.Name)
		if !ok {
			return nil
		}
		key = attr.AppendKey(key, v)
	}
	return key
}

func inRange(it attr.Item, schema expr.KeySchema, r expr.KeyRange) bool {
	if v, _ := it.Get(schema.Partition[0].Name); !attr.Equal(v, r.Partition[0]) {
		return false
	}
	if len(schema.Sort) == 0 {
		return true
	}
	v, _ := it.Get(schema.Sort[0].Name)
	if r.Equal != nil {
		return attr.Equal(v, r.Equal[0])
	}
	if r.Op == expr.KeyNone {
		return true
	}
	order := bytes.Compare(v, r.Values[0])
	switch r.Op {
	case expr.KeyLess:
		return order < 0
	case expr.KeyLessEqual:
		return order <= 0
	case expr.KeyGreater:
		return order > 0
	case expr.KeyGreaterEqual:
		return order >= 0
	case expr.KeyBetween:
		return order >= 0 && bytes.Compare(v, r.Values[1]) <= 0
	case expr.KeyBeginsWith:
		return bytes.HasPrefix(v, r.Values[0])
	}
	panic(fmt.Sprintf("operator %d", r.Op))
}

func (m *memory) write(b *partiql.Bound) ([]attr.Item, error) {
	target, err := b.Target(m.schema)
	if err != nil {
		return nil, err
	}
	key := keyBytes(target.Key, m.schema)
	at, found := slices.BinarySearchFunc(m.items, key, func(it attr.Item, key []byte) int {
		return bytes.Compare(keyBytes(it, m.schema), key)
	})
	var old attr.Item
	if found {
		old = m.items[at]
	}
	switch b.Kind {
	case partiql.Insert:
		if found {
			return nil, duplicateItem
		}
		m.items = slices.Insert(m.items, at, b.Item)
		return nil, nil
	case partiql.Delete:
		if !found {
			return []attr.Item{}, nil
		}
		if !target.Condition.Match(old) {
			return nil, conditionFailed
		}
		m.items = slices.Delete(m.items, at, at+1)
		return returned(b, old, nil, expr.Touched{}), nil
	}
	if !found || !target.Condition.Match(old) {
		return nil, conditionFailed
	}
	updated, touched, err := b.Update.Apply(old)
	if err != nil {
		return nil, err
	}
	m.items[at] = updated
	return returned(b, old, updated, touched), nil
}

func returned(b *partiql.Bound, old, updated attr.Item, touched expr.Touched) []attr.Item {
	var it attr.Item
	switch b.Returning {
	case partiql.ReturnAllOld:
		it = old
	case partiql.ReturnAllNew:
		it = updated
	case partiql.ReturnModifiedOld:
		it = touched.Old()
	case partiql.ReturnModifiedNew:
		it = touched.New()
	}
	if it == nil {
		return []attr.Item{}
	}
	return []attr.Item{it}
}

// message is an error as the service would answer it.
func message(err error) string {
	var refused *partiql.Error
	var invalid *expr.Error
	if errors.As(err, &refused) || errors.As(err, &invalid) {
		return "ValidationException: " + err.Error()
	}
	return err.Error()
}

func text(items []attr.Item) string {
	var b strings.Builder
	for _, it := range items {
		b.Write(attr.AppendItemJSON(nil, it))
		b.WriteByte('\n')
	}
	return b.String()
}
