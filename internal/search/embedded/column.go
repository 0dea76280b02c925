package embedded

import (
	"errors"
	"fmt"
	"sync"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// columns are values of all documents of a segment, in memory: the dates, by
// which candidates are ordered, and the tags. In the file they lie in compressed
// blocks, and candidates are rarely neighbours: reading a thousand of them there
// takes a thousand blocks. A document takes 12 bytes and 4 for each tag.
type columns struct {
	dates []int64  // milliseconds
	first []uint32 // where in tags those of a document begin; one more than documents
	tags  []uint32 // in names
	names []string

	values map[string][]string // the terms of fields of few
}

// part is one of the two indexes of a generation with the columns of its
// segments. They are read in the background when a search first meets a segment;
// until then it reads the file.
type part struct {
	bleve.Index
	low    index.Index
	note   *note // nil in memory
	reader sync.WaitGroup

	mu      sync.Mutex
	columns map[segment.Segment]*columns // nil for those to read
	busy    bool                         // they are being read
	closed  bool
}

func newPart(x bleve.Index, path string) (*part, error) {
	low, err := x.Advanced()
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	p := &part{Index: x, low: low, columns: map[segment.Segment]*columns{}}
	if path != "" {
		p.note = &note{part: path}
		noted.Store(low, p.note)
		p.note.later()
	}
	return p, nil
}

// attach gives segments their columns, has those read that there are not yet, and
// forgets those of segments that are gone.
func (p *part) attach(segs []*seg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	missing := false
	for _, s := range segs {
		s.columns = p.columns[s.Segment]
		p.columns[s.Segment] = s.columns
		missing = missing || s.columns == nil
	}
	if missing && !p.busy && !p.closed {
		p.busy = true
		p.reader.Go(p.readColumns)
	}
	if len(p.columns) > len(segs) {
		p.forget(segs)
	}
}

func (p *part) forget(segs []*seg) {
	live := map[segment.Segment]bool{}
	for _, s := range segs {
		live[s.Segment] = true
	}
	for s := range p.columns {
		if !live[s] {
			delete(p.columns, s)
		}
	}
}

// readColumns reads the columns of the segments that have none. One that cannot
// be read is left to the searches, which will say so.
func (p *part) readColumns() {
	defer func() {
		_ = recover() // out of a damaged file, likewise
		p.mu.Lock()
		p.busy = false
		p.mu.Unlock()
	}()
	v := &view{}
	if err := v.add(p); err != nil {
		return
	}
	defer func() { _ = v.close() }()
	for _, s := range v.segs {
		if s.columns != nil {
			continue
		}
		if c, err := s.readColumns(); err == nil {
			p.keep(s.Segment, c)
		}
	}
}

func (p *part) keep(s segment.Segment, c *columns) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, wanted := p.columns[s]; wanted {
		p.columns[s] = c
	}
}

// Close waits for the columns that are being read.
func (p *part) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.reader.Wait()
	err := p.Index.Close()
	if p.note != nil {
		noted.Delete(p.low)
		err = errors.Join(err, p.note.stop())
	}
	return err
}

// readColumns reads all documents of a segment, deleted ones too.
func (s *seg) readColumns() (*columns, error) {
	n := uint32(s.Count()) //nolint:gosec // segments have fewer documents
	c := &columns{dates: make([]int64, n), first: make([]uint32, n+1)}
	numbers := map[string]uint32{}
	var bad error
	for doc := range n {
		if err := s.value(doc, []string{fieldDate, fieldTag}, func(field string, v []byte) {
			if field == fieldDate {
				var err error
				if c.dates[doc], err = decodeDate(v); err != nil {
					bad = err
				}
				return
			}
			number, ok := numbers[string(v)]
			if !ok {
				number = uint32(len(c.names)) //nolint:gosec // tags of a segment
				c.names = append(c.names, string(v))
				numbers[c.names[number]] = number
			}
			c.tags = append(c.tags, number)
		}); err != nil {
			return nil, err
		}
		c.first[doc+1] = uint32(len(c.tags)) //nolint:gosec // likewise
	}
	c.values = map[string][]string{}
	for _, field := range []string{fieldDesk, fieldKind, fieldLanguage, fieldMonth} {
		list, err := s.all(field)
		if err != nil {
			return nil, err
		}
		c.values[field] = list
	}
	return c, bad
}

// value calls do with each value of some fields of a document.
func (s *seg) value(doc uint32, fields []string, do func(field string, value []byte)) error {
	dv, ok := s.Segment.(segment.DocValueVisitable)
	if !ok {
		return fmt.Errorf("a %T has no values", s.Segment)
	}
	var err error
	s.values, err = dv.VisitDocValues(uint64(doc), fields, do, s.values)
	return err
}

var (
	dateOnly = []string{fieldDate}
	tagOnly  = []string{fieldTag}
)

// date returns a document's date in milliseconds.
func (s *seg) date(doc uint32) (int64, error) {
	if s.columns != nil {
		return s.columns.dates[doc], nil
	}
	var date int64
	var bad error
	err := s.value(doc, dateOnly, func(_ string, v []byte) { date, bad = decodeDate(v) })
	return date, errors.Join(err, bad)
}

// countTags counts the tags of documents of a segment.
func (s *seg) countTags(docs []uint32, counts map[string]int) error {
	c := s.columns
	if c == nil {
		for _, doc := range docs {
			if err := s.value(doc, tagOnly, func(_ string, v []byte) { counts[string(v)]++ }); err != nil {
				return err
			}
		}
		return nil
	}
	numbers := map[uint32]int{}
	for _, doc := range docs {
		for _, number := range c.tags[c.first[doc]:c.first[doc+1]] {
			numbers[number]++
		}
	}
	for number, n := range numbers {
		counts[c.names[number]] += n
	}
	return nil
}
