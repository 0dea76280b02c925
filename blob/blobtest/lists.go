package blobtest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func keysOf(objects []types.Object) (keys []string) {
	for _, o := range objects {
		keys = append(keys, str(o.Key))
	}
	return keys
}

func prefixesOf(list []types.CommonPrefix) (out []string) {
	for _, p := range list {
		out = append(out, str(p.Prefix))
	}
	return out
}

func list(s *suite) {
	for _, k := range []string{"a", "a/1", "a/2/x", "b/1", "b/2", "c"} {
		s.put(k, k)
	}
	tests := []struct {
		prefix, delimiter, after string
		keys, prefixes           string
	}{
		{"", "", "", "a a/1 a/2/x b/1 b/2 c", ""},
		{"", "/", "", "a c", "a/ b/"},
		{"a/", "/", "", "a/1", "a/2/"},
		{"a", "/", "", "a", "a/"},
		{"", "/", "a/", "c", "b/"},
		{"", "", "a/2/x", "b/1 b/2 c", ""},
		{"b/", "", "b/1", "b/2", ""},
		{"none", "/", "", "", ""},
		{"", "2", "", "a a/1 b/1 c", "a/2 b/2"},
	}
	for _, tt := range tests {
		what := fmt.Sprintf("prefix %q, delimiter %q, after %q", tt.prefix, tt.delimiter, tt.after)
		in := &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &tt.prefix, Delimiter: &tt.delimiter}
		if tt.after != "" {
			in.StartAfter = &tt.after
		}
		out, err := s.Client.ListObjectsV2(s.ctx(), in)
		if err != nil {
			s.Fatal(err)
		}
		s.equal(what, strings.Join(keysOf(out.Contents), " "), tt.keys)
		s.equal(what, strings.Join(prefixesOf(out.CommonPrefixes), " "), tt.prefixes)
		s.equal(what+" count", int(aws.ToInt32(out.KeyCount)), len(out.Contents)+len(out.CommonPrefixes))
		v1, err := s.Client.ListObjects(s.ctx(), &s3.ListObjectsInput{Bucket: &s.bucket, Prefix: &tt.prefix, Delimiter: &tt.delimiter, Marker: &tt.after})
		if err != nil {
			s.Fatal(err)
		}
		s.equal(what+" (v1)", strings.Join(keysOf(v1.Contents), " "), tt.keys)
		s.equal(what+" (v1)", strings.Join(prefixesOf(v1.CommonPrefixes), " "), tt.prefixes)
	}
	out, err := s.Client.ListObjectsV2(s.ctx(), &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: aws.String("c")})
	if err != nil {
		s.Fatal(err)
	}
	o := out.Contents[0]
	s.equal("etag", str(o.ETag), md5Hex("c"))
	s.equal("size", aws.ToInt64(o.Size), int64(1))
	head, err := s.Client.HeadObject(s.ctx(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: aws.String("c")})
	if err != nil {
		s.Fatal(err)
	}
	if !aws.ToTime(o.LastModified).Equal(aws.ToTime(head.LastModified)) {
		s.Errorf("listed as modified %s, head says %s", o.LastModified, head.LastModified)
	}
}

// listPages walks the same bucket in pages of every size: together they are
// the whole, each entry once.
func listPages(s *suite) {
	for i := range 12 {
		s.put(fmt.Sprintf("%c/%d", 'a'+i%3, i), "")
		s.put(fmt.Sprintf("k%02d", i), "")
	}
	for _, delimiter := range []string{"", "/"} {
		var whole []string
		for size := int32(100); size > 0; size = size*2/3 - 1 {
			var got []string
			pages := s3.NewListObjectsV2Paginator(s.Client, &s3.ListObjectsV2Input{Bucket: &s.bucket, Delimiter: &delimiter, MaxKeys: &size})
			for pages.HasMorePages() {
				page, err := pages.NextPage(s.ctx())
				if err != nil {
					s.Fatal(err)
				}
				if n := len(page.Contents) + len(page.CommonPrefixes); n > int(size) {
					s.Errorf("a page of %d has %d entries", size, n)
				}
				got = append(got, append(keysOf(page.Contents), prefixesOf(page.CommonPrefixes)...)...)
			}
			slices.Sort(got)
			if whole == nil {
				whole = got
			}
			if !slices.Equal(got, whole) {
				s.Errorf("delimiter %q, pages of %d: %v, want %v", delimiter, size, got, whole)
			}
		}
	}
	_, err := s.Client.ListObjectsV2(s.ctx(), &s3.ListObjectsV2Input{Bucket: &s.bucket, ContinuationToken: aws.String("!")})
	s.wantCode("a token of our own", err, "InvalidArgument")
}

func deleteMany(s *suite) {
	var ids []types.ObjectIdentifier
	for i := range 30 {
		k := fmt.Sprint("k", i)
		if i%2 == 0 {
			s.put(k, string(noise(i*10_000)))
		}
		ids = append(ids, types.ObjectIdentifier{Key: &k})
	}
	s.put("stays", "")
	out, err := s.Client.DeleteObjects(s.ctx(), &s3.DeleteObjectsInput{Bucket: &s.bucket, Delete: &types.Delete{Objects: ids}})
	if err != nil {
		s.Fatal(err)
	}
	s.equal("deleted", len(out.Deleted), 30)
	s.equal("errors", len(out.Errors), 0)
	left, err := s.Client.ListObjectsV2(context.Background(), &s3.ListObjectsV2Input{Bucket: &s.bucket})
	if err != nil {
		s.Fatal(err)
	}
	s.equal("left", strings.Join(keysOf(left.Contents), " "), "stays")
	quiet, err := s.Client.DeleteObjects(s.ctx(), &s3.DeleteObjectsInput{Bucket: &s.bucket, Delete: &types.Delete{Objects: ids[:3], Quiet: aws.Bool(true)}})
	if err != nil || len(quiet.Deleted) != 0 {
		s.Errorf("quiet: %+v, %v", quiet, err)
	}
	for len(ids) <= 1000 {
		ids = append(ids, ids[0])
	}
	_, err = s.Client.DeleteObjects(s.ctx(), &s3.DeleteObjectsInput{Bucket: &s.bucket, Delete: &types.Delete{Objects: ids}})
	s.wantCode("1,001 keys", err, "MalformedXML")
}
