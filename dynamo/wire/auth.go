package wire

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pressroom/dynamo/engine"
	"pressroom/sigv4"
)

// screen refuses a request that cannot be signed by anyone we know, whatever its
// body is.
func (h *handler) screen(r *http.Request) error {
	if err := checkForm(r); err != nil {
		return err
	}
	return asSignatureError(h.verifier.Screen(r))
}

// authenticate checks by whom the request is signed.
func (h *handler) authenticate(r *http.Request, sent []byte) error {
	_, err := h.verifier.VerifyBody(r, sha256.Sum256(sent))
	return asSignatureError(err)
}

func asSignatureError(err error) error {
	var refusal *sigv4.Error
	if !errors.As(err, &refusal) {
		return err
	}
	return signatureError(refusal)
}

// checkForm refuses a request that has no signature or misses a part of one.
// All that is missing is listed together.
func checkForm(r *http.Request) error {
	header := r.Header.Get("Authorization")
	params, _ := url.ParseQuery(r.URL.RawQuery)
	_, query := params["X-Amz-Algorithm"]
	var missing strings.Builder
	switch {
	case header != "" && query:
		return &engine.Error{Type: invalidSignature, Message: "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."}
	case header == "" && !query, header != "" && !strings.HasPrefix(strings.TrimSpace(header), "AWS4-"):
		return &engine.Error{Type: missingToken, Message: "Request is missing Authentication Token"}
	case query:
		for _, name := range []string{"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"} {
			if params.Get(name) == "" {
				missing.WriteString("AWS query-string parameters must include '" + name + "'. ")
			}
		}
		if missing.Len() > 0 {
			missing.WriteString("Re-examine the query-string parameters.")
		}
	default:
		checkHeader(&missing, r, header)
	}
	if missing.Len() > 0 {
		return &engine.Error{Type: incompleteSignature, Message: missing.String()}
	}
	return nil
}

func checkHeader(missing *strings.Builder, r *http.Request, header string) {
	given := map[string]bool{}
	for i, part := range strings.FieldsFunc(header, func(c rune) bool { return c == ',' || c == ' ' }) {
		if name, value, _ := strings.Cut(part, "="); i > 0 && value != "" {
			given[name] = true
		}
	}
	for _, name := range []string{"Credential", "Signature", "SignedHeaders"} {
		if !given[name] {
			missing.WriteString("Authorization header requires '" + name + "' parameter. ")
		}
	}
	if r.Header.Get("X-Amz-Date") == "" && r.Header.Get("Date") == "" {
		missing.WriteString("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
	}
	if missing.Len() > 0 {
		missing.WriteString("Authorization=" + header)
	}
}

// signatureError words a refused signature as DynamoDB does.
func signatureError(e *sigv4.Error) *engine.Error {
	switch e.Code {
	case sigv4.CodeMissing:
		return &engine.Error{Type: missingToken, Message: "Request is missing Authentication Token"}
	case sigv4.CodeMalformed, sigv4.CodeUnsupported:
		return &engine.Error{Type: incompleteSignature, Message: e.Message}
	case sigv4.CodeUnknownKey:
		return &engine.Error{Type: unrecognizedClient, Message: "The security token included in the request is invalid."}
	case sigv4.CodeMismatch:
		return &engine.Error{Type: invalidSignature, Message: mismatch(e)}
	case sigv4.CodeSkewed:
		return &engine.Error{Type: invalidSignature, Message: skewed(e)}
	}
	return &engine.Error{Type: invalidSignature, Message: e.Message}
}

func mismatch(e *sigv4.Error) string {
	return "The request signature we calculated does not match the signature you provided. " +
		"Check your AWS Secret Access Key and signing method. Consult the service documentation for details.\n\n" +
		"The Canonical String for this request should have been\n'" + e.CanonicalRequest + "'\n\n" +
		"The String-to-Sign should have been\n'" + e.StringToSign + "'\n"
}

func skewed(e *sigv4.Error) string {
	at := func(t time.Time) string { return t.UTC().Format("20060102T150405Z") }
	minutes := strconv.Itoa(int(e.MaxSkew.Minutes()))
	if e.RequestTime.Before(e.ServerTime) {
		return "Signature expired: " + at(e.RequestTime) + " is now earlier than " + at(e.ServerTime.Add(-e.MaxSkew)) +
			" (" + at(e.ServerTime) + " - " + minutes + " min.)"
	}
	return "Signature not yet current: " + at(e.RequestTime) + " is still later than " + at(e.ServerTime.Add(e.MaxSkew)) +
		" (" + at(e.ServerTime) + " + " + minutes + " min.)"
}
