package api

import (
	"iter"
	"strings"

	"pressroom/internal/errs"
)

// Edit is embedded in the input of an operation that changes what somebody has
// read. Without an If-Match it is answered with 428.
type Edit struct {
	IfMatch string `header:"If-Match" max:"1000" doc:"the ETag of what was read, or * for whatever is there"`
}

// Match reports whether the present version, as Tag gives it, is one that the
// caller read: nil, or errs.Stale. The write that follows must still be
// conditional on that version; between the two, somebody else may come.
func (e Edit) Match(tag string) error {
	if e.IfMatch == "" {
		return errs.Unversioned
	}
	for name := range tagsIn([]string{e.IfMatch}) {
		if name == "*" || name == quote(tag) {
			return nil
		}
	}
	return errs.Stale
}

// tagsIn yields the tags of If-Match and If-None-Match, with their quotes.
func tagsIn(headers []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, header := range headers {
			for name := range strings.SplitSeq(header, ",") {
				if name = strings.TrimSpace(name); name != "" && !yield(name) {
					return
				}
			}
		}
	}
}

// quote makes an ETag of a version. A version is made of the characters that an
// ETag may have, without a comma, at which tags are told apart.
func quote(tag string) string { return `"` + tag + `"` }
