package lifecycle

import (
	"fmt"
	"time"

	"pressroom/blob/fault"
)

// maxRules is S3's limit.
const maxRules = 1000

// Validate answers what S3 would to a configuration that it refuses, and gives
// rules without an id one, as S3 does.
func (c *Config) Validate() error {
	if len(c.Rules) == 0 || len(c.Rules) > maxRules {
		return fault.MalformedXML
	}
	seen := make(map[string]bool)
	for i := range c.Rules {
		r := &c.Rules[i]
		if r.ID == "" {
			r.ID = fmt.Sprintf("rule-%d", i+1)
		}
		if len(r.ID) > 255 {
			return invalid("ID length should not exceed allowed limit of 255")
		}
		if seen[r.ID] {
			return invalid("Rule ID must be unique. Found same ID for more than one rule")
		}
		seen[r.ID] = true
		if err := r.validate(); err != nil {
			return err
		}
	}
	return nil
}

func invalid(format string, args ...any) error { return fault.InvalidArgument.Say(format, args...) }

func (r *Rule) validate() error {
	if r.Status != "Enabled" && r.Status != "Disabled" {
		return fault.MalformedXML
	}
	if r.Prefix != nil && r.Filter != nil {
		return fault.MalformedXML
	}
	if r.Expiration == nil && len(r.Transitions) == 0 && r.NoncurrentExpiration == nil && len(r.NoncurrentMoves) == 0 && r.Abort == nil {
		return fault.InvalidRequest.Say("At least one action needs to be specified in a rule")
	}
	for _, check := range []func() error{r.validateFilter, r.validateExpiration, r.validateTransitions, r.validateNoncurrent, r.validateAbort} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rule) validateFilter() error {
	f := r.Filter
	if f == nil {
		return nil
	}
	n := 0
	for _, set := range []bool{f.Prefix != nil, f.Tag != nil, f.GreaterThan != nil, f.LessThan != nil, f.And != nil} {
		if set {
			n++
		}
	}
	if n > 1 {
		return fault.MalformedXML
	}
	c := r.conditions()
	seen := make(map[string]bool)
	for _, t := range c.Tags {
		if t.Key == "" || seen[t.Key] {
			return fault.InvalidRequest.Say("Duplicate Tag Keys are not allowed.")
		}
		seen[t.Key] = true
	}
	if c.GreaterThan != nil && *c.GreaterThan < 0 || c.LessThan != nil && *c.LessThan <= 0 {
		return fault.InvalidRequest.Say("'ObjectSizeGreaterThan' must be at least 0 and 'ObjectSizeLessThan' more than 0")
	}
	if c.GreaterThan != nil && c.LessThan != nil && *c.GreaterThan >= *c.LessThan {
		return fault.InvalidRequest.Say("'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.")
	}
	return nil
}

func (r *Rule) validateExpiration() error {
	e := r.Expiration
	if e == nil {
		return nil
	}
	n := 0
	for _, set := range []bool{e.Days != nil, e.Date != "", e.DeleteMarker != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return fault.MalformedXML
	}
	if e.Days != nil && *e.Days <= 0 {
		return invalid("'Days' for Expiration action must be a positive integer")
	}
	if e.DeleteMarker != nil && len(r.conditions().Tags) > 0 {
		return fault.InvalidRequest.Say("ExpiredObjectDeleteMarker cannot be specified with Tags.")
	}
	return validDate(e.Date)
}

func (r *Rule) validateTransitions() error {
	for _, t := range r.Transitions {
		if (t.Days == nil) == (t.Date == "") {
			return fault.MalformedXML
		}
		if t.Days != nil && *t.Days < 0 {
			return invalid("'Days' in the Transition action must be nonnegative")
		}
		if err := validClass(t.Class); err != nil {
			return err
		}
		if err := validDate(t.Date); err != nil {
			return err
		}
		if t.Days != nil && *t.Days < 30 && (t.Class == "STANDARD_IA" || t.Class == "ONEZONE_IA") {
			return invalid("'Days' in Transition action must be greater than or equal to 30 for storageClass '%s'", t.Class)
		}
		if e := r.Expiration; e != nil && e.Days != nil && t.Days != nil && *e.Days <= *t.Days {
			return invalid("'Days' in the Expiration action for filter must be greater than 'Days' in the Transition action")
		}
	}
	return nil
}

func (r *Rule) validateNoncurrent() error {
	if e := r.NoncurrentExpiration; e != nil && (e.Days <= 0 || e.Keep < 0 || e.Keep > 100) {
		return invalid("'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer")
	}
	for _, m := range r.NoncurrentMoves {
		if m.Days < 0 || m.Keep < 0 || m.Keep > 100 {
			return invalid("'NoncurrentDays' in the NoncurrentVersionTransition action must be nonnegative")
		}
		if err := validClass(m.Class); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rule) validateAbort() error {
	if r.Abort == nil {
		return nil
	}
	if r.Abort.Days <= 0 {
		return invalid("'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive integer")
	}
	if len(r.conditions().Tags) > 0 {
		return fault.InvalidRequest.Say("AbortIncompleteMultipartUpload cannot be specified with Tags.")
	}
	return nil
}

func validClass(class string) error {
	if warmth[class] == 0 {
		return fault.MalformedXML
	}
	return nil
}

// validDate accepts midnights UTC alone, as S3 does.
func validDate(date string) error {
	if date == "" {
		return nil
	}
	t, err := parseDate(date)
	if err != nil {
		return fault.MalformedXML
	}
	if !t.UTC().Truncate(24 * time.Hour).Equal(t) {
		return invalid("'Date' must be at midnight GMT")
	}
	return nil
}
