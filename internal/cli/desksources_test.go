package cli

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/minutestest"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/ops"
	"pressroom/llm"
	"pressroom/model"
	"pressroom/model/deploy"
)

// noScans are tables that refuse to be scanned.
type noScans struct{ model.DB }

func (noScans) Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return nil, errors.New("a source scans")
}

// read asks a source, and returns the queue of a name.
func read(t *testing.T, source ops.Source, queue string) (ops.Readings, ops.Queue) {
	t.Helper()
	r, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range r.Queues {
		if q.Name == queue {
			return r, q
		}
	}
	t.Fatalf("there is no queue %s in %+v", queue, r.Queues)
	return r, ops.Queue{}
}

// deny is a model that never answers.
type deny struct{}

func (deny) Info() llm.Info { return llm.Info{Provider: "openai", Model: "gpt-5"} }

func (deny) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, &llm.Error{Kind: llm.Refused, Provider: "openai", Model: "gpt-5", Message: "it will not"}
}

// What fails is told with its kind and its own words, and put back.
func TestMinutesSource(t *testing.T) {
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	store, err := blob.Open("blobs", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1, Log: quiet, Reserve: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(store.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	objects := blob.Client(store)
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db, Objects: objects}, nil, minutes.Schema); err != nil {
		t.Fatal(err)
	}
	library := httptest.NewServer(minutestest.Library(minutestest.Sitting(1, "2026-11-10"), minutestest.Sitting(2, "2026-11-12")))
	defer library.Close()
	desk, err := minutes.New(noScans{db}, objects, deny{}, &minutes.Options{SourceURL: library.URL, Pause: -1, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	source := minutesSource(desk)
	if _, q := read(t, source, "minutes tasks"); q.Items["waiting"] != 0 || !q.Oldest.IsZero() {
		t.Errorf("with nothing to do: %+v", q)
	}
	if _, err := desk.Collect(t.Context(), "2026-11-01", "2026-11-15", nil); err != nil {
		t.Fatal(err)
	}
	task, err := desk.Claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, q := read(t, source, "minutes tasks"); q.Items["waiting"] != 1 || q.Items["running"] != 1 || q.Oldest.IsZero() {
		t.Errorf("one of two is worked on: %+v", q)
	}
	if err := desk.Fail(t.Context(), &task, errors.New("openai gpt-5: overloaded: later"), false); err != nil {
		t.Fatal(err)
	}
	if _, q := read(t, source, "minutes tasks"); q.Items["waiting"] != 1 || q.Items["retrying"] != 1 {
		t.Errorf("one of two is tried again: %+v", q)
	}
	if task, err = desk.Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := desk.Fail(t.Context(), &task, errors.New("openai gpt-5: refused: it will not"), true); err != nil {
		t.Fatal(err)
	}
	r, q := read(t, source, "minutes tasks")
	if q.Items["failed"] != 1 || len(r.Failures) != 1 || r.Failures[0].Reason != "refused" || r.Failures[0].Count != 1 || !strings.Contains(r.Failures[0].Example, "it will not") || r.Failures[0].Last.IsZero() {
		t.Errorf("one has failed: %+v, %+v", q, r.Failures)
	}
	if n, err := requeueMinutes(desk)(t.Context()); err != nil || n != 1 {
		t.Errorf("%d put back, %v", n, err)
	}
	if r, q := read(t, source, "minutes tasks"); q.Items["failed"] != 0 || q.Items["waiting"]+q.Items["retrying"] != 2 || len(r.Failures) != 0 {
		t.Errorf("put back: %+v, %+v", q, r.Failures)
	}
}

// A site whose articles cannot be fetched shows as retries with their reason, and
// its crawl as work.
func TestNewswireSource(t *testing.T) {
	desk := testNewswire(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/quick/":
			_, _ = w.Write([]byte(`<html><body><a href="/quick/2026/11/one-long-headline-of-an-article">one</a></body></html>`))
		case "/robots.txt":
			http.NotFound(w, r)
		default:
			http.Error(w, "down", http.StatusServiceUnavailable)
		}
	}))
	source := newswireSource(desk)
	if r, q := read(t, source, "newswire fetches"); q.Items["retrying"] != 0 || len(r.Works) != 0 {
		t.Errorf("before: %+v, %+v", q, r.Works)
	}
	if _, err := desk.Crawl(t.Context(), "quick", newswire.CrawlOptions{}); err != nil {
		t.Fatal(err)
	}
	r, q := read(t, source, "newswire fetches")
	if q.Items["retrying"] != 1 || len(r.Failures) != 1 || r.Failures[0].Queue != "newswire fetches" || r.Failures[0].Example == "" {
		t.Errorf("one page is to be fetched again: %+v, %+v", q, r.Failures)
	}
	if len(r.Works) != 1 || r.Works[0].Subject != "quick" || r.Works[0].State == "" || r.Works[0].Ended.IsZero() {
		t.Errorf("crawls: %+v", r.Works)
	}
}

func TestLexiconAndBlogSources(t *testing.T) {
	_, st := openPreparedStore(t)
	words, err := lexicon.New(noScans{st.db}, nil, &lexicon.Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := words.Member(t.Context(), "ann", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := words.SetTier(t.Context(), "ann", lexicon.Premium); err != nil {
		t.Fatal(err)
	}
	if _, err := words.Submit(t.Context(), "ann", lexicon.Draft{Term: "zorp", Meaning: "good", Example: "so zorp"}); err != nil {
		t.Fatal(err)
	}
	if _, q := read(t, lexiconSource(words), "lexicon validation"); q.Items["waiting"] != 1 || q.Oldest.IsZero() {
		t.Errorf("one proposal waits: %+v", q)
	}
	posts, err := blog.New(noScans{st.db}, st.client, &blog.Options{Log: quiet, Secret: []byte("0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	if err := posts.Public().Send(t.Context(), "visitor", blog.Letter{Name: "Ben", Email: "ben@example.org", Subject: "Hello", Body: "I like it."}); err != nil {
		t.Fatal(err)
	}
	if _, q := read(t, blogSource(posts), "blog inbox"); q.Items["waiting"] != 1 || q.Oldest.IsZero() {
		t.Errorf("one message waits: %+v", q)
	}
}
