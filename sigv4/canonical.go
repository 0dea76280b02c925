package sigv4

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// reading is a way to read a request where the rules leave room. Each covers
// the same bytes of the request, so that none lets another request pass.
type reading uint8

const (
	// readDecodedOrder: see appendQuery.
	readDecodedOrder reading = 1 << iota
	// readPathAsSent takes the path as it was sent. The documented way is to
	// decode and encode it again for S3, and to normalise it for others, while
	// several clients sign what they send.
	readPathAsSent
	// readTabs leaves tabs inside of header values as they are. The rules
	// speak of sequential spaces; most clients take any white space, the Go
	// SDK spaces alone.
	readTabs
)

// appendCanonical appends the canonical request. It adds to more the other
// readings that would make a difference.
func appendCanonical(b []byte, r *http.Request, c *claim, payloadHash string, as reading, more *reading) ([]byte, error) {
	b = append(b, r.Method...)
	if r.Method == "" {
		b = append(b, http.MethodGet...) // a client's request, in process
	}
	b = append(b, '\n')
	b = appendPath(b, r.URL, isS3(c.service), as, more)
	b = append(b, '\n')
	b = appendQuery(b, c.query, as, more)
	b = append(b, '\n')
	for _, name := range c.names {
		b = append(b, name...)
		b = append(b, ':')
		b = appendHeader(b, r, name, as, more)
		b = append(b, '\n')
		if len(b) > maxCanonical {
			return b, c.errorf(CodeMalformed, "What is signed is longer than %d bytes", maxCanonical)
		}
	}
	b = append(b, '\n')
	b = append(b, c.signedHeaders...)
	b = append(b, '\n')
	return append(b, payloadHash...), nil
}

func appendPath(b []byte, u *url.URL, s3 bool, as reading, more *reading) []byte {
	sent := sentPath(u)
	start := len(b)
	switch {
	case s3 && as&readPathAsSent != 0:
		return append(b, sent...)
	case s3:
		b = appendEncoded(b, decodedPath(u, sent), true)
		if string(b[start:]) != sent {
			*more |= readPathAsSent
		}
		return b
	}
	if as&readPathAsSent == 0 {
		if clean := normalPath(sent); clean != sent {
			*more |= readPathAsSent
			sent = clean
		}
	}
	return appendEncoded(b, sent, true)
}

// sentPath returns the path as it was in the request line.
func sentPath(u *url.URL) string {
	sent := u.RawPath
	switch {
	case u.Opaque != "":
		sent = u.Opaque
		if rest, ok := strings.CutPrefix(sent, "//"); ok {
			_, sent, _ = strings.Cut(rest, "/")
			sent = "/" + sent
		}
	case sent == "":
		sent = u.EscapedPath()
	}
	if sent == "" {
		return "/"
	}
	return sent
}

func decodedPath(u *url.URL, sent string) string {
	if u.Opaque == "" && u.Path != "" {
		return u.Path
	}
	if p, err := url.PathUnescape(sent); err == nil {
		return p
	}
	return sent
}

// normalPath removes dot segments and doubled slashes.
func normalPath(p string) string {
	clean := path.Clean(p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	return clean
}

// appendHeader appends the values of a header, with commas between. A header
// that is not there has an empty value.
func appendHeader(b []byte, r *http.Request, name string, as reading, more *reading) []byte {
	values := valuesOf(r.Header, name)
	if len(values) == 0 {
		return appendFolded(b, moved(r, name), as, more)
	}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendFolded(b, v, as, more)
	}
	return b
}

// valuesOf returns the values of a header by its lower-case name. It is
// what http.CanonicalHeaderKey would find, without making a string.
func valuesOf(h http.Header, name string) []string {
	var key [64]byte
	if len(name) > len(key) {
		return h[http.CanonicalHeaderKey(name)]
	}
	upper := true
	for i := range len(name) {
		c := name[i]
		if upper && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		key[i] = c
		upper = c == '-'
	}
	return h[string(key[:len(name)])]
}

// moved returns the value of a header that net/http keeps elsewhere than in
// the header map.
func moved(r *http.Request, name string) string {
	switch name {
	case "host":
		if r.Host == "" {
			return r.URL.Host
		}
		return r.Host
	case "content-length":
		if r.ContentLength >= 0 {
			return strconv.FormatInt(r.ContentLength, 10)
		}
	case "transfer-encoding":
		return strings.Join(r.TransferEncoding, ",")
	}
	return ""
}

// appendFolded appends a value without the space around it, and with each
// run of space in it as one.
func appendFolded(b []byte, v string, as reading, more *reading) []byte {
	v = strings.Trim(v, " \t")
	if !strings.Contains(v, "  ") && !strings.Contains(v, "\t") {
		return append(b, v...)
	}
	tabs := as&readTabs != 0
	space := false
	for i := range len(v) {
		c := v[i]
		if c == '\t' {
			*more |= readTabs
		}
		isSpace := c == ' ' || c == '\t' && !tabs
		switch {
		case !isSpace:
			b = append(b, c)
		case !space:
			b = append(b, ' ')
		}
		space = isSpace
	}
	return b
}

// checkSigned sees to it that host and all x-amz-* headers are signed, so
// that none can be added or changed on the way. Two are bound otherwise or
// not at all: the payload hash is a line of the canonical request, and some
// clients add the session token after signing.
func checkSigned(r *http.Request, c *claim) error {
	host, signed := false, 0
	for _, name := range c.names {
		host = host || name == "host"
		if mustSign(name) && len(valuesOf(r.Header, name)) > 0 {
			signed++
		}
	}
	present := 0
	for key, values := range r.Header {
		if mustSign(key) && len(values) > 0 {
			present++
		}
	}
	if host && signed == present {
		return nil
	}
	return c.unsigned(r)
}

func mustSign(name string) bool {
	const prefix = "x-amz-"
	return len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) &&
		!strings.EqualFold(name, "x-amz-content-sha256") && !strings.EqualFold(name, "x-amz-security-token")
}

// unsigned names the headers that are not signed and should be.
func (c *claim) unsigned(r *http.Request) *Error {
	var names []string
	if _, ok := slices.BinarySearch(c.names, "host"); !ok {
		names = append(names, "host")
	}
	for key := range r.Header {
		name := strings.ToLower(key)
		if _, ok := slices.BinarySearch(c.names, name); !ok && mustSign(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	e := c.errorf(CodeUnsignedHeaders, "Headers must be signed and are not: %s", strings.Join(names[:min(len(names), 10)], ", "))
	e.Headers = names
	return e
}
