package wire

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

// preconditions are the conditional headers of a read, or, with a prefix, of
// the source of a copy.
type preconditions struct {
	match, noneMatch string
	modified         time.Time // If-Modified-Since; zero if absent
	unmodified       time.Time
	notModified      *fault.Error // what a read answers to an unchanged object
}

func readPreconditions(h http.Header, prefix string) preconditions {
	return preconditions{
		match:       h.Get(prefix + "If-Match"),
		noneMatch:   h.Get(prefix + "If-None-Match"),
		modified:    headerTime(h.Get(prefix + "If-Modified-Since")),
		unmodified:  headerTime(h.Get(prefix + "If-Unmodified-Since")),
		notModified: fault.NotModified,
	}
}

// headerTime reads a time; S3 ignores one that it cannot read.
func headerTime(v string) time.Time {
	if t, err := http.ParseTime(v); err == nil {
		return t
	}
	t, _ := time.Parse(time.RFC3339, v)
	return t
}

// check follows RFC 9110, 13.2.2, with S3's two exceptions: If-Match that
// holds outweighs If-Unmodified-Since, and If-None-Match that holds outweighs
// If-Modified-Since.
func (p preconditions) check(o *disk.Object, now time.Time) error {
	modified := o.Modified.Truncate(time.Second)
	switch {
	case p.match != "":
		if !matches(p.match, o.ETag) {
			return failed("If-Match")
		}
	case !p.unmodified.IsZero() && modified.After(p.unmodified):
		return failed("If-Unmodified-Since")
	}
	switch {
	case p.noneMatch != "":
		if matches(p.noneMatch, o.ETag) {
			return p.unchanged("If-None-Match", o)
		}
	case !p.modified.IsZero() && !p.modified.After(now) && !modified.After(p.modified):
		return p.unchanged("If-Modified-Since", o)
	}
	return nil
}

func (p preconditions) unchanged(header string, o *disk.Object) error {
	if p.notModified == nil {
		return failed(header)
	}
	return p.notModified.WithHeader("ETag", quote(o.ETag)).
		WithHeader("Last-Modified", o.Modified.Format(http.TimeFormat))
}

func failed(header string) error { return fault.PreconditionFailed.With("Condition", header) }

// matches reports whether a list of entity tags has one of them, or is "*".
func matches(list, etag string) bool {
	for _, t := range strings.Split(list, ",") {
		t = strings.TrimPrefix(strings.TrimSpace(t), "W/")
		if t == "*" || strings.Trim(t, `"`) == etag {
			return true
		}
	}
	return false
}

// writeCheck reads the conditional headers of a write: If-Match with one tag,
// or If-None-Match with "*", as S3 has them.
func (r *request) writeCheck() (disk.Check, error) {
	match, none := r.header("If-Match"), r.header("If-None-Match")
	switch {
	case match != "" && none != "":
		return nil, fault.NotImplemented.With("Header", "If-Match,If-None-Match").
			With("additionalMessage", "Multiple conditional request headers present in the request")
	case none != "" && none != "*":
		return nil, fault.NotImplemented.With("Header", "If-None-Match").
			With("additionalMessage", `We don\'t accept the provided value of If-None-Match header for this API`)
	case none == "*":
		return func(cur *disk.Object) error {
			if cur != nil {
				return failed("If-None-Match")
			}
			return nil
		}, nil
	case match != "":
		key := r.key
		return func(cur *disk.Object) error {
			if cur == nil {
				return fault.NoSuchKey.With("Key", key)
			}
			if !matches(match, cur.ETag) {
				return failed("If-Match")
			}
			return nil
		}, nil
	}
	return nil, nil
}

// deleteCheck reads the conditional headers of a delete.
func deleteCheck(etag, modified, size string) (disk.Check, error) {
	if etag == "" && modified == "" && size == "" {
		return nil, nil
	}
	var wantSize int64
	if size != "" {
		var err error
		if wantSize, err = strconv.ParseInt(size, 10, 64); err != nil {
			return nil, fault.Argument("x-amz-if-match-size", size, "The size must be an integer")
		}
	}
	wantTime := headerTime(modified)
	return func(o *disk.Object) error {
		switch {
		case o == nil:
			return nil // there is nothing to delete, and nothing is what S3 does
		case etag != "" && !matches(etag, o.ETag):
			return failed("If-Match")
		case modified != "" && !wantTime.IsZero() && !o.Modified.Truncate(time.Second).Equal(wantTime.Truncate(time.Second)):
			return failed("If-Match-Last-Mod-Time")
		case size != "" && o.Size != wantSize:
			return failed("If-Match-Size")
		}
		return nil
	}, nil
}
