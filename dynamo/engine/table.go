package engine

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// table is an open table. What it looks like is its shape, which never
// changes; altering a table puts another shape in its place.
type table struct {
	id   tableID
	name string

	// mu is held for reading by a write from before it looks at the shape
	// until its batch is applied, and for writing while the shape is
	// replaced: every batch agrees with the shape that follows it.
	mu    sync.RWMutex
	shape atomic.Pointer[shape]
	gone  bool // deleted; guarded by mu

	seq    sequencer
	counts counter
}

// counter counts rows and their size, for DescribeTable.
type counter struct{ items, bytes atomic.Int64 }

func (c *counter) add(items, bytes int64) {
	c.items.Add(items)
	c.bytes.Add(bytes)
}

// shape is a table's definition, made ready for use.
type shape struct {
	def     *tableDef
	key     expr.KeySchema
	indexes []*index
	// ttl is the attribute that holds an item's expiry, or empty.
	ttl string
	// logged says that changes are recorded, for a stream or for recovery.
	logged bool
}

// index is a secondary index, local or global.
type index struct {
	id     indexID
	name   string
	local  bool
	key    expr.KeySchema
	all    bool     // projects every attribute
	keep   []string // else: the projected attributes, keys included, sorted
	ready  bool     // false while it is being filled
	counts *counter
}

// keyAttrs returns the attributes of a key, partition first.
func keyAttrs(k expr.KeySchema) []expr.KeyAttribute {
	return append(slices.Clone(k.Partition), k.Sort...)
}

func isKey(k expr.KeySchema, name string) bool {
	is := func(a expr.KeyAttribute) bool { return a.Name == name }
	return slices.ContainsFunc(k.Partition, is) || slices.ContainsFunc(k.Sort, is)
}

func (s *shape) index(name string) *index {
	for _, ix := range s.indexes {
		if ix.name == name {
			return ix
		}
	}
	return nil
}

// compile makes a shape of a definition. Counters of indexes that exist
// already go on counting.
func compile(def *tableDef, before *shape) *shape {
	kinds := map[string]attr.Kind{}
	for _, d := range def.Desc.AttributeDefinitions {
		kinds[aws.ToString(d.AttributeName)] = kindOf(d.AttributeType)
	}
	s := &shape{def: def, key: compileKey("", def.Desc.KeySchema, kinds)}
	for _, l := range def.Desc.LocalSecondaryIndexes {
		s.addIndex(aws.ToString(l.IndexName), l.KeySchema, l.Projection, kinds, true, true, before)
	}
	for _, g := range def.Desc.GlobalSecondaryIndexes {
		ready := g.IndexStatus != types.IndexStatusCreating
		s.addIndex(aws.ToString(g.IndexName), g.KeySchema, g.Projection, kinds, false, ready, before)
	}
	// A fault of an attribute that several indexes share is told of the
	// first by name.
	slices.SortFunc(s.indexes, func(a, b *index) int { return cmp.Compare(a.name, b.name) })
	if def.TTL.Enabled {
		s.ttl = def.TTL.Attribute
	}
	s.logged = def.Recovery.Enabled || def.stream() != nil
	return s
}

func (s *shape) addIndex(name string, key []types.KeySchemaElement, p *types.Projection, kinds map[string]attr.Kind, local, ready bool, before *shape) {
	ix := &index{id: s.def.Indexes[name], name: name, local: local, ready: ready, key: compileKey(name, key, kinds), counts: new(counter)}
	if before != nil {
		if was := before.index(name); was != nil && was.id == ix.id {
			ix.counts = was.counts
		}
	}
	if ix.all = p == nil || p.ProjectionType == types.ProjectionTypeAll; !ix.all {
		for _, a := range append(keyAttrs(s.key), keyAttrs(ix.key)...) {
			ix.keep = append(ix.keep, a.Name)
		}
		if p.ProjectionType == types.ProjectionTypeInclude {
			ix.keep = append(ix.keep, p.NonKeyAttributes...)
		}
		slices.Sort(ix.keep)
		ix.keep = slices.Compact(ix.keep)
	}
	s.indexes = append(s.indexes, ix)
}

func compileKey(index string, elems []types.KeySchemaElement, kinds map[string]attr.Kind) expr.KeySchema {
	k := expr.KeySchema{Index: index}
	for _, el := range elems {
		name := aws.ToString(el.AttributeName)
		a := expr.KeyAttribute{Name: name, Kind: kinds[name]}
		if el.KeyType == types.KeyTypeHash {
			k.Partition = append(k.Partition, a)
		} else {
			k.Sort = append(k.Sort, a)
		}
	}
	return k
}

func kindOf(t types.ScalarAttributeType) attr.Kind {
	switch t {
	case types.ScalarAttributeTypeN:
		return attr.Number
	case types.ScalarAttributeTypeB:
		return attr.Binary
	}
	return attr.String
}

// rowKey appends the key of the item's base row. The item's key attributes
// must have been checked.
func (t *table) rowKey(dst []byte, s *shape, it attr.Item) []byte {
	pk, _ := it.Get(s.key.Partition[0].Name)
	dst = appendPartition(dst, t.id, baseIndex, pk)
	if len(s.key.Sort) > 0 {
		sk, _ := it.Get(s.key.Sort[0].Name)
		dst = attr.AppendKey(dst, sk)
	}
	return dst
}

// appendKey appends the key of the item's entry in the index; ok is false
// when the item is not in it, because it lacks one of the key attributes or,
// being older than the index, has a value there that no index can hold.
func (ix *index) appendKey(dst []byte, t tableID, it attr.Item, baseKey []byte) (key []byte, ok bool) {
	var hash [4]attr.Value
	for i, a := range ix.key.Partition {
		if hash[i], ok = it.Get(a.Name); !ok || !canBeKey(hash[i], a.Kind, maxHashKey) {
			return dst, false
		}
	}
	dst = appendPartition(dst, t, ix.id, hash[:len(ix.key.Partition)]...)
	for _, a := range ix.key.Sort {
		v, ok := it.Get(a.Name)
		if !ok || !canBeKey(v, a.Kind, maxSortKey) {
			return dst, false
		}
		dst = attr.AppendKey(dst, v)
	}
	return append(dst, baseKey...), true
}

func canBeKey(v attr.Value, kind attr.Kind, limit int) bool {
	n := len(v.Payload())
	return v.Kind() == kind && n > 0 && n <= limit
}

// project returns what the index keeps of the item.
func (ix *index) project(it attr.Item) attr.Item {
	if ix.all {
		return it
	}
	return pick(it, ix.keep)
}

// has reports whether the index holds the attribute.
func (ix *index) has(name string) bool {
	if ix.all {
		return true
	}
	_, found := slices.BinarySearch(ix.keep, name)
	return found
}

// lacks returns those of the attributes that the index does not hold.
func (ix *index) lacks(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), ix.has)
}

// pick returns the item with the named attributes alone; names are sorted.
func pick(it attr.Item, names []string) attr.Item {
	var b attr.Builder
	for _, name := range names {
		if v, ok := it.Get(name); ok {
			b.Set(name, v)
		}
	}
	return b.Item()
}
