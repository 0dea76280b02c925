package partiql

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// points are sort keys around all bounds that randomInterval takes.
var points = func() []attr.Value {
	var list []attr.Value
	for _, s := range []string{"0", "a", "aa", "ab", "b", "ba", "c", "d", "é", "éé", "ê", "z"} {
		list = append(list, attr.NewString(s))
	}
	return list
}()

func randomInterval(r *rand.Rand) interval {
	bound := func() attr.Value {
		return attr.NewString([]string{"a", "ab", "b", "c", "é"}[r.IntN(5)])
	}
	switch r.IntN(6) {
	case 0:
		return interval{}
	case 1:
		v := bound()
		return interval{low: v, high: v}
	case 2:
		v := bound()
		return interval{low: v, high: after(v), highOpen: true, prefix: v}
	case 3:
		return interval{low: bound(), lowOpen: r.IntN(2) == 0}
	case 4:
		return interval{high: bound(), highOpen: r.IntN(2) == 0}
	}
	low, high := bound(), bound()
	if order(low, high) > 0 {
		low, high = high, low
	}
	return interval{low: low, high: high, lowOpen: r.IntN(2) == 0, highOpen: r.IntN(2) == 0}
}

func (iv interval) holds(v attr.Value) bool {
	if iv.low != nil {
		if c := order(v, iv.low); c < 0 || c == 0 && iv.lowOpen {
			return false
		}
	}
	if iv.high != nil {
		if c := order(v, iv.high); c > 0 || c == 0 && iv.highOpen {
			return false
		}
	}
	return true
}

func holders(list []interval, v attr.Value) int {
	n := 0
	for _, iv := range list {
		if iv.holds(v) {
			n++
		}
	}
	return n
}

// ranged tells whether a query of the range would read the key.
func ranged(r expr.KeyRange, v attr.Value) bool {
	if r.Equal != nil {
		return attr.Equal(v, r.Equal[0])
	}
	if r.Op == expr.KeyNone {
		return true
	}
	c := order(v, r.Values[0])
	switch r.Op {
	case expr.KeyLess:
		return c < 0
	case expr.KeyLessEqual:
		return c <= 0
	case expr.KeyGreater:
		return c > 0
	case expr.KeyGreaterEqual:
		return c >= 0
	case expr.KeyBeginsWith:
		return bytes.HasPrefix(v, r.Values[0])
	}
	return c >= 0 && order(v, r.Values[1]) <= 0
}

func TestIntervals(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		var a, b []interval
		for range 1 + r.IntN(3) {
			a = append(a, randomInterval(r))
			b = append(b, randomInterval(r))
		}
		united := unite(slices.Clone(a))
		common := intersect(united, unite(b))
		for _, v := range points {
			if got, want := holders(united, v), min(holders(a, v), 1); got != want {
				t.Fatalf("%s is %d times in the union of %v: %v", v.Text(), got, a, united)
			}
			if got, want := holders(common, v), min(holders(a, v), 1)*min(holders(b, v), 1); got != want {
				t.Fatalf("%s is %d times in the intersection of %v and %v: %v", v.Text(), got, a, b, common)
			}
		}
		if !slices.IsSortedFunc(united, compareLow) {
			t.Fatalf("%v is not in order", united)
		}
		for _, iv := range append(united, common...) {
			checkRange(t, iv)
		}
	}
}

// checkRange checks that a query reads what the interval holds, and if it is exact, no more.
func checkRange(t *testing.T, iv interval) {
	r := iv.keyRange(attr.NewString("p"))
	for _, v := range points {
		if iv.holds(v) && !ranged(r, v) || iv.exact() && !iv.holds(v) && ranged(r, v) {
			t.Fatalf("%s: interval %v, exact %t, range %v", v.Text(), iv, iv.exact(), r)
		}
	}
}
