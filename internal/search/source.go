package search

import (
	"context"
	"errors"
	"iter"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// ErrUnreadable is wrapped by a Source's error for a document that is there and
// cannot be read, now or later. It leaves the index. Any other error is taken for
// one that passes, and tried again.
var ErrUnreadable = errors.New("the document cannot be read")

// Source is a desk as search sees it.
type Source interface {
	// Desk is the desk's name, that of its documents.
	Desk() string
	// Tables names the tables whose changes concern its documents.
	Tables() []string
	// All returns every document that anyone may find, in any order. It may miss
	// or repeat what changes meanwhile; the changes follow.
	All(ctx context.Context) iter.Seq2[Document, error]
	// Affected returns the ids of the documents that a change may have changed,
	// made or removed. It may return too many.
	Affected(table string, change types.Record) []string
	// Load returns a document as it is now, or errs.NotFound if there is none that
	// anyone may find. It reads consistently: what a change has in it, Load sees.
	Load(ctx context.Context, id string) (*Document, error)
}

// Judge is a Source that can say who may see a document without reading all of
// it.
type Judge interface {
	// LevelOf returns the level of a document as it is now, or errs.NotFound if
	// there is none that anyone may find.
	LevelOf(ctx context.Context, id string) (Level, error)
}
