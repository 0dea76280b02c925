package expr

import "slices"

// FromKeyConditions is the key condition of KeyConditions.
func FromKeyConditions(list []LegacyCondition) (*KeyCondition, error) {
	for i := range list {
		if err := list[i].check(); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, &Error{"Conditions can be of length 1 or 2 only"}
	}
	k := &KeyCondition{Terms: make([]KeyTerm, len(list))}
	for i, c := range list {
		k.Terms[i] = KeyTerm{c.Attribute, legacyKeyOp(c.Operator), c.Values}
	}
	return k, nil
}

func legacyKeyOp(operator string) KeyOp {
	switch operator {
	case "BETWEEN":
		return KeyBetween
	case "BEGINS_WITH":
		return KeyBeginsWith
	}
	if op := legacyComparisons[operator].keyOp(); op != KeyNone {
		return op
	}
	return keyUnindexed
}

// FromAttributesToGet is the projection of AttributesToGet.
func FromAttributesToGet(names []string) (*Projection, error) {
	paths := make([]Path, len(names))
	for i, name := range names {
		if err := legacyName(name); err != nil {
			return nil, err
		}
		if slices.Contains(names[:i], name) {
			return nil, &Error{invalidValues + "Duplicate value in attribute name: " + name}
		}
		paths[i] = Name(name)
	}
	sorted, _ := spots(paths)
	return &Projection{paths, sorted}, nil
}
