package blobtest

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func md5Hex(b string) string {
	sum := md5.Sum([]byte(b))
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func putGetHeadDelete(s *suite) {
	for _, n := range []int{0, 1, 1000, 65_536, 65_537, 3_000_000} {
		key, body := fmt.Sprintf("of %d bytes", n), string(noise(n))
		out := s.put(key, body)
		s.equal("etag", str(out.ETag), md5Hex(body))
		if got := s.get(key); got != body {
			s.Errorf("%d bytes came back as %d others", n, len(got))
		}
		head, err := s.Client.HeadObject(s.ctx(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
		if err != nil {
			s.Fatal(err)
		}
		s.equal("size", aws.ToInt64(head.ContentLength), int64(n))
		s.equal("etag of head", str(head.ETag), md5Hex(body))
		s.equal("type", str(head.ContentType), "application/octet-stream")
		if d := time.Since(aws.ToTime(head.LastModified)); s.Advance == nil && (d < -time.Minute || d > time.Hour) {
			s.Errorf("last modified %s ago", d)
		}
	}
	key := "of 1 bytes"
	for range 2 { // to delete what is not there is fine
		if _, err := s.Client.DeleteObject(s.ctx(), &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key}); err != nil {
			s.Error(err)
		}
	}
	_, _, err := s.tryGet(key)
	s.wantCode("get a deleted object", err, "NoSuchKey")
	_, err = s.Client.HeadObject(s.ctx(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
	s.wantCode("head of a deleted object", err, "NotFound")
}

func attributes(s *suite) {
	s.put("k", "v", func(in *s3.PutObjectInput) {
		in.ContentType = aws.String("text/html; charset=utf-8")
		in.CacheControl = aws.String("no-store")
		in.ContentDisposition = aws.String(`attachment; filename="a b"`)
		in.ContentEncoding = aws.String("gzip")
		in.ContentLanguage = aws.String("ja")
		in.Metadata = map[string]string{"source-url": "https://example.com/?a=b&c", "sha256": "e3b0"}
		in.StorageClass = types.StorageClassStandardIa
	})
	head, err := s.Client.HeadObject(s.ctx(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: aws.String("k")})
	if err != nil {
		s.Fatal(err)
	}
	s.equal("type", str(head.ContentType), "text/html; charset=utf-8")
	s.equal("cache", str(head.CacheControl), "no-store")
	s.equal("disposition", str(head.ContentDisposition), `attachment; filename="a b"`)
	s.equal("encoding", str(head.ContentEncoding), "gzip")
	s.equal("language", str(head.ContentLanguage), "ja")
	s.equal("metadata", head.Metadata["source-url"], "https://example.com/?a=b&c")
	s.equal("metadata count", len(head.Metadata), 2)
	s.equal("class", head.StorageClass, types.StorageClassStandardIa)
	out, _, err := s.tryGet("k", func(in *s3.GetObjectInput) {
		in.ResponseContentType = aws.String("text/plain")
		in.ResponseCacheControl = aws.String("max-age=1")
	})
	if err != nil {
		s.Fatal(err)
	}
	s.equal("overridden type", str(out.ContentType), "text/plain")
	s.equal("overridden cache", str(out.CacheControl), "max-age=1")
	_, err = s.tryPut("big", "v", func(in *s3.PutObjectInput) {
		in.Metadata = map[string]string{"long": strings.Repeat("x", 2049)}
	})
	s.wantCode("2 KB of metadata", err, "MetadataTooLarge")
	at, err := s.Client.GetObjectAttributes(s.ctx(), &s3.GetObjectAttributesInput{
		Bucket: &s.bucket, Key: aws.String("k"),
		ObjectAttributes: []types.ObjectAttributes{types.ObjectAttributesEtag, types.ObjectAttributesObjectSize, types.ObjectAttributesStorageClass},
	})
	if err != nil {
		s.Fatal(err)
	}
	s.equal("attribute etag", `"`+str(at.ETag)+`"`, md5Hex("v"))
	s.equal("attribute size", aws.ToInt64(at.ObjectSize), int64(1))
}

// HostileKeys are keys that look like paths, escapes or markup. All of them
// are keys like any other.
var HostileKeys = []string{
	"a", "a/b", "a/", "..", ".", "../../../../etc/passwd", "/", "//", "/lead", "trail//", "a//b", "./x", "x/../y",
	" ", "a b", "a+b", "a%20b", "%2e%2e/x", "?q=1", "#frag", "a&b<c>\"d'", "日本語/エモい", "é", "e\u0301", "a\tb",
	"C:\\windows", "con", "\U0001F600", "{}[]|^`~", strings.Repeat("n", 900) + "/" + strings.Repeat("m", 100),
	strings.Repeat("あ", 341),
}

func hostileKeys(s *suite) {
	for _, k := range HostileKeys {
		s.put(k, "body of "+k)
	}
	for _, k := range HostileKeys {
		if got := s.get(k); got != "body of "+k {
			s.Errorf("%q reads %q", k, got)
		}
	}
	listed := map[string]bool{}
	pages := s3.NewListObjectsV2Paginator(s.Client, &s3.ListObjectsV2Input{Bucket: &s.bucket, EncodingType: types.EncodingTypeUrl, MaxKeys: aws.Int32(7)})
	last := ""
	for pages.HasMorePages() {
		page, err := pages.NextPage(s.ctx())
		if err != nil {
			s.Fatal(err)
		}
		for _, o := range page.Contents {
			k := *unescape(o.Key)
			if k <= last {
				s.Errorf("%q comes after %q", k, last)
			}
			last, listed[k] = k, true
		}
	}
	for _, k := range HostileKeys {
		if !listed[k] {
			s.Errorf("%q is not listed", k)
		}
	}
	s.equal("keys", len(listed), len(HostileKeys))
	_, err := s.tryPut(strings.Repeat("x", 1025), "")
	s.wantCode("a key of 1,025 bytes", err, "KeyTooLongError")
}

func ranges(s *suite) {
	body := string(noise(200_000))
	s.put("k", body)
	for header, want := range map[string]string{
		"bytes=0-0":       body[:1],
		"bytes=100-70000": body[100:70001],
		"bytes=199999-":   body[199999:],
		"bytes=-5":        body[len(body)-5:],
		"bytes=5-999999":  body[5:],
		"bytes=-999999":   body,
	} {
		out, got, err := s.tryGet("k", func(in *s3.GetObjectInput) { in.Range = &header })
		if err != nil {
			s.Errorf("%s: %v", header, err)
			continue
		}
		if got != want {
			s.Errorf("%s: %d bytes, want %d", header, len(got), len(want))
		}
		if out.ContentRange == nil {
			s.Errorf("%s: no Content-Range", header)
		}
	}
	for _, header := range []string{"bytes=5-2", "bytes=a-b", "lines=1-2", "bytes=0-1,3-4"} {
		if _, got, err := s.tryGet("k", func(in *s3.GetObjectInput) { in.Range = &header }); err != nil || got != body {
			s.Errorf("%s, which is to be ignored: %d bytes, %v", header, len(got), err)
		}
	}
	for _, header := range []string{"bytes=200000-", "bytes=-0"} {
		_, _, err := s.tryGet("k", func(in *s3.GetObjectInput) { in.Range = &header })
		s.wantCode(header, err, "InvalidRange")
	}
}

func conditionalReads(s *suite) {
	etag := str(s.put("k", "v").ETag)
	head, err := s.Client.HeadObject(s.ctx(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: aws.String("k")})
	if err != nil {
		s.Fatal(err)
	}
	at := aws.ToTime(head.LastModified)
	before, after := at.Add(-time.Hour), at
	const other = `"0123"`
	tests := []struct {
		name        string
		match, none string
		mod, unmod  time.Time
		status      int
	}{
		{"match", etag, "", time.Time{}, time.Time{}, 200},
		{"no match", other, "", time.Time{}, time.Time{}, 412},
		{"any", "*", "", time.Time{}, time.Time{}, 200},
		{"none matches", "", etag, time.Time{}, time.Time{}, 304},
		{"none of others", "", other, time.Time{}, time.Time{}, 200},
		{"modified since", "", "", before, time.Time{}, 200},
		{"not modified since", "", "", after, time.Time{}, 304},
		{"unmodified since", "", "", time.Time{}, after, 200},
		{"modified after all", "", "", time.Time{}, before, 412},
		{"match outweighs unmodified", etag, "", time.Time{}, before, 200},
		{"none-match outweighs modified", "", other, after, time.Time{}, 200},
		{"both say unchanged", "", etag, before, time.Time{}, 304},
		{"412 before 304", other, etag, time.Time{}, time.Time{}, 412},
	}
	for _, tt := range tests {
		in := &s3.GetObjectInput{Bucket: &s.bucket, Key: aws.String("k")}
		if tt.match != "" {
			in.IfMatch = &tt.match
		}
		if tt.none != "" {
			in.IfNoneMatch = &tt.none
		}
		if !tt.mod.IsZero() {
			in.IfModifiedSince = &tt.mod
		}
		if !tt.unmod.IsZero() {
			in.IfUnmodifiedSince = &tt.unmod
		}
		out, err := s.Client.GetObject(s.ctx(), in)
		if err == nil {
			out.Body.Close()
		}
		want := map[int]string{200: "", 304: "NotModified", 412: "PreconditionFailed"}[tt.status]
		s.wantCode(tt.name, err, want)
	}
}

func conditionalWrites(s *suite) {
	ifNone := func(in *s3.PutObjectInput) { in.IfNoneMatch = aws.String("*") }
	first := s.put("k", "one", ifNone)
	_, err := s.tryPut("k", "two", ifNone)
	s.wantCode("put where there is one", err, "PreconditionFailed")
	_, err = s.tryPut("k", "two", func(in *s3.PutObjectInput) { in.IfMatch = aws.String(`"0123"`) })
	s.wantCode("put over another", err, "PreconditionFailed")
	_, err = s.tryPut("none", "two", func(in *s3.PutObjectInput) { in.IfMatch = first.ETag })
	s.wantCode("put over none", err, "NoSuchKey")
	s.equal("body", s.get("k"), "one")
	s.put("k", "two", func(in *s3.PutObjectInput) { in.IfMatch = first.ETag })
	s.equal("body", s.get("k"), "two")
	_, err = s.Client.DeleteObject(s.ctx(), &s3.DeleteObjectInput{Bucket: &s.bucket, Key: aws.String("k"), IfMatch: first.ETag})
	s.wantCode("delete another", err, "PreconditionFailed")
}

// oneWinner races conditional creations: exactly one of each round wins.
func oneWinner(s *suite) {
	for round := range 5 {
		key := fmt.Sprint("round ", round)
		var wins atomic.Int64
		var winner atomic.Value
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				body := fmt.Sprint("writer ", i)
				_, err := s.tryPut(key, body, func(in *s3.PutObjectInput) { in.IfNoneMatch = aws.String("*") })
				switch codeOf(err) {
				case "":
					if err != nil {
						s.Error(err)
						return
					}
					wins.Add(1)
					winner.Store(body)
				case "PreconditionFailed", "ConditionalRequestConflict":
				default:
					s.Error(err)
				}
			})
		}
		wg.Wait()
		s.equal("winners", wins.Load(), int64(1))
		s.equal("body", s.get(key), winner.Load())
	}
}

// overwriteIsAtomic reads while others write: each read is one write, whole.
func overwriteIsAtomic(s *suite) {
	body := func(i int) string { return strings.Repeat(string(rune('a'+i)), 40_000+i*30_000) }
	s.put("k", body(0))
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 5 {
				s.put("k", body(i))
			}
		})
		wg.Go(func() {
			for range 10 {
				got := s.get("k")
				if len(got) == 0 || got != body(int(got[0]-'a')) {
					s.Errorf("read a mixture of %d bytes", len(got))
				}
			}
		})
	}
	wg.Wait()
}

func streaming(s *suite) {
	if s.URL == "" {
		return
	}
	// A body whose length is not known beforehand, through a pipe.
	const n = 3 << 20
	req, err := http.NewRequestWithContext(s.ctx(), http.MethodGet, s.presignGet("none"), nil)
	if err != nil {
		s.Fatal(err)
	}
	resp, body := s.send(req)
	s.wantError("get of none", resp, body, 404, "NoSuchKey")
	out, err := s.Client.PutObject(s.ctx(), &s3.PutObjectInput{
		Bucket: &s.bucket, Key: aws.String("k"), Body: strings.NewReader(string(noise(n))), ContentLength: aws.Int64(n),
	})
	if err != nil {
		s.Fatal(err)
	}
	s.equal("etag", str(out.ETag), md5Hex(string(noise(n))))
}
