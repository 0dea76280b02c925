package modeltest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/model"
	"pressroom/model/deploy"
)

// Place is where stores are that outlive a process: a directory, or servers where
// tables and buckets have a name of their own. It says all that a process needs
// which is killed in a test, and can be handed to it as JSON.
type Place struct{ Dir, Tables, Objects, Name string }

// NewPlace returns a place that nobody has been at: on other servers with the flags
// -endpoint and -s3-endpoint.
func NewPlace(t testing.TB) Place {
	if !Foreign() {
		return Place{Dir: t.TempDir()}
	}
	return Place{Tables: *endpoint, Objects: *objectsEndpoint, Name: fmt.Sprint("killed-", time.Now().UnixNano())}
}

// Open opens the stores with a schema of one table and one bucket, and returns the
// schema as it is called there.
func (p Place) Open(schema model.Schema) (s Stores, named model.Schema, closeAll func() error, err error) {
	if s, closeAll, err = p.open(); err != nil {
		return s, schema, nil, err
	}
	named = schema.Named(func(string) string { return p.Name })
	if err := deploy.Apply(context.Background(), deploy.Store{Tables: s.Tables, Objects: s.Objects}, nil, named); err != nil {
		return s, named, nil, errors.Join(err, closeAll())
	}
	return s, named, closeAll, nil
}

func (p Place) open() (s Stores, closeAll func() error, err error) {
	if p.Dir == "" {
		return Stores{Tables: client(p.Tables), Objects: objectsClient(p.Objects)}, func() error { return nil }, nil
	}
	log := slog.New(slog.DiscardHandler)
	if s.DB, err = dynamo.Open(filepath.Join(p.Dir, "tables"), &dynamo.Options{Logger: log}); err != nil {
		return s, nil, err
	}
	if s.Blobs, err = blob.Open(filepath.Join(p.Dir, "objects"), &blob.Options{SweepEvery: -1, Log: log}); err != nil {
		return s, nil, errors.Join(err, s.DB.Close())
	}
	s.Tables, s.Objects = s.DB, blob.Client(s.Blobs)
	return s, func() error { return errors.Join(s.Blobs.Close(), s.DB.Close()) }, nil
}

// objectsClient is the SDK's client for the S3 at an address.
func objectsClient(url string, options ...func(*s3.Options)) *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: &url, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("local", "local-secret", ""),
	}, options...)
}
