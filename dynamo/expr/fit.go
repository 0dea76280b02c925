package expr

import (
	"fmt"
	"strings"

	"pressroom/dynamo/attr"
)

// KeyAttribute is one attribute of a key schema; its kind is N, S or B.
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
// value, the first len(Equal) sort attributes by value, and possibly a condition
// (never KeyEqual) on the sort attribute after those.
type KeyRange struct {
	Partition []attr.Value
	Equal     []attr.Value
	Op        KeyOp        // KeyNone if there is no such condition
	Values    []attr.Value // of Op: one, or two for KeyBetween
}

// Fit matches the conditions with a key, with the service's refusals: every
// partition attribute must be given by equality; sort attributes are taken from
// the first on, without gaps, and only the last one taken may be given otherwise.
func (k *KeyCondition) Fit(schema KeySchema) (*KeyRange, error) {
	if n, size := len(k.Terms), len(schema.Partition)+len(schema.Sort); n > size {
		return nil, &Error{fmt.Sprintf("The number of query conditions (%d) exceeds the number of key attributes defined in the schema (%d)", n, size)}
	}
	if len(schema.Partition) > 1 {
		if err := k.checkPartition(schema.Partition); err != nil {
			return nil, err
		}
	}
	values := make([]attr.Value, 0, len(k.Terms)) // Partition and Equal in one piece
	for _, a := range schema.Partition {
		t := k.on(a.Name)
		if t == nil {
			return nil, missed(a.Name)
		}
		if err := t.fits(a, schema.Index); err != nil {
			return nil, err
		}
		if t.Op != KeyEqual {
			return nil, &Error{"Query key condition not supported"}
		}
		values = append(values, t.Values[0])
	}
	n := len(values)
	r := &KeyRange{Partition: values[:n:n], Equal: values[n:]}
	if err := k.fitSort(schema, r); err != nil {
		return nil, err
	}
	return r, nil
}

// checkPartition refuses conditions that do not give all of several partition
// attributes by equality.
func (k *KeyCondition) checkPartition(list []KeyAttribute) error {
	var loose []string
	for _, a := range list {
		if t := k.on(a.Name); t == nil || t.Op != KeyEqual {
			loose = append(loose, a.Name)
		}
	}
	if loose == nil {
		return nil
	}
	return &Error{"HASH key attributes " + strings.Join(loose, ", ") + " must have equality conditions specified in the query"}
}

func (k *KeyCondition) fitSort(schema KeySchema, r *KeyRange) error {
	taken, err := k.sortTerms(schema)
	if err != nil {
		return err
	}
	for i := range taken {
		a := schema.Sort[i]
		t := k.on(a.Name)
		if err := t.fits(a, schema.Index); err != nil {
			return err
		}
		if t.Op == KeyEqual {
			r.Equal = append(r.Equal, t.Values[0])
		} else {
			r.Op, r.Values = t.Op, t.Values
		}
	}
	return nil
}

// sortTerms is how many of the sort attributes have a condition.
func (k *KeyCondition) sortTerms(schema KeySchema) (int, error) {
	taken, found := 0, 0
	for i, a := range schema.Sort {
		if k.on(a.Name) != nil {
			taken = i + 1
			found++
		}
	}
	if found < len(k.Terms)-len(schema.Partition) {
		return 0, missed(k.firstWithout(schema.Sort))
	}
	var loose []string
	for i := range max(0, taken-1) {
		if t := k.on(schema.Sort[i].Name); t == nil || t.Op != KeyEqual {
			loose = append(loose, schema.Sort[i].Name)
		}
	}
	if loose != nil {
		return 0, &Error{"RANGE key attributes " + strings.Join(loose, ", ") + " must have equality conditions specified in the query " +
			"because a condition is present on key attribute " + schema.Sort[taken-1].Name}
	}
	return taken, nil
}

// firstWithout is the first of the attributes that has no condition. There is
// one if a condition is left over.
func (k *KeyCondition) firstWithout(list []KeyAttribute) string {
	for _, a := range list {
		if k.on(a.Name) == nil {
			return a.Name
		}
	}
	return ""
}

// on is the condition on the attribute, nil if there is none.
func (k *KeyCondition) on(name string) *KeyTerm {
	for i := range k.Terms {
		if k.Terms[i].Attribute == name {
			return &k.Terms[i]
		}
	}
	return nil
}

func missed(name string) error {
	return &Error{"Query condition missed key schema element: " + name}
}

// fits refuses operators and values that a key attribute cannot have.
func (t *KeyTerm) fits(a KeyAttribute, index string) error {
	if t.Op == keyUnindexed {
		return &Error{"Attempted conditional constraint is not an indexable operation"}
	}
	for _, v := range t.Values {
		if v.Kind() != a.Kind {
			return &Error{"One or more parameter values were invalid: Condition parameter type does not match schema type"}
		}
	}
	for _, v := range t.Values {
		if a.Kind != attr.Number && len(v.Payload()) == 0 {
			return emptyKey(a, index)
		}
	}
	return nil
}

func emptyKey(a KeyAttribute, index string) error {
	what := "string"
	if a.Kind == attr.Binary {
		what = "binary"
	}
	message := "One or more parameter values are not valid. "
	where := ". Key: " + a.Name
	if index != "" {
		message += "A value specified for a secondary index key is not supported. "
		where = ". IndexName: " + index + ", IndexKey: " + a.Name
	}
	return &Error{message + "The AttributeValue for a key attribute cannot contain an empty " + what + " value" + where}
}
