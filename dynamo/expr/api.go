package expr

import (
	"errors"

	"pressroom/dynamo/attr"
)

var errUnfinished = errors.New("expr: being written")

// Placeholders are the names and values that a request's expressions refer to.
type Placeholders struct {
	Names  map[string]string     // ExpressionAttributeNames; nil if the request has none
	Values map[string]attr.Value // ExpressionAttributeValues; nil if the request has none

	// Invalid is set when a value was refused while being taken in: the error
	// of the first such value and its key. It is reported after the keys'
	// own faults, as the service does.
	Invalid    error
	InvalidKey string
}

// Env resolves placeholders for all expressions of one request and remembers
// which were used. It is not safe for concurrent use.
type Env struct{ p Placeholders }

// NewEnv checks the placeholders themselves: maps given but empty, keys of
// wrong syntax, values refused while being taken in.
func NewEnv(p Placeholders) (*Env, error) { return &Env{p}, errUnfinished }

// CheckUsed refuses placeholders that no expression parsed so far has used.
// Call it after the last expression of the request.
func (e *Env) CheckUsed() error { return errUnfinished }

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

// Condition is a parsed ConditionExpression, FilterExpression, or their older
// equivalent. It is immutable and safe for concurrent use. A nil Condition
// matches every item.
type Condition struct{ attributes, nested []string }

// ParseCondition parses a ConditionExpression or FilterExpression.
func ParseCondition(kind Kind, src string, env *Env) (*Condition, error) {
	return nil, errUnfinished
}

// Match reports whether the item satisfies the condition. A nil item stands
// for one that does not exist.
func (c *Condition) Match(item attr.Item) bool { return false }

// Attributes are the top-level attributes that the condition names, each once,
// in the order of their appearance.
func (c *Condition) Attributes() []string { return c.attributes }

// Nested are those of Attributes inside which the condition looks (a.b, a[0]).
// The service refuses that for key attributes.
func (c *Condition) Nested() []string { return c.nested }

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

// Projection is a parsed ProjectionExpression or AttributesToGet. A nil
// Projection keeps all.
type Projection struct{ attributes, nested []string }

// ParseProjection parses a ProjectionExpression.
func ParseProjection(src string, env *Env) (*Projection, error) { return nil, errUnfinished }

// Apply returns the part of the item that the projection names; the result may
// alias the item.
func (p *Projection) Apply(item attr.Item) attr.Item { return item }

// Attributes are the top-level attributes named, each once, in order.
func (p *Projection) Attributes() []string { return p.attributes }

// Nested are those of Attributes inside which the projection looks.
func (p *Projection) Nested() []string { return p.nested }

// Update is a parsed UpdateExpression or AttributeUpdates.
type Update struct{ attributes, nested []string }

// ParseUpdate parses an UpdateExpression.
func ParseUpdate(src string, env *Env) (*Update, error) { return nil, errUnfinished }

// Apply returns the item after the update, and which paths it touched. For an
// item that does not exist, old holds its key attributes alone. The new item
// never aliases the values of the expression, but may alias old.
func (u *Update) Apply(old attr.Item) (attr.Item, Touched, error) {
	return nil, Touched{}, errUnfinished
}

// Attributes are the top-level attributes that the update writes, each once, in
// order (for "cannot update attribute ..., part of the key").
func (u *Update) Attributes() []string { return u.attributes }

// Nested are the top-level attributes inside which the update writes or reads.
func (u *Update) Nested() []string { return u.nested }

// Touched is what an update wrote, for ReturnValues.
type Touched struct{}

// Old is the answer to UPDATED_OLD: the touched parts of the old item; empty if
// the touched paths did not exist.
func (t Touched) Old() attr.Item { return nil }

// New is the answer to UPDATED_NEW: the touched parts of the new item.
func (t Touched) New() attr.Item { return nil }

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

// Step is one step of a document path: a name, or an index into a list.
type Step struct {
	Name  string
	Index int // of a list; -1 for a name
}

// Path is a document path: the name of an attribute, then steps into it.
type Path []Step

// Operand is a value in a condition or an update: a path, a literal or a
// function of operands.
type Operand struct{}

// At is the operand that reads a path.
func At(p Path) Operand { return Operand{} }

// Literal is the operand of a given value.
func Literal(v attr.Value) Operand { return Operand{} }

// SizeOf is size(path).
func SizeOf(p Path) Operand { return Operand{} }

// Plus and Minus are arithmetic on the right side of SET.
func Plus(a, b Operand) Operand { return Operand{} }

// Minus is subtraction on the right side of SET.
func Minus(a, b Operand) Operand { return Operand{} }

// ListAppend is list_append(a, b).
func ListAppend(a, b Operand) Operand { return Operand{} }

// IfNotExists is if_not_exists(path, b).
func IfNotExists(p Path, b Operand) Operand { return Operand{} }

// Comparison is one of the six comparison operators.
type Comparison uint8

// The comparison operators.
const (
	Equal Comparison = iota + 1
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

// Conditions built from parts, for callers with a syntax of their own (PartiQL).
// They check nothing; what does not fit does not match.

// Compare is a comparison of two operands.
func Compare(op Comparison, a, b Operand) *Condition { return nil }

// Between is low <= a <= high.
func Between(a, low, high Operand) *Condition { return nil }

// In is true if a equals one of list.
func In(a Operand, list ...Operand) *Condition { return nil }

// Exists is attribute_exists(p).
func Exists(p Path) *Condition { return nil }

// NotExists is attribute_not_exists(p).
func NotExists(p Path) *Condition { return nil }

// TypeIs is attribute_type(p, k).
func TypeIs(p Path, k attr.Kind) *Condition { return nil }

// BeginsWith is begins_with(a, prefix).
func BeginsWith(a, prefix Operand) *Condition { return nil }

// Contains is contains(a, b).
func Contains(a, b Operand) *Condition { return nil }

// And is true if all are.
func And(list ...*Condition) *Condition { return nil }

// Or is true if one is.
func Or(list ...*Condition) *Condition { return nil }

// Not negates.
func Not(c *Condition) *Condition { return nil }

// Verb is what an Action does.
type Verb uint8

// The four clauses of an update.
const (
	Set Verb = iota + 1
	Remove
	Add
	Delete
)

// Action is one action of an update; Value is unused by Remove.
type Action struct {
	Verb  Verb
	Path  Path
	Value Operand
}

// NewUpdate builds an update from parts, refusing paths that overlap or
// conflict as ParseUpdate does.
func NewUpdate(actions ...Action) (*Update, error) { return nil, errUnfinished }

// NewProjection builds a projection from parts, refusing paths that overlap or
// conflict as ParseProjection does.
func NewProjection(paths ...Path) (*Projection, error) { return nil, errUnfinished }
