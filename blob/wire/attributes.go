package wire

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

// contentHeaders are kept with an object and sent back as they came.
var contentHeaders = []string{
	"Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Type", "Expires",
	"X-Amz-Website-Redirect-Location",
}

const (
	defaultType = "binary/octet-stream"
	maxMeta     = 2048
	metaPrefix  = "X-Amz-Meta-"
	redirectTo  = "X-Amz-Website-Redirect-Location"
)

// attributes reads what headers say of an object to be.
func (r *request) attributes() (*disk.Object, error) {
	if err := r.refuseUnsupported(); err != nil {
		return nil, err
	}
	o := &disk.Object{Key: r.key}
	var err error
	if o.Header, o.Meta, err = readHeaders(r.Header); err != nil {
		return nil, err
	}
	if o.Tags, err = r.taggingHeader(); err != nil {
		return nil, err
	}
	if o.Lock, err = r.lockHeaders(); err != nil {
		return nil, err
	}
	o.Class, err = storageClass(r.header("X-Amz-Storage-Class"))
	return o, err
}

// readHeaders reads content headers and user metadata.
func readHeaders(h http.Header) (header, meta disk.Pairs, err error) {
	for _, name := range contentHeaders {
		v := strings.Join(h.Values(name), ",")
		if name == "Content-Encoding" {
			v = withoutChunked(v)
		}
		if name == "Content-Type" && v == "" {
			v = defaultType
		}
		if v != "" {
			header = append(header, disk.Pair{Name: name, Value: v})
		}
	}
	if to := header.Get(redirectTo); to != "" && !strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "http://") && !strings.HasPrefix(to, "https://") {
		return nil, nil, fault.InvalidRedirect
	}
	size := 0
	for name, values := range h {
		if !strings.HasPrefix(name, metaPrefix) {
			continue
		}
		p := disk.Pair{Name: strings.ToLower(name[len(metaPrefix):]), Value: strings.Join(values, ",")}
		size += len(p.Name) + len(p.Value)
		meta = append(meta, p)
	}
	if size > maxMeta {
		return nil, nil, fault.MetadataTooLarge.With("Size", strconv.Itoa(size)).With("MaxSizeAllowed", strconv.Itoa(maxMeta))
	}
	return header, meta.Sorted(), nil
}

// withoutChunked removes aws-chunked, which is of the transfer and not of the
// object.
func withoutChunked(encoding string) string {
	var keep []string
	for _, e := range strings.Split(encoding, ",") {
		if name := strings.TrimSpace(e); name != "" && !strings.EqualFold(name, "aws-chunked") {
			keep = append(keep, e)
		}
	}
	return strings.TrimSpace(strings.Join(keep, ","))
}

func storageClass(name string) (string, error) {
	switch {
	case name == "" || name == "STANDARD":
		return "", nil
	case slices.Contains(disk.Classes, name):
		return name, nil
	}
	return "", fault.InvalidStorageClass.With("StorageClassRequested", name)
}

// refuseUnsupported refuses headers whose silent neglect would deceive.
func (r *request) refuseUnsupported() error {
	for _, name := range []string{"X-Amz-Server-Side-Encryption-Customer-Algorithm", "X-Amz-Copy-Source-Server-Side-Encryption-Customer-Algorithm",
		"X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id", "X-Amz-Write-Offset-Bytes"} {
		if r.Header.Get(name) != "" {
			return fault.NotImplemented.With("Header", name)
		}
	}
	if v := r.header("X-Amz-Server-Side-Encryption"); v != "" && v != "AES256" {
		return fault.NotImplemented.With("Header", "x-amz-server-side-encryption")
	}
	return r.refuseACL()
}

// refuseACL accepts the access control lists that change nothing: the
// bucket's owner owns and rules its objects.
func (r *request) refuseACL() error {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Amz-Grant-") {
			return fault.AccessControlListNotSupported
		}
	}
	switch r.header("X-Amz-Acl") {
	case "", "private", "bucket-owner-full-control":
		return nil
	}
	return fault.AccessControlListNotSupported
}

// taggingHeader reads x-amz-tagging, a query string of tags.
func (r *request) taggingHeader() (disk.Pairs, error) {
	v := r.header("X-Amz-Tagging")
	if v == "" {
		return nil, nil
	}
	bad := fault.Argument("x-amz-tagging", v, "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.")
	var tags disk.Pairs
	for _, kv := range strings.Split(v, "&") {
		if kv == "" {
			continue
		}
		k, val, _ := strings.Cut(kv, "=")
		name, err1 := url.QueryUnescape(k)
		value, err2 := url.QueryUnescape(val)
		if err1 != nil || err2 != nil || name == "" || !utf8.ValidString(name+value) {
			return nil, bad
		}
		for _, t := range tags {
			if t.Name == name {
				return nil, bad
			}
		}
		tags = append(tags, disk.Pair{Name: name, Value: value})
	}
	return tags, checkTags(tags, maxObjectTags)
}

// objectHeaders sends an object's attributes.
func (r *request) objectHeaders(b *disk.Bucket, o *disk.Object) {
	h := r.w.Header()
	h.Set("Accept-Ranges", "bytes")
	h.Set("ETag", quote(o.ETag))
	h.Set("Last-Modified", o.Modified.Format(http.TimeFormat))
	for _, p := range o.Header {
		h.Set(p.Name, p.Value)
	}
	for _, p := range o.Meta {
		h["x-amz-meta-"+p.Name] = []string{p.Value} // in lower case: clients keep the case of these
	}
	if len(o.Tags) > 0 {
		h.Set("x-amz-tagging-count", strconv.Itoa(len(o.Tags)))
	}
	if o.Class != "" {
		h.Set("x-amz-storage-class", o.Class)
	}
	if o.Restored() {
		h.Set("x-amz-restore", `ongoing-request="false", expiry-date="`+o.RestoredUntil.Format(http.TimeFormat)+`"`)
	}
	if o.Lock.Mode != "" {
		h.Set("x-amz-object-lock-mode", o.Lock.Mode)
		h.Set("x-amz-object-lock-retain-until-date", o.Lock.Until.Format(lockTime))
	}
	if o.Lock.Hold != "" {
		h.Set("x-amz-object-lock-legal-hold", o.Lock.Hold)
	}
	r.versionHeader(b, o)
	r.encryptionHeader()
	if o.Latest {
		r.expirationHeader(b, o)
	}
}

// overrides applies the response-* parameters, which only signed requests
// may have.
func (r *request) overrides() error {
	names := map[string]string{
		"response-cache-control": "Cache-Control", "response-content-disposition": "Content-Disposition",
		"response-content-encoding": "Content-Encoding", "response-content-language": "Content-Language",
		"response-content-type": "Content-Type", "response-expires": "Expires",
	}
	for param, header := range names {
		v := r.query.Get(param)
		if v == "" {
			continue
		}
		if r.isAnonymous() {
			return fault.UnsignedResponseHeaders
		}
		r.w.Header().Set(header, v)
	}
	return nil
}
