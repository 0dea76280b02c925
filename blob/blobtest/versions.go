package blobtest

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func (s *suite) versioning(status types.BucketVersioningStatus) {
	s.Helper()
	_, err := s.Client.PutBucketVersioning(s.ctx(), &s3.PutBucketVersioningInput{
		Bucket: &s.bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: status},
	})
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) delete(key, version string) *s3.DeleteObjectOutput {
	s.Helper()
	in := &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key}
	if version != "" {
		in.VersionId = &version
	}
	out, err := s.Client.DeleteObject(s.ctx(), in)
	if err != nil {
		s.Fatal(err)
	}
	return out
}

func version(id string) func(*s3.GetObjectInput) {
	return func(in *s3.GetObjectInput) { in.VersionId = &id }
}

func versions(s *suite) {
	s.put("k", "zero")
	s.versioning(types.BucketVersioningStatusEnabled)
	v1 := str(s.put("k", "one").VersionId)
	v2 := str(s.put("k", "two").VersionId)
	if v1 == "" || v1 == v2 {
		s.Fatalf("version ids %q and %q", v1, v2)
	}
	s.equal("current", s.get("k"), "two")
	s.equal("one", s.get("k", version(v1)), "one")
	s.equal("null", s.get("k", version("null")), "zero")
	gone := s.delete("k", "")
	if !aws.ToBool(gone.DeleteMarker) || str(gone.VersionId) == "" {
		s.Errorf("delete: %+v", gone)
	}
	_, _, err := s.tryGet("k")
	s.wantCode("deleted", err, "NoSuchKey")
	_, _, err = s.tryGet("k", version(str(gone.VersionId)))
	s.wantCode("a delete marker", err, "MethodNotAllowed")
	s.equal("still there", s.get("k", version(v2)), "two")
	s.equal("listed", s.listVersions(2), "k:marker:latest k:version k:version k:version")
	s.delete("k", str(gone.VersionId))
	s.equal("current again", s.get("k"), "two")
	s.delete("k", v2)
	s.equal("the one before", s.get("k"), "one")
	_, _, err = s.tryGet("k", version(v2))
	s.wantCode("a version deleted", err, "NoSuchVersion")
	_, _, err = s.tryGet("k", version("not-one"))
	s.wantCode("no version at all", err, "InvalidArgument")
}

func suspendedVersions(s *suite) {
	s.versioning(types.BucketVersioningStatusEnabled)
	v1 := str(s.put("k", "one").VersionId)
	s.versioning(types.BucketVersioningStatusSuspended)
	s.put("k", "null 1")
	s.put("k", "null 2")
	s.equal("current", s.get("k"), "null 2")
	s.equal("listed", s.listVersions(10), "k:version:latest k:version")
	out := s.delete("k", "")
	if !aws.ToBool(out.DeleteMarker) || str(out.VersionId) != "null" {
		s.Errorf("delete while suspended: %+v", out)
	}
	s.equal("listed", s.listVersions(1), "k:marker:latest k:version")
	s.equal("kept", s.get("k", version(v1)), "one")
	s.delete("k", "null")
	s.equal("current again", s.get("k"), "one")
}

// listVersions walks all versions in pages of a size.
func (s *suite) listVersions(size int32) string {
	s.Helper()
	var out []string
	pages := s3.NewListObjectVersionsPaginator(s.Client, &s3.ListObjectVersionsInput{Bucket: &s.bucket, MaxKeys: &size})
	for pages.HasMorePages() {
		page, err := pages.NextPage(s.ctx())
		if err != nil {
			s.Fatal(err)
		}
		add := func(key *string, kind string, latest *bool) {
			e := fmt.Sprintf("%s:%s", str(key), kind)
			if aws.ToBool(latest) {
				e += ":latest"
			}
			out = append(out, e)
		}
		for _, m := range page.DeleteMarkers {
			add(m.Key, "marker", m.IsLatest)
		}
		for _, v := range page.Versions {
			add(v.Key, "version", v.IsLatest)
		}
	}
	return strings.Join(out, " ")
}
