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
	encryptionDoc   = "encryption"
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

type encryption struct {
	XMLName xml.Name `xml:"ServerSideEncryptionConfiguration"`
	Rules   []struct {
		Default *struct {
			Algorithm string `xml:"SSEAlgorithm"`
			Key       string `xml:"KMSMasterKeyID"`
		} `xml:"ApplyServerSideEncryptionByDefault"`
		BucketKey bool `xml:"BucketKeyEnabled"`
		Blocked   *struct {
			Types []string `xml:"EncryptionType"`
		} `xml:"BlockedEncryptionTypes"`
	} `xml:"Rule"`
}

// getEncryption answers what was put, or the default of every bucket of S3.
func (r *request) getEncryption() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	if doc, ok := b.Docs[encryptionDoc]; ok {
		return r.answerBytes("application/xml", doc)
	}
	d := newDoc("ServerSideEncryptionConfiguration").begin("Rule").begin("ApplyServerSideEncryptionByDefault").
		text("SSEAlgorithm", "AES256").end().flag("BucketKeyEnabled", false)
	return r.answer(d)
}

// putEncryption keeps how new objects are to be encrypted. What encrypts is the
// key file of the whole store; the keys of AWS KMS are elsewhere, and refused.
func (r *request) putEncryption() error {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	var c encryption
	if err := r.readXML(&c, maxConfig); err != nil {
		return err
	}
	if len(c.Rules) != 1 {
		return fault.MalformedXML
	}
	d := newDoc("ServerSideEncryptionConfiguration").begin("Rule")
	if rule := c.Rules[0].Default; rule != nil {
		switch {
		case rule.Algorithm == "aws:kms" || rule.Algorithm == "aws:kms:dsse":
			return fault.NotImplemented.Say("Encryption with keys of AWS KMS is not implemented.")
		case rule.Algorithm != "AES256":
			return fault.MalformedXML
		case rule.Key != "":
			return fault.Argument("ApplyServerSideEncryptionByDefault", rule.Key, "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or aws:kms:dsse")
		}
		d.begin("ApplyServerSideEncryptionByDefault").text("SSEAlgorithm", rule.Algorithm).end()
	}
	d.flag("BucketKeyEnabled", c.Rules[0].BucketKey)
	if blocked := c.Rules[0].Blocked; blocked != nil {
		d.begin("BlockedEncryptionTypes")
		for _, t := range blocked.Types {
			d.text("EncryptionType", t)
		}
		d.end()
	}
	return r.putDoc(encryptionDoc, d.bytes(), http.StatusOK)
}

func trimmed(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, strings.TrimSpace(s))
	}
	return out
}
