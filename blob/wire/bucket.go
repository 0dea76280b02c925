package wire

import (
	"encoding/base64"
	"encoding/xml"
	"net/http"
	"strconv"
	"strings"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

const defaultRegion = "us-east-1"

func (r *request) listBuckets() error {
	limit := 10_000
	if r.has("max-buckets") {
		v := r.query.Get("max-buckets")
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > 10_000 {
			return fault.Argument("max-buckets", v, "Argument max-buckets must be an integer between 1 and 10000.")
		}
		limit = n
	}
	after := ""
	if token := r.query.Get("continuation-token"); token != "" {
		b, err := base64.URLEncoding.DecodeString(token)
		if err != nil {
			return fault.Argument("continuation-token", token, "The continuation token provided is incorrect")
		}
		after = string(b)
	}
	prefix := r.query.Get("prefix")
	d := newDoc("ListAllMyBucketsResult")
	r.owner(d, "Owner").begin("Buckets")
	n, last, more := 0, "", false
	for _, b := range r.h.store.Buckets() {
		if b.Name <= after || !strings.HasPrefix(b.Name, prefix) {
			continue
		}
		if region := r.query.Get("bucket-region"); region != "" && region != r.region(b) {
			continue
		}
		if n == limit {
			more = true
			break
		}
		d.begin("Bucket").text("Name", b.Name).time("CreationDate", b.Created).text("BucketRegion", r.region(b)).end()
		n, last = n+1, b.Name
	}
	d.end().opt("Prefix", prefix)
	if more {
		d.text("ContinuationToken", base64.URLEncoding.EncodeToString([]byte(last)))
	}
	return r.answer(d)
}

func (r *request) region(b *disk.Bucket) string {
	for _, region := range []string{b.Region, r.h.opt.Region} {
		if region != "" {
			return region
		}
	}
	return defaultRegion
}

type createConfig struct {
	XMLName  xml.Name `xml:"CreateBucketConfiguration"`
	Location string   `xml:"LocationConstraint"`
	Tags     *struct {
		Tags []struct {
			Key   string `xml:"Key"`
			Value string `xml:"Value"`
		} `xml:"Tag"`
	} `xml:"Tags"`
}

func (r *request) createBucket() error {
	want := disk.Bucket{Name: r.bucket, Docs: make(map[string][]byte)}
	if strings.EqualFold(r.header("X-Amz-Bucket-Object-Lock-Enabled"), "true") {
		want.Versioning, want.Lock = disk.Enabled, new(disk.Retention)
	}
	if err := r.bucketOptions(); err != nil {
		return err
	}
	body, err := r.readBody(maxConfig)
	if err != nil {
		return err
	}
	if len(body) > 0 {
		if err := r.readCreate(body, &want); err != nil {
			return err
		}
	}
	if want.Region == "" && r.who.sig != nil {
		want.Region = r.who.sig.Region
	}
	if _, err = r.h.store.CreateBucket(want); err != nil {
		return err
	}
	r.w.Header().Set("Location", "/"+r.bucket)
	r.w.Header().Set("x-amz-bucket-arn", "arn:aws:s3:::"+r.bucket)
	return r.status(http.StatusOK)
}

func (r *request) readCreate(body []byte, want *disk.Bucket) error {
	var c createConfig
	if err := parseXML(body, &c); err != nil {
		return err
	}
	if !r.validRegion(c.Location) {
		return fault.InvalidLocationConstraint.With("LocationConstraint", c.Location)
	}
	want.Region = c.Location
	if c.Tags == nil {
		return nil
	}
	var tags disk.Pairs
	for _, t := range c.Tags.Tags {
		tags = append(tags, disk.Pair{Name: t.Key, Value: t.Value})
	}
	if err := checkTags(tags, maxBucketTags); err != nil {
		return err
	}
	if len(tags) > 0 {
		want.Docs[taggingDoc] = tagDoc(tags).bytes()
	}
	return nil
}

// validRegion accepts the store's region, or, if it has none, any that looks
// like one.
func (r *request) validRegion(name string) bool {
	if name == "" {
		return true
	}
	if name == defaultRegion {
		return false // S3 has no name for it here
	}
	if name == r.h.opt.Region {
		return true
	}
	if r.h.opt.Region != "" {
		return false
	}
	return len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" || name == "EU"
}

// bucketOptions refuses the headers of CreateBucket that ask for more than a
// bucket here can be.
func (r *request) bucketOptions() error {
	if v := r.header("X-Amz-Object-Ownership"); v != "" {
		if err := checkOwnership(v, fault.InvalidArgument.Say("Invalid x-amz-object-ownership header: %s", v).With("ArgumentName", "x-amz-object-ownership")); err != nil {
			return err
		}
	}
	return r.bucketACLHeaders()
}

func (r *request) headBucket() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	r.w.Header().Set("x-amz-bucket-region", r.region(b))
	r.w.Header().Set("x-amz-access-point-alias", "false")
	return r.status(http.StatusOK)
}

func (r *request) deleteBucket() error {
	if err := r.h.store.DeleteBucket(r.bucket); err != nil {
		return err
	}
	return r.status(http.StatusNoContent)
}

func (r *request) getLocation() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	d := newDoc("LocationConstraint")
	if region := r.region(b); region != defaultRegion {
		d.b = appendXML(d.b, region) // us-east-1 is the empty one
	}
	return r.answer(d)
}

type versioning struct {
	XMLName   xml.Name `xml:"VersioningConfiguration"`
	Status    string   `xml:"Status"`
	MFADelete string   `xml:"MfaDelete"`
}

func (r *request) getVersioning() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	return r.answer(newDoc("VersioningConfiguration").opt("Status", b.Versioning))
}

func (r *request) putVersioning() error {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	var v versioning
	if err := r.readXML(&v, maxConfig); err != nil {
		return err
	}
	if v.MFADelete == "Enabled" {
		return fault.NotImplemented.With("Header", "MfaDelete")
	}
	if v.Status != disk.Enabled && v.Status != disk.Suspended {
		return fault.MalformedXML
	}
	err := r.h.store.UpdateBucket(r.bucket, func(b *disk.Bucket) error {
		if b.Lock != nil && v.Status != disk.Enabled {
			return fault.LockKeepsVersions
		}
		b.Versioning = v.Status
		return nil
	})
	if err != nil {
		return err
	}
	return r.status(http.StatusOK)
}
