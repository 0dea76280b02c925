package policy

import (
	"slices"
	"strings"
)

// The actions that this store knows, by what they apply to.
var (
	bucketActions = []string{
		"s3:CreateBucket", "s3:DeleteBucket", "s3:ListBucket", "s3:ListBucketVersions", "s3:ListBucketMultipartUploads",
		"s3:GetBucketLocation", "s3:GetBucketVersioning", "s3:PutBucketVersioning", "s3:GetLifecycleConfiguration",
		"s3:PutLifecycleConfiguration", "s3:GetBucketTagging", "s3:PutBucketTagging", "s3:GetBucketCORS", "s3:PutBucketCORS",
		"s3:GetBucketPolicy", "s3:PutBucketPolicy", "s3:DeleteBucketPolicy", "s3:GetBucketPolicyStatus", "s3:GetBucketAcl",
		"s3:PutBucketAcl", "s3:GetBucketOwnershipControls", "s3:PutBucketOwnershipControls", "s3:GetBucketPublicAccessBlock",
		"s3:PutBucketPublicAccessBlock", "s3:GetEncryptionConfiguration", "s3:PutEncryptionConfiguration",
		"s3:GetBucketRequestPayment", "s3:PutBucketRequestPayment", "s3:GetBucketLogging", "s3:PutBucketLogging",
		"s3:GetBucketNotification", "s3:PutBucketNotification", "s3:GetAccelerateConfiguration", "s3:PutAccelerateConfiguration",
		"s3:GetBucketWebsite", "s3:PutBucketWebsite", "s3:DeleteBucketWebsite", "s3:GetReplicationConfiguration",
		"s3:PutReplicationConfiguration", "s3:GetBucketObjectLockConfiguration", "s3:PutBucketObjectLockConfiguration",
		"s3:GetAnalyticsConfiguration", "s3:PutAnalyticsConfiguration", "s3:GetInventoryConfiguration",
		"s3:PutInventoryConfiguration", "s3:GetMetricsConfiguration", "s3:PutMetricsConfiguration",
		"s3:GetIntelligentTieringConfiguration", "s3:PutIntelligentTieringConfiguration",
	}
	objectActions = []string{
		"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:GetObjectVersion", "s3:DeleteObjectVersion",
		"s3:GetObjectAcl", "s3:PutObjectAcl", "s3:GetObjectVersionAcl", "s3:PutObjectVersionAcl",
		"s3:GetObjectTagging", "s3:PutObjectTagging", "s3:DeleteObjectTagging", "s3:GetObjectVersionTagging",
		"s3:PutObjectVersionTagging", "s3:DeleteObjectVersionTagging", "s3:GetObjectAttributes",
		"s3:GetObjectVersionAttributes", "s3:GetObjectRetention", "s3:PutObjectRetention", "s3:GetObjectLegalHold",
		"s3:PutObjectLegalHold", "s3:BypassGovernanceRetention", "s3:ListMultipartUploadParts", "s3:AbortMultipartUpload",
		"s3:RestoreObject",
	}
)

// checkActions refuses actions that S3 does not have.
func checkActions(actions texts) error {
	if len(actions) == 0 {
		return malformed("Policy has invalid action")
	}
	for _, a := range actions {
		if a != "*" && !appliesTo(a, bucketActions) && !appliesTo(a, objectActions) {
			return malformed("Policy has invalid action")
		}
	}
	return nil
}

func appliesTo(pattern string, actions []string) bool {
	return slices.ContainsFunc(actions, func(a string) bool { return match(strings.ToLower(pattern), strings.ToLower(a)) })
}

// checkPairs refuses a statement with an action that none of its resources can
// be the object of.
func checkPairs(actions, resources []string) error {
	onObjects := slices.ContainsFunc(resources, func(r string) bool { return strings.ContainsAny(r, "/*") })
	onBucket := slices.ContainsFunc(resources, func(r string) bool { return !strings.Contains(r, "/") })
	for _, a := range actions {
		if a == "*" {
			continue
		}
		if !(onObjects && appliesTo(a, objectActions)) && !(onBucket && appliesTo(a, bucketActions)) {
			return malformed("Action does not apply to any resource(s) in statement")
		}
	}
	return nil
}
