package model_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo"
	"pressroom/model"
	"pressroom/model/deploy"
)

// roll is a schema with a head and its items.
var roll = model.Schema{Name: "roll", Tables: []model.Table{{
	Name: "roll", PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"},
	Indexes: []model.Index{{Name: "Saves", PK: model.Key{Name: "spk"}, SK: model.Key{Name: "ssk"}, Projection: model.All}},
	Entities: []model.Entity{
		{Name: "Roll", PK: "ROLL#{id}", SK: "HEAD", Version: "version", Fields: []model.Field{
			{Name: "id"}, {Name: "title"}, {Name: "size", Kind: model.Number}, {Name: "version", Kind: model.Number}, {Name: "saveId", Optional: true}}},
		{Name: "Line", PK: "ROLL#{id}", SK: "LINE#{number:05}", Head: "Roll", Fields: []model.Field{
			{Name: "id"}, {Name: "number", Kind: model.Number}, {Name: "title"}, {Name: "note", Optional: true}, {Name: "saveId", Optional: true}, {Name: "next", Kind: model.Map, Optional: true}}},
		{Name: "SavePart", PK: "SAVE#{saveId}", SK: "PART#{part:05}", Fields: model.SavePartFields(64),
			Keys: []model.IndexKey{{Index: "Saves", PK: "SAVES", SK: "{createdAt}#{saveId}", When: &model.Condition{Field: "part", In: []string{"0"}}}}},
	},
	Patterns: []model.Pattern{
		{Name: "Lines", Op: model.Query, Yields: []string{"Line"}, By: []string{"id"}, Begins: "LINE#", Limit: 100, Strong: true},
		{Name: "PartsOfSave", Op: model.Query, Yields: []string{"SavePart"}, By: []string{"saveId"}, Begins: "PART#", Limit: 10, Strong: true},
		{Name: "UnfinishedSaves", Op: model.Query, Index: "Saves", Yields: []string{"SavePart"}, Limit: 10},
	},
}}}

type rollHead struct {
	ID      string `dynamodbav:"id"`
	Title   string `dynamodbav:"title"`
	Size    int    `dynamodbav:"size"`
	Version int    `dynamodbav:"version"`
	SaveID  string `dynamodbav:"saveId"`
}

type rollLine struct {
	ID     string `dynamodbav:"id"`
	Number int    `dynamodbav:"number"`
	Title  string `dynamodbav:"title"`
	Note   string `dynamodbav:"note"`
}

// rolls is a desk over the schema, on a store that may die under it.
type rolls struct {
	db    model.DB
	heads *model.Repo[rollHead]
	lines *model.Repo[rollLine]
	saver *model.Saver
	ids   model.IDs
}

func openRolls(db model.DB) *rolls {
	t := &roll.Tables[0]
	r := &rolls{db: db}
	r.heads = must(model.NewRepo[rollHead](db, t, "Roll", nil))
	r.lines = must(model.NewRepo[rollLine](db, t, "Line", nil))
	r.saver = must(model.NewSaver(db, t, "Roll", model.SaverOptions{Age: time.Nanosecond}))
	return r
}

// save gives every line the title, and so many lines; fewer than 0 deletes all.
func (r *rolls) save(ctx context.Context, title string, size int) error {
	old, err := r.heads.Get(ctx, id("r"))
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return err
	}
	var changes []model.Change
	for i := range size {
		changes = append(changes, r.lines.Becomes(&rollLine{ID: "r", Number: i, Title: title}))
	}
	for i := max(size, 0); i < old.Size; i++ {
		changes = append(changes, r.lines.Goes(model.Values{"id": "r", "number": fmt.Sprint(i)}))
	}
	head := rollHead{ID: "r", Title: title, Size: size, Version: old.Version}
	return r.saver.Save(ctx, "r", old.SaveID, r.ids.New(), changes, func(saveID string, also []model.Piece) error {
		head.SaveID = saveID
		piece := r.heads.PutPiece(&head)
		if size < 0 {
			piece = r.heads.DeletePiece(id("r"), expression.Name("version").Equal(expression.Value(old.Version)))
		}
		return model.Transact(ctx, r.db, append([]model.Piece{piece}, also...)...)
	})
}

// mortal is a store that one process uses, until the process dies.
type mortal struct {
	*dynamo.DB
	left atomic.Int64
}

var errDead = errors.New("the process has died")

func (m *mortal) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if m.left.Add(-1) < 0 {
		return nil, errDead
	}
	return m.DB.TransactWriteItems(ctx, in, o...)
}

func (m *mortal) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if m.left.Add(-1) < 0 {
		return nil, errDead
	}
	return m.DB.PutItem(ctx, in, o...)
}

func (m *mortal) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	if m.left.Add(-1) < 0 {
		return nil, errDead
	}
	return m.DB.DeleteItem(ctx, in, o...)
}

func (m *mortal) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if m.left.Add(-1) < 0 {
		return nil, errDead
	}
	return m.DB.UpdateItem(ctx, in, o...)
}

// Of saves that meet, and that somebody impatient gives up all the time, those
// happened that said so, and no others.
func TestSavesThatMeetAreCounted(t *testing.T) {
	db, err := dynamo.OpenMemory(nil)
	check(t, err, nil)
	t.Cleanup(func() { check(t, db.Close(), nil) })
	check(t, deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, roll), nil)
	var happened atomic.Int64
	var group, other sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	other.Go(func() {
		for ctx.Err() == nil {
			if _, err := openRolls(db).saver.RecoverOlder(ctx, 0); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond)
		}
	})
	for saver := range 4 {
		group.Go(func() {
			r := openRolls(db)
			for i := range 4 {
				err := r.saver.Retry(t.Context(), "r", func() error {
					return r.save(t.Context(), fmt.Sprintf("%d of %d", i, saver), 120+saver)
				})
				switch {
				case err == nil:
					happened.Add(1)
				case !errors.Is(err, model.ErrStale) && !errors.Is(err, model.ErrExists) && !errors.Is(err, model.ErrGivenUp) && !errors.Is(err, model.ErrSaving): // it ran out of tries
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	stop()
	other.Wait()
	head, err := openRolls(db).heads.Get(t.Context(), id("r"))
	if !errors.Is(err, model.ErrNotFound) {
		check(t, err, nil)
	}
	if head.Version != int(happened.Load()) {
		t.Errorf("%d saves said that they happened, and %d did", happened.Load(), head.Version)
	}
}

// Saves of one head that meet, some of them by processes that die at any write,
// leave in the end the head and the lines of one of them, and nothing else.
func TestSavesThatMeetAndDie(t *testing.T) {
	if err := roll.Validate(); err != nil {
		t.Fatal(err)
	}
	db, err := dynamo.OpenMemory(nil)
	check(t, err, nil)
	t.Cleanup(func() { check(t, db.Close(), nil) })
	check(t, deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, roll), nil)
	ctx := t.Context()
	whole := openRolls(db)
	random := rand.New(rand.NewPCG(1, 2))
	var happened atomic.Int64
	for round := range 25 {
		var group sync.WaitGroup
		for saver := range 4 {
			store := &mortal{DB: db}
			store.left.Store(random.Int64N(25))
			sizes := []int{-1, 3, 40, 150, 260}
			size := sizes[random.IntN(len(sizes))]
			group.Go(func() {
				err := openRolls(store).save(ctx, fmt.Sprintf("%d of round %d", saver, round), size)
				if err == nil || errors.Is(err, model.ErrUntidied) {
					happened.Add(1)
				}
			})
		}
		group.Wait()
		if _, err := whole.saver.Recover(ctx); err != nil {
			t.Fatal(err)
		}
		head, err := whole.heads.Get(ctx, id("r"))
		if errors.Is(err, model.ErrNotFound) {
			head, err = rollHead{}, nil
		}
		check(t, err, nil)
		n := 0
		for line, err := range whole.lines.All(ctx, "Lines", id("r")) {
			check(t, err, nil)
			if line.Title != head.Title || line.Number != n {
				t.Fatalf("round %d: line %d is %+v, under %+v", round, n, line, head)
			}
			n++
		}
		if n != head.Size {
			t.Fatalf("round %d: %d lines under %+v", round, n, head)
		}
		items := 0
		check(t, roll.Tables[0].Walk(ctx, db, func(item model.Item) error {
			items++
			if item.Entity.Head != "" && (item.Raw[model.SaveAttribute] != nil || item.Raw[model.NextAttribute] != nil) {
				t.Errorf("round %d: %s is not tidied up", round, roll.Tables[0].Where(item.Raw))
			}
			return nil
		}), nil)
		if want := n + min(len(head.ID), 1); items != want {
			t.Fatalf("round %d: %d items, want %d", round, items, want)
		}
	}
	if happened.Load() < 10 {
		t.Errorf("only %d saves happened", happened.Load())
	}
}
