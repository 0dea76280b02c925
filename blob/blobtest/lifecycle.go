package blobtest

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const day = 24 * time.Hour

func (s *suite) rules(rules ...types.LifecycleRule) {
	s.Helper()
	for i := range rules {
		rules[i].Status = types.ExpirationStatusEnabled
	}
	_, err := s.Client.PutBucketLifecycleConfiguration(s.ctx(), &s3.PutBucketLifecycleConfigurationInput{
		Bucket: &s.bucket, LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: rules},
		TransitionDefaultMinimumObjectSize: types.TransitionDefaultMinimumObjectSizeVariesByStorageClass,
	})
	if err != nil {
		s.Fatal(err)
	}
}

func lifecycles(s *suite) {
	tag := types.Tag{Key: aws.String("keep"), Value: aws.String("no")}
	s.rules(
		types.LifecycleRule{ID: aws.String("tmp"), Filter: &types.LifecycleRuleFilter{Prefix: aws.String("tmp/")},
			Expiration: &types.LifecycleExpiration{Days: aws.Int32(2)}},
		types.LifecycleRule{ID: aws.String("tagged"), Filter: &types.LifecycleRuleFilter{And: &types.LifecycleRuleAndOperator{Prefix: aws.String("log/"), Tags: []types.Tag{tag}}},
			Expiration: &types.LifecycleExpiration{Days: aws.Int32(5)}},
		types.LifecycleRule{ID: aws.String("uploads"), Filter: &types.LifecycleRuleFilter{Prefix: aws.String("")},
			AbortIncompleteMultipartUpload: &types.AbortIncompleteMultipartUpload{DaysAfterInitiation: aws.Int32(7)},
			NoncurrentVersionExpiration:    &types.NoncurrentVersionExpiration{NoncurrentDays: aws.Int32(10)}},
	)
	got, err := s.Client.GetBucketLifecycleConfiguration(s.ctx(), &s3.GetBucketLifecycleConfigurationInput{Bucket: &s.bucket})
	if err != nil || len(got.Rules) != 3 || str(got.Rules[1].Filter.And.Tags[0].Value) != "no" {
		s.Fatalf("%+v, %v", got, err)
	}
	out := s.put("tmp/x", "")
	if !strings.Contains(str(out.Expiration), `rule-id="tmp"`) {
		s.Errorf("expiration %q", str(out.Expiration))
	}
	if s.Advance == nil {
		s.Skip("the target's clock cannot be moved")
	}
	tagged := func(in *s3.PutObjectInput) { in.Tagging = aws.String("keep=no") }
	s.put("log/tagged", "", tagged)
	s.put("log/other", "")
	s.put("tagged", "", tagged)
	s.upload("never")
	there := func(want string) {
		s.Helper()
		out, err := s.Client.ListObjectsV2(s.ctx(), &s3.ListObjectsV2Input{Bucket: &s.bucket})
		if err != nil {
			s.Fatal(err)
		}
		s.equal("left", strings.Join(keysOf(out.Contents), " "), want)
	}
	s.Advance(s.T, day)
	there("log/other log/tagged tagged tmp/x")
	s.Advance(s.T, 2*day)
	there("log/other log/tagged tagged")
	s.Advance(s.T, 3*day)
	there("log/other tagged")
	uploads := func() int {
		out, err := s.Client.ListMultipartUploads(s.ctx(), &s3.ListMultipartUploadsInput{Bucket: &s.bucket})
		if err != nil {
			s.Fatal(err)
		}
		return len(out.Uploads)
	}
	s.equal("uploads", uploads(), 1)
	s.Advance(s.T, 2*day)
	s.equal("uploads", uploads(), 0)

	s.versioning(types.BucketVersioningStatusEnabled)
	s.put("tagged", "new")
	s.Advance(s.T, 9*day)
	s.equal("versions", s.listVersions(10), "log/other:version:latest tagged:version:latest tagged:version")
	s.Advance(s.T, 2*day)
	s.equal("versions", s.listVersions(10), "log/other:version:latest tagged:version:latest")
	s.put("tmp/y", "")
	s.Advance(s.T, 3*day)
	_, _, err = s.tryGet("tmp/y")
	s.wantCode("expired in a versioned bucket", err, "NoSuchKey")
	if got := s.listVersions(10); !strings.Contains(got, "tmp/y:marker:latest") || !strings.Contains(got, "tmp/y:version") {
		s.Errorf("expired to %s, want a delete marker over the version", got)
	}
}

func coldClass(s *suite) {
	if s.Advance == nil {
		s.Skip("the target's clock cannot be moved")
	}
	body := strings.Repeat("<p>the same again</p>", 10_000)
	s.put("raw/page.html", body)
	s.put("direct", body, func(in *s3.PutObjectInput) { in.StorageClass = types.StorageClassGlacier })
	s.rules(types.LifecycleRule{ID: aws.String("cold"), Filter: &types.LifecycleRuleFilter{Prefix: aws.String("raw/")},
		Transitions: []types.Transition{{Days: aws.Int32(30), StorageClass: types.TransitionStorageClassGlacier}}})
	s.Advance(s.T, 29*day)
	s.equal("not yet", s.get("raw/page.html") == body, true)
	s.Advance(s.T, 2*day)
	for _, key := range []string{"raw/page.html", "direct"} {
		head, err := s.Client.HeadObject(s.ctx(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
		if err != nil {
			s.Fatal(err)
		}
		s.equal("class", head.StorageClass, types.StorageClassGlacier)
		s.equal("etag", str(head.ETag), md5Hex(body))
		s.equal("size", aws.ToInt64(head.ContentLength), int64(len(body)))
		_, _, err = s.tryGet(key)
		s.wantCode("get what is archived", err, "InvalidObjectState")
		_, err = s.Client.RestoreObject(s.ctx(), &s3.RestoreObjectInput{Bucket: &s.bucket, Key: &key, RestoreRequest: &types.RestoreRequest{Days: aws.Int32(2)}})
		if err != nil {
			s.Fatal(err)
		}
		head, err = s.Client.HeadObject(s.ctx(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
		if err != nil || !strings.Contains(str(head.Restore), `ongoing-request="false"`) {
			s.Fatalf("restore %q, %v", str(head.Restore), err)
		}
		s.equal("restored", s.get(key) == body, true)
		rng := "bytes=100-199"
		s.equal("restored range", s.get(key, func(in *s3.GetObjectInput) { in.Range = &rng }), body[100:200])
	}
	s.Advance(s.T, 4*day)
	_, _, err := s.tryGet("direct")
	s.wantCode("archived again", err, "InvalidObjectState")
	s.put("warm", "")
	_, err = s.Client.RestoreObject(s.ctx(), &s3.RestoreObjectInput{Bucket: &s.bucket, Key: aws.String("warm"), RestoreRequest: &types.RestoreRequest{Days: aws.Int32(2)}})
	s.wantCode("restore what is not archived", err, "InvalidObjectState")
}
