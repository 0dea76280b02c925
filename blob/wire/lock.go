package wire

import (
	"encoding/xml"
	"net/http"
	"strings"
	"time"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

// lockTime is how a retention's end is told.
const lockTime = "2006-01-02T15:04:05.000Z"

// lockHeaders reads what a new version brings for Object Lock.
func (r *request) lockHeaders() (disk.Lock, error) {
	mode, until, hold := r.header("X-Amz-Object-Lock-Mode"), r.header("X-Amz-Object-Lock-Retain-Until-Date"), r.header("X-Amz-Object-Lock-Legal-Hold")
	if mode == "" && until == "" && hold == "" {
		return disk.Lock{}, nil
	}
	lock := disk.Lock{Mode: mode, Hold: hold}
	if (mode == "") != (until == "") {
		return lock, fault.InvalidArgument.Say("x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied")
	}
	if hold != "" && hold != disk.HoldOn && hold != disk.HoldOff {
		return lock, fault.Argument("x-amz-object-lock-legal-hold", hold, "Legal Hold must be either of 'ON' or 'OFF'")
	}
	if mode != "" {
		if mode != disk.Governance && mode != disk.Compliance {
			return lock, fault.Argument("x-amz-object-lock-mode", mode, "Unknown wormMode directive.")
		}
		var err error
		if lock.Until, err = r.retainUntil(until); err != nil {
			return lock, err
		}
	}
	_, err := r.lockedBucket(fault.ObjectLockMissing)
	return lock, err
}

// retainUntil reads the end of a retention, which is to come.
func (r *request) retainUntil(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fault.Argument("x-amz-object-lock-retain-until-date", text, "The retain until date must be provided in ISO 8601 format")
	}
	if !t.After(r.now()) {
		return t, fault.Argument("x-amz-object-lock-retain-until-date", text, "The retain until date must be in the future!")
	}
	return t.UTC(), nil
}

// lockedBucket returns the bucket, or missing if it has no Object Lock.
func (r *request) lockedBucket(missing *fault.Error) (*disk.Bucket, error) {
	b, err := r.h.store.Bucket(r.bucket)
	if err == nil && b.Lock == nil {
		return nil, missing
	}
	return b, err
}

var bucketMissingLock = fault.ObjectLockMissing.Say("Bucket is missing Object Lock Configuration")

// bypass tells whether retention of governance is to be bypassed, which everyone with
// credentials may.
func (r *request) bypass() bool {
	return strings.EqualFold(r.header("X-Amz-Bypass-Governance-Retention"), "true") && !r.isAnonymous()
}

type lockConfig struct {
	XMLName xml.Name `xml:"ObjectLockConfiguration"`
	Enabled string   `xml:"ObjectLockEnabled"`
	Rule    *struct {
		Default *struct {
			Mode  string `xml:"Mode"`
			Days  *int   `xml:"Days"`
			Years *int   `xml:"Years"`
		} `xml:"DefaultRetention"`
	} `xml:"Rule"`
}

// The longest default retentions.
const (
	maxLockDays  = 36500
	maxLockYears = 100
)

// retention checks a configuration.
func (c *lockConfig) retention() (*disk.Retention, error) {
	if c.Enabled != "Enabled" {
		return nil, fault.MalformedXML
	}
	out := new(disk.Retention)
	if c.Rule == nil {
		return out, nil
	}
	d := c.Rule.Default
	if d == nil || d.Mode != disk.Governance && d.Mode != disk.Compliance || (d.Days == nil) == (d.Years == nil) {
		return nil, fault.MalformedXML
	}
	out.Mode = d.Mode
	if d.Days != nil {
		out.Days = *d.Days
	} else {
		out.Years = *d.Years
	}
	switch {
	case out.Days+out.Years <= 0:
		return nil, fault.InvalidArgument.Say("Default retention period must be a positive integer value.")
	case out.Days > maxLockDays || out.Years > maxLockYears:
		return nil, fault.InvalidArgument.Say("Default retention period too large")
	}
	return out, nil
}

func (r *request) getObjectLock() error {
	b, err := r.lockedBucket(fault.ObjectLockNotFound)
	if err != nil {
		return err
	}
	d := newDoc("ObjectLockConfiguration").text("ObjectLockEnabled", "Enabled")
	if l := b.Lock; l.Mode != "" {
		d.begin("Rule").begin("DefaultRetention").text("Mode", l.Mode)
		if l.Days > 0 {
			d.text("Days", itoa(l.Days))
		} else {
			d.text("Years", itoa(l.Years))
		}
		d.end().end()
	}
	return r.answer(d)
}

// putObjectLock gives Object Lock to a bucket with versions, for good, and sets what
// new versions get.
func (r *request) putObjectLock() error {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	var c lockConfig
	if err := r.readXML(&c, maxConfig); err != nil {
		return err
	}
	lock, err := c.retention()
	if err != nil {
		return err
	}
	err = r.h.store.UpdateBucket(r.bucket, func(b *disk.Bucket) error {
		if b.Versioning != disk.Enabled {
			return fault.LockNeedsVersions
		}
		b.Lock = lock
		return nil
	})
	if err != nil {
		return err
	}
	return r.status(http.StatusOK)
}

// lockOf returns the lock of the version that is asked for.
func (r *request) lockOf() (disk.Lock, error) {
	o, err := r.h.store.Head(r.bucket, r.key, r.query.Get("versionId"))
	if err != nil {
		return disk.Lock{}, r.readError(err)
	}
	_, err = r.lockedBucket(bucketMissingLock)
	return o.Lock, err
}

func (r *request) getRetention() error {
	lock, err := r.lockOf()
	if err != nil {
		return err
	}
	if lock.Mode == "" {
		return fault.NoSuchObjectLock
	}
	return r.answer(newDoc("Retention").text("Mode", lock.Mode).text("RetainUntilDate", lock.Until.Format(lockTime)))
}

func (r *request) putRetention() error {
	var c struct {
		XMLName xml.Name `xml:"Retention"`
		Mode    string   `xml:"Mode"`
		Until   string   `xml:"RetainUntilDate"`
	}
	if _, err := r.lockedBucket(bucketMissingLock); err != nil {
		return err
	}
	if err := r.readXML(&c, maxConfig); err != nil {
		return err
	}
	var until time.Time
	if c.Mode != "" || c.Until != "" { // neither ends the retention
		if c.Mode != disk.Governance && c.Mode != disk.Compliance {
			return fault.MalformedXML
		}
		t, err := time.Parse(time.RFC3339, c.Until)
		if err != nil {
			return fault.MalformedXML
		}
		if !t.After(r.now()) {
			return fault.Argument("RetainUntilDate", c.Until, "The retain until date must be in the future!")
		}
		until = t.UTC()
	}
	if err := r.h.store.Retain(r.bucket, r.key, r.query.Get("versionId"), c.Mode, until, r.bypass()); err != nil {
		return r.readError(err)
	}
	return r.status(http.StatusOK)
}

func (r *request) getLegalHold() error {
	lock, err := r.lockOf()
	if err != nil {
		return err
	}
	if lock.Hold == "" {
		return fault.NoSuchObjectLock
	}
	return r.answer(newDoc("LegalHold").text("Status", lock.Hold))
}

func (r *request) putLegalHold() error {
	var c struct {
		XMLName xml.Name `xml:"LegalHold"`
		Status  string   `xml:"Status"`
	}
	if _, err := r.lockedBucket(bucketMissingLock); err != nil {
		return err
	}
	if err := r.readXML(&c, maxConfig); err != nil {
		return err
	}
	if c.Status != disk.HoldOn && c.Status != disk.HoldOff {
		return fault.MalformedXML
	}
	if err := r.h.store.Hold(r.bucket, r.key, r.query.Get("versionId"), c.Status); err != nil {
		return r.readError(err)
	}
	return r.status(http.StatusOK)
}
