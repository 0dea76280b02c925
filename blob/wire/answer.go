package wire

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"net/http"
	"strconv"
	"strings"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

func newRequestID() string {
	var b [8]byte
	rand.Read(b[:])
	return strings.ToUpper(hex.EncodeToString(b[:]))
}

// hostID has the form of S3's extended request id.
func hostID(id string) string { return base64.StdEncoding.EncodeToString([]byte("pressroom/" + id)) }

// status sends a status without body.
func (r *request) status(code int) error {
	r.began = true
	if code != http.StatusNoContent && code != http.StatusNotModified {
		r.w.Header().Set("Content-Length", "0")
	}
	r.w.WriteHeader(code)
	return nil
}

// answer sends an XML document.
func (r *request) answer(d *doc) error { return r.answerBytes("application/xml", d.bytes()) }

func (r *request) answerBytes(contentType string, b []byte) error {
	r.w.Header().Set("Content-Type", contentType)
	r.w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	r.began = true
	r.w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := r.w.Write(b)
	return err
}

func (r *request) writeError(e *fault.Error) {
	h := r.w.Header()
	for _, f := range e.Headers {
		h.Set(f.Name, f.Value)
	}
	for _, name := range []string{"Content-Length", "Content-Type", "ETag", "Last-Modified", "Content-Range", "Content-Encoding"} {
		if e.Status != http.StatusNotModified && !listed(e.Headers, name) {
			h.Del(name)
		}
	}
	r.began = true
	if r.Method == http.MethodHead || e.Status == http.StatusNotModified {
		r.w.WriteHeader(e.Status)
		return
	}
	b := append([]byte(xml.Header), "<Error>"...)
	fields := append([]fault.Field{{Name: "Code", Value: e.Code}, {Name: "Message", Value: e.Message}}, e.Details...)
	fields = append(fields, fault.Field{Name: "RequestId", Value: r.id}, fault.Field{Name: "HostId", Value: hostID(r.id)})
	for _, f := range fields {
		b = append(append(append(b, '<'), f.Name...), '>')
		b = appendXML(b, f.Value)
		b = append(append(append(b, "</"...), f.Name...), '>')
	}
	b = append(b, "</Error>"...)
	h.Set("Content-Type", "application/xml")
	h.Set("Content-Length", strconv.Itoa(len(b)))
	r.w.WriteHeader(e.Status)
	_, _ = r.w.Write(b) // if the client is gone, nobody is left to tell
}

func listed(fields []fault.Field, name string) bool {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

func quote(etag string) string { return `"` + etag + `"` }

// versionHeader names the version in buckets that have versions.
func (r *request) versionHeader(b *disk.Bucket, o *disk.Object) {
	if b.Versioning != disk.Unversioned {
		r.w.Header().Set("x-amz-version-id", o.VersionID())
	}
}

// sumHeaders names the checksum of an object.
func (r *request) sumHeaders(s disk.Sum) {
	if s.Algorithm == "" {
		return
	}
	r.w.Header().Set(s.Algorithm.Header(), s.Value)
	r.w.Header().Set("x-amz-checksum-type", string(s.Type))
}

// encryptionHeader says that the object is encrypted, if it is.
func (r *request) encryptionHeader() {
	if r.h.opt.Encrypted {
		r.w.Header().Set("x-amz-server-side-encryption", "AES256")
	}
}
