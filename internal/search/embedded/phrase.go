package embedded

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"pressroom/internal/search/text"
)

// verify looks at the documents of every check that are also in among, and takes
// out those where the terms do not follow each other (or do, if they must not).
func (f *found) verify(among *roaring.Bitmap) error {
	for _, c := range f.checks {
		look := roaring.And(c.docs, among)
		if look.IsEmpty() {
			continue
		}
		good, err := f.following(c.unit, look)
		if err != nil {
			return err
		}
		if c.unit.Not {
			f.remove(good)
		} else {
			f.remove(roaring.AndNot(look, good))
		}
	}
	return nil
}

// toCheck counts the documents that verify would look at.
func (f *found) toCheck() int {
	n := 0
	for _, c := range f.checks {
		n += int(c.docs.GetCardinality()) //nolint:gosec // a count of documents
	}
	return n
}

// following returns those of the documents in which the terms of a unit follow
// each other. All of them have all the terms.
func (s *seg) following(u *text.Unit, docs *roaring.Bitmap) (*roaring.Bitmap, error) {
	terms := follow(u)
	lists := make([]segment.PostingsIterator, len(terms))
	for i, t := range terms {
		list, err := s.postings(fieldText, t.Text)
		if err != nil {
			return nil, err
		}
		lists[i] = only(list.Iterator(true, true, true, nil), docs)
	}
	good := roaring.New()
	var starts, next []uint64
	for it := docs.Iterator(); it.HasNext(); {
		doc := it.Next()
		for i, list := range lists {
			p, err := list.Next()
			if err != nil {
				return nil, err
			}
			shift := uint64(terms[i].Pos - terms[0].Pos) //nolint:gosec // positions grow
			next = next[:0]
			for _, l := range p.Locations() {
				if at := l.Pos() - shift; i == 0 || slices.Contains(starts, at) {
					next = append(next, at)
				}
			}
			starts, next = next, starts
		}
		if len(starts) > 0 {
			good.Add(doc)
		}
	}
	return good, nil
}

// only restricts an iterator to some documents.
func only(it segment.PostingsIterator, docs *roaring.Bitmap) segment.PostingsIterator {
	o, ok := it.(segment.OptimizablePostingsIterator)
	if !ok {
		return it
	}
	if _, single := o.DocNum1Hit(); single {
		return it
	}
	if b := o.ActualBitmap(); b != nil {
		o.ReplaceActual(roaring.And(b, docs))
	}
	return it
}
