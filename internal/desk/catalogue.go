package desk

import (
	"context"
	"iter"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/internal/search"
	"pressroom/model"
)

// Catalogue is a search.Source made of a desk's functions: what of an article, a
// post or a term can be found, and which change of the table concerns which of
// them. Only what everyone may read is in it.
type Catalogue struct {
	Name, Table string
	// Documents returns all that everyone may find.
	Documents func(context.Context) iter.Seq2[search.Document, error]
	// Changed returns whom a change of an item with these keys concerns.
	Changed func(keys model.Raw) (id string, ok bool)
	// Document returns one, or errs.NotFound.
	Document func(ctx context.Context, id string) (search.Document, error)
	// There says whether everyone may read it: errs.NotFound if not.
	There func(ctx context.Context, id string) error
}

var (
	_ search.Source = (*Catalogue)(nil)
	_ search.Judge  = (*Catalogue)(nil)
)

// Desk implements search.Source.
func (c *Catalogue) Desk() string { return c.Name }

// Tables implements search.Source.
func (c *Catalogue) Tables() []string { return []string{c.Table} }

// All implements search.Source.
func (c *Catalogue) All(ctx context.Context) iter.Seq2[search.Document, error] {
	return c.Documents(ctx)
}

// Affected implements search.Source.
func (c *Catalogue) Affected(_ string, change types.Record) []string {
	if change.Dynamodb == nil {
		return nil
	}
	keys, err := attributevalue.FromDynamoDBStreamsMap(change.Dynamodb.Keys)
	if err != nil {
		return nil // keys are texts; what is none is no item of ours
	}
	if id, ok := c.Changed(keys); ok {
		return []string{id}
	}
	return nil
}

// Load implements search.Source.
func (c *Catalogue) Load(ctx context.Context, id string) (*search.Document, error) {
	doc, err := c.Document(ctx, id)
	if err != nil {
		return nil, err
	}
	return &doc, nil
}

// LevelOf implements search.Judge.
func (c *Catalogue) LevelOf(ctx context.Context, id string) (search.Level, error) {
	return search.Public, c.There(ctx, id)
}

// Documents turns a desk's documents into those of the index.
func Documents[D any](all iter.Seq2[D, error], of func(*D) search.Document) iter.Seq2[search.Document, error] {
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

// Tags are the labels of a document, each once.
func Tags(lists ...[]string) []string {
	var all []string
	met := map[string]bool{}
	for _, list := range lists {
		for _, tag := range list {
			if tag != "" && !met[tag] {
				met[tag] = true
				all = append(all, tag)
			}
		}
	}
	return all
}
