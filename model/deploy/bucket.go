package deploy

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"pressroom/model"
)

var errNoObjects = errors.New("there is no store for objects")

func (p *planner) bucket(ctx context.Context, b *model.Bucket) error {
	there, err := hasBucket(ctx, p.st.Objects, b.Name)
	if err != nil {
		return err
	}
	if !there {
		p.step(func(ctx context.Context) error { return p.createBucket(ctx, b.Name) }, "create bucket %s", b.Name)
		if len(b.Lifecycle) > 0 {
			p.lifecycle(b, rules(b))
		}
		return nil
	}
	return p.oldLifecycle(ctx, b)
}

func isCode(err error, codes ...string) bool {
	var api smithy.APIError
	return errors.As(err, &api) && slices.Contains(codes, api.ErrorCode())
}

// createBucket makes a bucket in the client's region.
func (p *planner) createBucket(ctx context.Context, name string) error {
	in := &s3.CreateBucketInput{Bucket: &name}
	if region := p.st.Objects.Options().Region; region != "" && region != "us-east-1" {
		in.CreateBucketConfiguration = &types.CreateBucketConfiguration{LocationConstraint: types.BucketLocationConstraint(region)}
	}
	_, err := p.st.Objects.CreateBucket(ctx, in)
	return err
}

// oldLifecycle plans the rules that a bucket lacks. Rules of other names stay.
func (p *planner) oldLifecycle(ctx context.Context, b *model.Bucket) error {
	if len(b.Lifecycle) == 0 {
		return nil
	}
	var has []types.LifecycleRule
	var small types.TransitionDefaultMinimumObjectSize
	out, err := p.st.Objects.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: &b.Name})
	if !isCode(err, "NoSuchLifecycleConfiguration") {
		known, err := p.optional("the lifecycle of "+b.Name, err)
		if !known {
			return err
		}
		has, small = out.Rules, out.TransitionDefaultMinimumObjectSize
	}
	merged := slices.Clone(has)
	changed := small != anySize
	for _, want := range rules(b) {
		i := slices.IndexFunc(merged, func(r types.LifecycleRule) bool { return aws.ToString(r.ID) == *want.ID })
		switch {
		case i < 0:
			merged = append(merged, want)
			changed = true
		case !sameRule(merged[i], want):
			merged[i] = want
			changed = true
		}
	}
	if changed {
		p.lifecycle(b, merged)
	}
	return nil
}

// sameRule compares what our rules say; stores fill in the rest differently.
func sameRule(a, b types.LifecycleRule) bool {
	days := func(r types.LifecycleRule) [3]int32 {
		var d [3]int32
		if len(r.Transitions) == 1 {
			d[0] = aws.ToInt32(r.Transitions[0].Days)
		}
		if r.Expiration != nil {
			d[1] = aws.ToInt32(r.Expiration.Days)
		}
		if r.AbortIncompleteMultipartUpload != nil {
			d[2] = aws.ToInt32(r.AbortIncompleteMultipartUpload.DaysAfterInitiation)
		}
		return d
	}
	class := func(r types.LifecycleRule) (c []types.TransitionStorageClass) {
		for _, t := range r.Transitions {
			c = append(c, t.StorageClass)
		}
		return c
	}
	return a.Status == b.Status && rulePrefix(a) == rulePrefix(b) && days(a) == days(b) && reflect.DeepEqual(class(a), class(b))
}

func rulePrefix(r types.LifecycleRule) string {
	if r.Filter != nil {
		return aws.ToString(r.Filter.Prefix)
	}
	return ""
}

// anySize lets small objects go to the cold classes too: by default S3 keeps
// those under 128 KiB where they are, whatever the rules say, and most archived
// pages are smaller.
const anySize = types.TransitionDefaultMinimumObjectSizeVariesByStorageClass

func (p *planner) lifecycle(b *model.Bucket, all []types.LifecycleRule) {
	p.step(func(ctx context.Context) error {
		_, err := p.st.Objects.PutBucketLifecycleConfiguration(ctx, &s3.PutBucketLifecycleConfigurationInput{
			Bucket: &b.Name, LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: all},
			TransitionDefaultMinimumObjectSize: anySize,
		})
		_, err = p.optional("the lifecycle of "+b.Name, err)
		return err
	}, "set the lifecycle of %s: %d rules", b.Name, len(all))
}

func rules(b *model.Bucket) []types.LifecycleRule {
	var all []types.LifecycleRule
	for _, r := range b.Lifecycle {
		rule := types.LifecycleRule{ID: aws.String(r.ID), Status: types.ExpirationStatusEnabled, Filter: &types.LifecycleRuleFilter{Prefix: aws.String(r.Prefix)}}
		if r.ColdAfter > 0 {
			rule.Transitions = []types.Transition{{Days: aws.Int32(int32(r.ColdAfter)), StorageClass: types.TransitionStorageClass(r.Class)}}
		}
		if r.ExpiresAfter > 0 {
			rule.Expiration = &types.LifecycleExpiration{Days: aws.Int32(int32(r.ExpiresAfter))}
		}
		if r.AbortAfter > 0 {
			rule.AbortIncompleteMultipartUpload = &types.AbortIncompleteMultipartUpload{DaysAfterInitiation: aws.Int32(int32(r.AbortAfter))}
		}
		all = append(all, rule)
	}
	return all
}
