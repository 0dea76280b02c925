// Package cost says what access patterns cost in read and write units, from the
// sizes that a schema states for its fields.
//
// It promises the figures that DynamoDB would answer as ConsumedCapacity for
// items of those sizes; modeltest compares the two for every pattern. Start with
// [Of]; sample.go makes the items.
package cost

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"pressroom/dynamo/attr"
	"pressroom/model"
)

// Cost is what one page, one lookup or one write costs.
type Cost struct {
	Pattern string  `json:"pattern"`
	Items   int     `json:"items"` // shown, or written
	Bytes   int     `json:"bytes"` // of the items that are read or written in the table or index
	Read    float64 `json:"read"`
	Write   float64 `json:"write"`
}

// Of returns the cost of a pattern. A page is counted full; a write is counted
// with one new item of each kind. What is served outside the tables costs nothing
// there.
func Of(t *model.Table, p *model.Pattern) (Cost, error) {
	s := Samples{Table: t}
	switch p.Op {
	case model.Put:
		return s.write(p)
	case model.Outside:
		return Cost{Pattern: p.Name}, nil
	}
	items, err := s.Page(p)
	if err != nil {
		return Cost{}, fmt.Errorf("cost of %s: %w", p.Name, err)
	}
	return s.read(p, items)
}

func (s Samples) read(p *model.Pattern, items []model.Raw) (Cost, error) {
	c := Cost{Pattern: p.Name, Items: min(len(items), max(p.Limit, 1))}
	x, _ := s.Table.Index(p.Index)
	for i, item := range items {
		size, err := entrySize(s.Table, x, item)
		if err != nil {
			return c, err
		}
		c.Bytes += size
		if p.Fetch && i < c.Items {
			whole, err := entrySize(s.Table, nil, item)
			if err != nil {
				return c, err
			}
			c.Read += readUnits(whole, false)
		}
	}
	c.Read += readUnits(c.Bytes, p.Strong)
	return c, nil
}

// write counts one new item of each kind: alone, or in a transaction.
func (s Samples) write(p *model.Pattern) (Cost, error) {
	c := Cost{Pattern: p.Name}
	together := len(p.Writes) > 1
	for _, w := range p.Writes {
		e, ok := s.Table.Entity(w.Entity)
		if !ok {
			return c, fmt.Errorf("cost of %s: no entity %s", p.Name, w.Entity)
		}
		item, err := s.Item(e, 0, nil)
		if err != nil {
			return c, err
		}
		size, err := entrySize(s.Table, nil, item)
		if err != nil {
			return c, err
		}
		c.Items++
		c.Bytes += size
		c.Write += writeUnits(size, together)
		for i := range s.Table.Indexes {
			x := &s.Table.Indexes[i]
			if !inIndex(x, item) {
				continue
			}
			entry, err := entrySize(s.Table, x, item)
			if err != nil {
				return c, err
			}
			c.Write += writeUnits(entry, together)
		}
	}
	return c, nil
}

func inIndex(x *model.Index, item model.Raw) bool {
	return !slices.ContainsFunc(x.KeyNames(), func(name string) bool { return item[name] == nil })
}

// entrySize is the size of an item, or of its entry in an index.
func entrySize(t *model.Table, x *model.Index, item model.Raw) (int, error) {
	if x != nil && x.Projection != model.All {
		part := model.Raw{}
		for _, name := range slices.Concat(t.KeyNames(), x.KeyNames(), x.Include) {
			if value, ok := item[name]; ok {
				part[name] = value
			}
		}
		item = part
	}
	it, err := attr.ItemFromSDK(item)
	if err != nil {
		return 0, err
	}
	return it.Size(), nil
}

// readUnits is one unit for each 4 KB begun, half of that if the answer may be
// a moment old.
func readUnits(size int, strong bool) float64 {
	units := max(1, math.Ceil(float64(size)/4096))
	if strong {
		return units
	}
	return units / 2
}

// writeUnits is one unit for each KB begun, two in a transaction.
func writeUnits(size int, transaction bool) float64 {
	units := max(1, math.Ceil(float64(size)/1024))
	if transaction {
		return units * 2
	}
	return units
}

// All returns the cost of every pattern of a schema, in order.
func All(s model.Schema) ([]Cost, error) {
	var all []Cost
	for i := range s.Tables {
		t := &s.Tables[i]
		for j := range t.Patterns {
			c, err := Of(t, &t.Patterns[j])
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// Print writes the costs of schemas as a table.
func Print(w io.Writer, schemas ...model.Schema) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "desk\tpattern\titems\tbytes\tread units\twrite units\t")
	for _, s := range schemas {
		all, err := All(s)
		if err != nil {
			return err
		}
		for _, c := range all {
			fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%g\t%g\t\n", s.Name, c.Pattern, c.Items, c.Bytes, c.Read, c.Write)
		}
	}
	return tw.Flush()
}
