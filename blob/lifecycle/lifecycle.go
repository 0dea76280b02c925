// Package lifecycle reads S3 lifecycle configurations and says what they ask
// for: when an object expires, moves to another storage class, or when an
// upload is given up. It holds no objects and does nothing by itself; the
// store asks it and acts.
//
// It follows "Managing the lifecycle of objects" in the Amazon S3 User Guide:
// days are counted from when a version was made, or became noncurrent, to the
// next midnight UTC. Start reading at [Parse], then [Config.Current].
package lifecycle

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// A Config is a bucket's lifecycle configuration.
type Config struct {
	XMLName xml.Name `xml:"LifecycleConfiguration"`
	Rules   []Rule   `xml:"Rule"`

	// AnySize lets objects under 128 KiB move too; it is S3's
	// x-amz-transition-default-minimum-object-size: varies_by_storage_class.
	AnySize bool `xml:"-"`
}

// A Rule is one rule of it.
type Rule struct {
	ID                   string                `xml:"ID,omitempty"`
	Status               string                `xml:"Status"`
	Prefix               *string               `xml:"Prefix,omitempty"` // the old place of Filter.Prefix
	Filter               *Filter               `xml:"Filter,omitempty"`
	Expiration           *Expiration           `xml:"Expiration,omitempty"`
	Transitions          []Transition          `xml:"Transition,omitempty"`
	NoncurrentExpiration *NoncurrentExpiration `xml:"NoncurrentVersionExpiration,omitempty"`
	NoncurrentMoves      []NoncurrentMove      `xml:"NoncurrentVersionTransition,omitempty"`
	Abort                *Abort                `xml:"AbortIncompleteMultipartUpload,omitempty"`
}

// A Filter chooses objects; what is absent does not restrict.
type Filter struct {
	Prefix      *string `xml:"Prefix,omitempty"`
	Tag         *Tag    `xml:"Tag,omitempty"`
	GreaterThan *int64  `xml:"ObjectSizeGreaterThan,omitempty"`
	LessThan    *int64  `xml:"ObjectSizeLessThan,omitempty"`
	And         *And    `xml:"And,omitempty"`
}

// And holds a filter of several conditions.
type And struct {
	Prefix      *string `xml:"Prefix,omitempty"`
	Tags        []Tag   `xml:"Tag,omitempty"`
	GreaterThan *int64  `xml:"ObjectSizeGreaterThan,omitempty"`
	LessThan    *int64  `xml:"ObjectSizeLessThan,omitempty"`
}

// A Tag is a tag that an object must have.
type Tag struct {
	Key   string `xml:"Key"`
	Value string `xml:"Value"`
}

// Expiration ends current versions.
type Expiration struct {
	Days         *int   `xml:"Days,omitempty"`
	Date         string `xml:"Date,omitempty"`
	DeleteMarker *bool  `xml:"ExpiredObjectDeleteMarker,omitempty"`
}

// A Transition moves current versions to another class.
type Transition struct {
	Days  *int   `xml:"Days,omitempty"`
	Date  string `xml:"Date,omitempty"`
	Class string `xml:"StorageClass,omitempty"`
}

// NoncurrentExpiration removes versions that were replaced.
type NoncurrentExpiration struct {
	Days int `xml:"NoncurrentDays"`
	Keep int `xml:"NewerNoncurrentVersions,omitempty"`
}

// NoncurrentMove moves versions that were replaced to another class.
type NoncurrentMove struct {
	Days  int    `xml:"NoncurrentDays"`
	Keep  int    `xml:"NewerNoncurrentVersions,omitempty"`
	Class string `xml:"StorageClass,omitempty"`
}

// Abort gives up uploads that were never completed.
type Abort struct {
	Days int `xml:"DaysAfterInitiation"`
}

// Parse reads a configuration. It checks its form alone; see Validate.
func Parse(doc []byte) (*Config, error) {
	var c Config
	d := xml.NewDecoder(bytes.NewReader(doc))
	if err := d.Decode(&c); err != nil {
		return nil, fmt.Errorf("lifecycle configuration: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("lifecycle configuration: text after its end")
	}
	return &c, nil
}

// An Object is what rules look at.
type Object struct {
	Key      string
	Size     int64
	Class    string // "" is STANDARD
	Tags     func(name string) (value string, ok bool)
	Modified time.Time
}

// An Action is what the rules ask for at a given time.
type Action struct {
	Expire bool
	Class  string // to move to; "" is none
	Rule   string
}

// smallest is the size below which S3 moves nothing unless told to.
const smallest = 128 << 10

// Current returns what to do now with a current version that is no delete
// marker. Expiry wins over a move, and the coldest class that is due over the
// others.
func (c *Config) Current(o *Object, now time.Time) Action {
	if when, rule := c.Expiry(o); rule != "" && !when.After(now) {
		return Action{Expire: true, Rule: rule}
	}
	var act Action
	for i := range c.Rules {
		r := &c.Rules[i]
		if !r.enabled() || !r.matches(o) {
			continue
		}
		for _, t := range r.Transitions {
			when, ok := due(t.Days, t.Date, o.Modified)
			if ok && !when.After(now) && c.moves(r, o, t.Class) && colder(t.Class, act.Class) {
				act = Action{Class: t.Class, Rule: r.ID}
			}
		}
	}
	return act
}

// Expiry returns when a current version goes, and by which rule; "" if never.
func (c *Config) Expiry(o *Object) (when time.Time, rule string) {
	for i := range c.Rules {
		r := &c.Rules[i]
		if !r.enabled() || r.Expiration == nil || !r.matches(o) {
			continue
		}
		t, ok := due(r.Expiration.Days, r.Expiration.Date, o.Modified)
		if ok && (rule == "" || t.Before(when)) {
			when, rule = t, r.ID
		}
	}
	return when, rule
}

// Noncurrent returns what to do now with a version that was replaced at the
// time since, when newer noncurrent versions of its key are newer in number.
func (c *Config) Noncurrent(o *Object, since time.Time, newer int, now time.Time) Action {
	var act Action
	for i := range c.Rules {
		r := &c.Rules[i]
		if !r.enabled() || !r.matches(o) {
			continue
		}
		if e := r.NoncurrentExpiration; e != nil && newer >= e.Keep && !midnightAfter(since, e.Days).After(now) {
			return Action{Expire: true, Rule: r.ID}
		}
		for _, m := range r.NoncurrentMoves {
			if newer >= m.Keep && !midnightAfter(since, m.Days).After(now) && c.moves(r, o, m.Class) && colder(m.Class, act.Class) {
				act = Action{Class: m.Class, Rule: r.ID}
			}
		}
	}
	return act
}

// LoneMarker reports whether to remove a delete marker that is the only
// version left of its key.
func (c *Config) LoneMarker(o *Object, now time.Time) bool {
	for i := range c.Rules {
		r := &c.Rules[i]
		e := r.Expiration
		if !r.enabled() || e == nil || !strings.HasPrefix(o.Key, r.prefix()) || r.byTagOrSize() {
			continue
		}
		if e.DeleteMarker != nil && *e.DeleteMarker {
			return true
		}
		if when, ok := due(e.Days, e.Date, o.Modified); ok && !when.After(now) {
			return true
		}
	}
	return false
}

// AbortUpload reports whether to give up an upload begun at the given time.
func (c *Config) AbortUpload(key string, began, now time.Time) bool {
	for i := range c.Rules {
		r := &c.Rules[i]
		if r.enabled() && r.Abort != nil && !r.byTagOrSize() && strings.HasPrefix(key, r.prefix()) &&
			!midnightAfter(began, r.Abort.Days).After(now) {
			return true
		}
	}
	return false
}

func (r *Rule) enabled() bool { return r.Status == "Enabled" }

// conditions returns the filter in its general form, wherever it was written.
func (r *Rule) conditions() And {
	f := r.Filter
	switch {
	case f == nil:
		return And{Prefix: r.Prefix}
	case f.And != nil:
		return *f.And
	case f.Tag != nil:
		return And{Tags: []Tag{*f.Tag}}
	}
	return And{Prefix: f.Prefix, GreaterThan: f.GreaterThan, LessThan: f.LessThan}
}

func (r *Rule) prefix() string {
	if p := r.conditions().Prefix; p != nil {
		return *p
	}
	return ""
}

func (r *Rule) byTagOrSize() bool {
	c := r.conditions()
	return len(c.Tags) > 0 || c.GreaterThan != nil || c.LessThan != nil
}

func (r *Rule) matches(o *Object) bool {
	c := r.conditions()
	if c.Prefix != nil && !strings.HasPrefix(o.Key, *c.Prefix) {
		return false
	}
	if c.GreaterThan != nil && o.Size <= *c.GreaterThan || c.LessThan != nil && o.Size >= *c.LessThan {
		return false
	}
	for _, t := range c.Tags {
		if v, ok := o.Tags(t.Key); !ok || v != t.Value {
			return false
		}
	}
	return true
}

// moves reports whether a rule may move an object to a class: only to a
// colder one, and by default nothing small.
func (c *Config) moves(r *Rule, o *Object, class string) bool {
	if !colder(class, o.Class) {
		return false
	}
	cond := r.conditions()
	if c.AnySize || cond.GreaterThan != nil || cond.LessThan != nil {
		return true
	}
	return o.Size >= smallest
}

// warmth orders the classes as S3's transitions go, downwards only.
var warmth = map[string]int{
	"": 0, "STANDARD": 0, "REDUCED_REDUNDANCY": 0, "STANDARD_IA": 1,
	"INTELLIGENT_TIERING": 2, "ONEZONE_IA": 3, "GLACIER_IR": 4, "GLACIER": 5, "DEEP_ARCHIVE": 6,
}

func colder(a, b string) bool { return warmth[a] > warmth[b] }

// due returns when something of a number of days, or of a date, is due.
func due(days *int, date string, from time.Time) (time.Time, bool) {
	if days != nil {
		return midnightAfter(from, *days), true
	}
	if date == "" {
		return time.Time{}, false
	}
	t, err := parseDate(date)
	return t, err == nil
}

// midnightAfter returns the first midnight UTC after from plus days.
func midnightAfter(from time.Time, days int) time.Time {
	t := from.UTC().AddDate(0, 0, days)
	return t.Truncate(24 * time.Hour).Add(24 * time.Hour)
}

func parseDate(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05.000Z", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no date", s)
}
