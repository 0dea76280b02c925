package expr

import (
	"errors"

	"pressroom/dynamo/attr"
)

var errUnfinished = errors.New("expr: being written")

// Parameter is one request parameter and whether the request has it.
type Parameter struct {
	Name  string
	Given bool
}

// Parameters says which expression and which older parameters a request has,
// each list in the order in which the operation declares them.
type Parameters struct {
	Expressions []Parameter // all that the operation knows, given or not
	Legacy      []Parameter // all that the operation knows, given or not
	Names       bool        // ExpressionAttributeNames is given
	Values      bool        // ExpressionAttributeValues is given
}

// Check refuses the mixing of expressions with older parameters, and
// placeholders without an expression that could use them.
func (p Parameters) Check() error { return errUnfinished }

// KeyOp is an operator of a key condition.
type KeyOp uint8

// The operators of key conditions. KeyNone stands for "no condition".
const (
	KeyNone KeyOp = iota
	KeyEqual
	KeyLess
	KeyLessEqual
	KeyGreater
	KeyGreaterEqual
	KeyBetween
	KeyBeginsWith
)

// KeyTerm is one condition on one key attribute.
type KeyTerm struct {
	Attribute string
	Op        KeyOp
	Values    []attr.Value // one; two for KeyBetween
}

// KeyCondition is a parsed KeyConditionExpression or KeyConditions.
type KeyCondition struct{ Terms []KeyTerm }

// ParseKeyCondition parses a KeyConditionExpression.
func ParseKeyCondition(src string, env *Env) (*KeyCondition, error) { return nil, errUnfinished }

// KeyAttribute is one attribute of a key schema: kind is N, S or B.
type KeyAttribute struct {
	Name string
	Kind attr.Kind
}

// KeySchema is the key of a table or an index: one partition attribute and at
// most one sort attribute, or up to four of each on a global index.
type KeySchema struct {
	Index     string // "" for the table itself
	Partition []KeyAttribute
	Sort      []KeyAttribute
}

// KeyRange is a key condition fitted to a schema: all partition attributes by
// value, the first len(Equal) sort attributes by value, and possibly a
// condition (never KeyEqual) on the sort attribute after those.
type KeyRange struct {
	Partition []attr.Value
	Equal     []attr.Value
	Op        KeyOp        // KeyNone if there is no such condition
	Values    []attr.Value // of Op: one, or two for KeyBetween
}

// Fit matches the terms with a key schema, with the service's refusals.
func (k *KeyCondition) Fit(schema KeySchema) (*KeyRange, error) { return nil, errUnfinished }

// LegacyCondition is one entry of KeyConditions, QueryFilter or ScanFilter.
type LegacyCondition struct {
	Attribute string
	Operator  string // ComparisonOperator, already known to be one of the thirteen
	Values    []attr.Value
	Invalid   error // set when one of the values was refused while being taken in
}

// Expectation is one entry of Expected.
type Expectation struct {
	Attribute string
	Value     attr.Value // nil if absent
	Exists    *bool
	Operator  string // ComparisonOperator; "" if absent
	Values    []attr.Value
	HasValues bool  // AttributeValueList is given, perhaps empty
	Invalid   error // set when a value was refused while being taken in
}

// AttributeUpdate is one entry of AttributeUpdates.
type AttributeUpdate struct {
	Attribute string
	Action    string     // PUT, ADD, DELETE; "" means PUT
	Value     attr.Value // nil if absent
	Invalid   error      // set when the value was refused while being taken in
}

// FromExpected is the condition of Expected and ConditionalOperator ("" for AND).
func FromExpected(list []Expectation, operator string) (*Condition, error) {
	return nil, errUnfinished
}

// FromFilter is the condition of a QueryFilter or ScanFilter.
func FromFilter(list []LegacyCondition, operator string) (*Condition, error) {
	return nil, errUnfinished
}

// FromKeyConditions is the key condition of KeyConditions.
func FromKeyConditions(list []LegacyCondition) (*KeyCondition, error) { return nil, errUnfinished }

// FromAttributeUpdates is the update of AttributeUpdates.
func FromAttributeUpdates(list []AttributeUpdate) (*Update, error) { return nil, errUnfinished }

// FromAttributesToGet is the projection of AttributesToGet.
func FromAttributesToGet(names []string) (*Projection, error) { return nil, errUnfinished }
