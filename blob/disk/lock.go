package disk

import (
	"time"

	"pressroom/blob/fault"
)

// The modes of a retention, and the states of a legal hold.
const (
	Governance = "GOVERNANCE" // may be shortened by who is allowed to bypass it
	Compliance = "COMPLIANCE" // may only be extended, by anybody

	HoldOn  = "ON"
	HoldOff = "OFF"
)

// Lock is what Object Lock says of one version.
type Lock struct {
	Mode  string // "" is no retention
	Until time.Time
	Hold  string // "" if none was ever set
}

// Retention is what a bucket with Object Lock gives to new versions that bring none.
type Retention struct {
	Mode  string `json:"mode,omitempty"` // "" is none
	Days  int    `json:"days,omitempty"`
	Years int    `json:"years,omitempty"`
}

// until is when a retention that begins at t ends.
func (r Retention) until(t time.Time) time.Time { return t.AddDate(r.Years, 0, r.Days) }

// retained tells whether the retention still holds.
func (l Lock) retained(now time.Time) bool { return l.Mode != "" && now.Before(l.Until) }

// protects returns an error if the version may not be deleted now.
func (l Lock) protects(now time.Time, bypass bool) error {
	if l.Hold == HoldOn || l.retained(now) && (l.Mode == Compliance || !bypass) {
		return fault.ObjectLocked
	}
	return nil
}

// Retain replaces the retention of one version ("" is the current one). One that holds
// is only extended, unless it is of governance and bypass says that the caller may.
func (s *Store) Retain(bucketName, key, version, mode string, until time.Time, bypass bool) error {
	_, err := s.amend(bucketName, key, version, func(o *Object) error {
		if o.Marker {
			return fault.MethodNotAllowed
		}
		weaker := until.Before(o.Lock.Until) || mode != o.Lock.Mode
		if o.Lock.retained(s.now()) && weaker && (o.Lock.Mode == Compliance || !bypass) {
			return fault.ObjectLocked
		}
		o.Lock.Mode, o.Lock.Until = mode, until
		return nil
	})
	return err
}

// Hold sets or ends the legal hold of one version ("" is the current one).
func (s *Store) Hold(bucketName, key, version, hold string) error {
	_, err := s.amend(bucketName, key, version, func(o *Object) error {
		if o.Marker {
			return fault.MethodNotAllowed
		}
		o.Lock.Hold = hold
		return nil
	})
	return err
}
