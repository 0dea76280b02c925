// Package catalogue makes the desks sources of the search index: it says what of
// an article, a post or a term can be found, and which change of a table concerns
// which of them.
//
// It promises that only what everyone may read is in a catalogue: published posts,
// articles that stood up to the record, what sites published, terms of the lexicon.
// Drafts, tasks in review and proposals are not, and never were.
//
// Start with desk, which is what they have in common; each desk has a file.
package catalogue

import (
	"context"
	"iter"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/internal/search"
	"pressroom/model"
)

// desk is a search.Source made of a desk's functions.
type desk struct {
	name, table string
	all         func(context.Context) iter.Seq2[search.Document, error]
	changed     func(keys model.Raw) (id string, ok bool)
	load        func(ctx context.Context, id string) (search.Document, error)
	// there says whether everyone may read it: errs.NotFound if not.
	there func(ctx context.Context, id string) error
}

var (
	_ search.Source = (*desk)(nil)
	_ search.Judge  = (*desk)(nil)
)

// Desk implements search.Source.
func (d *desk) Desk() string { return d.name }

// Tables implements search.Source.
func (d *desk) Tables() []string { return []string{d.table} }

// All implements search.Source.
func (d *desk) All(ctx context.Context) iter.Seq2[search.Document, error] { return d.all(ctx) }

// Affected implements search.Source.
func (d *desk) Affected(_ string, change types.Record) []string {
	if change.Dynamodb == nil {
		return nil
	}
	keys, err := attributevalue.FromDynamoDBStreamsMap(change.Dynamodb.Keys)
	if err != nil {
		return nil // keys are texts; what is none is no item of ours
	}
	if id, ok := d.changed(keys); ok {
		return []string{id}
	}
	return nil
}

// Load implements search.Source.
func (d *desk) Load(ctx context.Context, id string) (*search.Document, error) {
	doc, err := d.load(ctx, id)
	if err != nil {
		return nil, err
	}
	return &doc, nil
}

// LevelOf implements search.Judge.
func (d *desk) LevelOf(ctx context.Context, id string) (search.Level, error) {
	return search.Public, d.there(ctx, id)
}

// documents turns a desk's documents into those of the index.
func documents[D any](all iter.Seq2[D, error], of func(*D) search.Document) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for d, err := range all {
			var doc search.Document
			if err == nil {
				doc = of(&d)
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}
