package partiql

import (
	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// Target is the one item that a statement is about.
type Target struct {
	Key attr.Item // the key attributes alone

	// Condition is what has to hold of the item besides its key; nil for nothing. For
	// UPDATE and EXISTS the item has to exist as well; DELETE does nothing, and asks
	// nothing, if it does not.
	Condition *expr.Condition
}

// Target is the item that an INSERT, UPDATE, DELETE or EXISTS is about, given the key of
// the table. It refuses keys that are missing, incomplete, empty or of the wrong type, and
// an UPDATE of key attributes.
func (b *Bound) Target(schema expr.KeySchema) (*Target, error) {
	if b.Kind == Insert {
		return insertTarget(b.Item, schema)
	}
	terms := conjuncts(b.where)
	values, rest, err := keyTerms(terms, schema)
	if err != nil {
		return nil, err
	}
	if values == nil || b.Kind == Exists && len(rest) == 0 {
		if b.Kind == Exists {
			return nil, refuse("EXISTS() must contain a single item read with additional condition")
		}
		return nil, refuse(msgNoKey)
	}
	if err := checkKeys(values, schema); err != nil {
		return nil, err
	}
	if err := b.checkWrites(schema); err != nil {
		return nil, err
	}
	target := &Target{Key: keyItem(values, schema)}
	if len(rest) > 0 {
		target.Condition = all(rest...).lower()
	}
	return target, nil
}

// Lookup is the key of the one item that a SELECT reads, if its WHERE clause says the
// whole key of the table and nothing else, which batches and transactions ask for. It is
// not ok for every other WHERE clause.
func (b *Bound) Lookup(schema expr.KeySchema) (key attr.Item, ok bool, err error) {
	values, rest, err := keyTerms(conjuncts(b.where), schema)
	if err != nil || values == nil || len(rest) > 0 {
		return nil, false, nil
	}
	if err := checkKeys(values, schema); err != nil {
		return nil, false, err
	}
	return keyItem(values, schema), true, nil
}

// keyAttributes are the attributes of a table's key, the partition's first.
func keyAttributes(schema expr.KeySchema) []expr.KeyAttribute {
	return append(schema.Partition[:1:1], schema.Sort[:min(1, len(schema.Sort))]...)
}

func insertTarget(item attr.Item, schema expr.KeySchema) (*Target, error) {
	key := attr.NewBuilder(nil)
	for _, k := range keyAttributes(schema) {
		v, ok := item.Get(k.Name)
		if !ok {
			return nil, refuse("Key attribute should be present in the item: Key %s", k.Name)
		}
		if err := checkKey(v, k); err != nil {
			return nil, err
		}
		key.Set(k.Name, v)
	}
	return &Target{Key: key.Item()}, nil
}

// conjuncts are the parts of a predicate that all have to hold.
func conjuncts(p *predicate) []*predicate {
	switch {
	case p == nil:
		return nil
	case p.test == testAnd:
		return p.parts
	}
	return []*predicate{p}
}

// keyTerms finds the equalities of a single item's key among terms, in the order of the
// key's attributes, and the terms that are left. The values are nil if one is missing.
func keyTerms(terms []*predicate, schema expr.KeySchema) (values []attr.Value, rest []*predicate, err error) {
	keys := keyAttributes(schema)
	values = make([]attr.Value, len(keys))
	for _, term := range terms {
		name, v := term.equality()
		i := indexOf(keys, name)
		switch {
		case i < 0:
			rest = append(rest, term)
		case values[i] == nil:
			values[i] = v
		case !attr.Equal(values[i], v):
			return nil, nil, refuse("Multiple conditions on same key %s. Only single item Update/Insert/Delete are supported", name)
		}
	}
	for _, v := range values {
		if v == nil {
			return nil, rest, nil
		}
	}
	return values, rest, checkScalarPaths(rest, keys, "Key ")
}

func indexOf(keys []expr.KeyAttribute, name string) int {
	for i, k := range keys {
		if k.Name == name {
			return i
		}
	}
	return -1
}

// equality is the attribute that the predicate sets equal to a value; "" if it is no such
// thing.
func (p *predicate) equality() (string, attr.Value) {
	if p.test != testCompare || p.op != expr.Equal {
		return "", nil
	}
	a, b := p.operands[0], p.operands[1]
	if a.path == nil {
		a, b = b, a
	}
	if len(a.path) != 1 || b.value == nil {
		return "", nil
	}
	return a.path[0].Name, b.value
}

// checkKeys checks the values of a key; the service looks at the sort key first.
func checkKeys(values []attr.Value, schema expr.KeySchema) error {
	keys := keyAttributes(schema)
	for i := len(keys) - 1; i >= 0; i-- {
		if err := checkKey(values[i], keys[i]); err != nil {
			return err
		}
	}
	return nil
}

func checkKey(v attr.Value, k expr.KeyAttribute) error {
	if v.Kind() != k.Kind {
		return refuse("Key attribute's data type should match its data type in table's schema: Key %s", k.Name)
	}
	return checkEmpty(v, k)
}

func checkEmpty(v attr.Value, k expr.KeyAttribute) error {
	if len(v.Payload()) > 0 {
		return nil
	}
	what := map[attr.Kind]string{attr.String: "string", attr.Binary: "binary"}[v.Kind()]
	if what == "" {
		return nil
	}
	return refuse("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", what, k.Name)
}

// checkScalarPaths refuses predicates that look inside key attributes.
func checkScalarPaths(terms []*predicate, keys []expr.KeyAttribute, label string) error {
	for _, term := range terms {
		for _, path := range term.paths() {
			if err := checkScalarPath(path, keys, label); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkScalarPath(path expr.Path, keys []expr.KeyAttribute, label string) error {
	if len(path) > 1 && indexOf(keys, path[0].Name) >= 0 {
		return refuse("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s%s", label, path[0].Name)
	}
	return nil
}

// checkWrites refuses an UPDATE that writes key attributes.
func (b *Bound) checkWrites(schema expr.KeySchema) error {
	for _, path := range b.targets {
		if indexOf(keyAttributes(schema), path[0].Name) >= 0 {
			return refuse("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", path[0].Name)
		}
	}
	return nil
}

func keyItem(values []attr.Value, schema expr.KeySchema) attr.Item {
	key := attr.NewBuilder(nil)
	for i, k := range keyAttributes(schema) {
		key.Set(k.Name, values[i])
	}
	return key.Item()
}
