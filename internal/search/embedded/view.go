package embedded

import (
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"pressroom/internal/search"
)

// view is the index at one moment: the segments that a caller's search reads.
type view struct {
	readers []index.IndexReader
	segs    []*seg
	docs    int
}

// seg is a segment of the index. Documents are numbers in it.
type seg struct {
	segment.Segment
	deleted *roaring.Bitmap // nil for none
	dicts   map[string]segment.TermDictionary
	values  segment.DocVisitState
	columns *columns                      // nil as long as they are being read
	found   map[[2]string]*roaring.Bitmap // what with has returned, by field and term
}

// view opens a moment of the indexes that the level may see.
func (g *generation) view(level search.Level) (*view, error) {
	v := &view{}
	list := []*part{g.public}
	if level > search.Public {
		list = append(list, g.private)
	}
	for _, x := range list {
		if err := v.add(x); err != nil {
			return nil, errors.Join(err, v.close())
		}
	}
	return v, nil
}

func (v *view) add(p *part) error {
	r, err := p.low.Reader()
	if err != nil {
		return err
	}
	v.readers = append(v.readers, r)
	snap, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		return fmt.Errorf("the index is read by a %T", r)
	}
	begin := len(v.segs)
	for _, s := range snap.Segments() {
		v.segs = append(v.segs, &seg{Segment: s.Segment(), deleted: s.Deleted(), dicts: map[string]segment.TermDictionary{}, found: map[[2]string]*roaring.Bitmap{}})
		v.docs += int(s.Count()) //nolint:gosec // a count of documents
	}
	p.attach(v.segs[begin:])
	return nil
}

func (v *view) close() error {
	var err error
	for _, r := range v.readers {
		err = errors.Join(err, r.Close())
	}
	return err
}

func (s *seg) dict(field string) (segment.TermDictionary, error) {
	if d := s.dicts[field]; d != nil {
		return d, nil
	}
	d, err := s.Dictionary(field)
	if err != nil {
		return nil, fmt.Errorf("read field %s: %w", field, err)
	}
	s.dicts[field] = d
	return d, nil
}

// postings returns the list of documents with a term.
func (s *seg) postings(field, term string) (segment.PostingsList, error) {
	d, err := s.dict(field)
	if err != nil {
		return nil, err
	}
	return d.PostingsList([]byte(term), s.deleted, nil)
}

// with returns the documents that have a term. The bitmap may lie in the
// segment's file: it is not to be changed, nor kept longer than the view.
func (s *seg) with(field, term string) (*roaring.Bitmap, error) {
	key := [2]string{field, term}
	if b := s.found[key]; b != nil {
		return b, nil
	}
	list, err := s.postings(field, term)
	if err != nil {
		return nil, err
	}
	b := actual(list.Iterator(false, false, false, nil))
	s.found[key] = b
	return b, nil
}

// actual returns the documents of an iterator without walking it.
func actual(it segment.PostingsIterator) *roaring.Bitmap {
	o, ok := it.(segment.OptimizablePostingsIterator)
	if !ok {
		return roaring.New() // the iterator of a term that is not there
	}
	if n, ok := o.DocNum1Hit(); ok {
		return roaring.BitmapOf(uint32(n)) //nolint:gosec // segments have fewer documents
	}
	if b := o.ActualBitmap(); b != nil {
		return b
	}
	return roaring.New()
}

// withAny returns the documents that have one of the terms.
func (s *seg) withAny(field string, terms []string) (*roaring.Bitmap, error) {
	if len(terms) == 1 {
		return s.with(field, terms[0])
	}
	all := make([]*roaring.Bitmap, len(terms))
	for i, t := range terms {
		var err error
		if all[i], err = s.with(field, t); err != nil {
			return nil, err
		}
	}
	return roaring.FastOr(all...), nil
}

// withAll returns the documents that have all of the terms.
func (s *seg) withAll(field string, terms []string) (*roaring.Bitmap, error) {
	var all []*roaring.Bitmap
	for _, t := range terms {
		b, err := s.with(field, t)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return intersect(all), nil
}

// intersect begins with the smallest, so that the rest is soon done.
func intersect(all []*roaring.Bitmap) *roaring.Bitmap {
	slices.SortFunc(all, func(a, b *roaring.Bitmap) int {
		return int(a.GetCardinality()) - int(b.GetCardinality()) //nolint:gosec // counts of documents
	})
	out := all[0]
	for _, b := range all[1:] {
		if out.IsEmpty() {
			break
		}
		out = roaring.And(out, b)
	}
	return out
}

// all returns the terms of a field of few.
func (s *seg) all(field string) ([]string, error) {
	if s.columns != nil && s.columns.values[field] != nil {
		return s.columns.values[field], nil
	}
	out := []string{}
	err := s.terms(field, "", "", func(v string) bool {
		out = append(out, v)
		return true
	})
	return out, err
}

// terms calls do for the terms of a field from one up to another, in order,
// until it returns false; "" is no limit.
func (s *seg) terms(field, from, to string, do func(term string) bool) error {
	d, err := s.dict(field)
	if err != nil {
		return err
	}
	var start, end []byte
	if from != "" {
		start = []byte(from)
	}
	if to != "" {
		end = []byte(to)
	}
	it := d.AutomatonIterator(nil, start, end)
	for {
		e, err := it.Next()
		if err != nil || e == nil {
			return err
		}
		if !do(e.Term) {
			return nil
		}
	}
}
