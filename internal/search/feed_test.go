package search_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/search/embedded"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
)

// TestMain makes fewer random checks unless told: each has tables and an index.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
	m.Run()
}

// shelf is a small desk with stories.
type shelf struct {
	*storytest.Desk
	stories *storytest.Stories
}

func newShelf(t testing.TB) *shelf {
	t.Helper()
	stories := storytest.Open(t)
	return &shelf{stories.Desk("shelf"), stories}
}

func (s *shelf) put(t rapid.TB, id, title string) {
	t.Helper()
	s.Put(t, story.Text{Story: story.Story{Ref: story.Ref{ID: id}, Kind: "book", Language: "en", Path: "/" + id, Title: title}})
}

func (s *shelf) remove(t rapid.TB, id string) {
	t.Helper()
	s.TakeBack(t, id)
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

func (s *shelf) feed(x search.Index) *search.Feed { return s.feedOf(x, search.FeedOptions{}) }

func (s *shelf) feedOf(x search.Index, o search.FeedOptions) *search.Feed {
	o.Poll = time.Millisecond
	return search.NewFeed(x, s.stories.Stories, []*story.Shelf{&s.Shelf}, &o)
}

// settle moves what waits into the log, and steps until there is nothing left to read.
func (s *shelf) settle(t rapid.TB, f *search.Feed) {
	t.Helper()
	if err := s.stories.RelayOnce(context.Background()); err != nil {
		t.Fatal(err)
	}
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
func titles(t rapid.TB, x searcher, text string) map[string]string {
	t.Helper()
	r, err := x.Search(context.Background(), search.Query{Text: text, Limit: 100})
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
	s.put(t, "before", "whale one")
	x := openIndex(t, t.TempDir())
	f := s.feed(x)
	if _, err := f.Step(t.Context()); err == nil {
		t.Fatal("an index that was never built was fed")
	}
	if _, err := f.BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s.put(t, "after", "whale two")
	s.settle(t, f)
	if diff := cmp.Diff(map[string]string{"before": "whale one", "after": "whale two"}, titles(t, x, "whale")); diff != "" {
		t.Error(diff)
	}
	s.remove(t, "before")
	s.put(t, "after", "shark")
	s.put(t, "draft", "whale three")
	s.settle(t, f)
	if diff := cmp.Diff(map[string]string{"draft": "whale three"}, titles(t, x, "whale")); diff != "" {
		t.Error(diff)
	}
	if st := f.Status(); st.Lag != 0 || st.Applied == 0 {
		t.Errorf("status %+v", st)
	}
}

// TestServiceReadsTheCards changes documents behind the index's back.
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
	s.settle(t, f)
}

func TestServiceReadsTheCards(t *testing.T) {
	s := newShelf(t)
	s.put(t, "a", "whale one")
	s.put(t, "b", "whale two")
	x := openIndex(t, "")
	f := s.feed(x)
	if _, err := f.BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s.put(t, "c", "whale three")
	s.settle(t, f)
	s.put(t, "a", "whale, the first")
	s.remove(t, "b")
	service := search.NewService(x, s.stories.Stories, "shelf")
	loads := s.Loads()
	if diff := cmp.Diff(map[string]string{"c": "whale three"}, titles(t, service, "whale")); diff != "" {
		t.Errorf("one was changed and one taken back: %s", diff)
	}
	list, err := service.Suggest(t.Context(), "wha", search.Public, 5)
	if err != nil || len(list) != 1 || list[0].ID != "c" {
		t.Errorf("suggested %v, %v", list, err)
	}
	if n := s.Loads() - loads; n != 0 {
		t.Errorf("%d texts were read to show what was found", n)
	}
	if got := titles(t, search.NewService(x, s.stories.Stories, "another"), "whale"); len(got) != 0 {
		t.Errorf("a search over another desk found %v", got)
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
		s.put(t, id, want[id])
		if i == 5 {
			s.remove(t, "doc0")
			delete(want, "doc0")
		}
		s.settle(t, f)
		if i%3 != 0 {
			continue
		}
		s.put(t, "late", fmt.Sprint("whale late ", i))
		y := openIndex(t, moment(t, dir))
		before := s.Loads()
		s.settle(t, s.feed(y))
		expect := maps.Clone(want)
		expect["late"] = fmt.Sprint("whale late ", i)
		if diff := cmp.Diff(expect, titles(t, y, "whale")); diff != "" {
			t.Fatalf("after %d: %s", i, diff)
		}
		if n := s.Loads() - before; n != 1 && i > 0 {
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
	s.put(t, "a", "whale")
	s.put(t, "b", "whale")
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
	s.settle(t, f)
	st, err = f.State(t.Context())
	if err != nil || st.Documents != 2 || st.Private != 0 || st.Rebuilding || st.Lag != 0 || st.Checked.Before(began) || st.Built.Before(began.Add(-time.Millisecond)) {
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
	s.put(t, "a", "whale one")
	x := openIndex(t, "")
	feeds := func() *search.Feed { return s.feedOf(x, search.FeedOptions{Shared: true}) }
	feeder, builder := feeds(), feeds()
	if _, err := feeder.BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s.settle(t, feeder)
	if _, err := builder.BuildNow(t.Context(), func(int) {
		s.put(t, "b", "whale two")
		s.settle(t, feeder)
	}); err != nil {
		t.Fatal(err)
	}
	// What the feeder read before the change of place is written after it.
	if err := x.Apply(t.Context(), search.Batch{Put: []search.Document{{Key: search.Key{Desk: "shelf", ID: "b"}, Title: "whale as it was"}}}); err != nil {
		t.Fatal(err)
	}
	s.put(t, "c", "whale three")
	s.settle(t, feeder)
	want := map[string]string{"a": "whale one", "b": "whale two", "c": "whale three"}
	if diff := cmp.Diff(want, titles(t, x, "whale")); diff != "" {
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
	s.put(t, "a", "whale")
	if err := s.stories.RelayOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Fail(errors.New("the table does not answer"))
	if _, err := f.Step(t.Context()); err == nil {
		t.Fatal("no error of a table that does not answer")
	}
	s.Fail(nil)
	s.settle(t, f)
	if got := titles(t, x, "whale"); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// TestRunMends starts on damaged files and waits until everything is found.
func TestRunMends(t *testing.T) {
	s := newShelf(t)
	s.put(t, "a", "whale")
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
	var done sync.WaitGroup
	done.Go(func() { f.Run(ctx) })
	done.Go(func() {
		if err := s.stories.Relay(ctx); err != nil {
			t.Error(err)
		}
	})
	built := func() bool { points, err := x.Checkpoints(ctx); return err == nil && len(points) > 0 }
	for (!built() || len(titles(t, x, "whale")) == 0) && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
	s.put(t, "b", "whale")
	for len(titles(t, x, "whale")) < 2 && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
	if ctx.Err() != nil {
		t.Errorf("not mended: %+v", f.Status())
	}
	cancel()
	done.Wait()
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

// TestVisibility makes random changes and rebuilds, and compares what is found with a
// plain map. What the service shows is always so; what the index has is, once it is fed.
func TestVisibility(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newShelf(t)
		x := openIndex(t, "")
		f := s.feedOf(x, search.FeedOptions{Track: s.stories.DB.Track})
		if _, err := f.BuildNow(t.Context(), nil); err != nil {
			rt.Fatal(err)
		}
		service := search.NewService(x, s.stories.Stories, "shelf")
		following := search.NewService(x, s.stories.Stories, "shelf")
		following.Follow(f.Current)
		books := map[string]string{}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "id")
				books[id] = rapid.SampledFrom([]string{"whale", "white whale", "エモい whale"}).Draw(rt, "title")
				s.put(rt, id, books[id])
			},
			"remove": func(rt *rapid.T) {
				id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "id")
				delete(books, id)
				s.remove(rt, id)
			},
			"feed": func(rt *rapid.T) {
				s.settle(rt, f)
				if diff := cmp.Diff(books, titles(rt, x, "whale")); diff != "" {
					rt.Fatal(diff)
				}
			},
			"follow": func(rt *rapid.T) {
				for !f.Current(context.Background()) { // a search waits only so long for it
					time.Sleep(time.Millisecond)
				}
				if diff := cmp.Diff(books, titles(rt, following, "whale")); diff != "" {
					rt.Fatal(diff)
				}
			},
			"rebuild": func(rt *rapid.T) {
				if _, err := f.BuildNow(context.Background(), nil); err != nil {
					rt.Fatal(err)
				}
			},
			"": func(rt *rapid.T) {
				for id, title := range titles(rt, service, "whale") {
					if books[id] != title {
						rt.Fatalf("%s was shown as %s, and is %q", id, title, books[id])
					}
				}
			},
		})
	})
}
