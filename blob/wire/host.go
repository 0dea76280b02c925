package wire

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"pressroom/blob/fault"
)

// address finds bucket and key in host and path. The path is taken as it
// came: "//", "." and ".." are parts of keys.
func (r *request) address() error {
	query, err := url.ParseQuery(strings.ReplaceAll(r.URL.RawQuery, ";", "%3B"))
	if err != nil {
		return fault.InvalidURI
	}
	r.query = query
	path := r.URL.Path
	if !strings.HasPrefix(path, "/") || !utf8.ValidString(path) {
		return fault.InvalidURI
	}
	path = path[1:]
	if bucket, ok := bucketInHost(r.Host, r.h.opt.Domains); ok {
		r.bucket, r.key = bucket, path
		return nil
	}
	r.bucket, r.key, _ = strings.Cut(path, "/")
	return nil
}

// byLength returns the domains in lower case, the longest first, so that
// "s3.localhost" is not taken for a bucket of "localhost".
func byLength(domains []string) []string {
	var out []string
	for _, d := range domains {
		out = append(out, strings.ToLower(d))
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// bucketInHost returns what stands before the first of the domains that host
// ends in.
func bucketInHost(host string, domains []string) (string, bool) {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if net.ParseIP(strings.Trim(host, "[]")) != nil {
		return "", false
	}
	for _, d := range domains {
		if host == d {
			return "", false
		}
		if bucket, ok := strings.CutSuffix(host, "."+d); ok && bucket != "" {
			return bucket, true
		}
	}
	return regionalBucket(host)
}

// regionalBucket knows Amazon's own names, which proxies and DNS overrides
// lead here: bucket.s3.region.amazonaws.com.
func regionalBucket(host string) (string, bool) {
	rest, ok := strings.CutSuffix(host, ".amazonaws.com")
	if !ok {
		return "", false
	}
	i := strings.LastIndex(rest, ".s3.")
	if i <= 0 || strings.Contains(rest[i+len(".s3."):], ".") {
		return "", false
	}
	return rest[:i], true
}

// location returns the URL of an object as the client could use it.
func (r *request) location(bucket, key string) string {
	scheme := "http"
	if r.TLS != nil || r.URL.Scheme == "https" {
		scheme = "https"
	}
	if _, ok := bucketInHost(r.Host, r.h.opt.Domains); ok {
		return scheme + "://" + r.Host + "/" + escapePath(key)
	}
	return scheme + "://" + r.Host + "/" + bucket + "/" + escapePath(key)
}

// escapePath is S3's URL encoding, which leaves "/" as it is.
func escapePath(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.*/~", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
