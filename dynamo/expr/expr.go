// Package expr is the expression language of DynamoDB: condition, filter, key
// condition, projection and update expressions, and the older parameters
// (Expected, AttributeUpdates, KeyConditions, ...) that say the same in
// structures. All of them end in four things: a [Condition], a
// [KeyCondition], a [Projection] or an [Update].
//
// Everything works on the stored form of items (package attr): a condition
// reads only the attributes that it names and allocates nothing; a projection
// and an update copy the attributes that they do not touch as bytes.
//
// Every error is an [*Error] whose Message is the whole text of the service's
// ValidationException. Where an expression has several faults, the one that
// the service would name is returned: it parses the whole expression, then
// checks what does not depend on names and values, then what does.
//
// The three passes are parse.go (one lexer and one parser serve all five kinds),
// check.go, and bind.go with types.go; read them in this order. What happens to an
// item is in condition.go, projection.go, apply.go and rewrite.go. The older
// parameters, in legacy.go, are built from the same parts.
package expr

import "fmt"

// Kind names the request parameter that an expression came in.
type Kind uint8

// The five kinds of expression.
const (
	ConditionExpression Kind = iota + 1
	FilterExpression
	KeyConditionExpression
	ProjectionExpression
	UpdateExpression
)

var kindNames = [...]string{
	ConditionExpression:    "ConditionExpression",
	FilterExpression:       "FilterExpression",
	KeyConditionExpression: "KeyConditionExpression",
	ProjectionExpression:   "ProjectionExpression",
	UpdateExpression:       "UpdateExpression",
}

// String is the parameter's name as in the API.
func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Error is a refusal of the request; Message is the full text of the service's
// ValidationException.
type Error struct{ Message string }

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// invalid is a fault of one expression, reported as "Invalid <kind>: ...".
func (k Kind) invalid(message string) *Error {
	return &Error{Message: "Invalid " + k.String() + ": " + message}
}
