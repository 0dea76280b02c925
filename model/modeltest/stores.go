package modeltest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/dynamo/wire"
	"pressroom/model"
	"pressroom/model/deploy"
)

var objectsEndpoint = flag.String("s3-endpoint", "", "run on the S3 at this URL instead of the embedded one, with the credentials local and local-secret")

// Stores are tables and buckets for the tests of a desk, with its schema, and
// empty. By default they are the embedded ones, in memory. With the flags
// -endpoint and -s3-endpoint they are those of other servers, where each test has
// names of its own that it does not notice: it calls a table what its schema does.
type Stores struct {
	Tables  dynamo.API
	Objects *s3.Client
	Streams model.Streams // of the tables; nil on other servers, unless asked for

	// The embedded engines, for tests of what only they do; nil on other servers.
	DB    *dynamo.DB
	Blobs *blob.Store
}

// StoreOptions adjust the embedded stores. The zero value, and nil, are usable.
type StoreOptions struct {
	Tables *dynamo.Options
	// ObjectsNow is the clock of the objects; time.Now if nil.
	ObjectsNow func() time.Time
	// Streams are kept on other servers, too, for tests of what follows them.
	Streams bool
	// HTTP lets Stores.Tables and Stores.Objects reach the embedded stores as other
	// programs do.
	HTTP bool
}

// EachWay runs a test on stores that it reaches in process, and on stores that it
// reaches over HTTP. With the flags it runs once, on other servers.
func EachWay(t *testing.T, test func(t *testing.T, o *StoreOptions)) {
	if Foreign() {
		t.Run("other servers", func(t *testing.T) { test(t, &StoreOptions{Streams: true}) })
		return
	}
	t.Run("in process", func(t *testing.T) { test(t, nil) })
	t.Run("over HTTP", func(t *testing.T) { test(t, &StoreOptions{HTTP: true}) })
}

// OpenStores makes stores with the schemas; they go with the test.
func OpenStores(t testing.TB, o *StoreOptions, schemas ...model.Schema) *Stores {
	t.Helper()
	if o == nil {
		o = &StoreOptions{}
	}
	s := &Stores{}
	own := &prefixed{prefix: fmt.Sprintf("t%d-%d-", os.Getpid(), prefixes.Add(1))}
	s.openTables(t, o.Tables, own)
	s.openObjects(t, o.ObjectsNow, own)
	if Foreign() {
		schemas = plain(schemas, o.Streams)
		if o.Streams && *endpoint != "" {
			s.Streams = streamsClient(*endpoint)
		}
	} else if o.HTTP {
		s.Tables = client(served(t, wire.New(s.DB, nil)))
		s.Objects = objectsClient(served(t, s.Blobs.Handler()))
	}
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: s.Tables, Objects: s.Objects}, nil, schemas...); err != nil {
		t.Fatal(err)
	}
	if Foreign() {
		t.Cleanup(func() { s.remove(t, schemas) })
	}
	return s
}

func served(t testing.TB, h http.Handler) string {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// Foreign reports whether tests run on other servers. Those of what only the
// embedded stores do are skipped there.
func Foreign() bool { return *endpoint != "" || *objectsEndpoint != "" }

// Embedded skips the test on other servers, for the reason that is given.
func (s *Stores) Embedded(t testing.TB, why string) {
	t.Helper()
	if s.DB == nil || s.Blobs == nil {
		t.Skip("only on the embedded stores: " + why)
	}
}

var prefixes atomic.Int64

func (s *Stores) openTables(t testing.TB, o *dynamo.Options, own *prefixed) {
	t.Helper()
	if *endpoint != "" {
		s.Tables = client(*endpoint, own.tables)
		return
	}
	db, err := dynamo.OpenMemory(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s.DB, s.Tables, s.Streams = db, db, db.Streams()
}

func (s *Stores) openObjects(t testing.TB, now func() time.Time, own *prefixed) {
	t.Helper()
	if *objectsEndpoint != "" {
		s.Objects = objectsClient(*objectsEndpoint, own.buckets)
		return
	}
	store, err := blob.Open("objects", &blob.Options{FS: vfs.NewMem(), Now: now, SweepEvery: -1, Reserve: -1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Blobs, s.Objects = store, blob.Client(store)
}

// plain leaves out what other servers do differently, and what tests with a clock
// of their own could not bear: that items expire by the server's.
func plain(schemas []model.Schema, streams bool) []model.Schema {
	var out []model.Schema
	for _, s := range schemas {
		s.Tables = append([]model.Table(nil), s.Tables...)
		for i := range s.Tables {
			t := &s.Tables[i]
			t.Encrypted, t.RecoveryDays, t.TTL, t.Tags = false, 0, "", nil
			if !streams {
				t.Stream = ""
			}
		}
		out = append(out, s)
	}
	return out
}

// remove takes the tables and buckets away again. What cannot be removed is no
// failure of the test: the servers go too.
func (s *Stores) remove(t testing.TB, schemas []model.Schema) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var all error
	for _, schema := range schemas {
		for _, table := range schema.Tables {
			if s.DB == nil {
				_, err := s.Tables.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &table.Name})
				all = errors.Join(all, err)
			}
		}
		for _, bucket := range schema.Buckets {
			if s.Blobs == nil {
				all = errors.Join(all, s.empty(ctx, bucket.Name))
			}
		}
	}
	if all != nil {
		t.Logf("cannot clear up: %v", all)
	}
}

func (s *Stores) empty(ctx context.Context, bucket string) error {
	pages := s3.NewListObjectsV2Paginator(s.Objects, &s3.ListObjectsV2Input{Bucket: &bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, o := range page.Contents {
			if _, err := s.Objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: o.Key}); err != nil {
				return err
			}
		}
	}
	_, err := s.Objects.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: aws.String(bucket)})
	return err
}
