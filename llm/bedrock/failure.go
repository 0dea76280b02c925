package bedrock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"pressroom/llm"
	"pressroom/llm/remote"
)

// failure turns the SDK's error into one of package llm.
func (p *Provider) failure(ctx, call context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("bedrock: %w", ctx.Err())
	}
	e := &llm.Error{Provider: "bedrock", Model: p.info.Model}
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) {
		e.Status = response.HTTPStatusCode()
		if e.Status == http.StatusOK {
			e.Status = 0
		}
		if response.Response != nil {
			e.RetryAfter = remote.RetryAfter(response.Response.Header, time.Now())
		}
	}
	var api smithy.APIError
	var broken *smithy.DeserializationError
	var timeout net.Error
	switch {
	case call.Err() != nil || errors.As(err, &timeout) && timeout.Timeout():
		e.Kind, e.Message = llm.Timeout, "no whole answer in time"
	case errors.Is(err, errTooLarge):
		e.Kind, e.Message = llm.Malformed, errTooLarge.Error()
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Kind, e.Message = llm.Disconnected, "the connection broke"
	case errors.As(err, &api):
		e.Kind, e.Message = kindOf(api, e.Status), remote.Clean(api.ErrorMessage())
	case errors.As(err, &broken):
		e.Kind, e.Message = llm.Malformed, "the answer is not JSON of this protocol"
	default:
		e.Kind, e.Message = transport(err)
		e.Unsent = e.Kind == llm.Unauthenticated || remote.Unsent(err)
	}
	return e
}

// kindOf is the table from the service's exceptions. Names that the SDK does not
// know go by their status.
func kindOf(api smithy.APIError, status int) llm.Kind {
	switch api.ErrorCode() {
	case "ThrottlingException", "TooManyRequestsException":
		return llm.RateLimited
	case "ServiceUnavailableException", "InternalServerException", "ModelNotReadyException", "ModelErrorException":
		return llm.Overloaded
	case "ModelTimeoutException":
		return llm.Timeout
	case "AccessDeniedException", "UnrecognizedClientException", "ExpiredTokenException", "InvalidSignatureException", "IncompleteSignature", "MissingAuthenticationTokenException":
		return llm.Unauthenticated
	case "ServiceQuotaExceededException":
		return llm.RateLimited
	case "ValidationException":
		if remote.IsTooLong(api.ErrorMessage()) {
			return llm.TooLong
		}
		return llm.BadRequest
	}
	switch {
	case status == http.StatusTooManyRequests:
		return llm.RateLimited
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return llm.Unauthenticated
	case status == http.StatusRequestEntityTooLarge:
		return llm.TooLong
	case status >= 500:
		return llm.Overloaded
	}
	return llm.BadRequest
}

// transport tells credentials that cannot be had from connections that cannot.
func transport(err error) (llm.Kind, string) {
	var sending *smithyhttp.RequestSendError
	if errors.As(err, &sending) {
		return llm.Disconnected, "the service cannot be reached"
	}
	if strings.Contains(err.Error(), "credentials") || strings.Contains(err.Error(), "get identity") {
		return llm.Unauthenticated, "no credentials"
	}
	return llm.Disconnected, "the call broke"
}
