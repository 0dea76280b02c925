package sigv4

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Limits on what is looked at, far above what clients send. They bound the
// work for a request that nobody has signed.
const (
	maxAuthorization = 16 << 10
	maxQuery         = 64 << 10
	maxParams        = 1000
	maxCanonical     = 128 << 10
	maxSignedHeaders = 256
)

// claim is what a request says of its own signature.
type claim struct {
	presigned bool
	policy    bool

	accessKeyID string
	scope       string // day/region/service/aws4_request
	day         string
	region      string
	service     string

	date          string // as it is signed, in timeFormat
	time          time.Time
	signedHeaders string
	names         []string // the signed headers one by one, sorted
	signature     string
	token         string
	expires       time.Duration // of a presigned request
	payload       string        // X-Amz-Content-Sha256 in the query

	query []param
}

// errorf returns an error that says what is known of the request.
func (c *claim) errorf(code Code, format string, args ...any) *Error {
	return &Error{
		Code:        code,
		Message:     fmt.Sprintf(format, args...),
		Presigned:   c.presigned,
		AccessKeyID: c.accessKeyID,
		Signature:   c.signature,
	}
}

// ServiceOf returns the service that r's credential scope names, unverified,
// or "" if r carries no Signature Version 4 credentials. It serves to route a
// request on a port that speaks for several services.
func ServiceOf(r *http.Request) string {
	c := new(claim)
	credential := ""
	if auth := r.Header.Get("Authorization"); auth != "" {
		rest, ok := strings.CutPrefix(auth, algorithm+" ")
		if !ok || len(auth) > maxAuthorization {
			return ""
		}
		for rest != "" {
			var part string
			part, rest, _ = strings.Cut(rest, ",")
			if value, ok := strings.CutPrefix(strings.TrimSpace(part), "Credential="); ok {
				credential = value
			}
		}
	} else if len(r.URL.RawQuery) > maxQuery {
		return ""
	} else if params, err := parseQuery(r.URL.RawQuery); err == nil {
		credential, _ = findParam(params, "X-Amz-Credential")
	}
	if c.setCredential(credential) != nil {
		return ""
	}
	return c.service
}

// parseRequest reads the claim of a request, from its Authorization header or
// its query string.
func parseRequest(r *http.Request) (*claim, error) {
	c := new(claim)
	if len(r.URL.RawQuery) > maxQuery {
		return nil, c.errorf(CodeMalformed, "Query string is longer than %d bytes", maxQuery)
	}
	var err error
	if c.query, err = parseQuery(r.URL.RawQuery); err != nil {
		return nil, c.errorf(CodeMalformed, "Query string has %s", err)
	}
	auth := r.Header["Authorization"]
	if len(auth) > 1 {
		return nil, c.errorf(CodeMalformed, "Header Authorization is there more than once")
	}
	_, inQuery := findParam(c.query, "X-Amz-Algorithm")
	switch {
	case len(auth) == 1 && inQuery:
		return nil, c.errorf(CodeMalformed, "Request is signed twice, by header and by query; only one is allowed")
	case len(auth) == 1:
		err = c.readHeader(r, auth[0])
	case inQuery:
		c.presigned = true
		err = c.readQuery()
	default:
		err = c.refuseOther()
	}
	if err != nil {
		return nil, err
	}
	return c, c.setNames()
}

// refuseOther tells a request without a signature from one with another kind.
func (c *claim) refuseOther() error {
	if _, ok := findParam(c.query, "AWSAccessKeyId"); ok {
		c.presigned = true
		return c.errorf(CodeUnsupported, "Signature Version 2 is not supported; sign with %s", algorithm)
	}
	for _, name := range []string{"X-Amz-Signature", "X-Amz-Credential"} {
		if _, ok := findParam(c.query, name); ok {
			c.presigned = true
			return c.errorf(CodeMalformed, "Query parameter X-Amz-Algorithm is missing")
		}
	}
	return c.errorf(CodeMissing, "Request is not signed")
}

func (c *claim) readHeader(r *http.Request, auth string) error {
	if len(auth) > maxAuthorization {
		return c.errorf(CodeMalformed, "Header Authorization is longer than %d bytes", maxAuthorization)
	}
	scheme, rest, _ := strings.Cut(auth, " ")
	if err := c.checkAlgorithm(scheme); err != nil {
		return err
	}
	var credential string
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, ",")
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		var field *string
		switch name {
		case "Credential":
			field = &credential
		case "SignedHeaders":
			field = &c.signedHeaders
		case "Signature":
			field = &c.signature
		default:
			return c.errorf(CodeMalformed, "Header Authorization has an unknown part %q", clip(name))
		}
		if *field != "" {
			return c.errorf(CodeMalformed, "Header Authorization has %s twice", name)
		}
		*field = value
	}
	if credential == "" || c.signedHeaders == "" || c.signature == "" {
		return c.errorf(CodeMalformed, "Header Authorization must have Credential, SignedHeaders and Signature")
	}
	if err := c.setCredential(credential); err != nil {
		return err
	}
	c.token = r.Header.Get("X-Amz-Security-Token")
	return c.readDate(r)
}

// readDate takes X-Amz-Date, or Date if that is all there is.
func (c *claim) readDate(r *http.Request) error {
	if values := r.Header["X-Amz-Date"]; len(values) > 0 {
		if len(values) > 1 {
			return c.errorf(CodeMalformed, "Header X-Amz-Date is there more than once")
		}
		return c.setDate(values[0])
	}
	date := r.Header.Get("Date")
	if date == "" {
		return c.errorf(CodeMalformed, "Header X-Amz-Date is missing")
	}
	if t, err := http.ParseTime(date); err == nil {
		date = t.UTC().Format(timeFormat)
	}
	return c.setDate(date)
}

func (c *claim) readQuery() error {
	var credential, date, expires, alg string
	fields := map[string]*string{
		"X-Amz-Algorithm":      &alg,
		"X-Amz-Credential":     &credential,
		"X-Amz-Date":           &date,
		"X-Amz-Expires":        &expires,
		"X-Amz-SignedHeaders":  &c.signedHeaders,
		"X-Amz-Signature":      &c.signature,
		"X-Amz-Security-Token": &c.token,
		"X-Amz-Content-Sha256": &c.payload,
	}
	for _, p := range c.query {
		field := fields[p.name]
		if field == nil {
			continue
		}
		if *field != "" {
			return c.errorf(CodeMalformed, "Query parameter %s is there more than once", p.name)
		}
		*field = p.value
	}
	if err := c.checkAlgorithm(alg); err != nil {
		return err
	}
	for _, name := range []string{"X-Amz-Credential", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Signature"} {
		if *fields[name] == "" {
			return c.errorf(CodeMalformed, "Query parameter %s is missing", name)
		}
	}
	if err := c.setCredential(credential); err != nil {
		return err
	}
	if expires == "" {
		if isS3(c.service) {
			return c.errorf(CodeMalformed, "Query parameter X-Amz-Expires is missing")
		}
		return c.setDate(date) // as good for as long as a signature in the header
	}
	seconds, err := strconv.Atoi(expires)
	if err != nil || seconds < 1 || seconds > int(maxExpires/time.Second) {
		return c.errorf(CodeMalformed, "X-Amz-Expires must be a number of seconds from 1 to %d, a week", maxExpires/time.Second)
	}
	c.expires = time.Duration(seconds) * time.Second
	return c.setDate(date)
}

func (c *claim) checkAlgorithm(name string) error {
	switch name {
	case algorithm:
		return nil
	case "AWS4-ECDSA-P256-SHA256":
		return c.errorf(CodeUnsupported, "Signature Version 4A is not supported; sign with %s", algorithm)
	case "AWS":
		return c.errorf(CodeUnsupported, "Signature Version 2 is not supported; sign with %s", algorithm)
	}
	return c.errorf(CodeUnsupported, "Signing method %q is not supported; sign with %s", clip(name), algorithm)
}

// setCredential reads access-key-id/day/region/service/aws4_request. The
// access key id may have slashes itself.
func (c *claim) setCredential(s string) error {
	rest, ok := strings.CutSuffix(s, "/"+scopeEnd)
	rest, service := cutLast(rest)
	rest, region := cutLast(rest)
	id, day := cutLast(rest)
	if !ok || id == "" || region == "" || service == "" || !isDay(day) || strings.ContainsFunc(s, isControl) {
		return c.errorf(CodeMalformed, "Credential must be access-key-id/YYYYMMDD/region/service/%s", scopeEnd)
	}
	c.accessKeyID, c.day, c.region, c.service = id, day, region, service
	c.scope = s[len(id)+1:]
	return nil
}

func isControl(r rune) bool { return r <= ' ' || r == 0x7f }

func cutLast(s string) (before, last string) {
	i := strings.LastIndexByte(s, '/')
	if i < 0 {
		return "", s
	}
	return s[:i], s[i+1:]
}

func isDay(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) == len(dateFormat)
}

func (c *claim) setDate(s string) error {
	t, err := time.Parse(timeFormat, s)
	// Parse also takes fractions of a second, which the format does not have.
	if err != nil || len(s) != len(timeFormat) {
		return c.errorf(CodeMalformed, "The request's date must look like %s", timeFormat)
	}
	c.date, c.time = s, t
	return nil
}

// setNames reads SignedHeaders, which is part of what is signed as it stands:
// lower-case names with semicolons between.
func (c *claim) setNames() error {
	if strings.Count(c.signedHeaders, ";") >= maxSignedHeaders {
		return c.errorf(CodeMalformed, "More than %d headers are signed", maxSignedHeaders)
	}
	c.names = strings.Split(c.signedHeaders, ";")
	last := ""
	for _, name := range c.names {
		if name <= last || !validName(name) {
			return c.errorf(CodeMalformed, "SignedHeaders must be lower-case names in alphabetical order, separated by semicolons")
		}
		last = name
	}
	return nil
}

func validName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == ':' || c == ',' || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// clip shortens what a message quotes.
func clip(s string) string { return s[:min(len(s), 40)] }
