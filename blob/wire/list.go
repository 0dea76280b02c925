package wire

import (
	"encoding/base64"
	"strconv"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

const maxPage = 1000

// limit reads a page size. S3 serves at most a thousand whatever is asked.
func (r *request) limit(name string) (int, error) {
	v := r.query.Get(name)
	if v == "" {
		return maxPage, nil
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil {
		return 0, fault.Argument(name, v, "Provided "+name+" not an integer or within integer range")
	}
	if n < 0 {
		return 0, fault.Argument(name, v, "Argument "+v+" must be an integer between 0 and 2147483647")
	}
	return min(int(n), maxPage), nil
}

// encoder returns how keys are written: as they are, or URL-encoded.
func (r *request) encoder() (func(string) string, error) {
	switch v := r.query.Get("encoding-type"); v {
	case "":
		return func(s string) string { return s }, nil
	case "url":
		return escapePath, nil
	default:
		return nil, fault.Argument("encoding-type", v, "Invalid Encoding Method specified in Request")
	}
}

// listing is what the list operations have in common.
type listing struct {
	bucket *disk.Bucket
	q      disk.Query
	enc    func(string) string
}

func (r *request) listing(limitName string) (*listing, error) {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return nil, err
	}
	l := &listing{bucket: b}
	if l.enc, err = r.encoder(); err != nil {
		return nil, err
	}
	l.q = disk.Query{Prefix: r.query.Get("prefix"), Delimiter: r.query.Get("delimiter")}
	l.q.Max, err = r.limit(limitName)
	return l, err
}

func (r *request) listObjects() error {
	l, err := r.listing("max-keys")
	if err != nil {
		return err
	}
	l.q.After = r.query.Get("marker")
	page, err := r.h.store.List(r.bucket, l.q)
	if err != nil {
		return err
	}
	d := newDoc("ListBucketResult").text("Name", r.bucket).text("Prefix", l.enc(l.q.Prefix)).
		text("Marker", l.enc(l.q.After)).num("MaxKeys", int64(l.q.Max)).opt("Delimiter", l.enc(l.q.Delimiter)).
		opt("EncodingType", r.query.Get("encoding-type")).flag("IsTruncated", page.Truncated)
	if page.Truncated {
		d.text("NextMarker", l.enc(page.Next))
	}
	r.contents(d, l, page, true)
	return r.answer(d)
}

func (r *request) listObjectsV2() error {
	l, err := r.listing("max-keys")
	if err != nil {
		return err
	}
	startAfter := r.query.Get("start-after")
	token := r.query.Get("continuation-token")
	l.q.After = startAfter
	if r.has("continuation-token") {
		b, err := base64.URLEncoding.DecodeString(token)
		if err != nil || len(b) == 0 {
			return fault.Argument("continuation-token", token, "The continuation token provided is incorrect")
		}
		l.q.After = string(b)
	}
	page, err := r.h.store.List(r.bucket, l.q)
	if err != nil {
		return err
	}
	d := newDoc("ListBucketResult").text("Name", r.bucket).text("Prefix", l.enc(l.q.Prefix)).
		opt("StartAfter", l.enc(startAfter)).opt("ContinuationToken", token).
		num("KeyCount", int64(len(page.Objects)+len(page.Prefixes))).num("MaxKeys", int64(l.q.Max)).
		opt("Delimiter", l.enc(l.q.Delimiter)).opt("EncodingType", r.query.Get("encoding-type")).
		flag("IsTruncated", page.Truncated)
	if page.Truncated {
		d.text("NextContinuationToken", base64.URLEncoding.EncodeToString([]byte(page.Next)))
	}
	r.contents(d, l, page, r.query.Get("fetch-owner") == "true")
	return r.answer(d)
}

// contents writes the objects and common prefixes of a page.
func (r *request) contents(d *doc, l *listing, page *disk.Page, owner bool) {
	for _, o := range page.Objects {
		d.begin("Contents").text("Key", l.enc(o.Key)).time("LastModified", o.Modified).text("ETag", quote(o.ETag))
		listSum(d, o.Sum)
		d.num("Size", o.Size).text("StorageClass", o.StorageClass())
		if owner {
			r.owner(d, "Owner")
		}
		d.end()
	}
	l.prefixes(d, page)
}

func (l *listing) prefixes(d *doc, page *disk.Page) {
	for _, p := range page.Prefixes {
		d.begin("CommonPrefixes").text("Prefix", l.enc(p)).end()
	}
}

func listSum(d *doc, s disk.Sum) {
	d.opt("ChecksumAlgorithm", string(s.Algorithm)).opt("ChecksumType", string(s.Type))
}

func (r *request) owner(d *doc, element string) *doc {
	return d.begin(element).text("ID", r.h.opt.Owner).text("DisplayName", r.h.opt.Owner).end()
}

func (r *request) listVersions() error {
	l, err := r.listing("max-keys")
	if err != nil {
		return err
	}
	l.q.After, l.q.AfterID = r.query.Get("key-marker"), r.query.Get("version-id-marker")
	if l.q.AfterID != "" && l.q.After == "" {
		return fault.Argument("version-id-marker", l.q.AfterID, "A version-id marker cannot be specified without a key marker.")
	}
	page, err := r.h.store.ListVersions(r.bucket, l.q)
	if err != nil {
		return err
	}
	d := newDoc("ListVersionsResult").text("Name", r.bucket).text("Prefix", l.enc(l.q.Prefix)).
		text("KeyMarker", l.enc(l.q.After)).text("VersionIdMarker", l.q.AfterID).num("MaxKeys", int64(l.q.Max)).
		opt("Delimiter", l.enc(l.q.Delimiter)).opt("EncodingType", r.query.Get("encoding-type")).
		flag("IsTruncated", page.Truncated)
	if page.Truncated {
		d.text("NextKeyMarker", l.enc(page.Next)).opt("NextVersionIdMarker", page.NextID)
	}
	for _, o := range page.Objects {
		r.version(d, l, o)
	}
	l.prefixes(d, page)
	return r.answer(d)
}

func (r *request) version(d *doc, l *listing, o *disk.Object) {
	if o.Marker {
		d.begin("DeleteMarker").text("Key", l.enc(o.Key)).text("VersionId", o.VersionID()).
			flag("IsLatest", o.Latest).time("LastModified", o.Modified)
		r.owner(d, "Owner").end()
		return
	}
	d.begin("Version").text("Key", l.enc(o.Key)).text("VersionId", o.VersionID()).flag("IsLatest", o.Latest).
		time("LastModified", o.Modified).text("ETag", quote(o.ETag))
	listSum(d, o.Sum)
	d.num("Size", o.Size).text("StorageClass", o.StorageClass())
	r.owner(d, "Owner").end()
}

func (r *request) listUploads() error {
	l, err := r.listing("max-uploads")
	if err != nil {
		return err
	}
	l.q.After = r.query.Get("key-marker")
	if l.q.After != "" {
		l.q.AfterID = r.query.Get("upload-id-marker") // without a key it means nothing
	}
	if l.q.AfterID != "" {
		if _, err := disk.ParseUploadID(l.q.AfterID); err != nil {
			return fault.Argument("upload-id-marker", l.q.AfterID, "Invalid uploadId marker")
		}
	}
	page, err := r.h.store.ListUploads(r.bucket, l.q)
	if err != nil {
		return err
	}
	d := newDoc("ListMultipartUploadsResult").text("Bucket", r.bucket).text("KeyMarker", l.enc(l.q.After)).
		text("UploadIdMarker", l.q.AfterID)
	if page.Truncated {
		d.text("NextKeyMarker", l.enc(page.Next)).opt("NextUploadIdMarker", page.NextID)
	}
	d.text("Prefix", l.enc(l.q.Prefix)).opt("Delimiter", l.enc(l.q.Delimiter)).num("MaxUploads", int64(l.q.Max)).
		opt("EncodingType", r.query.Get("encoding-type")).flag("IsTruncated", page.Truncated)
	for _, u := range page.Objects {
		d.begin("Upload").text("Key", l.enc(u.Key)).text("UploadId", u.Upload.String())
		r.owner(d, "Initiator")
		r.owner(d, "Owner")
		d.text("StorageClass", u.StorageClass()).time("Initiated", u.Modified)
		listSum(d, u.Sum)
		d.end()
	}
	l.prefixes(d, page)
	return r.answer(d)
}
