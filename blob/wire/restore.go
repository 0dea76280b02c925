package wire

import (
	"encoding/xml"
	"io"
	"net/http"
	"strconv"
	"strings"

	"pressroom/blob/checksum"
	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

type restoreRequest struct {
	XMLName xml.Name  `xml:"RestoreRequest"`
	Days    int       `xml:"Days"`
	Type    string    `xml:"Type"`
	Select  *struct{} `xml:"SelectParameters"`
}

// restoreObject makes an archived object readable. It is done when it is
// answered; S3 answers before, so clients ask HeadObject, which says so.
func (r *request) restoreObject() error {
	var want restoreRequest
	if err := r.readXML(&want, maxConfig); err != nil {
		return err
	}
	if want.Type != "" || want.Select != nil {
		return fault.NotImplemented.With("Header", "SelectParameters")
	}
	if want.Days < 1 {
		return fault.MalformedXML
	}
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	o, fresh, err := r.h.store.Restore(r.Context(), r.bucket, r.key, r.query.Get("versionId"), want.Days)
	if err != nil {
		return r.readError(err)
	}
	r.versionHeader(b, o)
	if fresh {
		return r.status(http.StatusAccepted)
	}
	return r.status(http.StatusOK)
}

var objectAttributes = []string{"ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"}

// getAttributes is GetObjectAttributes.
func (r *request) getAttributes() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	want, err := r.wantedAttributes()
	if err != nil {
		return err
	}
	limit, err := r.headerNumber("X-Amz-Max-Parts", maxPage)
	if err != nil {
		return err
	}
	after, err := r.headerNumber("X-Amz-Part-Number-Marker", 0)
	if err != nil {
		return err
	}
	h, err := r.h.store.Open(r.bucket, r.key, r.query.Get("versionId"))
	if err != nil {
		return r.readError(err)
	}
	defer h.Close()
	d := newDoc("GetObjectAttributesResponse")
	if want["ETag"] {
		d.text("ETag", h.ETag)
	}
	if want["Checksum"] && h.Sum.Algorithm != "" {
		d.begin("Checksum").text(h.Sum.Algorithm.Element(), h.Sum.Value).text("ChecksumType", string(h.Sum.Type)).end()
	}
	if want["ObjectParts"] && h.Parts > 0 {
		if err := partsElement(d, h, after, min(limit, maxPage)); err != nil {
			return err
		}
	}
	if want["StorageClass"] {
		d.text("StorageClass", h.StorageClass())
	}
	if want["ObjectSize"] {
		d.num("ObjectSize", h.Size)
	}
	r.versionHeader(b, h.Object)
	r.w.Header().Set("Last-Modified", h.Modified.Format(http.TimeFormat))
	return r.answer(d)
}

func (r *request) wantedAttributes() (map[string]bool, error) {
	want := make(map[string]bool)
	for _, v := range r.Header.Values("X-Amz-Object-Attributes") {
		for _, name := range trimmed(strings.Split(v, ",")) {
			if name == "" {
				continue
			}
			ok := false
			for _, known := range objectAttributes {
				ok = ok || known == name
			}
			if !ok {
				return nil, fault.Argument("x-amz-object-attributes", name, "Invalid attribute name specified.")
			}
			want[name] = true
		}
	}
	if len(want) == 0 {
		return nil, fault.InvalidRequest.Say("The x-amz-object-attributes header specifying the attributes to be retrieved is either missing or empty")
	}
	return want, nil
}

func (r *request) headerNumber(name string, otherwise int) (int, error) {
	v := r.header(name)
	if v == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < 0 {
		return 0, fault.Argument(strings.ToLower(name), v, "Provided "+strings.ToLower(name)+" not an integer or within integer range")
	}
	return int(n), nil
}

// partsElement lists the parts of a multipart object. S3 does so one by one
// only where parts have checksums of their own.
func partsElement(d *doc, h *disk.Handle, after, limit int) error {
	d.begin("ObjectParts").num("PartsCount", int64(h.Parts))
	if h.Sum.Type != checksum.Composite {
		d.end()
		return nil
	}
	parts, more, err := h.PartsOf(after, limit)
	if err != nil {
		return err
	}
	next := after
	if len(parts) > 0 {
		next = parts[len(parts)-1].Parts
	}
	d.num("PartNumberMarker", int64(after)).num("NextPartNumberMarker", int64(next)).
		num("MaxParts", int64(limit)).flag("IsTruncated", more)
	for _, p := range parts {
		d.begin("Part").num("PartNumber", int64(p.Parts)).num("Size", p.Size).
			text(p.Sum.Algorithm.Element(), p.Sum.Value).end()
	}
	d.end()
	return nil
}

// readAll reads a body of a bounded length.
func readAll(p *payload, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(p, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fault.MaxMessageLengthExceeded.With("MaxMessageLengthBytes", strconv.FormatInt(limit, 10))
	}
	return b, nil
}
