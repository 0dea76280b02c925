package expr

import "pressroom/dynamo/attr"

// AttributeUpdate is one entry of AttributeUpdates.
type AttributeUpdate struct {
	Attribute string
	Action    string     // PUT, ADD or DELETE; "" means PUT
	Value     attr.Value // nil if absent
	Invalid   error      // set if the value was refused when it was taken in
}

// FromAttributeUpdates is the update of AttributeUpdates, whose entries are on
// different attributes.
func FromAttributeUpdates(list []AttributeUpdate) (*Update, error) {
	actions := make([]Action, len(list))
	for i := range list {
		if err := legacyName(list[i].Attribute); err != nil {
			return nil, err
		}
		verb, err := list[i].verb()
		if err != nil {
			return nil, err
		}
		actions[i] = Action{Verb: verb, Path: Name(list[i].Attribute), Value: Literal(list[i].Value)}
	}
	return NewUpdate(actions...)
}

// verb checks the entry and says what it does.
func (u *AttributeUpdate) verb() (Verb, error) {
	k := u.Value.Kind()
	switch {
	case u.Invalid != nil:
		return 0, &Error{u.Invalid.Error()}
	case u.Value == nil && u.Action != "DELETE":
		return 0, &Error{invalidValues + "Only DELETE action is allowed when no attribute value is specified"}
	case u.Value == nil:
		return Remove, nil
	case u.Action == "DELETE" && !k.IsSet():
		return 0, &Error{invalidValues + "DELETE action with value is not supported for the type " + k.String()}
	case u.Action == "ADD" && !k.IsSet() && k != attr.Number && k != attr.List:
		return 0, &Error{invalidValues + "ADD action is not supported for the type " + k.String()}
	case u.Action == "ADD":
		return addLegacy, nil
	case u.Action == "DELETE":
		return deleteLegacy, nil
	}
	return Set, nil
}
