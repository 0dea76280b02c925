package wire

import (
	"net/http"
	"slices"
	"strings"

	"pressroom/blob/fault"
)

type level int

const (
	service level = iota
	bucketLevel
	objectLevel
)

func (l level) String() string { return [...]string{"SERVICE", "BUCKET", "OBJECT"}[l] }

// An op is one operation of S3: how it is recognised, the permission that it
// needs, and what it does.
type op struct {
	name   string // as the API Reference calls it
	method string
	level  level
	sub    string // the query parameter that tells it from the others; "" is the one without
	action string // as policies name it
	run    func(*request) error
}

// ops is every operation that is served. Among those of a method and level,
// the first whose parameter the query has is meant.
var ops []op

func init() {
	ops = []op{
		{"ListBuckets", "GET", service, "", "s3:ListAllMyBuckets", (*request).listBuckets},

		{"GetBucketLocation", "GET", bucketLevel, "location", "s3:GetBucketLocation", (*request).getLocation},
		{"GetBucketVersioning", "GET", bucketLevel, "versioning", "s3:GetBucketVersioning", (*request).getVersioning},
		{"GetBucketLifecycleConfiguration", "GET", bucketLevel, "lifecycle", "s3:GetLifecycleConfiguration", (*request).getLifecycle},
		{"GetBucketTagging", "GET", bucketLevel, "tagging", "s3:GetBucketTagging", (*request).getBucketTagging},
		{"GetBucketCors", "GET", bucketLevel, "cors", "s3:GetBucketCORS", (*request).getCORS},
		{"GetBucketPolicy", "GET", bucketLevel, "policy", "s3:GetBucketPolicy", (*request).getPolicy},
		{"GetBucketPolicyStatus", "GET", bucketLevel, "policyStatus", "s3:GetBucketPolicyStatus", (*request).getPolicyStatus},
		{"GetBucketAcl", "GET", bucketLevel, "acl", "s3:GetBucketAcl", (*request).getACL},
		{"GetBucketOwnershipControls", "GET", bucketLevel, "ownershipControls", "s3:GetBucketOwnershipControls", (*request).getOwnership},
		{"GetPublicAccessBlock", "GET", bucketLevel, "publicAccessBlock", "s3:GetBucketPublicAccessBlock", (*request).getPublicAccessBlock},
		{"GetBucketEncryption", "GET", bucketLevel, "encryption", "s3:GetEncryptionConfiguration", (*request).getEncryption},
		{"GetBucketRequestPayment", "GET", bucketLevel, "requestPayment", "s3:GetBucketRequestPayment", fixed("RequestPaymentConfiguration", "Payer", "BucketOwner")},
		{"GetBucketLogging", "GET", bucketLevel, "logging", "s3:GetBucketLogging", fixed("BucketLoggingStatus", "", "")},
		{"GetBucketNotificationConfiguration", "GET", bucketLevel, "notification", "s3:GetBucketNotification", fixed("NotificationConfiguration", "", "")},
		{"GetBucketAccelerateConfiguration", "GET", bucketLevel, "accelerate", "s3:GetAccelerateConfiguration", fixed("AccelerateConfiguration", "", "")},
		{"GetBucketWebsite", "GET", bucketLevel, "website", "s3:GetBucketWebsite", absent(fault.NoSuchWebsite)},
		{"GetBucketReplication", "GET", bucketLevel, "replication", "s3:GetReplicationConfiguration", absent(fault.NoReplication)},
		{"GetObjectLockConfiguration", "GET", bucketLevel, "object-lock", "s3:GetBucketObjectLockConfiguration", (*request).getObjectLock},
		{"ListMultipartUploads", "GET", bucketLevel, "uploads", "s3:ListBucketMultipartUploads", (*request).listUploads},
		{"ListObjectVersions", "GET", bucketLevel, "versions", "s3:ListBucketVersions", (*request).listVersions},
		{"ListObjectsV2", "GET", bucketLevel, "list-type", "s3:ListBucket", (*request).listObjectsV2},
		{"ListObjects", "GET", bucketLevel, "", "s3:ListBucket", (*request).listObjects},
		{"HeadBucket", "HEAD", bucketLevel, "", "s3:ListBucket", (*request).headBucket},

		{"PutBucketVersioning", "PUT", bucketLevel, "versioning", "s3:PutBucketVersioning", (*request).putVersioning},
		{"PutBucketLifecycleConfiguration", "PUT", bucketLevel, "lifecycle", "s3:PutLifecycleConfiguration", (*request).putLifecycle},
		{"PutBucketTagging", "PUT", bucketLevel, "tagging", "s3:PutBucketTagging", (*request).putBucketTagging},
		{"PutBucketCors", "PUT", bucketLevel, "cors", "s3:PutBucketCORS", (*request).putCORS},
		{"PutBucketPolicy", "PUT", bucketLevel, "policy", "s3:PutBucketPolicy", (*request).putPolicy},
		{"PutBucketAcl", "PUT", bucketLevel, "acl", "s3:PutBucketAcl", (*request).putBucketACL},
		{"PutBucketOwnershipControls", "PUT", bucketLevel, "ownershipControls", "s3:PutBucketOwnershipControls", (*request).putOwnership},
		{"PutPublicAccessBlock", "PUT", bucketLevel, "publicAccessBlock", "s3:PutBucketPublicAccessBlock", (*request).putPublicAccessBlock},
		{"PutBucketEncryption", "PUT", bucketLevel, "encryption", "s3:PutEncryptionConfiguration", (*request).putEncryption},
		{"PutObjectLockConfiguration", "PUT", bucketLevel, "object-lock", "s3:PutBucketObjectLockConfiguration", (*request).putObjectLock},
		{"CreateBucket", "PUT", bucketLevel, "", "s3:CreateBucket", (*request).createBucket},

		{"DeleteBucketLifecycle", "DELETE", bucketLevel, "lifecycle", "s3:PutLifecycleConfiguration", dropDoc(lifecycleDoc)},
		{"DeleteBucketTagging", "DELETE", bucketLevel, "tagging", "s3:PutBucketTagging", dropDoc(taggingDoc)},
		{"DeleteBucketCors", "DELETE", bucketLevel, "cors", "s3:PutBucketCORS", dropDoc(corsDoc)},
		{"DeleteBucketEncryption", "DELETE", bucketLevel, "encryption", "s3:PutEncryptionConfiguration", dropDoc(encryptionDoc)},
		{"DeleteBucketPolicy", "DELETE", bucketLevel, "policy", "s3:DeleteBucketPolicy", dropDoc(policyDoc)},
		{"DeleteBucketOwnershipControls", "DELETE", bucketLevel, "ownershipControls", "s3:PutBucketOwnershipControls", (*request).deleteOwnership},
		{"DeletePublicAccessBlock", "DELETE", bucketLevel, "publicAccessBlock", "s3:PutBucketPublicAccessBlock", dropDoc(publicAccessDoc)},
		{"DeleteBucket", "DELETE", bucketLevel, "", "s3:DeleteBucket", (*request).deleteBucket},

		{"DeleteObjects", "POST", bucketLevel, "delete", "s3:DeleteObject", (*request).deleteObjects},
		{"PostObject", "POST", bucketLevel, "", "s3:PutObject", (*request).postObject},

		{"GetObjectAcl", "GET", objectLevel, "acl", "s3:GetObjectAcl", (*request).getACL},
		{"GetObjectTagging", "GET", objectLevel, "tagging", "s3:GetObjectTagging", (*request).getObjectTagging},
		{"GetObjectAttributes", "GET", objectLevel, "attributes", "s3:GetObjectAttributes", (*request).getAttributes},
		{"GetObjectRetention", "GET", objectLevel, "retention", "s3:GetObjectRetention", (*request).getRetention},
		{"GetObjectLegalHold", "GET", objectLevel, "legal-hold", "s3:GetObjectLegalHold", (*request).getLegalHold},
		{"ListParts", "GET", objectLevel, "uploadId", "s3:ListMultipartUploadParts", (*request).listParts},
		{"GetObject", "GET", objectLevel, "", "s3:GetObject", (*request).getObject},
		{"HeadObject", "HEAD", objectLevel, "", "s3:GetObject", (*request).getObject},

		{"PutObjectAcl", "PUT", objectLevel, "acl", "s3:PutObjectAcl", (*request).putObjectACL},
		{"PutObjectTagging", "PUT", objectLevel, "tagging", "s3:PutObjectTagging", (*request).putObjectTagging},
		{"PutObjectRetention", "PUT", objectLevel, "retention", "s3:PutObjectRetention", (*request).putRetention},
		{"PutObjectLegalHold", "PUT", objectLevel, "legal-hold", "s3:PutObjectLegalHold", (*request).putLegalHold},
		{"UploadPart", "PUT", objectLevel, "partNumber", "s3:PutObject", (*request).putPart},
		{"PutObject", "PUT", objectLevel, "", "s3:PutObject", (*request).putObject},

		{"DeleteObjectTagging", "DELETE", objectLevel, "tagging", "s3:DeleteObjectTagging", (*request).deleteObjectTagging},
		{"AbortMultipartUpload", "DELETE", objectLevel, "uploadId", "s3:AbortMultipartUpload", (*request).abortUpload},
		{"DeleteObject", "DELETE", objectLevel, "", "s3:DeleteObject", (*request).deleteObject},

		{"CreateMultipartUpload", "POST", objectLevel, "uploads", "s3:PutObject", (*request).createUpload},
		{"CompleteMultipartUpload", "POST", objectLevel, "uploadId", "s3:PutObject", (*request).completeUpload},
		{"RestoreObject", "POST", objectLevel, "restore", "s3:RestoreObject", (*request).restoreObject},
	}
}

// notServed are the sub-resources of S3 that this store does not have, where
// the table above has no answer.
var notServed = []string{
	"accelerate", "analytics", "intelligent-tiering", "inventory", "logging", "metadataTable",
	"metadataConfiguration", "metrics", "notification", "object-lock", "publicAccessBlock", "replication",
	"requestPayment", "select", "session", "torrent", "website", "renameObject", "annotation",
}

func (r *request) route() error {
	l := objectLevel
	switch {
	case r.bucket == "" && r.key != "":
		return fault.InvalidBucketName.With("BucketName", "")
	case r.bucket == "":
		l = service
	case r.key == "":
		l = bucketLevel
	}
	if r.Method == http.MethodOptions {
		return nil
	}
	if err := r.misdirected(l); err != nil {
		return err
	}
	for i := range ops {
		o := &ops[i]
		if o.method != r.Method || o.level != l {
			continue
		}
		if o.sub != "" && r.has(o.sub) {
			r.op = o
			return nil
		}
		if o.sub == "" {
			if l != service && slices.ContainsFunc(notServed, r.has) {
				return r.notServed()
			}
			r.op = o
			return nil
		}
	}
	if l != service && slices.ContainsFunc(notServed, r.has) {
		return r.notServed()
	}
	return fault.MethodNotAllowed.With("Method", r.Method).With("ResourceType", l.String())
}

// notServed answers a sub-resource that this store does not have. Nobody has
// to know who asks.
func (r *request) notServed() error {
	if r.h.opt.Secret != nil && !r.signed() && !trusted(r.Context()) {
		return fault.Anonymous
	}
	return fault.NotImplemented
}

// misdirected refuses what S3 refuses by the request's form alone.
func (r *request) misdirected(l level) error {
	if src := r.Header.Get("X-Amz-Copy-Source"); src != "" && l != service && r.Method != http.MethodPut &&
		(r.Method != http.MethodPost || r.has("uploadId")) {
		return fault.Argument("x-amz-copy-source", src, "You can only specify a copy source header for copy requests.")
	}
	if l != objectLevel {
		return nil
	}
	switch {
	case r.Method == http.MethodPut && r.has("partNumber") && !r.has("uploadId"):
		return fault.Argument("partNumber", "partNumber", "This operation does not accept partNumber without uploadId")
	case r.Method == http.MethodPut && r.has("uploadId") && !r.has("partNumber"):
		return fault.MethodNotAllowed.With("Method", r.Method).With("ResourceType", "UPLOAD").
			WithHeader("Allow", "DELETE, POST, GET")
	case r.Method == http.MethodGet && r.has("uploads"):
		return fault.InvalidRequest.Say("Key is not expected for the GET method ?uploads subresource")
	case r.Method == http.MethodGet && r.has("versions"):
		return fault.InvalidRequest.Say("There is no such thing as the ?versions sub-resource for a key")
	case r.Method == http.MethodPost && !slices.ContainsFunc([]string{"uploads", "uploadId", "restore", "select"}, r.has):
		return fault.MethodNotAllowed.With("Method", r.Method).With("ResourceType", "SERVICE")
	}
	return nil
}

// fixed answers a configuration that is the same for every bucket.
func fixed(root, element, value string) func(*request) error {
	return func(r *request) error {
		if _, err := r.h.store.Bucket(r.bucket); err != nil {
			return err
		}
		return r.answer(newDoc(root).opt(element, value))
	}
}

// absent answers that a bucket has no such configuration.
func absent(e *fault.Error) func(*request) error {
	return func(r *request) error {
		if _, err := r.h.store.Bucket(r.bucket); err != nil {
			return err
		}
		return e.With("BucketName", r.bucket)
	}
}

// isConfig reports whether the operation takes a configuration as its body.
func (o *op) isConfig() bool {
	return o.method == http.MethodPut && o.sub != "" && o.sub != "partNumber" && !strings.HasPrefix(o.name, "UploadPart")
}
