package blobtest

import (
	"bytes"
	"encoding/base64"
	"hash"
	"hash/crc32"
	"strings"

	"crypto/sha1"
	"crypto/sha256"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

var sumHashes = map[types.ChecksumAlgorithm]func() hash.Hash{
	types.ChecksumAlgorithmCrc32:  func() hash.Hash { return crc32.NewIEEE() },
	types.ChecksumAlgorithmCrc32c: func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	types.ChecksumAlgorithmSha1:   sha1.New,
	types.ChecksumAlgorithmSha256: sha256.New,
}

func base64Sum(a types.ChecksumAlgorithm, b []byte) string {
	h := sumHashes[a]()
	h.Write(b)
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func checksums(s *suite) {
	body := string(noise(90_000))
	for _, a := range []types.ChecksumAlgorithm{
		types.ChecksumAlgorithmCrc32, types.ChecksumAlgorithmCrc32c, types.ChecksumAlgorithmCrc64nvme,
		types.ChecksumAlgorithmSha1, types.ChecksumAlgorithmSha256,
	} {
		key := string(a)
		s.put(key, body, func(in *s3.PutObjectInput) { in.ChecksumAlgorithm = a })
		head, err := s.Client.HeadObject(s.ctx(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key, ChecksumMode: types.ChecksumModeEnabled})
		if err != nil {
			s.Fatal(err)
		}
		got := map[types.ChecksumAlgorithm]*string{
			types.ChecksumAlgorithmCrc32: head.ChecksumCRC32, types.ChecksumAlgorithmCrc32c: head.ChecksumCRC32C,
			types.ChecksumAlgorithmCrc64nvme: head.ChecksumCRC64NVME, types.ChecksumAlgorithmSha1: head.ChecksumSHA1,
			types.ChecksumAlgorithmSha256: head.ChecksumSHA256,
		}[a]
		if str(got) == "" || head.ChecksumType != types.ChecksumTypeFullObject {
			s.Errorf("%s: %q of type %q", a, str(got), head.ChecksumType)
		}
		if sumHashes[a] != nil {
			s.equal(key, str(got), base64Sum(a, []byte(body)))
		}
		// The SDK checks it too as it reads.
		if got := s.get(key, func(in *s3.GetObjectInput) { in.ChecksumMode = types.ChecksumModeEnabled }); got != body {
			s.Errorf("%s: %d bytes", a, len(got))
		}
	}
	wrong := base64Sum(types.ChecksumAlgorithmSha256, []byte("other"))
	_, err := s.tryPut("bad", body, func(in *s3.PutObjectInput) { in.ChecksumSHA256 = &wrong })
	s.wantCode("wrong checksum", err, "BadDigest")
	_, err = s.tryPut("bad", body, func(in *s3.PutObjectInput) { in.ChecksumSHA256 = aws.String("AAAA") })
	s.wantCode("malformed checksum", err, "InvalidRequest")
	_, err = s.tryPut("bad", body, func(in *s3.PutObjectInput) { in.ContentMD5 = aws.String("1B2M2Y8AsgTpgAmY7PhCfg==") })
	s.wantCode("wrong Content-MD5", err, "BadDigest")
	_, err = s.tryPut("bad", body, func(in *s3.PutObjectInput) { in.ContentMD5 = aws.String("xyz") })
	s.wantCode("malformed Content-MD5", err, "InvalidDigest")
	_, _, err = s.tryGet("bad")
	s.wantCode("nothing was written", err, "NoSuchKey")
}

func multipartChecksums(s *suite) {
	size := s.partSize()
	one, two := noise(size), noise(77)
	both := append(bytes.Clone(one), two...)
	tests := []struct {
		algorithm types.ChecksumAlgorithm
		kind      types.ChecksumType
		want      string
	}{
		{types.ChecksumAlgorithmCrc32, types.ChecksumTypeFullObject, base64Sum(types.ChecksumAlgorithmCrc32, both)},
		{types.ChecksumAlgorithmCrc32c, types.ChecksumTypeFullObject, base64Sum(types.ChecksumAlgorithmCrc32c, both)},
		{types.ChecksumAlgorithmSha256, types.ChecksumTypeComposite, composite(types.ChecksumAlgorithmSha256, one, two)},
		{types.ChecksumAlgorithmSha1, types.ChecksumTypeComposite, composite(types.ChecksumAlgorithmSha1, one, two)},
		{types.ChecksumAlgorithmCrc32, types.ChecksumTypeComposite, composite(types.ChecksumAlgorithmCrc32, one, two)},
	}
	for _, tt := range tests {
		u := s.upload(string(tt.algorithm)+string(tt.kind), func(in *s3.CreateMultipartUploadInput) {
			in.ChecksumAlgorithm, in.ChecksumType = tt.algorithm, tt.kind
		})
		withSum := func(in *s3.UploadPartInput) { in.ChecksumAlgorithm = tt.algorithm }
		u.part(1, one, withSum)
		u.part(2, two, withSum)
		out, err := u.complete(func(in *s3.CompleteMultipartUploadInput) { in.ChecksumType = tt.kind })
		if err != nil {
			s.Errorf("%s %s: %v", tt.algorithm, tt.kind, err)
			continue
		}
		got := str(out.ChecksumCRC32) + str(out.ChecksumCRC32C) + str(out.ChecksumSHA1) + str(out.ChecksumSHA256)
		s.equal(string(tt.algorithm)+" "+string(tt.kind), got, tt.want)
	}
	u := s.upload("bad", func(in *s3.CreateMultipartUploadInput) {
		in.ChecksumAlgorithm, in.ChecksumType = types.ChecksumAlgorithmCrc32, types.ChecksumTypeFullObject
	})
	u.part(1, two)
	_, err := u.complete(func(in *s3.CompleteMultipartUploadInput) {
		in.ChecksumCRC32 = aws.String(base64Sum(types.ChecksumAlgorithmCrc32, one))
	})
	s.wantCode("a wrong checksum of the whole", err, "BadDigest")
}

func composite(a types.ChecksumAlgorithm, parts ...[]byte) string {
	var sums []string
	for _, p := range parts {
		h := sumHashes[a]()
		h.Write(p)
		sums = append(sums, string(h.Sum(nil)))
	}
	return base64Sum(a, []byte(strings.Join(sums, ""))) + "-2"
}
