package model

import (
	"errors"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ErrUnknown is an item that is of no entity of the table.
var ErrUnknown = errors.New("the item is of no entity")

// Renew returns the item as it would be written today: upgraded to the present
// schema version, with the additions that another program left out, and with the keys of all indexes that it belongs into. The given
// item is not changed. An item of no entity is ErrUnknown.
func (t *Table) Renew(item Raw) (Raw, *Entity, error) {
	id, ok := t.Identify(item)
	if !ok {
		return nil, nil, ErrUnknown
	}
	e := id.Entity
	renewed := cloneItem(item)
	if err := t.complete(e, renewed, true); err != nil {
		return nil, e, err
	}
	renewed[SchemaVersionAttribute] = number(e.SchemaVersion())
	if err := t.Fill(e, renewed); err != nil {
		return nil, e, err
	}
	for _, f := range e.Fields {
		if f.InKey {
			delete(renewed, f.Name)
		}
	}
	for _, name := range t.KeyNames() {
		was, _ := textOf(item[name])
		if is, _ := textOf(renewed[name]); is != was {
			return nil, e, fmt.Errorf("%s: an upgrade changes its key %s from %q to %q", e.Name, name, was, is)
		}
	}
	return renewed, e, nil
}

// cloneItem copies an item so deeply that an upgrade can change any part.
func cloneItem(item Raw) Raw {
	clone := maps.Clone(item)
	for name, value := range clone {
		clone[name] = cloneValue(value)
	}
	return clone
}

func cloneValue(value types.AttributeValue) types.AttributeValue {
	switch v := value.(type) {
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: cloneItem(v.Value)}
	case *types.AttributeValueMemberL:
		list := make([]types.AttributeValue, len(v.Value))
		for i, element := range v.Value {
			list[i] = cloneValue(element)
		}
		return &types.AttributeValueMemberL{Value: list}
	}
	return value // scalars and sets are replaced, not changed
}
