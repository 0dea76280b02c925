package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// versionsRule is the lifecycle rule that ends old versions.
const versionsRule = "pressroom-recovery"

// KeepVersions makes buckets keep what is replaced and deleted for so many days,
// so that a restore to a second finds the objects that the tables of that second
// name. Versioning is turned on where it is not, and one lifecycle rule is added;
// other rules stay as they are. It may be called at every start.
func KeepVersions(ctx context.Context, client *s3.Client, days int, buckets ...string) error {
	for _, b := range buckets {
		if err := keepVersions(ctx, client, b, int32(days)); err != nil {
			return fmt.Errorf("keep versions in bucket %s: %w", b, err)
		}
	}
	return nil
}

func keepVersions(ctx context.Context, client *s3.Client, bucket string, days int32) error {
	versioning, err := client.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &bucket})
	if err != nil {
		return err
	}
	if versioning.Status != types.BucketVersioningStatusEnabled {
		on := &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}
		if _, err := client.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{Bucket: &bucket, VersioningConfiguration: on}); err != nil {
			return err
		}
	}
	lifecycle, err := lifecycleOf(ctx, client, bucket)
	if err != nil {
		return err
	}
	rules := lifecycle.Rules
	want := types.LifecycleRule{
		ID: aws.String(versionsRule), Status: types.ExpirationStatusEnabled,
		Filter:                      &types.LifecycleRuleFilter{Prefix: aws.String("")},
		NoncurrentVersionExpiration: &types.NoncurrentVersionExpiration{NoncurrentDays: &days},
		Expiration:                  &types.LifecycleExpiration{ExpiredObjectDeleteMarker: aws.Bool(true)},
	}
	i := slices.IndexFunc(rules, func(r types.LifecycleRule) bool { return aws.ToString(r.ID) == versionsRule })
	switch {
	case i < 0:
		rules = append(rules, want)
	case rules[i].NoncurrentVersionExpiration != nil && aws.ToInt32(rules[i].NoncurrentVersionExpiration.NoncurrentDays) == days:
		return nil
	default:
		rules[i] = want
	}
	_, err = client.PutBucketLifecycleConfiguration(ctx, &s3.PutBucketLifecycleConfigurationInput{
		Bucket: &bucket, LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: rules},
		TransitionDefaultMinimumObjectSize: lifecycle.TransitionDefaultMinimumObjectSize,
	})
	return err
}

// lifecycleOf returns all that the bucket's lifecycle says; to change it is to
// write the whole again.
func lifecycleOf(ctx context.Context, client *s3.Client, bucket string) (*s3.GetBucketLifecycleConfigurationOutput, error) {
	out, err := client.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: &bucket})
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "NoSuchLifecycleConfiguration" {
		return &s3.GetBucketLifecycleConfigurationOutput{}, nil
	}
	return out, err
}
