package expr

import (
	"strconv"

	"pressroom/dynamo/attr"
)

// The older parameters of the API say in structures what expressions say in text.
// The service still takes them, with messages of their own.
//
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LegacyConditionalParameters.html

const invalidValues = "One or more parameter values were invalid: "

// LegacyCondition is one entry of KeyConditions, QueryFilter or ScanFilter.
type LegacyCondition struct {
	Attribute string
	Operator  string // ComparisonOperator, one of the thirteen
	Values    []attr.Value
	Invalid   error // of the first value that was refused when it was taken in
}

// Expectation is one entry of Expected.
type Expectation struct {
	Attribute string
	Value     attr.Value // nil if absent
	Exists    *bool
	Operator  string // ComparisonOperator, one of the thirteen; "" if absent
	Values    []attr.Value
	HasValues bool  // AttributeValueList is given, perhaps empty
	Invalid   error // of the first value that was refused when it was taken in
}

// FromExpected is the condition of Expected and ConditionalOperator ("" if the
// request has none).
func FromExpected(list []Expectation, operator string) (*Condition, error) {
	conditions := make([]*Condition, len(list))
	for i := range list {
		err := legacyName(list[i].Attribute)
		if err != nil {
			return nil, err
		}
		if conditions[i], err = list[i].condition(); err != nil {
			return nil, err
		}
	}
	return combine(conditions, operator)
}

// FromFilter is the condition of a QueryFilter or ScanFilter and
// ConditionalOperator ("" if the request has none).
func FromFilter(list []LegacyCondition, operator string) (*Condition, error) {
	conditions := make([]*Condition, len(list))
	for i := range list {
		if err := list[i].check(); err != nil {
			return nil, err
		}
		conditions[i] = legacyCondition(list[i].Attribute, list[i].Operator, list[i].Values)
	}
	return combine(conditions, operator)
}

func combine(list []*Condition, operator string) (*Condition, error) {
	switch {
	case operator == "":
	case len(list) == 0:
		return nil, &Error{"ConditionalOperator cannot be used without Filter or Expected"}
	case len(list) == 1:
		return nil, &Error{"ConditionalOperator can only be used when Filter or Expected has two or more elements"}
	}
	if operator == "OR" {
		return Or(list...), nil
	}
	return And(list...), nil
}

// legacyCondition is one comparison with an attribute.
func legacyCondition(attribute, operator string, values []attr.Value) *Condition {
	path := Name(attribute)
	a := At(path)
	switch operator {
	case "NULL":
		return NotExists(path)
	case "NOT_NULL":
		return Exists(path)
	case "IN":
		list := make([]Operand, len(values))
		for i, v := range values {
			list[i] = Literal(v)
		}
		return In(a, list...)
	case "BETWEEN":
		return Between(a, Literal(values[0]), Literal(values[1]))
	}
	b := Literal(values[0])
	switch operator {
	case "BEGINS_WITH":
		return BeginsWith(a, b)
	case "CONTAINS":
		return Contains(a, b)
	case "NOT_CONTAINS":
		return And(Exists(path), Not(Contains(a, b)))
	}
	return Compare(legacyComparisons[operator], a, b)
}

var legacyComparisons = map[string]Comparison{
	"EQ": Equal, "NE": NotEqual, "LT": Less, "LE": LessEqual, "GT": Greater, "GE": GreaterEqual,
}

// legacyName refuses a name that no attribute has. In expressions it is the
// placeholder that is refused, in items the item.
func legacyName(name string) error {
	if err := attr.CheckName(name); err != nil {
		return &Error{err.Error()}
	}
	return nil
}

// check refuses values that do not go with the operator.
func (c *LegacyCondition) check() error {
	if err := legacyName(c.Attribute); err != nil {
		return err
	}
	if c.Invalid != nil {
		return &Error{c.Invalid.Error()}
	}
	return checkLegacy(c.Operator, c.Values)
}

func checkLegacy(operator string, values []attr.Value) error {
	if !legacyCount(operator, len(values)) {
		return &Error{invalidValues + "Invalid number of argument(s) for the " + operator + " ComparisonOperator"}
	}
	for _, v := range values {
		if v.Kind() != values[0].Kind() {
			return &Error{invalidValues + "AttributeValues inside AttributeValueList must be of same type"}
		}
	}
	if len(values) > 0 && !legacyKind(operator, values[0].Kind()) {
		return &Error{invalidValues + "ComparisonOperator " + operator + " is not valid for " + values[0].Kind().String() + " AttributeValue type"}
	}
	if operator == "BETWEEN" && compare(Greater, values[0], values[1]) {
		return &Error{"The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"}
	}
	return nil
}

// legacyCount tells whether the operator takes n values.
func legacyCount(operator string, n int) bool {
	switch operator {
	case "NULL", "NOT_NULL":
		return n == 0
	case "BETWEEN":
		return n == 2
	case "IN":
		return n > 0
	}
	return n == 1
}

// legacyKind tells whether the operator takes values of the kind.
func legacyKind(operator string, k attr.Kind) bool {
	switch operator {
	case "LT", "LE", "GT", "GE", "IN", "BETWEEN":
		return isScalar(k)
	case "BEGINS_WITH":
		return isText(k)
	case "CONTAINS", "NOT_CONTAINS":
		return !k.IsSet() && k != attr.List && k != attr.Map
	}
	return true
}

// condition checks the expectation and builds it.
func (e *Expectation) condition() (*Condition, error) {
	fault := ""
	switch {
	case e.HasValues && e.Value != nil:
		fault = "Value and AttributeValueList cannot be used together"
	case e.Operator != "" && e.Exists != nil:
		fault = "Exists and ComparisonOperator cannot be used together"
	case e.Operator != "":
		return e.comparison()
	case e.HasValues:
		fault = "AttributeValueList can only be used with a ComparisonOperator"
	case e.Exists != nil && !*e.Exists && (e.Value != nil || e.Invalid != nil):
		fault = "Value cannot be used when Exists is false"
	case e.Invalid != nil:
		return nil, &Error{e.Invalid.Error()}
	case e.Exists != nil && !*e.Exists:
		return NotExists(Name(e.Attribute)), nil
	case e.Value == nil:
		fault = "Value must be provided when Exists is " + showBool(e.Exists)
	default:
		return Compare(Equal, At(Name(e.Attribute)), Literal(e.Value)), nil
	}
	return nil, &Error{invalidValues + fault + " for Attribute: " + e.Attribute}
}

func showBool(b *bool) string {
	if b == nil {
		return "null"
	}
	return strconv.FormatBool(*b)
}

// comparison is an expectation with a ComparisonOperator.
func (e *Expectation) comparison() (*Condition, error) {
	values := e.Values
	if e.Value != nil {
		values = []attr.Value{e.Value}
	}
	if !e.HasValues && e.Value == nil && e.Invalid == nil && !legacyCount(e.Operator, 0) {
		return nil, &Error{invalidValues + "Value or AttributeValueList must be used with ComparisonOperator: " + e.Operator +
			" for Attribute: " + e.Attribute}
	}
	if e.Invalid != nil {
		return nil, &Error{e.Invalid.Error()}
	}
	if err := checkLegacy(e.Operator, values); err != nil {
		return nil, err
	}
	return legacyCondition(e.Attribute, e.Operator, values), nil
}
