// Package blobtest is the conformance suite of S3, as far as Pressroom uses it
// and its users may. It runs on the embedded store in process, over HTTP and
// over TLS, and on any other S3:
//
//	go test ./blob/blobtest -endpoint http://127.0.0.1:4566
//
// with credentials from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. It makes
// buckets of its own, whose names begin with "blobtest-", and removes them.
//
// Each file holds the cases of one noun. [Run] lists them all; start there.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// A Target is an S3 to be tested.
type Target struct {
	Client *s3.Client

	// HTTP and URL reach the same store for requests that no SDK sends.
	HTTP *http.Client
	URL  string // without slash at the end

	// AccessKeyID and Secret sign them. Verifies says that signatures
	// are checked; if not, the cases of wrong ones are skipped.
	AccessKeyID, Secret string
	Verifies            bool

	// Advance moves the store's clock forward and carries out what is then
	// due. Nil skips the cases that need time to pass.
	Advance func(t *testing.T, d time.Duration)

	// SmallParts says that parts may be small; else they have 5 MiB.
	SmallParts bool
}

// Run runs the suite. open is called once for each case.
func Run(t *testing.T, open func(t *testing.T) *Target) {
	cases := []struct {
		name string
		run  func(*suite)
	}{
		{"Buckets", buckets},
		{"BucketConfigurations", bucketConfigurations},
		{"PutGetHeadDelete", putGetHeadDelete},
		{"Attributes", attributes},
		{"HostileKeys", hostileKeys},
		{"Ranges", ranges},
		{"ConditionalReads", conditionalReads},
		{"ConditionalWrites", conditionalWrites},
		{"OneWinner", oneWinner},
		{"OverwriteIsAtomic", overwriteIsAtomic},
		{"List", list},
		{"ListPages", listPages},
		{"DeleteMany", deleteMany},
		{"Copy", copies},
		{"Tagging", taggings},
		{"Versions", versions},
		{"SuspendedVersions", suspendedVersions},
		{"ObjectLock", objectLock},
		{"Multipart", multiparts},
		{"MultipartRefusals", multipartRefusals},
		{"Checksums", checksums},
		{"MultipartChecksums", multipartChecksums},
		{"Presigned", presigned},
		{"PostForm", postForm},
		{"PublicPrefix", publicPrefix},
		{"CORS", crossOrigin},
		{"Lifecycle", lifecycles},
		{"ColdClass", coldClass},
		{"BadSignatures", badSignatures},
		{"BadBodies", badBodies},
		{"BadRequests", badRequests},
		{"Streaming", streaming},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := &suite{T: t, Target: open(t)}
			s.bucket = s.newBucket()
			c.run(s)
		})
	}
}

// suite is one case at work: a target and a fresh bucket.
type suite struct {
	*testing.T
	*Target
	bucket string
}

var bucketCount atomic.Int64

func (s *suite) ctx() context.Context { return s.T.Context() }

func (s *suite) newBucket() string {
	s.Helper()
	name := fmt.Sprintf("blobtest-%d-%d-%d", time.Now().Unix(), rand.IntN(1_000_000), bucketCount.Add(1))
	if _, err := s.Client.CreateBucket(s.ctx(), &s3.CreateBucketInput{Bucket: &name}); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { s.drop(name) })
	return name
}

// drop removes a bucket and all in it.
func (s *suite) drop(bucket string) {
	ctx := context.Background()
	pages := s3.NewListObjectVersionsPaginator(s.Client, &s3.ListObjectVersionsInput{Bucket: &bucket, EncodingType: types.EncodingTypeUrl})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return // the case deleted it
		}
		for _, v := range page.Versions {
			s.dropVersion(bucket, v.Key, v.VersionId)
		}
		for _, v := range page.DeleteMarkers {
			s.dropVersion(bucket, v.Key, v.VersionId)
		}
	}
	uploads, err := s.Client.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: &bucket})
	if err != nil {
		return
	}
	for _, u := range uploads.Uploads {
		if _, err := s.Client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &bucket, Key: u.Key, UploadId: u.UploadId}); err != nil {
			s.Errorf("abort upload: %v", err)
		}
	}
	if _, err := s.Client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &bucket}); err != nil {
		s.Errorf("remove bucket: %v", err)
	}
}

// dropVersion removes a version whose key was listed URL-encoded.
func (s *suite) dropVersion(bucket string, key, version *string) {
	in := &s3.DeleteObjectInput{Bucket: &bucket, Key: unescape(key), VersionId: version}
	if _, err := s.Client.DeleteObject(context.Background(), in); err != nil {
		s.Errorf("remove %s: %v", str(key), err)
	}
}

// put stores an object; more adjusts the request.
func (s *suite) put(key, body string, more ...func(*s3.PutObjectInput)) *s3.PutObjectOutput {
	s.Helper()
	out, err := s.tryPut(key, body, more...)
	if err != nil {
		s.Fatalf("put %q: %v", key, err)
	}
	return out
}

func (s *suite) tryPut(key, body string, more ...func(*s3.PutObjectInput)) (*s3.PutObjectOutput, error) {
	in := &s3.PutObjectInput{Bucket: &s.bucket, Key: &key, Body: strings.NewReader(body)}
	for _, f := range more {
		f(in)
	}
	return s.Client.PutObject(s.ctx(), in)
}

func (s *suite) get(key string, more ...func(*s3.GetObjectInput)) string {
	s.Helper()
	_, body, err := s.tryGet(key, more...)
	if err != nil {
		s.Fatalf("get %q: %v", key, err)
	}
	return body
}

func (s *suite) tryGet(key string, more ...func(*s3.GetObjectInput)) (*s3.GetObjectOutput, string, error) {
	in := &s3.GetObjectInput{Bucket: &s.bucket, Key: &key}
	for _, f := range more {
		f(in)
	}
	out, err := s.Client.GetObject(s.ctx(), in)
	if err != nil {
		return nil, "", err
	}
	defer out.Body.Close()
	b, err := io.ReadAll(out.Body)
	return out, string(b), err
}

// wantCode checks that err is the S3 error of that code.
func (s *suite) wantCode(what string, err error, code string) {
	s.Helper()
	if got := codeOf(err); got != code {
		s.Errorf("%s: got %v, want %s", what, err, code)
	}
}

func codeOf(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	return ""
}

func (s *suite) equal(what string, got, want any) {
	s.Helper()
	if got != want {
		s.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// noise is n bytes that do not compress, the same for the same n.
func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)}).Read(b) // never fails
	return b
}

// partSize is the least that parts may have.
func (s *suite) partSize() int {
	if s.SmallParts {
		return 1000
	}
	return 5 << 20
}

func str(p *string) string { return aws.ToString(p) }

// raw sends a request that is not signed.
func (s *suite) raw(method, path string, header map[string]string, body []byte) (*reply, string) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.ctx(), method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	return s.send(req)
}

func (s *suite) send(req *http.Request) (*reply, string) {
	s.Helper()
	resp, err := s.HTTP.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return &reply{resp.StatusCode, resp.Header}, string(b)
}

// reply is an answer without its body.
type reply struct {
	StatusCode int
	Header     http.Header
}

// wantError checks an answer's status and the code in its body.
func (s *suite) wantError(what string, resp *reply, body string, status int, code string) {
	s.Helper()
	if resp.StatusCode != status || !strings.Contains(body, "<Code>"+code+"</Code>") {
		s.Errorf("%s: got %d %s, want %d %s", what, resp.StatusCode, body, status, code)
	}
}
