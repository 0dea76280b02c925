package wire

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
	"pressroom/blob/policy"
)

// authorize decides whether the caller may do what the request asks. The owner
// may do all that no policy denies; anyone else what a policy allows.
func (r *request) authorize() error {
	if want := r.header("X-Amz-Expected-Bucket-Owner"); want != "" && want != r.h.opt.Owner {
		return fault.AccessDenied
	}
	if r.op.name == "PostObject" {
		return nil // its form says who it is
	}
	if err := r.neverAnonymous(); err != nil {
		return err
	}
	return r.allowed(r.action(), r.bucket, r.key)
}

// neverAnonymous refuses what no policy can give to everyone.
func (r *request) neverAnonymous() error {
	if !r.isAnonymous() {
		return nil
	}
	_, copies := r.Header["X-Amz-Copy-Source"]
	switch {
	case r.op.name == "CreateMultipartUpload":
		return fault.Anonymous.Say("Anonymous users cannot initiate multipart uploads. Please authenticate.")
	case r.op.name == "PutObject" && copies:
		return fault.Anonymous.Say("Anonymous users cannot copy objects. Please authenticate.")
	}
	return nil
}

// action names the permission; reading an older version has its own.
func (r *request) action() string {
	if r.has("versionId") {
		switch r.op.action {
		case "s3:GetObject", "s3:GetObjectTagging", "s3:GetObjectAttributes", "s3:DeleteObject":
			return versionAction[r.op.action]
		}
	}
	return r.op.action
}

var versionAction = map[string]string{
	"s3:GetObject": "s3:GetObjectVersion", "s3:GetObjectTagging": "s3:GetObjectVersionTagging",
	"s3:GetObjectAttributes": "s3:GetObjectVersionAttributes", "s3:DeleteObject": "s3:DeleteObjectVersion",
}

// policyActions are the owner's way out of a policy that denies everything.
var policyActions = map[string]bool{"s3:PutBucketPolicy": true, "s3:GetBucketPolicy": true, "s3:DeleteBucketPolicy": true}

func (r *request) allowed(action, bucket, key string) error {
	if bucket == "" {
		if r.isAnonymous() {
			return fault.AccessDenied
		}
		return nil
	}
	b, err := r.h.store.Bucket(bucket)
	if err != nil {
		if r.isAnonymous() && r.op.name == "CreateBucket" {
			return fault.Anonymous
		}
		return nil // the operation says so, in its own way
	}
	verdict, err := r.judge(b, action, key)
	if err != nil {
		return err
	}
	switch {
	case r.who.owner && policyActions[action]:
		return nil
	case verdict == policy.Deny:
		return fault.AccessDenied
	case r.who.owner || verdict == policy.Allow:
		return nil
	}
	return refuseAnonymous(action)
}

// refuseAnonymous says no in the words that S3 has for the action.
func refuseAnonymous(action string) error {
	switch action {
	case "s3:PutBucketAcl", "s3:PutObjectAcl":
		return fault.Anonymous
	case "s3:PutBucketOwnershipControls", "s3:GetBucketOwnershipControls":
		return fault.AccessDenied.Say("%s does not support Anonymous requests!", action)
	}
	return fault.AccessDenied
}

func (r *request) judge(b *disk.Bucket, action, key string) (policy.Verdict, error) {
	p, err := policyOf(b)
	if err != nil || p == nil {
		return policy.None, err
	}
	if block, err := publicAccessOf(b); err != nil || block.RestrictPublicBuckets && r.isAnonymous() {
		return policy.None, err
	}
	return p.Judge(action, key, r.conditionKey), nil
}

// conditionKey is what a policy's conditions can ask of the request.
func (r *request) conditionKey(key string) ([]string, bool) {
	one := func(v string, given bool) ([]string, bool) { return []string{v}, given }
	name := strings.TrimPrefix(key, "s3:")
	switch key {
	case "aws:sourceip":
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		return one(host, err == nil)
	case "aws:securetransport":
		return one(strconv.FormatBool(r.TLS != nil), true)
	case "aws:currenttime":
		return one(r.now().UTC().Format(time.RFC3339), true)
	case "aws:epochtime":
		return one(strconv.FormatInt(r.now().Unix(), 10), true)
	case "aws:referer", "aws:useragent":
		name = map[string]string{"aws:referer": "Referer", "aws:useragent": "User-Agent"}[key]
		return one(r.header(name), r.header(name) != "")
	case "s3:authtype", "s3:signatureversion":
		return r.signing(key)
	case "s3:prefix", "s3:delimiter", "s3:max-keys":
		return one(r.query.Get(name), r.has(name))
	case "s3:versionid":
		return one(r.query.Get("versionId"), r.has("versionId"))
	}
	return one(r.header(name), r.header(name) != "") // s3:x-amz-…
}

func (r *request) signing(key string) ([]string, bool) {
	sig := r.who.sig
	switch {
	case sig == nil:
		return nil, false
	case key == "s3:signatureversion" && r.has("AWSAccessKeyId"):
		return []string{"AWS"}, true
	case key == "s3:signatureversion":
		return []string{algorithm}, true
	case sig.Presigned:
		return []string{"REST-QUERY-STRING"}, true
	}
	return []string{"REST-HEADER"}, true
}

// hideAbsence tells only those who may list a bucket what it does not have.
func (r *request) hideAbsence(b *disk.Bucket, err error) error {
	if !r.isAnonymous() || !errors.Is(err, fault.NoSuchKey) {
		return err
	}
	if v, e := r.judge(b, "s3:ListBucket", ""); e != nil || v != policy.Allow {
		return fault.AccessDenied
	}
	return err
}

func policyOf(b *disk.Bucket) (*policy.Policy, error) {
	return disk.Memo(b, policyDoc, func(doc []byte) (*policy.Policy, error) { return policy.Parse(doc, b.Name) })
}

// maxPolicy is S3's limit.
const maxPolicy = 20 << 10

func (r *request) putPolicy() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	body, err := r.readBody(maxPolicy)
	if err != nil {
		return err
	}
	p, err := policy.Parse(bytes.TrimSpace(body), r.bucket)
	if err != nil {
		return err
	}
	block, err := publicAccessOf(b)
	if err != nil {
		return err
	}
	if block.BlockPublicPolicy && p.Public() {
		return fault.AccessDenied.Say("User is not authorized to perform: s3:PutBucketPolicy because public policies are prevented by the BlockPublicPolicy setting in S3 Block Public Access.")
	}
	return r.putDoc(policyDoc, body, http.StatusNoContent)
}

func (r *request) getPolicy() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	doc, ok := b.Docs[policyDoc]
	if !ok {
		return fault.NoSuchBucketPolicy.With("BucketName", r.bucket)
	}
	return r.answerBytes("application/json", doc)
}

func (r *request) getPolicyStatus() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	p, err := policyOf(b)
	if err != nil {
		return err
	}
	if p == nil {
		return fault.NoSuchBucketPolicy.With("BucketName", r.bucket)
	}
	return r.answer(newDoc("PolicyStatus").flag("IsPublic", p.Public()))
}
