package deploy

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo"
	"pressroom/model"
)

func jobs() model.Schema {
	return model.Schema{Name: "jobs", Tables: []model.Table{{
		Name: "jobs", PK: model.Key{Name: "PK"}, SK: model.Key{Name: "SK"},
		Indexes: []model.Index{{Name: "ByState", PK: model.Key{Name: "GPK"}, SK: model.Key{Name: "GSK"}, Projection: model.All}},
		Entities: []model.Entity{{Name: "Job", PK: "JOB#{id}", SK: "META",
			Keys:   []model.IndexKey{{Index: "ByState", PK: "STATE#{state}", SK: "{at}"}},
			Fields: []model.Field{{Name: "id", InKey: true}, {Name: "state"}, {Name: "at"}, {Name: "mode"}, {Name: "meeting", Kind: model.Map, Optional: true}, {Name: "issue", Optional: true}},
			Upgrades: []model.Upgrade{
				{Touches: []string{"mode"}, Do: model.ReplaceValue("mode", "direct", "single")},
				{Touches: []string{"issue"}, Do: model.CopyFrom("issue", "meeting", "issue")},
			}}},
	}}}
}

// openJobs fills a table as older and other programs did.
func openJobs(t *testing.T, n int) (dynamo.API, *model.Table) {
	t.Helper()
	st := open(t)
	s := jobs()
	if err := Apply(t.Context(), st, nil, s); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		put(t, st.Tables, map[string]any{"PK": fmt.Sprint("JOB#", i), "SK": "META", "state": "open", "at": fmt.Sprint(i), "mode": "direct", "meeting": map[string]any{"issue": fmt.Sprint("i", i)}, "more.over": 1})
	}
	put(t, st.Tables, map[string]any{"PK": "JOB#new", "SK": "META", "state": "open", "at": "1", "mode": "chunked", "schemaVersion": 3, "GPK": "STATE#open", "GSK": "1"})
	put(t, st.Tables, map[string]any{"PK": "FOREIGN", "SK": "x"})
	put(t, st.Tables, map[string]any{"PK": "JOB#broken", "SK": "META", "mode": "direct"})
	put(t, st.Tables, map[string]any{"PK": "JOB#future", "SK": "META", "state": "open", "at": "1", "schemaVersion": 9})
	return st.Tables, &s.Tables[0]
}

func put(t *testing.T, db dynamo.API, v map[string]any) {
	t.Helper()
	item, err := attributevalue.MarshalMap(v)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("jobs"), Item: item}); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, db dynamo.API, id string) map[string]any {
	t.Helper()
	key, err := attributevalue.MarshalMap(map[string]string{"PK": "JOB#" + id, "SK": "META"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("jobs"), Key: key})
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := attributevalue.UnmarshalMap(out.Item, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func migrate(t *testing.T, m Migration) Progress {
	t.Helper()
	p, err := m.Migrate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMigrate(t *testing.T) {
	db, table := openJobs(t, 250)
	before := get(t, db, "7")
	dry := migrate(t, Migration{DB: db, Table: table, DryRun: true})
	if dry.Seen != 254 || dry.Changed != 250 || dry.Unknown != 1 || len(dry.Failed) != 2 {
		t.Errorf("dry run: %+v", dry)
	}
	if !reflect.DeepEqual(before, get(t, db, "7")) {
		t.Error("a dry run changes items")
	}
	real := migrate(t, Migration{DB: db, Table: table})
	if real.Changed != 250 || real.Next != nil {
		t.Errorf("migration: %+v", real)
	}
	want := map[string]any{"PK": "JOB#7", "SK": "META", "state": "open", "at": "7", "mode": "single", "meeting": map[string]any{"issue": "i7"}, "issue": "i7", "schemaVersion": 3.0, "GPK": "STATE#open", "GSK": "7", "more.over": 1.0}
	if got := get(t, db, "7"); !reflect.DeepEqual(got, want) {
		t.Errorf("migrated to %v", got)
	}
	if again := migrate(t, Migration{DB: db, Table: table}); again.Changed != 0 {
		t.Errorf("a second migration: %+v", again)
	}
}

func TestMigrateGoesOn(t *testing.T) {
	db, table := openJobs(t, 100)
	stop := errors.New("stop")
	var at Progress
	m := Migration{DB: db, Table: table, PageSize: 30, Report: func(p Progress) error {
		at = p
		if p.Seen >= 60 {
			return stop
		}
		return nil
	}}
	if _, err := m.Migrate(t.Context()); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	rest := migrate(t, Migration{DB: db, Table: table, From: at.Next})
	if at.Seen+rest.Seen != 104 || at.Changed+rest.Changed != 100 {
		t.Errorf("%d and %d seen, %d and %d changed", at.Seen, rest.Seen, at.Changed, rest.Changed)
	}
	if _, err := (&Migration{DB: db, Table: table, From: Position{"PK": "x"}}).Migrate(t.Context()); err == nil {
		t.Error("half a position is accepted")
	}
}

// busy changes each item once between its reading and its writing, and deletes
// one.
type busy struct {
	dynamo.API
	t    *testing.T
	done []string
}

func (b *busy) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	var key map[string]string
	if err := attributevalue.UnmarshalMap(in.Key, &key); err != nil {
		return nil, err
	}
	if id := key["PK"]; !slices.Contains(b.done, id) {
		b.done = append(b.done, id)
		if id == "JOB#3" {
			if _, err := b.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: in.TableName, Key: in.Key}); err != nil {
				return nil, err
			}
		} else {
			put(b.t, b.API, map[string]any{"PK": id, "SK": "META", "state": "done", "at": "z", "mode": "direct"})
		}
	}
	return b.API.UpdateItem(ctx, in, o...)
}

func TestMigrateBesideOthers(t *testing.T) {
	db, table := openJobs(t, 10)
	p := migrate(t, Migration{DB: &busy{API: db, t: t}, Table: table})
	if p.Changed != 9 || len(p.Failed) != 2 {
		t.Errorf("%+v", p)
	}
	want := map[string]any{"PK": "JOB#5", "SK": "META", "state": "done", "at": "z", "mode": "single", "schemaVersion": 3.0, "GPK": "STATE#done", "GSK": "z"}
	if got := get(t, db, "5"); !reflect.DeepEqual(got, want) {
		t.Errorf("what another wrote meanwhile became %v", got)
	}
	if got := get(t, db, "3"); len(got) != 0 {
		t.Errorf("what another deleted is back: %v", got)
	}
}
