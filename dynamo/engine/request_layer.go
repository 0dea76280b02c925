package engine

import (
	"errors"
	"strings"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// layer is how an operation words what it finds wrong with attribute values and
// expressions. In 2026 the service began to move its operations, one by one, to
// a newer validation. The same refusal reads
//
//	1 validation error detected: Input collection ["a", "b", "b"] contains duplicates.
//	Input collection ["a", "b", "b"] contains duplicates.
//	Input collection [b, a, b] contains duplicates
//
// in PutItem, UpdateItem and DeleteItem, which make a list of it; in GetItem,
// BatchGetItem and Query (which makes a list of what is wrong with Select);
// and in the others, which are as they were.
//
// What the service has worded the same for years, and clients look for, keeps
// its old words everywhere here: PutItem's refusals of sets, nulls and of
// parameters that exclude each other, and UpdateItem's of its UpdateExpression
// and of placeholders that are not used.
type layer uint8

const (
	older layer = iota
	newer
	listed
)

// value words the fault of an attribute value.
func (l layer) value(err error) error {
	if l == older || err == nil {
		return err
	}
	var v *attr.InvalidError
	if errors.As(err, &v) && v.Newer != "" {
		err = &attr.InvalidError{Message: v.Newer}
	}
	return l.word(err)
}

// word words any other fault.
func (l layer) word(err error) error {
	if l != listed || err == nil {
		return err
	}
	own, ok := AsError(err)
	if !ok || own.Type != Validation {
		return err
	}
	return invalid("1 validation error detected: %s", own.Message)
}

// layer is that of a single-item write. A value that is nested beyond all
// measure makes the service take the request the older way.
func (c *Conditional) layer(value error) layer {
	if abysmal(value) || abysmal(c.Placeholders.Invalid) {
		return older
	}
	for i := range c.Expected {
		if abysmal(c.Expected[i].Invalid) {
			return older
		}
	}
	return listed
}

// ofSections tells of a fault in how the sections and paths of an update go
// together, which has the newer words already.
func ofSections(err error) bool {
	text := err.Error()
	return strings.Contains(text, "section can only be used once") || strings.Contains(text, "Two document paths")
}

func abysmal(err error) bool {
	var v *attr.InvalidError
	return err != nil && errors.As(err, &v) && v.Abysmal
}

// reword puts the faults of values that the expressions of a request refer to
// into the layer's words. Only the newer layers change them.
func (l layer) reword(p *expr.Placeholders) {
	if l != older && p.Invalid != nil {
		p.Invalid, p.Alone = newer.value(p.Invalid), true
	}
}

// rewordAll is reword for the older parameters.
func rewordAll[T any](l layer, list []T, fault func(*T) *error) {
	if l == older {
		return
	}
	for i := range list {
		if err := fault(&list[i]); *err != nil {
			*err = newer.value(*err)
		}
	}
}

func faultOfExpected(x *expr.Expectation) *error      { return &x.Invalid }
func faultOfCondition(x *expr.LegacyCondition) *error { return &x.Invalid }
func faultOfUpdate(x *expr.AttributeUpdate) *error    { return &x.Invalid }
