// Package searchtest is a desk in memory that search finds things of, for the tests of
// what shows results. Its stories are those that were put there last: the index may
// still have others, as it has for a moment in life.
//
// Start with [Open].
package searchtest

import (
	"testing"
	"time"

	"pressroom/internal/search"
	"pressroom/internal/search/embedded"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/model"
)

// Desk is a desk with stories, and search over it.
type Desk struct {
	*search.Service
	Stories *storytest.Stories
	desk    *storytest.Desk
	t       testing.TB
}

// Date is when documents were published, if they do not say: each a minute before
// the last.
var Date = storytest.Date

// Open returns a desk with documents, in an index in memory. Those that not everyone
// may see are in the index alone. It is closed when the test ends.
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
	stories := storytest.Open(t)
	d := &Desk{Service: search.NewService(index, stories.Stories, name), Stories: stories, desk: stories.Desk(name), t: t}
	for i := range documents {
		doc := &documents[i]
		doc.Desk, doc.Revision = name, 1
		if doc.Date.IsZero() {
			doc.Date = Date.Add(-time.Duration(i) * time.Minute)
		}
		if doc.URL == "" {
			doc.URL = "/" + name + "/posts/" + doc.ID
		}
		if doc.Level == search.Public {
			d.desk.Put(t, story.Text{Body: doc.Body, Hidden: doc.Hidden, Names: doc.Names, Story: story.Story{
				Ref: story.Ref{Desk: name, ID: doc.ID}, Kind: doc.Kind, Language: doc.Language, Title: doc.Title, Summary: doc.Summary,
				Topics: doc.Tags, Path: doc.URL, Published: model.FormatTime(doc.Date),
			}})
		}
	}
	if err := index.Apply(t.Context(), search.Batch{Put: documents}); err != nil {
		t.Fatal(err)
	}
	return d
}

// TakeBack makes a document one that nobody may see, behind the index's back.
func (d *Desk) TakeBack(id string) { d.desk.TakeBack(d.t, id) }
