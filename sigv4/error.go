package sigv4

import "time"

// Code says why a request was refused. The values are stable; handlers map
// them to the error codes of their service.
type Code string

// The comments name what S3 and DynamoDB answer in each case.
const (
	// CodeMissing: the request is not signed at all.
	// S3: AccessDenied. DynamoDB: MissingAuthenticationTokenException.
	CodeMissing Code = "MissingAuthentication"
	// CodeMalformed: a part of the signature is missing or cannot be read.
	// S3: AuthorizationHeaderMalformed, or AuthorizationQueryParametersError
	// if Presigned. DynamoDB: IncompleteSignatureException.
	CodeMalformed Code = "Malformed"
	// CodeUnsupported: another scheme, such as Signature Version 2 or 4A.
	// S3: InvalidRequest. DynamoDB: IncompleteSignatureException.
	CodeUnsupported Code = "Unsupported"
	// CodeUnknownKey: there is no such access key.
	// S3: InvalidAccessKeyId. DynamoDB: UnrecognizedClientException.
	CodeUnknownKey Code = "UnknownAccessKey"
	// CodeScope: the credential scope has another date, region or service.
	// S3: as CodeMalformed. DynamoDB: InvalidSignatureException.
	CodeScope Code = "WrongScope"
	// CodeSkewed: the request's time is too far from the server's.
	// S3: RequestTimeTooSkewed, or AccessDenied if Presigned (not yet valid).
	// DynamoDB: InvalidSignatureException.
	CodeSkewed Code = "Skewed"
	// CodeExpired: a presigned request is past its time.
	// S3: AccessDenied. DynamoDB: InvalidSignatureException.
	CodeExpired Code = "Expired"
	// CodeUnsignedHeaders: host or an x-amz-* header is not in SignedHeaders.
	// S3: AccessDenied. DynamoDB: InvalidSignatureException.
	CodeUnsignedHeaders Code = "UnsignedHeaders"
	// CodeMismatch: the signature is not the one computed here.
	// S3: SignatureDoesNotMatch. DynamoDB: InvalidSignatureException.
	CodeMismatch Code = "SignatureMismatch"
	// CodePayload: the body is not the one that was signed.
	// S3: XAmzContentSHA256Mismatch. DynamoDB: InvalidSignatureException.
	CodePayload Code = "PayloadMismatch"
)

// An Error is a request refused. It holds no secret; what is in it may be
// shown to the client, as S3 does.
type Error struct {
	Code      Code
	Message   string // a sentence for the client, without final stop
	Presigned bool   // the credentials were in the query string

	// What the request claimed, as far as it could be read.
	AccessKeyID string
	Signature   string

	// Region is the verifier's own where Code is CodeScope and the region is
	// what was wrong; else empty.
	Region string

	// The times, where Code is CodeSkewed or CodeExpired; Expires, when a
	// presigned request ended, only for the latter.
	RequestTime, ServerTime, Expires time.Time
	MaxSkew                          time.Duration

	// Headers lists what was not signed, where Code is CodeUnsignedHeaders.
	Headers []string

	// What the server signed, where Code is CodeMismatch. CanonicalRequest is
	// empty for chunks, trailers and POST policies, which have none.
	StringToSign     string
	CanonicalRequest string
}

// Error returns the code and the message.
func (e *Error) Error() string { return "sigv4: " + string(e.Code) + ": " + e.Message }
