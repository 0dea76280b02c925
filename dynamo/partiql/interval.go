package partiql

import (
	"bytes"
	"slices"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// interval is a part of a partition: the sort keys from low to high. A nil bound is none.
type interval struct {
	low, high         attr.Value
	lowOpen, highOpen bool
	prefix            attr.Value // set when the interval is all keys that begin so
}

// intervals are the sort keys that a term on the sort key allows, ascending; nil if it is
// no such term.
func (p *predicate) intervals(name string) []interval {
	if values := p.values(name); values != nil {
		ivs := make([]interval, len(values))
		for i, v := range values {
			ivs[i] = interval{low: v, high: v}
		}
		return unite(ivs)
	}
	switch p.test {
	case testCompare:
		return p.comparison(name)
	case testBetween:
		low, high := p.operands[1].value, p.operands[2].value
		if p.operands[0].is(name) && low != nil && high != nil {
			return []interval{{low: low, high: high}}
		}
	case testBegins:
		if prefix := p.operands[1].value; p.operands[0].is(name) && prefix != nil {
			return []interval{{low: prefix, high: after(prefix), highOpen: true, prefix: prefix}}
		}
	}
	return nil
}

func (p *predicate) comparison(name string) []interval {
	op, a, b := p.op, p.operands[0], p.operands[1]
	if b.is(name) {
		a, b = b, a
		op = map[expr.Comparison]expr.Comparison{
			expr.Less: expr.Greater, expr.LessEqual: expr.GreaterEqual,
			expr.Greater: expr.Less, expr.GreaterEqual: expr.LessEqual,
		}[op]
	}
	if !a.is(name) || b.value == nil {
		return nil
	}
	switch op {
	case expr.Less, expr.LessEqual:
		return []interval{{high: b.value, highOpen: op == expr.Less}}
	case expr.Greater, expr.GreaterEqual:
		return []interval{{low: b.value, lowOpen: op == expr.Greater}}
	}
	return nil
}

// after is the first value beyond all that begin with prefix, nil if there is none. Its
// bytes need not be text: it is only compared.
func after(prefix attr.Value) attr.Value {
	v := bytes.Clone(prefix)
	for len(v) > 1 && v[len(v)-1] == 0xff {
		v = v[:len(v)-1]
	}
	if len(v) == 1 {
		return nil
	}
	v[len(v)-1]++
	return v
}

// order compares two bounds of one kind; of two kinds, by kind.
func order(a, b attr.Value) int { return bytes.Compare(a, b) }

func (iv interval) empty() bool {
	if iv.low == nil || iv.high == nil {
		return false
	}
	c := order(iv.low, iv.high)
	return c > 0 || c == 0 && (iv.lowOpen || iv.highOpen)
}

// point tells whether the interval is one key.
func (iv interval) point() bool {
	return iv.low != nil && iv.high != nil && !iv.lowOpen && !iv.highOpen && attr.Equal(iv.low, iv.high)
}

// intersect is what lies in one of a and in one of b.
func intersect(a, b []interval) []interval {
	var list []interval
	for _, x := range a {
		for _, y := range b {
			if iv := x.and(y); !iv.empty() {
				list = append(list, iv)
			}
		}
	}
	return list
}

func (iv interval) and(o interval) interval {
	out := iv
	if compareLow(o, iv) > 0 {
		out.low, out.lowOpen = o.low, o.lowOpen
	}
	if compareHigh(o, iv) < 0 {
		out.high, out.highOpen = o.high, o.highOpen
	}
	out.prefix = nil
	for _, prefix := range []attr.Value{iv.prefix, o.prefix} {
		if prefix != nil && out.begins(prefix) {
			out.prefix = prefix
		}
	}
	return out
}

// begins tells whether the interval is all keys that begin with prefix.
func (iv interval) begins(prefix attr.Value) bool {
	return attr.Equal(iv.low, prefix) && attr.Equal(iv.high, after(prefix)) && !iv.lowOpen && (iv.high == nil || iv.highOpen)
}

// unite is the list ascending, with what overlaps put together.
func unite(list []interval) []interval {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b interval) int { return compareLow(a, b) })
	var out []interval
	for _, iv := range list {
		last := len(out) - 1
		if last < 0 || out[last].before(iv) {
			out = append(out, iv)
			continue
		}
		if compareHigh(iv, out[last]) > 0 {
			out[last].high, out[last].highOpen, out[last].prefix = iv.high, iv.highOpen, nil
		}
	}
	return out
}

// compareLow orders intervals by where they begin.
func compareLow(a, b interval) int {
	switch {
	case a.low == nil || b.low == nil:
		return bit(b.low == nil) - bit(a.low == nil)
	case !attr.Equal(a.low, b.low):
		return order(a.low, b.low)
	}
	return bit(a.lowOpen) - bit(b.lowOpen)
}

// compareHigh orders intervals by where they end.
func compareHigh(a, b interval) int {
	switch {
	case a.high == nil || b.high == nil:
		return bit(a.high == nil) - bit(b.high == nil)
	case !attr.Equal(a.high, b.high):
		return order(a.high, b.high)
	}
	return bit(b.highOpen) - bit(a.highOpen)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// before tells whether the interval ends before o begins.
func (iv interval) before(o interval) bool {
	if iv.high == nil || o.low == nil {
		return false
	}
	c := order(iv.high, o.low)
	return c < 0 || c == 0 && (iv.highOpen || o.lowOpen)
}

// exact tells whether keyRange says the same as the interval.
func (iv interval) exact() bool {
	return iv.low == nil || iv.high == nil || iv.prefix != nil || !iv.lowOpen && !iv.highOpen
}

// keyRange is the interval as the range of a query. Of two bounds, one that is open is
// closed: the filter has to see to it.
func (iv interval) keyRange(partition attr.Value) expr.KeyRange {
	r := expr.KeyRange{Partition: []attr.Value{partition}}
	switch {
	case iv.point():
		r.Equal = []attr.Value{iv.low}
	case iv.prefix != nil:
		r.Op, r.Values = expr.KeyBeginsWith, []attr.Value{iv.prefix}
	case iv.low != nil && iv.high != nil:
		r.Op, r.Values = expr.KeyBetween, []attr.Value{iv.low, iv.high}
	case iv.low != nil:
		r.Op, r.Values = expr.KeyGreaterEqual, []attr.Value{iv.low}
		if iv.lowOpen {
			r.Op = expr.KeyGreater
		}
	case iv.high != nil:
		r.Op, r.Values = expr.KeyLessEqual, []attr.Value{iv.high}
		if iv.highOpen {
			r.Op = expr.KeyLess
		}
	}
	return r
}
