package wire

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

// Buckets here are as new buckets of S3 are: access control lists are off
// (BucketOwnerEnforced), the owner owns every object, and policies say who
// else may read.

const enforced = "BucketOwnerEnforced"

func (r *request) getACL() error {
	if r.key != "" {
		if _, err := r.h.store.Head(r.bucket, r.key, r.query.Get("versionId")); err != nil {
			return r.readError(err)
		}
	} else if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	d := newDoc("AccessControlPolicy")
	r.owner(d, "Owner")
	d.begin("AccessControlList").begin("Grant")
	d.b = append(d.b, `<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser">`...)
	d.text("ID", r.h.opt.Owner).text("DisplayName", r.h.opt.Owner)
	d.b = append(d.b, "</Grantee>"...)
	d.text("Permission", "FULL_CONTROL")
	return r.answer(d)
}

var cannedACLs = []string{
	"private", "public-read", "public-read-write", "authenticated-read", "aws-exec-read",
	"bucket-owner-read", "bucket-owner-full-control", "log-delivery-write",
}

// bucketACLHeaders reads the ACL headers of CreateBucket.
func (r *request) bucketACLHeaders() error {
	acl := r.header("X-Amz-Acl")
	if acl != "" && !slices.Contains(cannedACLs, acl) {
		return fault.Argument("x-amz-acl", acl, "")
	}
	grants := false
	for name := range r.Header {
		grants = grants || strings.HasPrefix(name, "X-Amz-Grant-")
	}
	if acl != "" && grants {
		return fault.InvalidRequest.Say("Specifying both Canned ACLs and Header Grants is not allowed.")
	}
	if grants || acl != "" && acl != "private" {
		return fault.InvalidBucketACL
	}
	return nil
}

func (r *request) putBucketACL() error {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	if err := r.refuseACL(); err != nil {
		return err
	}
	if r.header("X-Amz-Acl") == "" {
		return fault.AccessControlListNotSupported
	}
	return r.status(http.StatusOK)
}

func (r *request) putObjectACL() error {
	if _, err := r.h.store.Head(r.bucket, r.key, r.query.Get("versionId")); err != nil {
		return r.readError(err)
	}
	if acl := r.header("X-Amz-Acl"); acl != "private" && acl != "bucket-owner-full-control" {
		return fault.AccessControlListNotSupported
	}
	return r.status(http.StatusOK)
}

type ownership struct {
	XMLName xml.Name `xml:"OwnershipControls"`
	Rules   []struct {
		Ownership string `xml:"ObjectOwnership"`
	} `xml:"Rule"`
}

func (r *request) getOwnership() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	if _, deleted := b.Docs[ownershipDoc]; deleted {
		return fault.OwnershipControlsNotFound.With("BucketName", r.bucket)
	}
	return r.answer(newDoc("OwnershipControls").begin("Rule").text("ObjectOwnership", enforced))
}

func (r *request) putOwnership() error {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	var o ownership
	if err := r.readXML(&o, maxConfig); err != nil {
		return err
	}
	if len(o.Rules) != 1 {
		return fault.MalformedXML
	}
	if err := checkOwnership(o.Rules[0].Ownership, fault.MalformedXML); err != nil {
		return err
	}
	err := r.h.store.UpdateBucket(r.bucket, func(b *disk.Bucket) error {
		delete(b.Docs, ownershipDoc)
		return nil
	})
	if err != nil {
		return err
	}
	return r.status(http.StatusOK)
}

func checkOwnership(v string, unknown *fault.Error) error {
	switch v {
	case enforced:
		return nil
	case "BucketOwnerPreferred", "ObjectWriter":
		return fault.NotImplemented.Say("Access control lists are not implemented: objects belong to the bucket's owner.")
	}
	return unknown
}

// deleteOwnership makes a bucket tell nothing of who owns its objects; that
// stays the bucket's owner.
func (r *request) deleteOwnership() error {
	return r.putDoc(ownershipDoc, []byte("none"), http.StatusNoContent)
}
