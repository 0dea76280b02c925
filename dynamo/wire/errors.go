package wire

import (
	"errors"
	"net/http"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
	"pressroom/dynamo/token"
)

// Exceptions that the endpoint raises itself.
const (
	missingToken        = "MissingAuthenticationTokenException"
	incompleteSignature = "IncompleteSignatureException"
	invalidSignature    = "InvalidSignatureException"
	unrecognizedClient  = "UnrecognizedClientException"
	accessDenied        = "AccessDeniedException" // of a resource that is someone else's
	throttling          = "ThrottlingException"
	tooLargeBody        = "RequestEntityTooLargeException"
)

var (
	internalError = &engine.Error{Type: engine.Internal, Message: "The request processing has failed because of an unknown error, exception or failure."}
	busy          = &engine.Error{Type: throttling, Message: "Too much is being sent at once by callers that are not known yet. Try again."}
	slow          = &engine.Error{Type: throttling, Message: "The rest of the request did not come in time. Send it again."}
	// notJSON has no message, as DynamoDB sends none.
	notJSON = &engine.Error{Type: engine.Serialization}
)

// asRefusal is the exception to answer an error with.
func asRefusal(err error) (*engine.Error, bool) {
	var shape *token.Error
	if errors.As(err, &shape) && shape.Syntax {
		return notJSON, true
	}
	return engine.AsError(err)
}

var unknownOperation = &engine.Error{Type: engine.UnknownOperation}

// The name spaces of __type.
const (
	spaceService    = "com.amazonaws.dynamodb.v20120810#"
	spaceCoral      = "com.amazon.coral.service#"
	spaceValidation = "com.amazon.coral.validate#"
)

// form is how an exception is written: the name space of its type, and the
// member that holds its message.
func form(kind string) (space, member string) {
	switch kind {
	case engine.Validation:
		return spaceValidation, "message"
	case engine.Serialization:
		return spaceCoral, "Message"
	case engine.UnknownOperation, missingToken, incompleteSignature, invalidSignature, unrecognizedClient, throttling, tooLargeBody:
		return spaceCoral, "message"
	case accessDenied:
		return spaceCoral, "Message"
	case engine.TransactionCancelled, engine.TokenMismatch:
		return spaceService, "Message"
	}
	return spaceService, "message"
}

// fail writes an exception as the answer and returns its status.
func (c *call) fail(e *engine.Error) int {
	space, member := form(e.Type)
	c.out = append(c.out[:0], `{"__type":"`...)
	c.out = append(c.out, space...)
	c.out = append(c.out, e.Type...)
	c.out = append(c.out, '"')
	if e.Reasons != nil {
		c.reasons(e.Reasons)
	}
	if e.Item != nil {
		c.key("Item")
		c.out = attr.AppendItemJSON(c.out, e.Item)
	}
	if e.Message != "" {
		c.key(member)
		c.string(e.Message)
	}
	c.out = append(c.out, '}')
	switch e.Type {
	case engine.Internal:
		return http.StatusInternalServerError
	case tooLargeBody:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}

// reasons writes why a transaction was cancelled.
func (c *call) reasons(list []engine.Reason) {
	c.key("CancellationReasons")
	c.out = append(c.out, '[')
	for i, r := range list {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, '{')
		c.key("Code")
		c.string(r.Code)
		if r.Item != nil {
			c.key("Item")
			c.out = attr.AppendItemJSON(c.out, r.Item)
		}
		if r.Message != "" {
			c.key("Message")
			c.string(r.Message)
		}
		c.out = append(c.out, '}')
	}
	c.out = append(c.out, ']')
}
