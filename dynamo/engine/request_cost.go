package engine

import "math"

// Capacity is what a request consumed, in the words of ReturnConsumedCapacity.
// Amazon's page "DynamoDB read and write operations" has the arithmetic.
type Capacity struct {
	Table       string
	Read, Write float64
	// Base, Local and Global break it down; only asked for with INDEXES.
	Base          Units
	Local, Global map[string]Units
}

// Units are read and write units.
type Units struct{ Read, Write float64 }

// Total is the CapacityUnits of the answer.
func (c *Capacity) Total() float64 { return c.Read + c.Write }

// CapacityLevel is the ReturnConsumedCapacity of a request.
type CapacityLevel string

// The values of ReturnConsumedCapacity.
const (
	CapacityNone    CapacityLevel = "NONE"
	CapacityTotal   CapacityLevel = "TOTAL"
	CapacityIndexes CapacityLevel = "INDEXES"
)

func (l CapacityLevel) wanted() bool { return l == CapacityTotal || l == CapacityIndexes }

// readUnits is the cost of reading size bytes: one unit per 4 KB begun, half
// of that when the read may be stale, double in a transaction.
func readUnits(size int, consistent, transaction bool) float64 {
	units := math.Max(1, math.Ceil(float64(size)/4096))
	switch {
	case transaction:
		return units * 2
	case consistent:
		return units
	}
	return units / 2
}

// writeUnits is one unit per KB begun, double in a transaction.
func writeUnits(size int, transaction bool) float64 {
	units := math.Max(1, math.Ceil(float64(size)/1024))
	if transaction {
		return units * 2
	}
	return units
}

// writeCost gathers what one change costs. A nil writeCost gathers nothing.
type writeCost struct {
	transaction   bool
	base          float64
	local, global map[string]float64
}

// item notes the change of the item itself: the larger of before and after.
func (w *writeCost) item(oldSize, newSize int) {
	if w != nil {
		w.base += writeUnits(max(oldSize, newSize), w.transaction)
	}
}

// index notes the change of an index entry: one write, or a deletion and a
// write when its key moved.
func (w *writeCost) index(ix *index, oldSize, newSize int, moved bool) {
	if w == nil {
		return
	}
	units := writeUnits(max(oldSize, newSize), w.transaction)
	if moved && oldSize > 0 && newSize > 0 {
		units = writeUnits(oldSize, w.transaction) + writeUnits(newSize, w.transaction)
	}
	into := &w.global
	if ix.local {
		into = &w.local
	}
	if *into == nil {
		*into = map[string]float64{}
	}
	(*into)[ix.name] += units
}

// addTo adds the cost to a table's capacity.
func (w *writeCost) addTo(c *Capacity) {
	c.Base.Write += w.base
	c.Write += w.base
	add := func(to *map[string]Units, from map[string]float64) {
		for name, units := range from {
			if *to == nil {
				*to = map[string]Units{}
			}
			u := (*to)[name]
			u.Write += units
			(*to)[name] = u
			c.Write += units
		}
	}
	add(&c.Local, w.local)
	add(&c.Global, w.global)
}

// add adds another request's consumption on the same table.
func (c *Capacity) add(d *Capacity) {
	c.Read += d.Read
	c.Write += d.Write
	c.Base.Read += d.Base.Read
	c.Base.Write += d.Base.Write
	merge := func(to *map[string]Units, from map[string]Units) {
		for name, u := range from {
			if *to == nil {
				*to = map[string]Units{}
			}
			was := (*to)[name]
			(*to)[name] = Units{was.Read + u.Read, was.Write + u.Write}
		}
	}
	merge(&c.Local, d.Local)
	merge(&c.Global, d.Global)
}
