package catalogue_test

import (
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/cli/catalogue"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/model"
	"pressroom/model/deploy"
)

var quiet = slog.New(slog.DiscardHandler)

// store is the tables and objects of a desk, in memory.
type store struct {
	t       *testing.T
	db      *dynamo.DB
	objects *blob.Store
}

func open(t *testing.T, schema model.Schema) *store {
	t.Helper()
	s := &store{t: t}
	var err error
	if s.db, err = dynamo.OpenMemory(nil); err != nil {
		t.Fatal(err)
	}
	if s.objects, err = blob.Open("blobs", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1, Log: quiet, Reserve: -1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.objects.Close(), s.db.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: s.db, Objects: blob.Client(s.objects)}, nil, schema); err != nil {
		t.Fatal(err)
	}
	return s
}

// changes are all changes of a table so far, as its stream has them.
func (s *store) changes(table string) []types.Record {
	s.t.Helper()
	ctx, streams := s.t.Context(), s.db.Streams()
	d, err := s.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		s.t.Fatal(err)
	}
	shards, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: d.Table.LatestStreamArn})
	if err != nil {
		s.t.Fatal(err)
	}
	var all []types.Record
	for _, shard := range shards.StreamDescription.Shards {
		at, err := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: d.Table.LatestStreamArn, ShardId: shard.ShardId, ShardIteratorType: types.ShardIteratorTypeTrimHorizon})
		if err != nil {
			s.t.Fatal(err)
		}
		for next := at.ShardIterator; next != nil; {
			page, err := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next, Limit: aws.Int32(1000)})
			if err != nil {
				s.t.Fatal(err)
			}
			if all, next = append(all, page.Records...), page.NextShardIterator; len(page.Records) == 0 {
				break
			}
		}
	}
	return all
}

// affected are the documents that the changes of a table concern, each once.
func (s *store) affected(source search.Source) []string {
	s.t.Helper()
	var ids []string
	for _, table := range source.Tables() {
		for _, change := range s.changes(table) {
			ids = append(ids, source.Affected(table, change)...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func all(t *testing.T, source search.Source) []string {
	t.Helper()
	var ids []string
	for d, err := range source.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return ids
}

// Only a published post is in the catalogue; that its state changed, or anything
// else of it, is a change that concerns it.
func TestBlog(t *testing.T) {
	s := open(t, blog.Schema)
	ctx := t.Context()
	desk, err := blog.New(s.db, blob.Client(s.objects), &blog.Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	source := catalogue.Blog(desk, "blog")
	write := func(title string) blog.Post {
		p, err := desk.Create(ctx, blog.Content{
			Title: title, Summary: "about " + title, Author: "Ann", Tags: []string{"旅行", "Kyoto"},
			Blocks: []blog.Block{{Type: blog.Text, Layout: blog.Full, Content: "寺を**訪れた**。"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	began := time.Now().Truncate(time.Millisecond) // as times are kept
	draft, open, archived := write("draft"), write("秋の京都で"), write("archived")
	for _, p := range []blog.Post{open, archived} {
		if _, err := desk.Publish(ctx, p.ID, blog.AnyVersion); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := desk.Archive(ctx, archived.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{open.ID}, all(t, source)); diff != "" {
		t.Errorf("in the catalogue: %s", diff)
	}
	found, err := source.Load(ctx, open.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := search.Document{
		Key: search.Key{ID: open.ID}, Kind: "post", Language: "ja", Title: "秋の京都で", Summary: "about 秋の京都で", Body: "寺を訪れた。\nAnn",
		Tags: []string{"旅行", "Kyoto"}, URL: "/blog/posts/" + open.ID, Level: search.Public,
	}
	if found.Date.Before(began) || found.Date.After(time.Now()) {
		t.Errorf("its date is %v", found.Date)
	}
	found.Date = time.Time{}
	if diff := cmp.Diff(want, *found); diff != "" {
		t.Error(diff)
	}
	hidden(t, source, draft.ID, archived.ID, "nothing")
	ids := []string{draft.ID, open.ID, archived.ID}
	if slices.Sort(ids); !slices.Equal(ids, s.affected(source)) {
		t.Errorf("changes concern %v, want %v", s.affected(source), ids)
	}
	if _, err := desk.Unpublish(ctx, open.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	hidden(t, source, open.ID)
}

// hidden checks that documents are there for nobody.
func hidden(t *testing.T, source search.Source, ids ...string) {
	t.Helper()
	judge, ok := source.(search.Judge)
	if !ok {
		t.Fatal("it has no say")
	}
	for _, id := range ids {
		if d, err := source.Load(t.Context(), id); !errors.Is(err, errs.NotFound) {
			t.Errorf("%s is %+v, %v", id, d, err)
		}
		if _, err := judge.LevelOf(t.Context(), id); !errors.Is(err, errs.NotFound) {
			t.Errorf("somebody may see %s: %v", id, err)
		}
	}
}

// A term is in the catalogue once it is in the lexicon; a proposal is not, whatever
// becomes of it short of that.
func TestLexicon(t *testing.T) {
	s := open(t, lexicon.Schema)
	ctx := t.Context()
	desk, err := lexicon.New(s.db, nil, &lexicon.Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	source := catalogue.Lexicon(desk, "LexiconTable")
	term := &lexicon.Term{
		Term: "エモい", Gloss: "stirring", Glosses: map[string]string{"en": "stirring", "ja": "心が動かされるさま"}, Variants: []string{"えもい"},
		Examples: []string{"夕日がエモい"}, Categories: []string{"emotion"}, Tags: []string{"feeling", "emotion"}, Confidence: 1, Momentum: 1, Language: "ja",
	}
	if err := desk.SaveTerm(ctx, term); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Member(ctx, "ann", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.SetTier(ctx, "ann", lexicon.Premium); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Submit(ctx, "ann", lexicon.Draft{Term: "zorp", Meaning: "good", Example: "so zorp"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"エモい"}, all(t, source)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"エモい"}, s.affected(source)); diff != "" {
		t.Errorf("changes concern: %s", diff)
	}
	found, err := source.Load(ctx, "エモい")
	if err != nil {
		t.Fatal(err)
	}
	found.Date = time.Time{}
	want := search.Document{
		Key: search.Key{ID: "エモい"}, Kind: "term", Language: "ja", Title: "エモい", Summary: "stirring", Body: "えもい\nstirring\n心が動かされるさま\n夕日がエモい",
		Tags: []string{"emotion", "feeling"}, URL: "/lexicon/terms/%E3%82%A8%E3%83%A2%E3%81%84",
	}
	if diff := cmp.Diff(want, *found); diff != "" {
		t.Error(diff)
	}
	hidden(t, source, "zorp")
	if got := source.Affected("LexiconTable", types.Record{}); got != nil {
		t.Errorf("a change of nothing concerns %v", got)
	}
}
