package wire

import (
	"encoding/hex"
	"net/http"
	"strconv"

	"pressroom/blob/checksum"
	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

// putObject is PutObject, or CopyObject if the request names a source.
func (r *request) putObject() error {
	if _, ok := r.Header["X-Amz-Copy-Source"]; ok {
		return r.copyObject()
	}
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	if len(r.key) > disk.MaxKey {
		return keyTooLong(r.key)
	}
	o, err := r.attributes()
	if err != nil {
		return err
	}
	check, err := r.writeCheck()
	if err != nil {
		return err
	}
	if err := r.checkEarly(check); err != nil {
		return err
	}
	algorithm := checksum.CRC64NVME
	if c, err := r.readClaims(); err == nil && c.algorithm != "" {
		algorithm = c.algorithm
	}
	st, _, err := r.stage(disk.StageOptions{Class: o.Class}, algorithm)
	if err != nil {
		return err
	}
	o.ETag = hex.EncodeToString(st.MD5[:])
	o.Sum = disk.Sum{Algorithm: algorithm, Type: checksum.FullObject, Value: encodeSum(st, algorithm)}
	if o, err = r.h.store.PutObject(r.Context(), r.bucket, o, st, check); err != nil {
		return err
	}
	r.putHeaders(b, o)
	r.w.Header().Set("x-amz-object-size", strconv.FormatInt(o.Size, 10))
	return r.status(http.StatusOK)
}

// putHeaders answers a write.
func (r *request) putHeaders(b *disk.Bucket, o *disk.Object) {
	r.w.Header().Set("ETag", quote(o.ETag))
	r.sumHeaders(o.Sum)
	r.versionHeader(b, o)
	r.encryptionHeader()
	r.expirationHeader(b, o)
}

func keyTooLong(key string) error {
	return fault.KeyTooLong.With("Size", itoa(len(key))).With("MaxSizeAllowed", itoa(disk.MaxKey))
}

// checkEarly fails a conditional write before its body is read, if it would
// fail anyway. The store checks again when it writes.
func (r *request) checkEarly(check disk.Check) error {
	if check == nil {
		return nil
	}
	cur, err := r.h.store.Head(r.bucket, r.key, "")
	if err != nil {
		if e := fault.From(err); e.Code != fault.NoSuchKey.Code {
			return err
		}
		cur = nil
	}
	return check(cur)
}

// expirationHeader says when a lifecycle rule ends the object.
func (r *request) expirationHeader(b *disk.Bucket, o *disk.Object) {
	rules, err := b.Lifecycle()
	if err != nil || rules == nil {
		return
	}
	if when, rule := rules.Expiry(lifecycleView(o)); rule != "" {
		r.w.Header().Set("x-amz-expiration", `expiry-date="`+when.Format(http.TimeFormat)+`", rule-id="`+escapePath(rule)+`"`)
	}
}
