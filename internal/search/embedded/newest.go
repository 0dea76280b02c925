package embedded

import (
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// newest returns the newest of the hits, at least n if there are as many: those of
// as few days as it takes. Only what is not after the day of until (zero for now)
// counts. Rest tells whether older ones are left.
func (v *view) newest(hits []*roaring.Bitmap, n int, until time.Time) (sets []*roaring.Bitmap, rest bool, err error) {
	if days, ok := v.days(hits); ok {
		sets, rest = days.newest(hits, n, until)
		return sets, rest, nil
	}
	return v.newestWalk(hits, n, until)
}

// newestWalk is newest for very many hits: it does not look at each, but takes
// whole months, and whole days of the last one.
func (v *view) newestWalk(hits []*roaring.Bitmap, n int, until time.Time) (sets []*roaring.Bitmap, rest bool, err error) {
	last := "~"
	if !until.IsZero() {
		last = until.UTC().Format(time.DateOnly)
	}
	months, err := v.months()
	if err != nil {
		return nil, false, err
	}
	w := &walk{view: v, hits: hits, sets: empty(len(hits)), want: n}
	for _, m := range months {
		if m > last {
			continue
		}
		if w.have >= n {
			return w.sets, true, nil
		}
		if err := w.month(m, last); err != nil {
			return nil, false, err
		}
	}
	return w.sets, w.left, nil
}

func empty(n int) []*roaring.Bitmap {
	out := make([]*roaring.Bitmap, n)
	for i := range out {
		out[i] = roaring.New()
	}
	return out
}

type walk struct {
	*view
	hits, sets []*roaring.Bitmap
	want, have int
	left       bool // days of the last month were left out
}

// month takes a month, by days if it would be too much as a whole.
func (w *walk) month(m, last string) error {
	parts, count, err := w.part(fieldMonth, m)
	if err != nil {
		return err
	}
	if m < last[:min(7, len(last))] && w.have+count <= w.want || count == 0 {
		w.take(parts, count)
		return nil
	}
	days, err := w.daysOf(m)
	if err != nil {
		return err
	}
	for _, d := range days {
		if d > last {
			continue
		}
		if w.have >= w.want {
			w.left = true
			return nil
		}
		parts, count, err := w.part(fieldDay, d)
		if err != nil {
			return err
		}
		w.take(parts, count)
	}
	return nil
}

func (w *walk) part(field, term string) ([]*roaring.Bitmap, int, error) {
	parts := make([]*roaring.Bitmap, len(w.segs))
	count := 0
	for i, s := range w.segs {
		if w.hits[i].IsEmpty() {
			continue
		}
		b, err := s.with(field, term)
		if err != nil {
			return nil, 0, err
		}
		parts[i] = roaring.And(w.hits[i], b)
		count += int(parts[i].GetCardinality()) //nolint:gosec // a count of documents
	}
	return parts, count, nil
}

func (w *walk) take(parts []*roaring.Bitmap, count int) {
	for i, p := range parts {
		if p != nil {
			w.sets[i].Or(p)
		}
	}
	w.have += count
}

// months returns the months that there are, the newest first.
func (v *view) months() ([]string, error) {
	var out []string
	for _, s := range v.segs {
		list, err := s.all(fieldMonth)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return backwards(out), nil
}

// daysOf returns the days that there are in a month, the newest first.
func (v *view) daysOf(month string) ([]string, error) {
	var out []string
	for _, s := range v.segs {
		if err := s.terms(fieldDay, month, month+"~", func(t string) bool {
			out = append(out, t)
			return true
		}); err != nil {
			return nil, err
		}
	}
	return backwards(out), nil
}

func backwards(list []string) []string {
	slices.Sort(list)
	list = slices.Compact(list)
	slices.Reverse(list)
	return list
}
