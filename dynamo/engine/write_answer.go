package engine

import (
	"math"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// write gathers the answer to one write while it is being made.
type write struct {
	t           *table
	returns     string
	level       CapacityLevel
	collections bool
	cost        *writeCost // nil unless capacity is asked for
	out         WriteAnswer
}

func (e *Engine) newWrite(t *table, c *Conditional) *write {
	w := &write{t: t, returns: c.ReturnValues, level: CapacityLevel(c.ReturnConsumedCapacity), collections: c.ReturnCollections == "SIZE"}
	if w.level.wanted() {
		w.cost = &writeCost{}
	}
	return w
}

// note records the sizes before and after, for the cost.
func (w *write) note(old, next attr.Item) {
	if w.cost != nil {
		w.cost.item(sizeOf(old), sizeOf(next))
	}
}

func sizeOf(it attr.Item) int {
	if it == nil {
		return 0
	}
	return it.Size()
}

// updated fills in what UpdateItem was asked to return.
func (w *write) updated(old, next attr.Item, touched *expr.Touched) error {
	switch w.returns {
	case "ALL_OLD":
		w.out.Attributes = cloneItem(old)
	case "ALL_NEW":
		w.out.Attributes = cloneItem(next)
	case "UPDATED_OLD":
		if touched != nil && old != nil {
			w.out.Attributes = nonEmpty(touched.Old())
		}
	case "UPDATED_NEW":
		if touched != nil {
			w.out.Attributes = nonEmpty(touched.New())
		}
	}
	return nil
}

func cloneItem(it attr.Item) attr.Item {
	if it == nil {
		return nil
	}
	return it.Clone()
}

// nonEmpty copies an item, and leaves an empty one out of the answer.
func nonEmpty(it attr.Item) attr.Item {
	if len(it) == 0 {
		return nil
	}
	return it.Clone()
}

func (w *write) answer(e *Engine, key []byte) *WriteAnswer {
	if w.cost != nil {
		w.out.Capacity = &Capacity{Table: w.t.name}
		w.cost.addTo(w.out.Capacity)
	}
	if w.collections {
		w.out.Collections = e.collection(w.t, key)
	}
	return &w.out
}

// collection estimates the size of the item collection that the row belongs
// to. Tables without local indexes have none.
func (e *Engine) collection(t *table, rowKey []byte) *Collection {
	s := t.shape.Load()
	local := false
	for _, ix := range s.indexes {
		local = local || ix.local
	}
	if !local {
		return nil
	}
	kind := s.key.Partition[0].Kind
	pk, rest, err := attr.DecodeKey(kind, baseKeyOf(rowKey))
	if err != nil {
		return nil
	}
	partition := rowKey[:len(rowKey)-len(rest)]
	bytes, err := e.db.EstimateDiskUsage(partition, prefixEnd(partition))
	if err != nil {
		bytes = 0
	}
	low := math.Floor(float64(bytes) / (1 << 30))
	var b attr.Builder
	b.Set(s.key.Partition[0].Name, pk)
	return &Collection{Key: b.Item(), Low: low, High: low + 1}
}
