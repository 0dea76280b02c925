package embedded

import (
	"slices"

	index "github.com/blevesearch/bleve_index_api"

	"pressroom/internal/search/text"
)

// termField is a field of terms in bleve's form. bleve's own text field takes the
// terms one by one, each with memory of its own; most of the work of writing an
// index was that.
type termField struct {
	name    string
	options index.FieldIndexingOptions
	terms   func() index.TokenFrequencies // called once
	read    index.TokenFrequencies
}

const (
	filterOptions = index.IndexField | index.SkipFreqNorm
	phraseOptions = index.IndexField | index.IncludeTermVectors
	valueOptions  = index.IndexField | index.SkipFreqNorm | index.DocValues
)

// Analyze counts the terms; bleve calls it where it has a processor to spare.
func (f *termField) Analyze() { f.read, f.terms = f.terms(), nil }

// The rest is what bleve asks of a field.

func (f *termField) Name() string                                     { return f.name }
func (f *termField) Options() index.FieldIndexingOptions              { return f.options }
func (f *termField) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.read }
func (f *termField) AnalyzedLength() int                              { return len(f.read) }
func (f *termField) EncodedFieldType() byte                           { return 't' }
func (f *termField) Value() []byte                                    { return nil }
func (f *termField) ArrayPositions() []uint64                         { return nil }
func (f *termField) NumPlainTextBytes() uint64                        { return 0 }
func (f *termField) Size() int                                        { return 0 }

// tally is a text counted: its different terms, in the order in which they come.
type tally struct {
	terms  []string
	counts []int
	at     map[string]int // in terms
}

func count(tokens []text.Token) *tally {
	t := &tally{at: make(map[string]int, len(tokens))}
	for i := range tokens {
		n, ok := t.at[tokens[i].Text]
		if !ok {
			n = len(t.terms)
			t.at[tokens[i].Text] = n
			t.terms, t.counts = append(t.terms, tokens[i].Text), append(t.counts, 0)
		}
		t.counts[n]++
	}
	return t
}

// distinct puts terms into bleve's form, each once.
func distinct(terms []string) index.TokenFrequencies {
	out := make(index.TokenFrequencies, len(terms))
	all := make([]index.TokenFreq, len(terms))
	for i, b := range together(terms) {
		all[i].Term = b
		out[terms[i]] = &all[i]
	}
	return out
}

// located is distinct with the places of the tokens that were counted.
func (t *tally) located(tokens []text.Token) index.TokenFrequencies {
	out := make(index.TokenFrequencies, len(t.terms))
	all := make([]index.TokenFreq, len(t.terms))
	refs := make([]*index.TokenLocation, len(tokens))
	for i, b := range together(t.terms) {
		n := t.counts[i]
		all[i].Term, all[i].Locations = b, refs[:0:n]
		all[i].SetFrequency(n)
		refs = refs[n:]
		out[t.terms[i]] = &all[i]
	}
	places := make([]index.TokenLocation, len(tokens))
	for i := range tokens {
		places[i].Position = tokens[i].Pos
		f := &all[t.at[tokens[i].Text]]
		f.Locations = append(f.Locations, &places[i])
	}
	return out
}

// together returns the bytes of terms, in one piece of memory.
func together(terms []string) [][]byte {
	size := 0
	for _, t := range terms {
		size += len(t)
	}
	buf, out := make([]byte, 0, size), make([][]byte, len(terms))
	for i, t := range terms {
		from := len(buf)
		buf = append(buf, t...)
		out[i] = slices.Clip(buf[from:])
	}
	return out
}
