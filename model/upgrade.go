package model

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// SchemaVersionAttribute is the attribute that says by which version of its
// entity's declaration an item was written. Items without it are of version 1.
const SchemaVersionAttribute = "schemaVersion"

// Raw is an item as DynamoDB has it.
type Raw = map[string]types.AttributeValue

// Upgrade leads an item from one schema version to the next.
type Upgrade struct {
	Why string
	// Touches lists every attribute that Do may change. A view that shows one of
	// them reads whole items.
	Touches []string
	// Do changes the item in place. It must not fail on items that already have
	// the newer form: other programs may write it without a version.
	Do func(Raw) error
}

// SchemaVersion is the version that is written today: one more than there are
// upgrades.
func (e *Entity) SchemaVersion() int { return len(e.Upgrades) + 1 }

// ItemVersion returns the schema version of a stored item.
func ItemVersion(item Raw) (int, error) {
	switch v := item[SchemaVersionAttribute].(type) {
	case nil:
		return 1, nil
	case *types.AttributeValueMemberN:
		n, err := strconv.Atoi(v.Value)
		if err == nil && n >= 1 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("the item's %s is no version", SchemaVersionAttribute)
}

// Upgrade brings an item to the present version in place, and reports whether
// it was older. An item of a newer version is an error: this program does not
// know what it means.
func (e *Entity) Upgrade(item Raw) (bool, error) {
	from, err := ItemVersion(item)
	if err != nil {
		return false, err
	}
	now := e.SchemaVersion()
	if from > now {
		return false, fmt.Errorf("%s has schema version %d, and this program knows %d at most", e.Name, from, now)
	}
	for i := from; i < now; i++ {
		if err := e.Upgrades[i-1].Do(item); err != nil {
			return false, fmt.Errorf("upgrade %s from schema version %d: %w", e.Name, i, err)
		}
	}
	if from < now {
		item[SchemaVersionAttribute] = &types.AttributeValueMemberN{Value: strconv.Itoa(now)}
	}
	return from < now, nil
}

// touched reports whether some upgrade may change the attribute.
func (e *Entity) touched(name string) bool {
	return slices.ContainsFunc(e.Upgrades, func(u Upgrade) bool { return slices.Contains(u.Touches, name) })
}

// ReplaceValue is an upgrade's Do: where the text attribute has the old value,
// it gets the new one.
func ReplaceValue(name, old, now string) func(Raw) error {
	return func(item Raw) error {
		if s, ok := item[name].(*types.AttributeValueMemberS); ok && s.Value == old {
			item[name] = &types.AttributeValueMemberS{Value: now}
		}
		return nil
	}
}

// CopyFrom is an upgrade's Do: where the attribute is missing, it gets the value
// found by walking down the path of map members.
func CopyFrom(name string, path ...string) func(Raw) error {
	return func(item Raw) error {
		if _, there := item[name]; there {
			return nil
		}
		at := item
		for i, step := range path {
			value, ok := at[step]
			if !ok {
				return nil
			}
			if i == len(path)-1 {
				item[name] = value
				return nil
			}
			m, ok := value.(*types.AttributeValueMemberM)
			if !ok {
				return fmt.Errorf("%s is no map", step)
			}
			at = m.Value
		}
		return nil
	}
}
