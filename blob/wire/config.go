package wire

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strings"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
	"pressroom/blob/lifecycle"
)

// The names under which a bucket keeps its configurations.
const (
	lifecycleDoc    = disk.LifecycleDoc
	taggingDoc      = "tagging"
	corsDoc         = "cors"
	policyDoc       = "policy"
	publicAccessDoc = "public-access-block"
	ownershipDoc    = "ownership" // "none" once the default is deleted
)

// getDoc answers a configuration as it is kept.
func (r *request) getDoc(name string, none *fault.Error) error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	doc, ok := b.Docs[name]
	if !ok {
		return none.With("BucketName", r.bucket)
	}
	return r.answerBytes("application/xml", doc)
}

func (r *request) putDoc(name string, doc []byte, status int) error {
	err := r.h.store.UpdateBucket(r.bucket, func(b *disk.Bucket) error {
		b.Docs[name] = doc
		return nil
	})
	if err != nil {
		return err
	}
	return r.status(status)
}

// dropDoc deletes a configuration; none is fine.
func dropDoc(name string) func(*request) error {
	return func(r *request) error {
		err := r.h.store.UpdateBucket(r.bucket, func(b *disk.Bucket) error {
			delete(b.Docs, name)
			return nil
		})
		if err != nil {
			return err
		}
		return r.status(http.StatusNoContent)
	}
}

const minimumSizeHeader = "x-amz-transition-default-minimum-object-size"

func (r *request) getLifecycle() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	if _, ok := b.Docs[lifecycleDoc]; ok {
		size := "all_storage_classes_128K"
		if _, any := b.Docs[disk.AnySizeDoc]; any {
			size = "varies_by_storage_class"
		}
		r.w.Header().Set(minimumSizeHeader, size)
	}
	return r.getDoc(lifecycleDoc, fault.NoSuchLifecycle)
}

// readConfig reads a configuration of a bucket that is there.
func (r *request) readConfig() ([]byte, error) {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return nil, err
	}
	body, err := r.readBody(maxConfig)
	if err == nil && len(body) == 0 {
		err = fault.MissingRequestBody
	}
	return body, err
}

func (r *request) putLifecycle() error {
	body, err := r.readConfig()
	if err != nil {
		return err
	}
	c, err := lifecycle.Parse(body)
	if err != nil {
		return fault.MalformedXML.Because(err)
	}
	if err := c.Validate(); err != nil {
		return err
	}
	anySize := r.header(minimumSizeHeader)
	switch anySize {
	case "", "all_storage_classes_128K", "varies_by_storage_class":
	default:
		return fault.Argument(minimumSizeHeader, anySize, "Invalid TransitionDefaultMinimumObjectSize found: "+anySize)
	}
	kept, err := canonicalLifecycle(c)
	if err != nil {
		return err
	}
	err = r.h.store.UpdateBucket(r.bucket, func(b *disk.Bucket) error {
		b.Docs[lifecycleDoc] = kept
		delete(b.Docs, disk.AnySizeDoc)
		if anySize == "varies_by_storage_class" {
			b.Docs[disk.AnySizeDoc] = []byte{}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if anySize != "" {
		r.w.Header().Set(minimumSizeHeader, anySize)
	}
	return r.status(http.StatusOK)
}

// canonicalLifecycle writes the rules with the ids that Validate gave them.
func canonicalLifecycle(c *lifecycle.Config) ([]byte, error) {
	c.XMLName = xml.Name{Space: namespace, Local: "LifecycleConfiguration"}
	b, err := xml.Marshal(c)
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), b...), nil
}

func lifecycleView(o *disk.Object) *lifecycle.Object {
	return &lifecycle.Object{
		Key: o.Key, Size: o.Size, Class: o.Class, Modified: o.Modified,
		Tags: func(name string) (string, bool) {
			for _, t := range o.Tags {
				if t.Name == name {
					return t.Value, true
				}
			}
			return "", false
		},
	}
}

type publicAccess struct {
	XMLName               xml.Name `xml:"PublicAccessBlockConfiguration"`
	BlockPublicAcls       bool     `xml:"BlockPublicAcls"`
	IgnorePublicAcls      bool     `xml:"IgnorePublicAcls"`
	BlockPublicPolicy     bool     `xml:"BlockPublicPolicy"`
	RestrictPublicBuckets bool     `xml:"RestrictPublicBuckets"`
}

func (r *request) getPublicAccessBlock() error {
	return r.getDoc(publicAccessDoc, fault.NoSuchPublicAccessBlock)
}

func (r *request) putPublicAccessBlock() error {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	var p publicAccess
	if err := r.readXML(&p, maxConfig); err != nil {
		return err
	}
	d := newDoc("PublicAccessBlockConfiguration").flag("BlockPublicAcls", p.BlockPublicAcls).
		flag("IgnorePublicAcls", p.IgnorePublicAcls).flag("BlockPublicPolicy", p.BlockPublicPolicy).
		flag("RestrictPublicBuckets", p.RestrictPublicBuckets)
	return r.putDoc(publicAccessDoc, d.bytes(), http.StatusOK)
}

func publicAccessOf(b *disk.Bucket) (*publicAccess, error) {
	p, err := disk.Memo(b, publicAccessDoc, func(doc []byte) (*publicAccess, error) {
		p := new(publicAccess)
		return p, xml.NewDecoder(bytes.NewReader(doc)).Decode(p)
	})
	if p == nil {
		p = new(publicAccess)
	}
	return p, err
}

// getEncryption answers S3's default where the store is encrypted.
func (r *request) getEncryption() error {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	if !r.h.opt.Encrypted {
		return (&fault.Error{Status: http.StatusNotFound, Code: "ServerSideEncryptionConfigurationNotFoundError",
			Message: "The server side encryption configuration was not found"}).With("BucketName", r.bucket)
	}
	d := newDoc("ServerSideEncryptionConfiguration").begin("Rule").begin("ApplyServerSideEncryptionByDefault").
		text("SSEAlgorithm", "AES256").end().flag("BucketKeyEnabled", false)
	return r.answer(d)
}

// putObjectLock refuses: no bucket here has Object Lock.
func (r *request) putObjectLock() error {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	if _, err := r.openPayload(); err != nil {
		return err
	}
	return fault.NotImplemented.With("Header", "object-lock")
}

// noObjectLock answers as S3 does in a bucket without Object Lock.
func (r *request) noObjectLock() error {
	if _, err := r.h.store.Head(r.bucket, r.key, r.query.Get("versionId")); err != nil {
		return r.readError(err)
	}
	return fault.ObjectLockMissing.Say("Bucket is missing Object Lock Configuration")
}

func trimmed(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, strings.TrimSpace(s))
	}
	return out
}
