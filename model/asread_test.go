package model_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/model"
)

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// foreignBook is a book as a program writes it that knows no additions.
func foreignBook() model.Raw {
	return model.Raw{
		"PK": text("BOOK#f1"), "SK": text("META"), "title": text("Foreign"), "state": text("out"), "at": text("2026-11-01T00:00:00Z"),
		"kind": text("novel"), "rank": &types.AttributeValueMemberN{Value: "3"}, "shelf.mark": text("kept"),
	}
}

func (l *library) putRaw(t *testing.T, item model.Raw) {
	t.Helper()
	_, err := l.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &l.table.Name, Item: item})
	check(t, err, nil)
}

func (l *library) raw(t *testing.T) model.Raw {
	t.Helper()
	out, err := l.db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &l.table.Name, ConsistentRead: aws.Bool(true),
		Key: model.Raw{"PK": text("BOOK#f1"), "SK": text("META")}})
	check(t, err, nil)
	return out.Item
}

// foreignChange is a change by a program that counts no versions.
func (l *library) foreignChange(t *testing.T, name, value string) {
	t.Helper()
	_, err := l.db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: &l.table.Name,
		Key:              model.Raw{"PK": text("BOOK#f1"), "SK": text("META")},
		UpdateExpression: aws.String("SET #n = :v"), ExpressionAttributeNames: map[string]string{"#n": name}, ExpressionAttributeValues: model.Raw{":v": text(value)}})
	check(t, err, nil)
}

// An item without a version is written over if it says what was read, and only then,
// by each way of writing; what nobody here knows stays.
func TestWithoutVersion(t *testing.T) {
	writes := map[string]func(*library, *book) error{
		"put":     func(l *library, b *book) error { return l.books.Put(t.Context(), b) },
		"piece":   func(l *library, b *book) error { return model.Transact(t.Context(), l.db, l.books.PutPiece(b)) },
		"adopted": func(l *library, b *book) error { return model.Transact(t.Context(), l.db, l.books.AdoptPiece(b)) },
		"removed": func(l *library, b *book) error { return model.Transact(t.Context(), l.db, l.books.RemovePiece(b)) },
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			l := openLibrary(t)
			l.putRaw(t, foreignBook())
			b, err := l.books.Get(t.Context(), id("f1"))
			check(t, err, nil)
			if b.Version >= 0 {
				t.Fatalf("it is read with the version %d", b.Version)
			}
			for _, change := range []string{"title", "shelf.mark", "a new attribute"} {
				stale := b
				l.foreignChange(t, change, "changed")
				check(t, write(l, &stale), model.ErrStale)
				b, err = l.books.Get(t.Context(), id("f1"))
				check(t, err, nil)
			}
			if name != "removed" {
				b.Title = "Ours"
			}
			check(t, write(l, &b), nil)
			now := l.raw(t)
			switch version, _ := now["version"].(*types.AttributeValueMemberN); {
			case name == "removed":
				if now != nil {
					t.Errorf("it is still there: %v", now)
				}
				return
			case name == "adopted" && version != nil:
				t.Errorf("its version is %s", version.Value)
			case name != "adopted" && (version == nil || version.Value != "1" || b.Version != 1):
				t.Errorf("its version is %v, and the value has %d", version, b.Version)
			}
			title := "Ours"
			if name == "adopted" {
				title = "changed"
			}
			for attribute, want := range map[string]string{"title": title, "shelf.mark": "changed", "a new attribute": "changed"} {
				if got, _ := now[attribute].(*types.AttributeValueMemberS); got == nil || got.Value != want {
					t.Errorf("%s is %v, want %q", attribute, now[attribute], want)
				}
			}
			if now["GPK"] == nil {
				t.Errorf("it has no index keys: %v", now)
			}
		})
	}
}

// What this program adds to an item does not make it another one for those who have
// it open.
func TestAdoptionKeepsVersion(t *testing.T) {
	l := openLibrary(t)
	l.putRaw(t, foreignBook())
	b, err := l.books.Get(t.Context(), id("f1"))
	check(t, err, nil)
	adopted := b
	check(t, model.Transact(t.Context(), l.db, l.books.AdoptPiece(&adopted)), nil)
	b.Title = "Typed meanwhile"
	check(t, l.books.Put(t.Context(), &b), nil)
}

// A put over an item of ours keeps what nobody here knows, and removes what is no more.
func TestPutKeepsUnknown(t *testing.T) {
	l := openLibrary(t)
	b := b1()
	b.ID, b.ISBN = "f1", "978"
	check(t, l.books.Put(t.Context(), b), nil)
	l.foreignChange(t, "unknown", "kept")
	b.ISBN = ""
	check(t, l.books.Put(t.Context(), b), nil)
	now := l.raw(t)
	if now["unknown"] == nil || now["isbn"] != nil {
		t.Errorf("after a put it has %v", now)
	}
}

// Modify changes an item without a version like any other.
func TestModifyWithoutVersion(t *testing.T) {
	l := openLibrary(t)
	l.putRaw(t, foreignBook())
	first := true
	b, err := l.books.Modify(t.Context(), id("f1"), func(b *book) error {
		if first { // another program is faster once
			first = false
			l.foreignChange(t, "kind", "tale")
		}
		b.Rank++
		return nil
	})
	check(t, err, nil)
	if b.Version != 1 || b.Rank != 4 || b.Kind != "tale" {
		t.Errorf("it became %+v", b)
	}
}

// hasty is a store in which another program writes right after an item was read.
type hasty struct {
	model.DB
	then func()
}

func (h *hasty) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := h.DB.GetItem(ctx, in, o...)
	if h.then != nil {
		h.then()
	}
	return out, err
}

// Between the last look at an item without a version and the write lies a moment in
// which another program may change it. Then nothing is written.
func TestWithoutVersionBetween(t *testing.T) {
	for _, attribute := range []string{"title", "isbn"} { // one that is there, one that is not
		for name, write := range map[string]func(*model.Repo[book], *hasty, *book) error{
			"put": func(r *model.Repo[book], _ *hasty, b *book) error { return r.Put(t.Context(), b) },
			"piece": func(r *model.Repo[book], h *hasty, b *book) error {
				return model.Transact(t.Context(), h, r.PutPiece(b))
			},
			"adopted": func(r *model.Repo[book], h *hasty, b *book) error {
				return model.Transact(t.Context(), h, r.AdoptPiece(b))
			},
			"removed": func(r *model.Repo[book], h *hasty, b *book) error {
				return model.Transact(t.Context(), h, r.RemovePiece(b))
			},
		} {
			t.Run(attribute+" "+name, func(t *testing.T) {
				l := openLibrary(t)
				l.putRaw(t, foreignBook())
				h := &hasty{DB: l.db}
				books := must(model.NewRepo[book](h, l.table, "Book", options))
				b, err := books.Get(t.Context(), id("f1"))
				check(t, err, nil)
				b.Rank = 9
				h.then = func() { l.foreignChange(t, attribute, "theirs") }
				check(t, write(books, h, &b), model.ErrStale)
				now := l.raw(t)
				got, _ := now[attribute].(*types.AttributeValueMemberS)
				if rank, _ := now["rank"].(*types.AttributeValueMemberN); got == nil || got.Value != "theirs" || rank.Value != "3" || now["version"] != nil {
					t.Errorf("it became %v", now)
				}
			})
		}
	}
}
