package blobtest

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// lockDefault sets what new versions get; days 0 is nothing.
func (s *suite) lockDefault(mode types.ObjectLockRetentionMode, days int32) error {
	c := &types.ObjectLockConfiguration{ObjectLockEnabled: types.ObjectLockEnabledEnabled}
	if mode != "" {
		c.Rule = &types.ObjectLockRule{DefaultRetention: &types.DefaultRetention{Mode: mode, Days: &days}}
	}
	_, err := s.Client.PutObjectLockConfiguration(s.ctx(), &s3.PutObjectLockConfigurationInput{Bucket: &s.bucket, ObjectLockConfiguration: c})
	return err
}

func (s *suite) retain(key string, mode types.ObjectLockRetentionMode, until time.Time, bypass bool) error {
	_, err := s.Client.PutObjectRetention(s.ctx(), &s3.PutObjectRetentionInput{
		Bucket: &s.bucket, Key: &key, BypassGovernanceRetention: &bypass,
		Retention: &types.ObjectLockRetention{Mode: mode, RetainUntilDate: &until},
	})
	return err
}

func (s *suite) legalHold(key string, status types.ObjectLockLegalHoldStatus) error {
	_, err := s.Client.PutObjectLegalHold(s.ctx(), &s3.PutObjectLegalHoldInput{Bucket: &s.bucket, Key: &key, LegalHold: &types.ObjectLockLegalHold{Status: status}})
	return err
}

func (s *suite) tryDelete(key, version string, bypass bool) error {
	_, err := s.Client.DeleteObject(s.ctx(), &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key, VersionId: &version, BypassGovernanceRetention: &bypass})
	return err
}

// objectLock protects versions, not keys. It moves the clock where it can, and else
// leaves nothing behind that cannot be deleted.
func objectLock(s *suite) {
	// A bucket without.
	s.put("k", "plain")
	s.wantCode("retention without Object Lock", s.retain("k", types.ObjectLockRetentionModeGovernance, time.Now().Add(time.Hour), false), "InvalidRequest")
	s.wantCode("a hold without Object Lock", s.legalHold("k", types.ObjectLockLegalHoldStatusOn), "InvalidRequest")
	_, err := s.tryPut("k", "x", func(in *s3.PutObjectInput) { in.ObjectLockLegalHoldStatus = types.ObjectLockLegalHoldStatusOn })
	s.wantCode("a put with a hold", err, "InvalidRequest")
	_, err = s.Client.GetObjectLockConfiguration(s.ctx(), &s3.GetObjectLockConfigurationInput{Bucket: &s.bucket})
	s.wantCode("no configuration", err, "ObjectLockConfigurationNotFoundError")
	s.wantCode("a configuration without versions", s.lockDefault("", 0), "InvalidBucketState")

	// One that has it from its beginning.
	s.bucket += "-lock"
	if _, err := s.Client.CreateBucket(s.ctx(), &s3.CreateBucketInput{Bucket: &s.bucket, ObjectLockEnabledForBucket: aws.Bool(true)}); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { s.drop(s.bucket) })
	v, err := s.Client.GetBucketVersioning(s.ctx(), &s3.GetBucketVersioningInput{Bucket: &s.bucket})
	if err != nil || v.Status != types.BucketVersioningStatusEnabled {
		s.Errorf("versioning: %+v, %v", v, err)
	}
	_, err = s.Client.PutBucketVersioning(s.ctx(), &s3.PutBucketVersioningInput{Bucket: &s.bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusSuspended}})
	s.wantCode("suspended versioning", err, "InvalidBucketState")
	s.lockHold()
	s.lockRetention()
	s.lockDefaults()
}

func (s *suite) lockHold() {
	id := str(s.put("held", "1").VersionId)
	_, err := s.Client.GetObjectLegalHold(s.ctx(), &s3.GetObjectLegalHoldInput{Bucket: &s.bucket, Key: aws.String("held")})
	s.wantCode("no hold", err, "NoSuchObjectLockConfiguration")
	s.wantCode("half a hold", s.legalHold("held", "MAYBE"), "MalformedXML")
	if err := s.legalHold("held", types.ObjectLockLegalHoldStatusOn); err != nil {
		s.Fatal(err)
	}
	s.wantCode("deleting what is held", s.tryDelete("held", id, true), "AccessDenied")
	out, err := s.Client.DeleteObjects(s.ctx(), &s3.DeleteObjectsInput{Bucket: &s.bucket, Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: aws.String("held"), VersionId: &id}}}})
	if err != nil || len(out.Errors) != 1 || *out.Errors[0].Code != "AccessDenied" {
		s.Errorf("deleting many: %+v, %v", out, err)
	}
	// A marker hides the version and leaves it.
	marker := str(s.delete("held", "").VersionId)
	s.equal("below the marker", s.get("held", version(id)), "1")
	s.delete("held", marker)
	head, err := s.Client.HeadObject(s.ctx(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: aws.String("held")})
	if err != nil || head.ObjectLockLegalHoldStatus != types.ObjectLockLegalHoldStatusOn {
		s.Errorf("head: %+v, %v", head, err)
	}
	if err := s.legalHold("held", types.ObjectLockLegalHoldStatusOff); err != nil {
		s.Fatal(err)
	}
	if got, err := s.Client.GetObjectLegalHold(s.ctx(), &s3.GetObjectLegalHoldInput{Bucket: &s.bucket, Key: aws.String("held")}); err != nil || got.LegalHold.Status != types.ObjectLockLegalHoldStatusOff {
		s.Errorf("a hold that ended: %+v, %v", got, err)
	}
	s.delete("held", id)
}

func (s *suite) lockRetention() {
	soon, later := time.Now().Add(time.Hour).UTC().Truncate(time.Second), time.Now().Add(2*time.Hour).UTC().Truncate(time.Second)
	governance, compliance := types.ObjectLockRetentionModeGovernance, types.ObjectLockRetentionModeCompliance
	for name, change := range map[string]func(*s3.PutObjectInput){
		"a mode without an end": func(in *s3.PutObjectInput) { in.ObjectLockMode = types.ObjectLockModeGovernance },
		"an end without a mode": func(in *s3.PutObjectInput) { in.ObjectLockRetainUntilDate = &soon },
		"an unknown mode":       func(in *s3.PutObjectInput) { in.ObjectLockMode, in.ObjectLockRetainUntilDate = "STRICT", &soon },
		"an end in the past": func(in *s3.PutObjectInput) {
			in.ObjectLockMode, in.ObjectLockRetainUntilDate = types.ObjectLockModeGovernance, aws.Time(time.Now().Add(-time.Hour))
		},
		"a hold that is none": func(in *s3.PutObjectInput) { in.ObjectLockLegalHoldStatus = "x" },
	} {
		_, err := s.tryPut("refused", "x", change)
		s.wantCode(name, err, "InvalidArgument")
	}
	id := str(s.put("kept", "1", func(in *s3.PutObjectInput) {
		in.ObjectLockMode, in.ObjectLockRetainUntilDate = types.ObjectLockModeGovernance, &soon
	}).VersionId)
	got, err := s.Client.GetObjectRetention(s.ctx(), &s3.GetObjectRetentionInput{Bucket: &s.bucket, Key: aws.String("kept")})
	if err != nil || got.Retention.Mode != governance || !got.Retention.RetainUntilDate.Equal(soon) {
		s.Errorf("retention: %+v, %v", got, err)
	}
	s.wantCode("deleting what is kept", s.tryDelete("kept", id, false), "AccessDenied")
	s.wantCode("a shorter retention", s.retain("kept", governance, soon.Add(-time.Minute), false), "AccessDenied")
	s.wantCode("another mode", s.retain("kept", compliance, later, false), "AccessDenied")
	s.wantCode("an end in the past", s.retain("kept", governance, time.Now().Add(-time.Hour), true), "InvalidArgument")
	s.wantCode("an unknown mode", s.retain("kept", "STRICT", soon, true), "MalformedXML")
	if err := s.retain("kept", governance, later, false); err != nil {
		s.Errorf("a longer retention: %v", err)
	}
	if err := s.retain("kept", governance, soon, true); err != nil {
		s.Errorf("a shorter one with a bypass: %v", err)
	}
	if err := s.tryDelete("kept", id, true); err != nil {
		s.Errorf("deleting with a bypass: %v", err)
	}
	if s.Advance == nil {
		return // what is kept for compliance could not be cleared away
	}
	id = str(s.put("strict", "1", func(in *s3.PutObjectInput) {
		in.ObjectLockMode, in.ObjectLockRetainUntilDate = types.ObjectLockModeCompliance, &soon
	}).VersionId)
	s.wantCode("deleting with a bypass", s.tryDelete("strict", id, true), "AccessDenied")
	s.wantCode("a shorter retention with a bypass", s.retain("strict", compliance, soon.Add(-time.Minute), true), "AccessDenied")
	s.wantCode("a weaker mode with a bypass", s.retain("strict", governance, later, true), "AccessDenied")
	if err := s.retain("strict", compliance, later, false); err != nil {
		s.Errorf("a longer retention: %v", err)
	}
	s.Advance(s.T, time.Hour+time.Minute)
	s.wantCode("before its new end", s.tryDelete("strict", id, true), "AccessDenied")
	s.Advance(s.T, time.Hour)
	if err := s.tryDelete("strict", id, false); err != nil {
		s.Errorf("after its end: %v", err)
	}
}

func (s *suite) lockDefaults() {
	for days, code := range map[int32]string{0: "InvalidArgument", -1: "InvalidArgument", 36501: "InvalidArgument"} {
		s.wantCode("a default of so many days", s.lockDefault(types.ObjectLockRetentionModeGovernance, days), code)
	}
	s.wantCode("an unknown mode", s.lockDefault("STRICT", 1), "MalformedXML")
	if err := s.lockDefault(types.ObjectLockRetentionModeGovernance, 5); err != nil {
		s.Fatal(err)
	}
	c, err := s.Client.GetObjectLockConfiguration(s.ctx(), &s3.GetObjectLockConfigurationInput{Bucket: &s.bucket})
	if err != nil || aws.ToInt32(c.ObjectLockConfiguration.Rule.DefaultRetention.Days) != 5 {
		s.Errorf("configuration: %+v, %v", c, err)
	}
	ids := map[string]string{"put": str(s.put("put", "1").VersionId)}
	copied, err := s.Client.CopyObject(s.ctx(), &s3.CopyObjectInput{Bucket: &s.bucket, Key: aws.String("copied"), CopySource: aws.String(s.bucket + "/put")})
	if err != nil {
		s.Fatal(err)
	}
	ids["copied"] = str(copied.VersionId)
	up, err := s.Client.CreateMultipartUpload(s.ctx(), &s3.CreateMultipartUploadInput{Bucket: &s.bucket, Key: aws.String("parts")})
	if err != nil {
		s.Fatal(err)
	}
	part, err := s.Client.UploadPart(s.ctx(), &s3.UploadPartInput{Bucket: &s.bucket, Key: aws.String("parts"), UploadId: up.UploadId, PartNumber: aws.Int32(1), Body: strings.NewReader("x")})
	if err != nil {
		s.Fatal(err)
	}
	done, err := s.Client.CompleteMultipartUpload(s.ctx(), &s3.CompleteMultipartUploadInput{Bucket: &s.bucket, Key: aws.String("parts"), UploadId: up.UploadId,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{PartNumber: aws.Int32(1), ETag: part.ETag}}}})
	if err != nil {
		s.Fatal(err)
	}
	ids["parts"] = str(done.VersionId)
	for key, id := range ids {
		s.wantCode("deleting "+key, s.tryDelete(key, id, false), "AccessDenied")
	}
	if s.Advance != nil { // a lifecycle rule waits for the end of a retention
		s.rules(types.LifecycleRule{ID: aws.String("r"), Status: types.ExpirationStatusEnabled, Filter: &types.LifecycleRuleFilter{Prefix: aws.String("put")},
			NoncurrentVersionExpiration: &types.NoncurrentVersionExpiration{NoncurrentDays: aws.Int32(1)}})
		s.delete("put", "")
		s.Advance(s.T, 3*24*time.Hour)
		s.equal("kept from the rule", s.get("put", version(ids["put"])), "1")
	}
	for key, id := range ids {
		if err := s.tryDelete(key, id, true); err != nil {
			s.Errorf("%s with a bypass: %v", key, err)
		}
	}
	if err := s.lockDefault("", 0); err != nil {
		s.Errorf("no default: %v", err)
	}
	s.delete("free", str(s.put("free", "1").VersionId))
}
