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
func (t Touched) Old() attr.Item { return pickAttributes(t.old, t.spots, 0) }

// New is the answer to UPDATED_NEW: what is at the update's paths now; nil if
// nothing is. As in the service, an element appended by an index past the end of
// a list is not at its path, and after the removal of an element the next one is.
func (t Touched) New() attr.Item { return pickAttributes(t.new, t.spots, 0) }

// change is what becomes of one path: a new value, nothing (the value is nil), or
// what was there (keep).
type change struct {
	value attr.Value
	keep  bool
}

// Apply returns the item after the update, and what it touched. All right sides
// see the old item, and indexes mean the positions in it. For an item that does
// not exist, old holds its key attributes alone. The new item has memory of its
// own.
func (u *Update) Apply(old attr.Item) (attr.Item, Touched, error) {
	changes, err := u.changes(old)
	if err != nil {
		return nil, Touched{}, err
	}
	changed, err := applyAttributes(old, changes, u.spots, 0)
	if err != nil {
		return nil, Touched{}, err
	}
	return changed, Touched{u.spots, old, changed}, nil
}

// changes is what becomes of each action's path. An attribute that is missing is
// reported before one of the wrong type, wherever it stands.
func (u *Update) changes(old attr.Item) ([]change, error) {
	list := make([]change, len(u.actions))
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

func (a *Action) change(old attr.Item) (change, error) {
	switch a.Verb {
	case Set:
		v, err := a.Value.eval(old)
		return change{value: v}, err
	case Remove:
		return change{}, nil
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

func (a *Action) add(was, by attr.Value) (change, error) {
	switch k := by.Kind(); {
	case was == nil:
		return change{value: by}, nil
	case was.Kind() != k:
		return change{}, a.mismatch()
	case k == attr.Number:
		v, err := attr.Add(was, by)
		return change{value: v}, err
	case k == attr.List:
		return change{value: concat(was, by)}, nil
	}
	return change{value: attr.Union(was, by)}, nil
}

func (a *Action) delete(was, by attr.Value) (change, error) {
	switch {
	case was == nil:
		return change{keep: true}, nil
	case was.Kind() != by.Kind():
		return change{}, a.mismatch()
	}
	if v, ok := attr.Difference(was, by); ok {
		return change{value: v}, nil
	}
	return change{}, nil
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

// concat is one list after the other: a stored list is its elements in a row.
func concat(a, b attr.Value) attr.Value {
	v := make(attr.Value, 0, len(a)+len(b))
	return append(append(v, a...), b.Payload()...)
}

// applyAttributes makes the changes of the spots, which share the steps before
// depth, to a map.
func applyAttributes(item attr.Item, changes []change, list []spot, depth int) (attr.Item, error) {
	var b attr.Builder
	b.Reset(item)
	for len(list) > 0 {
		n := together(list, depth)
		name := list[0].path[depth].Name
		c, err := changeAt(list[:n], changes, depth+1, func() (attr.Value, bool) { return item.Get(name) })
		switch {
		case err != nil:
			return nil, err
		case c.keep:
		case c.value == nil:
			b.Delete(name)
		default:
			b.Set(name, c.value)
		}
		list = list[n:]
	}
	return b.Item(), nil
}

// changeAt is what becomes of the place that the spots share up to depth; get is
// what is there.
func changeAt(list []spot, changes []change, depth int, get func() (attr.Value, bool)) (change, error) {
	if len(list[0].path) == depth {
		return changes[list[0].index], nil
	}
	v, ok := get()
	if !ok {
		return change{}, errTarget
	}
	byIndex := list[0].path[depth].isIndex()
	switch {
	case v.Kind() == attr.List && byIndex:
		v, err := applyElements(v, changes, list, depth)
		return change{value: v}, err
	case v.Kind() == attr.Map && !byIndex:
		it, err := applyAttributes(v.Item(), changes, list, depth)
		if err != nil {
			return change{}, err
		}
		return change{value: attr.NewMap(it)}, nil
	}
	return change{}, errTarget
}

// applyElements makes the changes to a list: elements keep their order, and those
// set past its end are appended in the order of their indexes.
func applyElements(v attr.Value, changes []change, list []spot, depth int) (attr.Value, error) {
	var out []attr.Value
	i := 0
	place := func(old attr.Value, ok bool) error {
		n := together(list, depth)
		c, err := changeAt(list[:n], changes, depth+1, func() (attr.Value, bool) { return old, ok })
		list = list[n:]
		switch {
		case err != nil:
			return err
		case c.keep && ok:
			out = append(out, old)
		case c.value != nil:
			out = append(out, c.value)
		}
		return nil
	}
	for e := range v.Elements() {
		if len(list) > 0 && list[0].path[depth].Index == i {
			if err := place(e, true); err != nil {
				return nil, err
			}
		} else {
			out = append(out, e)
		}
		i++
	}
	for len(list) > 0 {
		if err := place(nil, false); err != nil {
			return nil, err
		}
	}
	return attr.NewList(out...), nil
}
