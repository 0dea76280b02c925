package search_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/search/embedded"
)

// TestMain makes fewer random checks unless told: each has tables and an index.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
	m.Run()
}

// shelf is a small desk on a real table: an item is a document.
type shelf struct {
	db     *dynamo.DB
	loads  atomic.Int64
	broken atomic.Bool // Load fails
}

const table = "shelf"

func newShelf(t testing.TB) *shelf {
	t.Helper()
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	_, err = db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(table), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		StreamSpecification:  &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &shelf{db: db}
}

func (s *shelf) put(t rapid.TB, id, title string, level search.Level) {
	t.Helper()
	_, err := s.db.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: map[string]types.AttributeValue{
		"id":    &types.AttributeValueMemberS{Value: id},
		"title": &types.AttributeValueMemberS{Value: title},
		"level": &types.AttributeValueMemberN{Value: strconv.Itoa(int(level))},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) remove(t rapid.TB, id string) {
	t.Helper()
	_, err := s.db.DeleteItem(context.Background(), &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: map[string]types.AttributeValue{
		"id": &types.AttributeValueMemberS{Value: id},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) Desk() string     { return "shelf" }
func (s *shelf) Tables() []string { return []string{table} }

func (s *shelf) All(ctx context.Context) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		out, err := s.db.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String(table)})
		if err != nil {
			yield(search.Document{}, err)
			return
		}
		for _, item := range out.Items {
			if !yield(document(item), nil) {
				return
			}
		}
	}
}

func (s *shelf) Affected(_ string, r streamtypes.Record) []string {
	return []string{r.Dynamodb.Keys["id"].(*streamtypes.AttributeValueMemberS).Value}
}

func (s *shelf) Load(ctx context.Context, id string) (*search.Document, error) {
	s.loads.Add(1)
	if s.broken.Load() {
		return nil, errors.New("the table does not answer")
	}
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(table), ConsistentRead: aws.Bool(true),
		Key: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}},
	})
	if err != nil {
		return nil, err
	}
	if out.Item == nil {
		return nil, errs.NotFound
	}
	d := document(out.Item)
	return &d, nil
}

func document(item map[string]types.AttributeValue) search.Document {
	level, err := strconv.Atoi(item["level"].(*types.AttributeValueMemberN).Value)
	if err != nil {
		panic(err)
	}
	id := item["id"].(*types.AttributeValueMemberS).Value
	return search.Document{
		Key: search.Key{Desk: "shelf", ID: id}, Kind: "book", Language: "en", URL: "/" + id,
		Title: item["title"].(*types.AttributeValueMemberS).Value, Level: search.Level(level),
		Date: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
	}
}

func openIndex(t testing.TB, dir string) *embedded.Index {
	t.Helper()
	x, err := embedded.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func (s *shelf) feed(x search.Index) *search.Feed {
	return search.NewFeed(x, s.db, s.db.Streams(), []search.Source{s}, &search.FeedOptions{Poll: time.Millisecond})
}

// settle steps until there is nothing left to read.
func settle(t rapid.TB, f *search.Feed) {
	t.Helper()
	for {
		idle, err := f.Step(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if idle {
			return
		}
	}
}

type searcher interface {
	Search(ctx context.Context, q search.Query) (*search.Results, error)
}

// titles returns what a search finds: ids with their titles.
func titles(t rapid.TB, x searcher, text string, level search.Level) map[string]string {
	t.Helper()
	r, err := x.Search(context.Background(), search.Query{Text: text, Level: level, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, h := range r.Hits {
		out[h.ID] = h.Title
	}
	return out
}

func TestFeed(t *testing.T) {
	s := newShelf(t)
	s.put(t, "before", "whale one", search.Public)
	x := openIndex(t, t.TempDir())
	f := s.feed(x)
	if _, err := f.Step(t.Context()); err == nil {
		t.Fatal("an index that was never built was fed")
	}
	if _, err := f.BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s.put(t, "after", "whale two", search.Public)
	s.put(t, "draft", "whale three", 2)
	settle(t, f)
	if diff := cmp.Diff(map[string]string{"before": "whale one", "after": "whale two"}, titles(t, x, "whale", search.Public)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"before": "whale one", "after": "whale two", "draft": "whale three"}, titles(t, x, "whale", 2)); diff != "" {
		t.Error(diff)
	}
	s.remove(t, "before")
	s.put(t, "after", "shark", search.Public)
	s.put(t, "draft", "whale three", search.Public)
	settle(t, f)
	if diff := cmp.Diff(map[string]string{"draft": "whale three"}, titles(t, x, "whale", search.Public)); diff != "" {
		t.Error(diff)
	}
	if st := f.Status(); st.Lag != 0 || st.Applied == 0 {
		t.Errorf("status %+v", st)
	}
}

// TestServiceAsksTheDesk changes documents behind the index's back.
// slowSwitch is an index whose new one takes its place only when it is let.
type slowSwitch struct {
	*embedded.Index
	begun, let chan struct{}
}

func (x *slowSwitch) Rebuild(ctx context.Context) (search.Build, error) {
	b, err := x.Index.Rebuild(ctx)
	return &slowBuild{b, x}, err
}

type slowBuild struct {
	search.Build
	x *slowSwitch
}

func (b *slowBuild) Commit(ctx context.Context) error {
	close(b.x.begun)
	<-b.x.let
	return b.Build.Commit(ctx)
}

// Who wants a change in the index at once waits for a new index as long as it likes,
// and no longer.
func TestStepGivesUp(t *testing.T) {
	s := newShelf(t)
	x := &slowSwitch{openIndex(t, ""), make(chan struct{}), make(chan struct{})}
	f := s.feed(x)
	built := make(chan error)
	go func() {
		_, err := f.BuildNow(context.Background(), nil)
		built <- err
	}()
	<-x.begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	gaveUp := make(chan error)
	go func() {
		_, err := f.Step(ctx)
		gaveUp <- err
	}()
	select {
	case err := <-gaveUp:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(5 * time.Minute):
		t.Error("it waits on")
		defer func() { <-gaveUp }()
	}
	close(x.let)
	if err := <-built; err != nil {
		t.Fatal(err)
	}
	settle(t, f)
}

func TestServiceAsksTheDesk(t *testing.T) {
	s := newShelf(t)
	s.put(t, "a", "whale one", search.Public)
	s.put(t, "b", "whale two", search.Public)
	x := openIndex(t, "")
	if _, err := s.feed(x).BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s.put(t, "a", "whale one", 2)
	s.remove(t, "b")
	service := search.NewService(x, s)
	if got := titles(t, service, "whale", search.Public); len(got) != 0 {
		t.Errorf("found %v, all taken back", got)
	}
	list, err := service.Suggest(t.Context(), "wha", search.Public, 5)
	if err != nil || len(list) != 0 {
		t.Errorf("suggested %v, %v", list, err)
	}
	if got := titles(t, service, "whale", 2); len(got) != 1 {
		t.Errorf("found %v, want a", got)
	}
}

// TestResume kills the feed at every batch: the index is copied as it is on disk
// while the feed writes on, and a new feed on the copy misses nothing.
func TestResume(t *testing.T) {
	s := newShelf(t)
	dir := t.TempDir()
	x := openIndex(t, dir)
	f := s.feed(x)
	if _, err := f.BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for i := range 12 {
		id := fmt.Sprint("doc", i%7)
		want[id] = fmt.Sprint("whale ", i)
		s.put(t, id, want[id], search.Public)
		if i == 5 {
			s.remove(t, "doc0")
			delete(want, "doc0")
		}
		settle(t, f)
		if i%3 != 0 {
			continue
		}
		s.put(t, "late", fmt.Sprint("whale late ", i), search.Public)
		y := openIndex(t, moment(t, dir))
		before := s.loads.Load()
		settle(t, s.feed(y))
		expect := maps.Clone(want)
		expect["late"] = fmt.Sprint("whale late ", i)
		if diff := cmp.Diff(expect, titles(t, y, "whale", search.Public)); diff != "" {
			t.Fatalf("after %d: %s", i, diff)
		}
		if n := s.loads.Load() - before; n != 1 && i > 0 {
			t.Errorf("after %d: %d documents were read again, want 1", i, n)
		}
		want["late"] = expect["late"]
	}
}

// moment copies a directory as it is at one moment. What works in the background may
// change it meanwhile; then it is copied again.
func moment(t *testing.T, dir string) (copied string) {
	t.Helper()
	look := func() map[string]string {
		found := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil {
				var info fs.FileInfo
				if info, err = d.Info(); err == nil {
					found[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
				}
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for {
		copied, before := filepath.Join(t.TempDir(), "copy"), look()
		err := os.CopyFS(copied, os.DirFS(dir))
		if err == nil && maps.Equal(before, look()) {
			return copied
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// TestState tells what an index has, when it was made and how it is fed; two
// builds at once are refused.
func TestState(t *testing.T) {
	s := newShelf(t)
	s.put(t, "a", "whale", search.Public)
	s.put(t, "draft", "whale", 2)
	x := openIndex(t, "")
	f := s.feed(x)
	st, err := f.State(t.Context())
	if err != nil || !st.Built.IsZero() || st.Documents != 0 {
		t.Errorf("before: %+v, %v", st, err)
	}
	began := time.Now()
	var told []int
	n, err := f.BuildNow(t.Context(), func(documents int) {
		told = append(told, documents)
		if !f.Status().Rebuilding {
			t.Error("it does not say that it builds")
		}
		if _, err := f.BuildNow(t.Context(), nil); errs.KindOf(err) != errs.Conflict {
			t.Errorf("a build during a build: %v", err)
		}
	})
	if err != nil || n != 2 || len(told) == 0 || told[len(told)-1] != 2 {
		t.Errorf("%d documents, told %v, %v", n, told, err)
	}
	settle(t, f)
	st, err = f.State(t.Context())
	if err != nil || st.Documents != 2 || st.Private != 1 || st.Rebuilding || st.Lag != 0 || st.Checked.Before(began) || st.Built.Before(began.Add(-time.Millisecond)) {
		t.Errorf("after: %+v, %v", st, err)
	}
	if n, err := f.BuildNow(t.Context(), nil); err != nil || n != 2 {
		t.Errorf("again: %d documents, %v", n, err)
	}
}

// TestAnotherBuilds has two processes with one index: while one feeds it, the
// other makes it again from a reading that missed what the first has fed.
func TestAnotherBuilds(t *testing.T) {
	s := newShelf(t)
	s.put(t, "a", "whale one", search.Public)
	x := openIndex(t, "")
	feeds := func() *search.Feed {
		return search.NewFeed(x, s.db, s.db.Streams(), []search.Source{s}, &search.FeedOptions{Poll: time.Millisecond, Shared: true})
	}
	feeder, builder := feeds(), feeds()
	if _, err := feeder.BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	settle(t, feeder)
	if _, err := builder.BuildNow(t.Context(), func(int) {
		s.put(t, "b", "whale two", search.Public)
		settle(t, feeder)
	}); err != nil {
		t.Fatal(err)
	}
	// What the feeder read before the change of place is written after it.
	if err := x.Apply(t.Context(), search.Batch{Put: []search.Document{{Key: search.Key{Desk: "shelf", ID: "b"}, Title: "whale as it was"}}}); err != nil {
		t.Fatal(err)
	}
	s.put(t, "c", "whale three", search.Public)
	settle(t, feeder)
	want := map[string]string{"a": "whale one", "b": "whale two", "c": "whale three"}
	if diff := cmp.Diff(want, titles(t, x, "whale", search.Public)); diff != "" {
		t.Error(diff)
	}
}

// TestErrorsPass shows that a change is not lost when its document cannot be
// read for a while.
func TestErrorsPass(t *testing.T) {
	s := newShelf(t)
	x := openIndex(t, "")
	f := s.feed(x)
	if _, err := f.BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s.put(t, "a", "whale", search.Public)
	s.broken.Store(true)
	if _, err := f.Step(t.Context()); err == nil {
		t.Fatal("no error of a table that does not answer")
	}
	s.broken.Store(false)
	settle(t, f)
	if got := titles(t, x, "whale", search.Public); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// TestRunMends starts on damaged files and waits until everything is found.
func TestRunMends(t *testing.T) {
	s := newShelf(t)
	s.put(t, "a", "whale", search.Public)
	dir := t.TempDir()
	x := openIndex(t, dir)
	if _, err := s.feed(x).BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	damage(t, dir)
	x = openIndex(t, dir)
	if _, err := x.Search(t.Context(), search.Query{Text: "whale", Limit: 1}); !errors.Is(err, errs.Unavailable) {
		t.Fatalf("search in a damaged index: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	f := s.feed(x)
	done := make(chan struct{})
	go func() { defer close(done); f.Run(ctx) }()
	built := func() bool { points, err := x.Checkpoints(ctx); return err == nil && len(points) > 0 }
	for (!built() || len(titles(t, x, "whale", search.Public)) == 0) && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
	s.put(t, "b", "whale", search.Public)
	for len(titles(t, x, "whale", search.Public)) < 2 && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
	if ctx.Err() != nil {
		t.Errorf("not mended: %+v", f.Status())
	}
	cancel()
	<-done
}

// damage cuts off the files that name the index's segments.
func damage(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "index-*", "*", "store", "root.bolt"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, f := range files {
		if err := os.Truncate(f, 100); err != nil {
			t.Fatal(err)
		}
	}
}

// TestVisibility makes random changes, levels and rebuilds, and compares what
// every level finds with a plain map.
func TestVisibility(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newShelf(t)
		x := openIndex(t, "")
		f := s.feed(x)
		if _, err := f.BuildNow(t.Context(), nil); err != nil {
			rt.Fatal(err)
		}
		service := search.NewService(x, s)
		type book struct {
			title string
			level search.Level
		}
		books := map[string]book{}
		visible := func(level search.Level) map[string]string {
			out := map[string]string{}
			for id, b := range books {
				if b.level <= level {
					out[id] = b.title
				}
			}
			return out
		}
		levels := []search.Level{0, 1, 2, 4}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "id")
				b := book{rapid.SampledFrom([]string{"whale", "white whale", "エモい whale"}).Draw(rt, "title"), rapid.SampledFrom(levels).Draw(rt, "level")}
				books[id] = b
				s.put(rt, id, b.title, b.level)
			},
			"remove": func(rt *rapid.T) {
				id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "id")
				delete(books, id)
				s.remove(rt, id)
			},
			"feed": func(rt *rapid.T) {
				settle(rt, f)
				for _, l := range levels {
					if diff := cmp.Diff(visible(l), titles(rt, x, "whale", l)); diff != "" {
						rt.Fatalf("level %d: %s", l, diff)
					}
				}
			},
			"rebuild": func(rt *rapid.T) {
				if _, err := f.BuildNow(context.Background(), nil); err != nil {
					rt.Fatal(err)
				}
			},
			"": func(rt *rapid.T) {
				for _, l := range levels {
					may := slices.Collect(maps.Keys(visible(l)))
					for id := range titles(rt, service, "whale", l) {
						if !slices.Contains(may, id) {
							rt.Fatalf("level %d was shown %s", l, id)
						}
					}
				}
			},
		})
	})
}
