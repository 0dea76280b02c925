package wire

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob/disk"
	"pressroom/sigv4"
)

// The names of metadata are sent in lower case, as clients that keep the case
// look for them.
func TestMetadataNames(t *testing.T) {
	h := handler(t)
	do(h, "PUT", "/bucket/k", "v", "X-Amz-Meta-Source-Url", "u", "Content-Encoding", "deflate, gzip")
	got := do(h, "HEAD", "/bucket/k", "")
	name := "x-amz-meta-source-url"
	if v := got.Header()[name]; len(v) != 1 || v[0] != "u" {
		t.Errorf("headers are %v", got.Header())
	}
	if v := got.Header().Get("Content-Encoding"); v != "deflate, gzip" {
		t.Errorf("the encoding is %q", v)
	}
	do(h, "PUT", "/bucket/k", "v", "Content-Encoding", "aws-chunked, gzip")
	if v := do(h, "HEAD", "/bucket/k", "").Header().Get("Content-Encoding"); v != "gzip" {
		t.Errorf("without the transfer's own, the encoding is %q", v)
	}
}

// Elements that SDKs read as required are there when they are empty.
func TestEmptyListElements(t *testing.T) {
	h := handler(t)
	for query, want := range map[string][]string{
		"":             {"<Prefix></Prefix>", "<Marker></Marker>"},
		"?list-type=2": {"<Prefix></Prefix>"},
		"?versions":    {"<Prefix></Prefix>", "<KeyMarker></KeyMarker>", "<VersionIdMarker></VersionIdMarker>"},
		"?uploads":     {"<Prefix></Prefix>", "<KeyMarker></KeyMarker>", "<UploadIdMarker></UploadIdMarker>"},
	} {
		body := do(h, "GET", "/bucket"+query, "").Body.String()
		for _, element := range want {
			if !strings.Contains(body, element) {
				t.Errorf("%s: no %s in %s", query, element, body)
			}
		}
	}
}

func TestOwnershipControls(t *testing.T) {
	h := handler(t)
	read := func() int { return do(h, "GET", "/bucket?ownershipControls", "").Code }
	if code := read(); code != 200 {
		t.Errorf("by default: %d", code)
	}
	if code := do(h, "DELETE", "/bucket?ownershipControls", "").Code; code != 204 {
		t.Errorf("delete: %d", code)
	}
	if got := do(h, "GET", "/bucket?ownershipControls", ""); got.Code != 404 || !strings.Contains(got.Body.String(), "OwnershipControlsNotFoundError") {
		t.Errorf("deleted: %d %s", got.Code, got.Body)
	}
	do(h, "PUT", "/bucket?ownershipControls", "<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule></OwnershipControls>")
	if code := read(); code != 200 {
		t.Errorf("put again: %d", code)
	}
}

func TestSuspendedVersion(t *testing.T) {
	h := handler(t)
	do(h, "PUT", "/bucket?versioning", "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>")
	if v := do(h, "PUT", "/bucket/k", "v").Header().Get("X-Amz-Version-Id"); v != "null" {
		t.Errorf("the version is %q", v)
	}
}

// A path without a bucket is not the list of buckets.
func TestEmptyBucketName(t *testing.T) {
	if got := do(handler(t), "GET", "//x", ""); got.Code != 400 || !strings.Contains(got.Body.String(), "InvalidBucketName") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// A part has its own checksum.
func TestPartChecksum(t *testing.T) {
	h := handler(t)
	started := do(h, "POST", "/bucket/k?uploads", "", "X-Amz-Checksum-Algorithm", "CRC32").Body.String()
	_, rest, _ := strings.Cut(started, "<UploadId>")
	id, _, _ := strings.Cut(rest, "</UploadId>")
	parts, sums := "", map[int]string{}
	for i, body := range map[int]string{1: strings.Repeat("a", 5<<20), 2: "end"} {
		sums[i] = encodeBase64(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(body))))
		put := do(h, "PUT", fmt.Sprintf("/bucket/k?partNumber=%d&uploadId=%s", i, id), body, "X-Amz-Checksum-Crc32", sums[i])
		if put.Code != 200 {
			t.Fatal(put.Body)
		}
		sums[-i] = put.Header().Get("Etag")
	}
	for i := 1; i <= 2; i++ {
		parts += fmt.Sprintf("<Part><PartNumber>%d</PartNumber><ETag>%s</ETag><ChecksumCRC32>%s</ChecksumCRC32></Part>", i, sums[-i], sums[i])
	}
	if done := do(h, "POST", "/bucket/k?uploadId="+id, "<CompleteMultipartUpload>"+parts+"</CompleteMultipartUpload>"); !strings.Contains(done.Body.String(), "<ETag>") {
		t.Fatal(done.Body)
	}
	for _, method := range []string{"HEAD", "GET"} {
		for i := 1; i <= 2; i++ {
			got := do(h, method, fmt.Sprintf("/bucket/k?partNumber=%d", i), "", "X-Amz-Checksum-Mode", "ENABLED")
			if sum := got.Header().Get("X-Amz-Checksum-Crc32"); sum != sums[i] || sum == "" {
				t.Errorf("%s of part %d: checksum %q, want %q", method, i, sum, sums[i])
			}
		}
	}
}

// The trailers may end with the line that the API Reference shows.
func TestTrailersBeforeSignature(t *testing.T) {
	for _, end := range []string{"\r\n", "\n\r\n", "\n", "\r\n\r\n"} {
		body := "3;chunk-signature=" + strings.Repeat("0", 64) + "\r\nabc\r\n" +
			"0;chunk-signature=" + strings.Repeat("0", 64) + "\r\n" +
			"x-amz-checksum-crc32:NSRBwg==" + end + "x-amz-trailer-signature:" + strings.Repeat("0", 64) + "\r\n\r\n"
		got := do(handler(t), "PUT", "/bucket/k", body, "X-Amz-Content-Sha256", sigv4.StreamingPayloadTrailer,
			"X-Amz-Decoded-Content-Length", "3", "X-Amz-Trailer", "x-amz-checksum-crc32", "Content-Encoding", "aws-chunked")
		if got.Code != 200 {
			t.Errorf("%q: %d %s", end, got.Code, got.Body)
		}
	}
}

// A bucket has the region of who made it, and wants signatures for that.
func TestBucketRegion(t *testing.T) {
	s, err := disk.Open("store", disk.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	h := New(s, Options{Secret: func(string) (string, bool) { return "SK", true }})
	send := func(method, path, region string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://127.0.0.1"+path, nil)
		r.Header.Set("X-Amz-Content-Sha256", sigv4.EmptyPayload)
		keys := aws.Credentials{AccessKeyID: "AK", SecretAccessKey: "SK"}
		if err := v4.NewSigner().SignHTTP(t.Context(), keys, r, sigv4.EmptyPayload, "s3", region, time.Now(), func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	if got := send("PUT", "/there", "eu-west-1"); got.Code != 200 {
		t.Fatal(got.Body)
	}
	if got := send("GET", "/there", "eu-west-1"); got.Code != http.StatusOK {
		t.Errorf("its own region: %d %s", got.Code, got.Body)
	}
	got := send("GET", "/there", "us-east-1")
	if got.Code != 400 || !strings.Contains(got.Body.String(), "<Region>eu-west-1</Region>") || got.Header().Get("X-Amz-Bucket-Region") != "eu-west-1" {
		t.Errorf("another region: %d %s", got.Code, got.Body)
	}
	if got := send("GET", "/", "us-east-1"); got.Code != 200 {
		t.Errorf("the list of buckets: %d %s", got.Code, got.Body)
	}
}

// How a bucket encrypts is kept and told; by default it is as in S3.
func TestBucketEncryption(t *testing.T) {
	h := handler(t)
	read := func() string { return do(h, "GET", "/bucket?encryption", "").Body.String() }
	put := func(rule string) *httptest.ResponseRecorder {
		return do(h, "PUT", "/bucket?encryption", "<ServerSideEncryptionConfiguration><Rule>"+rule+"</Rule></ServerSideEncryptionConfiguration>")
	}
	if got := read(); !strings.Contains(got, "<SSEAlgorithm>AES256</SSEAlgorithm>") || !strings.Contains(got, "<BucketKeyEnabled>false<") {
		t.Errorf("by default: %s", got)
	}
	if got := put("<ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault><BucketKeyEnabled>true</BucketKeyEnabled>"); got.Code != 200 {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := read(); !strings.Contains(got, "<BucketKeyEnabled>true<") {
		t.Errorf("put: %s", got)
	}
	if got := do(h, "DELETE", "/bucket?encryption", ""); got.Code != 204 {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := read(); !strings.Contains(got, "<BucketKeyEnabled>false<") {
		t.Errorf("deleted: %s", got)
	}
	for rule, code := range map[string]int{
		"<ApplyServerSideEncryptionByDefault><SSEAlgorithm>aws:kms</SSEAlgorithm></ApplyServerSideEncryptionByDefault>": 501,
		"<ApplyServerSideEncryptionByDefault><SSEAlgorithm>rot13</SSEAlgorithm></ApplyServerSideEncryptionByDefault>":   400,
	} {
		if got := put(rule); got.Code != code {
			t.Errorf("%s: %d %s", rule, got.Code, got.Body)
		}
	}
}

// A link by version 2 of the signature is good for what it was made for.
func TestOldLinks(t *testing.T) {
	s, err := disk.Open("store", disk.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, err := s.CreateBucket(disk.Bucket{Name: "bucket", Region: "eu-west-1"}); err != nil {
		t.Fatal(err)
	}
	h := New(s, Options{Secret: func(string) (string, bool) { return "SK", true }})
	link := func(method string, until int64) string {
		mac := hmac.New(sha1.New, []byte("SK"))
		fmt.Fprintf(mac, "%s\n\n\n%d\n/bucket/k", method, until)
		return fmt.Sprintf("/bucket/k?AWSAccessKeyId=AK&Expires=%d&Signature=%s", until, url.QueryEscape(base64.StdEncoding.EncodeToString(mac.Sum(nil))))
	}
	later := time.Now().Add(time.Hour).Unix()
	if got := do(h, "PUT", link("PUT", later), "v"); got.Code != 200 {
		t.Errorf("put: %d %s", got.Code, got.Body)
	}
	if got := do(h, "GET", link("GET", later), ""); got.Code != 200 || got.Body.String() != "v" {
		t.Errorf("get: %d %s", got.Code, got.Body)
	}
	for name, target := range map[string]string{"another method's": link("PUT", later), "expired": link("GET", 1)} {
		if got := do(h, "GET", target, ""); got.Code != 403 {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
	}
}

// A policy lets everyone in from where its conditions say.
func TestPolicyConditions(t *testing.T) {
	s, err := disk.Open("store", disk.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	doc := `{"Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:ListBucket","Resource":"arn:aws:s3:::bucket","Condition":{"StringLike":{"s3:prefix":"open/*"},"IpAddress":{"aws:SourceIp":"127.0.0.0/8"}}}]}`
	if _, err := s.CreateBucket(disk.Bucket{Name: "bucket", Docs: map[string][]byte{policyDoc: []byte(doc)}}); err != nil {
		t.Fatal(err)
	}
	h := New(s, Options{Secret: func(string) (string, bool) { return "SK", true }})
	for target, code := range map[string]int{"/bucket?prefix=open/a": 200, "/bucket?prefix=closed/": 403, "/bucket": 403} {
		if got := do(h, "GET", target, ""); got.Code != code {
			t.Errorf("%s: %d %s", target, got.Code, got.Body)
		}
	}
}
