// Package searchtest is a desk in memory that search finds things of, for the
// tests of what shows results. Its documents are those that were put there last:
// the index may still have others, as it has for a moment in life.
//
// Start with [Open].
package searchtest

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/search/embedded"
)

// Desk is a source of documents, and search over it.
type Desk struct {
	*search.Service
	name  string
	index *embedded.Index
	mu    sync.Mutex
	there map[string]search.Document
}

// Date is when documents were published, if they do not say: each a minute before
// the last.
var Date = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// Open returns a desk with documents, in an index in memory. It is closed when the
// test ends.
func Open(t testing.TB, name string, documents ...search.Document) *Desk {
	t.Helper()
	index, err := embedded.Open("", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &Desk{name: name, index: index, there: map[string]search.Document{}}
	d.Service = search.NewService(index, d)
	for i := range documents {
		doc := &documents[i]
		doc.Desk = name
		if doc.Date.IsZero() {
			doc.Date = Date.Add(-time.Duration(i) * time.Minute)
		}
		if doc.URL == "" {
			doc.URL = "/" + name + "/posts/" + doc.ID
		}
		d.there[doc.ID] = *doc
	}
	if err := index.Apply(t.Context(), search.Batch{Put: documents}); err != nil {
		t.Fatal(err)
	}
	return d
}

// TakeBack makes a document one that nobody may see, behind the index's back.
func (d *Desk) TakeBack(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.there, id)
}

// Desk implements search.Source, as do the methods below.
func (d *Desk) Desk() string { return d.name }

// Tables has none: nothing changes by a stream.
func (d *Desk) Tables() []string { return nil }

// All yields what is there.
func (d *Desk) All(context.Context) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, doc := range d.there {
			if !yield(doc, nil) {
				return
			}
		}
	}
}

// Affected has none either.
func (d *Desk) Affected(string, types.Record) []string { return nil }

// Load returns a document that is there.
func (d *Desk) Load(_ context.Context, id string) (*search.Document, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc, ok := d.there[id]
	if !ok {
		return nil, fmt.Errorf("document %s: %w", id, errs.NotFound)
	}
	return &doc, nil
}
