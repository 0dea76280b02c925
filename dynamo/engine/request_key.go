package engine

import (
	"slices"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

const (
	maxHashKey = 2048
	maxSortKey = 1024
	// MaxItemSize is the largest item, in bytes as DynamoDB counts them.
	MaxItemSize = 409600
)

// checkKey refuses what is not exactly the table's key, and returns the key
// of its row.
func (t *table) checkKey(s *shape, key attr.Item) ([]byte, error) {
	if key.Len() != len(s.key.Partition)+len(s.key.Sort) || !s.keyed(key) {
		return nil, errKeySchema
	}
	if err := checkKeyValues(s, key); err != nil {
		return nil, err
	}
	return t.rowKey(make([]byte, 0, 96), s, key), nil
}

var errKeySchema = invalid("The provided key element does not match the schema")

// keyed reports whether an item has the table's key attributes, each of its
// type.
func (s *shape) keyed(it attr.Item) bool {
	for _, list := range [2][]expr.KeyAttribute{s.key.Partition, s.key.Sort} {
		for _, a := range list {
			if v, ok := it.Get(a.Name); !ok || v.Kind() != a.Kind {
				return false
			}
		}
	}
	return true
}

// checkKeyValues refuses empty and over-long values of the table's key.
func checkKeyValues(s *shape, it attr.Item) error {
	for i, list := range [2][]expr.KeyAttribute{s.key.Partition, s.key.Sort} {
		for _, a := range list {
			v, _ := it.Get(a.Name)
			if kind := emptyKey(v); kind != "" {
				return emptyError("The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", kind, a.Name)
			}
			if i == 0 && len(v.Payload()) > maxHashKey {
				return invalid("One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes")
			}
			if i == 1 && len(v.Payload()) > maxSortKey {
				return invalid("One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
			}
		}
	}
	return nil
}

// emptyError refuses an empty value. In a transaction, DynamoDB looks for
// these before it looks at any item.
func emptyError(format string, args ...any) *Error {
	err := invalid("One or more parameter values are not valid. "+format, args...)
	err.upfront = true
	return err
}

// emptyKey names the kind of an empty string or binary, which keys cannot be.
func emptyKey(v attr.Value) string {
	switch {
	case len(v.Payload()) > 0:
		return ""
	case v.Kind() == attr.String:
		return "string"
	case v.Kind() == attr.Binary:
		return "binary"
	}
	return ""
}

// checkIndexUpdate refuses an update that sets a key of an index to an empty
// value.
func checkIndexUpdate(s *shape, u *expr.Update) error {
	for name, v := range u.Literals() {
		kind := emptyKey(v)
		if kind != "" && slices.ContainsFunc(s.indexes, func(ix *index) bool { return isKey(ix.key, name) }) {
			return emptyUpdate(kind)
		}
	}
	return nil
}

// checkItem refuses an item that the table cannot hold: a key attribute
// missing or of the wrong type, an index key of the wrong type or empty, too
// large as a whole.
func (t *table) checkItem(s *shape, it attr.Item) error {
	for _, list := range [2][]expr.KeyAttribute{s.key.Partition, s.key.Sort} {
		for _, a := range list {
			v, ok := it.Get(a.Name)
			if !ok {
				return invalid("One or more parameter values were invalid: Missing the key %s in the item", a.Name)
			}
			if v.Kind() != a.Kind {
				return invalid("One or more parameter values were invalid: Type mismatch for key %s expected: %s actual: %s", a.Name, a.Kind, v.Kind())
			}
		}
	}
	if err := checkKeyValues(s, it); err != nil {
		return err
	}
	return checkIndexKeys(s, it, nil, nil)
}

// checkIndexKeys refuses values that an index of the table cannot have as
// keys. What an old item has already, from before the index, may stay. What an
// update has computed is refused in other words than what the request holds.
func checkIndexKeys(s *shape, it, old attr.Item, u *expr.Update) error {
	for _, ix := range s.indexes {
		for i, list := range [2][]expr.KeyAttribute{ix.key.Partition, ix.key.Sort} {
			for _, a := range list {
				v, ok := it.Get(a.Name)
				if !ok || isKey(s.key, a.Name) {
					continue
				}
				if was, had := old.Get(a.Name); had && attr.Equal(was, v) {
					continue
				}
				if err := checkIndexKey(ix, a, i == 0, v, u != nil && !u.SetsLiteral(a.Name)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func checkIndexKey(ix *index, a expr.KeyAttribute, partition bool, v attr.Value, computed bool) error {
	empty := emptyKey(v)
	switch {
	case v.Kind() != a.Kind && computed:
		return invalid("The update expression attempted to update the secondary index key to unsupported type")
	case v.Kind() != a.Kind:
		return invalid("One or more parameter values were invalid: Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s", a.Name, a.Kind, v.Kind(), ix.name)
	case empty != "" && computed:
		return emptyUpdate(empty)
	case empty != "":
		return emptyError("A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s", empty, ix.name, a.Name)
	case len(v.Payload()) <= maxSortKey || partition && len(v.Payload()) <= maxHashKey:
		return nil
	case computed:
		return invalid("The update expression attempted to update the secondary index key beyond allowed size limits")
	case partition:
		return invalid("One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes")
	}
	return invalid("One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
}

func emptyUpdate(kind string) *Error {
	return emptyError("The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty %s value.", kind)
}

// keyOf returns the key attributes of an item, those of the index included.
func (s *shape) keyOf(it attr.Item, ix *index) attr.Item {
	var b attr.Builder
	put := func(k expr.KeySchema) {
		for _, a := range keyAttrs(k) {
			if v, ok := it.Get(a.Name); ok {
				b.Set(a.Name, v)
			}
		}
	}
	put(s.key)
	if ix != nil {
		put(ix.key)
	}
	return b.Item()
}
