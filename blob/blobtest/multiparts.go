package blobtest

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// upload is a multipart upload under way.
type upload struct {
	*suite
	key   string
	id    *string
	parts []types.CompletedPart
}

func (s *suite) upload(key string, more ...func(*s3.CreateMultipartUploadInput)) *upload {
	s.Helper()
	in := &s3.CreateMultipartUploadInput{Bucket: &s.bucket, Key: &key}
	for _, f := range more {
		f(in)
	}
	out, err := s.Client.CreateMultipartUpload(s.ctx(), in)
	if err != nil {
		s.Fatal(err)
	}
	return &upload{suite: s, key: key, id: out.UploadId}
}

func (u *upload) part(n int32, body []byte, more ...func(*s3.UploadPartInput)) *s3.UploadPartOutput {
	u.Helper()
	in := &s3.UploadPartInput{Bucket: &u.bucket, Key: &u.key, UploadId: u.id, PartNumber: &n, Body: bytes.NewReader(body)}
	for _, f := range more {
		f(in)
	}
	out, err := u.Client.UploadPart(u.ctx(), in)
	if err != nil {
		u.Fatal(err)
	}
	u.parts = append(u.parts, types.CompletedPart{
		ETag: out.ETag, PartNumber: &n, ChecksumCRC32: out.ChecksumCRC32, ChecksumCRC32C: out.ChecksumCRC32C,
		ChecksumCRC64NVME: out.ChecksumCRC64NVME, ChecksumSHA1: out.ChecksumSHA1, ChecksumSHA256: out.ChecksumSHA256,
	})
	return out
}

func (u *upload) complete(more ...func(*s3.CompleteMultipartUploadInput)) (*s3.CompleteMultipartUploadOutput, error) {
	in := &s3.CompleteMultipartUploadInput{
		Bucket: &u.bucket, Key: &u.key, UploadId: u.id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: u.parts},
	}
	for _, f := range more {
		f(in)
	}
	return u.Client.CompleteMultipartUpload(u.ctx(), in)
}

func multiparts(s *suite) {
	size := s.partSize()
	one, two, three := noise(size), noise(size+1), noise(10)
	s.put("k", "before")
	u := s.upload("k", func(in *s3.CreateMultipartUploadInput) {
		in.ContentType = aws.String("text/csv")
		in.Metadata = map[string]string{"a": "1"}
		in.Tagging = aws.String("t=1")
	})
	u.part(2, two)
	u.part(1, []byte("replaced"))
	u.parts = nil
	u.part(1, one)
	u.part(2, two)
	u.part(7, three)
	s.equal("not there yet", s.get("k"), "before")
	parts, err := s.Client.ListParts(s.ctx(), &s3.ListPartsInput{Bucket: &s.bucket, Key: aws.String("k"), UploadId: u.id, MaxParts: aws.Int32(2)})
	if err != nil || len(parts.Parts) != 2 || !aws.ToBool(parts.IsTruncated) || str(parts.NextPartNumberMarker) != "2" {
		s.Errorf("parts: %+v, %v", parts, err)
	}
	uploads, err := s.Client.ListMultipartUploads(s.ctx(), &s3.ListMultipartUploadsInput{Bucket: &s.bucket})
	if err != nil || len(uploads.Uploads) != 1 || str(uploads.Uploads[0].UploadId) != str(u.id) {
		s.Errorf("uploads: %+v, %v", uploads, err)
	}
	out, err := u.complete()
	if err != nil {
		s.Fatal(err)
	}
	var sums []byte
	for _, p := range [][]byte{one, two, three} {
		sum := md5.Sum(p)
		sums = append(sums, sum[:]...)
	}
	sum := md5.Sum(sums)
	s.equal("etag", str(out.ETag), fmt.Sprintf(`"%s-3"`, hex.EncodeToString(sum[:])))
	whole := string(one) + string(two) + string(three)
	got, body, err := s.tryGet("k")
	if err != nil || body != whole {
		s.Fatalf("%d bytes, want %d, %v", len(body), len(whole), err)
	}
	s.equal("type", str(got.ContentType), "text/csv")
	s.equal("metadata", got.Metadata["a"], "1")
	across := fmt.Sprintf("bytes=%d-%d", size-3, 2*size+5)
	if got := s.get("k", func(in *s3.GetObjectInput) { in.Range = &across }); got != whole[size-3:2*size+6] {
		s.Errorf("a range across parts: %d bytes", len(got))
	}
	part, body, err := s.tryGet("k", func(in *s3.GetObjectInput) { in.PartNumber = aws.Int32(2) })
	if err != nil || body != string(two) || aws.ToInt32(part.PartsCount) != 3 {
		s.Errorf("part 2: %d bytes, %v", len(body), err)
	}
	again, err := u.complete()
	if err != nil || str(again.ETag) != str(out.ETag) {
		s.Errorf("complete again: %+v, %v", again, err)
	}

	c := s.upload("copied")
	cp, err := s.Client.UploadPartCopy(s.ctx(), &s3.UploadPartCopyInput{
		Bucket: &s.bucket, Key: aws.String("copied"), UploadId: c.id, PartNumber: aws.Int32(1),
		CopySource: aws.String(s.bucket + "/k"), CopySourceRange: aws.String(fmt.Sprintf("bytes=10-%d", 9+size)),
	})
	if err != nil {
		s.Fatal(err)
	}
	c.parts = append(c.parts, types.CompletedPart{ETag: cp.CopyPartResult.ETag, PartNumber: aws.Int32(1)})
	if _, err := c.complete(); err != nil {
		s.Fatal(err)
	}
	s.equal("copied part", s.get("copied") == whole[10:10+size], true)
}

func multipartRefusals(s *suite) {
	size := s.partSize()
	u := s.upload("k")
	for _, n := range []int32{0, 10001, -1} {
		_, err := s.Client.UploadPart(s.ctx(), &s3.UploadPartInput{
			Bucket: &s.bucket, Key: aws.String("k"), UploadId: u.id, PartNumber: &n, Body: bytes.NewReader(nil),
		})
		s.wantCode(fmt.Sprint("part ", n), err, "InvalidArgument")
	}
	u.part(1, noise(10))
	u.part(2, noise(size))
	_, err := u.complete()
	s.wantCode("a small part", err, "EntityTooSmall")
	u.part(1, noise(size))
	u.parts = []types.CompletedPart{u.parts[1], u.parts[2]}
	_, err = u.complete()
	s.wantCode("parts out of order", err, "InvalidPartOrder")
	u.parts = []types.CompletedPart{{ETag: aws.String(`"0123"`), PartNumber: aws.Int32(1)}}
	_, err = u.complete()
	s.wantCode("a wrong etag", err, "InvalidPart")
	u.parts = []types.CompletedPart{{ETag: aws.String(`"0123"`), PartNumber: aws.Int32(3)}}
	_, err = u.complete()
	s.wantCode("a part that was not sent", err, "InvalidPart")
	_, _, err = s.tryGet("k")
	s.wantCode("after refusals", err, "NoSuchKey")
	abort := func() error {
		_, err := s.Client.AbortMultipartUpload(s.ctx(), &s3.AbortMultipartUploadInput{Bucket: &s.bucket, Key: aws.String("k"), UploadId: u.id})
		return err
	}
	if err := abort(); err != nil {
		s.Fatal(err)
	}
	s.wantCode("abort again", abort(), "NoSuchUpload")
	_, err = u.complete()
	s.wantCode("complete what was aborted", err, "NoSuchUpload")
	_, err = s.Client.ListParts(s.ctx(), &s3.ListPartsInput{Bucket: &s.bucket, Key: aws.String("k"), UploadId: u.id})
	s.wantCode("parts of what was aborted", err, "NoSuchUpload")
}
