package embedded

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"pressroom/internal/search/text"
)

// candidate is a document that may be shown.
type candidate struct {
	seg   *seg
	doc   uint32
	score float64
	date  int64
	size  size
	id    string // read when it is needed to tell equals apart
}

func (c *candidate) key() (string, error) {
	if c.id == "" {
		b, err := c.seg.DocID(uint64(c.doc))
		if err != nil {
			return "", err
		}
		c.id = string(b)
	}
	return c.id, nil
}

// dated makes candidates of sets of documents, in the order of the segments and
// their documents.
func (v *view) dated(sets []*roaring.Bitmap) ([]candidate, error) {
	n := 0
	for _, set := range sets {
		n += int(set.GetCardinality()) //nolint:gosec // a count of documents
	}
	list := make([]candidate, 0, n)
	for i, s := range v.segs {
		for it := sets[i].Iterator(); it.HasNext(); {
			doc := it.Next()
			date, err := s.date(doc)
			if err != nil {
				return nil, err
			}
			list = append(list, candidate{seg: s, doc: doc, date: date})
		}
	}
	return list, nil
}

// compare orders the better candidate first: score, date, name.
func compare(a, b *candidate) (int, error) {
	if c := cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.date, a.date)); c != 0 {
		return c, nil
	}
	x, err := a.key()
	if err != nil {
		return 0, err
	}
	y, err := b.key()
	return cmp.Compare(x, y), err
}

func rank(list []candidate) error {
	var bad error
	slices.SortFunc(list, func(a, b candidate) int {
		c, err := compare(&a, &b)
		if err != nil {
			bad = err
		}
		return c
	})
	return bad
}

// scored is a term that counts for the score.
type scored struct {
	reading
	text   string
	weight float64
}

// size is how long a document is.
type size uint8

const (
	usual size = iota
	short
	long
	sizes
)

// BM25 as everyone has it, with the length that is usual.
const (
	saturation    = 1.2
	lengthBias    = 0.75
	typicalLength = 250
)

// impact is what a term counts that occurs so often in so long a text: about 1
// for once in a usual one, at most 2.2.
func impact(freq, length float64) float64 {
	return freq * (saturation + 1) / (freq + saturation*(1-lengthBias+lengthBias*length/typicalLength))
}

// impacts are those of the usual case of each class of documents, and what terms
// gain there that occur often.
var once, gain = impacts()

func impacts() (once, gain [sizes]float64) {
	for s, length := range [sizes]float64{usual: 200, short: 40, long: 1000} {
		once[s] = impact(1, length)
		gain[s] = impact(4, length) - once[s]
	}
	return once, gain
}

// inTitle is what a term gains by being in the title.
var inTitle = [sizes]float64{3, 3, 3}

// instead is what something else counts in the place of a word.
const instead = 0.8

// scoring lists the terms of units. What a unit counts does not depend on how
// many terms it is made of.
func scoring(units []text.Unit) []scored {
	var out []scored
	for i := range units {
		u := &units[i]
		if u.Not {
			continue
		}
		for _, t := range u.Terms {
			out = append(out, scored{readTerms, t.Text, 1 / float64(len(u.Terms))})
		}
		for _, l := range u.Loose {
			out = append(out, scored{readingOf(l), l.Text, 1 / float64(len(u.Loose))})
		}
		for _, other := range u.Also {
			for _, t := range other.Terms {
				read := readTerms
				if other.Sound {
					read = readSounds
				}
				out = append(out, scored{read, t.Text, instead / float64(len(other.Terms))})
			}
		}
	}
	return out
}

func readingOf(l text.Loose) reading {
	if l.Base {
		return readBases
	}
	return readTerms
}

// score adds up what the terms give to the candidates, which are in the order
// of the segments and their documents.
func (v *view) score(sets []*roaring.Bitmap, list []candidate, terms []scored) error {
	rarity := make([]float64, len(terms))
	for i, t := range terms {
		var err error
		if rarity[i], err = v.rarity(t); err != nil {
			return err
		}
	}
	for i, s := range v.segs {
		n := int(sets[i].GetCardinality()) //nolint:gosec // a count of documents
		if n == 0 {
			continue
		}
		if err := s.measure(sets[i], list[:n]); err != nil {
			return err
		}
		for k, t := range terms {
			if err := s.scoreTerm(t, rarity[k], sets[i], list[:n]); err != nil {
				return err
			}
		}
		list = list[n:]
	}
	return nil
}

func (s *seg) scoreTerm(t scored, idf float64, docs *roaring.Bitmap, list []candidate) error {
	for _, part := range []struct {
		field  string
		impact *[sizes]float64
	}{{t.reading.text, &once}, {t.often, &gain}, {t.title, &inTitle}} {
		if part.field == "" {
			continue
		}
		if err := s.each(part.field, t.text, docs, list, func(c *candidate) {
			c.score += t.weight * idf * part.impact[c.size]
		}); err != nil {
			return err
		}
	}
	return nil
}

// each calls do for the candidates, the documents of a set, that have a term.
func (s *seg) each(field, term string, docs *roaring.Bitmap, list []candidate, do func(c *candidate)) error {
	b, err := s.with(field, term)
	if err != nil {
		return err
	}
	at := 0
	for it := roaring.And(docs, b).Iterator(); it.HasNext(); {
		for doc := it.Next(); list[at].doc < doc; {
			at++
		}
		do(&list[at])
	}
	return nil
}

// measure notes the sizes of candidates.
func (s *seg) measure(docs *roaring.Bitmap, list []candidate) error {
	if err := s.each(fieldLength, isShort, docs, list, func(c *candidate) { c.size = short }); err != nil {
		return err
	}
	return s.each(fieldLength, isLong, docs, list, func(c *candidate) { c.size = long })
}

// rarity is how much a term tells.
func (v *view) rarity(t scored) (float64, error) {
	var n float64
	for _, s := range v.segs {
		b, err := s.with(t.reading.text, t.text)
		if err != nil {
			return 0, err
		}
		n += float64(b.GetCardinality())
	}
	return math.Log(1 + (float64(v.docs)-n+0.5)/(n+0.5)), nil
}

// halfLife is how long it takes for half of the advantage of being new to go.
const halfLife = 60 * 24 * time.Hour

// freshness is what a score is multiplied with: 2 now, 1 long ago.
func freshness(date int64, now time.Time) float64 {
	age := max(0, now.UnixMilli()-date)
	return 1 + math.Exp2(-float64(age)/float64(halfLife.Milliseconds()))
}
