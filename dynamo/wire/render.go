package wire

import (
	"maps"
	"slices"
	"strconv"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
	"pressroom/dynamo/token"
)

// The parts that the answers of several operations share, appended to c.out.

func (c *call) raw(s string)    { c.out = append(c.out, s...) }
func (c *call) string(s string) { c.out = token.AppendQuoted(c.out, s) }

// key begins a member of the object that is being written. Its name must not
// need quoting.
func (c *call) key(name string) {
	c.comma('{')
	c.out = append(c.out, '"')
	c.out = append(c.out, name...)
	c.out = append(c.out, '"', ':')
}

// member is key for a name that comes from outside.
func (c *call) member(name string) {
	c.comma('{')
	c.string(name)
	c.out = append(c.out, ':')
}

// comma separates a part from the one before it, unless it is the first.
func (c *call) comma(open byte) {
	if c.out[len(c.out)-1] != open {
		c.out = append(c.out, ',')
	}
}

func (c *call) number(f float64) { c.out = strconv.AppendFloat(c.out, f, 'f', -1, 64) }

func (c *call) whole(n int) { c.out = strconv.AppendInt(c.out, int64(n), 10) }

// itemMember writes an item unless it is nil.
func (c *call) itemMember(name string, it attr.Item) {
	if it != nil {
		c.key(name)
		c.out = attr.AppendItemJSON(c.out, it)
	}
}

// addItem writes an item as the next element of a list.
func (c *call) addItem(it attr.Item) error {
	c.comma('[')
	c.out = attr.AppendItemJSON(c.out, it)
	return nil
}

// detail is how much of a request's cost is told.
type detail struct {
	indexes bool // by table and index
	split   bool // reads apart from writes, as transactions do
}

func detailOf(level string, transaction bool) detail {
	return detail{indexes: level == string(engine.CapacityIndexes), split: transaction}
}

// consumed writes ConsumedCapacity unless nobody asked for it.
func (c *call) consumed(capacity *engine.Capacity, level string) {
	if capacity != nil {
		c.key("ConsumedCapacity")
		c.capacity(capacity, detailOf(level, false))
	}
}

// consumedList is consumed for operations on several tables.
func (c *call) consumedList(list []*engine.Capacity, d detail) {
	if list == nil {
		return
	}
	c.key("ConsumedCapacity")
	c.out = append(c.out, '[')
	for _, capacity := range list {
		c.comma('[')
		c.capacity(capacity, d)
	}
	c.out = append(c.out, ']')
}

func (c *call) capacity(capacity *engine.Capacity, d detail) {
	c.raw(`{"TableName":`)
	c.string(capacity.Table)
	c.out = append(c.out, ',')
	c.units(engine.Units{Read: capacity.Read, Write: capacity.Write}, d)
	if d.indexes {
		c.raw(`,"Table":{`)
		c.units(capacity.Base, d)
		c.out = append(c.out, '}')
		c.unitsByIndex("LocalSecondaryIndexes", capacity.Local, d)
		c.unitsByIndex("GlobalSecondaryIndexes", capacity.Global, d)
	}
	c.out = append(c.out, '}')
}

func (c *call) units(u engine.Units, d detail) {
	c.raw(`"CapacityUnits":`)
	c.number(u.Read + u.Write)
	if d.split && u.Read != 0 {
		c.raw(`,"ReadCapacityUnits":`)
		c.number(u.Read)
	}
	if d.split && u.Write != 0 {
		c.raw(`,"WriteCapacityUnits":`)
		c.number(u.Write)
	}
}

func (c *call) unitsByIndex(name string, units map[string]engine.Units, d detail) {
	if len(units) == 0 {
		return
	}
	c.key(name)
	c.out = append(c.out, '{')
	for _, index := range slices.Sorted(maps.Keys(units)) {
		c.member(index)
		c.out = append(c.out, '{')
		c.units(units[index], d)
		c.out = append(c.out, '}')
	}
	c.out = append(c.out, '}')
}

func (c *call) collection(m *engine.Collection) {
	c.raw(`{"ItemCollectionKey":`)
	c.out = attr.AppendItemJSON(c.out, m.Key)
	c.raw(`,"SizeEstimateRangeGB":[`)
	c.number(m.Low)
	c.out = append(c.out, ',')
	c.number(m.High)
	c.raw(`]}`)
}

// collections writes ItemCollectionMetrics by table.
func (c *call) collections(m map[string][]*engine.Collection) {
	if m == nil {
		return
	}
	c.key("ItemCollectionMetrics")
	c.out = append(c.out, '{')
	for _, table := range slices.Sorted(maps.Keys(m)) {
		c.member(table)
		c.out = append(c.out, '[')
		for _, metrics := range m[table] {
			c.comma('[')
			c.collection(metrics)
		}
		c.out = append(c.out, ']')
	}
	c.out = append(c.out, '}')
}

// written writes the answer to a write of one item, unless it failed.
func (c *call) written(a *engine.WriteAnswer, err error, level string) error {
	if err != nil {
		return err
	}
	c.out = append(c.out, '{')
	c.itemMember("Attributes", a.Attributes)
	c.consumed(a.Capacity, level)
	if a.Collections != nil {
		c.key("ItemCollectionMetrics")
		c.collection(a.Collections)
	}
	c.out = append(c.out, '}')
	return nil
}

// gotten writes the answer to a transaction that reads.
func (c *call) gotten(items []attr.Item, capacity []*engine.Capacity, level string) {
	c.raw(`{"Responses":[`)
	for _, it := range items {
		c.comma('[')
		c.out = append(c.out, '{')
		c.itemMember("Item", it)
		c.out = append(c.out, '}')
	}
	c.out = append(c.out, ']')
	c.consumedList(capacity, detailOf(level, true))
	c.out = append(c.out, '}')
}
