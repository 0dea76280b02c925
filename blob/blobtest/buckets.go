package blobtest

import (
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func unescape(s *string) *string {
	if u, err := url.PathUnescape(aws.ToString(s)); err == nil {
		return &u
	}
	return s
}

func buckets(s *suite) {
	c, ctx := s.Client, s.ctx()
	if _, err := c.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &s.bucket}); err != nil {
		s.Error(err)
	}
	_, err := c.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: aws.String("blobtest-none")})
	s.wantCode("head of none", err, "NotFound")
	all, err := c.ListBuckets(ctx, &s3.ListBucketsInput{Prefix: &s.bucket})
	if err != nil {
		s.Fatal(err)
	}
	if len(all.Buckets) != 1 || str(all.Buckets[0].Name) != s.bucket || all.Buckets[0].CreationDate == nil {
		s.Errorf("listed %+v", all.Buckets)
	}
	_, err = c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &s.bucket})
	if err != nil { // S3 itself says yes in us-east-1 alone
		s.wantCode("create again", err, "BucketAlreadyOwnedByYou")
	}
	for _, name := range []string{"ab", "Upper", "under_score", "-edge", "edge-", "a..b", "192.168.0.1", "xn--a"} {
		_, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &name})
		s.wantCode("create "+name, err, "InvalidBucketName")
	}
	s.put("k", "v")
	_, err = c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &s.bucket})
	s.wantCode("delete a bucket that is not empty", err, "BucketNotEmpty")
	for what, op := range map[string]func() error{
		"put": func() error {
			_, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("blobtest-none"), Key: aws.String("k")})
			return err
		},
		"list": func() error {
			_, err := c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String("blobtest-none")})
			return err
		},
		"delete": func() error {
			_, err := c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: aws.String("blobtest-none")})
			return err
		},
	} {
		s.wantCode(what+" without bucket", op(), "NoSuchBucket")
	}
}

func bucketConfigurations(s *suite) {
	c, ctx := s.Client, s.ctx()
	if _, err := c.GetBucketLocation(ctx, &s3.GetBucketLocationInput{Bucket: &s.bucket}); err != nil {
		s.Error(err)
	}
	_, err := c.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: &s.bucket})
	s.wantCode("tags", err, "NoSuchTagSet")
	_, err = c.GetBucketCors(ctx, &s3.GetBucketCorsInput{Bucket: &s.bucket})
	s.wantCode("cors", err, "NoSuchCORSConfiguration")
	_, err = c.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: &s.bucket})
	s.wantCode("lifecycle", err, "NoSuchLifecycleConfiguration")
	_, err = c.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: &s.bucket})
	s.wantCode("policy", err, "NoSuchBucketPolicy")

	tags := &types.Tagging{TagSet: []types.Tag{{Key: aws.String("project"), Value: aws.String("sum + now")}}}
	if _, err := c.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{Bucket: &s.bucket, Tagging: tags}); err != nil {
		s.Fatal(err)
	}
	got, err := c.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: &s.bucket})
	if err != nil || len(got.TagSet) != 1 || str(got.TagSet[0].Value) != "sum + now" {
		s.Errorf("tags: %+v, %v", got, err)
	}
	if _, err := c.DeleteBucketTagging(ctx, &s3.DeleteBucketTaggingInput{Bucket: &s.bucket}); err != nil {
		s.Error(err)
	}
	owner, err := c.GetBucketOwnershipControls(ctx, &s3.GetBucketOwnershipControlsInput{Bucket: &s.bucket})
	if err != nil || owner.OwnershipControls.Rules[0].ObjectOwnership != types.ObjectOwnershipBucketOwnerEnforced {
		s.Errorf("ownership: %+v, %v", owner, err)
	}
	acl, err := c.GetBucketAcl(ctx, &s3.GetBucketAclInput{Bucket: &s.bucket})
	if err != nil || len(acl.Grants) != 1 || acl.Grants[0].Permission != types.PermissionFullControl {
		s.Errorf("acl: %+v, %v", acl, err)
	}
	_, err = c.PutBucketAcl(ctx, &s3.PutBucketAclInput{Bucket: &s.bucket, ACL: types.BucketCannedACLPublicRead})
	s.wantCode("public acl", err, "AccessControlListNotSupported")
}
