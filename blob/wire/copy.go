package wire

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"pressroom/blob/checksum"
	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

// copySource is the object that x-amz-copy-source names.
type copySource struct{ bucket, key, version string }

// source reads x-amz-copy-source: [/]bucket/key[?versionId=…], URL-encoded.
func (r *request) source() (*copySource, error) {
	raw := r.Header.Get("X-Amz-Copy-Source")
	bad := func(message string) (*copySource, error) {
		return nil, fault.Argument("x-amz-copy-source", raw, message)
	}
	path, version, _ := strings.Cut(raw, "?versionId=")
	path, err := url.PathUnescape(strings.TrimPrefix(path, "/"))
	if err != nil {
		return bad("Invalid copy source encoding")
	}
	bucket, key, ok := strings.Cut(path, "/")
	switch {
	case !disk.ValidBucketName(bucket):
		return bad("Invalid copy source bucket name")
	case !ok || key == "" || len(key) > disk.MaxKey:
		return bad("Invalid copy source object key")
	}
	return &copySource{bucket, key, version}, nil
}

// openSource opens the source of a copy and checks its conditions.
func (r *request) openSource(src *copySource) (*disk.Handle, error) {
	if want := r.header("X-Amz-Source-Expected-Bucket-Owner"); want != "" && want != r.h.opt.Owner {
		return nil, fault.AccessDenied
	}
	if err := r.allowed("s3:GetObject", src.bucket, src.key); err != nil {
		return nil, err
	}
	h, err := r.h.store.Open(src.bucket, src.key, src.version)
	if err != nil {
		if e := fault.From(err); e.Code == fault.MethodNotAllowed.Code {
			return nil, fault.InvalidRequest.Say("The source of a copy request may not specifically refer to a delete marker by version id.")
		}
		return nil, err
	}
	pre := readPreconditions(r.Header, "X-Amz-Copy-Source-")
	pre.notModified = nil
	if err := pre.check(h.Object, r.now()); err != nil {
		h.Close()
		return nil, err
	}
	if h.Archived() {
		h.Close()
		return nil, fault.InvalidObjectState.Say("Operation is not valid for the source object's storage class")
	}
	return h, nil
}

func (r *request) copyObject() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	src, err := r.source()
	if err != nil {
		return err
	}
	o, err := r.attributes()
	if err != nil {
		return err
	}
	replaceMeta, err := r.directive("X-Amz-Metadata-Directive", "Unknown metadata directive.")
	if err != nil {
		return err
	}
	replaceTags, err := r.directive("X-Amz-Tagging-Directive", "Unknown tagging directive.")
	if err != nil {
		return err
	}
	algorithm, err := copyAlgorithm(r.header("X-Amz-Checksum-Algorithm"))
	if err != nil {
		return err
	}
	check, err := r.writeCheck()
	if err != nil {
		return err
	}
	h, err := r.openSource(src)
	if err != nil {
		return err
	}
	defer h.Close()
	if h.Size > disk.MaxPartSize {
		return fault.InvalidRequest.Say("The specified copy source is larger than the maximum allowable size for a copy source: %d", int64(disk.MaxPartSize))
	}
	itself := src.bucket == r.bucket && src.key == r.key && src.version == ""
	changes := replaceMeta || replaceTags || algorithm != "" || r.header("X-Amz-Storage-Class") != "" || o.Header.Get(redirectTo) != ""
	if itself && !changes {
		return fault.CopyToItself
	}
	inherit(o, h.Object, replaceMeta, replaceTags)
	if algorithm == "" {
		algorithm = h.Sum.Algorithm
	}
	if algorithm == "" {
		algorithm = checksum.CRC64NVME
	}
	if o, err = r.copyBody(h, o, algorithm, check); err != nil {
		return err
	}
	if srcBucket, err := r.h.store.Bucket(src.bucket); err == nil && srcBucket.Versioning != disk.Unversioned {
		r.w.Header().Set("x-amz-copy-source-version-id", h.VersionID())
	}
	r.versionHeader(b, o)
	r.encryptionHeader()
	r.expirationHeader(b, o)
	d := newDoc("CopyObjectResult").text("ETag", quote(o.ETag)).time("LastModified", o.Modified)
	return r.answer(sumElements(d, o.Sum))
}

func (r *request) directive(header, message string) (replace bool, err error) {
	switch v := r.header(header); v {
	case "", "COPY":
		return false, nil
	case "REPLACE":
		return true, nil
	default:
		return false, fault.Argument(strings.ToLower(header), v, message)
	}
}

func copyAlgorithm(name string) (checksum.Algorithm, error) {
	if name == "" {
		return "", nil
	}
	a, ok := checksum.Parse(name)
	if !ok {
		return "", fault.ChecksumAlgorithm
	}
	return a, nil
}

// inherit takes over from the source what the request does not replace. The
// redirect location and the storage class are never copied.
func inherit(o, src *disk.Object, replaceMeta, replaceTags bool) {
	if !replaceMeta {
		redirect := o.Header.Get(redirectTo)
		o.Header, o.Meta = nil, src.Meta
		for _, p := range src.Header {
			if p.Name != redirectTo {
				o.Header = append(o.Header, p)
			}
		}
		if redirect != "" {
			o.Header = append(o.Header, disk.Pair{Name: redirectTo, Value: redirect})
		}
	}
	if !replaceTags {
		o.Tags = src.Tags
	}
}

func (r *request) copyBody(h *disk.Handle, o *disk.Object, algorithm checksum.Algorithm, check disk.Check) (*disk.Object, error) {
	body, err := h.Reader(0, h.Size)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	st, err := r.h.store.Stage(r.Context(), body, disk.StageOptions{
		Size: h.Size, Class: o.Class, Sums: []checksum.Algorithm{algorithm},
	})
	if err != nil {
		return nil, err
	}
	o.ETag = hex.EncodeToString(st.MD5[:])
	o.Sum = disk.Sum{Algorithm: algorithm, Type: checksum.FullObject, Value: encodeSum(st, algorithm)}
	return r.h.store.PutObject(r.Context(), r.bucket, o, st, check)
}

// sumElements adds an object's checksum to an answer.
func sumElements(d *doc, s disk.Sum) *doc {
	if s.Algorithm == "" {
		return d
	}
	return d.text(s.Algorithm.Element(), s.Value).opt("ChecksumType", string(s.Type))
}

// copyPart is UploadPartCopy.
func (r *request) copyPart(u *disk.Object, n int, src *copySource) error {
	h, err := r.openSource(src)
	if err != nil {
		return err
	}
	defer h.Close()
	off, size, err := copyRange(r.header("X-Amz-Copy-Source-Range"), h.Size)
	if err != nil {
		return err
	}
	if size > disk.MaxPartSize {
		return fault.InvalidRequest.Say("The specified copy source is larger than the maximum allowable size for a copy source: %d", int64(disk.MaxPartSize))
	}
	body, err := h.Reader(off, size)
	if err != nil {
		return err
	}
	defer body.Close()
	algorithm := u.PartAlgorithm()
	st, err := r.h.store.Stage(r.Context(), body, disk.StageOptions{
		Size: size, Class: u.Class, File: true, Sums: []checksum.Algorithm{algorithm},
	})
	if err != nil {
		return err
	}
	p, err := r.h.store.PutPart(r.Context(), r.bucket, r.key, u.Upload.String(), n, st)
	if err != nil {
		return err
	}
	if srcBucket, err := r.h.store.Bucket(src.bucket); err == nil && srcBucket.Versioning != disk.Unversioned {
		r.w.Header().Set("x-amz-copy-source-version-id", h.VersionID())
	}
	r.encryptionHeader()
	d := newDoc("CopyPartResult").text("ETag", quote(p.ETag)).time("LastModified", p.Modified)
	if u.Sum.Algorithm != "" {
		d.text(algorithm.Element(), p.Sum.Value)
	}
	return r.answer(d)
}

// copyRange reads x-amz-copy-source-range, which must be bytes=first-last.
func copyRange(v string, size int64) (off, n int64, err error) {
	if v == "" {
		return 0, size, nil
	}
	bad := fault.Argument("x-amz-copy-source-range", v, "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy")
	spec, ok := strings.CutPrefix(v, "bytes=")
	first, last, dash := strings.Cut(spec, "-")
	if !ok || !dash {
		return 0, 0, bad
	}
	from, err1 := strconv.ParseUint(first, 10, 63)
	to, err2 := strconv.ParseUint(last, 10, 63)
	if err1 != nil || err2 != nil || to < from {
		return 0, 0, bad
	}
	if int64(to) >= size {
		return 0, 0, fault.Argument("x-amz-copy-source-range", fmt.Sprint(size),
			fmt.Sprintf("Range specified is not valid for source object of size: %d", size))
	}
	return int64(from), int64(to-from) + 1, nil
}
