package wire

import (
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pressroom/blob/checksum"
	"pressroom/blob/disk"
	"pressroom/blob/fault"
	"pressroom/caller"
	"pressroom/sigv4"
)

// A form is a browser upload: fields, and then the file, which is streamed.
// What follows the file is ignored, as S3 does.
type form struct {
	fields map[string]string // by lower-case name
	order  []string
	file   *multipart.Part
}

// maxForm is S3's limit on the fields of a form together.
const maxForm = 20 << 10

// postObject is the POST of an HTML form to a bucket.
func (r *request) postObject() error {
	f, err := r.fields()
	if err != nil {
		return err
	}
	policy, err := r.authenticateForm(f)
	if err != nil {
		return err
	}
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	if err := r.formKey(f); err != nil {
		return err
	}
	if err := r.allowed("s3:PutObject", r.bucket, r.key); err != nil {
		return err
	}
	r.Header = f.headers()
	o, err := r.attributes()
	if err != nil {
		return err
	}
	if o.Tags, err = f.tags(); err != nil {
		return err
	}
	if o, err = r.storeForm(f, o, policy); err != nil {
		return err
	}
	r.putHeaders(b, o)
	return r.answerForm(f, o)
}

// fields reads the form up to its file. Its sender is only known after that.
func (r *request) fields() (*form, error) {
	room, err := caller.Reserve(r.w, maxForm)
	if err != nil {
		return nil, fault.SlowDown
	}
	defer room.Release()
	f, err := r.readForm()
	if room.Arrived() != nil {
		return nil, fault.SlowDown
	}
	return f, err
}

func (r *request) readForm() (*form, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		return nil, fault.PreconditionFailed.With("Condition", "Bucket POST must be of the enclosure-type multipart/form-data")
	}
	if err != nil || params["boundary"] == "" {
		return nil, fault.MalformedPOSTRequest
	}
	f := &form{fields: make(map[string]string)}
	parts := multipart.NewReader(r.Body, params["boundary"])
	left := int64(maxForm)
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil, fault.Argument("file", "", "POST requires exactly one file upload per request.")
		}
		if err != nil {
			return nil, fault.MalformedPOSTRequest.Because(err)
		}
		name := strings.ToLower(part.FormName())
		if name == "file" {
			f.file = part
			return f, nil
		}
		value, err := io.ReadAll(io.LimitReader(part, left+1))
		if err != nil {
			return nil, fault.MalformedPOSTRequest.Because(err)
		}
		if left -= int64(len(value) + len(name)); left < 0 {
			return nil, fault.MaxMessageLengthExceeded.With("MaxMessageLengthBytes", strconv.Itoa(maxForm))
		}
		f.fields[name] = string(value)
		f.order = append(f.order, name)
	}
}

// authenticateForm finds out who made the form. Without credentials
// configured a policy is still kept to.
func (r *request) authenticateForm(f *form) (*postPolicy, error) {
	signs := []string{"policy", "x-amz-signature", "x-amz-credential", "x-amz-date", "x-amz-algorithm"}
	given := slices.ContainsFunc(signs, func(n string) bool { _, ok := f.fields[n]; return ok })
	if !given {
		return nil, nil
	}
	if r.h.opt.Secret != nil && !trusted(r.Context()) {
		if err := r.verifyForm(f, signs); err != nil {
			return nil, err
		}
	}
	p, err := parsePostPolicy(f.fields["policy"])
	if err != nil {
		return nil, err
	}
	f.fields["bucket"] = r.bucket
	return p, p.check(f.fields, f.order, r.now())
}

func (r *request) verifyForm(f *form, signs []string) error {
	for _, name := range signs {
		if v, ok := f.fields[name]; !ok || v == "" && name != "policy" {
			return fault.Argument(name, "", "Bucket POST must contain a field named '"+name+"'.  If it is specified, please check the order of the fields.")
		}
	}
	if a := f.fields["x-amz-algorithm"]; a != algorithm {
		return fault.Argument("X-Amz-Algorithm", a, "Only AWS4-HMAC-SHA256 is supported")
	}
	date, err := time.Parse(amzDate, f.fields["x-amz-date"])
	if err != nil {
		return fault.Argument("X-Amz-Date", f.fields["x-amz-date"], "X-Amz-Date must be formated via ISO8601 Long format")
	}
	if f.fields["policy"] == "" {
		_, err := parsePostPolicy("")
		return err
	}
	if message, _ := scopeFault(f.fields["x-amz-credential"], r.h.opt.Region); message != "" {
		return fault.Argument("x-amz-credential", f.fields["x-amz-credential"], message)
	}
	_, err = r.h.verifier.VerifyPolicy(&sigv4.Policy{
		Policy: f.fields["policy"], Algorithm: f.fields["x-amz-algorithm"], Credential: f.fields["x-amz-credential"],
		Date: f.fields["x-amz-date"], Signature: f.fields["x-amz-signature"], SecurityToken: f.fields["x-amz-security-token"],
	})
	if err != nil {
		return r.authError(err)
	}
	if r.now().Sub(date) > time.Hour {
		return policyExpired()
	}
	r.who.owner = true
	return nil
}

// formKey reads the key, in which ${filename} is the file's own name.
func (r *request) formKey(f *form) error {
	key, ok := f.fields["key"]
	if !ok || key == "" {
		return fault.Argument("key", "", "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.")
	}
	r.key = strings.ReplaceAll(key, "${filename}", f.file.FileName())
	if len(r.key) > disk.MaxKey {
		return keyTooLong(r.key)
	}
	return nil
}

// headers returns the fields that stand for headers.
func (f *form) headers() http.Header {
	h := make(http.Header)
	for name, value := range f.fields {
		switch {
		case name == "acl":
			h.Set("X-Amz-Acl", value)
		case strings.HasPrefix(name, "x-amz-") && name != "x-amz-tagging":
			h.Set(name, value)
		case slices.ContainsFunc(contentHeaders, func(c string) bool { return strings.EqualFold(c, name) }):
			h.Set(name, value)
		}
	}
	return h
}

// tags reads the tagging field, which is XML.
func (f *form) tags() (disk.Pairs, error) {
	v := f.fields["tagging"]
	if v == "" {
		return nil, nil
	}
	var t tagging
	if err := parseXML([]byte(v), &t); err != nil {
		return nil, err
	}
	return t.pairs(maxObjectTags)
}

func (r *request) storeForm(f *form, o *disk.Object, policy *postPolicy) (*disk.Object, error) {
	c, err := r.readClaims()
	if err != nil {
		return nil, err
	}
	algorithm := c.algorithm
	if algorithm == "" {
		algorithm = checksum.CRC64NVME
	}
	opt := disk.StageOptions{Size: -1, Class: o.Class, Sums: []checksum.Algorithm{algorithm}}
	if policy != nil && policy.max >= 0 {
		opt.Max = max(policy.max, 1)
	}
	st, err := r.h.store.Stage(r.Context(), formFile{f.file}, opt)
	if err != nil {
		return nil, err
	}
	if err := c.check(st, nil); err != nil {
		st.Discard()
		return nil, err
	}
	if policy != nil && st.Size < policy.min {
		st.Discard()
		return nil, fault.EntityTooSmall.With("ProposedSize", strconv.FormatInt(st.Size, 10)).
			With("MinSizeAllowed", strconv.FormatInt(policy.min, 10))
	}
	o.ETag = hex.EncodeToString(st.MD5[:])
	o.Sum = disk.Sum{Algorithm: algorithm, Type: checksum.FullObject, Value: encodeSum(st, algorithm)}
	return r.h.store.PutObject(r.Context(), r.bucket, o, st, nil)
}

// formFile tells a form that breaks off from one that ends.
type formFile struct{ p *multipart.Part }

func (f formFile) Read(b []byte) (int, error) {
	n, err := f.p.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fault.IncompleteBody.Because(err)
	}
	return n, err
}

func (r *request) answerForm(f *form, o *disk.Object) error {
	where := r.location(r.bucket, r.key)
	if to, err := url.Parse(f.fields["success_action_redirect"]); err == nil && (to.Scheme == "http" || to.Scheme == "https") {
		q := to.Query()
		q.Set("bucket", r.bucket)
		q.Set("key", r.key)
		q.Set("etag", quote(o.ETag))
		to.RawQuery = q.Encode()
		r.w.Header().Set("Location", to.String())
		return r.status(http.StatusSeeOther)
	}
	r.w.Header().Set("Location", where)
	switch f.fields["success_action_status"] {
	case "200":
		return r.status(http.StatusOK)
	case "201":
		d := newDoc("PostResponse").text("Location", where).text("Bucket", r.bucket).text("Key", r.key).text("ETag", quote(o.ETag))
		b := d.bytes()
		r.w.Header().Set("Content-Type", "application/xml")
		r.w.Header().Set("Content-Length", strconv.Itoa(len(b)))
		r.began = true
		r.w.WriteHeader(http.StatusCreated)
		_, err := r.w.Write(b)
		return err
	}
	return r.status(http.StatusNoContent)
}
