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
	bad, err := f.failing(among)
	if err != nil {
		return err
	}
	f.base = roaring.AndNot(f.base, bad)
	f.hits = roaring.AndNot(f.hits, bad)
	return nil
}

// failing returns those of the documents that fail a check.
func (f *found) failing(among *roaring.Bitmap) (*roaring.Bitmap, error) {
	bad := roaring.New()
	for _, c := range f.checks {
		look := roaring.And(c.docs, among)
		if look.IsEmpty() {
			continue
		}
		good, err := f.following(c.unit, look)
		if err != nil {
			return nil, err
		}
		if c.unit.Not {
			bad.Or(good)
		} else {
			bad.Or(roaring.AndNot(look, good))
		}
	}
	return bad, nil
}

// Looking into a document for a term takes reading what lies before it in the
// same block of the term's postings, on average blockReading of them, and the
// documents of all postings, walkReading of which take as long as one reading.
const (
	blockReading = 512
	walkReading  = 3
)

// effort is what verify would take, in readings.
func (f *found) effort() (int, error) {
	total := 0
	for _, c := range f.checks {
		docs := int(c.docs.GetCardinality()) //nolint:gosec // a count of documents
		for _, t := range follow(c.unit) {
			list, err := f.postings(fieldText, t.Text)
			if err != nil {
				return 0, err
			}
			n := int(list.Count()) //nolint:gosec // likewise
			total += n/walkReading + min(docs*blockReading, n)
		}
	}
	return total, nil
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
