package wire

import (
	"encoding/xml"
	"net/http"
	"unicode"
	"unicode/utf8"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

const (
	maxObjectTags = 10
	maxBucketTags = 50
)

type tagging struct {
	XMLName xml.Name `xml:"Tagging"`
	Set     *struct {
		Tags []struct {
			Key   string `xml:"Key"`
			Value string `xml:"Value"`
		} `xml:"Tag"`
	} `xml:"TagSet"`
}

func (t *tagging) pairs(limit int) (disk.Pairs, error) {
	if t.Set == nil {
		return nil, fault.MalformedXML
	}
	tags := disk.Pairs{}
	for _, e := range t.Set.Tags {
		tags = append(tags, disk.Pair{Name: e.Key, Value: e.Value})
	}
	return tags, checkTags(tags, limit)
}

func checkTags(tags disk.Pairs, limit int) error {
	if len(tags) > limit {
		if limit == maxBucketTags {
			return fault.TooManyBucketTags
		}
		return fault.TooManyTags
	}
	seen := make(map[string]bool)
	for _, t := range tags {
		if t.Name == "" || utf8.RuneCountInString(t.Name) > 128 || !tagText(t.Name) {
			return fault.InvalidTag.Say("The TagKey you have provided is invalid").With("TagKey", t.Name)
		}
		if utf8.RuneCountInString(t.Value) > 256 || !tagText(t.Value) {
			return fault.InvalidTag.With("TagKey", t.Name).With("TagValue", t.Value)
		}
		if seen[t.Name] {
			return fault.InvalidTag.Say("Cannot provide multiple Tags with the same key").With("TagKey", t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}

// tagText allows letters, numbers and spaces of any script, and + - = . _ : / @
func tagText(s string) bool {
	for _, c := range s {
		if !unicode.IsLetter(c) && !unicode.IsMark(c) && !unicode.IsNumber(c) && !unicode.IsSpace(c) && !containsRune("+-=._:/@", c) {
			return false
		}
	}
	return true
}

func containsRune(set string, c rune) bool {
	for _, d := range set {
		if c == d {
			return true
		}
	}
	return false
}

func tagDoc(tags disk.Pairs) *doc {
	d := newDoc("Tagging").begin("TagSet")
	for _, t := range tags {
		d.begin("Tag").text("Key", t.Name).text("Value", t.Value).end()
	}
	return d
}

func (r *request) getObjectTagging() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	o, err := r.h.store.Head(r.bucket, r.key, r.query.Get("versionId"))
	if err != nil {
		return r.readError(err)
	}
	r.versionHeader(b, o)
	return r.answer(tagDoc(o.Tags))
}

func (r *request) putObjectTagging() error {
	var t tagging
	if err := r.readXML(&t, maxConfig); err != nil {
		return err
	}
	tags, err := t.pairs(maxObjectTags)
	if err != nil {
		return err
	}
	return r.setTags(tags, http.StatusOK)
}

func (r *request) deleteObjectTagging() error { return r.setTags(nil, http.StatusNoContent) }

func (r *request) setTags(tags disk.Pairs, status int) error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	o, err := r.h.store.SetTags(r.bucket, r.key, r.query.Get("versionId"), tags)
	if err != nil {
		return r.readError(err)
	}
	r.versionHeader(b, o)
	return r.status(status)
}

func (r *request) getBucketTagging() error {
	return r.getDoc(taggingDoc, fault.NoSuchTagSet)
}

func (r *request) putBucketTagging() error {
	if _, err := r.h.store.Bucket(r.bucket); err != nil {
		return err
	}
	var t tagging
	if err := r.readXML(&t, maxConfig); err != nil {
		return err
	}
	tags, err := t.pairs(maxBucketTags)
	if err != nil {
		return err
	}
	return r.putDoc(taggingDoc, tagDoc(tags).bytes(), http.StatusNoContent)
}
