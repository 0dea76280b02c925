package wire

import (
	"encoding/xml"
	"net/http"
	"strconv"
	"strings"

	"pressroom/blob/checksum"
	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

func (r *request) createUpload() error {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	o, err := r.attributes()
	if err != nil {
		return err
	}
	if o.Sum, err = r.uploadSum(); err != nil {
		return err
	}
	id, err := r.h.store.CreateUpload(r.bucket, o)
	if err != nil {
		return err
	}
	if o.Sum.Algorithm != "" {
		r.w.Header().Set("x-amz-checksum-algorithm", string(o.Sum.Algorithm))
		r.w.Header().Set("x-amz-checksum-type", string(o.Sum.Type))
	}
	r.encryptionHeader()
	return r.answer(newDoc("InitiateMultipartUploadResult").
		text("Bucket", r.bucket).text("Key", r.key).text("UploadId", id.String()))
}

// uploadSum reads what checksum the object is to have.
func (r *request) uploadSum() (disk.Sum, error) {
	name := r.header("X-Amz-Checksum-Algorithm")
	kind, err := r.sumType()
	if err != nil {
		return disk.Sum{}, err
	}
	if name == "" {
		if kind != "" {
			return disk.Sum{}, fault.ChecksumTypeAlone
		}
		return disk.Sum{}, nil
	}
	a, ok := checksum.Parse(name)
	if !ok {
		return disk.Sum{}, fault.ChecksumAlgorithm
	}
	t := a.DefaultType()
	if kind != "" {
		t = kind
	}
	if !a.Allows(t) {
		return disk.Sum{}, fault.InvalidRequest.Say("The %s checksum type cannot be used with the %s checksum algorithm.", t, strings.ToLower(string(a)))
	}
	return disk.Sum{Algorithm: a, Type: t}, nil
}

// sumType reads x-amz-checksum-type; "" if there is none.
func (r *request) sumType() (checksum.Type, error) {
	t := checksum.Type(strings.ToUpper(r.header("X-Amz-Checksum-Type")))
	if t != "" && t != checksum.FullObject && t != checksum.Composite {
		return "", fault.InvalidRequest.Say("Value for x-amz-checksum-type header is invalid.")
	}
	return t, nil
}

// putPart is UploadPart and UploadPartCopy.
func (r *request) putPart() error {
	n, err := r.partNumber()
	if err != nil {
		return err
	}
	if err := r.refuseUnsupported(); err != nil {
		return err
	}
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	var src *copySource
	if _, ok := r.Header["X-Amz-Copy-Source"]; ok {
		if src, err = r.source(); err != nil {
			return err
		}
	}
	u, err := r.h.store.Upload(r.bucket, r.key, r.query.Get("uploadId"))
	if err != nil {
		return err
	}
	if src != nil {
		return r.copyPart(u, n, src)
	}
	c, err := r.readClaims()
	if err != nil {
		return err
	}
	if err := agreeWithUpload(u, c); err != nil {
		return err
	}
	algorithm := u.PartAlgorithm()
	st, c, err := r.stage(disk.StageOptions{Class: u.Class, File: true}, algorithm)
	if err != nil {
		return err
	}
	shown := disk.Sum{}
	if c.algorithm != "" {
		shown = disk.Sum{Algorithm: c.algorithm, Value: encodeSum(st, c.algorithm)}
	} else if u.Sum.Algorithm != "" {
		shown = disk.Sum{Algorithm: algorithm, Value: encodeSum(st, algorithm)}
	}
	p, err := r.h.store.PutPart(r.Context(), r.bucket, r.key, u.Upload.String(), n, st)
	if err != nil {
		return err
	}
	r.w.Header().Set("ETag", quote(p.ETag))
	if shown.Algorithm != "" {
		r.w.Header().Set(shown.Algorithm.Header(), shown.Value)
	}
	r.encryptionHeader()
	return r.status(http.StatusOK)
}

// agreeWithUpload refuses a part whose checksum is not the upload's. Where
// the upload said nothing, any will do.
func agreeWithUpload(u *disk.Object, c claims) error {
	want := u.Sum.Algorithm
	switch {
	case want == "":
		return nil
	case c.algorithm == want:
		return nil
	case c.algorithm == "":
		if u.Sum.Type == checksum.FullObject {
			return nil
		}
		return mismatchedSum(want, "null")
	}
	return mismatchedSum(want, string(c.algorithm))
}

func mismatchedSum(want checksum.Algorithm, got string) error {
	return fault.InvalidRequest.Say("Checksum Type mismatch occurred, expected checksum Type: %s, actual checksum Type: %s",
		want, got)
}

func (r *request) partNumber() (int, error) {
	v := r.query.Get("partNumber")
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > disk.MaxPart {
		return 0, fault.Argument("partNumber", v, "Part number must be an integer between 1 and 10000, inclusive.")
	}
	return n, nil
}

func (r *request) listParts() error {
	limit, err := r.limit("max-parts")
	if err != nil {
		return err
	}
	after, err := r.partMarker()
	if err != nil {
		return err
	}
	parts, more, u, err := r.h.store.ListParts(r.bucket, r.key, r.query.Get("uploadId"), after, limit)
	if err != nil {
		return err
	}
	next := after
	if len(parts) > 0 {
		next = parts[len(parts)-1].Parts
	}
	d := newDoc("ListPartsResult").text("Bucket", r.bucket).text("Key", r.key).text("UploadId", u.Upload.String())
	r.owner(d, "Initiator")
	r.owner(d, "Owner")
	d.text("StorageClass", u.StorageClass()).num("PartNumberMarker", int64(after)).
		num("NextPartNumberMarker", int64(next)).num("MaxParts", int64(limit)).flag("IsTruncated", more)
	listSum(d, u.Sum)
	for _, p := range parts {
		d.begin("Part").num("PartNumber", int64(p.Parts)).time("LastModified", p.Modified).
			text("ETag", quote(p.ETag)).num("Size", p.Size)
		if u.Sum.Algorithm != "" {
			d.opt(p.Sum.Algorithm.Element(), p.Sum.Value)
		}
		d.end()
	}
	return r.answer(d)
}

func (r *request) partMarker() (int, error) {
	v := r.query.Get("part-number-marker")
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil {
		return 0, fault.Argument("part-number-marker", v, "Provided "+v+" not an integer or within integer range")
	}
	if n < 0 {
		return 0, fault.Argument("part-number-marker", v, "Argument "+v+" must be an integer between 0 and 2147483647")
	}
	return int(n), nil
}

func (r *request) abortUpload() error {
	var check disk.Check
	if v := r.header("X-Amz-If-Match-Initiated-Time"); v != "" {
		want := headerTime(v)
		check = func(u *disk.Object) error {
			if !want.IsZero() && !want.After(r.now()) && u.Modified.Unix() != want.Unix() {
				return failed("If-Match-Initiated-Time")
			}
			return nil
		}
	}
	if err := r.h.store.AbortUpload(r.bucket, r.key, r.query.Get("uploadId"), check); err != nil {
		return err
	}
	return r.status(http.StatusNoContent)
}

type completion struct {
	XMLName xml.Name        `xml:"CompleteMultipartUpload"`
	Parts   []completedPart `xml:"Part"`
}

type completedPart struct {
	Number *int       `xml:"PartNumber"`
	ETag   *string    `xml:"ETag"`
	Sums   []anyField `xml:",any"`
}

type anyField struct {
	XMLName xml.Name
	Value   string `xml:",chardata"`
}

func (r *request) completeUpload() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	c, err := r.readCompletion()
	if err != nil {
		return err
	}
	if c.Check, err = r.writeCheck(); err != nil {
		return err
	}
	o, err := r.h.store.CompleteUpload(r.Context(), r.bucket, r.key, r.query.Get("uploadId"), c)
	if err != nil {
		return err
	}
	r.versionHeader(b, o)
	r.encryptionHeader()
	r.expirationHeader(b, o)
	d := newDoc("CompleteMultipartUploadResult").text("Location", r.location(r.bucket, r.key)).
		text("Bucket", r.bucket).text("Key", r.key).text("ETag", quote(o.ETag))
	return r.answer(sumElements(d, o.Sum))
}

// readCompletion reads the list of parts, and what headers claim of the whole.
func (r *request) readCompletion() (disk.Completion, error) {
	c := disk.Completion{Size: -1}
	u, uploadErr := r.h.store.Upload(r.bucket, r.key, r.query.Get("uploadId"))
	if err := r.claimedSize(&c); err != nil {
		return c, err
	}
	var body completion
	p, err := r.openPayload()
	if err != nil {
		return c, err
	}
	// The checksum headers are the object's here, not the body's.
	b, err := readAll(p, maxList)
	if err != nil {
		return c, err
	}
	if err := parseXML(b, &body); err != nil {
		return c, err
	}
	if len(body.Parts) == 0 || len(body.Parts) > disk.MaxPart {
		return c, fault.MalformedXML
	}
	if uploadErr != nil {
		u = new(disk.Object)
	}
	if err := r.claimedSum(&c, u); err != nil {
		return c, err
	}
	for _, p := range body.Parts {
		part, err := p.read(u.Sum)
		if err != nil {
			return c, err
		}
		c.Parts = append(c.Parts, part)
	}
	return c, nil
}

func (p completedPart) read(sum disk.Sum) (disk.CompletedPart, error) {
	var part disk.CompletedPart
	if p.Number == nil || p.ETag == nil {
		return part, fault.MalformedXML
	}
	if *p.Number < 1 {
		return part, fault.Argument("PartNumber", itoa(*p.Number), "PartNumber must be >= 1")
	}
	part.Number, part.ETag = *p.Number, strings.Trim(*p.ETag, `"`)
	for _, f := range p.Sums {
		name, ok := strings.CutPrefix(f.XMLName.Local, "Checksum")
		if !ok {
			continue
		}
		a, ok := checksum.Parse(name)
		value := strings.TrimSpace(f.Value)
		if !ok || part.Sum.Value != "" || !a.Valid(value) {
			return part, fault.Argument("Checksum", value, "Invalid Base64 or multiple checksums present in request")
		}
		part.Sum = disk.Sum{Algorithm: a, Value: value}
		if sum.Algorithm != "" && a != sum.Algorithm {
			return part, fault.BadDigest.Say("The %s you specified for part %d did not match what we received.", strings.ToLower(string(a)), *p.Number)
		}
	}
	if part.Sum.Value == "" && sum.Type == checksum.Composite && sum.Algorithm != "" {
		return part, fault.InvalidRequest.Say("The upload was created using a %s checksum. The complete request must include the checksum for each part. It was missing for part %d in the request.",
			strings.ToLower(string(sum.Algorithm)), *p.Number)
	}
	return part, nil
}

func (r *request) claimedSize(c *disk.Completion) error {
	v := r.header("X-Amz-Mp-Object-Size")
	if v == "" {
		return nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return fault.InvalidRequest.Say("Value for x-amz-mp-object-size header is invalid: '%s'", v)
	}
	if n < 0 {
		return fault.InvalidRequest.Say("Value for x-amz-mp-object-size header is less than zero: '%d'", n)
	}
	c.Size = n
	return nil
}

// claimedSum reads the checksum that the client computed of the whole.
func (r *request) claimedSum(c *disk.Completion, u *disk.Object) error {
	t, err := r.sumType()
	if err != nil {
		return err
	}
	for name, values := range r.Header {
		if !strings.HasPrefix(name, "X-Amz-Checksum-") || notSums[name] {
			continue
		}
		a, ok := checksum.FromHeader(name)
		if !ok {
			return fault.ChecksumHeader
		}
		if c.Sum.Algorithm != "" {
			return fault.MultipleChecksums
		}
		value := values[0]
		if !validClaim(a, value, u.Sum.Type) {
			return fault.InvalidRequest.Say("Value for %s header is invalid.", a.Header())
		}
		c.Sum = disk.Sum{Algorithm: a, Value: value}
	}
	if t != "" && u.Sum.Type != "" && t != u.Sum.Type {
		return fault.InvalidRequest.Say("The upload was created using the %s checksum mode. The complete request must use the same checksum mode.", u.Sum.Type)
	}
	return nil
}

// validClaim accepts a checksum and, of a composite one, the number of parts
// behind it.
func validClaim(a checksum.Algorithm, value string, t checksum.Type) bool {
	bare, count, composite := strings.Cut(value, "-")
	if !composite {
		return a.Valid(value)
	}
	n, err := strconv.ParseUint(count, 10, 31)
	return t != checksum.FullObject && a.Valid(bare) && err == nil && n > 0
}
