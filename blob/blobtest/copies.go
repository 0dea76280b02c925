package blobtest

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func copies(s *suite) {
	s.put("src/日本 +", string(noise(100_000)), func(in *s3.PutObjectInput) {
		in.ContentType = aws.String("text/csv")
		in.Metadata = map[string]string{"a": "1"}
		in.Tagging = aws.String("k=v")
	})
	copyTo := func(key string, more func(*s3.CopyObjectInput)) error {
		in := &s3.CopyObjectInput{Bucket: &s.bucket, Key: &key, CopySource: aws.String(s.bucket + "/src/%E6%97%A5%E6%9C%AC%20%2B")}
		if more != nil {
			more(in)
		}
		_, err := s.Client.CopyObject(s.ctx(), in)
		return err
	}
	if err := copyTo("dst", nil); err != nil {
		s.Fatal(err)
	}
	out, body, err := s.tryGet("dst")
	if err != nil || body != string(noise(100_000)) {
		s.Fatalf("%d bytes, %v", len(body), err)
	}
	s.equal("type", str(out.ContentType), "text/csv")
	s.equal("metadata", out.Metadata["a"], "1")
	s.equal("tags", aws.ToInt32(out.TagCount), int32(1))
	err = copyTo("new", func(in *s3.CopyObjectInput) {
		in.MetadataDirective = types.MetadataDirectiveReplace
		in.TaggingDirective = types.TaggingDirectiveReplace
		in.Metadata = map[string]string{"b": "2"}
	})
	if err != nil {
		s.Fatal(err)
	}
	out, _, err = s.tryGet("new")
	if err != nil {
		s.Fatal(err)
	}
	s.equal("new metadata", fmt.Sprint(out.Metadata), "map[b:2]")
	s.equal("new tags", aws.ToInt32(out.TagCount), int32(0))
	itself := func(in *s3.CopyObjectInput) { in.CopySource = aws.String(s.bucket + "/dst") }
	s.wantCode("copy to itself", copyTo("dst", itself), "InvalidRequest")
	s.wantCode("copy of none", copyTo("x", func(in *s3.CopyObjectInput) { in.CopySource = aws.String(s.bucket + "/none") }), "NoSuchKey")
	s.wantCode("source changed", copyTo("x", func(in *s3.CopyObjectInput) { in.CopySourceIfMatch = aws.String(`"0"`) }), "PreconditionFailed")
	s.wantCode("source unchanged", copyTo("x", func(in *s3.CopyObjectInput) { in.CopySourceIfNoneMatch = aws.String("*") }), "PreconditionFailed")
}

func taggings(s *suite) {
	s.put("k", "body", func(in *s3.PutObjectInput) { in.Tagging = aws.String("project=sum+now&empty=") })
	get := func() string {
		s.Helper()
		out, err := s.Client.GetObjectTagging(s.ctx(), &s3.GetObjectTaggingInput{Bucket: &s.bucket, Key: aws.String("k")})
		if err != nil {
			s.Fatal(err)
		}
		var b strings.Builder
		for _, t := range out.TagSet {
			fmt.Fprintf(&b, "%s=%s;", str(t.Key), str(t.Value))
		}
		return b.String()
	}
	put := func(tags ...types.Tag) error {
		_, err := s.Client.PutObjectTagging(s.ctx(), &s3.PutObjectTaggingInput{
			Bucket: &s.bucket, Key: aws.String("k"), Tagging: &types.Tagging{TagSet: tags},
		})
		return err
	}
	tag := func(k, v string) types.Tag { return types.Tag{Key: &k, Value: &v} }
	s.equal("tags", get(), "project=sum now;empty=;")
	if err := put(tag("t", "エモい")); err != nil {
		s.Fatal(err)
	}
	s.equal("tags", get(), "t=エモい;")
	s.equal("the object itself", s.get("k"), "body")
	var eleven []types.Tag
	for i := range 11 {
		eleven = append(eleven, tag(fmt.Sprint(i), ""))
	}
	s.wantCode("11 tags", put(eleven...), "BadRequest")
	s.wantCode("a tag twice", put(tag("a", ""), tag("a", "")), "InvalidTag")
	s.wantCode("a long tag", put(tag(strings.Repeat("x", 129), "")), "InvalidTag")
	s.equal("tags after refusals", get(), "t=エモい;")
	if _, err := s.Client.DeleteObjectTagging(s.ctx(), &s3.DeleteObjectTaggingInput{Bucket: &s.bucket, Key: aws.String("k")}); err != nil {
		s.Fatal(err)
	}
	s.equal("no tags", get(), "")
	_, err := s.Client.GetObjectTagging(s.ctx(), &s3.GetObjectTaggingInput{Bucket: &s.bucket, Key: aws.String("none")})
	s.wantCode("tags of none", err, "NoSuchKey")
}
