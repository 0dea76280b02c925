package wire

import (
	"strconv"
	"strings"
	"time"

	"pressroom/blob/fault"
	"pressroom/sigv4"
)

// This file answers credentials of a wrong form in S3's own words, before the
// verifier sees them. It accepts nothing: what passes here is verified still.

const (
	algorithm    = "AWS4-HMAC-SHA256"
	algorithmV4A = "AWS4-ECDSA-P256-SHA256"
	amzDate      = "20060102T150405Z"
)

func (r *request) checkForm() error {
	if a := r.Header.Get("Authorization"); a != "" {
		return r.checkHeaderForm(a)
	}
	return r.checkQueryForm()
}

func (r *request) checkHeaderForm(a string) error {
	if strings.HasPrefix(a, "AWS ") {
		return fault.UnsupportedAuthorization
	}
	scheme, rest, ok := strings.Cut(a, " ")
	if !ok || rest == "" {
		return fault.Argument("Authorization", a, "Authorization header is invalid -- one and only one ' ' (space) required.")
	}
	if scheme != algorithm {
		return fault.Argument("Authorization", scheme, "Unsupported Authorization Type")
	}
	if message, region := r.headerFault(rest); message != "" {
		f := fault.AuthorizationHeaderMalformed.Say("The authorization header is malformed; %s", message)
		if region != "" {
			f = f.With("Region", region)
		}
		return f
	}
	if !r.validDate() {
		return fault.AccessDenied.Say("AWS authentication requires a valid Date or x-amz-date header.")
	}
	if _, ok := r.Header["X-Amz-Content-Sha256"]; !ok {
		return fault.MissingContentSHA256
	}
	return checkPayloadHash(r.header("X-Amz-Content-Sha256"))
}

// headerFault says what is wrong with the components of an Authorization
// header, and which region was expected, if that is it.
func (r *request) headerFault(rest string) (message, region string) {
	parts := strings.Split(rest, ",")
	if len(parts) != 3 {
		return "the authorization header requires three components: Credential, SignedHeaders, and Signature.", ""
	}
	found := make(map[string]string)
	for _, p := range parts {
		name, value, ok := strings.Cut(strings.TrimSpace(p), "=")
		if !ok {
			return "the authorization component " + strconv.Quote(strings.TrimSpace(p)) + " is malformed.", ""
		}
		found[name] = value
	}
	for _, name := range []string{"Credential", "SignedHeaders", "Signature"} {
		if found[name] == "" {
			return "missing " + name + ".", ""
		}
	}
	return scopeFault(found["Credential"], r.h.opt.Region)
}

// scopeFault says what is wrong with a credential: its form, its date's form,
// its region, service or end.
func scopeFault(credential, region string) (message, expected string) {
	scope := strings.Split(credential, "/")
	if len(scope) != 5 {
		return `the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".`, ""
	}
	switch {
	case scope[4] != "aws4_request":
		return "incorrect terminal " + strconv.Quote(scope[4]) + `. This endpoint uses "aws4_request".`, ""
	case scope[3] != "s3":
		return "incorrect service " + strconv.Quote(scope[3]) + `. This endpoint belongs to "s3".`, ""
	case region != "" && scope[2] != region:
		return "the region " + strconv.Quote(scope[2]) + " is wrong; expecting " + strconv.Quote(region), region
	}
	if _, err := time.Parse("20060102", scope[1]); err != nil {
		return "incorrect date format " + strconv.Quote(scope[1]) + `. This date in the credential must be in the format "yyyyMMdd".`, ""
	}
	return "", ""
}

func (r *request) validDate() bool {
	v := r.header("X-Amz-Date")
	if v == "" {
		return !headerTime(r.header("Date")).IsZero()
	}
	_, err := time.Parse(amzDate, v)
	return err == nil || !headerTime(v).IsZero()
}

func checkPayloadHash(v string) error {
	switch v {
	case sigv4.UnsignedPayload, sigv4.StreamingPayload, sigv4.StreamingPayloadTrailer, sigv4.StreamingUnsignedTrailer:
		return nil
	case "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER":
		return fault.NotImplemented.With("Header", "x-amz-content-sha256")
	}
	return new(payload).expectSum(v)
}

// queryParams must all be there if one is.
var queryParams = []string{
	"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Expires",
}

func (r *request) checkQueryForm() error {
	if r.has("AWSAccessKeyId") || r.has("Signature") && !r.has("X-Amz-Signature") {
		return fault.UnsupportedAuthorization
	}
	for _, p := range queryParams {
		if r.query.Get(p) == "" {
			return fault.AuthorizationQuery.Say("Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.")
		}
	}
	switch r.query.Get("X-Amz-Algorithm") {
	case algorithm:
	case algorithmV4A:
		return fault.AuthorizationQuery.Say(`X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"`)
	default:
		return fault.AuthorizationQuery.Say(`X-Amz-Algorithm only supports "AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256"`)
	}
	credential := r.query.Get("X-Amz-Credential")
	if message, _ := scopeFault(credential, r.h.opt.Region); message != "" {
		return fault.AuthorizationQuery.Say("Error parsing the X-Amz-Credential parameter; %s", message)
	}
	return r.checkQueryTimes(strings.Split(credential, "/")[1])
}

func (r *request) checkQueryTimes(scopeDate string) error {
	date := r.query.Get("X-Amz-Date")
	if _, err := time.Parse(amzDate, date); err != nil {
		return fault.AuthorizationQuery.Say(`X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`)
	}
	if date[:8] != scopeDate {
		return fault.AuthorizationQuery.Say("Invalid credential date %q. This date is not the same as X-Amz-Date: %q.", scopeDate, date[:8])
	}
	n, err := strconv.ParseInt(r.query.Get("X-Amz-Expires"), 10, 64)
	switch {
	case err != nil:
		return fault.AuthorizationQuery.Say("X-Amz-Expires should be a number")
	case n < 0:
		return fault.AuthorizationQuery.Say("X-Amz-Expires must be non-negative")
	case n > 604800:
		return fault.AuthorizationQuery.Say("X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds")
	}
	return nil
}
