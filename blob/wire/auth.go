package wire

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pressroom/blob/fault"
	"pressroom/sigv4"
)

// identity says who makes a request.
type identity struct {
	owner bool            // else anonymous
	sig   *sigv4.Identity // nil if nothing was verified
}

// authenticate finds out who makes the request. It reads no body.
func (r *request) authenticate() error {
	if trusted(r.Context()) || r.h.opt.Secret == nil {
		r.who.owner = true
		return nil
	}
	if !r.signed() {
		return nil
	}
	if r.has("AWSAccessKeyId") && r.Header.Get("Authorization") == "" {
		return r.authenticateLink()
	}
	if err := r.checkForm(); err != nil {
		return err
	}
	if token := r.header("X-Amz-Security-Token") + r.query.Get("X-Amz-Security-Token"); token != "" {
		return fault.InvalidToken.With("Token-0", token) // keys here are permanent
	}
	id, err := r.h.verifier.Verify(r.Request)
	if err != nil {
		return r.authError(err)
	}
	r.who = identity{owner: true, sig: id}
	return nil
}

// authenticateLink is authenticate for links by version 2 of the signature, which
// know no region.
func (r *request) authenticateLink() error {
	inHost := ""
	if bucket, ok := bucketInHost(r.Host, r.h.opt.Domains); ok {
		inHost = bucket
	}
	id, err := r.h.verifier.VerifyLink(r.Request, inHost)
	if err != nil {
		return r.authError(err)
	}
	r.who = identity{owner: true, sig: id}
	return nil
}

// checkRegion refuses a signature for another region than the bucket's, and
// names that, so that clients can sign again. A bucket from before buckets had
// one is in all of them.
func (r *request) checkRegion() error {
	if r.who.sig == nil || r.who.sig.Region == "" || r.bucket == "" || r.op.name == "CreateBucket" {
		return nil
	}
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil || b.Region == "" || b.Region == r.who.sig.Region || b.Region == "EU" && r.who.sig.Region == "eu-west-1" {
		return nil // what is wrong with the bucket, the operation says
	}
	f := fault.AuthorizationHeaderMalformed
	if r.who.sig.Presigned {
		f = fault.AuthorizationQuery
	}
	return f.Say("The authorization header is malformed; the region '%s' is wrong; expecting '%s'", r.who.sig.Region, b.Region).
		With("Region", b.Region).WithHeader("x-amz-bucket-region", b.Region)
}

// signed reports whether the request carries credentials of any kind.
func (r *request) signed() bool {
	if r.Header.Get("Authorization") != "" {
		return true
	}
	for _, p := range []string{"X-Amz-Algorithm", "X-Amz-Signature", "X-Amz-Credential", "AWSAccessKeyId", "Signature"} {
		if r.has(p) {
			return true
		}
	}
	return false
}

// authError puts the verifier's refusal in S3's terms.
func (r *request) authError(err error) error {
	var e *sigv4.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case sigv4.CodeMissing:
		return fault.AccessDenied
	case sigv4.CodeUnsupported:
		return fault.UnsupportedAuthorization
	case sigv4.CodeUnknownKey:
		return fault.InvalidAccessKeyID.With("AWSAccessKeyId", e.AccessKeyID)
	case sigv4.CodeSkewed:
		return r.skewed(e)
	case sigv4.CodeExpired:
		return r.expired()
	case sigv4.CodeUnsignedHeaders:
		return fault.HeadersNotSigned.With("HeadersNotSigned", strings.Join(e.Headers, ", "))
	case sigv4.CodeMismatch:
		return mismatch(e)
	case sigv4.CodePayload:
		return fault.ContentSHA256Mismatch
	}
	return r.malformed(e)
}

func (r *request) malformed(e *sigv4.Error) error {
	if e.Presigned {
		return fault.AuthorizationQuery.Say("%s", e.Message)
	}
	f := fault.AuthorizationHeaderMalformed.Say("The authorization header is malformed; %s.", e.Message)
	if e.Region != "" {
		f = f.With("Region", e.Region)
	}
	return f
}

func mismatch(e *sigv4.Error) error {
	f := fault.SignatureDoesNotMatch.With("AWSAccessKeyId", e.AccessKeyID).
		With("StringToSign", e.StringToSign).With("SignatureProvided", e.Signature).
		With("StringToSignBytes", spaced(e.StringToSign))
	if e.CanonicalRequest != "" {
		f = f.With("CanonicalRequest", e.CanonicalRequest).With("CanonicalRequestBytes", spaced(e.CanonicalRequest))
	}
	return f
}

// spaced prints bytes as S3 does, in hex with spaces between.
func spaced(s string) string { return fmt.Sprintf("% x", s) }

func (r *request) skewed(e *sigv4.Error) error {
	if e.Presigned {
		return fault.RequestNotYetValid
	}
	date := r.Header.Get("X-Amz-Date")
	if date == "" {
		date = r.Header.Get("Date")
	}
	return fault.RequestTimeTooSkewed.With("RequestTime", date).
		With("ServerTime", r.now().Format("2006-01-02T15:04:05Z")).
		With("MaxAllowedSkewMilliseconds", "900000")
}

func (r *request) expired() error {
	if n, err := strconv.ParseInt(r.query.Get("Expires"), 10, 64); err == nil {
		return fault.RequestExpired.With("Expires", time.Unix(n, 0).UTC().Format("2006-01-02T15:04:05Z")).
			With("ServerTime", r.now().Format("2006-01-02T15:04:05Z"))
	}
	f := fault.RequestExpired.With("X-Amz-Expires", r.query.Get("X-Amz-Expires"))
	if t, err := time.Parse(amzDate, r.query.Get("X-Amz-Date")); err == nil {
		n, _ := strconv.Atoi(r.query.Get("X-Amz-Expires")) // its form was checked
		f = f.With("Expires", t.Add(time.Duration(n)*time.Second).Format("2006-01-02T15:04:05Z"))
	}
	return f.With("ServerTime", r.now().Format("2006-01-02T15:04:05Z"))
}

// payloadHash returns what the request declares of its body.
func (r *request) payloadHash() string {
	if r.who.sig != nil {
		return r.who.sig.PayloadHash
	}
	if h := r.header("X-Amz-Content-Sha256"); h != "" {
		return h
	}
	return sigv4.UnsignedPayload
}

// isAnonymous reports whether nobody signed the request.
func (r *request) isAnonymous() bool { return !r.who.owner }

var _ http.Handler = (*Handler)(nil)
