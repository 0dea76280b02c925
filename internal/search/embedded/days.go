package embedded

import (
	"math"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

const (
	// maxLooked is of how many hits the dates are looked at one by one; beyond,
	// whole months are taken at once.
	maxLooked = 100_000
	// maxDays is over how many days hits may lie for that, some centuries.
	maxDays = 1 << 17

	dayLength = int64(24 * time.Hour / time.Millisecond)
)

// days are the days of hits, in the order of the segments and their documents.
type days struct {
	of          []int32
	first, last int32
}

// days reads the days of hits, if they are few enough and in memory.
func (v *view) days(hits []*roaring.Bitmap) (days, bool) {
	total := 0
	for i, s := range v.segs {
		n := int(hits[i].GetCardinality()) //nolint:gosec // a count of documents
		if total += n; total > maxLooked || n > 0 && s.columns == nil {
			return days{}, false
		}
	}
	d := days{of: make([]int32, 0, total), first: math.MaxInt32, last: math.MinInt32}
	for i, s := range v.segs {
		for it := hits[i].Iterator(); it.HasNext(); {
			day := dayOf(s.columns.dates[it.Next()])
			d.of = append(d.of, day)
			d.first, d.last = min(d.first, day), max(d.last, day)
		}
	}
	return d, total == 0 || int64(d.last)-int64(d.first) < maxDays
}

// dayOf counts days from 1970 on, downwards before.
func dayOf(ms int64) int32 {
	day := ms / dayLength
	if ms%dayLength < 0 {
		day--
	}
	return int32(day) //nolint:gosec // a day within millions of years
}

// newest is that of view.
func (d days) newest(hits []*roaring.Bitmap, n int, until time.Time) (sets []*roaring.Bitmap, rest bool) {
	sets = empty(len(hits))
	if len(d.of) == 0 {
		return sets, false
	}
	last := d.last
	if !until.IsZero() {
		last = min(last, dayOf(until.UnixMilli()))
	}
	from := d.since(n, last)
	at := 0
	var take []uint32
	for i, set := range hits {
		take = take[:0]
		for it := set.Iterator(); it.HasNext(); at++ {
			switch doc, day := it.Next(), d.of[at]; {
			case day < from:
				rest = true
			case day <= last:
				take = append(take, doc)
			}
		}
		sets[i].AddMany(take)
	}
	return sets, rest
}

// since returns the day from which on there are n hits up to the last.
func (d days) since(n int, last int32) int32 {
	if last < d.first {
		return d.first
	}
	counts := make([]int32, last-d.first+1)
	for _, day := range d.of {
		if day <= last {
			counts[day-d.first]++
		}
	}
	day := last
	for have := counts[day-d.first]; int(have) < n && day > d.first; {
		day--
		have += counts[day-d.first]
	}
	return day
}
