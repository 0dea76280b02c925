package blobtest_test

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/blob"
	"pressroom/blob/blobtest"
)

var endpoint = flag.String("endpoint", "", "run the suite on the S3 at this URL, with the credentials in the environment")

const id, secret = "AKIDBLOBTEST", "the secret of the suite"

func open(t *testing.T, opt *blob.Options) *blob.Store {
	t.Helper()
	opt.SweepEvery = -1
	opt.MinPartSize = 1000
	s, err := blob.Open(t.TempDir(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// inProcess gives the suite a store without a socket, whose clock it moves.
func inProcess(t *testing.T, opt *blob.Options) *blobtest.Target {
	var offset atomic.Int64
	opt.Now = func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
	s := open(t, opt)
	return &blobtest.Target{
		Client: blob.Client(s), HTTP: &http.Client{Transport: s.Transport()}, URL: "https://pressroom.internal",
		AccessKeyID: id, Secret: secret, SmallParts: true,
		Advance: func(t *testing.T, d time.Duration) {
			t.Helper()
			offset.Add(int64(d))
			if _, err := s.Sweep(t.Context()); err != nil {
				t.Error(err)
			}
		},
	}
}

func TestInProcess(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) *blobtest.Target {
		return inProcess(t, &blob.Options{FS: vfs.NewMem()})
	})
}

func TestEncrypted(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) *blobtest.Target {
		keys, err := atrest.NewKeys([]byte("a key of thirty-two bytes, as is"))
		if err != nil {
			t.Fatal(err)
		}
		return inProcess(t, &blob.Options{Keys: keys, FS: vfs.NewMem()})
	})
}

// TestFilesOnly keeps no object inline, so that small ones take the path of
// large ones.
func TestFilesOnly(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) *blobtest.Target {
		return inProcess(t, &blob.Options{InlineLimit: -1, FS: vfs.NewMem()})
	})
}

func client(url string, hc *http.Client, id, secret string) *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: &url, Region: "us-east-1", UsePathStyle: true, HTTPClient: hc,
		Credentials: aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider(id, secret, "")),

		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
	})
}

func TestHTTP(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) *blobtest.Target {
		s := open(t, &blob.Options{Credentials: map[string]string{id: secret}})
		srv := httptest.NewServer(s.Handler())
		t.Cleanup(srv.Close)
		return target(srv)
	})
}

func TestTLS(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) *blobtest.Target {
		s := open(t, &blob.Options{FS: vfs.NewMem(), Credentials: map[string]string{id: secret}})
		srv := httptest.NewTLSServer(s.Handler())
		t.Cleanup(srv.Close)
		return target(srv)
	})
}

func target(srv *httptest.Server) *blobtest.Target {
	return &blobtest.Target{
		Client: client(srv.URL, srv.Client(), id, secret), HTTP: srv.Client(), URL: srv.URL,
		AccessKeyID: id, Secret: secret, Verifies: true, SmallParts: true,
	}
}

// TestEndpoint runs the suite on any S3.
func TestEndpoint(t *testing.T) {
	if *endpoint == "" {
		t.Skip("no -endpoint")
	}
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if id == "" || secret == "" {
		t.Fatal("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are needed")
	}
	blobtest.Run(t, func(t *testing.T) *blobtest.Target {
		return &blobtest.Target{
			Client: client(*endpoint, http.DefaultClient, id, secret), HTTP: http.DefaultClient, URL: *endpoint,
			AccessKeyID: id, Secret: secret, Verifies: true,
		}
	})
}
