package expr

import (
	"errors"

	"pressroom/dynamo/attr"
)

// What can be wrong with an update once the item is seen.
var (
	errMissing = &Error{"The provided expression refers to an attribute that does not exist in the item"}
	errType    = &Error{"An operand in the update expression has an incorrect data type"}
	errTarget  = &Error{"The document path provided in the update expression is invalid for update"}
	errLegacy  = &Error{"Type mismatch for attribute to update"}
)

// Touched is what an update wrote, for ReturnValues.
type Touched struct {
	spots    []spot
	old, new attr.Item
}

// Old is the answer to UPDATED_OLD: what was at the update's paths before; nil if
// nothing was.
func (t Touched) Old() attr.Item { return pickItem(nil, t.old, t.spots, 0) }

// New is the answer to UPDATED_NEW: what is at the update's paths now; nil if
// nothing is. As in the service, an element appended by an index past the end of
// a list is not at its path, and after the removal of an element the next one is.
func (t Touched) New() attr.Item { return pickItem(nil, t.new, t.spots, 0) }

// Apply returns the item after the update, and what it touched. All right sides
// see the old item, and indexes mean the positions in it. For an item that does
// not exist, old holds its key attributes alone. The new item has memory of its
// own.
func (u *Update) Apply(old attr.Item) (attr.Item, Touched, error) {
	changes, err := u.changes(old)
	if err != nil {
		return nil, Touched{}, err
	}
	changed, err := rewriteItem(nil, old, changes, u.spots, 0)
	if err != nil {
		return nil, Touched{}, err
	}
	return changed, Touched{u.spots, old, changed}, nil
}

// changes are the values that the actions' paths get, nil for none. An attribute
// that is missing is reported before one of the wrong type, wherever it stands.
func (u *Update) changes(old attr.Item) ([]attr.Value, error) {
	list := make([]attr.Value, len(u.actions))
	var first error
	for i := range u.actions {
		var err error
		list[i], err = u.actions[i].change(old)
		switch {
		case errors.Is(err, errMissing):
			return nil, err
		case first == nil && err != nil:
			first = &Error{err.Error()}
		}
	}
	return list, first
}

// change is the value that the action's path gets, nil for none.
func (a *Action) change(old attr.Item) (attr.Value, error) {
	switch a.Verb {
	case Set:
		return a.Value.eval(old)
	case Remove:
		return nil, nil
	}
	was, by := a.Path.in(old), a.Value.value
	switch a.Verb {
	case Add, addLegacy:
		return a.add(was, by)
	}
	return a.delete(was, by)
}

// mismatch is the error of an attribute that ADD or DELETE cannot change.
func (a *Action) mismatch() error {
	if a.Verb == addLegacy || a.Verb == deleteLegacy {
		return errLegacy
	}
	return errType
}

func (a *Action) add(was, by attr.Value) (attr.Value, error) {
	switch k := by.Kind(); {
	case was == nil:
		return by, nil
	case was.Kind() != k:
		return nil, a.mismatch()
	case k == attr.Number:
		return attr.Add(was, by)
	case k == attr.List:
		return concat(was, by), nil
	}
	return attr.Union(was, by), nil
}

func (a *Action) delete(was, by attr.Value) (attr.Value, error) {
	switch {
	case was == nil:
		return nil, nil
	case was.Kind() != by.Kind():
		return nil, a.mismatch()
	}
	if v, ok := attr.Difference(was, by); ok {
		return v, nil
	}
	return nil, nil
}

// eval is the operand's value on the right side of a SET.
func (o *Operand) eval(item attr.Item) (attr.Value, error) {
	switch o.kind {
	case opValue:
		return o.value, nil
	case opPath:
		if v := o.path.in(item); v != nil {
			return v, nil
		}
		return nil, errMissing
	case opIfNotExists:
		// The second operand must be there even if it is not taken.
		v, err := o.args[0].eval(item)
		if was := o.path.in(item); was != nil && err == nil {
			v = was
		}
		return v, err
	case opListAppend:
		a, b, err := o.evalBoth(item, attr.List)
		if err != nil {
			return nil, err
		}
		return concat(a, b), nil
	}
	a, b, err := o.evalBoth(item, attr.Number)
	if err != nil {
		return nil, err
	}
	if o.kind == opMinus {
		return attr.Sub(a, b)
	}
	return attr.Add(a, b)
}

// evalBoth are the values of both operands, which must be of the kind.
func (o *Operand) evalBoth(item attr.Item, k attr.Kind) (a, b attr.Value, err error) {
	if a, err = o.args[0].eval(item); err != nil {
		return nil, nil, err
	}
	if a.Kind() != k {
		return nil, nil, errType
	}
	if b, err = o.args[1].eval(item); err != nil {
		return nil, nil, err
	}
	if b.Kind() != k {
		return nil, nil, errType
	}
	return a, b, nil
}
