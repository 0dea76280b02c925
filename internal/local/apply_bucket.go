package local

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"pressroom/internal/local/template"
)

func (a *applying) bucket(ctx context.Context, r template.Resource) error {
	name, _ := r.Properties["BucketName"].(string)
	_, err := a.Client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &name})
	if there := new(types.BucketAlreadyOwnedByYou); errors.As(err, &there) {
		a.log.Info("the bucket is there already and stays as it is", "bucket", name)
		return nil
	}
	if err != nil {
		return err
	}
	for _, part := range []struct {
		property string
		put      func(context.Context, template.Resource, *string) error
	}{
		{"VersioningConfiguration", a.versioning},
		{"Tags", a.tags},
		{"BucketEncryption", a.bucketEncryption},
		{"PublicAccessBlockConfiguration", a.publicAccess},
		{"CorsConfiguration", a.cors},
		{"LifecycleConfiguration", a.lifecycle},
	} {
		if _, ok := r.Properties[part.property]; !ok {
			continue
		}
		if err := a.unlessElsewhere(r, part.property, part.put(ctx, r, &name)); err != nil {
			return err
		}
		delete(r.Properties, part.property)
	}
	delete(r.Properties, "BucketName")
	for property := range r.Properties {
		a.log.Warn("not applied", "resource", r.ID, "property", property)
	}
	return nil
}

func (a *applying) versioning(ctx context.Context, r template.Resource, bucket *string) error {
	var c types.VersioningConfiguration
	if _, err := take(r, "VersioningConfiguration", &c); err != nil {
		return err
	}
	_, err := a.Client.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{Bucket: bucket, VersioningConfiguration: &c})
	return err
}

func (a *applying) tags(ctx context.Context, r template.Resource, bucket *string) error {
	var c types.Tagging
	if _, err := take(r, "Tags", &c.TagSet); err != nil {
		return err
	}
	_, err := a.Client.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{Bucket: bucket, Tagging: &c})
	return err
}

func (a *applying) bucketEncryption(ctx context.Context, r template.Resource, bucket *string) error {
	var c struct {
		ServerSideEncryptionConfiguration []struct {
			BucketKeyEnabled              *bool
			ServerSideEncryptionByDefault struct {
				SSEAlgorithm   types.ServerSideEncryption
				KMSMasterKeyID *string
			}
		}
	}
	if _, err := take(r, "BucketEncryption", &c); err != nil {
		return err
	}
	var out types.ServerSideEncryptionConfiguration
	for _, rule := range c.ServerSideEncryptionConfiguration {
		by := rule.ServerSideEncryptionByDefault
		out.Rules = append(out.Rules, types.ServerSideEncryptionRule{
			BucketKeyEnabled:                   rule.BucketKeyEnabled,
			ApplyServerSideEncryptionByDefault: &types.ServerSideEncryptionByDefault{SSEAlgorithm: by.SSEAlgorithm, KMSMasterKeyID: by.KMSMasterKeyID},
		})
	}
	_, err := a.Client.PutBucketEncryption(ctx, &s3.PutBucketEncryptionInput{Bucket: bucket, ServerSideEncryptionConfiguration: &out})
	return err
}

func (a *applying) publicAccess(ctx context.Context, r template.Resource, bucket *string) error {
	var c types.PublicAccessBlockConfiguration
	if _, err := take(r, "PublicAccessBlockConfiguration", &c); err != nil {
		return err
	}
	_, err := a.Client.PutPublicAccessBlock(ctx, &s3.PutPublicAccessBlockInput{Bucket: bucket, PublicAccessBlockConfiguration: &c})
	return err
}

func (a *applying) cors(ctx context.Context, r template.Resource, bucket *string) error {
	var c struct {
		CorsRules []struct {
			ID                                                             *string `json:"Id"`
			AllowedHeaders, AllowedMethods, AllowedOrigins, ExposedHeaders []string
			MaxAge                                                         *int32
		}
	}
	if _, err := take(r, "CorsConfiguration", &c); err != nil {
		return err
	}
	var out types.CORSConfiguration
	for _, rule := range c.CorsRules {
		out.CORSRules = append(out.CORSRules, types.CORSRule{
			ID: rule.ID, AllowedHeaders: rule.AllowedHeaders, AllowedMethods: rule.AllowedMethods,
			AllowedOrigins: rule.AllowedOrigins, ExposeHeaders: rule.ExposedHeaders, MaxAgeSeconds: rule.MaxAge,
		})
	}
	_, err := a.Client.PutBucketCors(ctx, &s3.PutBucketCorsInput{Bucket: bucket, CORSConfiguration: &out})
	return err
}

// lifecycleRule is a rule as templates have it.
type lifecycleRule struct {
	ID                                        *string `json:"Id"`
	Status                                    types.ExpirationStatus
	Prefix                                    *string
	TagFilters                                []types.Tag
	ObjectSizeGreaterThan, ObjectSizeLessThan *int64 `json:",string"`
	ExpirationInDays                          *int32
	ExpirationDate                            *time.Time
	ExpiredObjectDeleteMarker                 *bool
	NoncurrentVersionExpirationInDays         *int32
	NoncurrentVersionExpiration               *types.NoncurrentVersionExpiration
	AbortIncompleteMultipartUpload            *types.AbortIncompleteMultipartUpload
	Transition, NoncurrentVersionTransition   *lifecycleTransition
	Transitions, NoncurrentVersionTransitions []lifecycleTransition
}

type lifecycleTransition struct {
	StorageClass            types.TransitionStorageClass
	TransitionInDays        *int32
	TransitionDate          *time.Time
	NewerNoncurrentVersions *int32
}

func (a *applying) lifecycle(ctx context.Context, r template.Resource, bucket *string) error {
	var c struct {
		Rules                              []lifecycleRule
		TransitionDefaultMinimumObjectSize types.TransitionDefaultMinimumObjectSize
	}
	if _, err := take(r, "LifecycleConfiguration", &c); err != nil {
		return err
	}
	var out types.BucketLifecycleConfiguration
	for _, rule := range c.Rules {
		out.Rules = append(out.Rules, rule.rule())
	}
	_, err := a.Client.PutBucketLifecycleConfiguration(ctx, &s3.PutBucketLifecycleConfigurationInput{
		Bucket: bucket, LifecycleConfiguration: &out, TransitionDefaultMinimumObjectSize: c.TransitionDefaultMinimumObjectSize,
	})
	return err
}

func (l lifecycleRule) rule() types.LifecycleRule {
	out := types.LifecycleRule{
		ID: l.ID, Status: l.Status, Filter: l.filter(),
		AbortIncompleteMultipartUpload: l.AbortIncompleteMultipartUpload, NoncurrentVersionExpiration: l.NoncurrentVersionExpiration,
	}
	if l.ExpirationInDays != nil || l.ExpirationDate != nil || l.ExpiredObjectDeleteMarker != nil {
		out.Expiration = &types.LifecycleExpiration{Days: l.ExpirationInDays, Date: l.ExpirationDate, ExpiredObjectDeleteMarker: l.ExpiredObjectDeleteMarker}
	}
	if l.NoncurrentVersionExpirationInDays != nil {
		out.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NoncurrentDays: l.NoncurrentVersionExpirationInDays}
	}
	moves, old := l.Transitions, l.NoncurrentVersionTransitions
	if l.Transition != nil {
		moves = append(moves, *l.Transition)
	}
	if l.NoncurrentVersionTransition != nil {
		old = append(old, *l.NoncurrentVersionTransition)
	}
	for _, m := range moves {
		out.Transitions = append(out.Transitions, types.Transition{StorageClass: m.StorageClass, Days: m.TransitionInDays, Date: m.TransitionDate})
	}
	for _, m := range old {
		out.NoncurrentVersionTransitions = append(out.NoncurrentVersionTransitions, types.NoncurrentVersionTransition{
			StorageClass: m.StorageClass, NoncurrentDays: m.TransitionInDays, NewerNoncurrentVersions: m.NewerNoncurrentVersions,
		})
	}
	return out
}

// filter joins what a rule of a template says of its objects.
func (l lifecycleRule) filter() *types.LifecycleRuleFilter {
	and := &types.LifecycleRuleAndOperator{Prefix: l.Prefix, Tags: l.TagFilters, ObjectSizeGreaterThan: l.ObjectSizeGreaterThan, ObjectSizeLessThan: l.ObjectSizeLessThan}
	parts := len(l.TagFilters)
	for _, there := range []bool{l.Prefix != nil, l.ObjectSizeGreaterThan != nil, l.ObjectSizeLessThan != nil} {
		if there {
			parts++
		}
	}
	switch {
	case parts > 1:
		return &types.LifecycleRuleFilter{And: and}
	case len(l.TagFilters) == 1:
		return &types.LifecycleRuleFilter{Tag: &l.TagFilters[0]}
	}
	return &types.LifecycleRuleFilter{Prefix: l.Prefix, ObjectSizeGreaterThan: l.ObjectSizeGreaterThan, ObjectSizeLessThan: l.ObjectSizeLessThan}
}
